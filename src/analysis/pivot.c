/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns pivots; see pivot.h. Called by tables.c. */
#include "config.h"
#include "analysis/pivot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/summary.h"
#include "rows/groups.h"
#include "rows/spread.h"
#include "util/err.h"

#define HEAD_TEXT 256

/* "event", "event 64": the values of a group. */
static void head_of(const struct pivot *p, size_t row, char text[HEAD_TEXT])
{
	char buf[ROWS_TEXT];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < p->by->n && len < HEAD_TEXT; i++) {
		const char *value = rows_text(p->rows, p->by->all[i], row, buf);

		len += (size_t)snprintf(text + len, HEAD_TEXT - len, "%s%s", i ? " " : "",
					value[0] ? value : "-");
	}
}

static int make_columns(struct sheet *sheet, const struct pivot *p, const struct groups *across)
{
	char text[HEAD_TEXT], names[HEAD_TEXT];

	if (across->n > PIVOT_MOST) {
		size_t len = 0;

		for (size_t i = 0; i < p->by->n && len < sizeof(names); i++)
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
						i ? "," : "", rows_field(p->by->all[i])->name);
		return err_set(-EINVAL, "--by %s: %zu values; at most %d stand beside each other",
			       names, across->n, PIVOT_MOST);
	}
	if (p->of_programs)
		sheet_column(sheet, SHEET_KEY, "quantity", "");
	for (size_t i = 0; i < p->down->n; i++)
		sheet_column(sheet, SHEET_KEY, rows_field(p->down->all[i])->name, "");
	for (size_t g = 0; g < across->n; g++) {
		head_of(p, across->members[across->begin[g]], text);
		sheet_column(sheet, SHEET_FIGURE, text, "");
	}
	return 0;
}

/* The group of across that the row is in. They are sorted. */
static size_t column_of(const struct pivot *p, const struct groups *across, size_t row)
{
	size_t low = 0, high = across->n;

	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		const uint32_t other = across->members[across->begin[middle]];
		int order = 0;

		for (size_t i = 0; i < p->by->n && !order; i++)
			order = groups_compare(p->rows, p->by->all[i],
					       rows_word(p->rows, p->by->all[i], row),
					       rows_word(p->rows, p->by->all[i], other));
		if (order < 0)
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* Does the next group stand in the same line? */
static bool same_line(const struct pivot *p, size_t a, size_t b)
{
	for (size_t i = 0; i < p->down->n; i++)
		if (rows_word(p->rows, p->down->all[i], a) !=
		    rows_word(p->rows, p->down->all[i], b))
			return false;
	return true;
}

static void begin_line(struct sheet *sheet, const struct pivot *p, enum rows_column quantity,
		       size_t row)
{
	sheet_row(sheet);
	if (p->of_programs)
		sheet_text(sheet, 0, rows_field(quantity)->name);
	for (size_t i = 0; i < p->down->n; i++)
		summary_key(sheet, i + p->of_programs, p->rows, p->down->all[i], row);
}

/* cells: groups of all columns, down first. */
static int fill(struct sheet *sheet, const struct pivot *p, enum rows_column quantity,
		const struct groups *cells, const struct groups *across)
{
	const size_t keys = p->down->n + p->of_programs;
	size_t line = SIZE_MAX;

	for (size_t g = 0; g < cells->n; g++) {
		const size_t row = cells->members[cells->begin[g]];
		struct spread spread;
		int rc = spread_of(&spread, cells, g, quantity, p->skip);

		if (rc)
			return rc;
		if (!spread.n)
			continue;
		if (line == SIZE_MAX || !same_line(p, line, row))
			begin_line(sheet, p, quantity, row);
		line = row;
		sheet_number(sheet, keys + column_of(p, across, row), spread.median);
	}
	return 0;
}

int pivot_add(struct sheet *sheet, const struct pivot *pivot, enum rows_column quantity)
{
	struct columns_named all = *pivot->down;
	struct groups cells = { .n = 0 }, across = { .n = 0 };
	int rc;

	for (size_t i = 0; i < pivot->by->n; i++)
		all.all[all.n++] = pivot->by->all[i];
	rc = groups_make(&across, pivot->rows, pivot->by->all, pivot->by->n);
	if (!rc)
		rc = groups_make(&cells, pivot->rows, all.all, all.n);
	if (!rc && !sheet->n_columns)
		rc = make_columns(sheet, pivot, &across);
	if (!rc)
		rc = fill(sheet, pivot, quantity, &cells, &across);
	groups_free(&cells);
	groups_free(&across);
	return rc ? rc : sheet_failed(sheet);
}
