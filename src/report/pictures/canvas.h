/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What pictures are drawn on: SVG in a page, and files of SVG, PDF and PNG. plot_draw.c draws; a
 * kind makes bytes of it. Units are those of plot_draw.c, y goes down.
 *
 *	canvas.c      styles, and the widths of letters
 *	canvas_svg.c  SVG
 *	canvas_pdf.c  PDF, one picture on a page
 *	canvas_png.c  PNG: lines, areas and letters become pixels here; png_file.c: the file
 */
#ifndef CANVAS_H
#define CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CANVAS_LETTER 13.0 /* the size of texts */

struct canvas_point {
	double x, y;
};

/* How something is drawn: canvas_styles[]. */
enum canvas_style {
	CANVAS_GRID, CANVAS_AXIS, CANVAS_LINK, CANVAS_SPREAD, CANVAS_LINE, CANVAS_BAR, CANVAS_FULL,
	CANVAS_OPEN, CANVAS_RING, CANVAS_REACH, CANVAS_STYLES
};

extern const struct canvas_look {
	const char *class;  /* of the page's style sheet */
	const char *stroke; /* "#56616e"; "": the colour of the curve; NULL: none */
	double width;
	const char *fill;   /* the same */
	const char *dash;   /* lengths of dash, gap, ...; NULL: none, or those of the curve */
} canvas_styles[CANVAS_STYLES];

enum canvas_anchor { CANVAS_START, CANVAS_MIDDLE, CANVAS_END };
/* Bits. */
enum { CANVAS_BOLD = 1u << 0, CANVAS_QUIET = 1u << 1, CANVAS_TURNED = 1u << 2 /* upwards */ };

struct canvas_text {
	double x, y;        /* of the base line */
	enum canvas_anchor anchor;
	unsigned int how;
	const char *text;   /* from anybody: only printable ASCII is drawn */
};

struct canvas;

struct canvas_kind {
	const char *name;              /* "SVG file" */
	const char *suffix;            /* ".svg" of its files */
	const char *begins;            /* its files begin with it */
	bool pages;                    /* a picture on each; else all below each other */
	void (*begin)(struct canvas *c, double width, double height); /* a page */
	void (*end)(struct canvas *c);                                /* of a page */
	void (*finish)(struct canvas *c);                             /* of a file */
	void (*line)(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		     size_t n, const char *dash);
	/* A closed area of n points; opacity 0 to 1: of its fill. */
	void (*area)(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		     size_t n, double opacity);
	void (*circle)(struct canvas *c, enum canvas_style style, double x, double y, double r);
	void (*text)(struct canvas *c, const struct canvas_text *text);
	/* What follows is of a curve: its number for the style sheet, from 1. NULL: no groups */
	void (*curve)(struct canvas *c, unsigned int number);
	/* The same of a point that shows its values by this text; both NULL: no pointer */
	void (*point)(struct canvas *c, const char *title);
	void (*close)(struct canvas *c);   /* of a curve or a point */
};

struct canvas {
	const struct canvas_kind *kind;
	FILE *out;
	double x, y;          /* where 0 0 is */
	const char *colour;   /* of the curve; NULL: in a page, whose style sheet has it */
	/* of the kind */
	void *state;
};

extern const struct canvas_kind canvas_none, canvas_svg, canvas_pdf, canvas_png;

/* The width of a text, as letters of Helvetica have it. */
double canvas_text_width(const char *text);
/* Where it begins, from its anchor. */
double canvas_text_start(const struct canvas_text *text);
/* A letter of it: a space for what is none. */
unsigned char canvas_letter(char letter);
double canvas_letter_width(unsigned char letter);

/* "#56616e" as three parts from 0 to 1, mixed with white: opacity 1 is the colour. */
void canvas_rgb(const char *colour, double opacity, double rgb[3]);
/* Of a style, on this canvas; false: there is none. */
bool canvas_stroke(const struct canvas *c, enum canvas_style style, double rgb[3]);
bool canvas_fill(const struct canvas *c, enum canvas_style style, double opacity, double rgb[3]);
const char *canvas_text_colour(const struct canvas_text *text);

#endif
