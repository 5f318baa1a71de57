/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What all kinds of canvas share; see canvas.h. */
#include "config.h"
#include "pictures/canvas.h"

#include <stdlib.h>
#include <string.h>

#define WHITE "#ffffff"

/* On white; page.css has the same classes with the colours of the reader. */
const struct canvas_look canvas_styles[CANVAS_STYLES] = {
	[CANVAS_GRID] = { "grid", "#d3dae2", 1, NULL, NULL },
	[CANVAS_AXIS] = { "axis", "#56616e", 1, NULL, NULL },
	[CANVAS_LINK] = { "link", "#56616e", 1.5, NULL, "2 4" },
	[CANVAS_SPREAD] = { "spread", "", 1.2, NULL, NULL },
	[CANVAS_LINE] = { "line", "", 2, NULL, NULL },
	[CANVAS_BAR] = { "bar", "", 1, "", NULL },
	[CANVAS_FULL] = { "full", "", 1, "", NULL },
	[CANVAS_OPEN] = { "open", "", 1.5, WHITE, NULL },
	[CANVAS_RING] = { "ring", "#b3261e", 1.4, NULL, NULL },
	[CANVAS_REACH] = { "reach", NULL, 0, NULL, NULL },
};

/* ---- colours */

void canvas_rgb(const char *colour, double opacity, double rgb[3])
{
	const unsigned long all = strtoul(colour + 1, NULL, 16);

	for (int i = 0; i < 3; i++) {
		const double part = (double)(all >> (16 - 8 * i) & 0xff) / 255;

		rgb[i] = 1 - opacity * (1 - part);
	}
}

static bool rgb_of(const struct canvas *c, const char *colour, double opacity, double rgb[3])
{
	if (!colour)
		return false;
	canvas_rgb(*colour ? colour : c->colour, opacity, rgb);
	return true;
}

bool canvas_stroke(const struct canvas *c, enum canvas_style style, double rgb[3])
{
	return rgb_of(c, canvas_styles[style].stroke, 1, rgb);
}

bool canvas_fill(const struct canvas *c, enum canvas_style style, double opacity, double rgb[3])
{
	return rgb_of(c, canvas_styles[style].fill, opacity, rgb);
}

const char *canvas_text_colour(const struct canvas_text *text)
{
	return text->how & CANVAS_QUIET ? "#56616e" : "#000000";
}

/* ---- letters */

/* Of Helvetica, from ' ' to '~', in 1/1000 of its size. */
static const uint16_t widths[] = {
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
};

unsigned char canvas_letter(char letter)
{
	return letter < ' ' || letter > '~' ? ' ' : (unsigned char)letter;
}

double canvas_letter_width(unsigned char letter)
{
	return widths[letter - ' '] * CANVAS_LETTER / 1000;
}

double canvas_text_width(const char *text)
{
	double width = 0;

	for (; *text; text++)
		width += canvas_letter_width(canvas_letter(*text));
	return width;
}

double canvas_text_start(const struct canvas_text *text)
{
	static const double parts[] = { [CANVAS_MIDDLE] = 0.5, [CANVAS_END] = 1 };

	return -parts[text->anchor] * canvas_text_width(text->text);
}

/* ---- none: to measure */

static void begin(struct canvas *c, double width, double height)
{
	(void)c, (void)width, (void)height;
}

static void line(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		 size_t n, const char *dash)
{
	(void)c, (void)style, (void)points, (void)n, (void)dash;
}

static void area(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		 size_t n, double opacity)
{
	(void)c, (void)style, (void)points, (void)n, (void)opacity;
}

static void circle(struct canvas *c, enum canvas_style style, double x, double y, double r)
{
	(void)c, (void)style, (void)x, (void)y, (void)r;
}

static void text(struct canvas *c, const struct canvas_text *what)
{
	(void)c, (void)what;
}

const struct canvas_kind canvas_none = {
	.begin = begin, .line = line, .area = area, .circle = circle, .text = text,
};
