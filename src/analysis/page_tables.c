/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the tables of a page; see page.h. */
#include "config.h"
#include "analysis/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/xml.h"
#include "report/row.h"
#include "util/err.h"

static void print_rest(FILE *out, size_t n)
{
	if (n > PAGE_LINES)
		fprintf(out, "<p class='quiet'>%zu more lines are not shown.</p>\n", n - PAGE_LINES);
}

/* ---- a table of the summary */

/* "bandwidth_gbit_s_min" is a column of rows with a word behind it. */
static const struct field *field_of(const char *key)
{
	const char *end = strrchr(key, '_');
	const struct field *field = field_find(&row_table, key);
	char name[ROW_NAME];

	if (field || !end || (size_t)(end - key) >= sizeof(name))
		return field;
	snprintf(name, sizeof(name), "%.*s", (int)(end - key), key);
	return field_find(&row_table, name);
}

static bool is_shown(const struct sheet *sheet, size_t column)
{
	return sheet->columns[column].role != SHEET_SPREAD || sheet->repeats;
}

static void print_heads(FILE *out, const struct sheet *sheet)
{
	fputs("<tr>", out);
	for (size_t c = 0; c < sheet->n_columns; c++) {
		const struct sheet_column *column = &sheet->columns[c];
		const struct field *field = field_of(column->key);

		if (!is_shown(sheet, c))
			continue;
		fprintf(out, "<th scope='col'%s title='", column->is_text ? "" : " class='n'");
		xml_text(out, field ? field->help : "");
		fputs("'>", out);
		xml_text(out, column->key);
		if (field && field->unit) {
			fputs(" <small>", out);
			xml_text(out, field->unit);
			fputs("</small>", out);
		}
		fputs("</th>", out);
	}
	fputs("</tr>\n", out);
}

static void print_cell(FILE *out, const struct sheet *sheet, size_t row, size_t column)
{
	const struct sheet_cell *cell = sheet_cell(sheet, row, column);
	const bool is_fail = cell->text && !strcmp(cell->text, "FAIL");
	const bool is_pass = cell->text && !strcmp(cell->text, "PASS");
	char text[SHEET_NUMBER];

	if (is_fail || is_pass)
		fprintf(out, "<td class='%s'>", is_fail ? "fail" : "pass");
	else
		fputs(sheet->columns[column].is_text ? "<td>" : "<td class='n'>", out);
	if (cell->text)
		xml_text(out, cell->text);
	else
		fputs(isnan(cell->number) ? "-" : sheet_number_text(cell->number, text), out);
	fputs("</td>", out);
}

void page_sheet(FILE *out, const struct sheet *sheet)
{
	if (sheet->title) {
		fputs("<h3>", out);
		xml_text(out, sheet->title);
		fputs("</h3>\n", out);
	}
	/* a box that scrolls can be reached by the keyboard */
	fputs("<div class='scroll' tabindex='0'><table>\n", out);
	print_heads(out, sheet);
	for (size_t row = 0; row < sheet->n_rows && row < PAGE_LINES; row++) {
		fputs("<tr>", out);
		for (size_t c = 0; c < sheet->n_columns; c++)
			if (is_shown(sheet, c))
				print_cell(out, sheet, row, c);
		fputs("</tr>\n", out);
	}
	fputs("</table></div>\n", out);
	print_rest(out, sheet->n_rows);
}

/* ---- the values of a picture */

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Each x of any curve once, sorted. Owned: free(); NULL: no memory. */
static double *all_x(const struct plot *plot, size_t *n)
{
	size_t all = 0, used = 0;
	double *x;

	for (size_t c = 0; c < plot->n_curves; c++)
		all += plot->curves[c].n;
	x = calloc(all + 1, sizeof(*x));
	*n = 0;
	if (!x)
		return NULL;
	for (size_t c = 0; c < plot->n_curves; c++)
		for (size_t i = 0; i < plot->curves[c].n; i++)
			x[used++] = plot->curves[c].points[i].x;
	qsort(x, used, sizeof(*x), compare);
	for (size_t i = 0; i < used; i++)
		if (!*n || x[*n - 1] != x[i])
			x[(*n)++] = x[i];
	return x;
}

static const char *x_text(const struct plot *plot, double x, char *text, size_t size)
{
	for (size_t i = 0; i < plot->x.n_ticks; i++)
		if (plot->x.ticks[i].at == x && plot->x.ticks[i].text[0])
			return plot->x.ticks[i].text;
	return plot_number(&plot->x, x, text, size);
}

static void print_value(FILE *out, const struct plot *plot, const struct plot_curve *curve,
			double x)
{
	char text[PLOT_TEXT];
	size_t i = 0;

	while (i < curve->n && curve->points[i].x != x)
		i++;
	fprintf(out, "<td class='n'>%s</td>", i == curve->n ? "-" :
		plot_number(&plot->y, curve->points[i].y, text, sizeof(text)));
}

int page_values(FILE *out, const struct plot *plot)
{
	size_t n;
	double *x = all_x(plot, &n);
	char text[PLOT_TEXT];

	if (!x)
		return err_set(-ENOMEM, "no memory for the values of a picture");
	fputs("<p>", out);
	xml_text(out, plot->y.label);
	fputs("</p>\n<div class='scroll' tabindex='0'><table>\n<tr><th scope='col'>", out);
	xml_text(out, plot->x.label);
	fputs("</th>", out);
	for (size_t c = 0; c < plot->n_curves; c++) {
		fputs("<th scope='col' class='n'>", out);
		xml_text(out, plot->curves[c].name);
		fputs("</th>", out);
	}
	fputs("</tr>\n", out);
	for (size_t i = 0; i < n && i < PAGE_LINES; i++) {
		fputs("<tr><td>", out);
		xml_text(out, x_text(plot, x[i], text, sizeof(text)));
		fputs("</td>", out);
		for (size_t c = 0; c < plot->n_curves; c++)
			print_value(out, plot, &plot->curves[c], x[i]);
		fputs("</tr>\n", out);
	}
	fputs("</table></div>\n", out);
	print_rest(out, n);
	free(x);
	return 0;
}
