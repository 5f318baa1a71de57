/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns curves and their points, and the scales and ticks of axes: see plot.h. */
#include "config.h"
#include "pictures/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/must.h"

#define TICKS_WANTED 8     /* with a text, along one axis */
#define STEPS_ACROSS 8     /* of a linear axis, at most */
#define STEPS_UP 5
#define POWERS 16.0        /* most / least from which an x axis goes by powers */

/* The same for a y axis, by enum plot_log. */
static const double log_from[] = { INFINITY, 100, 30 };

struct plot *plot_new(struct plots *plots)
{
	plots->all = must_realloc(plots->all, plots->n + 1, sizeof(*plots->all));
	plots->all[plots->n] = (struct plot){ .form = PLOT_LINES };
	return &plots->all[plots->n++];
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

void plot_add(struct plot_curve *curve, double x, double y, bool disturbed)
{
	if (isnan(x) || isnan(y))
		return;
	if (curve->n == curve->room) {
		curve->room = curve->room ? 2 * curve->room : 32;
		curve->points = must_realloc(curve->points, curve->room, sizeof(*curve->points));
	}
	curve->points[curve->n++] = (struct plot_point){
		.x = x, .y = y, .low = y, .high = y, .runs = 1, .disturbed = disturbed,
	};
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
		bool disturbed = run->disturbed;

		for (next = i + 1; next < curve->n && curve->points[next].x == run->x; next++)
			disturbed |= curve->points[next].disturbed;
		/* of an even number the mean of both in the middle */
		curve->points[n++] = (struct plot_point){
			.x = run->x, .runs = next - i, .low = run->y,
			.high = curve->points[next - 1].y,
			.y = (run[(next - i - 1) / 2].y + run[(next - i) / 2].y) / 2,
			.disturbed = disturbed,
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
			plot->disturbed |= p->disturbed;
		}
}

/* ---- ticks */

static void tick(struct plot_axis *axis, double at, bool with_text)
{
	struct plot_tick *t = &axis->ticks[axis->n_ticks];

	if (axis->n_ticks == PLOT_TICKS)
		return;
	t->at = at;
	t->text[0] = '\0';
	if (with_text)
		plot_number(axis, at, t->text, sizeof(t->text));
	axis->n_ticks++;
}

/* The least of 1, 2, 5, 10, ... that is not below value. */
static double round_up(double value)
{
	const double ten = pow(10, floor(log10(value)));
	const double part = value / ten;

	/* the part of a power of ten may come out a little above it */
	return ten * (part < 1 + 1e-9 ? 1 : part < 2 + 1e-9 ? 2 : part < 5 + 1e-9 ? 5 : 10);
}

/* The reverse. */
static double round_down(double value)
{
	const double ten = pow(10, floor(log10(value) + 1e-9));
	const double part = value / ten;

	return ten * (part < 2 - 1e-9 ? 1 : part < 5 - 1e-9 ? 2 : 5);
}

/* Whole steps around the values: about steps of them. */
static void linear(struct plot_axis *axis, double least, double most, int steps)
{
	double step;

	if (most <= least)
		most = least + (least > 0 ? least : 1);
	step = round_up((most - least) / steps);
	if (axis->is_whole && step < 1)
		step = 1;
	axis->scale = PLOT_LINEAR;
	axis->from = step * floor(least / step + 1e-9);
	axis->to = step * ceil(most / step - 1e-9);
	for (int i = 0; axis->from + i * step <= axis->to + step / 2; i++)
		tick(axis, axis->from + i * step, true);
}

static void powers_of_two(struct plot_axis *axis, double least, double most)
{
	const int first = (int)floor(log2(least) + 1e-9), last = (int)ceil(log2(most) - 1e-9);
	const int step = (last - first) / TICKS_WANTED + 1;

	axis->scale = PLOT_LOG2;
	axis->from = least / pow(2, 0.3);
	axis->to = most * pow(2, 0.3);
	for (int i = first; i <= last; i++)
		if (pow(2, i) >= axis->from && pow(2, i) <= axis->to &&
		    (last - first < PLOT_TICKS || (i - first) % step == 0))
			tick(axis, pow(2, i), (i - first) % step == 0);
}

static void decades(struct plot_axis *axis, double least, double most)
{
	static const int parts[] = { 1, 2, 5 };
	const bool many = most / least > 1e3;

	axis->scale = PLOT_LOG10;
	axis->from = round_down(least);
	axis->to = round_up(most);
	for (int power = (int)floor(log10(axis->from) + 1e-9); axis->n_ticks < PLOT_TICKS;
	     power++) {
		for (size_t i = 0; i < 3; i++) {
			const double at = parts[i] * pow(10, power);

			if (at > axis->to * (1 + 1e-9))
				return;
			if (at >= axis->from * (1 - 1e-9))
				tick(axis, at, !many || parts[i] == 1);
		}
	}
}

void plot_axis_x(struct plot_axis *axis, double least, double most)
{
	const double pad = (most - least) / 40;
	size_t n = 0;

	axis->n_ticks = 0;
	if (least > 0 && most / least >= POWERS) {
		powers_of_two(axis, least, most);
		return;
	}
	linear(axis, least, most, STEPS_ACROSS);
	if (most <= least)
		return;
	/* an axis of x ends at its values, not at the next step */
	axis->from = least - pad;
	axis->to = most + pad;
	for (size_t i = 0; i < axis->n_ticks; i++)
		if (axis->ticks[i].at >= axis->from && axis->ticks[i].at <= axis->to)
			axis->ticks[n++] = axis->ticks[i];
	axis->n_ticks = n;
}

void plot_axis_y(struct plot_axis *axis, double least, double most, enum plot_log log)
{
	axis->n_ticks = 0;
	if (least > 0 && most / least > log_from[log])
		decades(axis, least, most);
	else
		linear(axis, least < 0 ? least : 0, most > 0 ? most : 1, STEPS_UP);
}

double plot_axis_at(const struct plot_axis *axis, double value)
{
	if (axis->scale == PLOT_LINEAR)
		return (value - axis->from) / (axis->to - axis->from);
	return log(value / axis->from) / log(axis->to / axis->from);
}
