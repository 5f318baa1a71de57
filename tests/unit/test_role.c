/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The roles of both sides in every test, opcode and direction, written a second time as a list. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decide/role.h"

struct expected {
	enum pattern pattern;
	bool bidir;
	enum role client, server;
};

/* Opcodes that take a receive: send, send_imm, write_imm. */
static const struct expected with_receives[] = {
	{ PATTERN_STREAM, false, ROLE_STREAM_TX, ROLE_STREAM_RX },
	{ PATTERN_STREAM, true, ROLE_STREAM_BOTH, ROLE_STREAM_BOTH },
	{ PATTERN_PINGPONG, false, ROLE_PING, ROLE_PONG },
};

static const struct expected without_receives[] = {
	{ PATTERN_STREAM, false, ROLE_STREAM_TX, ROLE_PASSIVE },
	{ PATTERN_STREAM, true, ROLE_STREAM_TX, ROLE_STREAM_TX },
	{ PATTERN_PINGPONG, false, ROLE_PING, ROLE_PONG },
	{ PATTERN_PROBE, false, ROLE_PROBE, ROLE_PASSIVE },
};

static void check(enum opcode op, const struct expected *expected, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum role role[SIDE_COUNT];

		role_resolve(role, expected[i].pattern, op, expected[i].bidir);
		assert_int_equal(role[SIDE_CLIENT], expected[i].client);
		assert_int_equal(role[SIDE_SERVER], expected[i].server);
	}
}

static void every_opcode(void **state)
{
	(void)state;
	for (enum opcode op = 0; op < OP_COUNT; op++) {
		if (op == OP_SEND || op == OP_SEND_IMM || op == OP_WRITE_IMM)
			check(op, with_receives, 3);
		else
			check(op, without_receives, 4);
	}
}

static void questions(void **state)
{
	static const struct {
		bool loop, initiates, sends, receives, samples;
	} answers[ROLE_COUNT] = {
		[ROLE_PASSIVE] = { 0, 0, 0, 0, 0 },
		[ROLE_STREAM_TX] = { 1, 1, 1, 0, 0 },
		[ROLE_STREAM_RX] = { 1, 0, 0, 1, 0 },
		[ROLE_STREAM_BOTH] = { 1, 1, 1, 1, 0 },
		[ROLE_PING] = { 1, 1, 1, 1, 1 },
		[ROLE_PONG] = { 1, 0, 1, 1, 0 },
		[ROLE_PROBE] = { 1, 1, 1, 0, 1 },
	};

	(void)state;
	for (enum role role = 0; role < ROLE_COUNT; role++) {
		assert_int_equal(role_has_loop(role), answers[role].loop);
		assert_int_equal(role_initiates(role), answers[role].initiates);
		assert_int_equal(role_sends(role), answers[role].sends);
		assert_int_equal(role_receives(role), answers[role].receives);
		assert_int_equal(role_samples(role), answers[role].samples);
		assert_int_equal(role_is_pingpong(role), role == ROLE_PING || role == ROLE_PONG);
		assert_int_equal(role_streams(role),
				 role == ROLE_STREAM_TX || role == ROLE_STREAM_BOTH);
		assert_int_equal(role_takes_stream(role),
				 role == ROLE_STREAM_RX || role == ROLE_STREAM_BOTH);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_opcode),
		cmocka_unit_test(questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
