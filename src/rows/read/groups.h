/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Rows that have the same values in some columns, which are kept as words, and the statistics of
 * their figures.
 */
#ifndef GROUPS_H
#define GROUPS_H

#include "read/rows.h"

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
	double median, min, max;  /* NAN: n is 0; median of an even n: mean of the middle two */
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

/*
 * The rank sum test of two samples: Mann, Whitney, "On a Test of Whether one of Two Random
 * Variables is Stochastically Larger than the Other", Ann. Math. Statist. 18 (1947). Equal values
 * share the mean of their ranks. It asks nothing of the distribution, and one wrong value has one
 * rank only.
 *
 * The probabilities are exact, also with equal values: those of all choices of n_b of the n_a + n_b
 * ranks that were seen. Where there would be too many sums of ranks (RANK_TEST_EXACT) they are
 * those of the normal distribution, with half a rank for continuity, and with the variance for ties
 * of Lehmann, "Nonparametrics: Statistical Methods Based on Ranks" (1975), chapter 1.4.
 * Probabilities below 0.1 differ there by less than 0.005, unless most values are equal.
 */
/*
 * Exact if all values times those of the smaller sample are not more than this: 31 beside 31, 4
 * beside 496. A test then takes some 10 ms and 1 MB at most.
 */
#define RANK_TEST_EXACT 2000u

/* Probabilities of what was seen or more of it, if both samples are of one distribution. */
struct rank_test {
	double less;     /* that B is as low as it is, or lower */
	double greater;  /* that B is as high as it is, or higher */
	double differs;  /* that B is as far from A as it is, in either direction */
};

/* Of n_a and n_b values, at least one of each, none NAN. */
struct rank_test rank_test(const double *a, size_t n_a, const double *b, size_t n_b);

#endif
