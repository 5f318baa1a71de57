/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Leaves, by what their good nodes have with other leaves. */
#include "config.h"
#include "judge/judge_leaves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/judge_classes.h"
#include "judge/judge_rows.h"
#include "stats/repeats.h"
#include "util/must.h"

/* A pair between leaves, at one of its ends. */
struct entry {
	uint32_t leaf;               /* the row of the leaf: 2 * leaf + direction */
	uint32_t own, other;         /* the rows of the nodes */
	uint32_t other_leaf;
	const struct judge_pair *pair;
};

struct leaves {
	struct judge_report *report;
	const struct judge_ask *ask;
	struct entry *entries;       /* n of them; by leaf, then by own; owned */
	size_t n;
	size_t *first;               /* by row of leaf, and one behind; owned */
	bool *bad;                   /* by row of node: low in its leaf; owned */
	double *values, *medians;    /* to work in; owned */
};

/* ---- making it */

static int by_row(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->leaf != b->leaf)
		return a->leaf < b->leaf ? -1 : 1;
	return a->own < b->own ? -1 : a->own > b->own;
}

/* Marks the rows of nodes that are low with others of their leaf: a leaf is no cause of that. */
static void find_bad(struct leaves *l)
{
	struct judge_pair *near = must_calloc(l->ask->n, sizeof(*near));
	struct judge_ask ask = *l->ask;
	struct judge_rows rows;

	ask.pairs = near;
	ask.n = 0;
	for (const struct judge_pair *p = l->ask->pairs; p < l->ask->pairs + l->ask->n; p++)
		if (!judge_is_between(p, l->ask))
			near[ask.n++] = *p;
	judge_rows_make(&rows, l->report, &ask);
	judge_rows_mark(&rows);
	l->bad = must_calloc(rows.n, sizeof(*l->bad));
	for (size_t i = 0; i < rows.n; i++)
		l->bad[i] = rows.all[i].bad;
	judge_rows_free(&rows);
	free(near);
}

static void find_entries(struct leaves *l)
{
	const struct judge_ask *ask = l->ask;

	l->entries = must_calloc(2 * ask->n, sizeof(*l->entries));
	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++) {
		const uint32_t send = 2 * p->from + JUDGE_SEND, receive = 2 * p->to + JUDGE_RECEIVE;
		uint32_t from, to;

		if (!judge_is_between(p, ask) || !judge_is_alive(p, ask) || !judge_is_judged(p))
			continue;
		from = 2 * ask->leaf[p->from] + JUDGE_SEND;
		to = 2 * ask->leaf[p->to] + JUDGE_RECEIVE;
		l->entries[l->n++] = (struct entry){ from, send, receive, to, p };
		l->entries[l->n++] = (struct entry){ to, receive, send, from, p };
	}
	if (l->n)
		qsort(l->entries, l->n, sizeof(*l->entries), by_row);
	l->first = must_calloc(2 * (size_t)ask->leaves + 1, sizeof(*l->first));
	for (size_t i = 0; i < l->n; i++)
		l->first[l->entries[i].leaf + 1]++;
	for (uint32_t i = 0; i < 2 * ask->leaves; i++)
		l->first[i + 1] += l->first[i];
}

static struct leaves make(struct judge_report *report, const struct judge_ask *ask)
{
	struct leaves l = { .report = report, .ask = ask };

	find_bad(&l);
	find_entries(&l);
	l.values = must_calloc(l.n, sizeof(*l.values));
	l.medians = must_calloc(ask->nodes, sizeof(*l.medians));
	return l;
}

static void drop(struct leaves *l)
{
	free(l->entries);
	free(l->first);
	free(l->bad);
	free(l->values);
	free(l->medians);
}

/* ---- what a leaf has: the median over its nodes, of the median of each one */

typedef double figure_of(const struct judge_pair *pair, const struct judge_report *report);

static double take_median(double *values, size_t n)
{
	repeats_sort(values, n);
	return repeats_median(values, n);
}

/* without: rows of leaves that are no partners; NULL: none. NAN: too few nodes, or good ones. */
static double leaf_median(const struct leaves *l, uint32_t leaf, const bool *without,
			  figure_of *figure)
{
	const struct entry *end = l->entries + l->first[leaf + 1];
	size_t nodes = 0, good = 0, n = 0;

	for (const struct entry *e = l->entries + l->first[leaf]; e < end; e++) {
		if (!l->bad[e->own] && !l->bad[e->other] && !(without && without[e->other_leaf]))
			l->values[n++] = figure(e->pair, l->report);
		if (e + 1 < end && e[1].own == e->own)
			continue;
		nodes++;
		if (n)
			l->medians[good++] = take_median(l->values, n);
		n = 0;
	}
	return nodes < JUDGE_LEAF_NODES || 2 * good <= nodes ? NAN : take_median(l->medians, good);
}

/* By which leaves are compared before there are limits: above 1 it is worse than most. */
static double share_of_median(const struct judge_pair *pair, const struct judge_report *report)
{
	const double share = report->classes[pair->class].median / pair->value;

	return pair->failed ? INFINITY : report->lower_is_better ? 1 / share : share;
}

/* ---- which are low */

struct place {
	double score;      /* the worse direction; NAN: it is not judged */
	uint32_t leaf;
};

/* The best first, and behind them those that are not judged. */
static int by_score(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (isnan(a->score) || isnan(b->score))
		return isnan(a->score) - isnan(b->score);
	if (a->score < b->score || a->score > b->score)
		return a->score < b->score ? -1 : 1;
	return a->leaf < b->leaf ? -1 : a->leaf > b->leaf;
}

/* Marks, in without, the worse ones, fewer than half of those that are judged. How many leaves. */
static uint32_t find_worse(const struct leaves *l, bool *without)
{
	const uint32_t n = l->ask->leaves;
	struct place *places = must_calloc(n, sizeof(*places));
	uint32_t judged = 0, worse;

	for (uint32_t i = 0; i < n; i++) {
		const double send = leaf_median(l, 2 * i + JUDGE_SEND, NULL, share_of_median);
		const double receive = leaf_median(l, 2 * i + JUDGE_RECEIVE, NULL, share_of_median);

		/* fmax() ignores NAN */
		places[i] = (struct place){ fmax(send, receive), i };
		judged += !isnan(places[i].score);
	}
	qsort(places, n, sizeof(*places), by_score);
	worse = judged ? (judged - 1) / 2 : 0;
	for (uint32_t i = judged - worse; i < judged; i++)
		without[2 * places[i].leaf + JUDGE_SEND] =
			without[2 * places[i].leaf + JUDGE_RECEIVE] = true;
	free(places);
	return worse;
}

void judge_leaves_mark(struct judge_report *report, const struct judge_ask *ask)
{
	const uint32_t n = 2 * ask->leaves;
	struct leaves l;
	bool *worse, any = false;

	if (!ask->leaf || !ask->leaves)
		return;
	l = make(report, ask);
	worse = must_calloc(n, sizeof(*worse));
	if (find_worse(&l, worse)) {
		bool *low = must_calloc(n, sizeof(*low));

		/* by classes of the better ones, among each other, the others are judged */
		report->low_leaves = worse;
		judge_classes_fill(report, ask);
		for (uint32_t i = 0; i < n; i++) {
			low[i] = worse[i] && leaf_median(&l, i, worse, judge_excess) > 0;
			any |= low[i];
		}
		report->low_leaves = low;
		judge_classes_fill(report, ask);
	}
	if (!any) {
		free(report->low_leaves);
		report->low_leaves = NULL;
	}
	free(worse);
	drop(&l);
}

static double value_of(const struct judge_pair *pair, const struct judge_report *report)
{
	return !pair->failed ? pair->value : report->lower_is_better ? INFINITY : 0;
}

struct judge_leaf_row judge_leaves_row(struct judge_report *report, const struct judge_ask *ask,
				       uint32_t leaf)
{
	struct leaves l = make(report, ask);
	const uint32_t send = 2 * leaf + JUDGE_SEND, receive = 2 * leaf + JUDGE_RECEIVE;
	double excess[2] = { -INFINITY, -INFINITY };
	struct judge_leaf_row row;
	uint32_t worse;

	if (report->low_leaves[send])
		excess[0] = leaf_median(&l, send, NULL, judge_excess);
	if (report->low_leaves[receive])
		excess[1] = leaf_median(&l, receive, NULL, judge_excess);
	worse = excess[1] > excess[0] ? receive : send;
	row.value = leaf_median(&l, worse, NULL, value_of);
	if (isinf(row.value) || row.value <= 0)
		row.value = NAN;
	row.n = (uint32_t)(l.first[worse + 1] - l.first[worse]);
	row.class = l.entries[l.first[worse]].pair->class;
	drop(&l);
	return row;
}
