/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the two pictures of a distribution: latency over percentiles, which shows the tail, and the
 * share of samples over latency (CDF), which shows the bulk; see plot.h. Both are made of the
 * percentiles of the rows, or of the histograms beside them.
 */
#include "config.h"
#include "pictures/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/axes.h"
#include "util/field.h"
#include "util/histogram.h"
#include "util/must.h"

#define NEAR 400.0 /* parts of a picture: what is less apart is one */
#define MILLION UINT64_C(1000000)
#define TEXTS 7 /* of powers of ten, and of their twofold and fivefold, along x */

/*
 * 50 % at 0.3, 90 % at 1, 99 % at 2: as many nines as at says. NAN: no percentile. ROWS_COLUMNS:
 * only histograms have it.
 */
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
	{ ROWS_COLUMNS, 5, 99.999, "99.999 %" },
	{ ROWS_COLUMNS, 6, 99.9999, "99.9999 %" },
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
		axis->n_ticks++;
	}
	axis->to = most + 0.1;
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

/* ---- curves of all samples */

/* A curve while points are added to it. */
struct walk {
	struct plot_curve *curve;
	const struct histogram *h;
	double n, last;    /* samples; how many of them the curve is of */
	bool percent, disturbed;
};

/* The sum of the histograms of a curve, owned; NULL: a row that has latency has none. */
static struct histogram *sum_of(const struct plot_part *part, bool *disturbed)
{
	const struct groups *facets = part->facets;
	struct histogram *sum = must_calloc(1, sizeof(*sum));

	histogram_reset(sum);
	for (uint32_t i = facets->begin[part->facet]; i < facets->begin[part->facet + 1]; i++) {
		const size_t row = facets->members[i];
		const struct rows_histogram *one = rows_histogram(facets->rows, row);

		if (part->series->of_row[row] != part->curve ||
		    isnan(rows_number(facets->rows, ROWS_lat_max_ns, row)))
			continue;
		if (!one) {
			free(sum);
			return NULL;
		}
		rows_histogram_add(sum, one);
		*disturbed |= measured_disturbed(facets->rows, row);
	}
	return sum;
}

/* A value in ps that is within the extremes, which buckets are not, in ns. */
static double within(const struct histogram *h, double ps)
{
	return fmin(fmax(ps, (double)h->min), (double)h->max) / 1000;
}

static void add_shown(const struct walk *w, double at, double ns)
{
	plot_add(w->curve, at, ns, w->disturbed);
}

/* Of seen samples, none is larger than ns. */
static void add_bare(const struct walk *w, double seen, double ns)
{
	const double at = w->percent ? 100 * seen / w->n : -log10(1 - seen / w->n);
	const double across = w->percent ? 100 : -log10(1 - w->last / w->n);
	const struct plot_curve *c = w->curve;
	const struct plot_point *p = c->n ? &c->points[c->n - 1] : NULL;
	const double least = (double)w->h->min / 1000, most = (double)w->h->max / 1000;

	/* the axis of the values may be either */
	if (p && seen < w->last && at - p->x < across / NEAR && ns - p->y < (most - least) / NEAR &&
	    log(ns / p->y) < log(most / least) / NEAR)
		return;
	plot_add(w->curve, at, ns, false);
	w->curve->points[w->curve->n - 1].bare = true;
}

/* The next percentile from i on that the histogram has. */
static size_t next_quantile(const struct walk *w, size_t i, double *ns)
{
	double ps;

	for (; i < FIELD_COUNT(quantiles); i++) {
		const uint64_t num = (uint64_t)(quantiles[i].percent * 1e4 + 0.5);

		if (isnan(quantiles[i].at) || histogram_quantile(w->h, num, MILLION, &ps))
			continue;
		*ns = ps / 1000;
		break;
	}
	return i;
}

/* The line has a step at each bucket; the percentiles are on it. */
static void walk(const struct walk *w)
{
	double seen = 0, ns;
	size_t q = next_quantile(w, 0, &ns);

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS && seen < w->last; i++) {
		const double low = (double)histogram_bucket_low(i);
		const double high = within(w->h, low + (double)histogram_bucket_width(i));

		if (!w->h->bucket[i])
			continue;
		add_bare(w, seen, within(w->h, low));
		seen = fmin(seen + (double)w->h->bucket[i], w->last);
		for (; q < FIELD_COUNT(quantiles) && ns <= high; q = next_quantile(w, q + 1, &ns))
			add_shown(w, w->percent ? quantiles[q].percent : quantiles[q].at, ns);
		add_bare(w, seen, high);
	}
}

bool plot_samples(struct plot_curve *curve, const struct plot_part *part, bool percent)
{
	struct walk w = { .curve = curve, .percent = percent };
	struct histogram *h = sum_of(part, &w.disturbed);
	const uint64_t n = h ? histogram_count(h) : 0;
	/* a percentile needs as many beyond it */
	const uint64_t beyond = histogram_samples_needed(0, 1);

	if (n < 2 * beyond) {
		free(h);
		return false;
	}
	w.h = h;
	w.n = (double)n;
	w.last = (double)(percent ? n : n - beyond);
	curve->n = 0;
	if (percent)
		add_shown(&w, 0, (double)h->min / 1000);
	walk(&w);
	if (percent)
		add_shown(&w, 100, (double)h->max / 1000);
	free(h);
	return true;
}
