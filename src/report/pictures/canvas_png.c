/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Pixels of lines, areas and letters. All areas are convex, so that a line of pixels meets each of
 * them in one piece. The file is made by png_file.c. See canvas.h.
 */
#include "config.h"
#include "pictures/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/png_file.h"
#include "util/must.h"

#define SCALE 2.0       /* pixels of a unit */
#define SUB 4           /* lines of samples in a line of pixels */
#define CORNERS 16      /* of a circle */
#define DASHES 8
#define UNIT 0.12       /* of a letter: a step of its strokes, of the size of letters */
#define BEARING 0.06    /* left and right of it */
#define STROKE 1.1      /* width of its strokes */

/* Strokes of a letter: points "xy" from 00 to 49; the base line is y 2, x is stretched. */
static const char *const letters[] = {
	"", "2824 2322", "1816 3836", "1832 3842 0646 0444",
	"473818070615354443321203 2921", "0818160608 3444423234 4802",
	"4216172837360403122244", "2826", "38272332", "18272312", "2824 1537 1735",
	"2723 0545", "2311", "0545", "2322", "4802",
	"183847433212030718", "072822", "07183847460242", "084825354443321203", "32380444",
	"4808053544433202", "38180703123243443505", "084812",
	"15060718384746351504031232434435", "45150607183847433212", "2625 2322", "2625 2311",
	"470543", "0646 0444", "074503", "07183847462524 2322",
	"34242536344346381806031242", "022842 1434", "02083847463505 3544433202",
	"4738180703123243", "02083847433202", "48080242 0535", "480802 0535",
	"47381807031232434525", "0802 4842 0545", "2822", "3833221203", "0802 4804 2642",
	"080242", "0208254842", "02084248", "183847433212030718", "02083847463505",
	"183847433212030718 2442", "02083847463505 2542", "473818070615354443321203",
	"0848 2822", "080312324348", "082248", "0812263248", "0842 4802", "082548 2522",
	"08480242", "38181232", "0842", "18383212", "062846", "0141",
	"1827", "16364542 441403123243", "0802 0516364543321203", "4536160503123243",
	"4842 4536160503123243", "044445361605031242", "48382722 0646",
	"46413010 4536160503123243", "0802 0516364542", "2622 2827", "262110 2827",
	"0802 4604 2542", "2822", "0602 05162522 25364542", "0602 0516364542",
	"163645433212030516", "0600 0516364543321203", "4640 4536160503123243", "0602 042646",
	"45361605143443321203", "28233242 0646", "0603123243 4642", "062246", "0612253246",
	"0642 4602", "0622 462210", "06460242", "38272615242332", "2920", "18272635242312",
	"05163445",
};

static struct png_image *image_of(struct canvas *c)
{
	return c->state;
}

static void begin(struct canvas *c, double width, double height)
{
	struct png_image *image = must_calloc(1, sizeof(*image));

	image->width = (size_t)ceil(width * SCALE);
	image->height = (size_t)ceil(height * SCALE);
	image->rgb = must_calloc(image->width * image->height, 3);
	memset(image->rgb, 0xff, image->width * image->height * 3);
	c->state = image;
}

static void end(struct canvas *c)
{
	struct png_image *image = image_of(c);

	png_file(c->out, image);
	free(image->rgb);
	free(image);
}

static struct canvas_point pixel(const struct canvas *c, double x, double y)
{
	return (struct canvas_point){ (c->x + x) * SCALE, (c->y + y) * SCALE };
}

/* ---- areas of pixels */

static void blend(struct png_image *image, long x, long y, double part, const double rgb[3])
{
	uint8_t *at;

	if (x < 0 || y < 0 || x >= (long)image->width || y >= (long)image->height)
		return;
	at = image->rgb + 3 * ((size_t)y * image->width + (size_t)x);
	part = fmin(part, 1);
	for (int i = 0; i < 3; i++)
		at[i] = (uint8_t)lround(at[i] * (1 - part) + 255 * rgb[i] * part);
}

/* Where the height y is in the area: false: nowhere. */
static bool cut(const struct canvas_point *at, size_t n, double y, double *left, double *right)
{
	*left = INFINITY;
	*right = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		const struct canvas_point a = at[i], b = at[(i + 1) % n];
		double x;

		if ((a.y <= y) == (b.y <= y))
			continue;
		x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
		*left = fmin(*left, x);
		*right = fmax(*right, x);
	}
	return *left < *right;
}

/* One line of pixels: how much of each is inside. */
static void fill_line(struct png_image *image, const struct canvas_point *at, size_t n, long y,
		      const double rgb[3])
{
	double left[SUB], right[SUB], from = INFINITY, to = -INFINITY;

	for (int i = 0; i < SUB; i++) {
		if (!cut(at, n, (double)y + (i + 0.5) / SUB, &left[i], &right[i]))
			left[i] = right[i] = NAN;
		from = fmin(from, left[i]);
		to = fmax(to, right[i]);
	}
	for (long x = (long)floor(from); from < to && (double)x < to; x++) {
		double part = 0;

		for (int i = 0; i < SUB; i++)
			if (!isnan(left[i]))
				part += fmax(0, fmin(right[i], (double)x + 1) -
						fmax(left[i], (double)x)) / SUB;
		blend(image, x, y, part, rgb);
	}
}

/* A convex area, in pixels. */
static void fill(struct png_image *image, const struct canvas_point *at, size_t n,
		 const double rgb[3])
{
	double top = INFINITY, bottom = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		top = fmin(top, at[i].y);
		bottom = fmax(bottom, at[i].y);
	}
	for (long y = (long)floor(top); top < bottom && (double)y < bottom; y++)
		fill_line(image, at, n, y, rgb);
}

static void disc(struct png_image *image, struct canvas_point at, double r, const double rgb[3])
{
	struct canvas_point corners[CORNERS];

	for (int i = 0; i < CORNERS; i++)
		corners[i] = (struct canvas_point){ at.x + r * cos(2 * M_PI * i / CORNERS),
						    at.y + r * sin(2 * M_PI * i / CORNERS) };
	fill(image, corners, CORNERS, rgb);
}

/* How a line is drawn, in pixels. */
struct brush {
	double width, rgb[3];
	double dashes[DASHES];
	size_t n, at;  /* dashes, 0: none; the one that is drawn */
	double left;   /* of it */
};

/* A piece of a line, in pixels. */
static void stroke(struct png_image *image, struct canvas_point a, struct canvas_point b,
		   const struct brush *brush)
{
	const double len = hypot(b.x - a.x, b.y - a.y);
	const double x = len > 0 ? (b.y - a.y) / len * brush->width / 2 : 0;
	const double y = len > 0 ? (a.x - b.x) / len * brush->width / 2 : 0;

	fill(image, (const struct canvas_point[]){ { a.x + x, a.y + y }, { b.x + x, b.y + y },
						   { b.x - x, b.y - y }, { a.x - x, a.y - y } },
	     4, brush->rgb);
}

/* ---- lines */

/* The lengths of a text, in pixels; 0: no dashes. */
static size_t read_dashes(const char *text, double lengths[DASHES])
{
	size_t n = 0;
	char *end;

	for (; text && n < DASHES; text = end, n++) {
		lengths[n] = strtod(text, &end) * SCALE;
		if (end == text)
			break;
	}
	return n;
}

static void dashed(struct png_image *image, struct canvas_point a, struct canvas_point b,
		   struct brush *brush)
{
	const double len = hypot(b.x - a.x, b.y - a.y);

	for (double done = 0; done < len;) {
		const double step = fmin(brush->left, len - done), to = done + step;
		const struct canvas_point p = { a.x + (b.x - a.x) * done / len,
						a.y + (b.y - a.y) * done / len };
		const struct canvas_point q = { a.x + (b.x - a.x) * to / len,
						a.y + (b.y - a.y) * to / len };

		if (brush->at % 2 == 0)
			stroke(image, p, q, brush);
		done = to;
		brush->left -= step;
		if (brush->left <= 0) {
			brush->at = (brush->at + 1) % brush->n;
			brush->left = brush->dashes[brush->at];
		}
	}
}

static void line(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		 size_t n, const char *dash)
{
	struct brush brush = { .width = canvas_styles[style].width * SCALE };

	if (!canvas_stroke(c, style, brush.rgb))
		return;
	brush.n = read_dashes(dash ? dash : canvas_styles[style].dash, brush.dashes);
	brush.left = brush.dashes[0];
	for (size_t i = 0; i + 1 < n; i++) {
		const struct canvas_point a = pixel(c, points[i].x, points[i].y);
		const struct canvas_point b = pixel(c, points[i + 1].x, points[i + 1].y);

		if (brush.n) {
			dashed(image_of(c), a, b, &brush);
			continue;
		}
		stroke(image_of(c), a, b, &brush);
		/* the joint */
		if (i && brush.width > 2)
			disc(image_of(c), a, brush.width / 2, brush.rgb);
	}
}

static void area(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		 size_t n, double opacity)
{
	struct canvas_point *at = must_calloc(n, sizeof(*at));
	struct brush brush = { .width = canvas_styles[style].width * SCALE };

	for (size_t i = 0; i < n; i++)
		at[i] = pixel(c, points[i].x, points[i].y);
	if (canvas_fill(c, style, opacity, brush.rgb))
		fill(image_of(c), at, n, brush.rgb);
	if (canvas_stroke(c, style, brush.rgb))
		for (size_t i = 0; i < n; i++)
			stroke(image_of(c), at[i], at[(i + 1) % n], &brush);
	free(at);
}

static void circle(struct canvas *c, enum canvas_style style, double x, double y, double r)
{
	struct canvas_point corners[CORNERS];

	for (int i = 0; i < CORNERS; i++)
		corners[i] = (struct canvas_point){ x + r * cos(2 * M_PI * i / CORNERS),
						    y + r * sin(2 * M_PI * i / CORNERS) };
	area(c, style, corners, CORNERS, 1);
}

/* ---- letters */

/* Where a text is written. */
struct writing {
	struct canvas *c;
	struct canvas_point from; /* of the letter, in units */
	bool turned;
	double width;             /* of the letter */
	struct brush brush;
};

/* A point "xy" of a letter, in pixels. */
static struct canvas_point point_of(const struct writing *w, const char *at)
{
	const double room = w->width - 2 * BEARING * CANVAS_LETTER;
	const double along = BEARING * CANVAS_LETTER + (at[0] - '0') * room / 4;
	const double above = (at[1] - '2') * UNIT * CANVAS_LETTER;

	return w->turned ? pixel(w->c, w->from.x - above, w->from.y - along) :
			   pixel(w->c, w->from.x + along, w->from.y - above);
}

static void letter(const struct writing *w, const char *strokes)
{
	for (const char *at = strokes; *at; at += *at == ' ' ? 1 : 2) {
		if (*at == ' ')
			continue;
		disc(image_of(w->c), point_of(w, at), w->brush.width / 2, w->brush.rgb);
		if (at[2] && at[2] != ' ')
			stroke(image_of(w->c), point_of(w, at), point_of(w, at + 2), &w->brush);
	}
}

static void text(struct canvas *c, const struct canvas_text *t)
{
	const double start = canvas_text_start(t);
	struct writing w = {
		.c = c, .turned = t->how & CANVAS_TURNED,
		.brush.width = (t->how & CANVAS_BOLD ? 1.5 : 1) * STROKE * SCALE,
	};

	canvas_rgb(canvas_text_colour(t), 1, w.brush.rgb);
	w.from = w.turned ? (struct canvas_point){ t->x, t->y - start } :
			    (struct canvas_point){ t->x + start, t->y };
	for (const char *at = t->text; *at; at++) {
		const unsigned char one = canvas_letter(*at);

		w.width = canvas_letter_width(one);
		letter(&w, letters[one - ' ']);
		*(w.turned ? &w.from.y : &w.from.x) += w.turned ? -w.width : w.width;
	}
}

const struct canvas_kind canvas_png = {
	.name = "PNG file", .suffix = ".png", .begins = "\x89PNG", .begin = begin, .end = end, .line = line,
	.area = area, .circle = circle, .text = text,
};
