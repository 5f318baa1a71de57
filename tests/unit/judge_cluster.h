/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A small cluster without noise, for the tests of verdicts. */
#ifndef JUDGE_CLUSTER_H
#define JUDGE_CLUSTER_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "judge/judge.h"

#define MAX 16u
#define GOOD 10.0

static const char *const node_names[MAX] = {
	"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"
};

/* A cluster: what each directed pair has in rounds and alone. */
struct cluster {
	struct judge_pair pairs[MAX * MAX];
	double alone[MAX][MAX];        /* 0: it fails; below 0: disturbed */
	bool gone[MAX];
	struct judge_ask ask;
	struct judge_report report;
};

static inline struct judge_pair *pair_of(struct cluster *c, uint32_t from, uint32_t to)
{
	return &c->pairs[from * (c->ask.nodes - 1) + to - (to > from)];
}

/* All pairs in both directions, 9.99 to 10.01. */
static inline void make(struct cluster *c, uint32_t nodes)
{
	memset(c, 0, sizeof(*c));
	c->ask = (struct judge_ask){ .pairs = c->pairs, .nodes = nodes, .gone = c->gone,
				     .n = (size_t)nodes * (nodes - 1) };
	for (uint32_t from = 0; from < nodes; from++)
		for (uint32_t to = 0; to < nodes; to++) {
			c->alone[from][to] = GOOD;
			if (from != to)
				*pair_of(c, from, to) = (struct judge_pair){
					.from = from, .to = to,
					.value = GOOD + 0.01 * ((int)(from + to) % 3 - 1),
				};
		}
}

/* In rounds; and alone, unless alone is NAN. */
static inline void set(struct cluster *c, uint32_t from, uint32_t to, double value, double alone)
{
	if (from == to)
		return;
	pair_of(c, from, to)->value = value;
	if (!isnan(alone))
		c->alone[from][to] = alone;
}

static inline void set_sends(struct cluster *c, uint32_t node, double value, double alone)
{
	for (uint32_t peer = 0; peer < c->ask.nodes; peer++)
		set(c, node, peer, value, alone);
}

static inline void set_receives(struct cluster *c, uint32_t node, double value, double alone)
{
	for (uint32_t peer = 0; peer < c->ask.nodes; peer++)
		set(c, peer, node, value, alone);
}

/* What the caller expects of all pairs. */
static inline void set_limit(struct cluster *c, double limit)
{
	for (size_t i = 0; i < c->ask.n; i++)
		c->pairs[i].limit = limit;
}

static inline void fail_pair(struct cluster *c, uint32_t from, uint32_t to, double alone)
{
	if (from == to)
		return;
	pair_of(c, from, to)->failed = true;
	set(c, from, to, NAN, alone);
}

static inline void run(struct cluster *c)
{
	judge(&c->report, &c->ask);
}

/* One pass of re-tests; how many pairs. */
static inline size_t again(struct cluster *c, uint64_t seed)
{
	struct judge_list list;
	size_t n;

	judge_retests(&list, &c->report, &c->ask, seed);
	for (size_t i = 0; i < list.n; i++) {
		struct judge_pair *p = &list.rows[i];
		const double alone = c->alone[p->from][p->to];

		assert_true(isnan(p->value));
		p->failed = alone == 0;
		p->disturbed = alone < 0;
		p->value = alone ? fabs(alone) : NAN;
	}
	judge_again(&c->report, &list);
	n = list.n;
	judge_list_free(&list);
	return n;
}

static inline void expect_one(struct cluster *c, enum judge_what what, uint32_t node, uint32_t peer)
{
	assert_int_equal(c->report.n_findings, 1);
	assert_int_equal(c->report.findings[0].what, what);
	assert_int_equal(c->report.findings[0].node, node);
	assert_int_equal(c->report.findings[0].peer, peer);
}

static inline void expect_text(const struct cluster *c, size_t i, const char *expected)
{
	const struct judge_words words = {
		.names = node_names, .unit = c->ask.lower_is_better ? "us" : "Gbit/s",
		.decimals = 1, .lower_is_better = c->ask.lower_is_better,
	};
	char text[256];

	assert_true(i < c->report.n_findings);
	assert_string_equal(judge_text(&c->report.findings[i], &words, text, sizeof(text)),
			    expected);
}

#endif
