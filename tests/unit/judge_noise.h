/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A cluster with noise, for the tests of verdicts: 100 less the size of 1 % of a normal variable,
 * and 1 % of the figures, in rounds and alone, have only 60 to 95 % of that, without a warning.
 */
#ifndef JUDGE_NOISE_H
#define JUDGE_NOISE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "judge/judge.h"

#define RUNS 200u
#define NODES_MAX 64u
#define LEAVES_MAX 8u
#define GOOD 100.0

/* At most this much; 0: no limit. */
struct faults {
	double sends[NODES_MAX], receives[NODES_MAX];
	double leaf_sends[LEAVES_MAX], leaf_receives[LEAVES_MAX]; /* to and from other leaves */
	bool leaf_full;                /* so in rounds only */
	uint32_t from, to;
	double link;
	double at_times;               /* the share of the figures that faults of nodes concern */
};

struct cluster {
	uint32_t nodes, rounds;        /* rounds: of nodes - 1; shifts */
	uint32_t leaves;               /* 0: not known; nodes in turn */
	uint32_t leaf[NODES_MAX];
	double between;                /* what pairs between leaves have at most; 0: as others */
	bool latency;
	uint64_t random;
	struct faults faults;
	struct judge_pair pairs[NODES_MAX * NODES_MAX];
	size_t n;
};

/* ---- figures */

/* splitmix64; 0 <= the number < 1. */
static inline double uniform(struct cluster *c)
{
	uint64_t z = c->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline uint32_t below(struct cluster *c, uint32_t n)
{
	return (uint32_t)(uniform(c) * n);
}

static inline double normal(struct cluster *c)
{
	return sqrt(-2 * log(1 - uniform(c))) * cos(2 * M_PI * uniform(c));
}

static inline double at_most(struct cluster *c, double value, double limit)
{
	return limit > 0 ? fmin(value, limit + limit * 0.005 * normal(c)) : value;
}

/* What the way between two leaves leaves of it. */
static inline double cross(struct cluster *c, uint32_t from, uint32_t to, bool alone)
{
	const struct faults *f = &c->faults;
	double value = GOOD;

	if (c->between > 0)
		value = c->between;
	if (alone && f->leaf_full)
		return value;
	if (f->leaf_sends[c->leaf[from]] > 0)
		value = fmin(value, f->leaf_sends[c->leaf[from]]);
	if (f->leaf_receives[c->leaf[to]] > 0)
		value = fmin(value, f->leaf_receives[c->leaf[to]]);
	return value;
}

static inline double measure(struct cluster *c, uint32_t from, uint32_t to, bool alone)
{
	const struct faults *f = &c->faults;
	const bool near = !c->leaves || c->leaf[from] == c->leaf[to];
	double value = (near ? GOOD : cross(c, from, to, alone)) * (1 - fabs(0.01 * normal(c)));

	if (uniform(c) < 0.01)
		value *= 0.6 + 0.35 * uniform(c);
	if (!(f->at_times > 0) || uniform(c) < f->at_times) {
		value = at_most(c, value, f->sends[from]);
		value = at_most(c, value, f->receives[to]);
	}
	if (from == f->from && to == f->to)
		value = at_most(c, value, f->link);
	return c->latency ? GOOD * GOOD / value : value;
}

static inline void measure_rounds(struct cluster *c)
{
	const uint32_t begin = 1 + below(c, c->nodes - 1);

	c->n = 0;
	for (uint32_t round = 0; round < c->rounds; round++)
		for (uint32_t from = 0; from < c->nodes; from++) {
			const uint32_t shift = 1 + (begin + round) % (c->nodes - 1);
			const uint32_t to = (from + shift) % c->nodes;

			c->pairs[c->n++] = (struct judge_pair){
				.from = from, .to = to, .value = measure(c, from, to, false),
				.class = !c->leaves ? 0 : c->leaf[from] == c->leaf[to] ? 1 : 3,
			};
		}
}

/* ---- verdicts */

struct expected {
	enum judge_what what;
	uint32_t node, peer;
	bool any;                 /* any direction of the node */
};

struct counts {
	uint32_t wrong;           /* runs in which not exactly what was expected stays */
	uint32_t first, retests;  /* findings in rounds, pairs measured alone */
};

static inline bool is_of_kind(const struct judge_finding *f, const struct expected *expected)
{
	return f->what == expected->what ||
	       (expected->any && (f->what == JUDGE_SENDS_LOW || f->what == JUDGE_RECEIVES_LOW));
}

static inline bool is_expected(const struct judge_report *report, const struct expected *expected,
			size_t n)
{
	size_t stays = 0;

	for (size_t i = 0; i < report->n_findings; i++) {
		const struct judge_finding *f = &report->findings[i];
		size_t k = 0;

		if (f->what == JUDGE_CHANCE)
			continue;
		while (k < n && (!is_of_kind(f, &expected[k]) || f->node != expected[k].node ||
				 f->peer != expected[k].peer))
			k++;
		if (k == n)
			return false;
		stays++;
	}
	return stays == n;
}

static inline void run(struct counts *counts, struct cluster *c, const struct expected *expected,
		       size_t n)
{
	const struct judge_ask ask = { .pairs = c->pairs, .n = c->nodes * c->rounds,
				       .nodes = c->nodes, .leaves = c->leaves,
				       .leaf = c->leaves ? c->leaf : NULL,
				       .lower_is_better = c->latency };
	struct judge_report report;
	struct judge_list list;

	measure_rounds(c);
	judge(&report, &ask);
	counts->first += (uint32_t)report.n_findings;
	for (uint32_t pass = 0; pass < JUDGE_PASSES; pass++) {
		judge_retests(&list, &report, &ask, c->random);
		for (size_t i = 0; i < list.n; i++)
			list.rows[i].value = measure(c, list.rows[i].from, list.rows[i].to,
						     true);
		counts->retests += (uint32_t)list.n;
		judge_again(&report, &list);
		judge_list_free(&list);
	}
	counts->wrong += !is_expected(&report, expected, n);
	judge_free(&report);
}

static inline struct cluster *cluster_of(uint32_t nodes, uint32_t rounds)
{
	struct cluster *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	c->nodes = nodes;
	c->rounds = rounds;
	c->random = nodes * 1000 + rounds;
	return c;
}

static inline void check(struct counts counts, const char *what)
{
	print_message("%s: wrong %u of %u, findings in rounds %u, re-tests %u\n", what,
		      counts.wrong, RUNS, counts.first, counts.retests);
	assert_int_equal(counts.wrong, 0);
}

#endif
