/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the tables of the pairs of a mesh: each set in a line, and its worst pairs; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <stdlib.h>

#include "util/must.h"
#include "util/text.h"

static const char *const figures[] = { "nodes", "pairs", "failed", "median", "mad", "worst" };
static const size_t n_figures = FIELD_COUNT(figures);

static void add_figure_columns(struct sheet *sheet)
{
	for (size_t i = 0; i < n_figures; i++)
		sheet_column(sheet, SHEET_FIGURE, figures[i], "");
}

/* From this column on. */
static void add_figures(struct sheet *sheet, size_t column, const struct matrix_set *set)
{
	const double values[] = { (double)set->nodes, (double)set->n, (double)set->n_failed,
				  set->median, set->mad, set->all[0].value };

	for (size_t i = 0; i < n_figures; i++)
		sheet_number(sheet, column + i, values[i]);
}

static const size_t n_pair_columns = 4;

static void add_pair_columns(struct sheet *sheet, const char *value)
{
	sheet_column(sheet, SHEET_KEY, "pair", "");
	sheet_column(sheet, SHEET_FIGURE, value, "");
	sheet_column(sheet, SHEET_FIGURE, "pct_of_median", "");
	sheet_column(sheet, SHEET_FIGURE, "mesh_round", "");
}

static void add_pair(const struct report *r, size_t column, const struct matrix_set *set,
		     const struct matrix_pair *one, struct sheet *sheet)
{
	char buf[ROWS_TEXT];

	sheet_text(sheet, column, rows_text(&r->rows, ROWS_pair, one->row, buf));
	sheet_number(sheet, column + 1, one->value);
	sheet_number(sheet, column + 2, 100 * one->value / set->median);
	sheet_number(sheet, column + 3, rows_number(&r->rows, ROWS_mesh_round, one->row));
}

/* ---- for people: a table of sets, and one of pairs, of each quantity */

static void add_sets(struct report *r, enum rows_column quantity)
{
	struct sheet *sheet = tables_sheet(r);

	must_appendf(&sheet->title, "Pairs: %s", rows_field(quantity)->name);
	tables_keys(r, sheet, &r->matrix->keys);
	add_figure_columns(sheet);
	for (size_t i = 0; i < r->matrix->n_sets; i++) {
		const struct matrix_set *set = &r->matrix->sets[i];

		if (set->quantity != quantity)
			continue;
		add_figures(sheet, tables_line(r, sheet, &r->matrix->keys, quantity, set->row),
			    set);
	}
}

static void add_worst(struct report *r, enum rows_column quantity)
{
	struct sheet *sheet = tables_sheet(r);

	must_appendf(&sheet->title, "Worst pairs: %s", rows_field(quantity)->name);
	tables_keys(r, sheet, &r->matrix->keys);
	add_pair_columns(sheet, rows_field(quantity)->name);
	for (size_t s = 0; s < r->matrix->n_sets; s++) {
		const struct matrix_set *set = &r->matrix->sets[s];

		for (size_t i = 0; set->quantity == quantity && i < matrix_n_worst(set); i++) {
			const size_t at = tables_line(r, sheet, &r->matrix->keys, quantity,
						      set->row);

			add_pair(r, at, set, &set->all[i], sheet);
		}
	}
}

/* ---- for programs: one table; a line of a set has no pair, and one of a pair nothing else */

static void add_all(struct report *r)
{
	struct sheet *sheet = tables_sheet(r);

	tables_keys(r, sheet, &r->matrix->keys);
	add_pair_columns(sheet, "value");
	add_figure_columns(sheet);
	for (size_t s = 0; s < r->matrix->n_sets; s++) {
		const struct matrix_set *set = &r->matrix->sets[s];
		size_t at = tables_line(r, sheet, &r->matrix->keys, set->quantity, set->row);

		add_figures(sheet, at + n_pair_columns, set);
		for (size_t i = 0; i < matrix_n_worst(set); i++) {
			at = tables_line(r, sheet, &r->matrix->keys, set->quantity, set->row);
			add_pair(r, at, set, &set->all[i], sheet);
		}
	}
}

/* ---- all */

char *matrix_failed(const struct report *r, const struct matrix_set *set)
{
	char *text = NULL, buf[ROWS_TEXT];

	must_appendf(&text, "%zu pair%s failed: ", set->n_failed, text_plural(set->n_failed));
	for (size_t i = 0; i < set->n_failed && i < MATRIX_WORST; i++)
		must_appendf(&text, "%s%s", i ? ", " : "",
			     rows_text(&r->rows, ROWS_pair, set->all[set->n + i].row, buf));
	if (set->n_failed > MATRIX_WORST)
		must_appendf(&text, " and %zu more", set->n_failed - MATRIX_WORST);
	return text;
}

char *matrix_settings(const struct report *r, const struct matrix_set *set)
{
	char *text = must_strdup(""), buf[ROWS_TEXT];

	for (size_t i = 0; i < r->matrix->keys.n; i++)
		must_appendf(&text, "%s%s", i ? " " : "",
			     rows_text(&r->rows, r->matrix->keys.all[i], set->row, buf));
	return text;
}

static void add_words(struct report *r, const struct matrix_set *set)
{
	char *settings = matrix_settings(r, set), *failed = matrix_failed(r, set);

	must_appendf(&r->words, "%s%s%s%s", r->words ? "\n" : "", settings, *settings ? ": " : "",
		     failed);
	free(settings);
	free(failed);
}

void matrix_tables(struct report *r)
{
	r->matrix = matrix_find(r);
	for (size_t i = 0; i < r->matrix->n_sets; i++)
		if (r->matrix->sets[i].n_failed)
			add_words(r, &r->matrix->sets[i]);
	if (!r->people) {
		add_all(r);
		return;
	}
	for (size_t i = 0; i < r->of.n; i++) {
		bool any = false;

		for (size_t s = 0; s < r->matrix->n_sets; s++)
			any |= r->matrix->sets[s].quantity == r->of.all[i];
		if (!any)
			continue;
		add_sets(r, r->of.all[i]);
		add_worst(r, r->of.all[i]);
	}
}
