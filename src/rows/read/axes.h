/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The columns that say what was measured, as opposed to what came out: axes.def. Two rows that are
 * the same in all of them are repeats of one measurement.
 */
#ifndef ROWS_AXES_H
#define ROWS_AXES_H

#include "read/rows.h"

enum {
	AXES_SHOWN = 1u << 0, /* shown wherever it varies, also if other axes tell it */
	AXES_HEAD = 1u << 1,  /* named above a summary when it is the same in all rows */
	AXES_PLACE = 1u << 2, /* where, not how: host, device, link */
	AXES_BESIDE = 1u << 3 /* also shown where it varies and the axis before it is shown */
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

/*
 * The axes that vary in these rows, in their order, without those that the others tell: of a sweep
 * of sizes the size, but not the footprint, which follows from it. The rows
 * have all settings (axes_want_all()). skip: rows that do not count, because settings are missing
 * in what was not measured; NULL: all count.
 */
void axes_swept(const struct rows *rows, const bool *skip, struct columns_named *swept);

/* The same beside other columns, kept as words: neither they nor what they tell is in the list. */
void axes_swept_beside(const struct rows *rows, const bool *skip,
		       const struct columns_named *others, struct columns_named *swept);

/* The same as if there were no such columns. */
void axes_swept_without(const struct rows *rows, const bool *skip,
			const struct columns_named *others, struct columns_named *swept);

/* ---- the rows that count, what a report says of the others, and what a reader wants first */

/* Is it a time of messages? People know these in us. */
bool measured_is_latency(const struct field *column);

/*
 * Wants the columns that the following needs: test, status, reason, warnings and their quantities.
 */
void measured_want(struct rows_query *query);

/*
 * One per row: true for a row that does not count: its status is neither ok nor interrupted (the
 * user ended it, and the figures are those until then). The caller frees it.
 */
bool *measured_skip(const struct rows *rows);

/*
 * Did something else than the test change its figures? By the codes of its warnings; of a row from
 * before they had codes: it has a warning.
 */
bool measured_disturbed(const struct rows *rows, size_t row);

/* Is it a row of a latency test? */
bool measured_is_lat(const struct rows *rows, size_t row);

/* The quantities of a summary without --of: of latency tests, of bandwidth tests. */
extern const struct columns_named measured_lat, measured_bw;

/*
 * A line for each status and reason of the rows that do not count, and for each kind of warning,
 * with the number of rows: at most NOTES_MAX of them. Calls take with each.
 */
#define NOTES_MAX 12
void measured_notes(const struct rows *rows, void (*take)(void *arg, const char *note), void *arg);

#endif
