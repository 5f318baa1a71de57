/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder plot: pictures of rows: which, what is in them, and how they are drawn. It knows no option
 * and no file of results.
 *
 * This header: a picture, without a form: axes with their ticks, and curves. Two writers draw it:
 * as a script for gnuplot (plot_gnuplot.c, the files of --plot) and as SVG inside the page
 * (plot_svg.c). Both take ranges, ticks, colours, dashes and shapes from here, so that a picture of
 * the page is the picture of the file.
 *
 *	plot_rows.c    which rows become which points of which curves
 *	plot_split.c   which columns become curves, and which pictures
 *	plot_choose.c  which pictures rows are worth, without being asked
 *	plot_axis.c    units, scales, ticks
 */
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLOT_CURVES 8   /* of one picture; more cannot be told apart */
#define PLOT_TICKS 24
#define PLOT_TEXT 160
#define PLOT_PICTURES 64 /* of one set of rows */
#define PLOT_OF_ONE 10   /* of them with the same y over the same x */

enum plot_scale { PLOT_LINEAR, PLOT_LOG2, PLOT_LOG10 };

/* Bars: x is 0, 1, ...: one group of bars per tick, one bar per curve. */
enum plot_form { PLOT_LINES, PLOT_BARS };

struct plot_tick {
	double at;
	char text[32];     /* "": a short one without a text */
};

struct plot_axis {
	char label[PLOT_TEXT]; /* "message size (bytes)" */
	char unit[24];         /* of the values that are shown; "": none */
	double per;            /* a value of the rows is divided by it */
	enum plot_scale scale;
	bool is_size;          /* 65536 is 64k */
	bool is_whole;         /* no value is between two integers */
	double from, to;       /* of the shown values */
	struct plot_tick ticks[PLOT_TICKS];
	size_t n_ticks;
};

/* Of all rows with this x: their median, least and most. */
struct plot_point {
	double x, y, low, high;
	size_t runs;
};

struct plot_curve {
	char name[PLOT_TEXT];
	unsigned int look;     /* colour and shape of points: below PLOT_CURVES */
	unsigned int dash;     /* the same: curves of one look differ in it */
	struct plot_point *points; /* owned, by x */
	size_t n, room;
};

struct plot {
	char name[PLOT_TEXT];  /* of its file, without suffix, and of its anchor: [a-z0-9_.-] */
	char title[PLOT_TEXT];
	char below[2 * PLOT_TEXT]; /* how and where the rows were measured; "" nothing to say */
	bool emulated;         /* a row of an emulated device is in it */
	bool runs;             /* a point is of several rows */
	enum plot_form form;
	struct plot_axis x, y;
	struct plot_curve curves[PLOT_CURVES];
	size_t n_curves;
};

struct plots {
	struct plot *all;      /* owned: plot_free() */
	size_t n;
	size_t left_out;       /* pictures beyond these */
	bool more;             /* and more, which nobody has counted */
};

/* The words of every picture with emulated rows. */
#define PLOT_EMULATED "emulated HCA: not a result of hardware"

/* ---- plot.c */

/* A new picture at the end, zeroed; NULL: no memory, with an error message. */
struct plot *plot_new(struct plots *plots);
/* Removes the last one. */
void plot_drop(struct plots *plots);
/* Accepts a zeroed or freed one. */
void plot_free(struct plots *plots);

/* A row of the curve; NAN in y is none. -ENOMEM with an error message. */
int plot_add(struct plot_curve *curve, double x, double y) __attribute__((warn_unused_result));
/* When all rows are there: sorted, one point for each x. */
void plot_settle(struct plot_curve *curve);

/* Each y becomes its ratio to that of the first curve at the same x, which is 0, 1, ... */
void plot_ratios(struct plot *plot);
/* Curves without a point go. */
void plot_drop_empty(struct plot *plot);
/* From values of the rows to values that are shown: divided by per of each axis. */
void plot_scale(struct plot *plot);

struct plot_range {
	double x_least, x_most, y_least, y_most;
};

struct plot_range plot_range(const struct plot *plot);

/* The look of a curve, by look and dash. Constant. */
struct plot_look {
	const char *colour;    /* "#0060a8", on white; CSS has others: page.css */
	int shape;             /* the number of gnuplot, "test terminal": 7 is a filled circle */
	double fill;           /* of a bar, 0 to 1 */
};
extern const struct plot_look plot_looks[PLOT_CURVES];
/* Lengths of dash, gap, ...; n 0: a line without gaps. */
struct plot_dash {
	size_t n;
	int lengths[6];
};
extern const struct plot_dash plot_dashes[PLOT_CURVES];

/* ---- plot_axis.c */

/*
 * Label, unit and per of an axis for the values of a column up to most. what: other words than
 * those of the column; NULL: those of the column.
 */
struct field;
void plot_axis_label(struct plot_axis *axis, const struct field *column, const char *what,
		     double most);
/* "latency, median": the column in words, without its unit. Returns text. */
const char *plot_words(const struct field *column, char *text, size_t size);

/*
 * Range and ticks of an axis for the values from least to most, divided by per. x goes by powers if
 * the values do; y of a time does if it must, and begins at 0 if not.
 */
void plot_axis_x(struct plot_axis *axis, double least, double most);
void plot_axis_y(struct plot_axis *axis, double least, double most, bool is_time);

/* Where a shown value is, 0 at from, 1 at to. */
double plot_axis_at(const struct plot_axis *axis, double value);

/* A shown value with its unit: "64k bytes", "12.5 us". Returns text. */
const char *plot_value(const struct plot_axis *axis, double value, char *text, size_t size);
/* The same without the unit. */
const char *plot_number(const struct plot_axis *axis, double value, char *text, size_t size);

#endif
