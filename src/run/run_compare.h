/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The ways to take completions side by side: rows of a sweep, gathered by all that is the same in
 * them, and the medians of their rounds.
 */
#ifndef RUN_COMPARE_H
#define RUN_COMPARE_H

#include <stdint.h>

#include "config/kind.h"
#include "report/row.h"

/* What is compared. */
enum compare_figure {
	COMPARE_RATE,      /* messages per second */
	COMPARE_GBIT,
	COMPARE_P50,       /* ns, NAN of a bandwidth test */
	COMPARE_P99,
	COMPARE_P99_9,
	COMPARE_OWN_CPU,   /* ns per message; NAN on a side without a loop */
	COMPARE_PEER_CPU,
	COMPARE_FIGURES
};

struct compare_rounds {
	double *values;    /* COMPARE_FIGURES of each round; owned */
	uint32_t n;
};

/* Rows that differ only in how completions are taken. */
struct compare_group {
	char key[ROW_TEXT];
	char test[ROW_NAME];
	uint64_t size_bytes;
	struct compare_rounds rounds[CM_COUNT];
};

/* A zeroed one is empty. */
struct compare {
	struct compare_group *groups;
	uint32_t n;
	uint32_t left_out;   /* rows that are not ok */
	uint32_t disturbed;  /* rows with a warning */
};

/* A row of the sweep; those that are not ok are counted only. Without memory it is left out. */
void compare_add(struct compare *c, const struct row *row);

/* The median of a figure over the rounds; NAN: none has it. */
double compare_median(const struct compare_group *g, enum completion cm, enum compare_figure f);

/* The table and the answer in words, to standard output. */
void compare_print(const struct compare *c);

/* Accepts a zeroed one. */
void compare_free(struct compare *c);

#endif
