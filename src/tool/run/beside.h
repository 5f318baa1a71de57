/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The rows of compare-completion: one table of the medians of the rounds, and an answer in words
 * that follows from it. No memory ends the program (util/must.h).
 */
#ifndef BESIDE_H
#define BESIDE_H

#include <stdint.h>
#include <stdio.h>

#include "read/groups.h"
#include "read/rows.h"
#include "row/remark.h"

struct beside {
	struct rows rows;        /* those that are ok */
	uint32_t left_out;       /* rows that are not ok */
	struct remark_range ranges[REMARKS]; /* of their warnings, as remark_kinds */
};

void beside_begin(struct beside *c);
void beside_free(struct beside *c);

/* A row of the sweep; arg: struct beside. */
void beside_take(void *arg, const struct row *row);

/*
 * What disturbed the rows, the table, and three lines for people: CPU time, rate and latency of
 * events and of hybrid, beside polling. A verdict is "less" or "more" if the medians differ by a
 * tenth or more, and by more than the rounds of one of them do. It is "not decided" where the
 * rounds differ more than that, and of one round. Nothing without rows.
 */
void beside_print(FILE *out, const struct beside *c, int width);

#endif
