/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * From rows to pictures. What the rows sweep besides x becomes curves, and what would be too many
 * curves becomes several pictures; so rows that differ in a setting are never one curve. Rows that
 * differ in nothing are one point, their median.
 */
#ifndef PLOT_ROWS_H
#define PLOT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/plot.h"
#include "rows/rows.h"

enum plot_over {
	PLOT_OVER_COLUMN,      /* y over the column x */
	PLOT_OVER_PERCENTILES, /* the columns y are percentiles of one curve: latency over them */
	PLOT_OVER_RATIOS       /* bars: the columns y, divided by those of the first curve */
};

struct plot_wish {
	const char *name;      /* of the file: "bandwidth" */
	const char *title;     /* "Bandwidth", without what it is over */
	const char *of;        /* "bandwidth tests"; NULL: there is only one such picture */
	const char *y_words;   /* of the axis; NULL: those of the first column */
	enum plot_over over;
	enum rows_column x;    /* of PLOT_OVER_COLUMN */
	const enum rows_column *y;
	const char *const *y_names; /* one for each y; NULL: their words */
	size_t n_y;            /* at most PLOT_CURVES */
	const enum rows_column *series; /* what becomes curves; NULL: chosen */
	size_t n_series;
	const bool *skip;      /* rows that do not count */
};

/*
 * Adds the pictures of the wish; none if no row has the values. The rows have all settings
 * (axes_want_all()), x, y and series; of the latter numbers as words. -EINVAL: y has several
 * units, or the series of a picture are more than PLOT_CURVES; -ENOMEM; both with an error message.
 */
int plot_rows(struct plots *plots, const struct rows *rows, const struct plot_wish *wish)
	__attribute__((warn_unused_result));

/* ---- plot_split.c: for plot_rows() */

#define PLOT_CURVES_AIM 6 /* more make several pictures, if they can */

/*
 * Which columns are the curves of a picture, and which make several pictures. Fills series and
 * facets, of which only the rows are set: a curve for each of series, a picture for each of facets.
 * combos_free() of both is due in every case. -EINVAL: the series of the wish are more than
 * PLOT_CURVES; -ENOMEM; both with an error message.
 */
struct combos;
int plot_split(struct combos *series, struct combos *facets, const struct plot_wish *wish)
	__attribute__((warn_unused_result));

/* ---- plot_texts.c */

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

#endif
