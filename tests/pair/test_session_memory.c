/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Whole sessions: null memory (--buffers null); several regions (--regions). */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* What each side sends and receives is in null memory; a target without a loop has none. */
static void test_null(void **state)
{
	static const struct {
		const char *args;
		bool client, server;
	} runs[] = {
		{ "write_bw -n 50 -q 3", true, false },
		{ "write_bw -n 50 --reverse", false, true },
		{ "write_bw -n 50 -b", true, true },
		{ "write_lat -n 50 --imm", true, true },
		{ "read_bw -n 50 -e --threads 2", true, false },
		{ "read_lat -n 50", true, false },
		{ "send_bw -n 50 -c UD", true, true },
		{ "send_bw -n 50 -c UC --srq -q 2", true, true },
		{ "send_lat -n 50", true, true },
		{ "send_lat -n 50 -c UD --imm --ah first", true, true },
	};
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct verbs_device *client = verbs_device(SIDE_CLIENT);
		struct verbs_device *server = verbs_device(SIDE_SERVER);
		char args[128];

		client->nulls = server->nulls = 0;
		snprintf(args, sizeof(args), "%s --buffers null", runs[i].args);
		run_ok(p, args);
		assert_string_equal(pair_cell(&p->client, 0, "buffers"), "null");
		assert_int_equal(client->nulls >= 50, runs[i].client);
		assert_int_equal(server->nulls >= 50, runs[i].server);
	}
}

/* A device without it is refused, but may be the target of writes. */
static void test_no_null(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_SERVER)->no_null_mr = true;
	run_ok(p, "write_bw -n 50 --buffers null");
	pair_args(p, "send_bw -n 50 --buffers null", "");
	pair_run(p);
	assert_int_equal(p->client.status, REFUSED);
	pair_assert_has(p->err, "--buffers null: pair1 of ");
	pair_assert_has(p->err, "ibv_alloc_null_mr: EOPNOTSUPP");
}

/* The provider refuses a key of a region that does not have the bytes. */
static void test_regions(void **state)
{
	static const struct {
		const char *args, *each;
		uint32_t regions; /* of both sides, of all threads; over UD also those of proofs */
	} runs[] = {
		{ "write_bw -n 50 -q 3 --verify", "1", 6 },
		{ "write_bw -n 50 -q 3 --threads 2 -b --verify", "1", 12 },
		{ "write_bw -n 50 -q 3 --threads 2 -b --verify", "3", 36 },
		{ "write_lat -n 50 -q 2", "1", 4 },
		{ "read_bw -n 50 -q 3 --verify", "7", 42 },
		{ "read_bw -n 50 --walk random --verify", "5", 10 },
		{ "atomic_bw -n 50 -q 2 --reverse --verify", "2", 8 },
		{ "send_bw -n 50 -q 3 --srq --verify", "2", 12 },
		{ "send_bw -n 50 -c UD -q 3 --one-qp --verify", "1", 8 },
		{ "send_lat -n 50 -c UD --imm --ah first -q 2 --verify", "2", 10 },
		{ "write_bw -n 50 -q 3 --buffers null", "2", 12 },
		{ "write_bw -n 50", "1", 2 },
		{ "write_bw -n 50 -q 3", "0", 2 },
	};
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		char args[128];

		verbs_device(SIDE_CLIENT)->regions = verbs_device(SIDE_SERVER)->regions = 0;
		snprintf(args, sizeof(args), "%s --regions %s", runs[i].args, runs[i].each);
		run_ok(p, args);
		assert_string_equal(pair_cell(&p->client, 0, "regions"), runs[i].each);
		assert_int_equal(verbs_device(SIDE_CLIENT)->regions +
				 verbs_device(SIDE_SERVER)->regions, runs[i].regions);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_null, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_regions, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_no_null, pair_setup, pair_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
