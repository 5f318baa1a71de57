/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The columns that say what was measured, as opposed to what came out: axes.def. Two rows that are
 * the same in all of them are repeats of one measurement.
 */
#ifndef AXES_H
#define AXES_H

#include "rows/columns_named.h"
#include "rows/rows.h"

enum {
	AXES_SHOWN = 1u << 0, /* shown wherever it varies, also if other axes tell it */
	AXES_HEAD = 1u << 1,  /* named above a summary when it is the same in all rows */
	AXES_PLACE = 1u << 2  /* where, not how: host, device, link */
};

struct axes_row {
	enum rows_column column;
	unsigned int flags;
};

/* In the order of their weight: of two that tell each other, the first is shown. */
extern const struct axes_row axes[];
extern const size_t axes_n;

/* Is it one of them? */
bool axes_is(enum rows_column column);

/* Wants a column: a setting or a text as words, another one as numbers. Twice is no error. */
void axes_want(struct rows_query *query, enum rows_column column);

/* Wants all axes. */
void axes_want_all(struct rows_query *query);

/* Wants a column of row_table by its index; arg: struct rows_query. For condition_columns_all(). */
void axes_want_index(void *arg, size_t column);

/*
 * The axes that vary in these rows, in their order, without those that the others tell: of a sweep
 * of sizes the size, but not the footprint, which follows from it. At most ROWS_COLUMNS. The rows
 * have all settings (axes_want_all()). skip: rows that do not count, because settings are missing
 * in what was not measured; NULL: all count. -ENOMEM with an error message.
 */
int axes_swept(const struct rows *rows, const bool *skip, enum rows_column swept[ROWS_COLUMNS],
	       size_t *n) __attribute__((warn_unused_result));

/* The same beside other columns, kept as words: neither they nor what they tell is in the list. */
int axes_swept_beside(const struct rows *rows, const bool *skip,
		      const struct columns_named *others, struct columns_named *swept)
	__attribute__((warn_unused_result));

/* The same as if there were no such columns. */
int axes_swept_without(const struct rows *rows, const bool *skip,
		       const struct columns_named *others, struct columns_named *swept)
	__attribute__((warn_unused_result));

#endif
