/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the dictionary of a column; see words.h. Called by rows.c. */
#include "config.h"
#include "rows/words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

#define SLOT_FREE UINT32_MAX
#define FIRST_SLOTS 64u

int words_budget_take(struct budget *budget, size_t bytes)
{
	if (bytes > budget->most - budget->used)
		return err_set(-ENOMEM, "these rows need more than %zu MiB of memory; take fewer files, or some of the rows (--where)",
			       budget->most >> 20);
	budget->used += bytes;
	return 0;
}

static int no_memory(void)
{
	return err_set(-ENOMEM, "no memory for the rows");
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static size_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return (size_t)(h ^ h >> 32);
}

/* The slot of the text, or the free one where it belongs. */
static uint32_t *find(const struct words *words, const char *text)
{
	size_t i = hash(text) & (words->n_slots - 1);

	while (words->slots[i] != SLOT_FREE && strcmp(words->all[words->slots[i]].text, text))
		i = (i + 1) & (words->n_slots - 1);
	return &words->slots[i];
}

/* At most half of the slots are taken. */
static int grow_slots(struct words *words, struct budget *budget)
{
	const size_t n = words->n_slots ? 2 * words->n_slots : FIRST_SLOTS;
	uint32_t *slots;
	int rc = words_budget_take(budget, (n - words->n_slots) * sizeof(*slots));

	if (rc)
		return rc;
	slots = realloc(words->slots, n * sizeof(*slots));
	if (!slots)
		return no_memory();
	words->slots = slots;
	words->n_slots = n;
	memset(slots, 0xff, n * sizeof(*slots));
	for (uint32_t i = 0; i < words->n; i++)
		*find(words, words->all[i].text) = i;
	return 0;
}

static int grow_words(struct words *words, struct budget *budget)
{
	const uint32_t room = words->room ? 2 * words->room : FIRST_SLOTS / 2;
	struct words_one *all;
	int rc = words_budget_take(budget, (room - words->room) * sizeof(*all));

	if (rc)
		return rc;
	all = realloc(words->all, room * sizeof(*all));
	if (!all)
		return no_memory();
	words->all = all;
	words->room = room;
	return 0;
}

static int add(struct words *words, struct budget *budget, const char *text, double number)
{
	char *copy;
	int rc = words->n == words->room ? grow_words(words, budget) : 0;

	if (!rc && 2 * (words->n + (size_t)1) > words->n_slots)
		rc = grow_slots(words, budget);
	if (!rc)
		rc = words_budget_take(budget, strlen(text) + 1);
	if (rc)
		return rc;
	copy = strdup(text);
	if (!copy)
		return no_memory();
	*find(words, text) = words->n;
	words->all[words->n++] = (struct words_one){ .text = copy, .number = number };
	return 0;
}

int words_of(struct words *words, struct budget *budget, const struct words_one *one,
	     uint32_t *word)
{
	int rc = words->n ? 0 : add(words, budget, "", NAN);

	if (rc)
		return rc;
	*word = *find(words, one->text);
	if (*word != SLOT_FREE)
		return 0;
	rc = add(words, budget, one->text, one->number);
	*word = words->n - 1;
	return rc;
}

void words_free(struct words *words)
{
	for (uint32_t i = 0; i < words->n; i++)
		free((char *)(uintptr_t)words->all[i].text);
	free(words->all);
	free(words->slots);
	*words = (struct words){ .n = 0 };
}
