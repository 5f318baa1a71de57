/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the way from columns back to a row: see rows_row.h. Called by run_cells.c. */
#include "config.h"
#include "rows/rows_row.h"

#include <errno.h>
#include <math.h>

#include "rows/rows.h"
#include "util/err.h"

/* As a number: its text may have an exponent, which is none of a cell. */
static int set_number(const struct rows *rows, enum rows_column i, size_t at, struct row *row)
{
	const struct field *column = &row_table.rows[i];
	const double number = rows_number(rows, i, at);

	if (isnan(number))
		return 0;
	if (column->type == FIELD_F64)
		field_set_real(column, row, number);
	else if (number >= 0 && number < 0x1p64 && number == floor(number))
		field_set_integer(column, row, (uint64_t)number);
	else
		return err_set(-EBADMSG, "column %s of row %zu is %g, not a whole number from 0 on",
			       column->name, at + 1, number);
	return 0;
}

static int make_row(const struct rows *rows, size_t at, struct row *row)
{
	char buf[ROWS_TEXT];
	int rc = 0;

	field_clear(&row_table, row);
	for (enum rows_column i = 0; i < ROWS_file && !rc; i++) {
		const char *text;

		if (rows_is_number(i)) {
			rc = set_number(rows, i, at, row);
			continue;
		}
		text = rows_text(rows, i, at, buf);
		if (text[0])
			rc = field_scan(&row_table.rows[i], row, text);
	}
	return rc;
}

int rows_row_each(const char *path, void (*take)(void *arg, const struct row *row), void *arg)
{
	struct rows_query query = { .paths = &path, .n_paths = 1, .intervals = true };
	struct rows rows;
	struct row row;
	int rc;

	for (enum rows_column i = 0; i < ROWS_file; i++)
		query.as[i] = rows_is_number(i) ? ROWS_NUMBERS : ROWS_WORDS;
	rc = rows_load(&rows, &query);
	if (rc)
		return rc;
	for (size_t at = 0; at < rows.n && !rc; at++) {
		rc = make_row(&rows, at, &row);
		if (!rc)
			take(arg, &row);
	}
	rows_free(&rows);
	return rc;
}
