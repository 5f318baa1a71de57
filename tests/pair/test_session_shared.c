/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Sessions whose QPs share a receive queue: what the rows say, what is refused by name, events of
 * the SRQ, and the end after an error. The devices end the program when an SRQ goes before its QPs.
 */
#include "config.h"
#include "agree/session.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pair.h"
#include "verbs.h"

#define MEASURED 0
#define FAILED 1
#define REFUSED 2

static void run(struct pair *p, const char *args, int status, uint32_t rows)
{
	print_message("  %s\n", args);
	pair_args(p, args, "");
	pair_run(p);
	pair_assert_ended(p, status, status, rows);
	assert_int_equal(verbs_open_objects(), 0);
}

static void run_ok(struct pair *p, const char *args, const char *queue, uint64_t messages)
{
	run(p, args, MEASURED, 1);
	assert_int_equal(pair_u64(&p->client, 0, "messages"), messages);
	assert_int_equal(pair_u64(&p->server, 0, "messages"), messages);
	assert_string_equal(pair_cell(&p->client, 0, "recv_queue"), queue);
	assert_true(pair_u64(&p->client, 0, "verified_messages") > 0);
}

static void test_rows(void **state)
{
	struct pair *p = *state;

	run_ok(p, "send_bw --srq -q 4 -n 200 --verify", "srq", 800);
	assert_int_equal(pair_u64(&p->client, 0, "srq_limit"), 512);
	assert_string_equal(pair_cell(&p->client, 0, "srq_limit_events"), "");
	assert_string_equal(pair_cell(&p->client, 0, "peer_srq_limit_events"),
			    pair_cell(&p->server, 0, "srq_limit_events"));
	run_ok(p, "send_bw --srq -q 4 -n 200 --verify -c UD --imm -e", "srq", 800);
	run_ok(p, "send_bw --srq -q 3 -n 200 --verify -c UC --threads 2 --pin none --peer-pin none", "srq", 1200);
	run_ok(p, "write_bw --srq --imm -q 3 -n 200 --verify --threads 2 -e --pin none --peer-pin none", "srq", 1200);
	run_ok(p, "send_lat --srq -q 3 -n 200 --verify --locks off", "srq", 600);
	run_ok(p, "send_bw --one-qp -c UD -q 5 -n 200 --verify", "one_qp", 1000);
	run_ok(p, "send_bw --one-qp -c UD -q 5 -n 200 --verify --imm -e", "one_qp", 1000);
	run_ok(p, "send_lat --one-qp -c UD -q 5 -n 200 --verify", "one_qp", 1000);
	run_ok(p, "send_bw -n 200 --verify", "own", 200);
	assert_string_equal(pair_cell(&p->client, 0, "srq_limit"), "");
}

/* 20 messages fill no list of 48 receives: the limit alone makes the server post again. */
static void test_limit(void **state)
{
	struct pair *p = *state;

	run_ok(p, "send_bw --srq -n 20 -r 64 -t 8 --srq-limit 60 --verify", "srq", 20);
	assert_true(pair_u64(&p->server, 0, "srq_limit_events") > 0);
	assert_int_equal(pair_u64(&p->client, 0, "peer_srq_limit_events"),
			 pair_u64(&p->server, 0, "srq_limit_events"));
	run_ok(p, "send_bw --srq -n 20 -r 64 -t 8 --srq-limit 60 --verify -e", "srq", 20);
	assert_true(pair_u64(&p->server, 0, "srq_limit_events") > 0);
	run_ok(p, "send_bw --srq -n 20 -r 64 -t 8 --srq-limit 0 --verify", "srq", 20);
	assert_int_equal(pair_u64(&p->server, 0, "srq_limit_events"), 0);
}

/* What is auto fits the device; what is given is refused with the numbers. */
static void test_room(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_SERVER)->attr.max_srq_wr = 1000;
	run_ok(p, "send_bw --srq -q 10 -n 200 --verify", "srq", 2000);
	assert_int_equal(pair_u64(&p->client, 0, "recv_depth"), 100);
	run(p, "send_bw --srq -q 10 -r 101 -n 200", REFUSED, 0);
	pair_assert_has(p->err, "-r (--recv-depth) 101 for each of 10 QPs that share a receive queue");
	pair_assert_has(p->err, "holds 1000 receives in an SRQ");
	verbs_device(SIDE_SERVER)->attr.max_srq = 1;
	run(p, "send_bw --srq --threads 2 -n 200", REFUSED, 0);
	pair_assert_has(p->err, "has 1 shared receive queues, and each thread takes 1");
	verbs_device(SIDE_SERVER)->attr.max_srq = 0;
	run(p, "send_bw --srq -n 200", REFUSED, 0);
	pair_assert_has(p->err, "has no shared receive queues (max_srq 0)");
	run_ok(p, "send_bw -n 200 --verify", "own", 200);
}

static void test_not_created(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_SERVER)->srq_errno = ENOMEM;
	run(p, "send_bw --srq -q 2 -n 200", FAILED, 1);
	pair_assert_has(p->err, "cannot create an SRQ of 1024 receives on pair1: Cannot allocate memory");
}

/* The end waits for the last receive of each QP, and not forever for one that never says so. */
static void test_after_an_error(void **state)
{
	struct pair *p = *state;

	for (int silent = 0; silent < 2; silent++) {
		struct verbs_device *client = verbs_device(SIDE_CLIENT);

		client->messages = 0;
		client->fault = (struct verbs_fault){ .what = VERBS_STATUS, .message = 57,
						      .status = IBV_WC_RETRY_EXC_ERR };
		client->no_last_wqe = verbs_device(SIDE_SERVER)->no_last_wqe = silent;
		run(p, "send_bw --srq -q 3 -n 200", FAILED, 1);
		pair_assert_has(p->err, "RETRY_EXC_ERR (12)");
	}
}

/*
 * The first message of the last QP is lost, and those of the others must not take its receive when
 * the client sends again. The server polls every ms, which is longer than one round takes.
 */
static void test_first_message_lost(void **state)
{
	static const char *const queues[] = { "own", "srq", "one_qp" };
	static const char *const args[] = {
		"send_bw -c UD -q 4 -n 200 --ah first --verify --stall-timeout 5s",
		"send_bw -c UD -q 4 -n 200 --ah first --verify --stall-timeout 5s --srq",
		"send_bw -c UD -q 4 -n 200 --ah first --verify --stall-timeout 5s --one-qp",
	};
	struct verbs_device *client = verbs_device(SIDE_CLIENT);
	struct pair *p = *state;

	for (uint32_t i = 0; i < 3; i++) {
		client->empty_messages = 0;
		client->fault = (struct verbs_fault){ .what = VERBS_LOSE, .message = 3,
						      .empty = true };
		run_ok(p, args[i], queues[i], 800);
		assert_string_equal(pair_cell(&p->client, 0, "ah"), "first");
		/* those of one round, and the last one again */
		assert_true(client->empty_messages > 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_limit, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_room, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_not_created, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_first_message_lost, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_after_an_error, pair_setup, pair_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
