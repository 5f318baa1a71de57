/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which pictures rows are worth, if nobody says: over the axis that was swept most, bandwidth,
 * message rate, latency and CPU time; the percentile curve; completions side by side; intervals
 * over time.
 */
#ifndef PLOT_CHOOSE_H
#define PLOT_CHOOSE_H

#include "plot/plot.h"
#include "rows/rows.h"

/* All columns that the pictures take. */
void plot_choose_want(struct rows_query *query);

/* Adds the pictures. -ENOMEM with an error message. */
int plot_choose(struct plots *plots, const struct rows *rows) __attribute__((warn_unused_result));

/* ---- for plot_asked.c */

/* What every picture must know of a row. */
void plot_choose_want_rows(struct rows_query *query);

/*
 * The rows that were not measured: true in what is returned, which is owned: free(). NULL: no
 * memory, with an error message.
 */
bool *plot_choose_skip(const struct rows *rows);

/*
 * The axis that the rows sweep most: a number if there is one, else completions or the first one.
 * ROWS_COLUMNS: they sweep none. -ENOMEM with an error message.
 */
int plot_choose_x(const struct rows *rows, const bool *skip, enum rows_column *x)
	__attribute__((warn_unused_result));

/* ---- plot_asked.c */

/* What the user asks for, as names of columns with commas between them; NULL: not given. */
struct plot_asked {
	const char *x, *y, *series;
};

/*
 * The same for pictures that the user asks for: x NULL is the axis that was swept most. -EINVAL
 * with an error message: a name is no column, or none that can be drawn so; no row has the values.
 */
int plot_asked_want(struct rows_query *query, const struct plot_asked *asked)
	__attribute__((warn_unused_result));
int plot_asked(struct plots *plots, const struct rows *rows, const struct plot_asked *asked)
	__attribute__((warn_unused_result));

#endif
