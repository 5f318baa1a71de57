/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * How often verdicts are right on noise: 100 less the size of 1 % of a normal variable, and 1 % of
 * the figures, in rounds and alone, have only 60 to 95 % of that, without a warning.
 *
 * Findings in rounds that no fault explains, of a good cluster: 0.5 a run of 8 nodes, 2.2 of 16, 40
 * of 64, 5 of 64 in 8 rounds; all of pairs. Nearly all are good in the first pass alone.
 */
#include "config.h"
#include "judge/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "judge_noise.h"

static const struct {
	uint32_t nodes, rounds;
} sizes[] = { { 8, 7 }, { 16, 15 }, { 64, 8 }, { 64, 63 } };

static void check_good(size_t n, bool latency)
{
	for (size_t i = 0; i < n; i++) {
		struct cluster *c = cluster_of(sizes[i].nodes, sizes[i].rounds);
		struct counts counts = { 0 };
		char what[64];

		c->latency = latency;
		for (uint32_t r = 0; r < RUNS; r++)
			run(&counts, c, NULL, 0);
		snprintf(what, sizeof(what), "good, %u nodes, %u rounds", c->nodes, c->rounds);
		check(counts, what);
		free(c);
	}
}

static void test_good(void **state)
{
	(void)state;
	check_good(4, false);
}

static void test_good_latency(void **state)
{
	(void)state;
	check_good(2, true);
}

/* A node at 88 %, which sends so, receives so, or both. */
static void check_node(uint32_t nodes, uint32_t rounds, enum judge_what what)
{
	struct cluster *c = cluster_of(nodes, rounds);
	struct counts counts = { 0 };

	for (uint32_t r = 0; r < RUNS; r++) {
		const struct expected expected = { what, below(c, nodes), JUDGE_NO_PEER, false };

		c->faults = (struct faults){ .link = 0 };
		if (what != JUDGE_RECEIVES_LOW)
			c->faults.sends[expected.node] = 88;
		if (what != JUDGE_SENDS_LOW)
			c->faults.receives[expected.node] = 88;
		run(&counts, c, &expected, 1);
	}
	check(counts, "a node");
	free(c);
}

static void test_node(void **state)
{
	(void)state;
	check_node(16, 15, JUDGE_SENDS_LOW);
	check_node(16, 15, JUDGE_RECEIVES_LOW);
	check_node(16, 15, JUDGE_NODE_LOW);
	check_node(8, 7, JUDGE_SENDS_LOW);
	check_node(64, 8, JUDGE_NODE_LOW);
}

/* Losses: of what a node sends and receives 80 % is at 60 %; of two thirds: 8 of 200 wrong. */
static void test_at_times(void **state)
{
	struct cluster *c = cluster_of(16, 15);
	struct counts counts = { 0 };

	(void)state;
	for (uint32_t r = 0; r < RUNS; r++) {
		const struct expected expected = {
			JUDGE_NODE_LOW, below(c, 16), JUDGE_NO_PEER, .any = true
		};

		c->faults = (struct faults){ .at_times = 0.8 };
		c->faults.sends[expected.node] = c->faults.receives[expected.node] = 60;
		run(&counts, c, &expected, 1);
	}
	check(counts, "a node at times");
	free(c);
}

/* One sends 88 %, another one receives 80 %, and a link of two others has 60 %. */
static void test_two_nodes_and_link(void **state)
{
	struct cluster *c = cluster_of(16, 15);
	struct counts counts = { 0 };

	(void)state;
	for (uint32_t r = 0; r < RUNS; r++) {
		const uint32_t first = below(c, 16);
		const struct expected expected[] = {
			{ JUDGE_SENDS_LOW, first, JUDGE_NO_PEER, false },
			{ JUDGE_RECEIVES_LOW, (first + 3) % 16, JUDGE_NO_PEER, false },
			{ JUDGE_PAIR_LOW, (first + 5) % 16, (first + 10) % 16, false },
		};

		c->faults = (struct faults){ .from = expected[2].node, .to = expected[2].peer,
					     .link = 60 };
		c->faults.sends[first] = 88;
		c->faults.receives[expected[1].node] = 80;
		c->latency = r % 2;
		run(&counts, c, expected, 3);
	}
	check(counts, "two nodes and a link");
	free(c);
}

static void test_link(void **state)
{
	struct cluster *c = cluster_of(16, 15);
	struct counts counts = { 0 };

	(void)state;
	for (uint32_t r = 0; r < RUNS; r++) {
		const uint32_t from = below(c, 16), to = (from + 1 + below(c, 15)) % 16;
		const struct expected expected = { JUDGE_PAIR_LOW, from, to, false };

		c->faults = (struct faults){ .from = from, .to = to, .link = 60 };
		run(&counts, c, &expected, 1);
	}
	check(counts, "a link");
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_good_latency),
		cmocka_unit_test(test_node),
		cmocka_unit_test(test_at_times),
		cmocka_unit_test(test_two_nodes_and_link),
		cmocka_unit_test(test_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
