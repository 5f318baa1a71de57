/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Whole sessions: the server posts (--reverse); a pause (--gap); completion vectors (-X). */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pair.h"
#include "verbs.h"

#define REFUSED 2

static void run_ok(struct pair *p, const char *args)
{
	print_message("  %s\n", args);
	pair_args(p, args, "");
	pair_run(p);
	if (p->client.status || p->server.status)
		fail_msg("%s: %s", args, p->err);
	assert_string_equal(pair_cell(&p->client, 0, "status"), "ok");
	assert_int_equal(verbs_open_objects(), 0);
}

/* The server posts what the client posts otherwise; also by time, which the poster measures. */
static void test_reverse(void **state)
{
	static const struct {
		const char *args, *direction;
		uint64_t count;
	} runs[] = {
		{ "send_bw --reverse --verify -s 1001 -n 501 -q 3 -l 4 -Q 8", "to_client", 1503 },
		{ "send_bw --reverse --verify -s 100 -n 700 -c UD -q 3 -r 7 --threads 2",
		  "to_client", 4200 },
		{ "send_bw --reverse --verify -s 64 -n 999 -c UC --imm -e", "to_client", 999 },
		{ "write_bw --reverse --verify -s 1001 -n 501 -e", "to_client", 501 },
		{ "write_bw --reverse -n 200 --warm-up 33", "to_client", 200 },
		{ "read_bw --reverse --verify -s 1001 -n 501 -o 3", "to_server", 501 },
		{ "atomic_bw --reverse --verify -n 501 -A cmp_swap", "to_server", 501 },
		{ "send_bw --reverse -D 0.2", "to_client", 0 },
		{ "write_bw --reverse -D 0.2", "to_client", 0 },
	};
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		run_ok(p, runs[i].args);
		if (runs[i].count)
			assert_int_equal(pair_u64(&p->server, 0, "messages"), runs[i].count);
		assert_string_equal(pair_cell(&p->client, 0, "direction"), runs[i].direction);
		assert_true(pair_u64(&p->client, 0, "messages") > 0);
	}
}

/* No sample contains the pause; the run does. */
static void test_gap(void **state)
{
	static const char *const runs[] = {
		"send_lat -n 20 --gap 2000", "write_lat -n 20 --gap 2ms", "read_lat -n 20 --gap 2ms",
		"send_lat -n 20 -c UD --gap 2ms -e",
	};
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		run_ok(p, runs[i]);
		assert_string_equal(pair_cell(&p->server, 0, "gap_us"), "2000");
		/* a round trip is one sample, or two halves */
		assert_true(pair_f64(&p->client, 0, "window_ns") >
			    19 * 2e6 + 19 * pair_f64(&p->client, 0, "lat_min_ns"));
	}
	run_ok(p, "write_bw -n 20");
	assert_string_equal(pair_cell(&p->client, 0, "gap_us"), "");
}

/* The devices have one completion vector. */
static void test_vector(void **state)
{
	struct pair *p = *state;

	run_ok(p, "send_bw -e -X 0 -n 20");
	pair_args(p, "send_bw -e -X 1 -n 20", "");
	/* found before it connects */
	pair_join(pair_start(p, SIDE_CLIENT));
	assert_int_equal(p->client.status, REFUSED);
	pair_assert_has(p->err, "-X 1: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_reverse, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_vector, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_gap, pair_setup, pair_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
