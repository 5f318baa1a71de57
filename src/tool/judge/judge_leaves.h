/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Which leaves are low. See judge.h. */
#ifndef JUDGE_LEAVES_H
#define JUDGE_LEAVES_H

#include "judge/judge.h"

/* Sets low_leaves of a report with classes, and fills those again without what they explain. */
void judge_leaves_mark(struct judge_report *report, const struct judge_ask *ask);

/* What a low leaf has in its worse direction. */
struct judge_leaf_row {
	double value;     /* the median of those of its nodes; NAN: most pairs failed */
	uint32_t n;       /* pairs */
	uint32_t class;   /* of one of them */
};

struct judge_leaf_row judge_leaves_row(struct judge_report *report,
				       const struct judge_ask *ask, uint32_t leaf);

#endif
