/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A table as metrics, for the textfile collector of node_exporter: a gauge for each figure, with a
 * line for each row. Prometheus, "Exposition formats", text format 0.0.4.
 */
#include "config.h"
#include "tables/tables.h"

#include <math.h>
#include <string.h>

#include "read/axes.h"

/* A label, with '{' or ',' in front. */
static void put_label(FILE *out, char *before, const char *name, const char *value)
{
	fprintf(out, "%c%s=\"", *before, name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			putc('\\', out);
		putc(*value, out);
	}
	putc('"', out);
	*before = ',';
}

/* What all rows share, as in the head of a report for people. False: the row says it. */
static bool is_shared(const struct rows *rows, enum rows_column column)
{
	return column < ROWS_COLUMNS && axes_is(column) &&
	       rows_only_word(rows, column) != WORDS_ABSENT;
}

static void put_labels(FILE *out, const struct report *r, const struct sheet *sheet, size_t row)
{
	const struct rows *rows = &r->rows;
	const struct words_one *same;
	char before = '{', text[SHEET_NUMBER];

	for (size_t i = 0; i < axes_n; i++) {
		const enum rows_column column = axes[i].column;

		/* a new version of verbench begins no new series */
		if (!(axes[i].flags & AXES_HEAD) || column == ROWS_tool_version ||
		    !is_shared(rows, column))
			continue;
		same = rows_word_value(rows, column, rows_only_word(rows, column));
		put_label(out, &before, rows_field(column)->name, same->text);
	}
	for (size_t i = 0; i < sheet->n_columns; i++) {
		const struct sheet_column *column = &sheet->columns[i];
		const struct sheet_cell *cell = &sheet->cells[row * sheet->n_columns + i];

		if (column->role == SHEET_KEY && (cell->text || !isnan(cell->number)) &&
		    !is_shared(rows, rows_find(column->key)))
			put_label(out, &before, column->key,
				  sheet_cell_text(sheet, row, i, text));
	}
	fputs(before == ',' ? "} " : " ", out);
}

/* Of a figure with a suffix, "_min", that of the figure. */
static void put_head(FILE *out, const struct sheet_column *column)
{
	const size_t len = column->head > column->key ? (size_t)(column->head - column->key) - 1 :
							strlen(column->key);
	char name[64];
	enum rows_column of;

	snprintf(name, sizeof(name), "%.*s", (int)len, column->key);
	of = rows_find(name);
	if (of != ROWS_COLUMNS)
		fprintf(out, "# HELP verbench_%s %s\n", column->key, rows_field(of)->help);
	fprintf(out, "# TYPE verbench_%s gauge\n", column->key);
}

void prometheus_print(FILE *out, const struct report *r, const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->n_columns; i++) {
		const struct sheet_column *column = &sheet->columns[i];
		bool begun = false;

		if (column->role == SHEET_KEY || column->role == SHEET_WORD ||
		    !sheet_is_shown(sheet, i))
			continue;
		for (size_t row = 0; row < sheet->n_rows; row++) {
			const double value = sheet->cells[row * sheet->n_columns + i].number;

			if (isnan(value))
				continue;
			if (!begun)
				put_head(out, column);
			begun = true;
			fprintf(out, "verbench_%s", column->key);
			put_labels(out, r, sheet, row);
			fprintf(out, "%.15g\n", value);
		}
	}
}
