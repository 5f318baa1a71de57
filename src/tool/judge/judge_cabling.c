/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Rails on leaves of other rails. */
#include "config.h"
#include "judge/judge_cabling.h"

#include <stdlib.h>

#include "util/must.h"

void judge_cabling(uint32_t *as, const struct judge_cabling *ask)
{
	uint32_t *count = must_calloc((size_t)ask->leaves * ask->rails, sizeof(*count));

	for (uint32_t end = 0; end < ask->ends; end++)
		if (ask->leaf[end] != JUDGE_NO_LEAF)
			count[(size_t)ask->leaf[end] * ask->rails + end % ask->rails]++;
	for (uint32_t end = 0; end < ask->ends; end++) {
		const uint32_t own = end % ask->rails;
		const uint32_t *of = count;
		uint32_t most = own;

		as[end] = own;
		if (ask->leaf[end] == JUDGE_NO_LEAF)
			continue;
		of += (size_t)ask->leaf[end] * ask->rails;
		for (uint32_t i = 0; i < ask->rails; i++)
			if (of[i] > of[most])
				most = i;
		if (of[most] >= JUDGE_ROW_MIN && of[most] > 2 * of[own])
			as[end] = most;
	}
	free(count);
}
