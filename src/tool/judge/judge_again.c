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
	return f->what != JUDGE_ALL_LOW && f->what != JUDGE_CONGESTION &&
	       f->what != JUDGE_CHANCE && f->what != JUDGE_WAYS_UNTRIED;
}

bool judge_is_untested(const struct judge_finding *f)
{
	return is_open(f) && f->what != JUDGE_DISTURBED && f->n_values && !f->n_alone;
}

bool judge_is_of_leaf(const struct judge_finding *f)
{
	return f->was == JUDGE_LEAF_SENDS_LOW || f->was == JUDGE_LEAF_RECEIVES_LOW ||
	       f->was == JUDGE_LEAF_LOW;
}

/* Was this direction of the node or leaf low? */
static bool is_low_in(const struct judge_finding *f, enum judge_direction direction)
{
	switch (f->what == JUDGE_DISTURBED ? f->was : f->what) {
	case JUDGE_SENDS_LOW:
	case JUDGE_LEAF_SENDS_LOW:
		return direction == JUDGE_SEND;
	case JUDGE_RECEIVES_LOW:
	case JUDGE_LEAF_RECEIVES_LOW:
		return direction == JUDGE_RECEIVE;
	case JUDGE_NODE_LOW:
	case JUDGE_LEAF_LOW:
	case JUDGE_UNREACHABLE:
		return true;
	default:
		return false;
	}
}

/* ---- what is measured again */

struct chooser {
	struct judge_list *list;
	const struct judge_report *report;
	const struct judge_ask *ask;
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
		.limit = pair->limit,
	};
}

static bool was_added(const struct judge_list *list, size_t first, const struct judge_pair *pair)
{
	while (first < list->n && (list->rows[first].from != pair->from ||
				   list->rows[first].to != pair->to))
		first++;
	return first < list->n;
}

/* The worst of these pairs first, if asked for; then others, up to n. */
static void choose_some(struct chooser *c, const struct judge_pair *const *good, uint32_t n_good,
			uint32_t n, bool worst)
{
	const size_t first = c->list->n;
	const struct shuffle order = shuffle_make(n_good ? n_good : 1, c->seed);

	if (n_good && worst)
		add(c, good[0]);
	for (uint32_t i = 0; i < n_good && c->list->n < first + n; i++) {
		const struct judge_pair *pair = good[shuffle_at(&order, i)];

		if (!was_added(c->list, first, pair))
			add(c, pair);
	}
}

/* Pairs of the row with good partners: of its leaf, or of other ones. */
static void choose(struct chooser *c, uint32_t number, uint32_t n, bool between)
{
	const struct judge_row *row = &c->rows.all[number];
	const struct judge_pair **good = must_calloc(row->n, sizeof(*good));
	const uint64_t seed = c->seed;
	uint32_t n_good = 0;

	for (size_t i = 0; i < row->n; i++)
		if (!c->rows.all[row->entries[i].other].bad &&
		    judge_is_between(row->entries[i].pair, c->ask) == between)
			good[n_good++] = row->entries[i].pair;
	c->seed ^= (uint64_t)number << 32;
	choose_some(c, good, n_good, n, n > 1);
	c->seed = seed;
	free(good);
}

static void choose_of_node(struct chooser *c, const struct judge_finding *f)
{
	for (enum judge_direction d = JUDGE_SEND; d <= JUDGE_RECEIVE; d++)
		for (int between = 0; between <= 1; between++)
			choose(c, 2 * f->node + d, is_low_in(f, d) ? JUDGE_PARTNERS : 1, between);
}

/* Is it one that says something of the leaf: between good nodes, and the other leaf is good? */
static bool is_of_leaf(const struct chooser *c, const struct judge_pair *p, uint32_t leaf,
		       enum judge_direction d)
{
	const bool sends = d == JUDGE_SEND;
	const struct judge_ask *ask = c->ask;

	return judge_is_between(p, ask) && judge_is_alive(p, ask) && judge_is_judged(p) &&
	       ask->leaf[sends ? p->from : p->to] == leaf &&
	       !c->report->low_leaves[sends ? 2 * ask->leaf[p->to] + JUDGE_RECEIVE :
					      2 * ask->leaf[p->from] + JUDGE_SEND] &&
	       !c->rows.all[2 * p->from + JUDGE_SEND].bad &&
	       !c->rows.all[2 * p->to + JUDGE_RECEIVE].bad;
}

static void choose_of_leaf(struct chooser *c, const struct judge_finding *f)
{
	const struct judge_ask *ask = c->ask;
	const struct judge_pair **good = must_calloc(ask->n, sizeof(*good));

	for (enum judge_direction d = JUDGE_SEND; d <= JUDGE_RECEIVE; d++) {
		uint32_t n = 0;

		for (size_t i = 0; i < ask->n; i++) {
			if (!is_of_leaf(c, &ask->pairs[i], f->node, d))
				continue;
			good[n] = &ask->pairs[i];
			if (judge_excess(good[n], c->report) > judge_excess(good[0], c->report)) {
				const struct judge_pair *worst = good[n];

				good[n] = good[0];
				good[0] = worst;
			}
			n++;
		}
		choose_some(c, good, n, is_low_in(f, d) ? JUDGE_PARTNERS : 1, is_low_in(f, d));
	}
	free(good);
}

static void choose_of_pair(struct chooser *c, const struct judge_finding *f)
{
	const struct judge_pair *pair = c->ask->pairs, *end = pair + c->ask->n;

	while (pair < end && (pair->from != f->node || pair->to != f->peer))
		pair++;
	if (pair < end)
		add(c, pair);
}

void judge_retests(struct judge_list *list, const struct judge_report *report,
		   const struct judge_ask *ask, uint64_t seed)
{
	struct chooser c = { .list = list, .report = report, .ask = ask, .seed = seed };
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
		if (is_open(f) && !is_of_pair(f)) {
			if (judge_is_of_leaf(f))
				choose_of_leaf(&c, f);
			else
				choose_of_node(&c, f);
		}
	for (const struct judge_finding *f = report->findings; f < end; f++)
		if (is_open(f) && is_of_pair(f))
			choose_of_pair(&c, f);
	judge_rows_free(&c.rows);
}

void judge_list_free(struct judge_list *list)
{
	free(list->rows);
	*list = (struct judge_list){ .n = 0 };
}

/* ---- what it says */

/* The figures of a pair, or of one direction of a node or leaf. */
struct tally {
	uint32_t n, n_low, n_disturbed;
	uint32_t low_pairs;              /* how many different ones are low */
	double median, best;             /* NAN: n is 0, or it failed */
	const struct judge_pair *worst;
	double excess, limit;            /* of the worst */
};

/* Is one of its ends a node that was found? */
static bool is_of_bad_node(const struct judge_report *report, const struct judge_pair *p)
{
	for (size_t i = 0; i < report->n_findings; i++) {
		const struct judge_finding *f = &report->findings[i];

		if (!is_of_pair(f) && !judge_is_of_leaf(f) &&
		    ((f->node == p->from && is_low_in(f, JUDGE_SEND)) ||
		     (f->node == p->to && is_low_in(f, JUDGE_RECEIVE))))
			return true;
	}
	return false;
}

static bool is_in(const struct judge_report *report, const struct judge_finding *f,
		  enum judge_direction d, const struct judge_pair *p)
{
	if (is_of_pair(f))
		return p->from == f->node && p->to == f->peer;
	if (!judge_is_of_leaf(f))
		return (d == JUDGE_SEND ? p->from : p->to) == f->node;
	return report->leaf[p->from] != report->leaf[p->to] &&
	       report->leaf[d == JUDGE_SEND ? p->from : p->to] == f->node &&
	       !is_of_bad_node(report, p);
}

/* Is it the first figure of this pair that is low? */
static bool is_first_low(const struct judge_report *report, const struct judge_list *list,
			 const struct judge_pair *pair)
{
	const struct judge_pair *p = list->rows;

	while (p < pair && (p->from != pair->from || p->to != pair->to || !judge_is_judged(p) ||
			    judge_excess(p, report) <= 0))
		p++;
	return p == pair && judge_excess(pair, report) > 0;
}

/* values: as many as the list has, to work in. */
static struct tally tally(const struct judge_report *report, const struct judge_list *list,
			  const struct judge_finding *f, enum judge_direction d, double *values)
{
	struct tally t = { .median = NAN, .best = NAN, .excess = -INFINITY, .limit = NAN };
	const bool mirrored = report->lower_is_better;

	for (const struct judge_pair *p = list->rows; p < list->rows + list->n; p++) {
		double excess;

		if (!is_in(report, f, d, p))
			continue;
		t.n_disturbed += p->disturbed && !p->failed;
		if (!judge_is_judged(p))
			continue;
		excess = judge_excess(p, report);
		t.n_low += excess > 0;
		t.low_pairs += is_first_low(report, list, p);
		if (!t.worst || excess > t.excess) {
			t.worst = p;
			t.excess = excess;
			t.limit = judge_limit(p, report);
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

static enum judge_what good_alone(const struct judge_finding *f)
{
	return f->n_low < JUDGE_ROW_MIN ? JUDGE_CHANCE : JUDGE_CONGESTION;
}

static void conclude_pair(struct judge_finding *f, const struct tally *t)
{
	f->what = t->n_low < t->n ? good_alone(f) : isnan(t->best) ? JUDGE_PAIR_FAILED :
		  JUDGE_PAIR_LOW;
	f->alone = t->best;
	f->n_alone = t->n;
	f->limit = t->limit;
}

/* All passes say so of one pair only; what that had in rounds is not known here. */
static void narrow(struct judge_finding *f, const struct tally *t)
{
	f->node = t->worst->from;
	f->peer = t->worst->to;
	f->class = t->worst->class;
	f->what = t->worst->failed ? JUDGE_PAIR_FAILED : JUDGE_PAIR_LOW;
	f->alone = t->worst->failed ? NAN : t->worst->value;
	f->n_alone = 1;
	f->limit = t->limit;
}

/* By the directions that are low alone. */
static enum judge_what what_is_low(const struct judge_finding *f, bool sends, bool receives)
{
	if (judge_is_of_leaf(f))
		return !receives ? JUDGE_LEAF_SENDS_LOW : !sends ? JUDGE_LEAF_RECEIVES_LOW :
		       JUDGE_LEAF_LOW;
	return !receives ? JUDGE_SENDS_LOW : !sends ? JUDGE_RECEIVES_LOW : JUDGE_NODE_LOW;
}

/* Has no other one been low alone, in all passes? */
static bool is_the_only_one(struct judge_finding *f, const struct judge_pair *pair)
{
	if (!f->passes || (f->only_from == pair->from && f->only_to == pair->to))
		f->passes++;
	f->only_from = pair->from;
	f->only_to = pair->to;
	return f->passes == JUDGE_PASSES;
}

static void conclude_node(struct judge_finding *f, const struct tally *send,
			  const struct tally *receive)
{
	const struct tally none = { .n = 0 };
	const struct tally *s = is_low_in(f, JUDGE_SEND) ? send : &none;
	const struct tally *r = is_low_in(f, JUDGE_RECEIVE) ? receive : &none;
	const struct tally *worse = !r->n || (s->n && s->excess >= r->excess) ? s : r;

	/* what comes and goes, as losses do, may be low for one of few only */
	const bool sends = is_low(s) || (!is_low(r) && s->n_low);
	const bool receives = is_low(r) || (!is_low(s) && r->n_low);

	f->other = s == &none ? send->best : r == &none ? receive->best : NAN;
	if (worse->n_low && s->low_pairs + r->low_pairs == 1 && is_the_only_one(f, worse->worst)) {
		narrow(f, worse);
		return;
	}
	if (!sends && !receives) {
		f->what = good_alone(f);
	} else {
		worse = !sends ? r : !receives ? s : worse;
		f->what = isnan(worse->median) && !judge_is_of_leaf(f) ? JUDGE_UNREACHABLE :
			  what_is_low(f, sends, receives);
	}
	f->alone = 2 * worse->n_low > worse->n || !worse->n_low ? worse->median :
		   worse->worst->failed ? NAN : worse->worst->value;
	f->n_alone = worse->n;
	/* in rounds all had failed */
	if (isnan(f->limit))
		f->limit = worse->limit;
}

static void conclude(struct judge_finding *f, const struct judge_report *report,
		     const struct judge_list *list, double *values)
{
	const struct tally none = { .n = 0 };
	const bool pair = is_of_pair(f);
	const struct tally send = tally(report, list, f, JUDGE_SEND, values);
	const struct tally receive = pair ? none : tally(report, list, f, JUDGE_RECEIVE, values);
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
	f->median = report->classes[f->class].median;
}

void judge_again(struct judge_report *report, const struct judge_list *list)
{
	double *values = must_calloc(list->n, sizeof(*values));

	for (size_t i = 0; i < report->n_findings; i++)
		if (is_open(&report->findings[i]))
			conclude(&report->findings[i], report, list, values);
	free(values);
}
