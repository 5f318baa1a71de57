/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The overhead exists for every loop of kinds.def, on either side. */
#include "config.h"

#include <math.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/clock.h"
#include "loop/engine.h"
#include "worker/overhead.h"
#include "options/options.h"

/* In place of the C library's: each wait for a loop is over before the loop has ended. */
static bool impatient;

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	const struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	if (impatient)
		return sched_yield();
	return ppoll(fds, n, ms < 0 ? NULL : &wait, NULL);
}

static void parse(struct cfg *cfg, const char *line)
{
	char text[128], *argv[16], *save = NULL;
	int argc = 0;

	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	*cfg = (struct cfg){ .test = TEST_SEND_BW };
	assert_int_equal(options_parse(cfg, OPTIONS_TEST, argc, argv), 0);
}

static void plan_for(struct plan *plan, enum test test, struct kind k, const struct cfg *with)
{
	const struct plan_room room = PLAN_NO_ROOM_LIMIT;
	struct cfg cfg = *with;

	cfg.test = test;
	cfg.transport = k.tp;
	cfg.completion = k.cm;
	cfg.imm = kind_has_imm(k.op);
	cfg.flush = kind_flushes(k.op) ? FLUSH_GLOBAL : FLUSH_NONE;
	cfg.atomic = k.op == OP_FETCH_ADD    ? ATOMIC_FETCH_ADD :
		     k.op == OP_ATOMIC_WRITE ? ATOMIC_WRITE : ATOMIC_CMP_SWAP;
	assert_int_equal(plan_loops(plan, &cfg, &room), 0);
	assert_true(plan->work.kind.op == k.op);
}

/* It measures nothing while other programs have the processor for a second: then again. */
static void measure(struct overhead_cost *cost, const struct plan *plan, enum side side)
{
	int tries = 20;

	do
		overhead_measure(cost, plan, side);
	while (isnan(cost->ns_per_msg) && role_has_loop(plan->work.role[side]) && --tries);
}

static void check(enum test test, struct kind k, const struct cfg *with)
{
	struct overhead_cost cost;
	struct plan plan;

	plan_for(&plan, test, k, with);
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		const bool loop = role_has_loop(plan.work.role[side]);
		const bool lat = kind_test_is_lat(test) && side == SIDE_CLIENT;

		measure(&cost, &plan, side);
		assert_int_equal(loop, !isnan(cost.ns_per_msg));
		assert_int_equal(lat, !isnan(cost.lat_ns));
		assert_true(!loop || cost.ns_per_msg > 0);
		assert_true(!lat || cost.lat_ns > 0);
	}
}

static void every_kind(void **state)
{
	static const struct kind kinds[] = {
#define KIND(T, O) { .tp = TP_##T, .op = OP_##O },
#include "options/kinds.def"
#undef KIND
	};
	struct cfg cfg;

	(void)state;
	parse(&cfg, "vb_send_bw host");
	for (size_t i = 0; i < CM_COUNT * sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct kind k = kinds[i / CM_COUNT];

		k.cm = i % CM_COUNT;
		for (enum test test = 0; test < TEST_COUNT; test++)
			if (!kind_refusal(test, k))
				check(test, k, &cfg);
	}
}

/* What changes the loop's numbers: few receives, lists, both ways, the largest depth. */
static void shapes(void **state)
{
	static const char *const lines[] = {
		"vb_send_bw -r 1 -t 1 host",
		"vb_send_bw -r 2 -t 7 host",
		"vb_send_bw -r 32 -t 64 -l 29 host",
		"vb_send_bw -l 16 -b host",
		"vb_send_bw -t 16384 -r 16384 host",
		"vb_send_bw -q 300 -Q 1 -b host",
		"vb_send_bw --srq -q 4 host",
		"vb_send_bw --srq -q 4 -b -l 16 host",
	};
	static const enum transport tps[] = { TP_RC, TP_UC, TP_UD, TP_XRC, TP_DC };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct cfg cfg;

		parse(&cfg, lines[i]);
		for (size_t t = 0; t < sizeof(tps) / sizeof(tps[0]); t++) {
			struct kind k = { .tp = tps[t], .op = OP_SEND, .cm = CM_POLL };

			check(TEST_SEND_BW, k, &cfg);
			k.op = OP_SEND_IMM;
			check(TEST_SEND_BW, k, &cfg);
		}
	}
}

/* Where a credit message is worth one refill, lists longer than that need several of them. */
static void counted_credit(void **state)
{
	static const char *const lines[] = {
		"vb_send_bw -r 64 -l 16 host",
		"vb_send_bw -r 64 -l 16 -b host",
		"vb_send_bw -r 1 -t 1 host",
		"vb_send_bw -r 32 -t 64 -l 29 host",
		"vb_send_bw host",
	};
	const struct plan_room room = PLAN_NO_ROOM_LIMIT;
	struct overhead_cost cost;
	struct plan plan;
	struct cfg cfg;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		parse(&cfg, lines[i]);
		assert_int_equal(plan_loops(&plan, &cfg, &room), 0);
		plan.path.iwarp = true;
		for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
			measure(&cost, &plan, side);
			assert_true(cost.ns_per_msg > 0);
		}
	}
}

/* On a busy machine a run takes longer than one wait: it is not cut short. */
static void a_run_may_take_long(void **state)
{
	const struct kind k = { .tp = TP_RC, .op = OP_SEND, .cm = CM_POLL };
	struct cfg cfg;

	(void)state;
	parse(&cfg, "vb_send_bw host");
	impatient = true;
	check(TEST_SEND_BW, k, &cfg);
	check(TEST_SEND_LAT, k, &cfg);
	impatient = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind),
		cmocka_unit_test(shapes),
		cmocka_unit_test(counted_credit),
		cmocka_unit_test(a_run_may_take_long),
	};

	alarm(600); /* a loop that waits for what its queues never give ends here */
	clock_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
