/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room pictures: pictures of rows: which ones, their content, and their SVG. It knows no option and
 * no file of results.
 *
 *	plot_choose.c  which pictures rows are worth, and which ones the user asks for
 *	plot_rows.c    which rows become which points of which curves of which pictures
 *	plot_markup.c  texts in markup
 *	plot_quantiles.c  the two pictures of a distribution
 *	plot_texts.c   names, units, words
 *	plot.c         curves, scales, ticks
 *	plot_draw.c    draws them on a canvas (canvas.h), inside a page and as a file
 */
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "read/groups.h"

#define PLOT_CURVES 8   /* of one picture; more cannot be distinguished */
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
	bool is_named;         /* the ticks are names */
	double from, to;       /* of the shown values */
	struct plot_tick ticks[PLOT_TICKS];
	size_t n_ticks;
};

/* Of all rows with this x: their median, least and most. */
struct plot_point {
	double x, y, low, high;
	size_t runs;
	bool disturbed;        /* one of these rows is: measured_disturbed() */
	bool bare;             /* only of the line: it has no shape, and tells no value */
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
	const char *made_of;   /* what its curves are made of; NULL: each point is measured */
	bool emulated;         /* a row of an emulated device is in it */
	bool runs;             /* a point is of several rows */
	bool disturbed;        /* a point is of a disturbed row */
	double link;           /* a line at the rate of the link, as shown values are; 0: none */
	enum plot_form form;
	struct plot_axis x, y;
	struct plot_curve curves[PLOT_CURVES];
	size_t n_curves;
};

/* Zeroed: none. */
struct plots {
	struct plot *all;      /* owned: plot_free() */
	size_t n;
	size_t left_out;       /* pictures beyond these */
};

/* The words of every picture with emulated rows, with disturbed ones, with repeats. */
#define PLOT_EMULATED "emulated HCA: not a result of hardware"
#define PLOT_DISTURBED "a ring: the run of this point was disturbed"
#define PLOT_REPEATS "median of repeats, with the line from the least to the most"

/* What pictures of a distribution are made of, if all curves, or some, are of histograms. */
#define PLOT_SAMPLES "made of all samples, those of repeats together"
#define PLOT_SOME_SAMPLES \
	"the smooth curves are made of all samples, those of repeats together, the others of percentiles"

/* ---- plot_choose.c */

/* All columns that the pictures need. */
void plot_choose_want(struct rows_query *query);

/*
 * Adds the pictures that are made of rows without a request: over the axis that was swept most,
 * bandwidth, message rate, latency and CPU time; the percentile curve; completions side by side;
 * intervals over time. -EINVAL with an error message.
 */
int plot_choose(struct plots *plots, const struct rows *rows) __attribute__((warn_unused_result));

/* What the user asks for. */
struct plot_asked {
	struct columns_named x, y, series; /* x empty: the axis that was swept most */
};

/*
 * Reads names of columns with commas between them; NULL: not given. -EINVAL with an error message:
 * a name is no column, or none that can be drawn so.
 */
int plot_choose_read(struct plot_asked *asked, const char *x, const char *y, const char *series)
	__attribute__((warn_unused_result));

/* The same as above for pictures that the user asks for. -EINVAL too: no row has the values. */
void plot_choose_want_asked(struct rows_query *query, const struct plot_asked *asked);
int plot_choose_asked(struct plots *plots, const struct rows *rows, const struct plot_asked *asked)
	__attribute__((warn_unused_result));

/* ---- plot_rows.c */

enum plot_over {
	PLOT_OVER_COLUMN,      /* y over the column x */
	PLOT_OVER_PERCENTILES, /* the columns y are percentiles of one curve: latency over them */
	PLOT_OVER_SHARES,      /* the same columns, also least and most: percent over latency */
	PLOT_OVER_RATIOS       /* bars: the columns y, divided by those of the first curve */
};

struct plot_y {
	enum rows_column column;
	const char *name;      /* NULL: the words of the column */
};

/* Pictures to make of rows. */
struct plot_spec {
	const char *name;      /* of the file: "bandwidth" */
	const char *title;     /* "Bandwidth", without what it is over */
	const char *of;        /* "bandwidth tests"; NULL: there is only one such picture */
	const char *y_words;   /* of the axis; NULL: those of the first column */
	const char *made_of;   /* as in struct plot */
	enum plot_over over;
	enum rows_column x;    /* of PLOT_OVER_COLUMN */
	const struct plot_y *y;
	size_t n_y;            /* at most PLOT_CURVES */
	const struct columns_named *series; /* what becomes curves; NULL: chosen */
	const bool *skip;      /* rows that do not count */
};

/*
 * Adds the pictures; none if no row has the values. What the rows sweep besides x
 * becomes curves, and what would be too many curves becomes several pictures; so rows that differ
 * in a setting are never one curve. Rows that differ in nothing are one point, their median. The
 * rows have all settings (axes_want_all()), x, y and series; of the latter numbers as words.
 * -EINVAL with an error message: the series of a picture are more than PLOT_CURVES.
 */
int plot_rows(struct plots *plots, const struct rows *rows, const struct plot_spec *spec)
	__attribute__((warn_unused_result));

/* ---- plot_quantiles.c */

/* Where a percentile stands: by its nines, or in percent. NAN: it has no place. */
double plot_quantile_at(enum rows_column column, bool percent);
/* The axis of percentiles, as far as a curve goes. */
void plot_quantile_axis(struct plot_axis *axis, double most);
/* Curves of latency over percent become percent over latency; makes both axes. */
void plot_shares(struct plot *plot, const struct field *column);

/* The rows of one curve of one picture. */
struct plot_part {
	const struct groups *series, *facets;
	size_t curve, facet;
};

/*
 * If all rows of a curve that have latency have a histogram (read/rows.h), its points become those
 * of all their samples: latency over percent of the samples, or else over nines, up to the
 * percentile that 10 samples are beyond. The percentiles stay shown, the other points are bare; one
 * that cannot be seen beside the one before it is left out. False: the curve is as it was.
 */
bool plot_samples(struct plot_curve *curve, const struct plot_part *part, bool percent);

/* ---- plot_texts.c */

/* "latency, median": the column in words, without its unit. Returns text. */
const char *plot_words(const struct field *column, char *text, size_t size);

/*
 * Label, unit and per of an axis for the values of a column up to most. what: other words than
 * those of the column; NULL: those of the column.
 */
void plot_axis_label(struct plot_axis *axis, const struct field *column, const char *what,
		     double most);

/* A shown value with its unit: "64k bytes", "12.5 us". Returns text. */
const char *plot_value(const struct plot_axis *axis, double value, char *text, size_t size);
/* The same without the unit. */
const char *plot_number(const struct plot_axis *axis, double value, char *text, size_t size);
/* The same of x, or the name that stands there. Returns text or the name. */
const char *plot_x(const struct plot *plot, double x, char *text, size_t size);

/* What a word of a column says in a legend: "poll", "depth 128". Returns text. */
const char *plot_word(const struct rows *rows, enum rows_column column, uint32_t word, char *text,
		      size_t size);

/* Adds ", " and what, or cuts it with "..." if there is no room. */
void plot_join(char *text, size_t size, const char *what);

/* A name of a file from any text: what is not [a-z0-9_.-] becomes '-'. */
void plot_file_name(char *name, size_t size, const char *text);

/* What is the same in all rows that count: "send_bw, RC, node1, ...". */
void plot_head(const struct rows *rows, const bool *skip, enum rows_column x, char *text,
	       size_t size);

/* ---- plot.c */

/* A new picture at the end, zeroed. */
struct plot *plot_new(struct plots *plots);
/* Removes the last one. */
void plot_drop(struct plots *plots);
/* Accepts a zeroed or freed one. */
void plot_free(struct plots *plots);

/* A row of the curve; NAN in y is none. */
void plot_add(struct plot_curve *curve, double x, double y, bool disturbed);
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

/*
 * Range and ticks of an axis for the values from least to most, divided by per. x goes by powers if
 * the values do. y goes by powers of ten if the values span more than two decades, of a time from
 * 1.5 on, because its median and its tail are one picture; else it begins at 0.
 */
enum plot_log { PLOT_LOG_NEVER, PLOT_LOG_RATE, PLOT_LOG_TIME };

void plot_axis_x(struct plot_axis *axis, double least, double most);
void plot_axis_y(struct plot_axis *axis, double least, double most, enum plot_log log);

/* Where a shown value is, 0 at from, 1 at to. */
double plot_axis_at(const struct plot_axis *axis, double value);

/* ---- plot_draw.c */

/* "#0060a8": how a curve looks in a file. */
const char *plot_colour(unsigned int look);

/*
 * SVG without id, link and script; each point tells its values by <title>. Inside a page: its
 * colours, fonts and the look of its lines are classes of the page's style sheet (page.css), so
 * that they follow light, dark and print.
 */
void plot_svg(FILE *out, const struct plot *plot);
/* The curve in a legend of the page: a piece of its line with its point, or a small bar. */
void plot_svg_sample(FILE *out, const struct plot *plot, const struct plot_curve *curve);

/* A file of n pictures, with titles and legends, on white: each on a page, or below each other. */
struct canvas_kind;
void plot_file(FILE *out, const struct canvas_kind *kind, const struct plot *plots, size_t n);

/* ---- plot_markup.c */

/*
 * Writes the text with < > & " ' as references. What is no printable ASCII becomes a space or '?'
 * (util/text.h), so it cannot be markup.
 */
void plot_text(FILE *out, const char *text);

/* Markup with texts: %s is written by plot_text(); beside it there are %u, %zu, %.Nf and %%. */
void plot_html(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
