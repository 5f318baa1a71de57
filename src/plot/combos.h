/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The combinations of values that some columns have in rows: the curves of a picture, ... */
#ifndef COMBOS_H
#define COMBOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/rows.h"

#define COMBOS_COLUMNS ROWS_COLUMNS /* as many as rows can differ in */
#define COMBOS_MOST 4096  /* more are not told apart */

struct combo {
	uint32_t words[COMBOS_COLUMNS];
};

/* Set the first three fields, zero the others. The columns are kept as words. */
struct combos {
	const struct rows *rows;
	enum rows_column columns[COMBOS_COLUMNS];
	size_t n_columns;
	struct combo *all; /* owned */
	size_t n, room;
	bool more;         /* than COMBOS_MOST: the rows of the others are in none */
	size_t last;       /* the one that was found last: the next row often has it, too */
};

/* Before combos_make(): the combinations are of this column, too. */
void combos_add(struct combos *combos, enum rows_column column);

/*
 * All of the rows that count, sorted. -ENOMEM with an error message; combos_free() is due in every
 * case.
 */
int combos_make(struct combos *combos, const bool *skip) __attribute__((warn_unused_result));
void combos_free(struct combos *combos);

/* The number of the row's combination; COMBOS_MOST: none of them. */
size_t combos_find(struct combos *combos, size_t row);

#endif
