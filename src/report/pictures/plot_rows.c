/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns which rows are which points of which curve; see plot.h. Of the axes that tell rows with the
 * same x from each other, as many become curves as one picture can have; the others make pictures.
 */
#include "config.h"
#include "pictures/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "read/axes.h"
#include "util/err.h"
#include "util/field.h"

#define CURVES_AIM 6 /* more make several pictures, if they can */

/* Groups of the rows that count, by these columns. */
struct plot_groups {
	struct columns_named columns;
	struct groups groups;
};

/* The state while the pictures of one spec are made. */
struct draw {
	struct plots *plots;
	const struct rows *rows;
	const struct plot_spec *spec;
	struct plot_groups series; /* a curve each */
	struct plot_groups facets; /* a picture each */
	struct groups names;  /* of x, if it is a text: a tick each */
	bool over_column;
	bool by_name;
	size_t before;        /* pictures that were there */
	/* the picture */
	size_t facet;
	size_t first, n;      /* the columns of y that it has */
};

/* ---- curves and pictures */

static void add(struct plot_groups *groups, enum rows_column column)
{
	groups->columns.all[groups->columns.n++] = column;
}

/* If it tells rows apart that are one until now. */
static void take_axis(struct draw *d, struct groups_split *split, enum rows_column column)
{
	const struct columns_named *series = d->spec->series;
	const size_t before = split->n;

	/* a row of all pairs says so in pair, too */
	if ((column == ROWS_kind && !rows_is_constant(d->rows, ROWS_pair)) ||
	    (series && columns_have(series, column)) ||
	    (d->over_column && column == d->spec->x))
		return;
	groups_split_by(split, column);
	if (split->n > before)
		add(series ? &d->facets : &d->series, column);
}

/*
 * The axes that tell rows with the same x from each other. Files are one if the rows have them:
 * they are compared.
 */
static void find_axes(struct draw *d)
{
	const struct columns_named *series = d->spec->series;
	struct groups_split split;

	groups_split_begin(&split, d->rows);
	split.skip = d->spec->skip;
	if (d->over_column && axes_is(d->spec->x))
		groups_split_by(&split, d->spec->x);
	for (size_t i = 0; series && i < series->n; i++) {
		add(&d->series, series->all[i]);
		groups_split_by(&split, series->all[i]);
	}
	if (d->rows->values[ROWS_file].as == ROWS_WORDS)
		take_axis(d, &split, ROWS_file);
	for (size_t i = 0; i < axes_n; i++)
		take_axis(d, &split, axes[i].column);
	groups_split_end(&split);
}

/* Completions and files stay curves as long as possible: they are what people compare. */
static size_t least_wanted(const struct columns_named *series)
{
	for (size_t i = 0; i < series->n; i++)
		if (series->all[i] != ROWS_completion && series->all[i] != ROWS_file)
			return i;
	return 0;
}

/* From all axes as curves to as many as one picture can have. */
static int split_pictures(struct draw *d)
{
	struct columns_named *columns = &d->series.columns;
	struct groups *series = &d->series.groups;

	find_axes(d);
	groups_make_some(series, d->rows, d->spec->skip, columns);
	while (!d->spec->series && columns->n &&
	       series->n > (columns->n > 1 ? CURVES_AIM : PLOT_CURVES)) {
		const size_t out = least_wanted(columns);

		add(&d->facets, columns->all[out]);
		columns->n--;
		memmove(&columns->all[out], &columns->all[out + 1],
			(columns->n - out) * sizeof(columns->all[0]));
		groups_free(series);
		groups_make_some(series, d->rows, d->spec->skip, columns);
	}
	groups_make_some(&d->facets.groups, d->rows, d->spec->skip, &d->facets.columns);
	if (series->n > PLOT_CURVES)
		return err_set(-EINVAL, "--series: a picture has 1..%d curves, and these rows give %zu; choose rows with --where",
			       PLOT_CURVES, series->n);
	return 0;
}

/* ---- names */

static const char *y_name(const struct draw *d, size_t y, char *text, size_t size)
{
	const struct plot_y *one = &d->spec->y[y];

	if (!one->name)
		return plot_words(rows_field(one->column), text, size);
	snprintf(text, size, "%s", one->name);
	return text;
}

/* Adds what the rows of a group have in common. */
static void group_text(const struct plot_groups *of, size_t i, char *text, size_t size)
{
	const struct rows *rows = of->groups.rows;
	const size_t row = of->groups.members[of->groups.begin[i]];
	char word[ROWS_TEXT];
	/* both directions are of a run that has both */
	const bool both = columns_have(&of->columns, ROWS_direction) &&
			  !strcmp(rows_text(rows, ROWS_direction, row, word), "both");

	for (size_t c = 0; c < of->columns.n; c++) {
		const enum rows_column column = of->columns.all[c];

		if (!both || column != ROWS_bidir)
			plot_join(text, size, plot_word(rows, column, rows_word(rows, column, row),
							word, sizeof(word)));
	}
}

/* Curve i of series and column y. */
static void name_curve(const struct draw *d, struct plot_curve *curve, size_t i, size_t y)
{
	const bool several = d->over_column && d->n > 1;
	char text[PLOT_TEXT];

	group_text(&d->series, i, curve->name, sizeof(curve->name));
	if (several)
		plot_join(curve->name, sizeof(curve->name), y_name(d, y, text, sizeof(text)));
	curve->look = (unsigned int)(d->series.groups.n > 1 || !several ? i : y - d->first);
	curve->dash = (unsigned int)(several ? y - d->first : i);
	/* a curve over percentiles is of all columns of y */
	if (!curve->name[0] && !d->over_column && d->spec->y_words)
		snprintf(curve->name, sizeof(curve->name), "%s", d->spec->y_words);
	else if (!curve->name[0])
		y_name(d, y, curve->name, sizeof(curve->name));
}

static bool name_is_taken(const struct plots *plots, const char *name)
{
	for (size_t i = 0; i + 1 < plots->n; i++)
		if (!strcmp(plots->all[i].name, name))
			return true;
	return false;
}

static void name_plot(const struct draw *d, struct plot *plot)
{
	const struct plot_spec *spec = d->spec;
	char facet[PLOT_TEXT] = "", over[PLOT_TEXT] = "", text[3 * PLOT_TEXT], words[PLOT_TEXT];

	if (spec->of)
		plot_join(facet, sizeof(facet), spec->of);
	if (d->n < spec->n_y)
		plot_join(facet, sizeof(facet), y_name(d, d->first, words, sizeof(words)));
	group_text(&d->facets, d->facet, facet, sizeof(facet));
	if (d->over_column)
		snprintf(over, sizeof(over), " over %s",
			 plot_words(rows_field(spec->x), words, sizeof(words)));
	snprintf(text, sizeof(text), *facet ? "%s%s: %s" : "%s%s", spec->title, over, facet);
	snprintf(plot->title, sizeof(plot->title), "%.*s", PLOT_TEXT - 1, text);
	snprintf(text, sizeof(text), "%s%s %s", spec->name, over, facet);
	plot_file_name(plot->name, sizeof(plot->name) - 8, text);
	/* two texts may become the same name */
	snprintf(text, sizeof(text), "%s", plot->name);
	for (int i = 2; name_is_taken(d->plots, plot->name) && i < 1000; i++)
		snprintf(plot->name, sizeof(plot->name), "%.140s-%d", text, i);
}

/* ---- points */

static double x_of(const struct draw *d, size_t row, size_t y)
{
	if (d->spec->over == PLOT_OVER_PERCENTILES || d->spec->over == PLOT_OVER_SHARES)
		return plot_quantile_at(d->spec->y[y].column, d->spec->over == PLOT_OVER_SHARES);
	if (d->spec->over == PLOT_OVER_RATIOS)
		return (double)(y - d->first);
	return d->by_name ? d->names.of_row[row] : rows_number(d->rows, d->spec->x, row);
}

static void take_row(const struct draw *d, struct plot *plot, size_t row)
{
	const size_t i = d->series.groups.of_row[row];
	const bool disturbed = measured_disturbed(d->rows, row);

	for (size_t y = d->first; y < d->first + d->n; y++) {
		const size_t curve = d->over_column ? i * d->n + y - d->first : i;
		const double value = rows_number(d->rows, d->spec->y[y].column, row);

		plot->emulated |= !isnan(value) && rows_number(d->rows, ROWS_emulated, row) > 0;
		plot_add(&plot->curves[curve], x_of(d, row, y), value, disturbed);
	}
}

/* ---- axes */

/* Columns of y that no row has get no bars: the others move together. Returns their number. */
static size_t close_gaps(const struct draw *d, struct plot *plot, size_t columns[PLOT_CURVES])
{
	size_t to[PLOT_CURVES] = { 0 };
	const struct plot_curve *first = plot->curves;

	for (size_t i = 0; i < first->n; i++) {
		to[(size_t)first->points[i].x] = i;
		columns[i] = d->first + (size_t)first->points[i].x;
	}
	for (size_t c = 0; c < plot->n_curves; c++)
		for (size_t i = 0; i < plot->curves[c].n; i++) {
			double *x = &plot->curves[c].points[i].x;

			*x = (double)to[(size_t)*x];
		}
	return first->n;
}

/* A name for each group of bars. */
static void names_of_x(const struct draw *d, struct plot *plot)
{
	struct plot_axis *x = &plot->x;
	size_t columns[PLOT_CURVES];

	plot->form = PLOT_BARS;
	x->is_named = true;
	if (d->by_name)
		plot_axis_label(x, rows_field(d->spec->x), NULL, 0);
	x->n_ticks = d->by_name ? d->names.n : close_gaps(d, plot, columns);
	x->from = -0.5;
	x->to = (double)x->n_ticks - 0.5;
	for (size_t i = 0; i < x->n_ticks; i++) {
		char *text = x->ticks[i].text;
		const size_t size = sizeof(x->ticks[i].text);

		x->ticks[i].at = (double)i;
		if (d->by_name)
			plot_word(d->rows, d->spec->x, rows_word(d->rows, d->spec->x,
				  d->names.members[d->names.begin[i]]), text, size);
		else
			y_name(d, columns[i], text, size);
	}
}

/*
 * The rate of the link of the rows of a picture, in values of the rows; 0: it is not known, or not
 * one. Both directions have it twice.
 */
static double link_of(const struct draw *d)
{
	const struct groups *facets = &d->facets.groups;
	double link = NAN;

	for (uint32_t i = facets->begin[d->facet]; i < facets->begin[d->facet + 1]; i++) {
		const size_t row = facets->members[i];
		char text[ROWS_TEXT];
		const bool both = !strcmp(rows_text(d->rows, ROWS_direction, row, text), "both");
		const double one = rows_number(d->rows, ROWS_link_gbit_s, row) * (both ? 2 : 1);

		if (isnan(one) || (i > facets->begin[d->facet] && one != link))
			return 0;
		link = one;
	}
	return isnan(link) ? 0 : link;
}

static void make_axes(const struct draw *d, struct plot *plot)
{
	const struct plot_spec *spec = d->spec;
	const struct field *y = rows_field(spec->y[d->first].column);
	const struct field ratio = { .name = "ratio", .type = FIELD_F64 };
	enum plot_log log = y->unit && !strcmp(y->unit, "ns") ? PLOT_LOG_TIME : PLOT_LOG_RATE;
	struct plot_range r = plot_range(plot);
	char to_first[PLOT_TEXT + 16];

	if (spec->over == PLOT_OVER_SHARES) {
		plot_shares(plot, y);
		return;
	}
	if (d->over_column && spec->y[d->first].column == ROWS_bandwidth_gbit_s)
		plot->link = link_of(d);
	r.y_most = fmax(r.y_most, plot->link);
	snprintf(to_first, sizeof(to_first), "ratio to %s", plot->curves[0].name);
	if (spec->over == PLOT_OVER_RATIOS)
		plot_axis_label(&plot->y, &ratio, to_first, r.y_most);
	else
		plot_axis_label(&plot->y, y, spec->y_words, r.y_most);
	plot->x.per = 1;
	if (spec->over == PLOT_OVER_PERCENTILES) {
		plot_quantile_axis(&plot->x, r.x_most);
	} else if (spec->over == PLOT_OVER_RATIOS || d->by_name) {
		names_of_x(d, plot);
	} else {
		plot_axis_label(&plot->x, rows_field(spec->x), NULL, r.x_most);
		plot_axis_x(&plot->x, r.x_least / plot->x.per, r.x_most / plot->x.per);
	}
	plot->link /= plot->y.per;
	/* a bar begins at 0 */
	log = plot->form == PLOT_BARS ? PLOT_LOG_NEVER : log;
	plot_axis_y(&plot->y, r.y_least / plot->y.per, r.y_most / plot->y.per, log);
}

/* ---- pictures */

/* One point of each curve is no picture of an axis, if there are others that are. */
static bool is_worth(const struct draw *d, const struct plot *plot)
{
	if (d->spec->over == PLOT_OVER_RATIOS)
		return plot->n_curves > 1;
	if (d->facets.groups.n == 1 || d->by_name)
		return plot->n_curves > 0;
	for (size_t c = 0; c < plot->n_curves; c++)
		if (plot->curves[c].n > 1)
			return true;
	return false;
}

/* What the curves are made of: all samples, where the file has them. */
static const char *add_samples(const struct draw *d, struct plot *plot)
{
	const enum plot_over over = d->spec->over;
	size_t n = 0;

	for (size_t i = 0; i < plot->n_curves; i++) {
		const struct plot_part part = { &d->series.groups, &d->facets.groups, i, d->facet };

		if (over == PLOT_OVER_PERCENTILES || over == PLOT_OVER_SHARES)
			n += plot_samples(&plot->curves[i], &part, over == PLOT_OVER_SHARES);
	}
	return !n ? d->spec->made_of : n == plot->n_curves ? PLOT_SAMPLES : PLOT_SOME_SAMPLES;
}

static void make_picture(struct draw *d)
{
	const size_t n = d->over_column ? d->n : 1; /* curves of one of series */
	const struct groups *facets = &d->facets.groups;
	struct plot *plot;

	if (d->plots->n == PLOT_PICTURES || d->plots->n - d->before >= PLOT_OF_ONE) {
		d->plots->left_out++;
		return;
	}
	plot = plot_new(d->plots);
	plot->n_curves = d->series.groups.n * n;
	for (size_t i = 0; i < plot->n_curves; i++)
		name_curve(d, &plot->curves[i], i / n, d->first + i % n);
	for (uint32_t i = facets->begin[d->facet]; i < facets->begin[d->facet + 1]; i++)
		take_row(d, plot, facets->members[i]);
	for (size_t i = 0; i < plot->n_curves; i++)
		plot_settle(&plot->curves[i]);
	plot->made_of = add_samples(d, plot);
	if (d->spec->over == PLOT_OVER_RATIOS)
		plot_ratios(plot);
	plot_drop_empty(plot);
	if (!is_worth(d, plot)) {
		plot_drop(d->plots);
		return;
	}
	make_axes(d, plot);
	plot_scale(plot);
	name_plot(d, plot);
	plot_head(d->rows, d->spec->skip, d->spec->x, plot->below, sizeof(plot->below));
}

/* All columns of y in one picture if they fit, else one in each. */
static void make_facet(struct draw *d)
{
	const size_t series = d->series.groups.n, n_y = d->spec->n_y;
	const bool fits = !d->over_column || series == 1 || series * n_y <= CURVES_AIM;

	d->n = fits ? n_y : 1;
	for (d->first = 0; d->first < n_y; d->first += d->n)
		make_picture(d);
}

int plot_rows(struct plots *plots, const struct rows *rows, const struct plot_spec *spec)
{
	const bool over_column = spec->over == PLOT_OVER_COLUMN;
	const struct columns_named x = { .all = { spec->x }, .n = 1 };
	struct draw d = {
		.plots = plots, .rows = rows, .spec = spec, .before = plots->n,
		.over_column = over_column, .by_name = over_column && !rows_is_number(spec->x),
	};
	const int rc = split_pictures(&d);
	bool fits;

	if (!rc && d.by_name)
		groups_make_some(&d.names, rows, spec->skip, &x);
	/* the axis has no place for more names */
	fits = d.names.n <= PLOT_TICKS;
	plots->left_out += !rc && !fits;
	for (d.facet = 0; d.facet < d.facets.groups.n && !rc && fits; d.facet++)
		make_facet(&d);
	groups_free(&d.series.groups);
	groups_free(&d.facets.groups);
	groups_free(&d.names);
	return rc;
}
