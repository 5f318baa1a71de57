/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Records which of the last SEQUENCE_WINDOW numbers were skipped, to distinguish a late number from
 * a duplicate. Numbers are 32 bits and wrap. Numbers that arrive in order are not recorded here.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#define SEQUENCE_WORDS 1024u
#define SEQUENCE_WINDOW (64 * (SEQUENCE_WORDS - 1)) /* the newest word may have just begun */

/* 64 numbers from 64 * block on; a set bit is a number that was skipped. */
struct sequence_word {
	uint64_t missing;
	uint32_t block;
};

struct sequence {
	struct sequence_word word[SEQUENCE_WORDS]; /* zeroed: none were skipped */
};

/* Count numbers from first on were skipped. Numbers older than the window are forgotten. */
void sequence_skip(struct sequence *s, uint32_t first, uint32_t count);

/* Was it skipped, and has not arrived since? It counts as arrived from now on. */
bool sequence_fill(struct sequence *s, uint32_t number);

#endif
