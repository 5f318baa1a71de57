/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the words of warnings; see warning_codes.h. Called by row_build.c and condition_parse.c. */
#include "config.h"
#include "report/warning_codes.h"

#include <stdio.h>
#include <string.h>

/* docs/schema.md lists them: the help of warning_codes in row.def. */
static const char *const words[] = {
	[AFFINITY_DISPLACED] = "displaced",
	[AFFINITY_MOVED] = "moved",
	[AFFINITY_PREEMPTED] = "preempted",
	[AFFINITY_SIBLING_BUSY] = "sibling_busy",
	[AFFINITY_MEMORY_DISPLACED] = "memory_displaced",
	[AFFINITY_WARNINGS] = "missed_events",
	[AFFINITY_WARNINGS + 1] = "short_window",
	[AFFINITY_WARNINGS + 2] = "above_link",
	[AFFINITY_WARNINGS + 3] = "no_gap",
};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

const char *warning_codes_text(unsigned int codes, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < N_WORDS && len < size; i++)
		if (codes >> i & 1)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "",
						words[i]);
	return text;
}

bool warning_codes_known(const char *word)
{
	for (size_t i = 0; i < N_WORDS; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}
