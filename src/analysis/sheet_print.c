/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the formats of a table for programs, and Markdown; see sheet_print.h. Called by the reports.
 * The one for people is sheet_text.c.
 */
#include "config.h"
#include "analysis/sheet_print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/format_cells.h"
#include "report/row.h"

static bool is_shown(const struct sheet *sheet, size_t column)
{
	return sheet->repeats || sheet->columns[column].role != SHEET_SPREAD;
}

/* What would end a cell, or begin something else: CommonMark, GFM 4.10. */
void sheet_put_markdown(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*|<>[]&", *text))
			putc('\\', out);
		putc(*text, out);
	}
}

static void put_cell_markdown(FILE *out, const struct sheet_cell *cell)
{
	char text[SHEET_NUMBER];

	fputs(" ", out);
	if (cell->text)
		sheet_put_markdown(out, cell->text);
	else
		fputs(isnan(cell->number) ? "-" : sheet_number_text(cell->number, text), out);
	fputs(" |", out);
}

void sheet_print_markdown(FILE *out, const struct sheet *sheet)
{
	if (sheet->title) {
		fputs("## ", out);
		sheet_put_markdown(out, sheet->title);
		fputs("\n\n", out);
	}
	putc('|', out);
	for (size_t i = 0; i < sheet->n_columns; i++) {
		if (!is_shown(sheet, i))
			continue;
		putc(' ', out);
		sheet_put_markdown(out, sheet->columns[i].key);
		fputs(" |", out);
	}
	fputs("\n|", out);
	for (size_t i = 0; i < sheet->n_columns; i++)
		if (is_shown(sheet, i))
			fputs(sheet->columns[i].is_text ? " --- |" : " ---: |", out);
	for (size_t row = 0; row < sheet->n_rows; row++) {
		fputs("\n|", out);
		for (size_t i = 0; i < sheet->n_columns; i++)
			if (is_shown(sheet, i))
				put_cell_markdown(out, sheet_cell(sheet, row, i));
	}
	fputs("\n\n", out);
}

void sheet_print_csv(FILE *out, const struct sheet *sheet)
{
	char text[FIELD_TEXT_MAX];
	const struct field real = { .name = "", .type = FIELD_F64, .size = sizeof(double) };

	for (size_t i = 0; i < sheet->n_columns; i++)
		fprintf(out, "%s%s", i ? "," : "", sheet->columns[i].key);
	putc('\n', out);
	for (size_t row = 0; row < sheet->n_rows; row++) {
		for (size_t i = 0; i < sheet->n_columns; i++) {
			const struct sheet_cell *cell = sheet_cell(sheet, row, i);

			if (i)
				putc(',', out);
			field_format(&real, &cell->number, text, sizeof(text));
			if (cell->text)
				format_cells_csv_foreign(out, cell->text);
			else
				format_cells_csv_text(out, text);
		}
		putc('\n', out);
	}
}

json_t *sheet_number_json(double number)
{
	if (isnan(number))
		return json_null();
	if (number == floor(number) && fabs(number) < 1e15)
		return json_integer((json_int_t)number);
	return json_real(number);
}

static json_t *json_cell(const struct sheet_cell *cell)
{
	return cell->text ? json_string(cell->text) : sheet_number_json(cell->number);
}

json_t *sheet_json(const struct sheet *sheet)
{
	json_t *rows = json_array();

	for (size_t row = 0; row < sheet->n_rows && rows; row++) {
		json_t *object = json_object();
		int rc = object ? 0 : -1;

		for (size_t i = 0; i < sheet->n_columns && !rc; i++)
			rc = json_object_set_new(object, sheet->columns[i].key,
						 json_cell(sheet_cell(sheet, row, i)));
		if (rc || json_array_append_new(rows, object)) {
			if (rc)
				json_decref(object);
			json_decref(rows);
			return NULL;
		}
	}
	return rows;
}
