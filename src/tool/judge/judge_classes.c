/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The median, the spread and the limit of each class. */
#include "config.h"
#include "judge/judge_classes.h"

#include <math.h>
#include <stdlib.h>

#include "judge/judge_rows.h"
#include "stats/repeats.h"
#include "util/must.h"

#define MAD_OF_NORMAL 1.4826   /* its standard deviation / MAD */
#define SPREAD_MIN 0.01        /* of the median */
#define LOW_SPREADS 4.0

bool judge_is_beyond(const struct judge_pair *pair, bool lower_is_better)
{
	return pair->limit > 0 && (lower_is_better ? pair->value > pair->limit :
						     pair->value < pair->limit);
}

/* fmax() and fmin() ignore NAN. */
double judge_limit(const struct judge_pair *pair, const struct judge_report *report)
{
	const struct judge_class *c = &report->classes[pair->class];
	const double asked = pair->limit > 0 && !c->all_low ? pair->limit : NAN;

	return report->lower_is_better ? fmin(c->limit, asked) : fmax(c->limit, asked);
}

/* Sorts the values; they are deviations after that. */
static void fill_class(struct judge_class *c, double *values, bool lower_is_better)
{
	double width;

	repeats_sort(values, c->n_values);
	c->median = repeats_median(values, c->n_values);
	if (c->n_values < JUDGE_CLASS_MIN)
		return;
	for (size_t i = 0; i < c->n_values; i++)
		values[i] = fabs(values[i] - c->median);
	repeats_sort(values, c->n_values);
	c->spread = fmax(MAD_OF_NORMAL * repeats_median(values, c->n_values),
			 SPREAD_MIN * c->median);
	width = LOW_SPREADS * c->spread;
	c->limit = c->median + (lower_is_better ? width : -width);
}

/* Has it a value that is one of its class? */
static bool is_of_class(const struct judge_pair *p, const struct judge_report *report,
			const struct judge_ask *ask)
{
	return judge_is_alive(p, ask) && judge_is_judged(p) && !p->failed &&
	       !judge_is_explained(p, report, ask);
}

/* What the caller expects of the class. limits: room for all of its values. */
static void fill_asked(struct judge_report *report, const struct judge_ask *ask, uint32_t class,
		       double *limits)
{
	struct judge_class *c = &report->classes[class];
	size_t n = 0, n_beyond = 0;

	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++) {
		if (p->class != class || !(p->limit > 0) || !is_of_class(p, report, ask))
			continue;
		limits[n++] = p->limit;
		n_beyond += judge_is_beyond(p, ask->lower_is_better);
	}
	repeats_sort(limits, n);
	c->asked = repeats_median(limits, n);
	c->all_low = c->n_values >= JUDGE_CLASS_MIN && 3 * n_beyond > 2 * c->n_values;
}

void judge_classes_fill(struct judge_report *report, const struct judge_ask *ask)
{
	double *values = must_calloc(report->n_judged, sizeof(*values)), *next = values;
	double **ends = must_calloc(report->n_classes, sizeof(*ends));

	for (uint32_t i = 0; i < report->n_classes; i++)
		report->classes[i].n_values = 0;
	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++)
		report->classes[p->class].n_values += is_of_class(p, report, ask);
	for (uint32_t i = 0; i < report->n_classes; i++) {
		ends[i] = next;
		next += report->classes[i].n_values;
	}
	for (const struct judge_pair *p = ask->pairs; p < ask->pairs + ask->n; p++)
		if (is_of_class(p, report, ask))
			*ends[p->class]++ = p->value;
	for (uint32_t i = 0; i < report->n_classes; i++) {
		struct judge_class *c = &report->classes[i];

		c->median = c->spread = c->limit = NAN;
		if (c->n_values)
			fill_class(c, ends[i] - c->n_values, ask->lower_is_better);
		fill_asked(report, ask, i, ends[i] - c->n_values);
	}
	free(ends);
	free(values);
}
