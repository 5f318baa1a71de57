/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the list of axes, and which of them a set of rows sweeps; see axes.h. */
#include "config.h"
#include "rows/axes.h"

#include "rows/groups.h"

/* The words of axes.def. */
enum { SHOWN = AXES_SHOWN, HEAD = AXES_HEAD, PLACE = AXES_PLACE };

#define AXIS(name, what) { ROWS_##name, what },
const struct axes_row axes[] = {
#include "rows/axes.def"
};

const size_t axes_n = sizeof(axes) / sizeof(axes[0]);

bool axes_is(enum rows_column column)
{
	for (size_t i = 0; i < axes_n; i++)
		if (axes[i].column == column)
			return true;
	return false;
}

void axes_want(struct rows_query *query, enum rows_column column)
{
	if (query->as[column] != ROWS_LEFT_OUT)
		return;
	query->as[column] = rows_is_number(column) && !axes_is(column) ? ROWS_NUMBERS : ROWS_WORDS;
}

void axes_want_all(struct rows_query *query)
{
	for (size_t i = 0; i < axes_n; i++)
		axes_want(query, axes[i].column);
}

/* Among the rows that count. */
static bool varies(const struct rows *rows, const bool *skip, enum rows_column column)
{
	size_t first = 0;

	if (rows_is_constant(rows, column))
		return false;
	while (skip && first < rows->n && skip[first])
		first++;
	for (size_t row = first; row < rows->n; row++)
		if ((!skip || !skip[row]) &&
		    rows_word(rows, column, row) != rows_word(rows, column, first))
			return true;
	return false;
}

int axes_swept(const struct rows *rows, const bool *skip, enum rows_column swept[ROWS_COLUMNS],
	       size_t *n)
{
	struct groups_split split;
	int rc = groups_split_begin(&split, rows);

	*n = 0;
	split.skip = skip;
	for (size_t i = 0; i < axes_n && !rc; i++) {
		const size_t before = split.n;
		const bool shown = axes[i].flags & AXES_SHOWN;

		/* what is always known tells also the rows that do not count */
		if (!varies(rows, shown ? NULL : skip, axes[i].column))
			continue;
		rc = groups_split_by(&split, axes[i].column);
		if (split.n > before || shown)
			swept[(*n)++] = axes[i].column;
	}
	groups_split_end(&split);
	return rc;
}
