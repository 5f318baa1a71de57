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

bool judge_is_beyond(double value, double limit, bool lower_is_better)
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
	if (!judge_is_beyond(c->median, ask->limit, ask->lower_is_better))
		c->limit = ask->lower_is_better ? fmin(c->limit, ask->limit) :
						  fmax(c->limit, ask->limit);
}

/* Has it a value that is one of its class? */
static bool is_of_class(const struct judge_pair *p, const struct judge_report *report,
			const struct judge_ask *ask)
{
	return judge_is_alive(p, ask) && judge_is_judged(p) && !p->failed &&
	       !judge_is_explained(p, report, ask);
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
			fill_class(c, ends[i] - c->n_values, ask);
	}
	free(ends);
	free(values);
}
