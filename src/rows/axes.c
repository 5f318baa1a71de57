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

void axes_want_index(void *arg, size_t column)
{
	axes_want(arg, (enum rows_column)column);
}

static int split_by(struct groups_split *split, const struct columns_named *columns)
{
	int rc = 0;

	for (size_t i = 0; i < columns->n && !rc; i++)
		rc = groups_split_by(split, columns->all[i]);
	return rc;
}

/* Takes the axes but these. alone: those that are always shown are taken if they vary. */
static int find_swept(struct groups_split *split, const struct columns_named *but, bool alone,
		      struct columns_named *swept)
{
	int rc = 0;

	for (size_t i = 0; i < axes_n && !rc; i++) {
		const size_t before = split->n;
		const bool shown = alone && axes[i].flags & AXES_SHOWN;

		/* what is always known tells also the rows that do not count */
		if (columns_have(but, axes[i].column) ||
		    !varies(split->rows, shown ? NULL : split->skip, axes[i].column))
			continue;
		rc = groups_split_by(split, axes[i].column);
		if (split->n > before || shown)
			swept->all[swept->n++] = axes[i].column;
	}
	return rc;
}

/* beside: what the others tell is left out, too. */
static int find(const struct rows *rows, const bool *skip, const struct columns_named *others,
		bool beside, struct columns_named *swept)
{
	struct groups_split split;
	int rc = groups_split_begin(&split, rows);

	swept->n = 0;
	split.skip = skip;
	if (!rc && beside)
		rc = split_by(&split, others);
	if (!rc)
		rc = find_swept(&split, others, !beside, swept);
	groups_split_end(&split);
	return rc;
}

int axes_swept_beside(const struct rows *rows, const bool *skip,
		      const struct columns_named *others, struct columns_named *swept)
{
	return find(rows, skip, others, true, swept);
}

int axes_swept_without(const struct rows *rows, const bool *skip,
		       const struct columns_named *others, struct columns_named *swept)
{
	return find(rows, skip, others, false, swept);
}

int axes_swept(const struct rows *rows, const bool *skip, enum rows_column swept[ROWS_COLUMNS],
	       size_t *n)
{
	const struct columns_named none = { .n = 0 };
	struct columns_named found;
	int rc = axes_swept_without(rows, skip, &none, &found);

	for (size_t i = 0; i < found.n; i++)
		swept[i] = found.all[i];
	*n = found.n;
	return rc;
}
