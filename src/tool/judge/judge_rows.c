/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The rows of nodes. */
#include "config.h"
#include "judge/judge_rows.h"

#include <math.h>
#include <stdlib.h>

#include "util/must.h"

double judge_excess(const struct judge_pair *pair, const struct judge_report *report)
{
	const double limit = judge_limit(pair, report), below = limit - pair->value;
	const double median = report->classes[pair->class].median;

	if (pair->failed)
		return INFINITY;
	if (isnan(limit))
		return -INFINITY;
	/* all of the class may have failed in rounds */
	return (report->lower_is_better ? -below : below) / (isnan(median) ? limit : median);
}

bool judge_is_alive(const struct judge_pair *pair, const struct judge_ask *ask)
{
	return !ask->gone || !(ask->gone[pair->from] || ask->gone[pair->to]);
}

bool judge_is_judged(const struct judge_pair *pair)
{
	return pair->failed || (!pair->disturbed && isfinite(pair->value));
}

bool judge_is_between(const struct judge_pair *pair, const struct judge_ask *ask)
{
	const uint32_t from = ask->leaf ? ask->leaf[pair->from] : JUDGE_NO_LEAF;
	const uint32_t to = ask->leaf ? ask->leaf[pair->to] : JUDGE_NO_LEAF;

	return from != JUDGE_NO_LEAF && to != JUDGE_NO_LEAF && from != to;
}

bool judge_is_explained(const struct judge_pair *pair, const struct judge_report *report,
			const struct judge_ask *ask)
{
	return report->low_leaves && judge_is_between(pair, ask) &&
	       (report->low_leaves[2 * ask->leaf[pair->from] + JUDGE_SEND] ||
		report->low_leaves[2 * ask->leaf[pair->to] + JUDGE_RECEIVE]);
}

/* ---- rows */

static int by_excess(const void *left, const void *right)
{
	const struct judge_entry *a = left, *b = right;

	return a->excess > b->excess ? -1 : a->excess < b->excess ? 1 :
	       a->other < b->other ? -1 : a->other > b->other;
}

static void add(struct judge_row *row, struct judge_entry entry)
{
	row->entries[row->n++] = entry;
}

void judge_rows_make(struct judge_rows *rows, const struct judge_report *report,
		     const struct judge_ask *ask)
{
	const struct judge_pair *end = ask->pairs + ask->n;
	struct judge_entry *next;

	rows->n = 2 * (size_t)ask->nodes;
	rows->all = must_calloc(rows->n, sizeof(*rows->all));
	next = rows->entries = must_calloc(2 * ask->n, sizeof(*rows->entries));
	for (const struct judge_pair *p = ask->pairs; p < end; p++) {
		rows->all[2 * p->from + JUDGE_SEND].n++;
		rows->all[2 * p->to + JUDGE_RECEIVE].n++;
	}
	for (size_t i = 0; i < rows->n; i++) {
		rows->all[i].entries = next;
		next += rows->all[i].n;
		rows->all[i].n = 0;
	}
	for (const struct judge_pair *p = ask->pairs; p < end; p++) {
		const uint32_t send = 2 * p->from + JUDGE_SEND, receive = 2 * p->to + JUDGE_RECEIVE;

		if (!judge_is_alive(p, ask) || !judge_is_judged(p) ||
		    judge_is_explained(p, report, ask))
			continue;
		add(&rows->all[send],
		    (struct judge_entry){ judge_excess(p, report), p, receive });
		add(&rows->all[receive],
		    (struct judge_entry){ judge_excess(p, report), p, send });
	}
	for (size_t i = 0; i < rows->n; i++)
		qsort(rows->all[i].entries, rows->all[i].n, sizeof(*rows->entries), by_excess);
}

void judge_rows_free(struct judge_rows *rows)
{
	free(rows->all);
	free(rows->entries);
	*rows = (struct judge_rows){ .n = 0 };
}

/* ---- which are low */

/* Of the entries whose other row is not bad. */
static const struct judge_entry *good_at(const struct judge_rows *rows, const struct judge_row *row,
					 uint32_t place)
{
	for (const struct judge_entry *e = row->entries; e < row->entries + row->n; e++)
		if (!rows->all[e->other].bad && !place--)
			return e;
	return NULL;
}

static void find_median(const struct judge_rows *rows, struct judge_row *row)
{
	row->n_good = 0;
	for (size_t i = 0; i < row->n; i++)
		row->n_good += !rows->all[row->entries[i].other].bad;
	row->known = true;
	row->excess = -INFINITY;
	if (row->n_good < JUDGE_ROW_MIN)
		return;
	row->middle[0] = good_at(rows, row, (row->n_good - 1) / 2);
	row->middle[1] = good_at(rows, row, row->n_good / 2);
	row->excess = (row->middle[0]->excess + row->middle[1]->excess) / 2;
}

static struct judge_row *find_worst(struct judge_rows *rows)
{
	struct judge_row *worst = NULL;

	for (struct judge_row *row = rows->all; row < rows->all + rows->n; row++) {
		if (row->bad)
			continue;
		if (!row->known)
			find_median(rows, row);
		if (row->excess > 0 && (!worst || row->excess > worst->excess))
			worst = row;
	}
	return worst;
}

void judge_rows_mark(struct judge_rows *rows)
{
	struct judge_row *worst;

	while ((worst = find_worst(rows))) {
		worst->bad = true;
		for (size_t i = 0; i < worst->n; i++)
			rows->all[worst->entries[i].other].known = false;
	}
}
