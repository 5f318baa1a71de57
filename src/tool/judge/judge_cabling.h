/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which rails are cabled to the leaf of another rail. Nodes have the same rails; an end is a rail
 * of a node: node * rails + rail.
 */
#ifndef JUDGE_CABLING_H
#define JUDGE_CABLING_H

#include <stdint.h>

#include "judge/judge.h"

struct judge_cabling {
	const uint32_t *leaf; /* by end: below leaves, or JUDGE_NO_LEAF */
	uint32_t ends, rails, leaves;
};

/*
 * By end: the rail whose leaf it is on; its own, unless the leaf has JUDGE_ROW_MIN ends of another
 * one, more than twice as many as of its own.
 */
void judge_cabling(uint32_t *as, const struct judge_cabling *ask);

#endif
