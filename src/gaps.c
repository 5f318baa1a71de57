/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Skipped numbers, a ring of bitmaps; see gaps.h. */
#include "config.h"

#include "gaps.h"

static struct gaps_word *word_of(struct gaps *g, uint32_t number)
{
	return &g->word[number / 64 % GAPS_WORDS];
}

static void skip_one(struct gaps *g, uint32_t number)
{
	struct gaps_word *w = word_of(g, number);

	if (w->block != number / 64)
		*w = (struct gaps_word){ .block = number / 64 };
	w->missing |= UINT64_C(1) << number % 64;
}

void gaps_skip(struct gaps *g, uint32_t first, uint32_t count)
{
	uint32_t end = first + count;

	if (count > GAPS_WINDOW)
		first = end - GAPS_WINDOW;
	for (uint32_t i = first; i != end; i++)
		skip_one(g, i);
}

bool gaps_fill(struct gaps *g, uint32_t number)
{
	struct gaps_word *w = word_of(g, number);
	const uint64_t bit = UINT64_C(1) << number % 64;

	if (w->block != number / 64 || !(w->missing & bit))
		return false;
	w->missing &= ~bit;
	return true;
}
