/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What is low in rounds. */
#include "config.h"
#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>

#include "judge/judge_classes.h"
#include "judge/judge_leaves.h"
#include "judge/judge_rows.h"
#include "util/must.h"

/* ---- counts */

static void count(struct judge_report *report, const struct judge_ask *ask)
{
	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++)
		if (p->class >= report->n_classes)
			report->n_classes = p->class + 1;
	report->classes = must_calloc(report->n_classes, sizeof(*report->classes));
	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++) {
		const bool alive = judge_is_alive(p, ask), judged = judge_is_judged(p);

		report->n_failed += alive && p->failed;
		report->n_judged += alive && judged && !p->failed;
		report->n_disturbed += alive && !judged && p->disturbed;
	}
}

static void count_low(struct judge_report *report, const struct judge_ask *ask)
{
	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++)
		report->n_low += judge_is_alive(p, ask) && judge_is_judged(p) && !p->failed &&
				 (judge_excess(p, report) > 0 ||
				  judge_is_beyond(p, ask->lower_is_better));
}

/* ---- findings */

struct finder {
	struct judge_report *report;
	const struct judge_ask *ask;
	const struct judge_rows *rows;
	size_t room;
};

static struct judge_finding *add(struct finder *f, enum judge_what what, uint32_t node)
{
	struct judge_report *r = f->report;

	if (r->n_findings == f->room) {
		f->room = f->room ? 2 * f->room : 16;
		r->findings = must_realloc(r->findings, f->room, sizeof(*r->findings));
	}
	r->findings[r->n_findings] = (struct judge_finding){
		.what = what, .was = what, .node = node, .peer = JUDGE_NO_PEER, .value = NAN,
		.median = NAN, .limit = NAN, .alone = NAN, .other = NAN,
	};
	return &r->findings[r->n_findings++];
}

/* That of the pair. */
static void set_class(struct judge_finding *finding, const struct judge_report *report,
		      const struct judge_pair *pair)
{
	finding->class = pair->class;
	finding->median = report->classes[pair->class].median;
	finding->limit = judge_limit(pair, report);
}

static void find_gone(struct finder *f)
{
	for (uint32_t node = 0; f->ask->gone && node < f->ask->nodes; node++)
		if (f->ask->gone[node])
			add(f, JUDGE_UNREACHABLE, node);
}

static void find_classes(struct finder *f)
{
	for (uint32_t i = 0; i < f->report->n_classes; i++) {
		const struct judge_class *c = &f->report->classes[i];
		struct judge_finding *finding;

		if (!c->all_low)
			continue;
		finding = add(f, JUDGE_ALL_LOW, i);
		finding->class = i;
		finding->value = finding->median = c->median;
		finding->limit = c->asked;
		finding->n_values = (uint32_t)c->n_values;
	}
}

static void find_leaves(struct finder *f)
{
	for (uint32_t leaf = 0; f->report->low_leaves && leaf < f->ask->leaves; leaf++) {
		const bool send = f->report->low_leaves[2 * leaf + JUDGE_SEND];
		const bool receive = f->report->low_leaves[2 * leaf + JUDGE_RECEIVE];
		struct judge_leaf_row row;
		struct judge_finding *finding;

		if (!send && !receive)
			continue;
		finding = add(f, !receive ? JUDGE_LEAF_SENDS_LOW : !send ? JUDGE_LEAF_RECEIVES_LOW :
			      JUDGE_LEAF_LOW, leaf);
		row = judge_leaves_row(f->report, f->ask, leaf);
		finding->value = row.value;
		finding->n_values = finding->n_low = row.n;
		set_class(finding, f->report, &(struct judge_pair){
			.class = row.class, .limit = f->report->classes[row.class].asked });
	}
}

/* With those that are not bad. */
static uint32_t count_low_of(const struct judge_rows *rows, const struct judge_row *row)
{
	uint32_t n = 0;

	for (size_t i = 0; i < row->n && row->entries[i].excess > 0; i++)
		n += !rows->all[row->entries[i].other].bad;
	return n;
}

static void find_nodes(struct finder *f)
{
	for (uint32_t node = 0; node < f->ask->nodes; node++) {
		const struct judge_row *send = &f->rows->all[2 * node + JUDGE_SEND];
		const struct judge_row *receive = &f->rows->all[2 * node + JUDGE_RECEIVE];
		const struct judge_row *row = !send->bad ? receive : !receive->bad ? send :
					      send->excess < receive->excess ? receive : send;
		struct judge_finding *finding;

		if (!row->bad)
			continue;
		finding = add(f, !receive->bad ? JUDGE_SENDS_LOW : !send->bad ? JUDGE_RECEIVES_LOW :
			      JUDGE_NODE_LOW, node);
		if (isinf(row->excess))
			finding->what = finding->was = JUDGE_UNREACHABLE;
		else
			finding->value = (row->middle[0]->pair->value +
					  row->middle[1]->pair->value) / 2;
		finding->n_values = row->n_good;
		finding->n_low = count_low_of(f->rows, row);
		set_class(finding, f->report, row->middle[1]->pair);
	}
}

static bool is_bad(const struct judge_rows *rows, uint32_t node)
{
	return rows->all[2 * node + JUDGE_SEND].bad || rows->all[2 * node + JUDGE_RECEIVE].bad;
}

/* Of a pair that stands more than once only the worst is kept: in its row it is the first. */
static void find_pairs(struct finder *f)
{
	for (uint32_t node = 0; node < f->ask->nodes; node++) {
		const struct judge_row *row = &f->rows->all[2 * node + JUDGE_SEND];
		const size_t first = f->report->n_findings;

		for (size_t i = 0; !row->bad && i < row->n && row->entries[i].excess > 0; i++) {
			const struct judge_pair *pair = row->entries[i].pair;
			struct judge_finding *finding;
			size_t same = first;

			if (!pair->failed && (is_bad(f->rows, node) || is_bad(f->rows, pair->to)))
				continue;
			while (same < f->report->n_findings &&
			       f->report->findings[same].peer != pair->to)
				same++;
			if (same < f->report->n_findings || f->rows->all[row->entries[i].other].bad)
				continue;
			finding = add(f, pair->failed ? JUDGE_PAIR_FAILED : JUDGE_PAIR_LOW, node);
			finding->peer = pair->to;
			finding->value = pair->failed ? NAN : pair->value;
			finding->n_values = finding->n_low = 1;
			set_class(finding, f->report, pair);
		}
	}
}

/* ---- the order */

/* Gone nodes, whole classes, failures, then by what is missing to the limit. */
static double badness(const struct judge_finding *f)
{
	if (f->what == JUDGE_ALL_LOW)
		return 2e9;
	if (isnan(f->value))
		return f->n_values ? 1e9 : 3e9;
	return fabs(f->value - f->limit) / f->median;
}

static int by_badness(const void *left, const void *right)
{
	const struct judge_finding *a = left, *b = right;
	const double x = badness(a), y = badness(b);

	if (x > y || x < y)
		return x > y ? -1 : 1;
	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->peer < b->peer ? -1 : a->peer > b->peer;
}

void judge(struct judge_report *report, const struct judge_ask *ask)
{
	struct judge_rows rows;
	struct finder f = { .report = report, .ask = ask, .rows = &rows };

	*report = (struct judge_report){ .lower_is_better = ask->lower_is_better,
					 .leaf = ask->leaf };
	count(report, ask);
	judge_classes_fill(report, ask);
	judge_leaves_mark(report, ask);
	judge_rows_make(&rows, report, ask);
	judge_rows_mark(&rows);
	count_low(report, ask);
	find_gone(&f);
	find_classes(&f);
	find_leaves(&f);
	find_nodes(&f);
	find_pairs(&f);
	if (report->n_findings)
		qsort(report->findings, report->n_findings, sizeof(*report->findings), by_badness);
	judge_rows_free(&rows);
}

void judge_free(struct judge_report *report)
{
	free(report->findings);
	free(report->classes);
	free(report->low_leaves);
	*report = (struct judge_report){ .n_findings = 0 };
}
