/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Skipped numbers in a ring of bitmaps. */
#include "config.h"

#include "util/sequence.h"

static struct sequence_word *word_of(struct sequence *s, uint32_t number)
{
	return &s->word[number / 64 % SEQUENCE_WORDS];
}

static void skip_one(struct sequence *s, uint32_t number)
{
	struct sequence_word *w = word_of(s, number);

	if (w->block != number / 64)
		*w = (struct sequence_word){ .block = number / 64 };
	w->missing |= UINT64_C(1) << number % 64;
}

void sequence_skip(struct sequence *s, uint32_t first, uint32_t count)
{
	uint32_t end = first + count;

	if (count > SEQUENCE_WINDOW)
		first = end - SEQUENCE_WINDOW;
	for (uint32_t i = first; i != end; i++)
		skip_one(s, i);
}

bool sequence_fill(struct sequence *s, uint32_t number)
{
	struct sequence_word *w = word_of(s, number);
	const uint64_t bit = UINT64_C(1) << number % 64;

	if (w->block != number / 64 || !(w->missing & bit))
		return false;
	w->missing &= ~bit;
	return true;
}
