/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* row_windows, row_total: what windows have in common, and the total of several pairs. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "run/pairs.h"
#include "row/row_build.h"

#define MS 1000000ull

/* ---- windows */

static void windows_of_four(void **state)
{
	struct row_window w[4] = { { 3 * MS, 1000 * MS, 0, 0 }, { 1 * MS, 1000 * MS, 0, 0 },
				   { 2 * MS, 1001 * MS, 0, 0 }, { 3 * MS, 998 * MS, 0, 0 } };
	struct row_windows_common c;

	(void)state;
	/* begins 1..3, ends 1001..1003 */
	assert_true(row_windows_compare(&c, w, 4));
	assert_int_equal(c.common_ns, 998 * MS);
	assert_int_equal(c.union_ns, 1002 * MS);
	assert_int_equal(c.start_ns, 3 * MS);
	assert_int_equal(c.slack_ns, 0);
	/* the third one begins 10 ms later */
	w[2].start_ns += 10 * MS;
	assert_true(row_windows_compare(&c, w, 4));
	assert_int_equal(c.common_ns, 989 * MS);
	assert_int_equal(c.union_ns, 1012 * MS);
	assert_true(fabs(c.percent - 989 * 100 / 1012.0) < 1e-6);
}

static void each_clock_has_its_slack(void **state)
{
	struct row_window w[3] = { { 0, 1000 * MS, 0, 0 }, { 0, 1000 * MS, 2 * MS, 1 },
				   { 0, 1000 * MS, 3 * MS, 2 } };
	struct row_windows_common c;

	(void)state;
	assert_true(row_windows_compare(&c, w, 3));
	assert_int_equal(c.common_ns, 997 * MS);
	assert_int_equal(c.union_ns, 1003 * MS);
	assert_int_equal(c.slack_ns, 3 * MS);
	/* two windows of one clock shift together */
	w[0] = w[1];
	assert_true(row_windows_compare(&c, w, 2));
	assert_int_equal(c.common_ns, 1000 * MS);
	assert_int_equal(c.union_ns, 1000 * MS);
}

static void windows_that_say_nothing(void **state)
{
	struct row_window w[2] = { { 0, 10 * MS, 0, 0 }, { 20 * MS, 10 * MS, 0, 0 } };
	struct row_windows_common c;

	(void)state;
	assert_false(row_windows_compare(&c, w, 2));
	assert_int_equal(c.common_ns, 0);
	assert_int_equal(c.union_ns, 30 * MS);
	w[1] = (struct row_window){ UINT64_MAX, 10 * MS, 0, 0 };
	assert_false(row_windows_compare(&c, w, 2));
	assert_true(c.percent == 0);
	w[1] = (struct row_window){ 0, 10 * MS, UINT64_MAX, 1 };
	assert_false(row_windows_compare(&c, w, 2));
	/* the slack may be all that they share */
	w[1] = (struct row_window){ 0, 10 * MS, 10 * MS, 1 };
	assert_false(row_windows_compare(&c, w, 2));
	w[0].window_ns = w[1].window_ns = w[1].slack_ns = 0;
	assert_false(row_windows_compare(&c, w, 2));
	assert_false(row_windows_compare(&c, w, 0));
}

/* ---- total */

/* Pair i: 100 * (i + 1) messages of 1000 bytes in one second; a link of 1 Mbit/s for each. */
static void fill(struct row *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct row *r = &rows[i];

		row_init(r);
		r->messages = r->window_messages = 100 * (i + 1);
		r->bytes = r->messages * 1000;
		r->sent_messages = r->messages;
		r->window_ns = 1000 * MS;
		r->start_ns = i * MS;
		r->start_slack_ns = 0;
		r->size_bytes = 1000;
		r->cpu_ns = 1000 * (i + 1);
		r->cpu_ns_per_msg = 10;
		row_rates(r);
		r->bandwidth_pct_of_link = r->bandwidth_gbit_s * 1e5;
		r->status = RESULT_OK;
		r->test = TEST_WRITE_BW;
		snprintf(r->device, ROW_NAME, "hca%u", i);
		snprintf(r->peer_host, ROW_NAME, "node2");
		snprintf(r->peer_device, ROW_NAME, "hca%u", i);
		snprintf(r->pair, ROW_NAME, "node2:hca%u", i);
		snprintf(r->time, ROW_NAME, "2026-01-31T12:00:0%u.000Z", 5 - i);
	}
}

static void sum_of_the_pairs(void **state)
{
	struct row rows[4], total;

	(void)state;
	fill(rows, 4);
	pairs_rows_total(&total, rows, 4);
	assert_int_equal(total.status, RESULT_OK);
	assert_int_equal(total.kind, ROW_KIND_TOTAL);
	assert_string_equal(total.pair, "total");
	assert_int_equal(total.pairs, 4);
	assert_int_equal(total.messages, 1000);
	assert_int_equal(total.bytes, 1000000);
	assert_int_equal(total.window_ns, 997 * MS);
	assert_int_equal(total.window_messages, 997);
	assert_int_equal(total.start_ns, 3 * MS);
	assert_true(fabs(total.windows_shared_pct - 99700 / 1003.0) < 1e-6);
	assert_true(fabs(total.message_rate_per_s - 1000) < 1e-6);
	assert_string_equal(total.warning_codes, "");
	assert_int_equal(total.cpu_ns, 10000);
	assert_true(fabs(total.cpu_ns_per_msg - 10) < 1e-9);
	assert_true(fabs(total.bandwidth_pct_of_link - 8 / 4.0 * 100) < 1e-6);
	/* what all have in common, and what one has alone */
	assert_int_equal(total.test, TEST_WRITE_BW);
	assert_int_equal(total.size_bytes, 1000);
	assert_string_equal(total.device, "");
	assert_string_equal(total.peer_host, "node2");
	assert_string_equal(total.time, "2026-01-31T12:00:05.000Z");
	assert_int_equal(total.received_messages, ROW_NONE);
}

/* Of an incast there are as many as nodes, or one alone. */
static void any_number_of_pairs(void **state)
{
	struct row *rows = calloc(PAIRS_MAX * 100, sizeof(*rows)), total;

	(void)state;
	assert_non_null(rows);
	for (uint32_t i = 0; i < PAIRS_MAX * 100; i += 4)
		fill(rows + i, 4);
	pairs_rows_total(&total, rows, PAIRS_MAX * 100);
	assert_int_equal(total.status, RESULT_OK);
	assert_int_equal(total.messages, PAIRS_MAX * 100 / 4 * 1000);
	pairs_rows_total(&total, rows, 1);
	assert_int_equal(total.status, RESULT_OK);
	assert_int_equal(total.messages, rows[0].messages);
	assert_true(isnan(total.pair_fairness));
	free(rows);
}

static void shares_of_the_pairs(void **state)
{
	struct row rows[4], total;

	(void)state;
	fill(rows, 4);
	pairs_rows_total(&total, rows, 4);
	assert_string_equal(total.slowest_pair, "node2:hca0");
	assert_string_equal(total.fastest_pair, "node2:hca3");
	assert_true(fabs(total.pair_rate_min_per_s - 100) < 1e-9);
	assert_true(fabs(total.pair_rate_max_per_s - 400) < 1e-9);
	/* (1+2+3+4)^2 / (4 * 30) */
	assert_true(fabs(total.pair_fairness - 100 / 120.0) < 1e-9);
}

/* Two pairs of one device: it has one link. */
static void link_of_one_device(void **state)
{
	struct row rows[2], total;

	(void)state;
	fill(rows, 2);
	snprintf(rows[1].device, ROW_NAME, "hca0");
	pairs_rows_total(&total, rows, 2);
	/* 299.7 messages in 999 ms are counted as 300 */
	assert_true(fabs(total.bandwidth_pct_of_link - 2.4 / 0.999 * 100) < 1e-6);
	assert_string_equal(total.device, "hca0");
}

static void pairs_apart(void **state)
{
	struct row rows[2], total;

	(void)state;
	fill(rows, 2);
	rows[1].start_ns = 20 * MS;
	pairs_rows_total(&total, rows, 2);
	assert_int_equal(total.status, RESULT_OK);
	assert_int_equal(total.window_ns, 980 * MS);
	assert_int_equal(total.window_messages, 294);
	assert_true(fabs(total.message_rate_per_s - 300) < 1e-6);
	assert_true(fabs(total.windows_shared_pct - 98000 / 1020.0) < 1e-6);
	assert_string_equal(total.warning_codes, "partly_shared");
	rows[1].start_ns = 1000 * MS;
	pairs_rows_total(&total, rows, 2);
	assert_int_equal(total.status, RESULT_SKIPPED);
	assert_string_equal(total.reason, "no total: the pairs did not run at the same time");
	assert_int_equal(total.messages, ROW_NONE);
	assert_int_equal(total.window_ns, ROW_NONE);
	assert_true(isnan(total.bandwidth_gbit_s));
	/* each has a rate of its own */
	assert_true(fabs(total.pair_rate_max_per_s - 200) < 1e-9);
	/* the windows may be one, and may be not */
	fill(rows, 2);
	rows[1].start_slack_ns = 20 * MS;
	pairs_rows_total(&total, rows, 2);
	assert_string_equal(total.warning_codes, "partly_shared");
}

static void pair_without_a_row(void **state)
{
	struct row rows[3], total;

	(void)state;
	fill(rows, 3);
	rows[1].status = RESULT_INCOMPLETE;
	snprintf(rows[1].reason, ROW_TEXT, "the peer is gone");
	pairs_rows_total(&total, rows, 3);
	assert_int_equal(total.status, RESULT_SKIPPED);
	assert_string_equal(total.reason,
			    "no total: pair node2:hca1 is incomplete: the peer is gone");
	assert_int_equal(total.messages, ROW_NONE);
	assert_int_equal(total.cpu_ns, ROW_NONE);
	fill(rows, 3);
	rows[2].start_ns = ROW_NONE;
	pairs_rows_total(&total, rows, 3);
	assert_string_equal(total.reason, "no total: pair node2:hca2 has no figure");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_of_four),
		cmocka_unit_test(each_clock_has_its_slack),
		cmocka_unit_test(windows_that_say_nothing),
		cmocka_unit_test(sum_of_the_pairs),
		cmocka_unit_test(any_number_of_pairs),
		cmocka_unit_test(shares_of_the_pairs),
		cmocka_unit_test(link_of_one_device),
		cmocka_unit_test(pairs_apart),
		cmocka_unit_test(pair_without_a_row),
	};

	return cmocka_run_group_tests_name("row_total", tests, NULL, NULL);
}
