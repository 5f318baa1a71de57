/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the lines of a summary; see summary.h. Called by tables.c. */
#include "config.h"
#include "analysis/summary.h"

#include <math.h>

#include "rows/groups.h"
#include "rows/measured.h"
#include "rows/spread.h"

void summary_key(struct sheet *sheet, size_t cell, const struct rows *rows,
		 enum rows_column column, size_t row)
{
	char buf[ROWS_TEXT];

	if (rows_is_number(column))
		sheet_number(sheet, cell, rows_number(rows, column, row));
	else
		sheet_text(sheet, cell, rows_text(rows, column, row, buf));
}

static bool is_of(const struct summary *s, enum summary_tests tests, size_t row)
{
	return tests == SUMMARY_ALL || measured_is_lat(s->rows, row) == (tests == SUMMARY_LAT);
}

/* The figures that a row of these tests has. */
static void find_figures(const struct summary *s, enum summary_tests tests,
			 struct columns_named *figures)
{
	figures->n = 0;
	for (size_t i = 0; i < s->of->n; i++) {
		const enum rows_column column = s->of->all[i];
		size_t row = 0;

		while (row < s->rows->n && (isnan(rows_number(s->rows, column, row)) ||
					    s->skip[row] || !is_of(s, tests, row)))
			row++;
		if (row < s->rows->n)
			figures->all[figures->n++] = column;
	}
}

static void make_columns(struct sheet *sheet, const struct summary *s,
			 const struct columns_named *figures)
{
	for (size_t i = 0; i < s->n_axes; i++)
		sheet_column(sheet, SHEET_KEY, rows_field(s->axes[i])->name, "");
	sheet_column(sheet, SHEET_SPREAD, "n", "");
	for (size_t i = 0; i < figures->n; i++) {
		const char *name = rows_field(figures->all[i])->name;

		sheet_column(sheet, SHEET_FIGURE, name, "");
		sheet_column(sheet, SHEET_SPREAD, name, "_min");
		sheet_column(sheet, SHEET_SPREAD, name, "_max");
	}
}

/* Rows of the group that count. */
static size_t count(const struct summary *s, const struct groups *groups, size_t g)
{
	size_t n = 0;

	for (uint32_t i = groups->begin[g]; i < groups->begin[g + 1]; i++)
		n += !s->skip[groups->members[i]];
	return n;
}

static int make_line(struct sheet *sheet, const struct summary *s,
		     const struct columns_named *figures, const struct groups *groups, size_t g)
{
	const size_t row = groups->members[groups->begin[g]], n = count(s, groups, g);
	size_t at = 0;

	sheet_row(sheet);
	for (; at < s->n_axes; at++)
		summary_key(sheet, at, s->rows, s->axes[at], row);
	sheet_number(sheet, at++, (double)n);
	sheet->repeats |= n > 1;
	for (size_t i = 0; i < figures->n; i++) {
		struct spread spread;
		int rc = spread_of(&spread, groups, g, figures->all[i], s->skip);

		if (rc)
			return rc;
		sheet_number(sheet, at++, spread.median);
		sheet_number(sheet, at++, spread.min);
		sheet_number(sheet, at++, spread.max);
	}
	return 0;
}

int summary_make(struct sheet *sheet, const struct summary *summary, enum summary_tests tests)
{
	struct columns_named figures;
	struct groups groups;
	int rc = groups_make(&groups, summary->rows, summary->axes, summary->n_axes);

	if (rc)
		return rc;
	find_figures(summary, tests, &figures);
	make_columns(sheet, summary, &figures);
	for (size_t g = 0; g < groups.n && !rc; g++)
		if (is_of(summary, tests, groups.members[groups.begin[g]]))
			rc = make_line(sheet, summary, &figures, &groups, g);
	groups_free(&groups);
	return rc ? rc : sheet_failed(sheet);
}
