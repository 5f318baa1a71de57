/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the memory of pictures and how their curves look; see plot.h. */
#include "config.h"
#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/err.h"

/*
 * Told apart by people who see no red or no green (the colours are near those of Okabe and Ito,
 * "Color Universal Design", 2008), and in grey by shape, dash and density.
 */
const struct plot_look plot_looks[PLOT_CURVES] = {
	{ "#0060a8", 7, 1.00 },  /* filled circle */
	{ "#cc5500", 4, 0.45 },  /* open square */
	{ "#007a5e", 9, 0.12 },  /* filled triangle */
	{ "#a8327d", 12, 0.75 }, /* open diamond */
	{ "#404040", 6, 0.30 },  /* open circle */
	{ "#a87400", 5, 0.90 },  /* filled square */
	{ "#3d8fd1", 10, 0.05 }, /* open triangle, point down */
	{ "#7a4b1e", 13, 0.60 }, /* filled diamond */
};

const struct plot_dash plot_dashes[PLOT_CURVES] = {
	{ 0, { 0 } },
	{ 2, { 8, 4 } },
	{ 2, { 2, 3 } },
	{ 4, { 9, 3, 2, 3 } },
	{ 2, { 14, 4 } },
	{ 6, { 9, 3, 2, 3, 2, 3 } },
	{ 2, { 4, 2 } },
	{ 4, { 14, 3, 4, 3 } },
};

struct plot *plot_new(struct plots *plots)
{
	struct plot *all = realloc(plots->all, (plots->n + 1) * sizeof(*all));

	if (!all) {
		err_set(-ENOMEM, "no memory for the pictures");
		return NULL;
	}
	plots->all = all;
	all[plots->n] = (struct plot){ .form = PLOT_LINES };
	return &all[plots->n++];
}

void plot_drop(struct plots *plots)
{
	struct plot *last = &plots->all[--plots->n];

	for (size_t i = 0; i < PLOT_CURVES; i++)
		free(last->curves[i].points);
}

void plot_free(struct plots *plots)
{
	while (plots->n)
		plot_drop(plots);
	free(plots->all);
	*plots = (struct plots){ .n = 0 };
}

int plot_add(struct plot_curve *curve, double x, double y)
{
	struct plot_point *points = curve->points;
	const size_t room = curve->room ? 2 * curve->room : 32;

	if (isnan(x) || isnan(y))
		return 0;
	if (curve->n == curve->room) {
		points = realloc(points, room * sizeof(*points));
		if (!points)
			return err_set(-ENOMEM, "no memory for the points of a picture");
		curve->points = points;
		curve->room = room;
	}
	points[curve->n++] = (struct plot_point){ .x = x, .y = y, .low = y, .high = y, .runs = 1 };
	return 0;
}

static int compare_points(const void *a, const void *b)
{
	const struct plot_point *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->y < q->y ? -1 : p->y > q->y;
}

void plot_settle(struct plot_curve *curve)
{
	size_t n = 0;

	if (curve->n)
		qsort(curve->points, curve->n, sizeof(*curve->points), compare_points);
	for (size_t i = 0, next; i < curve->n; i = next) {
		const struct plot_point *run = &curve->points[i];

		for (next = i + 1; next < curve->n && curve->points[next].x == run->x; next++)
			;
		/* of an even number the mean of both in the middle */
		curve->points[n++] = (struct plot_point){
			.x = run->x, .runs = next - i, .low = run->y,
			.high = curve->points[next - 1].y,
			.y = (run[(next - i - 1) / 2].y + run[(next - i) / 2].y) / 2,
		};
	}
	curve->n = n;
}

void plot_ratios(struct plot *plot)
{
	double base[PLOT_CURVES] = { 0 };
	const struct plot_curve *first = plot->curves;

	for (size_t i = 0; i < first->n; i++)
		base[(size_t)first->points[i].x] = first->points[i].y;
	for (size_t c = 0; c < plot->n_curves; c++) {
		struct plot_curve *curve = &plot->curves[c];
		size_t n = 0;

		for (size_t i = 0; i < curve->n; i++) {
			struct plot_point p = curve->points[i];
			const double by = base[(size_t)p.x];

			if (by <= 0)
				continue;
			p.y /= by, p.low /= by, p.high /= by;
			curve->points[n++] = p;
		}
		curve->n = n;
	}
}

void plot_drop_empty(struct plot *plot)
{
	size_t n = 0;

	for (size_t c = 0; c < plot->n_curves; c++) {
		const struct plot_curve curve = plot->curves[c];

		plot->curves[c] = (struct plot_curve){ .n = 0 };
		if (curve.n)
			plot->curves[n++] = curve;
		else
			free(curve.points);
	}
	plot->n_curves = n;
}

struct plot_range plot_range(const struct plot *plot)
{
	struct plot_range r = { INFINITY, -INFINITY, INFINITY, -INFINITY };

	for (size_t c = 0; c < plot->n_curves; c++)
		for (size_t i = 0; i < plot->curves[c].n; i++) {
			const struct plot_point *p = &plot->curves[c].points[i];

			r.x_least = fmin(r.x_least, p->x);
			r.x_most = fmax(r.x_most, p->x);
			r.y_least = fmin(r.y_least, p->low);
			r.y_most = fmax(r.y_most, p->high);
		}
	return r;
}

void plot_scale(struct plot *plot)
{
	for (size_t c = 0; c < plot->n_curves; c++)
		for (size_t i = 0; i < plot->curves[c].n; i++) {
			struct plot_point *p = &plot->curves[c].points[i];

			p->x /= plot->x.per;
			p->y /= plot->y.per;
			p->low /= plot->y.per;
			p->high /= plot->y.per;
			plot->runs |= p->runs > 1;
		}
}
