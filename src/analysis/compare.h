/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * --compare A B: each measurement of file A beside the one of file B that has the same settings.
 *
 * Each line has the repeats of both sides, their medians and the verdict of verdict.h. Bandwidths,
 * rates and fairness are better when they are greater, latencies, CPU times, losses and switches
 * when they are less; of other quantities it is only said that they differ.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "analysis/sheet.h"
#include "analysis/verdict.h"
#include "rows/columns_named.h"

/* Set the first fields, zero the others. */
struct compare {
	const struct rows *rows;             /* of two files, A first; ROWS_file is kept as words */
	const bool *skip;                    /* rows without figures: measured_skip() */
	const struct columns_named *ignored; /* the files may differ in these */
	double within;                       /* percent */
	bool of_programs;                    /* also the quantity */
	struct columns_named keys;           /* lines are matched by these */
	size_t verdicts[VERDICT_COUNT];      /* how many lines have each */
};

/*
 * Fills keys. -EINVAL with an error message if the files differ in an axis that is not ignored:
 * none of the values of one is in the other.
 */
int compare_axes(struct compare *compare) __attribute__((warn_unused_result));

/*
 * Adds the lines of a quantity to a sheet, which is zeroed at first. -ENOMEM with an error message.
 * sheet_free() is due in every case.
 */
int compare_add(struct sheet *sheet, struct compare *compare, enum rows_column quantity)
	__attribute__((warn_unused_result));

#endif
