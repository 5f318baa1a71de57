/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Sessions of several threads on each side: counts are exact and verified, rows and the parts that
 * they are the sums of agree on both sides; what befalls one thread ends all, within seconds and
 * with its reason; what devices and the server's owner do not allow is refused.
 */
#include "config.h"
#include "agree/session.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "pair.h"
#include "point/point.h"
#include "util/signals.h"
#include "verbs.h"

#define MEASURED 0
#define FAILED 1
#define REFUSED 2
#define STALL " --stall-timeout 2"

static void run(struct pair *p, const char *args)
{
	print_message("  %s\n", args);
	pair_args(p, args, "");
	pair_run(p);
	assert_int_equal(verbs_open_objects(), 0);
}

/* What the parts of this side's JSON add up to, over threads and over QPs. */
static void check_parts(const struct pair_side *s, uint32_t threads, uint64_t sent,
			uint64_t received)
{
	const json_t *point = json_array_get(json_object_get(s->json, "points"), 0);
	const json_t *list = json_object_get(point, "threads"), *t, *n;
	uint64_t sums[4] = { 0 };
	size_t i, qp;

	assert_int_equal(json_array_size(json_object_get(s->json, "points")), 1);
	assert_int_equal(json_array_size(list), threads);
	json_array_foreach(list, i, t) {
		sums[0] += (uint64_t)json_integer_value(json_object_get(t, "sent"));
		sums[1] += (uint64_t)json_integer_value(json_object_get(t, "received"));
		json_array_foreach(json_object_get(t, "qp_sent"), qp, n)
			sums[2] += (uint64_t)json_integer_value(n);
		json_array_foreach(json_object_get(t, "qp_received"), qp, n)
			sums[3] += (uint64_t)json_integer_value(n);
	}
	assert_int_equal(sums[0], sent);
	assert_int_equal(sums[2], sent);
	assert_int_equal(sums[1], received);
	assert_int_equal(sums[3], received);
}

/* The index of a part of the row; none is 0 nor above 1. */
static void check_fairness(const struct pair_side *s, uint32_t row, const char *key)
{
	assert_true(pair_f64(s, row, key) > 0 && pair_f64(s, row, key) <= 1);
}

static void run_counted(struct pair *p, const char *args, uint32_t rows, uint64_t count)
{
	const struct pair_side *const sides[] = { &p->client, &p->server };

	run(p, args);
	pair_assert_ended(p, MEASURED, MEASURED, rows);
	for (uint32_t row = 0; row < rows; row++) {
		for (int i = 0; i < 2; i++) {
			assert_string_equal(pair_cell(sides[i], row, "status"), "ok");
			assert_int_equal(pair_u64(sides[i], row, "threads"), 3);
			assert_int_equal(pair_u64(sides[i], row, "messages"), count);
			assert_int_equal(pair_u64(sides[i], row, "sent_messages"), count);
			assert_true(pair_u64(sides[i], row, "window_ns") > 0);
			/* every QP was to do the same: that it did is no finding */
			assert_string_equal(pair_cell(sides[i], row, "qp_fairness"), "");
			/* a thread that saw no two arrivals has no rate */
			if (strcmp(pair_cell(sides[i], row, "counted_by"), "receiver") ||
			    pair_cell(sides[i], row, "thread_fairness")[0])
				check_fairness(sides[i], row, "thread_fairness");
		}
	}
	assert_true(pair_u64(&p->client, 0, "verified_messages") > 0);
}

static void test_counted(void **state)
{
	static const struct {
		const char *args;
		uint32_t rows, server_threads;
		uint64_t count, client_received, server_received;
	} runs[] = {
		{ "send_bw --threads 3 -q 2 -n 500 -s 777 --verify", 1, 3, 3000, 0, 3000 },
		{ "send_bw --threads 3 -n 501 -s 9 -e --verify --imm -l 4", 1, 3, 1503, 0, 1503 },
		{ "send_bw --threads 3 -q 2 -n 500 -s 64 -b --verify", 2, 3, 3000, 3000, 3000 },
		{ "send_bw --threads 3 -n 400 -c UC -e -b -s 64 --verify", 2, 3, 1200, 1200, 1200 },
		{ "send_bw --threads 3 -q 2 -n 400 -c UD -s 64 --verify", 1, 3, 2400, 0, 2400 },
		{ "send_bw --threads 3 -n 400 -c UD -e -b -s 64 --verify", 2, 3, 1200, 1200, 1200 },
		{ "write_bw --threads 3 -q 2 -n 500 -s 777 --verify", 1, 0, 3000, 0, 0 },
		{ "write_bw --threads 3 -n 500 -s 64 -b -e --verify", 2, 3, 1500, 0, 0 },
		{ "read_bw --threads 3 -q 3 -n 100 -s 777 --verify", 1, 0, 900, 0, 0 },
		{ "atomic_bw --threads 3 -q 2 -n 300 -b --verify", 2, 3, 1800, 0, 0 },
		{ "write_bw --threads 3 --imm -n 500 -b -s 64 --verify", 2, 3, 1500, 1500, 1500 },
	};
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		const bool both = runs[i].rows == 2;

		run_counted(p, runs[i].args, runs[i].rows, runs[i].count);
		check_parts(&p->client, 3, runs[i].count, runs[i].client_received);
		check_parts(&p->server, runs[i].server_threads, both ? runs[i].count : 0,
			    runs[i].server_received);
	}
}

/* By time, QPs and threads get what they get. */
static void test_timed(void **state)
{
	static const char *const args[] = { "write_bw --threads 3 -D 1 -s 64 -e",
					    "send_bw --threads 2 -q 2 -D 1 -s 64 --verify -b",
					    "send_bw --threads 2 -D 1 -s 64 -c UD -b" };
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		const uint32_t rows = i ? 2 : 1;

		run(p, args[i]);
		pair_assert_ended(p, MEASURED, MEASURED, rows);
		for (uint32_t row = 0; row < rows; row++) {
			uint64_t min = pair_u64(&p->client, row, "qp_messages_min");
			uint64_t max = pair_u64(&p->client, row, "qp_messages_max");
			uint64_t qps = pair_u64(&p->client, row, "qps");

			check_fairness(&p->client, row, "qp_fairness");
			check_fairness(&p->server, row, "qp_fairness");
			assert_true(min <= max);
			assert_in_range(pair_u64(&p->client, row, "messages"), min * qps,
					max * qps);
			assert_true(pair_f64(&p->client, row, "thread_rate_min_per_s") <=
				    pair_f64(&p->client, row, "thread_rate_max_per_s"));
		}
	}
}

/* One thread alone shares with nobody. */
static void test_alone(void **state)
{
	struct pair *p = *state;

	run(p, "send_bw -n 100");
	pair_assert_ended(p, MEASURED, MEASURED, 1);
	assert_int_equal(pair_u64(&p->client, 0, "threads"), 1);
	assert_string_equal(pair_cell(&p->client, 0, "thread_fairness"), "");
	assert_string_equal(pair_cell(&p->client, 0, "qp_messages_min"), "");
	check_parts(&p->client, 1, 100, 0);
	check_parts(&p->server, 1, 0, 100);
}

/* ---- what befalls one thread */

static void set_fault(enum side side, const struct verbs_fault *fault)
{
	verbs_device(side)->messages = 0;
	verbs_device(side)->fault = *fault;
}

static void run_failed(struct pair *p, const char *args, const char *reason)
{
	const struct pair_side *const sides[] = { &p->client, &p->server };
	const uint32_t rows = strstr(args, " -b") ? 2 : 1;

	run(p, args);
	pair_assert_ended(p, FAILED, FAILED, rows);
	for (int i = 0; i < 2; i++) {
		pair_assert_has(pair_cell(sides[i], 0, "reason"), reason);
		assert_string_not_equal(pair_cell(sides[i], 0, "status"), "ok");
	}
}

/* The others would go on for half a minute. */
static void test_one_fails(void **state)
{
	static const char *const args[] = { "write_bw --threads 3 -D 3600 -s 64",
					    "send_bw --threads 3 -q 2 -D 3600 -s 64 -b -e",
					    "send_bw --threads 3 -D 3600 -s 64 -c UD" };
	const struct verbs_fault fault = { .what = VERBS_STATUS,
					   .message = 300,
					   .status = IBV_WC_REM_OP_ERR };
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, args[i], "REM_OP_ERR");
		pair_assert_has(pair_error(&p->server), "on the client, ");
		assert_string_equal(pair_cell(&p->client, 0, "status"), "failed");
		assert_string_equal(pair_cell(&p->server, 0, "status"), "incomplete");
		/* what the others had done counts */
		assert_true(pair_u64(&p->client, 0, "sent_messages") > 0);
	}
	set_fault(SIDE_SERVER, &fault);
	run_failed(p, "write_bw --threads 3 -D 3600 -s 64 -b", "REM_OP_ERR");
	assert_string_equal(pair_cell(&p->server, 0, "status"), "failed");
}

/* The others move all the time. */
static void test_one_stalls(void **state)
{
	static const char *const args[] = { "send_bw --threads 3 -D 3600 -s 64 -e" STALL,
					    "atomic_bw --threads 3 -D 3600 -b" STALL };
	const struct verbs_fault fault = { .what = VERBS_HOLD_QP, .message = 300 };
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, args[i], "stalled on the ");
		pair_assert_has(pair_cell(&p->client, 0, "reason"), " in thread ");
		pair_assert_has(pair_cell(&p->client, 0, "reason"), " of 3: no completion for ");
	}
}

static void test_wrong_data(void **state)
{
	const struct verbs_fault fault = { .what = VERBS_FLIP, .message = 59, .byte = 33 };
	struct pair *p = *state;

	/* the last of 60 messages, which is the last of its QP whichever thread that is */
	set_fault(SIDE_CLIENT, &fault);
	run_failed(p, "write_bw --threads 3 -n 20 -s 100 --verify", "wrong data on the server: ");
	assert_string_equal(pair_cell(&p->server, 0, "status"), "failed");
}

static void hang_up(void *arg)
{
	struct pair *p = arg;

	shutdown(p->ctl.fd, SHUT_RDWR);
}

static void stop_client(void *arg)
{
	(void)arg;
	raise(SIGINT);
}

static void test_ended_from_outside(void **state)
{
	static const char *const args[] = { "write_bw --threads 3 -D 3600 -s 64",
					    "send_bw --threads 3 -D 3600 -s 64 -c UC -e",
					    "send_bw --threads 3 -n 1000000000 -s 64 -b" };
	struct pair *p = *state;
	struct verbs_fault fault = { .what = VERBS_CALL, .message = 400, .arg = p };

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		fault.call = hang_up;
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, args[i], " is gone (");

		fault.call = stop_client;
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, args[i], "interrupted on the client");
		/* in good order: all threads drained, and said how much they had sent */
		assert_string_equal(pair_error(&p->client), "");
		assert_string_equal(pair_error(&p->server), "");
		check_fairness(&p->client, 0, "qp_fairness");
		assert_int_equal(signals_init(), 0);
	}
}

/* ---- what is not allowed */

static void run_refused(struct pair *p, const char *args, const char *message)
{
	run(p, args);
	pair_assert_ended(p, REFUSED, REFUSED, 0);
	pair_assert_told(&p->client, message);
	pair_assert_told(&p->server, message);
}

static void test_refused(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT),
			    *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	run_refused(p, "write_bw --threads 129 -q 1", "--threads 129 with -q (--qps) 1 each: ");
	client->attr.max_qp = 1024;
	server->attr.max_qp = 1024;
	run_refused(p, "write_bw --threads 65",
		    " has 64 completion queues, and each thread takes 1; allowed: 1..64");
	run_refused(p, "send_bw --threads 33",
		    " has 64 completion queues, and each thread takes 2; allowed: 1..32");
	client->attr.max_cq = server->attr.max_cq = 1024;
	server->attr.max_mr = 2;
	run_refused(p, "write_bw --threads 3", "--threads 3: pair1 of ");
	run_refused(p, "write_bw --threads 3", " has 2 memory regions, and each thread takes 1");
	client->attr.max_pd = 2;
	run_refused(p, "write_bw --threads 3", " has 2 protection domains");
	client->attr.max_pd = client->attr.max_mr = 1024;
	server->attr.max_pd = server->attr.max_mr = 1024;
	run_refused(p, "write_bw --threads 129 -t 1", "the test asks for --threads 129");
	run_refused(p, "write_bw --threads 129 -t 1", "--max-threads 128 of the server's owner: ");
	run_refused(p, "write_bw --threads 16 -s 1G -t 1",
		    "--max-memory 8589934592 of the server's owner: the test asks for ");
}

/*
 * A device that needs more time for all QPs than the peer may be silent: heartbeats tell that it
 * lives, while QPs are made and destroyed, before, between and after the points.
 */
static void test_slow_queue_pairs(void **state)
{
	struct pair *p = *state;
	const struct plan plan = { .stall_timeout_ms = 5000,
				   .work = { .threads = 64, .qps = 256, .depth = 1,
					     .post_list = 1, .signal_interval = 1, .sges = 1,
					     .kind.op = OP_WRITE } };
	const struct point point = { .size_bytes = 64, .footprint_bytes = 16384 };

	/*
	 * Longer than a peer may be silent; it waits 20 ms more for each QP. A busy machine has
	 * left a thread without a processor for more than 2 s.
	 */
	verbs_device(SIDE_CLIENT)->qp_ms = verbs_device(SIDE_SERVER)->qp_ms = 18;
	verbs_device(SIDE_CLIENT)->attr.max_qp = 512;
	verbs_device(SIDE_SERVER)->attr.max_qp = 512;
	pair_args(p, "write_bw -s 64 -n 2 -q 300 --stall-timeout 5s", "");
	pair_run(p);
	pair_assert_ended(p, 0, 0, 1);
	assert_int_equal(pair_u64(&p->client, 0, "messages"), 600);
	/* 16384 QPs of 20 ms, and not for ever */
	assert_int_equal(point_setup_ms(&plan, &point) - point_silence_ms(&plan, &point),
			 16384 * 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
#define TIMED(name) cmocka_unit_test_setup_teardown(name, pair_setup_timed, pair_teardown_timed)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_slow_queue_pairs),
		TEST(test_counted),    TEST(test_timed),      TEST(test_alone),
		TEST(test_one_fails),  TIMED(test_one_stalls), TEST(test_wrong_data),
		TEST(test_ended_from_outside), TEST(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
