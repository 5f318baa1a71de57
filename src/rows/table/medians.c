/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The medians of rounds: of each row of a cell the figures of all rounds, and the row that has
 * their medians. See table.h.
 */
#include "config.h"
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/repeats.h"
#include "util/must.h"

/* The same row of all rounds: its k-th of the cell. */
struct median_row {
	double (*figures)[COLUMNS_FIGURES]; /* of the rounds that were measured; owned */
	double *main;                       /* of them row_main_figure(); owned */
	uint32_t measured, seen;
};

struct median_cell {
	struct median_row *rows; /* owned */
	uint32_t n;
};

void medians_cell(struct medians *m, uint32_t cell, uint32_t rounds)
{
	m->rounds = rounds;
	m->cell = cell;
	m->row = 0;
	if (cell < m->n || rounds < 2)
		return;
	m->cells = must_realloc(m->cells, cell + 1, sizeof(*m->cells));
	for (; m->n <= cell; m->n++)
		m->cells[m->n] = (struct median_cell){ .n = 0 };
}

static struct median_row *next_row(struct medians *m)
{
	struct median_cell *cell = &m->cells[m->cell];

	if (m->row == cell->n) {
		cell->rows = must_realloc(cell->rows, cell->n + 1, sizeof(*cell->rows));
		cell->rows[cell->n++] = (struct median_row){
			.figures = must_calloc(m->rounds, sizeof(*cell->rows->figures)),
			.main = must_calloc(m->rounds, sizeof(double)),
		};
	}
	return &cell->rows[m->row++];
}

/* Of those that have it; NAN: none has. */
static double median(const struct median_row *row, size_t figure)
{
	double *sorted = must_calloc(row->measured, sizeof(*sorted)), value;
	uint32_t n = 0;

	for (uint32_t i = 0; i < row->measured; i++)
		if (!isnan(row->figures[i][figure]))
			sorted[n++] = row->figures[i][figure];
	repeats_sort(sorted, n);
	value = repeats_median(sorted, n);
	free(sorted);
	return value;
}

bool medians_take(struct medians *m, struct row *row)
{
	double figures[COLUMNS_FIGURES];
	struct median_row *all;

	if (m->rounds < 2 || row_is_interval(row))
		return false;
	all = next_row(m);
	if (all->seen == m->rounds)
		return false;
	if (row->status == RESULT_OK) {
		all->main[all->measured] = row_main_figure(row);
		columns_figures(row, all->figures[all->measured++]);
	}
	if (++all->seen < m->rounds && !m->each)
		return false;
	m->half_width = repeats_half_width(all->main, all->measured);
	if (!all->measured)
		return true;
	for (size_t i = 0; i < COLUMNS_FIGURES; i++)
		figures[i] = median(all, i);
	columns_set_figures(row, figures);
	row->status = RESULT_OK;
	row->warnings[0] = row->warning_codes[0] = '\0';
	return true;
}

void medians_free(struct medians *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		for (uint32_t k = 0; k < m->cells[i].n; k++) {
			free(m->cells[i].rows[k].figures);
			free(m->cells[i].rows[k].main);
		}
		free(m->cells[i].rows);
	}
	free(m->cells);
	*m = (struct medians){ .n = 0 };
}
