/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns which columns are curves and which are pictures: of the axes that tell rows with the same x
 * from each other, as many become curves as one picture can have.
 */
#include "config.h"
#include "plot/plot_rows.h"

#include <errno.h>
#include <string.h>

#include "plot/combos.h"
#include "rows/axes.h"
#include "rows/groups.h"
#include "util/err.h"

/* One wish that is split. */
struct split {
	struct combos *series, *facets;
	const struct plot_wish *wish;
};

static bool is_series(const struct plot_wish *wish, enum rows_column column)
{
	for (size_t i = 0; i < wish->n_series; i++)
		if (wish->series[i] == column)
			return true;
	return false;
}

/* If it tells rows apart that are one until now. */
static int take_axis(const struct split *s, struct groups_split *split, enum rows_column column)
{
	const struct plot_wish *wish = s->wish;
	const size_t before = split->n;
	/* a row of all pairs says so in pair, too */
	const bool is_told = column == ROWS_kind && !rows_is_constant(s->series->rows, ROWS_pair);
	int rc = 0;

	if (!is_told && !is_series(wish, column) &&
	    (wish->over != PLOT_OVER_COLUMN || column != wish->x))
		rc = groups_split_by(split, column);
	if (!rc && split->n > before)
		combos_add(wish->n_series ? s->facets : s->series, column);
	return rc;
}

/*
 * The axes that tell rows with the same x from each other. Files are one if somebody wants to know
 * them: they are compared.
 */
static int find_axes(const struct split *s)
{
	const struct plot_wish *wish = s->wish;
	const struct rows *rows = s->series->rows;
	struct groups_split split;
	int rc = groups_split_begin(&split, rows);

	split.skip = wish->skip;
	if (!rc && wish->over == PLOT_OVER_COLUMN && axes_is(wish->x))
		rc = groups_split_by(&split, wish->x);
	for (size_t i = 0; i < wish->n_series && !rc; i++) {
		combos_add(s->series, wish->series[i]);
		rc = groups_split_by(&split, wish->series[i]);
	}
	if (!rc && rows->values[ROWS_file].as == ROWS_WORDS)
		rc = take_axis(s, &split, ROWS_file);
	for (size_t i = 0; i < axes_n && !rc; i++)
		rc = take_axis(s, &split, axes[i].column);
	groups_split_end(&split);
	return rc;
}

/* Completions and files stay curves as long as possible: they are what people compare. */
static size_t least_wanted(const struct combos *series)
{
	for (size_t i = 0; i < series->n_columns; i++)
		if (series->columns[i] != ROWS_completion && series->columns[i] != ROWS_file)
			return i;
	return 0;
}

/* From all axes as curves to as many as one picture can have. */
static int split_pictures(const struct split *s)
{
	struct combos *series = s->series;
	int rc = combos_make(series, s->wish->skip);

	while (!rc && !s->wish->n_series && series->n_columns &&
	       series->n > (series->n_columns > 1 ? PLOT_CURVES_AIM : PLOT_CURVES)) {
		const size_t out = least_wanted(series);

		combos_add(s->facets, series->columns[out]);
		series->n_columns--;
		memmove(&series->columns[out], &series->columns[out + 1],
			(series->n_columns - out) * sizeof(series->columns[0]));
		combos_free(series);
		rc = combos_make(series, s->wish->skip);
	}
	if (!rc && series->n > PLOT_CURVES)
		rc = err_set(-EINVAL, "--series: a picture has 1..%d curves, and these rows give %zu; choose rows with --where",
			     PLOT_CURVES, series->n);
	return rc ? rc : combos_make(s->facets, s->wish->skip);
}

int plot_split(struct combos *series, struct combos *facets, const struct plot_wish *wish)
{
	const struct split s = { .series = series, .facets = facets, .wish = wish };
	const int rc = find_axes(&s);

	return rc ? rc : split_pictures(&s);
}
