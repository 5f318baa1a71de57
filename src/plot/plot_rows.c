/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which rows are which points of which curve; see plot_rows.h. plot_split.c has the curves. */
#include "config.h"
#include "plot/plot_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/combos.h"
#include "util/err.h"
#include "util/field.h"

/* One wish that is being drawn. */
struct draw {
	struct plots *plots;
	const struct rows *rows;
	const struct plot_wish *wish;
	struct combos series, facets;
	struct combos names;  /* of x, if it is a text: a tick each */
	bool by_name;
	size_t before;        /* pictures that were there */
	/* the picture */
	size_t facet;
	size_t first, n;      /* the columns of y that it has */
};

static bool counts(const struct draw *d, size_t row)
{
	return !d->wish->skip || !d->wish->skip[row];
}

static const char *y_name(const struct draw *d, size_t y, char *text, size_t size)
{
	if (!d->wish->y_names)
		return plot_words(rows_field(d->wish->y[y]), text, size);
	snprintf(text, size, "%s", d->wish->y_names[y]);
	return text;
}

static void combo_text(const struct combos *combos, size_t i, char *text, size_t size)
{
	char word[PLOT_TEXT];
	bool both = false;

	/* both directions are of a run that has both */
	for (size_t c = 0; c < combos->n_columns; c++)
		both |= combos->columns[c] == ROWS_direction &&
			combos->all[i].words[c] != WORDS_ABSENT &&
			!strcmp(rows_word_value(combos->rows, ROWS_direction,
						combos->all[i].words[c])->text, "both");
	for (size_t c = 0; c < combos->n_columns; c++)
		if (!both || combos->columns[c] != ROWS_bidir)
			plot_join(text, size,
				  plot_word(combos->rows, combos->columns[c],
					    combos->all[i].words[c], word, sizeof(word)));
}

/* Curve i of series and column y. */
static void name_curve(const struct draw *d, struct plot_curve *curve, size_t i, size_t y)
{
	const bool several = d->wish->over == PLOT_OVER_COLUMN && d->n > 1;
	char text[PLOT_TEXT];

	combo_text(&d->series, i, curve->name, sizeof(curve->name));
	if (several)
		plot_join(curve->name, sizeof(curve->name), y_name(d, y, text, sizeof(text)));
	curve->look = (unsigned int)(d->series.n > 1 || !several ? i : y - d->first);
	curve->dash = (unsigned int)(several ? y - d->first : i);
	if (!curve->name[0])
		snprintf(curve->name, sizeof(curve->name), "%s", y_name(d, y, text, sizeof(text)));
}

/* 50 % at 0.3, 90 % at 1, 99 % at 2: as many nines as x says. */
static double percentile_at(enum rows_column column)
{
	switch (column) {
	case ROWS_lat_p50_ns:
		return -log10(0.5);
	case ROWS_lat_p90_ns:
		return 1;
	case ROWS_lat_p99_ns:
		return 2;
	case ROWS_lat_p99_9_ns:
		return 3;
	case ROWS_lat_p99_99_ns:
		return 4;
	default:
		return NAN;
	}
}

static double x_of(struct draw *d, size_t row, size_t y)
{
	size_t name;

	if (d->wish->over == PLOT_OVER_PERCENTILES)
		return percentile_at(d->wish->y[y]);
	if (d->wish->over == PLOT_OVER_RATIOS)
		return (double)(y - d->first);
	if (!d->by_name)
		return rows_number(d->rows, d->wish->x, row);
	name = combos_find(&d->names, row);
	return name == COMBOS_MOST ? NAN : (double)name;
}

static int take_row(struct draw *d, struct plot *plot, size_t row)
{
	const bool one_curve = d->wish->over != PLOT_OVER_COLUMN;
	const size_t i = combos_find(&d->series, row);
	int rc = 0;

	if (i == COMBOS_MOST)
		return 0;
	for (size_t y = d->first; y < d->first + d->n && !rc; y++) {
		const size_t curve = one_curve ? i : i * d->n + y - d->first;
		const double value = rows_number(d->rows, d->wish->y[y], row);

		if (isnan(value))
			continue;
		plot->emulated |= rows_number(d->rows, ROWS_emulated, row) > 0;
		rc = plot_add(&plot->curves[curve], x_of(d, row, y), value);
	}
	return rc;
}

/* Columns of y that no row has get no bars: the others move together. */
static void close_gaps(struct draw *d, struct plot *plot, size_t columns[PLOT_CURVES], size_t *n)
{
	size_t to[PLOT_CURVES] = { 0 };
	const struct plot_curve *first = plot->curves;

	*n = 0;
	for (size_t i = 0; i < first->n; i++) {
		to[(size_t)first->points[i].x] = *n;
		columns[(*n)++] = d->first + (size_t)first->points[i].x;
	}
	for (size_t c = 0; c < plot->n_curves; c++)
		for (size_t i = 0; i < plot->curves[c].n; i++) {
			double *x = &plot->curves[c].points[i].x;

			*x = (double)to[(size_t)*x];
		}
}

static void names_of_x(struct draw *d, struct plot *plot)
{
	struct plot_axis *x = &plot->x;
	size_t columns[PLOT_CURVES], n = d->names.n;

	if (!d->by_name)
		close_gaps(d, plot, columns, &n);
	x->n_ticks = n < PLOT_TICKS ? n : PLOT_TICKS;
	x->from = -0.5;
	x->to = (double)x->n_ticks - 0.5;
	for (size_t i = 0; i < x->n_ticks; i++) {
		char *text = x->ticks[i].text;
		const size_t size = sizeof(x->ticks[i].text);

		x->ticks[i].at = (double)i;
		if (d->by_name)
			plot_word(d->rows, d->wish->x, d->names.all[i].words[0], text, size);
		else
			y_name(d, columns[i], text, size);
	}
}

/* As far as a curve goes. */
static void percentiles_of_x(struct draw *d, struct plot_axis *x, double most)
{
	static const char *const texts[] = { "50 %", "90 %", "99 %", "99.9 %", "99.99 %" };

	snprintf(x->label, sizeof(x->label), "percentile of the samples");
	x->from = 0;
	x->to = 0;
	for (size_t i = 0; i < d->n && i < 5 && percentile_at(d->wish->y[i]) <= most; i++) {
		struct plot_tick *t = &x->ticks[x->n_ticks++];

		t->at = percentile_at(d->wish->y[i]);
		snprintf(t->text, sizeof(t->text), "%s", texts[i]);
		x->to = t->at + 0.1;
	}
}

static void make_axes(struct draw *d, struct plot *plot)
{
	const struct plot_wish *wish = d->wish;
	const struct plot_range r = plot_range(plot);
	const struct field *y = rows_field(wish->y[d->first]);
	const struct field ratio = { .name = "ratio", .type = FIELD_F64 };
	const bool is_time = y->unit && !strcmp(y->unit, "ns");
	char to_first[PLOT_TEXT + 16];

	snprintf(to_first, sizeof(to_first), "ratio to %s", plot->curves[0].name);
	if (wish->over == PLOT_OVER_RATIOS)
		plot_axis_label(&plot->y, &ratio, to_first, r.y_most);
	else
		plot_axis_label(&plot->y, y, wish->y_words, r.y_most);
	plot->x.per = 1;
	if (wish->over == PLOT_OVER_PERCENTILES) {
		percentiles_of_x(d, &plot->x, r.x_most);
	} else if (wish->over == PLOT_OVER_RATIOS || d->by_name) {
		plot->form = PLOT_BARS;
		if (d->by_name)
			plot_axis_label(&plot->x, rows_field(wish->x), NULL, 0);
		names_of_x(d, plot);
	} else {
		plot_axis_label(&plot->x, rows_field(wish->x), NULL, r.x_most);
		plot_axis_x(&plot->x, r.x_least / plot->x.per, r.x_most / plot->x.per);
	}
	/* a bar begins at 0 */
	plot_axis_y(&plot->y, r.y_least / plot->y.per, r.y_most / plot->y.per,
		    is_time && plot->form == PLOT_LINES);
}

static bool name_is_taken(const struct plots *plots, const char *name)
{
	for (size_t i = 0; i + 1 < plots->n; i++)
		if (!strcmp(plots->all[i].name, name))
			return true;
	return false;
}

static void name_plot(struct draw *d, struct plot *plot)
{
	const bool part = d->n < d->wish->n_y;
	char facet[PLOT_TEXT] = "", over[PLOT_TEXT] = "", text[3 * PLOT_TEXT], words[PLOT_TEXT];

	if (d->wish->of)
		plot_join(facet, sizeof(facet), d->wish->of);
	if (part)
		plot_join(facet, sizeof(facet), y_name(d, d->first, words, sizeof(words)));
	combo_text(&d->facets, d->facet, facet, sizeof(facet));
	if (d->wish->over == PLOT_OVER_COLUMN)
		snprintf(over, sizeof(over), " over %s",
			 plot_words(rows_field(d->wish->x), words, sizeof(words)));
	snprintf(text, sizeof(text), *facet ? "%s%s: %s" : "%s%s", d->wish->title, over, facet);
	snprintf(plot->title, sizeof(plot->title), "%.*s", PLOT_TEXT - 1, text);
	snprintf(text, sizeof(text), "%s%s %s", d->wish->name, over, facet);
	plot_file_name(plot->name, sizeof(plot->name) - 8, text);
	/* two texts may become the same name */
	snprintf(text, sizeof(text), "%s", plot->name);
	for (int i = 2; name_is_taken(d->plots, plot->name) && i < 1000; i++)
		snprintf(plot->name, sizeof(plot->name), "%.140s-%d", text, i);
}

/* One point of each curve is no picture of an axis, if there are others that are. */
static bool is_worth(const struct draw *d, const struct plot *plot)
{
	if (d->wish->over == PLOT_OVER_RATIOS)
		return plot->n_curves > 1;
	for (size_t c = 0; c < plot->n_curves && d->facets.n > 1 && !d->by_name; c++)
		if (plot->curves[c].n > 1)
			return true;
	return plot->n_curves && (d->facets.n == 1 || d->by_name);
}

static int make_picture(struct draw *d)
{
	const bool one_curve = d->wish->over != PLOT_OVER_COLUMN;
	struct plot *plot;
	int rc = 0;

	if (d->plots->n == PLOT_PICTURES || d->plots->n - d->before >= PLOT_OF_ONE) {
		d->plots->left_out++;
		return 0;
	}
	plot = plot_new(d->plots);
	if (!plot)
		return -ENOMEM;
	plot->n_curves = d->series.n * (one_curve ? 1 : d->n);
	for (size_t i = 0; i < plot->n_curves; i++)
		name_curve(d, &plot->curves[i], one_curve ? i : i / d->n,
			   one_curve ? d->first : d->first + i % d->n);
	for (size_t row = 0; row < d->rows->n && !rc; row++)
		if (counts(d, row) && combos_find(&d->facets, row) == d->facet)
			rc = take_row(d, plot, row);
	for (size_t i = 0; i < plot->n_curves; i++)
		plot_settle(&plot->curves[i]);
	if (d->wish->over == PLOT_OVER_RATIOS)
		plot_ratios(plot);
	plot_drop_empty(plot);
	if (rc || !is_worth(d, plot)) {
		plot_drop(d->plots);
		return rc;
	}
	make_axes(d, plot);
	plot_scale(plot);
	name_plot(d, plot);
	plot_head(d->rows, d->wish->skip, d->wish->x, plot->below, sizeof(plot->below));
	return 0;
}

/* All columns of y in one picture if they fit, else one in each. */
static int make_facet(struct draw *d)
{
	const bool fits = d->wish->over != PLOT_OVER_COLUMN ||
			  d->series.n * d->wish->n_y <= PLOT_CURVES_AIM || d->series.n == 1;
	int rc = 0;

	d->n = fits ? d->wish->n_y : 1;
	for (d->first = 0; d->first < d->wish->n_y && !rc; d->first += d->n)
		rc = make_picture(d);
	return rc;
}

static int check_units(const struct plot_wish *wish)
{
	const struct field *first = rows_field(wish->y[0]);

	for (size_t i = 1; i < wish->n_y && wish->over != PLOT_OVER_RATIOS; i++) {
		const struct field *y = rows_field(wish->y[i]);
		const char *a = first->unit ? first->unit : "none", *b = y->unit ? y->unit : "none";

		if (strcmp(a, b))
			return err_set(-EINVAL, "--y: the columns of a picture have one unit; that of %s is %s, that of %s is %s",
				       first->name, a, y->name, b);
	}
	return 0;
}

int plot_rows(struct plots *plots, const struct rows *rows, const struct plot_wish *wish)
{
	struct draw d = {
		.plots = plots, .rows = rows, .wish = wish, .before = plots->n,
		.series = { .rows = rows }, .facets = { .rows = rows }, .names = { .rows = rows },
		.by_name = wish->over == PLOT_OVER_COLUMN && !rows_is_number(wish->x),
	};
	int rc = check_units(wish);
	bool fits;

	if (!rc)
		rc = plot_split(&d.series, &d.facets, wish);
	if (!rc && d.by_name) {
		combos_add(&d.names, wish->x);
		rc = combos_make(&d.names, wish->skip);
	}
	/* the axis has no place for more names */
	fits = d.names.n <= PLOT_TICKS;
	plots->left_out += !rc && !fits;
	plots->more |= d.facets.more;
	for (d.facet = 0; d.facet < d.facets.n && !rc && fits; d.facet++)
		rc = make_facet(&d);
	combos_free(&d.series);
	combos_free(&d.facets);
	combos_free(&d.names);
	return rc;
}
