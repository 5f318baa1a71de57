/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The rows of nodes: their values in one direction; and which rows are low. See judge.h. */
#ifndef JUDGE_ROWS_H
#define JUDGE_ROWS_H

#include "judge/judge.h"

/* A row has the number 2 * node + direction. */
enum judge_direction { JUDGE_SEND, JUDGE_RECEIVE };

/* A pair in a row. */
struct judge_entry {
	double excess;                 /* judge_excess() */
	const struct judge_pair *pair;
	uint32_t other;                /* the row of its other end */
};

struct judge_row {
	struct judge_entry *entries;   /* n of them, the worst first */
	size_t n;
	/* Over the entries whose other row is not bad; computed if known. */
	double excess;                 /* the median */
	const struct judge_entry *middle[2];
	uint32_t n_good;
	bool known;
	bool bad;
};

struct judge_rows {
	struct judge_row *all;         /* n of them; owned */
	size_t n;
	struct judge_entry *entries;   /* owned */
};

/*
 * By how much of the median of the class this pair is beyond the limit: above 0 it is low; INFINITY
 * if it failed, -INFINITY if there is no limit.
 */
double judge_excess(const struct judge_pair *pair, const struct judge_report *report);

/* Are both nodes alive, and is it judged: it has a value and is not disturbed, or it failed? */
bool judge_is_alive(const struct judge_pair *pair, const struct judge_ask *ask);
bool judge_is_judged(const struct judge_pair *pair);

/* Between two leaves of which the report says that one is low in that direction. */
bool judge_is_explained(const struct judge_pair *pair, const struct judge_report *report,
			const struct judge_ask *ask);

/* From the classes of the report, without what is explained. No row is bad. */
void judge_rows_make(struct judge_rows *rows, const struct judge_report *report,
		     const struct judge_ask *ask);

/* Marks the bad rows, the worst first, each without the values that other bad rows explain. */
void judge_rows_mark(struct judge_rows *rows);

void judge_rows_free(struct judge_rows *rows);

#endif
