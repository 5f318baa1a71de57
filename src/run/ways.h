/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The ways to take completions side by side: rows of a sweep, gathered by all that is the same in
 * them, and the medians of their rounds.
 */
#ifndef WAYS_H
#define WAYS_H

#include <stdint.h>

#include "config/kind.h"
#include "report/row.h"

#define WAYS_SIZES 64 /* that are compared */

/* What is compared. */
enum ways_figure {
	WAYS_RATE,      /* messages per second */
	WAYS_GBIT,
	WAYS_P50,       /* ns, NAN of a bandwidth test */
	WAYS_P99,
	WAYS_P99_9,
	WAYS_OWN_CPU,   /* ns per message; NAN on a side without a loop */
	WAYS_PEER_CPU,
	WAYS_FIGURES
};

struct ways_rounds {
	double *values;    /* WAYS_FIGURES of each round; owned */
	uint32_t n;
};

/* Rows that differ only in how completions are taken. */
struct ways_group {
	char key[ROW_TEXT];
	char test[ROW_NAME];
	uint64_t size_bytes;
	struct ways_rounds rounds[CM_COUNT];
};

/* A zeroed one is empty. */
struct ways {
	struct ways_group *groups;
	uint32_t n;
	uint32_t left_out;   /* rows that are not ok */
	uint32_t disturbed;  /* rows with a warning */
};

/* A row of the sweep; those that are not ok are counted only. Without memory it is left out. */
void ways_add(struct ways *c, const struct row *row);

/* The median of a figure over the rounds; NAN: none has it. */
double ways_median(const struct ways_group *g, enum completion cm, enum ways_figure f);

/* Accepts a zeroed one. */
void ways_free(struct ways *c);

#endif
