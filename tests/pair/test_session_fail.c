/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Sessions that break off: failing requests, stalls, device events, wrong data, a peer that is
 * gone, the user's stop. Both sides end because of it, long before the test would, give the same
 * reason, and print what was measured.
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
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "pair.h"
#include "loop/state.h"
#include "util/minmax.h"
#include "util/signals.h"
#include "verbs.h"

#define FAILED 1
#define STALL " --stall-timeout 2s"

static void set_fault(enum side side, const struct verbs_fault *fault)
{
	verbs_device(side)->messages = 0;
	verbs_device(side)->fault = *fault;
}

static void run(struct pair *p, const char *args)
{
	print_message("  %s\n", args);
	pair_args(p, args, "");
	pair_run(p);
}

/* Both end with status 1 and a row (two with -b) that gives this reason on both sides. */
static void run_failed(struct pair *p, const char *args, const char *status, const char *reason)
{
	const struct pair_side *const sides[] = { &p->client, &p->server };
	const uint32_t rows = strstr(args, " -b") ? 2 : 1;

	run(p, args);
	pair_assert_ended(p, FAILED, FAILED, rows);
	for (int i = 0; i < 2; i++) {
		for (uint32_t row = 0; row < rows; row++) {
			pair_assert_has(pair_cell(sides[i], row, "reason"), reason);
			assert_string_not_equal(pair_cell(sides[i], row, "status"), "ok");
		}
	}
	if (status)
		assert_string_equal(pair_cell(&p->client, 0, "status"), status);
	assert_int_equal(verbs_open_objects(), 0);
}

/* A side waits for the reason of its peer before it ends; tests/fake/test_faults has all kinds. */
static void test_status(void **state)
{
	static const struct {
		const char *args;
		enum ibv_wc_status status;
		const char *name;
		uint64_t message;
	} runs[] = {
		{ "write_bw -n 500 -s 64 -e", IBV_WC_REM_ACCESS_ERR, "REM_ACCESS_ERR", 121 },
		{ "send_bw -n 500 -s 64 -c UD -e", IBV_WC_LOC_PROT_ERR, "LOC_PROT_ERR", 121 },
		{ "write_lat -n 500", IBV_WC_RETRY_EXC_ERR, "RETRY_EXC_ERR", 121 },
		{ "atomic_bw -n 500 -q 2", IBV_WC_REM_OP_ERR, "REM_OP_ERR", 121 },
		{ "send_bw -n 500 -s 64 -b", IBV_WC_RNR_RETRY_EXC_ERR, "RNR_RETRY_EXC_ERR", 121 },
		{ "send_lat -n 500 -e", IBV_WC_REM_OP_ERR, "REM_OP_ERR", 121 },
		/* a warm-up has no row unless it fails; 200 ms may end it after a batch */
		{ "write_bw -n 5 --warm-up 200", IBV_WC_REM_OP_ERR, "REM_OP_ERR", 0 },
		{ "send_lat -a --warm-up 200", IBV_WC_REM_OP_ERR, "REM_OP_ERR", 0 },
	};
	struct verbs_fault fault = { .what = VERBS_STATUS };
	struct pair *p = *state;
	uint64_t lost;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		fault.status = runs[i].status;
		fault.message = runs[i].message;
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, runs[i].args, "failed", runs[i].name);
		pair_assert_has(pair_error(&p->client), "on the client, ");
		pair_assert_has(pair_error(&p->server), "on the client, ");
		assert_string_equal(pair_cell(&p->server, 0, "status"), "incomplete");
		/* nothing that failed is counted; what came before it is, but for its poll */
		lost = STATE_BATCH * pair_u64(&p->client, 0, "signal_interval");
		assert_in_range(pair_u64(&p->client, 0, "sent_messages"),
				fault.message - min_u64(lost, fault.message), fault.message);
	}
}

/* The message is named by its number. */
static void test_message_number(void **state)
{
	const struct verbs_fault fault = { .what = VERBS_STATUS,
					   .message = 121,
					   .status = IBV_WC_RETRY_EXC_ERR };
	struct pair *p = *state;

	set_fault(SIDE_CLIENT, &fault);
	run_failed(p, "write_bw -n 500 -s 64 -Q 8", "failed",
		   "write of message 121 failed on QP 0x");
	/* a poll takes up to 16 completions, and counts none of them when one has failed */
	assert_true(pair_u64(&p->client, 0, "sent_messages") % 8 == 0);
	assert_in_range(pair_u64(&p->client, 0, "sent_messages"), 120 - 15 * 8, 120);
	set_fault(SIDE_CLIENT, &fault);
	run_failed(p, "read_lat -n 500", "failed", "read of message 121 failed on QP 0x");
	assert_int_equal(pair_u64(&p->client, 0, "lat_samples"), 121);
}

static void test_server_fails(void **state)
{
	const struct verbs_fault fault = { .what = VERBS_STATUS,
					   .message = 40,
					   .status = IBV_WC_REM_OP_ERR };
	struct pair *p = *state;

	set_fault(SIDE_SERVER, &fault);
	run_failed(p, "send_lat -n 500", NULL, "REM_OP_ERR");
	pair_assert_has(pair_error(&p->client), "on the server, ");
	assert_string_equal(pair_cell(&p->server, 0, "status"), "failed");
	set_fault(SIDE_SERVER, &fault);
	run_failed(p, "write_bw -n 500 -b -s 64", NULL, "REM_OP_ERR");
	assert_string_equal(pair_cell(&p->server, 0, "status"), "failed");
}

static void test_refused_post(void **state)
{
	const struct verbs_fault fault = { .what = VERBS_REFUSE, .message = 100 };
	struct pair *p = *state;

	set_fault(SIDE_CLIENT, &fault);
	run_failed(p, "write_bw -n 500 -s 64", "failed", "post of request 100 on QP 0x");
}

static void test_events_of_device(void **state)
{
	struct verbs_fault fault = { .what = VERBS_ASYNC,
				     .message = 10,
				     .event = IBV_EVENT_PORT_ERR };
	struct pair *p = *state;

	set_fault(SIDE_CLIENT, &fault);
	run_failed(p, "write_bw -D 3600 -s 64", "incomplete", "port");
	assert_true(pair_u64(&p->client, 0, "sent_messages") > 10);
	fault.event = IBV_EVENT_DEVICE_FATAL;
	set_fault(SIDE_SERVER, &fault);
	run_failed(p, "send_lat -D 3600", "incomplete", "");
}

static void test_stall(void **state)
{
	static const char *const args[] = {
		"write_lat -n 500 -e --imm" STALL,
		"send_bw -n 500 -c UD -s 9" STALL,
		"atomic_bw -D 3600 -b" STALL,
	};
	const struct verbs_fault fault = { .what = VERBS_HOLD, .message = 200 };
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, args[i], NULL, "stalled on the ");
		pair_assert_has(pair_cell(&p->client, 0, "reason"), ": no completion for 2000 ms");
		assert_in_range(pair_u64(&p->client, 0, "sent_messages"), 100, 200);
	}
}

/* ---- data */

static void test_flipped_byte(void **state)
{
	static const struct {
		const char *args, *reason;
	} runs[] = {
		{ "send_bw -n 20 -s 100 --verify",
		  "wrong data on the server: payload differs: QP 0, buffer 7, byte 33" },
		{ "send_bw -n 20 -s 100 --verify -c UD",
		  "wrong data on the server: payload differs" },
		{ "write_bw -n 20 -s 100 --verify -e",
		  "wrong data on the server: payload differs: QP 0, buffer 7, byte 33" },
		{ "write_bw -n 20 -s 100 --verify -c UC",
		  "wrong data on the server: payload differs: QP 0, buffer 7, byte 33" },
		{ "read_bw -n 20 -s 100 --verify",
		  "wrong data on the client: payload differs: QP 0, buffer 7, byte 33" },
		/* the ring begins 8 slots before the end of a stretch of 32: ring_first() */
		{ "send_lat -n 8 -s 100 --verify",
		  "wrong data on the server: payload differs: QP 0, buffer 31, byte 33" },
		{ "write_lat --imm -n 8 -s 100 --verify",
		  "wrong data on the server: payload differs: QP 0, buffer 31, byte 33" },
		{ "read_lat -n 8 -s 100 --verify",
		  "wrong data on the client: payload differs: QP 0, buffer 7, byte 33" },
		{ "send_lat -n 8 -s 100 --verify --walk same",
		  "wrong data on the server: payload differs: QP 0, buffer 0, byte 33" },
		{ "write_lat -n 8 -s 100 --verify",
		  "wrong data on the server: payload differs: QP 0, buffer 0, byte 33" },
		{ "write_bw -n 20 -s 100 --verify --walk random",
		  "wrong data on the server: payload differs: QP 0, buffer 7, byte 33" },
		/* the second turn over 5 buffers: nothing is written over it */
		{ "write_bw -n 9 -s 100 --verify -t 5 -Q 1 --footprint 640",
		  "wrong data on the server: payload differs: QP 0, buffer 2, byte 33" },
	};
	const struct verbs_fault fault = { .what = VERBS_FLIP, .message = 7, .byte = 33 };
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, runs[i].args, "failed", runs[i].reason);
		assert_string_equal(pair_cell(&p->server, 0, "status"), "failed");
	}
	/* without --verify nobody looks, and nobody claims to have looked */
	set_fault(SIDE_CLIENT, &fault);
	pair_args(p, "write_bw -n 20 -s 100", "");
	pair_run(p);
	pair_assert_ended(p, 0, 0, 1);
	assert_string_equal(pair_cell(&p->server, 0, "verified_messages"), "");
}

static void test_wrong_immediate(void **state)
{
	const struct verbs_fault fault = { .what = VERBS_IMM, .message = 7 };
	struct pair *p = *state;

	set_fault(SIDE_CLIENT, &fault);
	run_failed(p, "write_bw --imm -n 500 -s 64", NULL, "has immediate 8 instead of 7");
	assert_string_equal(pair_cell(&p->server, 0, "status"), "failed");
	set_fault(SIDE_CLIENT, &fault);
	run_failed(p, "send_lat --imm -n 500 -s 64 -e", NULL, "has immediate 8 instead of 7");
}

/* ---- the peer and the user */

static void hang_up(void *arg)
{
	struct pair *p = arg;

	shutdown(p->ctl.fd, SHUT_RDWR);
}

static void test_peer_gone(void **state)
{
	static const char *const args[] = { "write_bw -D 3600 -s 64", "send_bw -D 3600 -s 64 -c UC -e",
					    "send_lat -D 3600", "read_bw -D 3600 -s 64" };
	struct pair *p = *state;
	const struct verbs_fault fault = {
		.what = VERBS_CALL, .message = 200, .call = hang_up, .arg = p
	};

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, args[i], "incomplete", " is gone (");
		assert_string_equal(pair_cell(&p->server, 0, "status"), "incomplete");
		assert_true(pair_u64(&p->client, 0, "sent_messages") > 100);
	}
}

static void stop_client(void *arg)
{
	(void)arg;
	raise(SIGINT);
}

static void stop_server(void *arg)
{
	const uint64_t one = 1;
	struct pair *p = arg;

	if (write(p->signals_fd, &one, sizeof(one)) < 0)
		abort();
}

static void test_stop(void **state)
{
	static const char *const args[] = {
		"write_bw -D 3600 -s 64",
		"send_bw -D 3600 -s 64 -q 3",
		"send_bw -D 3600 -s 64 -c UD",
		"send_bw -D 3600 -b -s 64",
		"read_lat -D 3600",
		"send_lat -D 3600 -e",
		"write_lat -n 1000000000 -c UC",
		"atomic_bw -D 3600 -b -A cmp_swap -e --verify",
		"write_bw -n 1000000000 -s 64 -l 4 -Q 32 --imm --verify",
	};
	struct pair *p = *state;
	struct verbs_fault fault = { .what = VERBS_CALL, .message = 200, .arg = p };

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		uint64_t word;

		fault.call = stop_client;
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, args[i], "interrupted", "interrupted on the client");
		assert_string_equal(pair_cell(&p->server, 0, "status"), "interrupted");
		assert_true(pair_u64(&p->client, 0, "messages") > 100);
		/* in good order: an incomplete result is no error of the session */
		assert_string_equal(pair_error(&p->client), "");
		assert_string_equal(pair_error(&p->server), "");
		assert_int_equal(signals_init(), 0);

		fault.call = stop_server;
		set_fault(SIDE_CLIENT, &fault);
		run_failed(p, args[i], "interrupted", "interrupted on the server");
		assert_string_equal(pair_cell(&p->server, 0, "status"), "interrupted");
		assert_string_equal(pair_error(&p->client), "");
		assert_string_equal(pair_error(&p->server), "");
		assert_int_equal(read(p->signals_fd, &word, sizeof(word)), sizeof(word));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
#define TIMED(name) cmocka_unit_test_setup_teardown(name, pair_setup_timed, pair_teardown_timed)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_status),	 TEST(test_message_number),   TEST(test_server_fails),
		TEST(test_refused_post),
		TEST(test_events_of_device), TIMED(test_stall),
		TEST(test_flipped_byte), TEST(test_wrong_immediate),  TEST(test_peer_gone),
		TEST(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
