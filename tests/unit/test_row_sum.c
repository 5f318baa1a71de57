/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* row_sum: the sum of both directions, over what their windows have in common. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "options/kind.h"
#include "row/row_build.h"

#define MS 1000000u

/* 1000 messages of 1000 bytes in each direction. */
static void fill(struct row *a, struct row *b)
{
	row_init(a);
	a->size_bytes = 1000;
	a->messages = a->window_messages = 1000;
	a->bytes = 1000000;
	a->message_rate_per_s = 1;
	a->sent_messages = 1001;
	a->received_messages = 1000;
	a->lost = 1;
	a->qp_messages_min = 7;
	a->status = RESULT_OK;
	a->counted_by = ROW_BY_SENDER;
	*b = *a;
}

static void windows_of_one_clock(void **state)
{
	struct row_window w[2] = { { 0, 100 * MS, 50 * MS, SIDE_SERVER },
				       { 1 * MS, 99 * MS, 50 * MS, SIDE_SERVER } };
	struct row a, b;

	(void)state;
	fill(&a, &b);
	/* one clock: how late the server was does not matter */
	row_sum(&a, &b, w);
	assert_int_equal(a.status, RESULT_OK);
	assert_int_equal(a.direction, ROW_BOTH_WAYS);
	assert_int_equal(a.counted_by, ROW_BY_SENDER);
	assert_int_equal(a.messages, 2000);
	assert_int_equal(a.window_ns, 99 * MS);
	/* all of one, and 99 % of the other */
	assert_int_equal(a.window_messages, 1990);
	assert_int_equal(a.start_ns, 1 * MS);
	assert_int_equal(a.start_slack_ns, 50 * MS);
	assert_true(fabs(a.windows_shared_pct - 99) < 1e-9);
	assert_true(fabs(a.bandwidth_gbit_s - 0.08 * 199 / 99) < 1e-9);
	assert_string_equal(a.warning_codes, "");
	assert_int_equal(a.sent_messages, 2002);
	assert_int_equal(a.lost, 2);
	assert_int_equal(a.qp_messages_min, ROW_NONE);
	/* what one side does not know is not known of both */
	fill(&a, &b);
	a.lost = b.sent_messages = ROW_NONE;
	row_sum(&a, &b, w);
	assert_int_equal(a.lost, ROW_NONE);
	assert_int_equal(a.sent_messages, ROW_NONE);
	assert_int_equal(a.received_messages, 2000);

	fill(&a, &b);
	w[1].start_ns = 2 * MS;
	w[1].window_ns = 98 * MS;
	row_sum(&a, &b, w);
	assert_int_equal(a.status, RESULT_OK);
	assert_string_equal(a.warning_codes, "partly_shared");
	assert_int_equal(a.window_ns, 98 * MS);
	fill(&a, &b);
	w[1].start_ns = 100 * MS;
	row_sum(&a, &b, w);
	assert_int_equal(a.status, RESULT_SKIPPED);
	assert_string_equal(a.reason, "no sum: the directions did not run at the same time");
	assert_int_equal(a.messages, ROW_NONE);
	assert_true(isnan(a.bandwidth_gbit_s));
	/* 10 us of 100 ms: no message of either */
	fill(&a, &b);
	w[1].start_ns = 100 * MS - 10000;
	row_sum(&a, &b, w);
	assert_int_equal(a.status, RESULT_SKIPPED);
	assert_int_equal(a.window_ns, ROW_NONE);
}

static void windows_of_two_clocks(void **state)
{
	struct row_window w[2] = { { 5 * MS, 1000 * MS, 0, SIDE_CLIENT },
				   { 0, 1000 * MS, 6 * MS, SIDE_SERVER } };
	struct row a, b;

	(void)state;
	/* the server is 5 ms early, or 1 ms late */
	fill(&a, &b);
	b.counted_by = ROW_BY_RECEIVER;
	row_sum(&a, &b, w);
	assert_int_equal(a.status, RESULT_OK);
	assert_int_equal(a.counted_by, ROW_BY_BOTH);
	assert_int_equal(a.window_ns, 995 * MS);
	/* 15 ms late in the worst case */
	fill(&a, &b);
	w[1].slack_ns = 20 * MS;
	row_sum(&a, &b, w);
	assert_int_equal(a.window_ns, 985 * MS);
	assert_string_equal(a.warning_codes, "partly_shared");
}

/* 1000 bytes one way and 10 the other: bytes of both are counted. */
static void two_sizes(void **state)
{
	const struct row_window w[2] = { { 0, 100 * MS, 0, SIDE_CLIENT },
					 { 0, 50 * MS, 0, SIDE_CLIENT } };
	struct row a, b;

	(void)state;
	fill(&a, &b);
	a.peer_size_bytes = b.size_bytes = 10;
	b.peer_size_bytes = 1000;
	b.bytes = 10000;
	row_sum(&a, &b, w);
	assert_int_equal(a.status, RESULT_OK);
	assert_int_equal(a.size_bytes, 1000);
	assert_int_equal(a.peer_size_bytes, 10);
	assert_int_equal(a.bytes, 1010000);
	assert_int_equal(a.window_messages, 1500);
	assert_int_equal(a.window_bytes, 510000);
	assert_true(fabs(a.bandwidth_gbit_s - 510000 * 8 / 5e7) < 1e-9);
	assert_true(fabs(a.message_rate_per_s - 30000) < 1e-6);
	assert_int_equal(row_share_of(&a).bytes, 510000);
	fill(&a, &b);
	row_sum(&a, &b, w);
	assert_int_equal(a.window_bytes, ROW_NONE);
}

static void without_a_window(void **state)
{
	const struct row_window w[2] = { { UINT64_MAX, 0, 0, SIDE_CLIENT },
					 { 0, 1, 0, SIDE_CLIENT } };
	struct row a, b;

	(void)state;
	fill(&a, &b);
	row_sum(&a, &b, w);
	assert_int_equal(a.status, RESULT_SKIPPED);
	fill(&a, &b);
	a.status = RESULT_FAILED;
	snprintf(a.reason, ROW_TEXT, "cable cut");
	row_sum(&a, &b, w);
	assert_int_equal(a.status, RESULT_FAILED);
	assert_string_equal(a.reason, "cable cut");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_of_one_clock),
		cmocka_unit_test(windows_of_two_clocks),
		cmocka_unit_test(two_sizes),
		cmocka_unit_test(without_a_window),
	};

	return cmocka_run_group_tests_name("row_sum", tests, NULL, NULL);
}
