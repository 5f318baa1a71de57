/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the cells of a table; see sheet.h. Called by the reports. Must not print: sheet_print.c. */
#include "config.h"
#include "analysis/sheet.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

#define FIRST_ROOM 64u
#define DIGITS 4 /* significant, for people */

void sheet_title(struct sheet *sheet, const char *fmt, ...)
{
	va_list ap;

	free(sheet->title);
	va_start(ap, fmt);
	if (vasprintf(&sheet->title, fmt, ap) < 0) {
		sheet->title = NULL;
		sheet->failed = true;
	}
	va_end(ap);
}

void sheet_column(struct sheet *sheet, enum sheet_role role, const char *key, const char *suffix)
{
	struct sheet_column *more = realloc(sheet->columns,
					    (sheet->n_columns + 1) * sizeof(*more));
	struct sheet_column column = { .role = role };

	if (more)
		sheet->columns = more;
	if (!more || asprintf(&column.key, "%s%s", key, suffix) < 0) {
		sheet->failed = true;
		return;
	}
	column.head = column.key + (suffix[0] ? strlen(key) + 1 : 0);
	sheet->columns[sheet->n_columns++] = column;
}

void sheet_row(struct sheet *sheet)
{
	const size_t n = sheet->n_columns;

	if (sheet->n_rows == sheet->room) {
		const size_t room = sheet->room ? 2 * sheet->room : FIRST_ROOM;
		struct sheet_cell *cells = realloc(sheet->cells, (room * n + 1) * sizeof(*cells));

		if (!cells) {
			sheet->failed = true;
			return;
		}
		sheet->cells = cells;
		sheet->room = room;
	}
	for (size_t i = 0; i < n; i++)
		sheet->cells[sheet->n_rows * n + i] = (struct sheet_cell){ .number = NAN };
	sheet->n_rows++;
}

/* Of the last row; NULL after a failure. */
static struct sheet_cell *last_cell(struct sheet *sheet, size_t column)
{
	if (sheet->failed || !sheet->n_rows || column >= sheet->n_columns)
		return NULL;
	return &sheet->cells[(sheet->n_rows - 1) * sheet->n_columns + column];
}

void sheet_text(struct sheet *sheet, size_t column, const char *text)
{
	struct sheet_cell *cell = last_cell(sheet, column);

	if (!cell || !text[0])
		return;
	free(cell->text);
	cell->text = strdup(text);
	sheet->failed |= !cell->text;
	sheet->columns[column].is_text = true;
}

void sheet_number(struct sheet *sheet, size_t column, double number)
{
	struct sheet_cell *cell = last_cell(sheet, column);

	if (cell)
		cell->number = number;
}

const struct sheet_cell *sheet_cell(const struct sheet *sheet, size_t row, size_t column)
{
	if (row >= sheet->n_rows || column >= sheet->n_columns)
		return NULL;
	return &sheet->cells[row * sheet->n_columns + column];
}

int sheet_failed(const struct sheet *sheet)
{
	return sheet->failed ? err_set(-ENOMEM, "no memory for the report") : 0;
}

void sheet_free(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->n_rows * sheet->n_columns; i++)
		free(sheet->cells[i].text);
	for (size_t i = 0; i < sheet->n_columns; i++)
		free(sheet->columns[i].key);
	free(sheet->cells);
	free(sheet->columns);
	free(sheet->title);
	*sheet = (struct sheet){ .n_rows = 0 };
}

const char *sheet_number_text(double number, char text[SHEET_NUMBER])
{
	int decimals;

	if (fabs(number) >= 1e15) {
		snprintf(text, SHEET_NUMBER, "%.6g", number);
		return text;
	}
	if (number == floor(number) || fabs(number) >= 1e3) {
		snprintf(text, SHEET_NUMBER, "%.0f", number);
		return text;
	}
	decimals = number == 0 ? 0 : DIGITS - 1 - (int)floor(log10(fabs(number)));
	snprintf(text, SHEET_NUMBER, "%.*f", decimals < 0 ? 0 : decimals > 12 ? 12 : decimals,
		 number);
	return text;
}
