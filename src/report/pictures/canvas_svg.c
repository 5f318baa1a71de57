/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * SVG without id, link and script. How things look is in classes: those of the page's style sheet,
 * or of one that the file begins with. See canvas.h.
 */
#include "config.h"
#include "pictures/canvas.h"
#include "pictures/plot.h"

static void begin(struct canvas *c, double width, double height)
{
	plot_html(c->out, "<?xml version='1.0' encoding='utf-8'?>\n<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f' font-family='sans-serif' font-size='%.0f'>\n<style>",
		  2 * width, 2 * height, width, height, CANVAS_LETTER);
	for (size_t i = 0; i < CANVAS_STYLES; i++) {
		const struct canvas_look *look = &canvas_styles[i];
		const char *stroke = look->stroke, *fill = look->fill;

		/* not all readers of SVG know variables of CSS */
		plot_html(c->out, ".%s{stroke:%s;stroke-width:%.1f;fill:%s", look->class,
			  !stroke ? "none" : *stroke ? stroke : "currentColor", look->width,
			  !fill ? "none" : *fill ? fill : "currentColor");
		plot_html(c->out, look->dash ? ";stroke-dasharray:%s}" : "}", look->dash);
	}
	for (unsigned int i = 0; i < PLOT_CURVES; i++)
		plot_html(c->out, ".c%u{color:%s}", i + 1, plot_colour(i));
	fputs("</style>\n<rect width='100%' height='100%' fill='#ffffff'/>\n", c->out);
}

static void end(struct canvas *c)
{
	fputs("</svg>\n", c->out);
}

static void put_path(struct canvas *c, const struct canvas_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		plot_html(c->out, i ? "L%.1f %.1f" : "M%.1f %.1f", c->x + points[i].x,
			  c->y + points[i].y);
}

static void line(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		 size_t n, const char *dash)
{
	plot_html(c->out, "<path class='%s'", canvas_styles[style].class);
	if (dash)
		plot_html(c->out, " stroke-dasharray='%s'", dash);
	fputs(" d='", c->out);
	put_path(c, points, n);
	fputs("'/>\n", c->out);
}

static void area(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		 size_t n, double opacity)
{
	plot_html(c->out, "<path class='%s'", canvas_styles[style].class);
	if (opacity < 1)
		plot_html(c->out, " fill-opacity='%.2f'", opacity);
	fputs(" d='", c->out);
	put_path(c, points, n);
	fputs("z'/>", c->out);
}

static void circle(struct canvas *c, enum canvas_style style, double x, double y, double r)
{
	plot_html(c->out, "<circle class='%s' cx='%.1f' cy='%.1f' r='%.1f'/>",
		  canvas_styles[style].class, c->x + x, c->y + y, r);
}

static void text(struct canvas *c, const struct canvas_text *t)
{
	static const char *const anchors[] = { "start", "middle", "end" };
	const double x = c->x + t->x, y = c->y + t->y;

	plot_html(c->out, t->how & CANVAS_TURNED ?
		  "<text transform='translate(%.1f %.1f) rotate(-90)'" : "<text x='%.1f' y='%.1f'",
		  x, y);
	plot_html(c->out, " text-anchor='%s'", anchors[t->anchor]);
	if (t->how & CANVAS_BOLD)
		fputs(" font-weight='bold'", c->out);
	if (t->how & CANVAS_QUIET)
		plot_html(c->out, " fill='%s'", canvas_text_colour(t));
	plot_html(c->out, ">%s</text>\n", t->text);
}

static void curve(struct canvas *c, unsigned int number)
{
	plot_html(c->out, "<g class='c%u'>\n", number);
}

static void point(struct canvas *c, const char *title)
{
	plot_html(c->out, "<g class='point'><title>%s</title>", title);
}

static void close_group(struct canvas *c)
{
	fputs("</g>\n", c->out);
}

const struct canvas_kind canvas_svg = {
	.name = "SVG file", .suffix = ".svg", .begins = "<?xml", .begin = begin, .end = end,
	.line = line, .area = area,
	.circle = circle, .text = text, .curve = curve, .point = point, .close = close_group,
};
