/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The different values of a column of settings: each has a number, its word. So a setting of a row
 * is four bytes, and two rows have the same setting if they have the same word.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What all columns together may take. */
struct budget {
	size_t used, most; /* bytes */
};

/* -ENOMEM with an error message: more bytes are more than the budget has. */
int words_budget_take(struct budget *budget, size_t bytes) __attribute__((warn_unused_result));

#define WORDS_ABSENT 0 /* the word of what a row does not have */

struct words_one {
	const char *text; /* owned by the dictionary; of a number its only spelling; "" absent */
	double number;    /* NAN: absent, or a text */
};

/* Zeroed: empty. */
struct words {
	struct words_one *all; /* n of them; the first is WORDS_ABSENT */
	uint32_t n, room;
	uint32_t *slots;       /* a hash table of words; n_slots is a power of two */
	size_t n_slots;
};

/* The word of a value, whose text is copied. -ENOMEM with an error message. */
int words_of(struct words *words, struct budget *budget, const struct words_one *one,
	     uint32_t *word) __attribute__((warn_unused_result));

void words_free(struct words *words);

#endif
