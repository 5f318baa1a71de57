/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how a cell is written in CSV and JSON; see format_cells.h. Called by the formats. */
#include "config.h"
#include "report/format_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/csv.h"

void format_cells_csv_foreign(FILE *out, const char *text)
{
	char *marked;

	if (!csv_is_formula(text) || asprintf(&marked, "%c%s", CSV_MARK, text) < 0) {
		format_cells_csv_text(out, csv_is_formula(text) ? "" : text);
		return;
	}
	format_cells_csv_text(out, marked);
	free(marked);
}

void format_cells_csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

void format_cells_csv_names(FILE *out, const struct field_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		if (i)
			putc(',', out);
		format_cells_csv_text(out, table->rows[i].name);
	}
	putc('\n', out);
}

void format_cells_csv(FILE *out, const struct field_table *table, const void *obj)
{
	char text[FIELD_TEXT_MAX];

	for (size_t i = 0; i < table->n; i++) {
		const struct field *row = &table->rows[i];

		if (i)
			putc(',', out);
		field_format(row, obj, text, sizeof(text));
		if (row->type == FIELD_TEXT)
			format_cells_csv_foreign(out, text);
		else
			format_cells_csv_text(out, text);
	}
	putc('\n', out);
}

static json_t *cell(const struct field *column, const void *obj)
{
	char text[FIELD_TEXT_MAX];

	if (column->type != FIELD_F64 || field_is_absent(column, obj))
		return field_json(column, obj);
	return json_real(strtod(field_format(column, obj, text, sizeof(text)), NULL));
}

json_t *format_cells_json(const struct field_table *table, const void *obj)
{
	json_t *json = json_object();

	for (size_t i = 0; json && i < table->n; i++)
		if (json_object_set_new(json, table->rows[i].name, cell(&table->rows[i], obj))) {
			json_decref(json);
			json = NULL;
		}
	return json;
}
