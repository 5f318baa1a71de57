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

#define RUNS 200u
#define NODES_MAX 64u
#define GOOD 100.0

/* At most this much; 0: no limit. */
struct faults {
	double sends[NODES_MAX], receives[NODES_MAX];
	uint32_t from, to;
	double link;
};

struct cluster {
	uint32_t nodes, rounds;        /* rounds: of nodes - 1; shifts */
	bool latency;
	uint64_t random;
	struct faults faults;
	struct judge_pair pairs[NODES_MAX * NODES_MAX];
	size_t n;
};

/* ---- figures */

/* splitmix64; 0 <= the number < 1. */
static double uniform(struct cluster *c)
{
	uint64_t z = c->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static uint32_t below(struct cluster *c, uint32_t n)
{
	return (uint32_t)(uniform(c) * n);
}

static double normal(struct cluster *c)
{
	return sqrt(-2 * log(1 - uniform(c))) * cos(2 * M_PI * uniform(c));
}

static double at_most(struct cluster *c, double value, double limit)
{
	return limit > 0 ? fmin(value, limit + limit * 0.005 * normal(c)) : value;
}

static double measure(struct cluster *c, uint32_t from, uint32_t to)
{
	const struct faults *f = &c->faults;
	double value = GOOD * (1 - fabs(0.01 * normal(c)));

	if (uniform(c) < 0.01)
		value *= 0.6 + 0.35 * uniform(c);
	value = at_most(c, value, f->sends[from]);
	value = at_most(c, value, f->receives[to]);
	if (from == f->from && to == f->to)
		value = at_most(c, value, f->link);
	return c->latency ? GOOD * GOOD / value : value;
}

static void measure_rounds(struct cluster *c)
{
	const uint32_t begin = 1 + below(c, c->nodes - 1);

	c->n = 0;
	for (uint32_t round = 0; round < c->rounds; round++)
		for (uint32_t from = 0; from < c->nodes; from++) {
			const uint32_t shift = 1 + (begin + round) % (c->nodes - 1);
			const uint32_t to = (from + shift) % c->nodes;

			c->pairs[c->n++] = (struct judge_pair){ .from = from, .to = to,
								.value = measure(c, from, to) };
		}
}

/* ---- verdicts */

struct expected {
	enum judge_what what;
	uint32_t node, peer;
};

struct counts {
	uint32_t wrong;           /* runs in which not exactly what was expected stays */
	uint32_t first, retests;  /* findings in rounds, pairs measured alone */
};

static bool is_expected(const struct judge_report *report, const struct expected *expected,
			size_t n)
{
	size_t stays = 0;

	for (size_t i = 0; i < report->n_findings; i++) {
		const struct judge_finding *f = &report->findings[i];
		size_t k = 0;

		if (f->what == JUDGE_CONGESTION)
			continue;
		while (k < n && (f->what != expected[k].what || f->node != expected[k].node ||
				 f->peer != expected[k].peer))
			k++;
		if (k == n)
			return false;
		stays++;
	}
	return stays == n;
}

static void run(struct counts *counts, struct cluster *c, const struct expected *expected, size_t n)
{
	const struct judge_ask ask = { .pairs = c->pairs, .n = c->nodes * c->rounds,
				       .nodes = c->nodes, .limit = NAN,
				       .lower_is_better = c->latency };
	struct judge_report report;
	struct judge_list list;

	measure_rounds(c);
	judge(&report, &ask);
	counts->first += (uint32_t)report.n_findings;
	for (uint32_t pass = 0; pass < JUDGE_PASSES; pass++) {
		judge_retests(&list, &report, &ask, c->random);
		for (size_t i = 0; i < list.n; i++)
			list.rows[i].value = measure(c, list.rows[i].from, list.rows[i].to);
		counts->retests += (uint32_t)list.n;
		judge_again(&report, &list);
		judge_list_free(&list);
	}
	counts->wrong += !is_expected(&report, expected, n);
	judge_free(&report);
}

static struct cluster *cluster_of(uint32_t nodes, uint32_t rounds)
{
	struct cluster *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	c->nodes = nodes;
	c->rounds = rounds;
	c->random = nodes * 1000 + rounds;
	return c;
}

static void check(struct counts counts, const char *what)
{
	print_message("%s: wrong %u of %u, findings in rounds %u, re-tests %u\n", what,
		      counts.wrong, RUNS, counts.first, counts.retests);
	assert_int_equal(counts.wrong, 0);
}

/* ---- clusters */

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
		const struct expected expected = { what, below(c, nodes), JUDGE_NO_PEER };

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

/* One sends 88 %, another one receives 80 %, and a link of two others has 60 %. */
static void test_two_nodes_and_link(void **state)
{
	struct cluster *c = cluster_of(16, 15);
	struct counts counts = { 0 };

	(void)state;
	for (uint32_t r = 0; r < RUNS; r++) {
		const uint32_t first = below(c, 16);
		const struct expected expected[] = {
			{ JUDGE_SENDS_LOW, first, JUDGE_NO_PEER },
			{ JUDGE_RECEIVES_LOW, (first + 3) % 16, JUDGE_NO_PEER },
			{ JUDGE_PAIR_LOW, (first + 5) % 16, (first + 10) % 16 },
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
		const struct expected expected = { JUDGE_PAIR_LOW, from, to };

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
		cmocka_unit_test(test_two_nodes_and_link),
		cmocka_unit_test(test_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
