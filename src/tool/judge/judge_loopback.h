/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a low node has with itself, without a cable, says whether the fault is inside it. What that
 * should be is not known: a good node says it, as it need not be what a link has.
 */
#ifndef JUDGE_LOOPBACK_H
#define JUDGE_LOOPBACK_H

#include <stdbool.h>

#include "judge/judge.h"

struct judge_loopback {
	double own, good;          /* of that node, the best; of a good one; NAN: none */
	bool lower_is_better;
};

/* What is good is good: what is low is measured again. */
bool judge_loopback_wants(const struct judge_finding *f, const struct judge_loopback *loop);
void judge_loopback_add(struct judge_loopback *loop, double value);

/* Both are known: is own beyond good by a larger share than the limit is beyond the median? */
bool judge_loopback_is_low(const struct judge_finding *f, const struct judge_loopback *loop);

#endif
