/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Rows that have the same values in some columns, which are kept as words, and the statistics of
 * their figures.
 */
#ifndef GROUPS_H
#define GROUPS_H

#include "read/rows.h"
#include "stats/repeats.h"

/* ---- all groups, in the order of their values */

struct groups {
	size_t n;
	uint32_t *begin;   /* n + 1: the rows of group g are members[begin[g]..begin[g + 1]) */
	uint32_t *members; /* rows by group, in the order of the rows */
	uint32_t *of_row;  /* the group of a row that counts; all three owned */
	const struct rows *rows;
};

/*
 * Sorted by the values of the columns, the first one first: numbers by size, tests, transports and
 * completions in their order, other texts by strcmp(). groups_free() is due.
 */
void groups_make(struct groups *groups, const struct rows *rows, const enum rows_column *columns,
		 size_t n_columns);
/* The same of the rows that count; skip: the others, which are in no group. NULL: all count. */
void groups_make_some(struct groups *groups, const struct rows *rows, const bool *skip,
		      const struct columns_named *columns);
void groups_free(struct groups *groups);

/* ---- step by step: each column splits the groups */

struct groups_split {
	const struct rows *rows;
	const bool *skip;  /* rows that do not count, borrowed; NULL: all count */
	size_t n;          /* groups; 1 at first, also without a row */
	uint32_t *of_row;  /* owned */
};

/* groups_split_end() is due. */
void groups_split_begin(struct groups_split *split, const struct rows *rows);
void groups_split_by(struct groups_split *split, enum rows_column column);
void groups_split_end(struct groups_split *split);

/* ---- statistics of a group: of repeats of one measurement */

struct spread {
	size_t n;                 /* rows that have the quantity */
	double median, min, max;  /* NAN: n is 0 */
	struct repeats_interval interval; /* of the median */
};

/* The values themselves. */
struct spread_values {
	double *sorted;  /* n of them, owned: free() */
	size_t n;
};

/* Of the rows of a group; skip: rows that do not count, NULL: all count. */
struct spread spread_of(const struct groups *groups, size_t group, enum rows_column column,
			const bool *skip);

/* The same in two steps. */
struct spread_values spread_values(const struct groups *groups, size_t group,
				   enum rows_column column, const bool *skip);
struct spread spread_of_values(const struct spread_values *values);

#endif
