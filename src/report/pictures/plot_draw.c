/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Draws pictures on a canvas: in a page, and files of them; see plot.h and canvas.h. */
#include "config.h"
#include "pictures/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/canvas.h"
#include "util/must.h"

/* Of the picture; a phone shows about 3 of 4 units as a pixel. */
#define WIDTH 480.0
#define HEIGHT 300.0
#define LEFT 66.0
#define RIGHT 26.0      /* the last name of the x axis reaches beyond it */
#define TOP 12.0
#define BOTTOM 48.0
#define ACROSS (WIDTH - LEFT - RIGHT)
#define UP (HEIGHT - TOP - BOTTOM)
#define FLOOR (HEIGHT - BOTTOM)
#define REACH 9.0      /* of a point: how near the mouse must come */
#define RING 7.0       /* around a point that was disturbed */
#define GROUP 0.8      /* the part of a group of bars that bars fill */

/* Of a file: lines of text around the picture. */
#define ROW 16.0
#define EDGE 12.0
#define SAMPLE 52.0    /* of a line in the legend, with the gap behind it */

#define SHAPE_POINTS 4
#define ROUND { { 0, 0 } } /* a circle, by its radius */
#define SQUARE { { -3.3, -3.3 }, { 3.3, -3.3 }, { 3.3, 3.3 }, { -3.3, 3.3 } }
#define TRIANGLE { { 0, -4.6 }, { 4.4, 2.8 }, { -4.4, 2.8 } }
#define BELOW { { 0, 4.6 }, { 4.4, -2.8 }, { -4.4, -2.8 } }
#define DIAMOND { { 0, -4.6 }, { 4.4, 0 }, { 0, 4.6 }, { -4.4, 0 } }
#define RADIUS 3.6

/*
 * How curves look. Told apart by people who see no red or no green (the colours are near those of
 * Okabe and Ito, "Color Universal Design", 2008), and in grey by shape, dash and density.
 */
static const struct look {
	const char *colour;    /* on white; the page has others in the dark: page.css */
	bool full;             /* the shape is filled */
	size_t corners;        /* of its shape around 0 0; 1: a circle */
	struct canvas_point shape[SHAPE_POINTS];
	double fill;           /* of a bar, 0 to 1 */
} looks[PLOT_CURVES] = {
	{ "#0060a8", true, 1, ROUND, 1.00 },
	{ "#cc5500", false, 4, SQUARE, 0.45 },
	{ "#007a5e", true, 3, TRIANGLE, 0.12 },
	{ "#a8327d", false, 4, DIAMOND, 0.75 },
	{ "#404040", false, 1, ROUND, 0.30 },
	{ "#a87400", true, 4, SQUARE, 0.90 },
	{ "#3d8fd1", false, 3, BELOW, 0.05 },
	{ "#7a4b1e", true, 4, DIAMOND, 0.60 },
};

/* Lengths of dash, gap, ... */
static const char *const dashes[PLOT_CURVES] = {
	"none", "8 4", "2 3", "9 3 2 3", "14 4", "9 3 2 3 2 3", "4 2", "14 3 4 3",
};

const char *plot_colour(unsigned int look)
{
	return looks[look].colour;
}

static double x_at(const struct plot *plot, double x)
{
	return LEFT + ACROSS * plot_axis_at(&plot->x, x);
}

static double y_at(const struct plot *plot, double y)
{
	return TOP + UP * (1 - plot_axis_at(&plot->y, y));
}

/* A logarithmic axis has no place for 0. */
static bool has_place(const struct plot *plot, const struct plot_point *p)
{
	return (plot->y.scale == PLOT_LINEAR || p->y > 0) &&
	       (plot->x.scale == PLOT_LINEAR || p->x > 0);
}

/* ---- axes */

static void text(struct canvas *c, double x, double y, enum canvas_anchor anchor, const char *what)
{
	c->kind->text(c, &(struct canvas_text){ x, y, anchor, 0, what });
}

static void across(struct canvas *c, enum canvas_style style, double y)
{
	const struct canvas_point ends[] = { { LEFT, y }, { WIDTH - RIGHT, y } };

	c->kind->line(c, style, ends, 2, NULL);
}

static void up(struct canvas *c, enum canvas_style style, double x, double from, double to)
{
	c->kind->line(c, style, (const struct canvas_point[]){ { x, from }, { x, to } }, 2, NULL);
}

static void axes(struct canvas *c, const struct plot *plot)
{
	for (size_t i = 0; i < plot->y.n_ticks; i++) {
		const double y = y_at(plot, plot->y.ticks[i].at);

		across(c, CANVAS_GRID, y);
		text(c, LEFT - 8, y + 4.5, CANVAS_END, plot->y.ticks[i].text);
	}
	for (size_t i = 0; i < plot->x.n_ticks; i++) {
		const struct plot_tick *tick = &plot->x.ticks[i];
		const double x = x_at(plot, tick->at);

		if (plot->form == PLOT_LINES)
			up(c, CANVAS_AXIS, x, FLOOR, FLOOR + (*tick->text ? 6 : 3));
		text(c, x, FLOOR + 19, CANVAS_MIDDLE, tick->text);
	}
	across(c, CANVAS_AXIS, FLOOR);
	up(c, CANVAS_AXIS, LEFT, TOP, FLOOR);
	text(c, LEFT + ACROSS / 2, HEIGHT - 8, CANVAS_MIDDLE, plot->x.label);
	c->kind->text(c, &(struct canvas_text){ 14, TOP + UP / 2, CANVAS_MIDDLE, CANVAS_TURNED,
						plot->y.label });
}

/* The rate of the link, with its name above the line, or below it at the top. */
static void link_line(struct canvas *c, const struct plot *plot)
{
	const double y = y_at(plot, plot->link);
	char rate[PLOT_TEXT], name[2 * PLOT_TEXT];

	if (plot->link <= 0)
		return;
	snprintf(name, sizeof(name), "link: %s",
		 plot_value(&plot->y, plot->link, rate, sizeof(rate)));
	across(c, CANVAS_LINK, y);
	text(c, LEFT + 6, y < TOP + 18 ? y + 16 : y - 5, CANVAS_START, name);
}

/* ---- curves */

static void begin_curve(struct canvas *c, const struct plot_curve *curve)
{
	c->colour = looks[curve->look].colour;
	if (c->kind->curve)
		c->kind->curve(c, curve->look + 1);
}

static void end_group(struct canvas *c)
{
	if (c->kind->close)
		c->kind->close(c);
}

static void shape(struct canvas *c, const struct look *look, double x, double y)
{
	const enum canvas_style style = look->full ? CANVAS_FULL : CANVAS_OPEN;
	struct canvas_point points[SHAPE_POINTS];

	for (size_t i = 0; i < look->corners; i++)
		points[i] = (struct canvas_point){ x + look->shape[i].x, y + look->shape[i].y };
	if (look->corners == 1)
		c->kind->circle(c, style, x, y, RADIUS);
	else
		c->kind->area(c, style, points, look->corners, 1);
}

/* Begins a point or a bar: the pointer shows its values. */
static void begin_point(struct canvas *c, const struct plot *plot, const struct plot_curve *curve,
			const struct plot_point *p)
{
	char x[PLOT_TEXT], y[PLOT_TEXT], low[PLOT_TEXT], high[PLOT_TEXT];
	char title[6 * PLOT_TEXT], runs[3 * PLOT_TEXT] = "";

	if (!c->kind->point)
		return;
	if (p->runs > 1)
		snprintf(runs, sizeof(runs), " (%zu runs, %s to %s)", p->runs,
			 plot_number(&plot->y, p->low, low, sizeof(low)),
			 plot_number(&plot->y, p->high, high, sizeof(high)));
	snprintf(title, sizeof(title), "%s, %s%s%s: %s%s%s", curve->name,
		 plot_x(plot, p->x, x, sizeof(x)), *plot->x.unit ? " " : "", plot->x.unit,
		 plot_value(&plot->y, p->y, y, sizeof(y)), runs, p->disturbed ? ", disturbed" : "");
	c->kind->point(c, title);
}

static void curve_line(struct canvas *c, const struct plot *plot, const struct plot_curve *curve)
{
	struct canvas_point *points = must_calloc(curve->n + 1, sizeof(*points));
	size_t n = 0;

	for (size_t i = 0; i < curve->n; i++) {
		const struct plot_point *p = &curve->points[i];

		if (has_place(plot, p))
			points[n++] = (struct canvas_point){ x_at(plot, p->x), y_at(plot, p->y) };
	}
	c->kind->line(c, CANVAS_LINE, points, n, dashes[curve->dash]);
	free(points);
}

static void curve_points(struct canvas *c, const struct plot *plot, const struct plot_curve *curve)
{
	for (size_t i = 0; i < curve->n; i++) {
		const struct plot_point *p = &curve->points[i];
		const double x = x_at(plot, p->x), y = y_at(plot, p->y);

		if (p->bare || !has_place(plot, p))
			continue;
		/* from the least to the most of several runs */
		if (p->runs > 1 && (plot->y.scale == PLOT_LINEAR || p->low > 0))
			up(c, CANVAS_SPREAD, x, y_at(plot, p->low), y_at(plot, p->high));
		begin_point(c, plot, curve, p);
		c->kind->circle(c, CANVAS_REACH, x, y, REACH);
		shape(c, &looks[curve->look], x, y);
		if (p->disturbed)
			c->kind->circle(c, CANVAS_RING, x, y, RING);
		end_group(c);
	}
}

/* at: x, y, width, height. */
static void bar(struct canvas *c, const struct plot_curve *curve, const double at[4])
{
	const struct canvas_point corners[] = {
		{ at[0], at[1] }, { at[0] + at[2], at[1] }, { at[0] + at[2], at[1] + at[3] },
		{ at[0], at[1] + at[3] },
	};

	c->kind->area(c, CANVAS_BAR, corners, 4, looks[curve->look].fill);
}

/* Bars of a group stand beside each other in the order of the curves. */
static void curve_bars(struct canvas *out, const struct plot *plot, size_t c)
{
	const struct plot_curve *curve = &plot->curves[c];
	const double group = ACROSS / (double)plot->x.n_ticks * GROUP;
	const double wide = group / (double)plot->n_curves;

	for (size_t i = 0; i < curve->n; i++) {
		const struct plot_point *p = &curve->points[i];
		const double x = x_at(plot, p->x) - group / 2 + (double)c * wide;
		const double y = has_place(plot, p) ? y_at(plot, p->y) : FLOOR;

		begin_point(out, plot, curve, p);
		bar(out, curve, (const double[]){ x, y, wide * 0.9, FLOOR - y });
		if (p->disturbed)
			out->kind->circle(out, CANVAS_RING, x + wide * 0.45, y, RING);
		end_group(out);
	}
}

static void picture(struct canvas *c, const struct plot *plot)
{
	axes(c, plot);
	link_line(c, plot);
	for (size_t i = 0; i < plot->n_curves; i++) {
		begin_curve(c, &plot->curves[i]);
		if (plot->form == PLOT_BARS) {
			curve_bars(c, plot, i);
		} else {
			curve_line(c, plot, &plot->curves[i]);
			curve_points(c, plot, &plot->curves[i]);
		}
		end_group(c);
	}
}

/* 44 wide and 14 high. */
static void sample(struct canvas *c, const struct plot *plot, const struct plot_curve *curve)
{
	const struct canvas_point ends[] = { { 0, 7 }, { 44, 7 } };

	if (plot->form == PLOT_BARS) {
		bar(c, curve, (const double[]){ 14, 1, 16, 12 });
		return;
	}
	c->kind->line(c, CANVAS_LINE, ends, 2, dashes[curve->dash]);
	shape(c, &looks[curve->look], 22, 7);
}

/* ---- in a page */

void plot_svg(FILE *out, const struct plot *plot)
{
	struct canvas c = { .kind = &canvas_svg, .out = out };

	plot_html(out, "<svg viewBox='0 0 %.0f %.0f' role='img' aria-label='%s'>\n", WIDTH, HEIGHT,
		  plot->title);
	picture(&c, plot);
	fputs("</svg>\n", out);
}

void plot_svg_sample(FILE *out, const struct plot *plot, const struct plot_curve *curve)
{
	struct canvas c = { .kind = &canvas_svg, .out = out };

	plot_html(out, "<svg class='sample c%u' viewBox='0 0 44 14' aria-hidden='true'>",
		  curve->look + 1);
	sample(&c, plot, curve);
	fputs("</svg>", out);
}

/* ---- as a file */

/* The lines of a text, broken between words. Returns y of the last one. */
static double lines(struct canvas *c, double y, unsigned int how, const char *what)
{
	char line[PLOT_TEXT];

	while (what && *what) {
		size_t n = 0;

		/* as many words as fit, at least one */
		for (size_t end = 0; what[end]; n = end) {
			end += strspn(what + end, " ");
			end += strcspn(what + end, " ");
			snprintf(line, sizeof(line), "%.*s", (int)end, what);
			if (n && canvas_text_width(line) > WIDTH - 2 * EDGE)
				break;
		}
		snprintf(line, sizeof(line), "%.*s", (int)n, what);
		y += ROW;
		c->kind->text(c, &(struct canvas_text){ EDGE, y, CANVAS_START, how, line });
		what += n + strspn(what + n, " ");
	}
	return y;
}

/* Below the picture, so that it covers no data; as many columns as fit. Returns its end. */
static double legend(struct canvas *c, const struct plot *plot, double y)
{
	const double width = WIDTH - 2 * EDGE, x0 = c->x, y0 = c->y;
	double widest = 0;
	size_t columns;

	for (size_t i = 0; i < plot->n_curves; i++)
		widest = fmax(widest, canvas_text_width(plot->curves[i].name));
	columns = (size_t)(width / (SAMPLE + widest + EDGE));
	columns = columns ? columns : 1;
	for (size_t i = 0; i < plot->n_curves; i++) {
		c->x = x0 + EDGE + (double)(i % columns) * width / (double)columns;
		c->y = y0 + y + (double)(i / columns) * ROW;
		begin_curve(c, &plot->curves[i]);
		sample(c, plot, &plot->curves[i]);
		end_group(c);
		text(c, SAMPLE, 11.5, CANVAS_START, plot->curves[i].name);
	}
	c->x = x0;
	c->y = y0;
	return y + (double)((plot->n_curves + columns - 1) / columns) * ROW;
}

/* The picture with what is above it and below it; returns the height of all. */
static double sheet(struct canvas *c, const struct plot *plot)
{
	const double top = c->y;
	double y = lines(c, EDGE / 2, CANVAS_BOLD, plot->title);

	y = lines(c, y, CANVAS_QUIET, plot->below);
	y = lines(c, y, CANVAS_QUIET, plot->emulated ? PLOT_EMULATED : NULL);
	y = lines(c, y, CANVAS_QUIET, plot->disturbed ? PLOT_DISTURBED : NULL);
	y = lines(c, y, CANVAS_QUIET, plot->made_of);
	c->y = top + y;
	picture(c, plot);
	c->y = top;
	return legend(c, plot, y + HEIGHT + EDGE / 2) + EDGE;
}

static double height_of(const struct plot *plot)
{
	struct canvas c = { .kind = &canvas_none };

	return sheet(&c, plot);
}

void plot_file(FILE *out, const struct canvas_kind *kind, const struct plot *plots, size_t n)
{
	struct canvas c = { .kind = kind, .out = out };
	double all = 0;

	for (size_t i = 0; i < n; i++)
		all += height_of(&plots[i]);
	if (!kind->pages)
		kind->begin(&c, WIDTH, all);
	for (size_t i = 0; i < n; i++) {
		const double height = height_of(&plots[i]);

		if (kind->pages)
			kind->begin(&c, WIDTH, height);
		sheet(&c, &plots[i]);
		if (kind->pages)
			kind->end(&c);
		else
			c.y += height;
	}
	if (!kind->pages)
		kind->end(&c);
	if (kind->finish)
		kind->finish(&c);
}
