/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns a table and its formats; see tables.h. As text, a head is the key of its column, broken at
 * '_' into lines that are about as wide as its cells.
 */
#include "config.h"
#include "tables/tables.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "row/row.h"
#include "util/must.h"

#define FIRST_ROOM 64u
#define DIGITS 4      /* significant, for people */
#define HEAD_WIDTH 10 /* of a line of a head, if its words allow it */
#define GAP 2

void sheet_column(struct sheet *sheet, enum sheet_role role, const char *key, const char *suffix)
{
	struct sheet_column column = { .role = role };

	must_appendf(&column.key, "%s%s", key, suffix);
	column.head = column.key + (suffix[0] ? strlen(key) + 1 : 0);
	sheet->columns = must_realloc(sheet->columns, sheet->n_columns + 1, sizeof(column));
	sheet->columns[sheet->n_columns++] = column;
}

static struct sheet_cell *cell_at(const struct sheet *sheet, size_t row, size_t column)
{
	return &sheet->cells[row * sheet->n_columns + column];
}

void sheet_row(struct sheet *sheet)
{
	const size_t n = sheet->n_columns;

	if (sheet->n_rows == sheet->room) {
		sheet->room = sheet->room ? 2 * sheet->room : FIRST_ROOM;
		sheet->cells = must_realloc(sheet->cells, sheet->room * n + 1,
					    sizeof(*sheet->cells));
	}
	sheet->n_rows++;
	for (size_t i = 0; i < n; i++)
		*cell_at(sheet, sheet->n_rows - 1, i) = (struct sheet_cell){ .number = NAN };
}

void sheet_text(struct sheet *sheet, size_t column, const char *text)
{
	if (!text[0])
		return;
	cell_at(sheet, sheet->n_rows - 1, column)->text = must_strdup(text);
	sheet->columns[column].is_text = true;
}

void sheet_number(struct sheet *sheet, size_t column, double number)
{
	cell_at(sheet, sheet->n_rows - 1, column)->number = number;
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
	int decimals = 0;

	if (isnan(number))
		return "-";
	if (fabs(number) >= 1e15) {
		snprintf(text, SHEET_NUMBER, "%.6g", number);
		return text;
	}
	if (number != floor(number) && fabs(number) < 1e3)
		decimals = DIGITS - 1 - (int)floor(log10(fabs(number)));
	snprintf(text, SHEET_NUMBER, "%.*f", decimals < 0 ? 0 : decimals > 12 ? 12 : decimals,
		 number);
	return text;
}

const char *sheet_cell_text(const struct sheet *sheet, size_t row, size_t column,
			    char text[SHEET_NUMBER])
{
	const struct sheet_cell *cell = cell_at(sheet, row, column);

	if (cell->text)
		return cell->text;
	return sheet_number_text(cell->number, text);
}

bool sheet_is_shown(const struct sheet *sheet, size_t column)
{
	switch (sheet->columns[column].role) {
	case SHEET_SPREAD:
		return sheet->repeats;
	case SHEET_INTERVAL:
		return sheet->intervals;
	default:
		return true;
	}
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

/* ---- text and Markdown */

/* A sheet that is printed. */
struct printer {
	FILE *out;
	const struct sheet *sheet;
	bool markdown;
	int *widths;       /* by column; 0: not shown */
	int width;         /* of the screen */
	size_t keys;       /* the first columns are keys */
	size_t lead;       /* keys that are lines between the rows */
	size_t first, end; /* of a block: all other keys, and these columns */
	int gap;           /* blanks before the next cell of the line */
};

/*
 * The next line of a head: as many words as fit, at least one. Returns its length; *rest is what
 * follows the line, "" at the end.
 */
static int head_line(const char *key, const char **rest)
{
	size_t len = strcspn(key, "_");

	while (key[len]) {
		const size_t word = strcspn(key + len + 1, "_");

		if (len + 1 + word > HEAD_WIDTH)
			break;
		len += 1 + word;
	}
	*rest = key[len] ? key + len + 1 : key + len;
	return (int)len;
}

static int head_lines(const char *key, int *width)
{
	int n = 0;

	for (; *key; n++) {
		const int len = head_line(key, &key);

		*width = len > *width ? len : *width;
	}
	return n;
}

static void measure(struct printer *p)
{
	char text[SHEET_NUMBER];

	for (size_t i = 0; i < p->sheet->n_columns; i++) {
		const struct sheet_column *column = &p->sheet->columns[i];

		p->keys += column->role == SHEET_KEY && i == p->keys;
		if (!sheet_is_shown(p->sheet, i))
			continue;
		head_lines(column->head, &p->widths[i]);
		for (size_t row = 0; row < p->sheet->n_rows; row++) {
			const int len = (int)strlen(sheet_cell_text(p->sheet, row, i, text));

			p->widths[i] = len > p->widths[i] ? len : p->widths[i];
		}
	}
}

/* Of the keys that stay in the table. */
static int keys_width(const struct printer *p)
{
	int width = 0;

	for (size_t i = p->lead; i < p->keys; i++)
		width += p->widths[i] + GAP;
	return width;
}

static bool is_beside(const struct printer *p, size_t column)
{
	const enum sheet_role role = p->sheet->columns[column].role;

	return role == SHEET_SPREAD || role == SHEET_INTERVAL;
}

/* A figure, its spread and interval, from column first on: returns the column behind them. */
static size_t unit_end(const struct printer *p, size_t first, int *width)
{
	size_t end = first;

	do
		*width += p->widths[end] ? p->widths[end] + GAP : 0;
	while (++end < p->sheet->n_columns && is_beside(p, end));
	return end;
}

/* The widest figure fits beside the keys that stay in the table. */
static void place_keys(struct printer *p)
{
	int widest = 0;

	for (size_t i = p->keys; i < p->sheet->n_columns;) {
		int width = -GAP;

		i = unit_end(p, i, &width);
		widest = width > widest ? width : widest;
	}
	while (p->lead < p->keys && keys_width(p) + widest > p->width)
		p->lead++;
}

/* The block that begins at first: at least one figure. */
static void find_end(struct printer *p)
{
	int width = keys_width(p);

	p->end = unit_end(p, p->first, &width);
	while (p->end < p->sheet->n_columns) {
		const size_t next = unit_end(p, p->end, &width);

		if (width - GAP > p->width)
			break;
		p->end = next;
	}
}

static bool is_in_block(const struct printer *p, size_t i)
{
	return p->widths[i] && (i < p->keys || i >= p->first);
}

/* A cell of the line, len 0: an empty one. Blanks are due only before the next text. */
static void put(struct printer *p, size_t i, const char *text, int len)
{
	const int pad = p->widths[i] - len;
	const bool left = p->sheet->columns[i].is_text;

	if (p->markdown) {
		fputs(i == p->lead ? "| " : " ", p->out);
		sheet_put_markdown(p->out, text);
		fputs(" |", p->out);
	} else if (len) {
		fprintf(p->out, "%*s%.*s", p->gap + (left ? 0 : pad), "", len, text);
		p->gap = GAP + (left ? pad : 0);
	} else {
		p->gap += p->widths[i] + GAP;
	}
}

static void end_line(struct printer *p)
{
	putc('\n', p->out);
	p->gap = 0;
}

/* Heads stand on the rows: the last of their lines are full. */
static void print_heads(struct printer *p)
{
	int lines = 0, width = 0;

	for (size_t i = p->lead; i < p->end; i++) {
		const int n = is_in_block(p, i) ? head_lines(p->sheet->columns[i].head, &width) : 0;

		lines = n > lines ? n : lines;
	}
	for (int line = 0; line < lines; line++) {
		for (size_t i = p->lead; i < p->end; i++) {
			const char *rest = p->sheet->columns[i].head, *text = rest;
			const int skip = lines - head_lines(text, &width);
			int len = 0;

			if (!is_in_block(p, i))
				continue;
			for (int k = skip; k <= line; k++) {
				text = rest;
				len = head_line(text, &rest);
			}
			put(p, i, text, len);
		}
		end_line(p);
	}
}

static void print_heads_markdown(struct printer *p)
{
	for (size_t i = 0; i < p->end; i++)
		if (is_in_block(p, i))
			put(p, i, p->sheet->columns[i].key, 0);
	fputs("\n|", p->out);
	for (size_t i = 0; i < p->end; i++)
		if (is_in_block(p, i))
			fputs(p->sheet->columns[i].is_text ? " --- |" : " ---: |", p->out);
	end_line(p);
}

/* "transport RC, threads 2", when one of them is not that of the row before. */
static void print_lead(const struct printer *p, size_t row)
{
	char text[SHEET_NUMBER], before[SHEET_NUMBER];
	bool same = row > 0;

	for (size_t i = 0; i < p->lead && same; i++)
		same = !strcmp(sheet_cell_text(p->sheet, row, i, text),
			       sheet_cell_text(p->sheet, row - 1, i, before));
	for (size_t i = 0; i < p->lead && !same; i++)
		fprintf(p->out, "%s %s%s", p->sheet->columns[i].key,
			sheet_cell_text(p->sheet, row, i, text),
			i + 1 < p->lead ? ", " : "\n");
}

static void print_block(struct printer *p)
{
	char text[SHEET_NUMBER];

	if (p->markdown)
		print_heads_markdown(p);
	else
		print_heads(p);
	for (size_t row = 0; row < p->sheet->n_rows; row++) {
		print_lead(p, row);
		for (size_t i = p->lead; i < p->end; i++) {
			const char *cell = sheet_cell_text(p->sheet, row, i, text);

			if (is_in_block(p, i))
				put(p, i, cell, (int)strlen(cell));
		}
		end_line(p);
	}
}

static void print_table(struct printer *p)
{
	p->widths = must_calloc(p->sheet->n_columns, sizeof(*p->widths));
	measure(p);
	place_keys(p);
	for (p->first = p->keys; p->first < p->sheet->n_columns; p->first = p->end) {
		find_end(p);
		if (p->first > p->keys)
			putc('\n', p->out);
		print_block(p);
	}
	free(p->widths);
}

void sheet_print(FILE *out, const struct sheet *sheet, int width)
{
	struct printer p = { .out = out, .sheet = sheet, .width = width };

	if (sheet->title)
		fprintf(out, "%s\n", sheet->title);
	print_table(&p);
}

void sheet_print_markdown(FILE *out, const struct sheet *sheet)
{
	struct printer p = { .out = out, .sheet = sheet, .width = INT_MAX, .markdown = true };

	if (sheet->title) {
		fputs("## ", out);
		sheet_put_markdown(out, sheet->title);
		fputs("\n\n", out);
	}
	print_table(&p);
	putc('\n', out);
}

/* ---- for programs */

void sheet_print_csv(FILE *out, const struct sheet *sheet)
{
	char text[FIELD_TEXT_MAX];
	const struct field real = { .name = "", .type = FIELD_F64, .size = sizeof(double) };

	for (size_t i = 0; i < sheet->n_columns; i++)
		fprintf(out, "%s%s", i ? "," : "", sheet->columns[i].key);
	putc('\n', out);
	for (size_t row = 0; row < sheet->n_rows; row++) {
		for (size_t i = 0; i < sheet->n_columns; i++) {
			const struct sheet_cell *cell = cell_at(sheet, row, i);

			if (i)
				putc(',', out);
			field_format(&real, &cell->number, text, sizeof(text));
			if (cell->text)
				row_csv_foreign(out, cell->text);
			else
				row_csv_text(out, text);
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

json_t *sheet_json(const struct sheet *sheet)
{
	json_t *rows = json_array();
	int rc = 0;

	for (size_t row = 0; row < sheet->n_rows; row++) {
		json_t *object = json_object();

		for (size_t i = 0; i < sheet->n_columns; i++) {
			const struct sheet_cell *cell = cell_at(sheet, row, i);

			rc |= json_object_set_new(object, sheet->columns[i].key,
						  cell->text ? json_string(cell->text) :
							       sheet_number_json(cell->number));
		}
		rc |= json_array_append_new(rows, object);
	}
	if (!rc)
		return rows;
	json_decref(rows);
	return NULL;
}
