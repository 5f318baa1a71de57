/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the SVG of pictures: see plot.h. */
#include "config.h"
#include "pictures/plot.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/must.h"

/* Of the picture, in units of SVG; a phone shows about 3 of 4 of them as a pixel. */
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

/* Of a file: lines of text around the picture. LETTER: the width of a letter, on average. */
#define ROW 16.0
#define EDGE 12.0
#define LETTER 7.0
#define SAMPLE 52.0    /* of a line in the legend, with the gap behind it */

#define CIRCLE "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z"
#define SQUARE "M-3.3 -3.3h6.6v6.6h-6.6z"
#define TRIANGLE "M0 -4.6l4.4 7.4h-8.8z"
#define DIAMOND "M0 -4.6l4.4 4.6l-4.4 4.6l-4.4 -4.6z"

/*
 * How curves look. Told apart by people who see no red or no green (the colours are near those of
 * Okabe and Ito, "Color Universal Design", 2008), and in grey by shape, dash and density.
 */
static const struct look {
	const char *colour;    /* on white; the page has others in the dark: page.css */
	bool full;             /* the shape is filled */
	const char *shape;     /* around 0 0 */
	double fill;           /* of a bar, 0 to 1 */
} looks[PLOT_CURVES] = {
	{ "#0060a8", true, CIRCLE, 1.00 },
	{ "#cc5500", false, SQUARE, 0.45 },
	{ "#007a5e", true, TRIANGLE, 0.12 },
	{ "#a8327d", false, DIAMOND, 0.75 },
	{ "#404040", false, CIRCLE, 0.30 },
	{ "#a87400", true, SQUARE, 0.90 },
	{ "#3d8fd1", false, "M0 4.6l4.4 -7.4h-8.8z", 0.05 },
	{ "#7a4b1e", true, DIAMOND, 0.60 },
};

/* Lengths of dash, gap, ... */
static const char *const dashes[PLOT_CURVES] = {
	"none", "8 4", "2 3", "9 3 2 3", "14 4", "9 3 2 3 2 3", "4 2", "14 3 4 3",
};

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

/* anchor: the part of the text that is at x: start, middle or end. */
static void text(FILE *out, double x, double y, const char *anchor, const char *what)
{
	plot_html(out, "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>\n", x, y, anchor, what);
}

static void across(FILE *out, const char *class, double y)
{
	plot_html(out, "<path class='%s' d='M%.1f %.1fH%.1f'/>\n", class, LEFT, y, WIDTH - RIGHT);
}

static void up(FILE *out, const char *class, double x, double from, double to)
{
	plot_html(out, "<path class='%s' d='M%.1f %.1fV%.1f'/>\n", class, x, from, to);
}

static void axes(FILE *out, const struct plot *plot)
{
	for (size_t i = 0; i < plot->y.n_ticks; i++) {
		const double y = y_at(plot, plot->y.ticks[i].at);

		across(out, "grid", y);
		text(out, LEFT - 8, y + 4.5, "end", plot->y.ticks[i].text);
	}
	for (size_t i = 0; i < plot->x.n_ticks; i++) {
		const struct plot_tick *tick = &plot->x.ticks[i];
		const double x = x_at(plot, tick->at);

		if (plot->form == PLOT_LINES)
			up(out, "axis", x, FLOOR, FLOOR + (*tick->text ? 6 : 3));
		text(out, x, FLOOR + 19, "middle", tick->text);
	}
	across(out, "axis", FLOOR);
	up(out, "axis", LEFT, TOP, FLOOR);
	text(out, LEFT + ACROSS / 2, HEIGHT - 8, "middle", plot->x.label);
	plot_html(out, "<g transform='translate(14 %.1f) rotate(-90)'>", TOP + UP / 2);
	text(out, 0, 0, "middle", plot->y.label);
	fputs("</g>\n", out);
}

/* The rate of the link, with its name above the line, or below it at the top. */
static void link_line(FILE *out, const struct plot *plot)
{
	const double y = y_at(plot, plot->link);
	char rate[PLOT_TEXT], name[2 * PLOT_TEXT];

	if (plot->link <= 0)
		return;
	snprintf(name, sizeof(name), "link: %s",
		 plot_value(&plot->y, plot->link, rate, sizeof(rate)));
	across(out, "link", y);
	text(out, LEFT + 6, y < TOP + 18 ? y + 16 : y - 5, "start", name);
}

/* ---- curves */

static void ring(FILE *out, double x, double y)
{
	plot_html(out, "<circle class='ring' cx='%.1f' cy='%.1f' r='%.1f'/>", x, y, RING);
}

static void shape(FILE *out, const struct look *look, double x, double y)
{
	plot_html(out, "<path class='%s' transform='translate(%.1f %.1f)' d='%s'/>",
		  look->full ? "full" : "open", x, y, look->shape);
}

/* Begins a point or a bar: the pointer shows its values. */
static void begin_point(FILE *out, const struct plot *plot, const struct plot_curve *curve,
			const struct plot_point *p)
{
	char x[PLOT_TEXT], y[PLOT_TEXT], low[PLOT_TEXT], high[PLOT_TEXT];

	plot_html(out, "<g class='point'><title>%s, %s%s%s: %s", curve->name,
		  plot_x(plot, p->x, x, sizeof(x)), *plot->x.unit ? " " : "", plot->x.unit,
		  plot_value(&plot->y, p->y, y, sizeof(y)));
	if (p->runs > 1)
		plot_html(out, " (%zu runs, %s to %s)", p->runs,
			  plot_number(&plot->y, p->low, low, sizeof(low)),
			  plot_number(&plot->y, p->high, high, sizeof(high)));
	fputs(p->disturbed ? ", disturbed</title>" : "</title>", out);
}

static void curve_line(FILE *out, const struct plot *plot, const struct plot_curve *curve)
{
	bool any = false;

	plot_html(out, "<path class='line' stroke-dasharray='%s' d='", dashes[curve->dash]);
	for (size_t i = 0; i < curve->n; i++) {
		const struct plot_point *p = &curve->points[i];

		if (!has_place(plot, p))
			continue;
		plot_html(out, any ? "L%.1f %.1f" : "M%.1f %.1f", x_at(plot, p->x), y_at(plot, p->y));
		any = true;
	}
	fputs("'/>\n", out);
}

static void curve_points(FILE *out, const struct plot *plot, const struct plot_curve *curve)
{
	for (size_t i = 0; i < curve->n; i++) {
		const struct plot_point *p = &curve->points[i];
		const double x = x_at(plot, p->x), y = y_at(plot, p->y);

		if (!has_place(plot, p))
			continue;
		/* from the least to the most of several runs */
		if (p->runs > 1 && (plot->y.scale == PLOT_LINEAR || p->low > 0))
			up(out, "spread", x, y_at(plot, p->low), y_at(plot, p->high));
		begin_point(out, plot, curve, p);
		plot_html(out, "<circle class='reach' cx='%.1f' cy='%.1f' r='%.1f'/>", x, y, REACH);
		shape(out, &looks[curve->look], x, y);
		if (p->disturbed)
			ring(out, x, y);
		fputs("</g>\n", out);
	}
}

/* at: x, y, width, height. */
static void bar(FILE *out, const struct plot_curve *curve, const double at[4])
{
	plot_html(out, "<rect class='bar' fill-opacity='%.2f' x='%.1f' y='%.1f' width='%.1f' height='%.1f'/>",
		  looks[curve->look].fill, at[0], at[1], at[2], at[3]);
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
		const double y = has_place(plot, p) ? y_at(plot, p->y) : FLOOR;

		begin_point(out, plot, curve, p);
		bar(out, curve, (const double[]){ x, y, wide * 0.9, FLOOR - y });
		if (p->disturbed)
			ring(out, x + wide * 0.45, y);
		fputs("</g>\n", out);
	}
}

static void picture(FILE *out, const struct plot *plot)
{
	axes(out, plot);
	link_line(out, plot);
	for (size_t c = 0; c < plot->n_curves; c++) {
		plot_html(out, "<g class='c%u'>\n", plot->curves[c].look + 1);
		if (plot->form == PLOT_BARS) {
			curve_bars(out, plot, c);
		} else {
			curve_line(out, plot, &plot->curves[c]);
			curve_points(out, plot, &plot->curves[c]);
		}
		fputs("</g>\n", out);
	}
}

/* 44 wide and 14 high. */
static void sample(FILE *out, const struct plot *plot, const struct plot_curve *curve)
{
	if (plot->form == PLOT_BARS) {
		bar(out, curve, (const double[]){ 14, 1, 16, 12 });
		return;
	}
	plot_html(out, "<path class='line' stroke-dasharray='%s' d='M0 7H44'/>", dashes[curve->dash]);
	shape(out, &looks[curve->look], 22, 7);
}

/* ---- in a page */

void plot_svg(FILE *out, const struct plot *plot)
{
	plot_html(out, "<svg viewBox='0 0 %.0f %.0f' role='img' aria-label='%s'>\n", WIDTH, HEIGHT,
		  plot->title);
	picture(out, plot);
	fputs("</svg>\n", out);
}

void plot_svg_sample(FILE *out, const struct plot *plot, const struct plot_curve *curve)
{
	plot_html(out, "<svg class='sample c%u' viewBox='0 0 44 14' aria-hidden='true'>",
		  curve->look + 1);
	sample(out, plot, curve);
	fputs("</svg>", out);
}

/* ---- as a file */

/* The lines of a text, broken between words. Returns y of the last one. */
static double lines(FILE *out, double y, const char *what)
{
	const size_t most = (size_t)((WIDTH - 2 * EDGE) / LETTER);
	char line[PLOT_TEXT];

	while (*what) {
		size_t n = strlen(what), at = most;

		while (n > most && at > 0 && what[at] != ' ')
			at--;
		n = n <= most ? n : at ? at : most;
		snprintf(line, sizeof(line), "%.*s", (int)n, what);
		y += ROW;
		text(out, EDGE, y, "start", line);
		what += n + strspn(what + n, " ");
	}
	return y;
}

/* Below the picture, so that it covers no data; as many columns as fit. Returns its end. */
static double legend(FILE *out, const struct plot *plot, double y)
{
	const double width = WIDTH - 2 * EDGE;
	size_t letters = 0, columns;

	for (size_t c = 0; c < plot->n_curves; c++) {
		const size_t len = strlen(plot->curves[c].name);

		letters = len > letters ? len : letters;
	}
	columns = (size_t)(width / (SAMPLE + (double)(letters + 2) * LETTER));
	columns = columns ? columns : 1;
	for (size_t c = 0; c < plot->n_curves; c++) {
		const double x = EDGE + (double)(c % columns) * width / (double)columns;
		const double top = y + (double)(c / columns) * ROW;

		plot_html(out, "<g class='c%u' transform='translate(%.1f %.1f)'>",
			  plot->curves[c].look + 1, x, top);
		sample(out, plot, &plot->curves[c]);
		fputs("</g>\n", out);
		text(out, x + SAMPLE, top + 11.5, "start", plot->curves[c].name);
	}
	return y + (double)((plot->n_curves + columns - 1) / columns) * ROW;
}

/* The picture with what is above it and below it; returns the height of all. */
static double sheet(FILE *out, const struct plot *plot)
{
	double y;

	fputs("<g font-weight='bold'>\n", out);
	y = lines(out, EDGE / 2, plot->title);
	fputs("</g>\n<g fill='#56616e'>\n", out);
	y = lines(out, y, plot->below);
	y = lines(out, y, plot->emulated ? PLOT_EMULATED : "");
	y = lines(out, y, plot->disturbed ? PLOT_DISTURBED : "");
	y = lines(out, y, plot->made_of ? plot->made_of : "");
	plot_html(out, "</g>\n<g transform='translate(0 %.1f)'>\n", y);
	picture(out, plot);
	fputs("</g>\n", out);
	return legend(out, plot, y + HEIGHT + EDGE / 2) + EDGE;
}

/* The looks of the page's style sheet, on white: not all readers of SVG know variables of CSS. */
static const char *const rules[] = {
	".grid{stroke:#d3dae2}.axis{stroke:#56616e;fill:none}.reach{fill:none}",
	".line{stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round}",
	".link{stroke:#56616e;stroke-width:1.5;stroke-dasharray:2 4}",
	".ring{fill:none;stroke:#b3261e;stroke-width:1.4}",
	".spread{stroke:currentColor;stroke-width:1.2;opacity:0.7}",
	".bar,.full{fill:currentColor;stroke:currentColor}",
	".open{fill:#ffffff;stroke:currentColor;stroke-width:1.5}",
};

void plot_svg_file(FILE *out, const struct plot *plot)
{
	char *text;
	size_t len;
	FILE *body = must_memstream(&text, &len);
	const double height = sheet(body, plot);

	must_close(body);
	plot_html(out, PLOT_SVG_BEGINS " version='1.0' encoding='utf-8'?>\n<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f' font-family='sans-serif' font-size='13'>\n<style>",
		  2 * WIDTH, 2 * height, WIDTH, height);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		fputs(rules[i], out);
	for (size_t i = 0; i < PLOT_CURVES; i++)
		plot_html(out, ".c%zu{color:%s}", i + 1, looks[i].colour);
	fputs("</style>\n<rect width='100%' height='100%' fill='#ffffff'/>\n", out);
	fwrite(text, 1, len, out);
	fputs("</svg>\n", out);
	free(text);
}

/* ---- texts in a page */

void plot_text(FILE *out, const char *text)
{
	static const char special[] = "<>&\"'";
	static const char *const references[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&#39;" };

	for (const char *c = text; *c; c++) {
		const unsigned char byte = (unsigned char)*c;
		const char *at = strchr(special, *c);

		/* as text_clean() of util/text.h, which needs a length */
		if (at)
			fputs(references[at - special], out);
		else
			fputc(byte > 126 ? '?' : byte < 32 ? ' ' : byte, out);
	}
}

void plot_html(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (const char *c = fmt; *c; c++) {
		if (*c != '%')
			fputc(*c, out);
		else if (*++c == 's')
			plot_text(out, va_arg(ap, const char *));
		else if (*c == 'u')
			fprintf(out, "%u", va_arg(ap, unsigned int));
		else if (*c == 'z' && *++c)
			fprintf(out, "%zu", va_arg(ap, size_t));
		else if (*c == '.' && (c += 2))
			fprintf(out, "%.*f", c[-1] - '0', va_arg(ap, double));
	}
	va_end(ap);
}
