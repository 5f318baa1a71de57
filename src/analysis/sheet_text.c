/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns a table as text of a limited width; see sheet_print.h. Called by the reports. A head is the
 * key of its column, broken at '_' into lines that are about as wide as its cells.
 */
#include "config.h"
#include "analysis/sheet_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_WIDTH 10 /* of a line of a head, if its words allow it */
#define GAP 2

/* How a sheet is laid out. */
struct layout {
	const struct sheet *sheet;
	int *widths;     /* by column; 0: not shown */
	size_t keys;     /* the first columns are keys */
	size_t lead;     /* keys that are lines between the rows */
	int width;       /* of the screen */
};

static const char *cell_text(const struct sheet_cell *cell, char text[SHEET_NUMBER])
{
	if (cell->text)
		return cell->text;
	return isnan(cell->number) ? "-" : sheet_number_text(cell->number, text);
}

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

	while (*key) {
		const int len = head_line(key, &key);

		if (len > *width)
			*width = len;
		n++;
	}
	return n;
}

static void measure(struct layout *l)
{
	char text[SHEET_NUMBER];

	for (size_t i = 0; i < l->sheet->n_columns; i++) {
		const struct sheet_column *column = &l->sheet->columns[i];

		l->keys += column->role == SHEET_KEY && i == l->keys;
		if (column->role == SHEET_SPREAD && !l->sheet->repeats)
			continue;
		head_lines(column->head, &l->widths[i]);
		for (size_t row = 0; row < l->sheet->n_rows; row++) {
			const int len = (int)strlen(cell_text(sheet_cell(l->sheet, row, i), text));

			if (len > l->widths[i])
				l->widths[i] = len;
		}
	}
}

static int keys_width(const struct layout *l)
{
	int width = 0;

	for (size_t i = l->lead; i < l->keys; i++)
		width += l->widths[i] + GAP;
	return width;
}

/* A figure and its spread, from column first on: returns the column behind them. */
static size_t unit_end(const struct layout *l, size_t first, int *width)
{
	size_t end = first;

	do
		*width += l->widths[end] ? l->widths[end] + GAP : 0;
	while (++end < l->sheet->n_columns && l->sheet->columns[end].role == SHEET_SPREAD);
	return end;
}

/* The widest figure fits beside the keys that stay in the table. */
static void place_keys(struct layout *l)
{
	int widest = 0;

	for (size_t i = l->keys, end; i < l->sheet->n_columns; i = end) {
		int width = -GAP;

		end = unit_end(l, i, &width);
		widest = width > widest ? width : widest;
	}
	while (l->lead < l->keys && keys_width(l) + widest > l->width)
		l->lead++;
}

/* The columns of a block are first, then below end: returns end. At least one figure. */
static size_t block_end(const struct layout *l, size_t first)
{
	int width = keys_width(l);
	size_t end = unit_end(l, first, &width);

	while (end < l->sheet->n_columns) {
		const size_t next = unit_end(l, end, &width);

		if (width - GAP > l->width)
			break;
		end = next;
	}
	return end;
}

/* The columns of a block: all keys, and these. */
struct block {
	size_t first, end;
};

static void print_heads(FILE *out, const struct layout *l, const struct block *b)
{
	const struct sheet *sheet = l->sheet;
	int lines = 0;

	for (size_t i = l->lead; i < b->end; i++) {
		int width = 0;

		if (l->widths[i] && (i < l->keys || i >= b->first)) {
			const int n = head_lines(sheet->columns[i].head, &width);

			lines = n > lines ? n : lines;
		}
	}
	for (int line = 0; line < lines; line++) {
		int gap = 0;

		for (size_t i = l->lead; i < b->end; i++) {
			const char *key = sheet->columns[i].head, *rest = key;
			int len = 0, width = 0, skip;

			if (!l->widths[i] || (i >= l->keys && i < b->first))
				continue;
			/* heads stand on the rows: the last lines are full */
			skip = lines - head_lines(key, &width);
			for (int k = skip; k <= line; k++) {
				key = rest;
				len = head_line(key, &rest);
			}
			len = line < skip ? 0 : len;
			width = l->widths[i] - len;
			/* blanks are due only before the next word */
			if (len)
				fprintf(out, "%*s%.*s", gap + (sheet->columns[i].is_text ? 0 : width),
					"", len, key);
			gap = len ? GAP : gap + width + GAP;
			gap += len && sheet->columns[i].is_text ? width : 0;
		}
		putc('\n', out);
	}
}

static bool same_cell(const struct sheet_cell *a, const struct sheet_cell *b)
{
	char x[SHEET_NUMBER], y[SHEET_NUMBER];

	return !strcmp(cell_text(a, x), cell_text(b, y));
}

/* "transport RC, threads 2", when one of them is not that of the row before. */
static void print_lead(FILE *out, const struct layout *l, size_t row)
{
	char text[SHEET_NUMBER];
	bool same = row > 0;

	for (size_t i = 0; i < l->lead && same; i++)
		same = same_cell(sheet_cell(l->sheet, row, i), sheet_cell(l->sheet, row - 1, i));
	if (same)
		return;
	for (size_t i = 0; i < l->lead; i++)
		fprintf(out, "%s%s %s", i ? ", " : "", l->sheet->columns[i].key,
			cell_text(sheet_cell(l->sheet, row, i), text));
	if (l->lead)
		putc('\n', out);
}

static void print_row(FILE *out, const struct layout *l, const struct block *b, size_t row)
{
	char text[SHEET_NUMBER];
	int gap = 0;

	for (size_t i = l->lead; i < b->end; i++) {
		const char *cell;
		int pad;

		if (!l->widths[i] || (i >= l->keys && i < b->first))
			continue;
		cell = cell_text(sheet_cell(l->sheet, row, i), text);
		pad = l->widths[i] - (int)strlen(cell);
		if (l->sheet->columns[i].is_text)
			fprintf(out, "%*s%s%*s", gap, "", cell, i + 1 < b->end ? pad : 0, "");
		else
			fprintf(out, "%*s%s", gap + pad, "", cell);
		gap = GAP;
	}
	putc('\n', out);
}

void sheet_print_text(FILE *out, const struct sheet *sheet, int width)
{
	struct layout l = { .sheet = sheet, .width = width };
	struct block b;

	l.widths = calloc(sheet->n_columns + 1, sizeof(*l.widths));
	if (!l.widths)
		return;
	measure(&l);
	place_keys(&l);
	if (sheet->title)
		fprintf(out, "%s\n", sheet->title);
	for (b.first = l.keys; b.first < sheet->n_columns; b.first = b.end) {
		b.end = block_end(&l, b.first);
		if (b.first > l.keys)
			putc('\n', out);
		print_heads(out, &l, &b);
		for (size_t row = 0; row < sheet->n_rows; row++) {
			print_lead(out, &l, row);
			print_row(out, &l, &b, row);
		}
	}
	free(l.widths);
}
