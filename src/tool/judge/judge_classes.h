/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The median, the spread and the limit of each class. See judge.h. */
#ifndef JUDGE_CLASSES_H
#define JUDGE_CLASSES_H

#include "judge/judge.h"

/* Of all figures that no low leaf explains. There is room for the classes already. */
void judge_classes_fill(struct judge_report *report, const struct judge_ask *ask);

/* Is its value beyond the limit of the caller? */
bool judge_is_beyond(const struct judge_pair *pair, bool lower_is_better);

#endif
