/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What is low in rounds and good alone is measured again in its rounds. */
#include "config.h"
#include "judge/judge.h"

#include "judge/judge_rows.h"
#include "util/must.h"

bool judge_is_about(const struct judge_finding *f, const struct judge_pair *pair,
		    const uint32_t *leaf)
{
	if (f->peer != JUDGE_NO_PEER)
		return pair->from == f->node && pair->to == f->peer;
	if (judge_is_of_leaf(f))
		return leaf[pair->from] != leaf[pair->to] &&
		       (leaf[pair->from] == f->node ? f->was != JUDGE_LEAF_RECEIVES_LOW :
			leaf[pair->to] == f->node && f->was != JUDGE_LEAF_SENDS_LOW);
	return (pair->from == f->node && f->was != JUDGE_RECEIVES_LOW) ||
	       (pair->to == f->node && f->was != JUDGE_SENDS_LOW);
}

/* Of the many pairs of a leaf most are not low by chance. */
static bool is_suspect(const struct judge_finding *f)
{
	return f->peer != JUDGE_NO_PEER ? f->what == JUDGE_CHANCE :
	       f->what == JUDGE_CONGESTION && !judge_is_of_leaf(f);
}

static bool is_listed(const struct judge_list *list, const struct judge_pair *pair)
{
	const struct judge_pair *p = list->rows, *end = p + list->n;

	while (p < end && (p->from != pair->from || p->to != pair->to))
		p++;
	return p < end;
}

/* The worst low pair of the finding that is not listed yet; NULL: none. */
static const struct judge_pair *find_worst(const struct judge_list *list,
					   const struct judge_finding *f,
					   const struct judge_report *report,
					   const struct judge_ask *ask)
{
	const struct judge_pair *worst = NULL;

	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++)
		if (judge_is_about(f, p, ask->leaf) && judge_is_alive(p, ask) &&
		    judge_is_judged(p) && !judge_is_explained(p, report, ask) &&
		    judge_excess(p, report) > 0 && !is_listed(list, p) &&
		    (!worst || judge_excess(p, report) > judge_excess(worst, report)))
			worst = p;
	return worst;
}

void judge_suspects(struct judge_list *list, const struct judge_report *report,
		    const struct judge_ask *ask)
{
	*list = (struct judge_list){ .n = 0 };
	for (size_t i = 0; i < report->n_findings; i++) {
		const struct judge_finding *f = &report->findings[i];
		const uint32_t most = f->peer != JUDGE_NO_PEER ? 1 : JUDGE_PARTNERS;
		const struct judge_pair *pair;

		for (uint32_t k = 0; is_suspect(f) && k < most &&
				     (pair = find_worst(list, f, report, ask)); k++) {
			list->rows = must_realloc(list->rows, list->n + 1, sizeof(*list->rows));
			list->rows[list->n++] = *pair;
		}
	}
}

void judge_confirm(struct judge_report *report, const struct judge_list *list)
{
	for (size_t i = 0; i < report->n_findings; i++) {
		struct judge_finding *f = &report->findings[i];
		uint32_t n = 0, n_low = 0;

		if (!is_suspect(f))
			continue;
		for (const struct judge_pair *p = list->rows; p < list->rows + list->n; p++)
			if (judge_is_about(f, p, report->leaf) && judge_is_judged(p)) {
				n++;
				n_low += judge_excess(p, report) > 0;
			}
		f->n_confirmed = n;
		if (n)
			f->what = (f->peer != JUDGE_NO_PEER ? n_low == n : 2 * n_low > n) ?
					  JUDGE_CONGESTION : JUDGE_CHANCE;
	}
}
