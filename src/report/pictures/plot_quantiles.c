/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the two pictures of a distribution: latency over percentiles, which shows the tail, and the
 * share of samples over latency (CDF), which shows the bulk; see plot.h. Rows have no samples: both
 * are made of the percentiles of the rows.
 */
#include "config.h"
#include "pictures/plot.h"

#include <math.h>
#include <stdio.h>

#include "util/field.h"

#define TEXTS 7 /* of powers of ten, and of their twofold and fivefold, along x */

/* 50 % at 0.3, 90 % at 1, 99 % at 2: as many nines as at says. NAN: no percentile. */
static const struct quantile {
	enum rows_column column;
	double at, percent;
	const char *text;
} quantiles[] = {
	{ ROWS_lat_min_ns, NAN, 0, "" },
	{ ROWS_lat_p50_ns, 0.30102999566398120, 50, "50 %" },
	{ ROWS_lat_p90_ns, 1, 90, "90 %" },
	{ ROWS_lat_p99_ns, 2, 99, "99 %" },
	{ ROWS_lat_p99_9_ns, 3, 99.9, "99.9 %" },
	{ ROWS_lat_p99_99_ns, 4, 99.99, "99.99 %" },
	{ ROWS_lat_max_ns, NAN, 100, "" },
};

double plot_quantile_at(enum rows_column column, bool percent)
{
	for (size_t i = 0; i < FIELD_COUNT(quantiles); i++)
		if (quantiles[i].column == column)
			return percent ? quantiles[i].percent : quantiles[i].at;
	return NAN;
}

void plot_quantile_axis(struct plot_axis *axis, double most)
{
	axis->per = 1;
	snprintf(axis->label, sizeof(axis->label), "percentile of the samples");
	axis->is_named = true;
	for (size_t i = 0; i < FIELD_COUNT(quantiles); i++) {
		struct plot_tick *t = &axis->ticks[axis->n_ticks];

		if (!(quantiles[i].at <= most))
			continue;
		t->at = quantiles[i].at;
		snprintf(t->text, sizeof(t->text), "%s", quantiles[i].text);
		axis->to = t->at + 0.1;
		axis->n_ticks++;
	}
}

/* Texts beside each other have less room than those above each other. */
static void thin_texts(struct plot_axis *axis)
{
	if (axis->scale != PLOT_LOG10 || axis->n_ticks <= TEXTS)
		return;
	for (size_t i = 0; i < axis->n_ticks; i++) {
		const double power = log10(axis->ticks[i].at);

		if (fabs(power - round(power)) > 0.01)
			axis->ticks[i].text[0] = '\0';
	}
}

void plot_shares(struct plot *plot, const struct field *column)
{
	struct plot_range r;

	/* they came as latency over percent, so that repeats have their median */
	for (size_t c = 0; c < plot->n_curves; c++)
		for (size_t i = 0; i < plot->curves[c].n; i++) {
			struct plot_point *p = &plot->curves[c].points[i];
			const double percent = p->x;

			p->x = p->y;
			p->y = p->low = p->high = percent;
			p->runs = 1;
		}
	r = plot_range(plot);
	plot_axis_label(&plot->x, column, "latency", r.x_most);
	plot_axis_y(&plot->x, r.x_least / plot->x.per, r.x_most / plot->x.per, PLOT_LOG_TIME);
	thin_texts(&plot->x);
	plot->y.per = 1;
	snprintf(plot->y.unit, sizeof(plot->y.unit), "%%");
	snprintf(plot->y.label, sizeof(plot->y.label), "samples that took no longer (%%)");
	plot_axis_y(&plot->y, 0, 100, PLOT_LOG_NEVER);
}
