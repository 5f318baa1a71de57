/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Classes, and what is low in rounds. */
#include "config.h"
#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>

#include "judge/judge_rows.h"
#include "stats/repeats.h"
#include "util/must.h"

#define MAD_OF_NORMAL 1.4826   /* its standard deviation / MAD */
#define SPREAD_MIN 0.01        /* of the median */
#define LOW_SPREADS 4.0

/* ---- classes */

static bool is_beyond(double value, double limit, bool lower_is_better)
{
	return lower_is_better ? value > limit : value < limit;
}

/* Sorts the values; they are deviations after that. */
static void fill_class(struct judge_class *c, double *values, const struct judge_ask *ask)
{
	double width;

	repeats_sort(values, c->n_values);
	c->median = repeats_median(values, c->n_values);
	if (c->n_values < JUDGE_CLASS_MIN) {
		c->limit = ask->limit;
		return;
	}
	for (size_t i = 0; i < c->n_values; i++)
		values[i] = fabs(values[i] - c->median);
	repeats_sort(values, c->n_values);
	c->spread = fmax(MAD_OF_NORMAL * repeats_median(values, c->n_values),
			 SPREAD_MIN * c->median);
	width = LOW_SPREADS * c->spread;
	c->limit = c->median + (ask->lower_is_better ? width : -width);
	/* fmax() and fmin() ignore NAN */
	if (!is_beyond(c->median, ask->limit, ask->lower_is_better))
		c->limit = ask->lower_is_better ? fmin(c->limit, ask->limit) :
						  fmax(c->limit, ask->limit);
}

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
		report->classes[p->class].n_values += alive && judged && !p->failed;
	}
}

static void fill_classes(struct judge_report *report, const struct judge_ask *ask)
{
	double *values = must_calloc(report->n_judged, sizeof(*values)), *next = values;
	double **ends = must_calloc(report->n_classes, sizeof(*ends));

	for (uint32_t i = 0; i < report->n_classes; i++) {
		ends[i] = next;
		next += report->classes[i].n_values;
	}
	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++)
		if (judge_is_alive(p, ask) && judge_is_judged(p) && !p->failed)
			*ends[p->class]++ = p->value;
	for (uint32_t i = 0; i < report->n_classes; i++) {
		struct judge_class *c = &report->classes[i];

		c->median = c->spread = c->limit = NAN;
		if (c->n_values)
			fill_class(c, ends[i] - c->n_values, ask);
	}
	free(ends);
	free(values);
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

static void set_class(struct judge_finding *finding, const struct judge_class *c)
{
	finding->median = c->median;
	finding->limit = c->limit;
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

		if (c->n_values < JUDGE_CLASS_MIN ||
		    !is_beyond(c->median, f->ask->limit, f->ask->lower_is_better))
			continue;
		finding = add(f, JUDGE_ALL_LOW, i);
		finding->value = finding->median = c->median;
		finding->limit = f->ask->limit;
		finding->n_values = (uint32_t)c->n_values;
	}
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
		set_class(finding, &f->report->classes[row->middle[1]->pair->class]);
	}
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

			while (same < f->report->n_findings &&
			       f->report->findings[same].peer != pair->to)
				same++;
			if (same < f->report->n_findings || f->rows->all[row->entries[i].other].bad)
				continue;
			finding = add(f, pair->failed ? JUDGE_PAIR_FAILED : JUDGE_PAIR_LOW, node);
			finding->peer = pair->to;
			finding->value = pair->failed ? NAN : pair->value;
			finding->n_values = 1;
			set_class(finding, &f->report->classes[pair->class]);
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

	*report = (struct judge_report){ .lower_is_better = ask->lower_is_better };
	count(report, ask);
	fill_classes(report, ask);
	judge_rows_make(&rows, report, ask);
	judge_rows_mark(&rows);
	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++)
		report->n_low += judge_is_alive(p, ask) && judge_is_judged(p) && !p->failed &&
				 (judge_excess(p, report) > 0 ||
				  is_beyond(p->value, ask->limit, ask->lower_is_better));
	find_gone(&f);
	find_classes(&f);
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
	*report = (struct judge_report){ .n_findings = 0 };
}
