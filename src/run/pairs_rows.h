/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The rows of several pairs until all have ended, and the totals. For pairs.c alone. */
#ifndef RUN_PAIRS_ROWS_H
#define RUN_PAIRS_ROWS_H

#include <stdint.h>

#include "control/sink.h"
#include "report/row.h"

struct pairs_rows_one {
	const char *name;     /* borrowed */
	struct row *rows;     /* owned */
	uint32_t n;
	uint32_t lost;        /* rows for which there was no memory */
	char lacks[ROW_TEXT]; /* why it has fewer rows than another */
};

/* Zeroed before pairs_rows_open(). */
struct pairs_rows {
	struct pairs_rows_one *of; /* owned */
	uint32_t n;
};

/* -errno with an error message. names are copied by reference. */
int pairs_rows_open(struct pairs_rows *all, const char *const *names, uint32_t n)
	__attribute__((warn_unused_result));
void pairs_rows_close(struct pairs_rows *all);

/* Puts the name of a pair into a row of it. */
void pairs_rows_name(const struct pairs_rows *all, uint32_t pair, struct row *row);

/* The next row of a pair. All pairs have the same points and directions in the same order. */
void pairs_rows_add(struct pairs_rows *all, uint32_t pair, const struct row *row);

/* Why the pair has fewer rows than another, if it has. Copied. */
void pairs_rows_lacks(struct pairs_rows *all, uint32_t pair, const char *reason);

/*
 * Hands all rows to sink: for each point and direction that of each pair, failed where it has none,
 * and the total. Then there are none.
 */
void pairs_rows_flush(struct pairs_rows *all, const struct session_sink *sink);

#endif
