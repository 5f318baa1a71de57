/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* --by: the values of some columns beside each other, those of the other axes below each other. */
#ifndef PIVOT_H
#define PIVOT_H

#include "analysis/sheet.h"
#include "rows/columns_named.h"

/* What pivots are made of; all borrowed. */
struct pivot {
	const struct rows *rows;
	const bool *skip;                 /* rows without figures: measured_skip() */
	const struct columns_named *by;   /* kept as words */
	const struct columns_named *down; /* axes_swept_beside() of by */
	bool of_programs;                 /* the first column names the quantity */
};

#define PIVOT_MOST 64 /* columns of values */

/*
 * The pivot of a quantity: medians of the repeats. Adds to a sheet of the same pivot, or fills a
 * zeroed one; rows without any value are left out. -EINVAL with an error message: by has too many
 * values; -ENOMEM. sheet_free() is due in every case.
 */
int pivot_add(struct sheet *sheet, const struct pivot *pivot, enum rows_column quantity)
	__attribute__((warn_unused_result));

#endif
