/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The kinds of warnings of rows: a sentence for each, with the range of its quantity over the rows
 * that have it. Table, report and page say the same of the same rows.
 */
#ifndef REMARK_H
#define REMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row/row.h"

/* "BEFORE 11 to 93 UNIT AFTER", or without a known range "BEFORE AFTER". */
struct remark {
	const char *code;           /* the word in warning_codes; NULL: none */
	const char *before, *unit, *after; /* unit NULL: it has no quantity */
	size_t own, peer;           /* offsets in struct row: the quantity of each side; 0: none */
	bool counts;                /* the quantity is a whole number */
	double scale;               /* of the column, to the unit of the text */
};

/* By the bits of the codes: remark_kinds[i] is of 1u << i. */
#define REMARKS (AFFINITY_WARNINGS + 8)
extern const struct remark remark_kinds[REMARKS];

/* The bits of disturbances from outside, as opposed to a window that is too short. */
#define REMARK_DISTURBS ((2u << AFFINITY_WARNINGS) - 1)

/* A row has warnings, but no code: it was written by a version without codes. */
extern const struct remark remark_without_code;

/* Of the rows that have a remark. Zeroed: none. */
struct remark_range {
	uint64_t rows, known;       /* known: those that have the quantity */
	double least, most;
};

/* One more row; value NAN: it does not have the quantity. */
void remark_count(struct remark_range *range, double value);

/* The quantity of a row in the unit of the text, the larger one of both sides; NAN: unknown. */
double remark_value(const struct remark *remark, const struct row *row);

/* "11 to 93", of a known range; whole: without decimals. Returns text. */
#define REMARK_NUMBERS 68
const char *remark_numbers(const struct remark_range *range, bool whole,
			   char text[REMARK_NUMBERS]);

/* "68 of 69 rows: a thread waited 11 to 93 % for a CPU"; of one row the sentence. Returns text. */
#define REMARK_TEXT 256
const char *remark_text(const struct remark *remark, const struct remark_range *range,
			uint64_t of_rows, char text[REMARK_TEXT]);

/* The bits of the words of warning_codes. */
unsigned int remark_bits(const char *codes);

#endif
