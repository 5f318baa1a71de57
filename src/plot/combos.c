/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns lists of combinations; see combos.h. */
#include "config.h"
#include "plot/combos.h"

#include <errno.h>
#include <stdlib.h>

#include "rows/groups.h"
#include "util/err.h"

static bool is(const struct combos *combos, size_t i, size_t row)
{
	for (size_t c = 0; c < combos->n_columns; c++)
		if (combos->all[i].words[c] != rows_word(combos->rows, combos->columns[c], row))
			return false;
	return true;
}

size_t combos_find(struct combos *combos, size_t row)
{
	if (combos->last < combos->n && is(combos, combos->last, row))
		return combos->last;
	for (size_t i = 0; i < combos->n; i++)
		if (is(combos, i, row)) {
			combos->last = i;
			return i;
		}
	return COMBOS_MOST;
}

static int add(struct combos *combos, size_t row)
{
	const size_t room = combos->room ? 2 * combos->room : 16;
	struct combo *all = combos->all;

	if (combos->n == combos->room) {
		all = realloc(all, room * sizeof(*all));
		if (!all)
			return err_set(-ENOMEM, "no memory for the curves of a picture");
		combos->all = all;
		combos->room = room;
	}
	for (size_t c = 0; c < combos->n_columns; c++)
		all[combos->n].words[c] = rows_word(combos->rows, combos->columns[c], row);
	combos->last = combos->n++;
	return 0;
}

/* An insertion sort, because the order needs the rows and the columns; there are few. */
static void sort(struct combos *combos)
{
	for (size_t i = 1; i < combos->n; i++) {
		const struct combo one = combos->all[i];
		size_t to = i;

		for (; to > 0; to--) {
			int order = 0;

			for (size_t c = 0; c < combos->n_columns && !order; c++)
				order = groups_compare(combos->rows, combos->columns[c],
						       combos->all[to - 1].words[c], one.words[c]);
			if (order <= 0)
				break;
			combos->all[to] = combos->all[to - 1];
		}
		combos->all[to] = one;
	}
}

void combos_add(struct combos *combos, enum rows_column column)
{
	combos->columns[combos->n_columns++] = column;
}

int combos_make(struct combos *combos, const bool *skip)
{
	int rc = 0;

	for (size_t row = 0; row < combos->rows->n && !rc && !combos->more; row++) {
		if ((skip && skip[row]) || combos_find(combos, row) != COMBOS_MOST)
			continue;
		combos->more = combos->n == COMBOS_MOST;
		if (!combos->more)
			rc = add(combos, row);
	}
	sort(combos);
	return rc;
}

void combos_free(struct combos *combos)
{
	free(combos->all);
	combos->all = NULL;
	combos->n = combos->room = 0;
	combos->more = false;
}
