/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which rows have figures to compute with, what a report says of the others, and which quantities a
 * reader wants first.
 */
#ifndef MEASURED_H
#define MEASURED_H

#include <stdio.h>

#include "rows/columns_named.h"

/* The columns that this file needs: status, reason, warnings. */
void measured_want(struct rows_query *query);

/*
 * One per row: true for a row that does not count: its status is neither ok nor interrupted (the
 * user ended it, and the figures are those until then). NULL: no memory. The caller frees it.
 */
bool *measured_skip(const struct rows *rows) __attribute__((warn_unused_result));

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
