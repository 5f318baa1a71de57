/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The total of several pairs that ran at once: two hosts with several devices, or one host with
 * several others. Rates are added only where the windows are one (row_windows.h): their begins have
 * the common start of the pairs as origin. Pure.
 */
#ifndef ROW_TOTAL_H
#define ROW_TOTAL_H

#include <stdint.h>

#include "report/row.h"

#define ROW_TOTAL_PAIR "total" /* the column pair of the total */
#define ROW_TOTAL_MAX 64       /* pairs */

/*
 * The total of the rows of one point and direction, one of each pair: the column pair names them.
 * n: 2..ROW_TOTAL_MAX. Its kind is total. Columns that all rows have in common stay; counts are
 * sums, absent if they are absent in one of the rows; the others are absent. Shares of the pairs
 * are there whenever each row has a rate. Without a total the row is skipped, and its reason says
 * why: a row is not ok (the reason names the pair), or they share too little of their time. The
 * total of a latency test has counts, rates and shares, no latency.
 */
void row_total(struct row *total, const struct row *rows, uint32_t n);

#endif
