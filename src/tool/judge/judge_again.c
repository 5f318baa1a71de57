/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What is measured again, alone, and what it says. */
#include "config.h"
#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>

#include "judge/judge_rows.h"
#include "schedule/shuffle.h"
#include "stats/repeats.h"
#include "util/must.h"

static bool is_of_pair(const struct judge_finding *f)
{
	return f->peer != JUDGE_NO_PEER;
}

/* Can more be known? */
static bool is_open(const struct judge_finding *f)
{
	return f->what != JUDGE_ALL_LOW && f->what != JUDGE_CONGESTION;
}

/* Was this direction of the node low? */
static bool is_low_in(const struct judge_finding *f, enum judge_direction direction)
{
	const enum judge_what what = f->what == JUDGE_DISTURBED ? f->was : f->what;

	return what == JUDGE_NODE_LOW || what == JUDGE_UNREACHABLE ||
	       what == (direction == JUDGE_SEND ? JUDGE_SENDS_LOW : JUDGE_RECEIVES_LOW);
}

/* ---- what is measured again */

struct chooser {
	struct judge_list *list;
	struct judge_rows rows;  /* those of nodes that were found are bad */
	uint64_t seed;
	size_t room;
};

static void add(struct chooser *c, const struct judge_pair *pair)
{
	struct judge_list *list = c->list;

	if (list->n == c->room) {
		c->room = c->room ? 2 * c->room : 16;
		list->rows = must_realloc(list->rows, c->room, sizeof(*list->rows));
	}
	list->rows[list->n++] = (struct judge_pair){
		.from = pair->from, .to = pair->to, .value = NAN, .class = pair->class,
	};
}

static bool was_added(const struct judge_list *list, size_t first, const struct judge_pair *pair)
{
	while (first < list->n && (list->rows[first].from != pair->from ||
				   list->rows[first].to != pair->to))
		first++;
	return first < list->n;
}

/* Up to n pairs of the row with good partners; with the worst first, if asked for. */
static void choose(struct chooser *c, uint32_t number, uint32_t n, bool worst)
{
	const struct judge_row *row = &c->rows.all[number];
	const struct judge_pair **good = must_calloc(row->n, sizeof(*good));
	const size_t first = c->list->n;
	uint32_t n_good = 0;
	struct shuffle order;

	for (size_t i = 0; i < row->n; i++)
		if (!c->rows.all[row->entries[i].other].bad)
			good[n_good++] = row->entries[i].pair;
	if (n_good && worst)
		add(c, good[0]);
	order = shuffle_make(n_good ? n_good : 1, c->seed ^ (uint64_t)number << 32);
	for (uint32_t i = 0; i < n_good && c->list->n < first + n; i++) {
		const struct judge_pair *pair = good[shuffle_at(&order, i)];

		if (!was_added(c->list, first, pair))
			add(c, pair);
	}
	free(good);
}

static void choose_of_node(struct chooser *c, const struct judge_finding *f)
{
	for (enum judge_direction d = JUDGE_SEND; d <= JUDGE_RECEIVE; d++)
		if (is_low_in(f, d))
			choose(c, 2 * f->node + d, JUDGE_PARTNERS, true);
		else
			choose(c, 2 * f->node + d, 1, false);
}

static void choose_of_pair(struct chooser *c, const struct judge_finding *f)
{
	const struct judge_row *row = &c->rows.all[2 * f->node + JUDGE_SEND];
	size_t i = 0;

	while (i < row->n && row->entries[i].pair->to != f->peer)
		i++;
	if (i < row->n)
		add(c, row->entries[i].pair);
}

void judge_retests(struct judge_list *list, const struct judge_report *report,
		   const struct judge_ask *ask, uint64_t seed)
{
	struct chooser c = { .list = list, .seed = seed };
	const struct judge_finding *end = report->findings + report->n_findings;

	*list = (struct judge_list){ .n = 0 };
	judge_rows_make(&c.rows, report, ask);
	for (const struct judge_finding *f = report->findings; f < end; f++) {
		struct judge_row *of_node = &c.rows.all[2 * f->node];

		if (f->was == JUDGE_SENDS_LOW || f->was == JUDGE_NODE_LOW ||
		    f->was == JUDGE_UNREACHABLE)
			of_node[JUDGE_SEND].bad = true;
		if (f->was == JUDGE_RECEIVES_LOW || f->was == JUDGE_NODE_LOW ||
		    f->was == JUDGE_UNREACHABLE)
			of_node[JUDGE_RECEIVE].bad = true;
	}
	for (const struct judge_finding *f = report->findings; f < end; f++)
		if (is_open(f) && is_of_pair(f))
			choose_of_pair(&c, f);
		else if (is_open(f))
			choose_of_node(&c, f);
	judge_rows_free(&c.rows);
}

void judge_list_free(struct judge_list *list)
{
	free(list->rows);
	*list = (struct judge_list){ .n = 0 };
}

/* ---- what it says */

/* The figures of one direction of a node, or of a pair. */
struct tally {
	uint32_t n, n_low, n_disturbed;
	double median, best;             /* NAN: n is 0, or it failed */
	const struct judge_pair *worst;
	double excess;                   /* of the worst */
};

/* Values: as many as the list has, to work in. from, to: JUDGE_NO_PEER: any. */
static struct tally tally(const struct judge_report *report, const struct judge_list *list,
			  double *values, uint32_t from, uint32_t to)
{
	struct tally t = { .median = NAN, .best = NAN, .excess = -INFINITY };
	const bool mirrored = report->lower_is_better;

	for (const struct judge_pair *p = list->rows; p < list->rows + list->n; p++) {
		double excess;

		if ((from != JUDGE_NO_PEER && p->from != from) ||
		    (to != JUDGE_NO_PEER && p->to != to))
			continue;
		t.n_disturbed += p->disturbed && !p->failed;
		if (!judge_is_judged(p))
			continue;
		excess = judge_excess(p, report);
		t.n_low += excess > 0;
		if (!t.worst || excess > t.excess) {
			t.worst = p;
			t.excess = excess;
		}
		if (!p->failed)
			t.best = mirrored ? fmin(t.best, p->value) : fmax(t.best, p->value);
		/* a failure is worse than any value, and sorted so */
		values[t.n++] = !p->failed ? p->value : mirrored ? INFINITY : -INFINITY;
	}
	repeats_sort(values, t.n);
	t.median = repeats_median(values, t.n);
	if (isinf(t.median))
		t.median = NAN;
	return t;
}

static bool is_low(const struct tally *t)
{
	return 2 * t->n_low > t->n;
}

static void conclude_pair(struct judge_finding *f, const struct tally *t)
{
	f->what = t->n_low < t->n ? JUDGE_CONGESTION : isnan(t->best) ? JUDGE_PAIR_FAILED :
		  JUDGE_PAIR_LOW;
	f->alone = t->best;
	f->n_alone = t->n;
}

/* What was said of the node is so of one pair only; what that had in rounds is not known here. */
static void narrow(struct judge_finding *f, const struct tally *t)
{
	f->node = t->worst->from;
	f->peer = t->worst->to;
	f->what = t->worst->failed ? JUDGE_PAIR_FAILED : JUDGE_PAIR_LOW;
	f->alone = t->worst->failed ? NAN : t->worst->value;
	f->n_alone = 1;
}

static void conclude_node(struct judge_finding *f, const struct tally *send,
			  const struct tally *receive)
{
	const struct tally none = { .n = 0 };
	const struct tally *s = is_low_in(f, JUDGE_SEND) ? send : &none;
	const struct tally *r = is_low_in(f, JUDGE_RECEIVE) ? receive : &none;
	const struct tally *worse = !r->n || (s->n && s->excess >= r->excess) ? s : r;

	f->other = s == &none ? send->best : r == &none ? receive->best : NAN;
	if (!is_low(s) && !is_low(r) && worse->n_low) {
		narrow(f, worse);
		return;
	}
	if (!is_low(s) && !is_low(r)) {
		f->what = JUDGE_CONGESTION;
	} else {
		worse = !is_low(s) ? r : !is_low(r) ? s : worse;
		f->what = isnan(worse->median) ? JUDGE_UNREACHABLE : !is_low(r) ? JUDGE_SENDS_LOW :
			  !is_low(s) ? JUDGE_RECEIVES_LOW : JUDGE_NODE_LOW;
	}
	f->alone = worse->median;
	f->n_alone = worse->n;
}

static void conclude(struct judge_finding *f, const struct judge_report *report,
		     const struct judge_list *list, double *values)
{
	const struct tally none = { .n = 0 };
	const bool pair = is_of_pair(f);
	const struct tally send = tally(report, list, values, f->node, f->peer);
	const struct tally receive = pair ? none : tally(report, list, values, JUDGE_NO_PEER,
							 f->node);
	const bool sends = pair || is_low_in(f, JUDGE_SEND);
	const bool receives = !pair && is_low_in(f, JUDGE_RECEIVE);

	if (!(sends && send.n) && !(receives && receive.n)) {
		if (!f->n_alone && ((sends && send.n_disturbed) ||
				    (receives && receive.n_disturbed)))
			f->what = JUDGE_DISTURBED;
	} else if (pair) {
		conclude_pair(f, &send);
	} else {
		conclude_node(f, &send, &receive);
	}
}

void judge_again(struct judge_report *report, const struct judge_list *list)
{
	double *values = must_calloc(list->n, sizeof(*values));

	for (size_t i = 0; i < report->n_findings; i++)
		if (is_open(&report->findings[i]))
			conclude(&report->findings[i], report, list, values);
	free(values);
}
