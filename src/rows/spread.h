/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What repeats of one measurement make together. */
#ifndef SPREAD_H
#define SPREAD_H

#include "rows/groups.h"

struct spread {
	size_t n;                 /* rows that have the quantity */
	double median, min, max;  /* NAN: n is 0; median of an even n: mean of the middle two */
};

/* The values themselves. */
struct spread_values {
	double *sorted;  /* n of them, owned: free() */
	size_t n;
};

/* Of the rows of a group; skip: rows that do not count, NULL: all count. -ENOMEM. */
int spread_of(struct spread *spread, const struct groups *groups, size_t group,
	      enum rows_column column, const bool *skip) __attribute__((warn_unused_result));

/* The same in two steps. free() is due in every case. */
int spread_values(struct spread_values *values, const struct groups *groups, size_t group,
		  enum rows_column column, const bool *skip) __attribute__((warn_unused_result));
struct spread spread_of_values(const struct spread_values *values);

#endif
