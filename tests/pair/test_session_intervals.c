/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Sessions with --interval: rows of intervals on both sides before the rows of each point, numbered
 * from 0, end to end, whose sums are the rows of the point.
 */
#include "config.h"
#include "agree/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pair.h"
#include "verbs.h"

/* 0 when absent: of an interval in which nothing was measured. */
static uint64_t number(const struct pair_side *s, uint32_t row, const char *key)
{
	return strtoull(pair_cell(s, row, key), NULL, 10);
}

static bool is_of(const struct pair_side *s, uint32_t row, const char *key, const char *value)
{
	return !strcmp(pair_cell(s, row, key), value);
}

/* The intervals before a row of the point, of the same direction. Returns how many. */
static uint32_t check_sums(const struct pair_side *s, uint32_t first, uint32_t row)
{
	static const char *const keys[] = { "messages", "bytes", "window_ns", "sent_messages",
					    "window_messages",
					    "received_messages", "lat_samples", "cpu_ns",
					    "peer_cpu_ns", "polls", "events" };
	const char *const way = pair_cell(s, row, "direction");
	uint64_t sums[sizeof(keys) / sizeof(keys[0])] = { 0 };
	uint32_t n = 0;

	for (uint32_t i = first; i < row; i++) {
		if (!is_of(s, i, "kind", "interval") || !is_of(s, i, "direction", way))
			continue;
		assert_int_equal(pair_u64(s, i, "interval"), n);
		assert_int_equal(pair_u64(s, i, "interval_start_ns"), sums[2]);
		assert_string_equal(pair_cell(s, i, "status"), "ok");
		assert_string_equal(pair_cell(s, i, "counted_by"), pair_cell(s, row, "counted_by"));
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			sums[k] += number(s, i, keys[k]);
		n++;
	}
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		if (sums[k] != number(s, row, keys[k]))
			fail_msg("%s of row %u is %s, the sum of %u intervals %llu", keys[k], row,
				 pair_cell(s, row, keys[k]), n, (unsigned long long)sums[k]);
	return n;
}

/* Every result of a side, its intervals before it. Returns how many intervals the last one has. */
static uint32_t check_side(const struct pair_side *s, uint32_t points)
{
	uint32_t first = 0, n = 0, results = 0;

	for (uint32_t row = 0; row < s->csv.n_rows; row++) {
		if (!is_of(s, row, "kind", "result")) {
			/* after a result the intervals of the next point */
			if (row && is_of(s, row - 1, "kind", "result"))
				first = row;
			continue;
		}
		assert_string_equal(pair_cell(s, row, "interval"), "");
		assert_string_equal(pair_cell(s, row, "interval_start_ns"), "");
		/* the sum of both directions has none */
		if (is_of(s, row, "pattern", "stream") && is_of(s, row, "direction", "both"))
			continue;
		n = check_sums(s, first, row);
		results++;
	}
	assert_int_equal(results, points);
	return n;
}

static uint32_t run(struct pair *p, const char *args, uint32_t results)
{
	uint32_t n;

	print_message("  %s\n", args);
	pair_args(p, args, "");
	pair_run(p);
	if (p->client.status || p->server.status)
		fail_msg("%d %d %s\n%s", p->client.status, p->server.status,
			 pair_error(&p->client), p->err);
	n = check_side(&p->client, results);
	assert_int_equal(check_side(&p->server, results), n);
	assert_int_equal(verbs_open_objects(), 0);
	return n;
}

static void test_by_time(void **state)
{
	static const struct {
		const char *args;
		uint32_t results;
	} runs[] = {
		{ "send_bw -s 64", 1 },
		{ "send_bw -s 64 -q 3 --threads 2 --verify", 1 },
		{ "send_bw -b -e", 2 },
		{ "send_bw -c UD -b --imm -q 2", 2 },
		{ "send_bw -c UC --completion hybrid -s 9", 1 },
		{ "send_bw --srq -q 3 -s 64", 1 },
		{ "write_bw -s 64 --threads 2", 1 },
		{ "read_bw -b", 2 },
		{ "send_lat", 1 },
		{ "send_lat -c UD --imm -e", 1 },
		{ "write_lat", 1 },
		{ "atomic_lat", 1 },
	};
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		char args[128];

		snprintf(args, sizeof(args), "%s -D 350ms --interval 100ms", runs[i].args);
		/* late cuts are left out, never added */
		assert_in_range(run(p, args, runs[i].results), 1, 4);
	}
}

/* A point that is shorter than an interval has one; so has each size, and the warm-up none. */
static void test_by_count(void **state)
{
	struct pair *p = *state;

	assert_int_equal(run(p, "send_bw -n 100 --interval 1h", 1), 1);
	assert_int_equal(run(p, "send_lat -n 100 --interval 1h", 1), 1);
	assert_int_equal(run(p, "write_bw -c UC -n 100 -s 8 --warm-up 50 --interval 1h", 1), 1);
	assert_int_equal(pair_u64(&p->client, 0, "messages"), 100);
	assert_int_equal(run(p, "send_lat -a -c UD -n 20 --interval 1h", 12), 1);
}

static void test_absent(void **state)
{
	struct pair *p = *state;

	pair_args(p, "send_bw -n 100", "");
	pair_run(p);
	pair_assert_ended(p, 0, 0, 1);
	assert_string_equal(pair_cell(&p->client, 0, "kind"), "result");
	assert_int_equal(json_array_size(json_object_get(p->client.json, "intervals")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_by_time, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_by_count, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_absent, pair_setup, pair_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
