/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what the other rails say of one that is low, and which rails are mis-cabled: by the leaves,
 * or because such a rail is low with its own rail of other nodes and good with another one.
 */
#include "config.h"
#include "verdict/mesh_judged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge/judge_cabling.h"
#include "util/log.h"
#include "util/must.h"
#include "util/text.h"

#define LINE 256

/* ---- by the leaves */

static void tell_leaf(const struct mesh_judged *j, uint32_t end, uint32_t as)
{
	char line[LINE];

	snprintf(line, sizeof(line), "%s: %s: it is on %s, where other nodes have %s",
		 j->names[end], judge_word(JUDGE_MISCABLED),
		 j->leaves.names[j->leaves.leaf[end]], j->root->mesh->rails.names[as]);
	mesh_rows_verdict(j->root, j->cell, j->size_bytes, line);
}

void mesh_cabling_mark(struct mesh_judged *j)
{
	uint32_t *as;

	if (!j->leaves.leaf || j->rails == 1)
		return;
	as = must_calloc(j->ends, sizeof(*as));
	judge_cabling(as, &(struct judge_cabling){ .leaf = j->leaves.leaf, .ends = j->ends,
						   .rails = j->rails, .leaves = j->leaves.n });
	for (uint32_t end = 0; end < j->ends; end++)
		if (as[end] != end % j->rails && !j->gone[end])
			tell_leaf(j, end, as[end]);
	/* what they have says nothing of their rail */
	for (size_t i = 0; i < j->n; i++) {
		struct judge_pair *p = &j->pairs[i];

		if (as[p->from] == p->from % j->rails && as[p->to] == p->to % j->rails)
			continue;
		p->value = NAN;
		p->failed = false;
	}
	free(as);
}

/* ---- by measuring */

struct trial {
	struct mesh_judged *j;
	const struct judge_report *report;
	struct judge_finding *found;
	char *text;
	size_t size;
};

/* Is it nearer to the median than to what was low? A disturbed one may be below the limit. */
static bool is_good(const struct trial *t, double value)
{
	const struct judge_finding *f = t->found;

	if (isnan(value) || isnan(f->alone))
		return !isnan(value);
	return fabs(value - f->median) < fabs(value - f->alone);
}

static void add_value(const struct trial *t, const char *before, uint32_t rail, double value)
{
	const char *name = t->j->root->mesh->rails.names[rail];

	if (isnan(value))
		text_add(t->text, t->size, "; ", "%s %s: no figure", before, name);
	else
		text_add(t->text, t->size, "; ", "%s %s: %.*f", before, name,
			 t->j->latency ? 2 : 4, value);
}

static const struct mesh_again again = { .attempt = JUDGE_PASSES };

/* Its end, with that rail of other nodes: are most pairs good? */
static bool try_node(const struct trial *t, uint32_t rail)
{
	struct mesh_judged *j = t->j;
	const uint32_t end = t->found->node, nodes = j->ends / j->rails;
	double best = NAN;
	uint32_t n = 0, n_good = 0;

	for (uint32_t i = 1; i < nodes && n < JUDGE_PARTNERS && !j->root->stopped; i++) {
		const uint32_t node = (end / j->rails + i) % nodes;
		const uint32_t peer = node * j->rails + rail;
		struct judge_pair pair = { .from = end, .to = peer, .value = NAN,
					   .class = t->found->class };

		if (mesh_judged_is_found(t->report, peer) ||
		    mesh_judged_is_found(t->report, node * j->rails + end % j->rails))
			continue;
		if (t->found->what == JUDGE_RECEIVES_LOW) {
			pair.from = peer;
			pair.to = end;
		}
		log_status("measuring %s again, with another rail", j->names[end]);
		mesh_judged_alone(j, &pair, t->report, &again);
		best = j->latency ? fmin(best, pair.value) : fmax(best, pair.value);
		n_good += is_good(t, pair.value);
		n++;
	}
	if (n)
		add_value(t, "with other nodes'", rail, best);
	return n == JUDGE_PARTNERS && 2 * n_good > n;
}

/* The same nodes. */
static void try_pair(const struct trial *t, uint32_t rail)
{
	struct mesh_judged *j = t->j;
	struct judge_pair pair = {
		.from = t->found->node / j->rails * j->rails + rail,
		.to = t->found->peer / j->rails * j->rails + rail, .value = NAN,
		.class = t->found->class,
	};

	mesh_judged_alone(j, &pair, t->report, &again);
	add_value(t, "on", rail, pair.value);
}

/* An end or a pair that was low alone, and is still there. */
static bool is_tried(const struct mesh_judged *j, const struct judge_finding *f)
{
	switch (f->what) {
	case JUDGE_SENDS_LOW:
	case JUDGE_RECEIVES_LOW:
	case JUDGE_NODE_LOW:
	case JUDGE_UNREACHABLE:
		return f->n_alone && !mesh_judged_is_gone(j, f->node);
	case JUDGE_PAIR_LOW:
	case JUDGE_PAIR_FAILED:
		return f->n_alone && !mesh_judged_is_gone(j, f->node) &&
		       !mesh_judged_is_gone(j, f->peer);
	default:
		return false;
	}
}

void mesh_cabling_try(struct mesh_judged *j, const struct judge_report *report,
		      struct judge_finding *f, char text[MESH_CABLING_TEXT])
{
	const struct trial t = { j, report, f, text, MESH_CABLING_TEXT };
	bool other = false;

	text[0] = '\0';
	if (j->rails == 1 || !is_tried(j, f))
		return;
	for (uint32_t rail = 0; rail < j->rails && !j->root->stopped; rail++) {
		if (rail == f->node % j->rails)
			continue;
		if (f->peer != JUDGE_NO_PEER)
			try_pair(&t, rail);
		else
			other |= try_node(&t, rail);
	}
	/* leaves that are known show it, mesh_cabling_mark() */
	if (other && (!j->leaves.leaf || j->leaves.leaf[f->node] == JUDGE_NO_LEAF))
		f->what = JUDGE_MISCABLED;
}
