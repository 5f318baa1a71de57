/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what flow labels say of a pair that is low: with each of several ones it is measured alone,
 * and is low on some of the ways between its ends if it is always low with some, and never with
 * others.
 */
#include "config.h"
#include "verdict/mesh_judged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge/judge_paths.h"
#include "judge/judge_rows.h"
#include "util/log.h"
#include "util/must.h"

#define PAIRS_MOST 8u /* that are measured so, of a cell and size */
#define LINE 256

struct tried {
	uint32_t from, to;
	bool ways;             /* it is JUDGE_WAYS_LOW */
};

struct trials {
	struct mesh_judged *j;
	struct judge_report *report;
	struct tried done[PAIRS_MOST];
	uint32_t n;
};

/* JUDGE_NO_LEAF: not known. */
static uint32_t leaf_of(const struct mesh_judged *j, uint32_t end)
{
	return j->leaves.leaf ? j->leaves.leaf[end] : JUDGE_NO_LEAF;
}

/* Within a leaf there is one way only. */
static bool has_ways(const struct mesh_judged *j, uint32_t from, uint32_t to)
{
	const uint32_t leaf = leaf_of(j, from);

	return leaf == JUDGE_NO_LEAF || leaf != leaf_of(j, to);
}

/* Between the same two leaves, if they are known? The ways are the same. */
static bool is_alike(const struct mesh_judged *j, const struct tried *t,
		     const struct judge_pair *pair)
{
	const uint32_t a = leaf_of(j, t->from), b = leaf_of(j, t->to);
	const uint32_t from = leaf_of(j, pair->from), to = leaf_of(j, pair->to);

	if (!j->leaves.leaf)
		return false;
	return (a == from && b == to) || (a == to && b == from);
}

static bool is_tried(const struct trials *t, const struct judge_pair *pair)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->done[i].from == pair->from && t->done[i].to == pair->to)
			return true;
	return false;
}

/* Is it known that some of its ways are low? */
static bool is_explained(const struct trials *t, const struct judge_pair *pair)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->done[i].ways && is_alike(t->j, &t->done[i], pair))
			return true;
	return false;
}

/* It was low in rounds, and measured alone. */
static bool may_be_way(const struct judge_finding *f)
{
	switch (f->what) {
	case JUDGE_SENDS_LOW:
	case JUDGE_RECEIVES_LOW:
	case JUDGE_NODE_LOW:
	case JUDGE_PAIR_LOW:
	case JUDGE_PAIR_FAILED:
		return f->n_alone;
	case JUDGE_CHANCE:
		return f->n_alone && f->peer != JUDGE_NO_PEER;
	default:
		return false;
	}
}

/* That of the finding, of a node the worst one in rounds. False: there is none to try. */
static bool choose(const struct trials *t, const struct judge_finding *f, struct judge_pair *pair)
{
	const struct mesh_judged *j = t->j;
	const struct judge_pair *worst = NULL;

	for (const struct judge_pair *p = j->pairs; p < j->pairs + j->n; p++)
		if (judge_is_about(f, p, j->leaves.leaf) && judge_is_judged(p) &&
		    has_ways(j, p->from, p->to) && !is_tried(t, p) &&
		    (!worst || judge_excess(p, t->report) > judge_excess(worst, t->report)))
			worst = p;
	if (worst)
		*pair = *worst;
	return worst && !mesh_judged_is_gone(j, worst->from) && !mesh_judged_is_gone(j, worst->to);
}

static void measure(const struct trials *t, const struct judge_pair *pair,
		    struct judge_paths *paths)
{
	for (uint32_t try = 0; try < JUDGE_TRIES; try++) {
		for (uint32_t i = 0; i < JUDGE_LABELS && !t->j->root->stopped; i++) {
			struct judge_pair again = *pair;

			if (!judge_paths_wants(paths, i, try))
				continue;
			again.value = NAN;
			again.failed = false;
			log_status("measuring %s>%s again, with flow label %u",
				   t->j->names[pair->from], t->j->names[pair->to], JUDGE_LABEL(i));
			mesh_judged_alone(t->j, &again, t->report, &(struct mesh_again){
				JUDGE_PASSES, JUDGE_LABEL(i) });
			judge_paths_add(paths, i, &again, t->report);
		}
	}
}

static void try_one(struct trials *t, struct judge_finding *f)
{
	struct judge_paths paths = { .of = { { .n_low = 0 } } };
	struct judge_pair pair;
	struct tried *done = &t->done[t->n];

	if (!choose(t, f, &pair) || (f->peer != JUDGE_NO_PEER && is_explained(t, &pair)))
		return;
	t->n++;
	measure(t, &pair, &paths);
	*done = (struct tried){ pair.from, pair.to, judge_paths_conclude(f, &paths) };
	if (!done->ways)
		return;
	f->was = JUDGE_PAIR_LOW;
	f->node = pair.from;
	f->peer = pair.to;
	f->class = pair.class;
	f->value = pair.failed ? NAN : pair.value;
	f->limit = judge_limit(&pair, t->report);
	f->median = t->report->classes[pair.class].median;
}

/* What other pairs have is no sign of another fault. */
static void set_aside(const struct trials *t)
{
	bool any = false;

	for (uint32_t i = 0; i < t->n; i++)
		any |= t->done[i].ways;
	for (size_t i = 0; any && i < t->report->n_findings; i++) {
		struct judge_finding *f = &t->report->findings[i];
		const struct judge_pair pair = { .from = f->node, .to = f->peer };

		if (f->peer != JUDGE_NO_PEER && may_be_way(f) && !is_tried(t, &pair) &&
		    (!t->j->leaves.leaf || is_explained(t, &pair)))
			f->what = JUDGE_WAYS_UNTRIED;
	}
}

static void try_all(struct trials *t, bool nodes)
{
	for (size_t i = 0; i < t->report->n_findings; i++) {
		struct judge_finding *f = &t->report->findings[i];

		if ((f->peer == JUDGE_NO_PEER) == nodes && may_be_way(f) && t->n < PAIRS_MOST &&
		    !t->j->root->stopped)
			try_one(t, f);
	}
}

void mesh_paths_try(struct mesh_judged *j, struct judge_report *report)
{
	struct trials t = { .j = j, .report = report };

	if (!j->labelled)
		return;
	try_all(&t, true);
	try_all(&t, false);
	set_aside(&t);
}

/* ---- the leaf */

/* Do all pass that leaf, and not all one other? */
static bool is_common(const struct mesh_judged *j, const struct judge_report *report, uint32_t leaf)
{
	uint32_t other = JUDGE_NO_LEAF;
	bool several = false;

	for (size_t i = 0; i < report->n_findings; i++) {
		const struct judge_finding *f = &report->findings[i];
		uint32_t from, to;

		if (f->what != JUDGE_WAYS_LOW)
			continue;
		from = leaf_of(j, f->node);
		to = leaf_of(j, f->peer);
		if (from != leaf && to != leaf)
			return false;
		to = from == leaf ? to : from;
		several |= other != JUDGE_NO_LEAF && to != other;
		other = to;
	}
	return several;
}

void mesh_paths_tell(struct mesh_judged *j, const struct judge_report *report)
{
	char line[LINE];

	for (uint32_t leaf = 0; j->leaves.leaf && leaf < j->leaves.n; leaf++) {
		if (!is_common(j, report, leaf))
			continue;
		snprintf(line, sizeof(line), "%s: %s: all pairs that are low with some flow labels pass it: one of its uplinks",
			 j->leaves.names[leaf], judge_word(JUDGE_WAYS_LOW));
		mesh_rows_verdict(j->root, j->cell, j->size_bytes, line);
	}
}
