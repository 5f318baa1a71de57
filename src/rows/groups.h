/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Rows that have the same values in some columns. The columns are kept as words. */
#ifndef GROUPS_H
#define GROUPS_H

#include "rows/rows.h"

/* ---- all groups, in the order of their values */

struct groups {
	size_t n;
	uint32_t *begin;   /* n + 1: the rows of group g are members[begin[g]..begin[g + 1]) */
	uint32_t *members; /* rows by group, in the order of the rows; both owned */
	const struct rows *rows;
};

/*
 * Sorted by the values of the columns, the first one first: numbers by size, tests, transports and
 * completions in their order, other texts by strcmp(). -ENOMEM with an error message;
 * groups_free() is due after success only.
 */
int groups_make(struct groups *groups, const struct rows *rows, const enum rows_column *columns,
		size_t n_columns) __attribute__((warn_unused_result));
void groups_free(struct groups *groups);

/* -1, 0, 1: the order of two words of a column. */
int groups_compare(const struct rows *rows, enum rows_column column, uint32_t a, uint32_t b);

/* ---- step by step: each column splits the groups */

struct groups_split {
	const struct rows *rows;
	const bool *skip;  /* rows that do not count, borrowed; NULL: all count */
	size_t n;          /* groups; 1 at first, also without a row */
	uint32_t *of_row;  /* owned */
};

/* groups_split_end() is due in every case. -ENOMEM with an error message. */
int groups_split_begin(struct groups_split *split, const struct rows *rows)
	__attribute__((warn_unused_result));
int groups_split_by(struct groups_split *split, enum rows_column column)
	__attribute__((warn_unused_result));
void groups_split_end(struct groups_split *split);

#endif
