/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The summary of rows: a line for each combination of the settings that vary, with median, minimum
 * and maximum of its repeats.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "rows/columns_named.h"
#include "rows/rows.h"
#include "analysis/sheet.h"

/* What a summary is made of; all borrowed. */
struct summary {
	const struct rows *rows;
	const bool *skip;                  /* rows without figures: measured_skip() */
	const enum rows_column *axes;      /* the lines differ in these: axes_swept() */
	size_t n_axes;
	const struct columns_named *of;    /* the figures */
};

enum summary_tests { SUMMARY_ALL, SUMMARY_BW, SUMMARY_LAT };

/*
 * Fills a zeroed sheet with the lines of these tests; a figure that none of them has is left out.
 * -ENOMEM with an error message. sheet_free() is due in every case.
 */
int summary_make(struct sheet *sheet, const struct summary *summary, enum summary_tests tests)
	__attribute__((warn_unused_result));

/* A cell of a key: a number or a text, as the column is. */
void summary_key(struct sheet *sheet, size_t cell, const struct rows *rows,
		 enum rows_column column, size_t row);

#endif
