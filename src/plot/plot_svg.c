/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the SVG of pictures: see plot_svg.h. */
#include "config.h"
#include "plot/plot_svg.h"

#include <math.h>
#include <string.h>

#include "plot/xml.h"

/* Of the picture, in units of SVG; a phone shows about 3 of 4 of them as a pixel. */
#define WIDTH 480.0
#define HEIGHT 300.0
#define LEFT 66.0
#define RIGHT 26.0      /* the last name of the x axis reaches beyond it */
#define TOP 12.0
#define BOTTOM 48.0
#define ACROSS (WIDTH - LEFT - RIGHT)
#define UP (HEIGHT - TOP - BOTTOM)
#define REACH 9.0      /* of a point: how near the mouse must come */
#define GROUP 0.8      /* the part of a group of bars that bars fill */

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

static void text(FILE *out, double x, double y, const char *what, const char *attributes)
{
	fprintf(out, "<text x='%.1f' y='%.1f'%s>", x, y, attributes);
	xml_text(out, what);
	fputs("</text>\n", out);
}

static void across(FILE *out, const char *class, double y)
{
	fprintf(out, "<path class='%s' d='M%.1f %.1fH%.1f'/>\n", class, LEFT, y, WIDTH - RIGHT);
}

static void up(FILE *out, const char *class, double x, double from, double to)
{
	fprintf(out, "<path class='%s' d='M%.1f %.1fV%.1f'/>\n", class, x, from, to);
}

static void axes(FILE *out, const struct plot *plot)
{
	char middle[64];

	for (size_t i = 0; i < plot->y.n_ticks; i++) {
		const double y = y_at(plot, plot->y.ticks[i].at);

		across(out, "grid", y);
		text(out, LEFT - 8, y + 4.5, plot->y.ticks[i].text, " text-anchor='end'");
	}
	for (size_t i = 0; i < plot->x.n_ticks; i++) {
		const struct plot_tick *tick = &plot->x.ticks[i];
		const double x = x_at(plot, tick->at);

		if (plot->form == PLOT_LINES)
			up(out, "axis", x, HEIGHT - BOTTOM, HEIGHT - BOTTOM + (*tick->text ? 6 : 3));
		text(out, x, HEIGHT - BOTTOM + 19, tick->text, " text-anchor='middle'");
	}
	across(out, "axis", HEIGHT - BOTTOM);
	up(out, "axis", LEFT, TOP, HEIGHT - BOTTOM);
	text(out, LEFT + ACROSS / 2, HEIGHT - 8, plot->x.label, " text-anchor='middle'");
	snprintf(middle, sizeof(middle), " text-anchor='middle' transform='rotate(-90 14 %.1f)'",
		 TOP + UP / 2);
	text(out, 14, TOP + UP / 2, plot->y.label, middle);
}

/* ---- points */

/* The shape around a place; the numbers are those of gnuplot (struct plot_look). */
static void shape(FILE *out, int number, double x, double y)
{
	switch (number) {
	case 6:
	case 7:
		fprintf(out, "<circle class='p%d' cx='%.1f' cy='%.1f' r='3.6'/>", number, x, y);
		break;
	case 4:
	case 5:
		fprintf(out, "<path class='p%d' d='M%.1f %.1fh6.6v6.6h-6.6z'/>", number, x - 3.3, y - 3.3);
		break;
	case 9:
		fprintf(out, "<path class='p9' d='M%.1f %.1fl4.4 7.4h-8.8z'/>", x, y - 4.6);
		break;
	case 10:
		fprintf(out, "<path class='p10' d='M%.1f %.1fl4.4 -7.4h-8.8z'/>", x, y + 4.6);
		break;
	default:
		fprintf(out, "<path class='p%d' d='M%.1f %.1fl4.4 4.6l-4.4 4.6l-4.4 -4.6z'/>", number, x,
			y - 4.6);
	}
}

static void values(FILE *out, const struct plot *plot, const struct plot_curve *curve,
		   const struct plot_point *p)
{
	char x[PLOT_TEXT], y[PLOT_TEXT], low[PLOT_TEXT], high[PLOT_TEXT];
	const size_t tick = (size_t)(p->x + 0.5);

	if (plot->form == PLOT_BARS)
		snprintf(x, sizeof(x), "%s", tick < plot->x.n_ticks ? plot->x.ticks[tick].text : "");
	else
		plot_value(&plot->x, p->x, x, sizeof(x));
	for (size_t i = 0; i < plot->x.n_ticks && plot->form == PLOT_LINES; i++)
		if (plot->x.ticks[i].at == p->x && strchr(plot->x.ticks[i].text, '%'))
			snprintf(x, sizeof(x), "%s", plot->x.ticks[i].text);
	fputs("<title>", out);
	xml_text(out, curve->name);
	fputs(", ", out);
	xml_text(out, x);
	fprintf(out, ": %s", plot_value(&plot->y, p->y, y, sizeof(y)));
	if (p->runs > 1)
		fprintf(out, " (%zu runs, %s to %s)", p->runs,
			plot_number(&plot->y, p->low, low, sizeof(low)),
			plot_number(&plot->y, p->high, high, sizeof(high)));
	fputs("</title>", out);
}

static void dash(FILE *out, unsigned int number)
{
	const struct plot_dash *d = &plot_dashes[number % PLOT_CURVES];

	for (size_t i = 0; i < d->n; i++)
		fprintf(out, "%s%d", i ? " " : " stroke-dasharray='", d->lengths[i]);
	if (d->n)
		fputs("'", out);
}

static void curve_line(FILE *out, const struct plot *plot, const struct plot_curve *curve)
{
	const char *move = "M";

	fputs("<path class='line'", out);
	dash(out, curve->dash);
	fputs(" d='", out);
	for (size_t i = 0; i < curve->n; i++) {
		const struct plot_point *p = &curve->points[i];

		if (!has_place(plot, p))
			continue;
		fprintf(out, "%s%.1f %.1f", move, x_at(plot, p->x), y_at(plot, p->y));
		move = "L";
	}
	fputs("'/>\n", out);
}

/* From the least to the most of several runs. */
static void spread(FILE *out, const struct plot *plot, const struct plot_point *p)
{
	if (p->runs > 1 && (plot->y.scale == PLOT_LINEAR || p->low > 0))
		up(out, "spread", x_at(plot, p->x), y_at(plot, p->low), y_at(plot, p->high));
}

static void curve_points(FILE *out, const struct plot *plot, const struct plot_curve *curve)
{
	for (size_t i = 0; i < curve->n; i++) {
		const struct plot_point *p = &curve->points[i];
		const double x = x_at(plot, p->x), y = has_place(plot, p) ? y_at(plot, p->y) : NAN;

		if (isnan(y))
			continue;
		spread(out, plot, p);
		fputs("<g class='point'>", out);
		values(out, plot, curve, p);
		fprintf(out, "<circle class='reach' cx='%.1f' cy='%.1f' r='%.1f'/>", x, y, REACH);
		shape(out, plot_looks[curve->look].shape, x, y);
		fputs("</g>\n", out);
	}
}

/* Bars of a group stand beside each other in the order of the curves. */
static void curve_bars(FILE *out, const struct plot *plot, size_t c)
{
	const struct plot_curve *curve = &plot->curves[c];
	const double group = ACROSS / (double)plot->x.n_ticks * GROUP;
	const double wide = group / (double)plot->n_curves;

	for (size_t i = 0; i < curve->n; i++) {
		const struct plot_point *p = &curve->points[i];
		const double x = x_at(plot, p->x) - group / 2 + (double)c * wide;
		const double y = has_place(plot, p) ? y_at(plot, p->y) : HEIGHT - BOTTOM;

		fputs("<g class='point'>", out);
		values(out, plot, curve, p);
		fprintf(out, "<rect class='bar' fill-opacity='%.2f' x='%.1f' y='%.1f' width='%.1f' height='%.1f'/>",
			plot_looks[curve->look].fill, x, y, wide * 0.9, HEIGHT - BOTTOM - y);
		fputs("</g>\n", out);
	}
}

void plot_svg(FILE *out, const struct plot *plot)
{
	fprintf(out, "<svg viewBox='0 0 %.0f %.0f' role='img' aria-label='", WIDTH, HEIGHT);
	xml_text(out, plot->title);
	fputs("'>\n", out);
	axes(out, plot);
	for (size_t c = 0; c < plot->n_curves; c++) {
		fprintf(out, "<g class='c%u'>\n", plot->curves[c].look + 1);
		if (plot->form == PLOT_BARS) {
			curve_bars(out, plot, c);
		} else {
			curve_line(out, plot, &plot->curves[c]);
			curve_points(out, plot, &plot->curves[c]);
		}
		fputs("</g>\n", out);
	}
	fputs("</svg>\n", out);
}

void plot_svg_sample(FILE *out, const struct plot *plot, const struct plot_curve *curve)
{
	fprintf(out, "<svg class='sample c%u' viewBox='0 0 44 14' aria-hidden='true'>", curve->look + 1);
	if (plot->form == PLOT_BARS) {
		fprintf(out, "<rect class='bar' fill-opacity='%.2f' x='14' y='1' width='16' height='12'/>",
			plot_looks[curve->look].fill);
	} else {
		fputs("<path class='line'", out);
		dash(out, curve->dash);
		fputs(" d='M0 7H44'/>", out);
		shape(out, plot_looks[curve->look].shape, 22, 7);
	}
	fputs("</svg>", out);
}
