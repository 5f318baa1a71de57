/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which pictures are made of rows, with and without a request of the user; see plot.h. */
#include "config.h"
#include "pictures/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/axes.h"
#include "read/rows.h"
#include "util/err.h"
#include "util/field.h"
#include "util/must.h"

/* Which rows a picture is of. */
enum family {
	ALL,        /* all that were measured */
	STREAM,     /* bandwidth tests */
	LATENCY,
	INTERVALS   /* rows of intervals of both */
};

static const struct plot_y bandwidth[] = { { ROWS_bandwidth_gbit_s, NULL } };
static const struct plot_y rate[] = { { ROWS_message_rate_per_s, NULL } };
static const struct plot_y percentiles[] = {
	{ ROWS_lat_p50_ns, "median" }, { ROWS_lat_p90_ns, "90th percentile" },
	{ ROWS_lat_p99_ns, "99th percentile" }, { ROWS_lat_p99_9_ns, "99.9th percentile" },
	{ ROWS_lat_p99_99_ns, "99.99th percentile" },
};
static const struct plot_y lat[] = {
	{ ROWS_lat_p50_ns, "median" }, { ROWS_lat_p99_ns, "99th percentile" },
	{ ROWS_lat_p99_9_ns, "99.9th percentile" },
};
static const struct plot_y distribution[] = {
	{ ROWS_lat_min_ns, NULL }, { ROWS_lat_p50_ns, NULL }, { ROWS_lat_p90_ns, NULL },
	{ ROWS_lat_p99_ns, NULL }, { ROWS_lat_p99_9_ns, NULL }, { ROWS_lat_p99_99_ns, NULL },
	{ ROWS_lat_max_ns, NULL },
};
/* of a row of the client; a server's row has them the other way round */
static const struct plot_y cpu[] = {
	{ ROWS_cpu_ns_per_msg, "client" }, { ROWS_peer_cpu_ns_per_msg, "server" },
};
static const struct plot_y server_cpu[] = {
	{ ROWS_cpu_ns_per_msg, "server" }, { ROWS_peer_cpu_ns_per_msg, "client" },
};
static const struct plot_y any_cpu[] = {
	{ ROWS_cpu_ns_per_msg, "own side" }, { ROWS_peer_cpu_ns_per_msg, "peer" },
};
static const struct plot_y stream_all[] = {
	{ ROWS_message_rate_per_s, "message rate" }, { ROWS_cpu_ns_per_msg, "CPU per msg" },
	{ ROWS_peer_cpu_ns_per_msg, "peer's CPU" },
};
static const struct plot_y lat_all[] = {
	{ ROWS_lat_p50_ns, "median" }, { ROWS_lat_p99_ns, "p99" }, { ROWS_lat_p99_9_ns, "p99.9" },
	{ ROWS_cpu_ns_per_msg, "CPU per msg" }, { ROWS_peer_cpu_ns_per_msg, "peer's CPU" },
};

#define Y(columns) .y = columns, .n_y = FIELD_COUNT(columns)

/* How x and the rows are chosen. AT_ENDS: only the least and the largest size. */
enum how { OVER_SWEPT, OVER_TIME, AT_ENDS };

/* In the order of the page. */
static const struct chosen {
	enum family family;
	enum how how;
	struct plot_spec spec;
} chosen[] = {
	{ STREAM, OVER_SWEPT, { .name = "bandwidth", .title = "Bandwidth", Y(bandwidth) } },
	{ STREAM, OVER_SWEPT, { .name = "message-rate", .title = "Message rate", Y(rate) } },
	{ LATENCY, OVER_SWEPT, { .name = "latency", .title = "Latency", .y_words = "latency",
		Y(lat) } },
	{ LATENCY, AT_ENDS, { .name = "percentiles", .title = "Percentile curve",
		.y_words = "latency", .over = PLOT_OVER_PERCENTILES, Y(percentiles) } },
	{ LATENCY, AT_ENDS, { .name = "distribution", .title = "Distribution of latency (CDF)",
		.made_of = "made of the least sample, the percentiles 50 to 99.99 that the rows have, and the largest sample, with straight lines between them",
		.y_words = "latency", .over = PLOT_OVER_SHARES, Y(distribution) } },
	{ STREAM, OVER_SWEPT, { .name = "cpu", .title = "CPU time per message",
		.of = "bandwidth tests", .y_words = "CPU time per message", Y(cpu) } },
	{ LATENCY, OVER_SWEPT, { .name = "cpu", .title = "CPU time per message",
		.of = "latency tests", .y_words = "CPU time per message", Y(cpu) } },
	{ STREAM, AT_ENDS, { .name = "completions", .title = "Completions side by side",
		.of = "bandwidth tests", .over = PLOT_OVER_RATIOS, Y(stream_all) } },
	{ LATENCY, AT_ENDS, { .name = "completions", .title = "Completions side by side",
		.of = "latency tests", .over = PLOT_OVER_RATIOS, Y(lat_all) } },
	{ INTERVALS, OVER_TIME, { .name = "intervals", .title = "Message rate", Y(rate) } },
	{ INTERVALS, OVER_TIME, { .name = "intervals-latency", .title = "Latency",
		.y_words = "latency", Y(lat) } },
};

/* What every picture must know of a row. */
static void want_rows(struct rows_query *query)
{
	axes_want_all(query);
	measured_want(query);
	axes_want(query, ROWS_kind);
}

void plot_choose_want(struct rows_query *query)
{
	want_rows(query);
	for (size_t i = 0; i < FIELD_COUNT(chosen); i++)
		for (size_t y = 0; y < chosen[i].spec.n_y; y++)
			axes_want(query, chosen[i].spec.y[y].column);
	axes_want(query, ROWS_interval_start_ns);
	query->histograms = true;
}

/* ---- rows */

static bool text_is(const struct rows *rows, enum rows_column column, size_t row, const char *text)
{
	return !strcmp(rows_word_value(rows, column, rows_word(rows, column, row))->text, text);
}

/* Of a row that was measured. */
static bool is_of(const struct rows *rows, enum family family, size_t row)
{
	const bool is_interval = text_is(rows, ROWS_kind, row, "interval");

	if (is_interval != (family == INTERVALS))
		return false;
	return family == ALL || is_interval ||
	       measured_is_lat(rows, row) == (family == LATENCY);
}

static bool *skip_all_but(const struct rows *rows, enum family family)
{
	bool *skip = measured_skip(rows);

	for (size_t row = 0; row < rows->n; row++)
		skip[row] |= !is_of(rows, family, row);
	return skip;
}

/* How many values the rows that count have. */
static size_t count_values(const struct rows *rows, const bool *skip, enum rows_column column)
{
	bool *seen = must_calloc(rows_n_words(rows, column), sizeof(*seen));
	size_t n = 0;

	seen[WORDS_ABSENT] = true;
	for (size_t row = 0; row < rows->n; row++) {
		const uint32_t word = rows_word(rows, column, row);

		if (skip[row] || seen[word])
			continue;
		seen[word] = true;
		n++;
	}
	free(seen);
	return n;
}

/*
 * The axis that the rows sweep most: a number if there is one, else completions or the first one.
 * ROWS_COLUMNS: they sweep none.
 */
static enum rows_column choose_x(const struct rows *rows, const bool *skip)
{
	enum rows_column x = ROWS_COLUMNS;
	struct columns_named swept;
	size_t most = 1;

	axes_swept(rows, skip, &swept);
	for (size_t i = 0; i < swept.n; i++) {
		const size_t values = rows_is_number(swept.all[i]) ?
				      count_values(rows, skip, swept.all[i]) : 0;

		if (values <= most)
			continue;
		most = values;
		x = swept.all[i];
	}
	if (x == ROWS_COLUMNS && columns_have(&swept, ROWS_completion))
		x = ROWS_completion;
	/* other columns say it, too: pair is in a row of all pairs */
	for (size_t i = 0; i < swept.n && x == ROWS_COLUMNS; i++)
		if (swept.all[i] != ROWS_kind)
			x = swept.all[i];
	return x;
}

/* Of several sizes only the least and the largest count from now on. */
static void keep_ends(const struct rows *rows, bool *skip)
{
	double least = INFINITY, most = -INFINITY;

	for (size_t row = 0; row < rows->n; row++) {
		const double size = skip[row] ? NAN : rows_number(rows, ROWS_size_bytes, row);

		least = fmin(least, size);
		most = fmax(most, size);
	}
	for (size_t row = 0; row < rows->n; row++) {
		const double size = rows_number(rows, ROWS_size_bytes, row);

		skip[row] |= size > least && size < most;
	}
}

/* Whose CPU time is cpu_ns_per_msg? */
static const struct plot_y *cpu_of(const struct rows *rows, const bool *skip)
{
	bool client = false, server = false;

	for (size_t row = 0; row < rows->n; row++) {
		client |= !skip[row] && text_is(rows, ROWS_role, row, "client");
		server |= !skip[row] && text_is(rows, ROWS_role, row, "server");
	}
	return !server ? cpu : client ? any_cpu : server_cpu;
}

/* ---- without a request */

static int draw(struct plots *plots, const struct rows *rows, const struct chosen *one, bool *skip)
{
	static const struct columns_named completion = { .all = { ROWS_completion }, .n = 1 };
	struct plot_spec spec = one->spec;

	spec.skip = skip;
	spec.x = ROWS_COLUMNS;
	if (spec.y == cpu)
		spec.y = cpu_of(rows, skip);
	if (spec.over == PLOT_OVER_RATIOS)
		spec.series = &completion;
	if (one->how == AT_ENDS)
		keep_ends(rows, skip);
	else
		spec.x = one->how == OVER_TIME ? ROWS_interval_start_ns : choose_x(rows, skip);
	if (spec.x == ROWS_COLUMNS && spec.over == PLOT_OVER_COLUMN)
		return 0;
	return plot_rows(plots, rows, &spec);
}

/* Is it the x of a test before this one? */
static bool is_drawn(const enum rows_column *x, uint32_t test)
{
	for (uint32_t before = 0; before < test; before++)
		if (x[before] == x[test])
			return true;
	return false;
}

/* Tests that sweep the same axis have a picture together. */
static int draw_swept(struct plots *plots, const struct rows *rows, const struct chosen *one,
		      const bool *skip)
{
	const uint32_t n = rows_n_words(rows, ROWS_test);
	enum rows_column *x = must_calloc(n, sizeof(*x)); /* of each test */
	bool *part = must_calloc(rows->n, sizeof(*part)); /* rows that do not count for it */
	int rc = 0;

	for (uint32_t test = 0; test < n; test++) {
		for (size_t row = 0; row < rows->n; row++)
			part[row] = skip[row] || rows_word(rows, ROWS_test, row) != test;
		x[test] = choose_x(rows, part);
	}
	for (uint32_t test = 0; test < n && !rc; test++) {
		if (x[test] == ROWS_COLUMNS || is_drawn(x, test))
			continue;
		for (size_t row = 0; row < rows->n; row++)
			part[row] = skip[row] || x[rows_word(rows, ROWS_test, row)] != x[test];
		rc = draw(plots, rows, one, part);
	}
	free(x);
	free(part);
	return rc;
}

int plot_choose(struct plots *plots, const struct rows *rows)
{
	int rc = 0;

	for (size_t i = 0; i < FIELD_COUNT(chosen) && !rc; i++) {
		bool *skip = skip_all_but(rows, chosen[i].family);

		rc = chosen[i].how == OVER_SWEPT ? draw_swept(plots, rows, &chosen[i], skip) :
						   draw(plots, rows, &chosen[i], skip);
		free(skip);
	}
	return rc;
}

/* ---- requests of the user */

static int find_one(struct columns_named *columns, const char *option, const char *text,
		    size_t most)
{
	const int rc = columns_named(columns, option, text);

	if (rc || columns->n <= most)
		return rc;
	return err_set(-EINVAL, "%s: %zu columns are given, and it takes at most %zu", option,
		       columns->n, most);
}

/* Numbers of one unit. */
static int check_y(const struct columns_named *y)
{
	const struct field *first = rows_field(y->all[0]);

	for (size_t i = 0; i < y->n; i++)
		if (!rows_is_number(y->all[i]))
			return err_set(-EINVAL, "--y %s: its values are texts; --y takes columns of numbers",
				       rows_field(y->all[i])->name);
	for (size_t i = 1; i < y->n; i++) {
		const struct field *other = rows_field(y->all[i]);
		const char *a = first->unit ? first->unit : "none";
		const char *b = other->unit ? other->unit : "none";

		if (strcmp(a, b))
			return err_set(-EINVAL, "--y: the columns of a picture have one unit; that of %s is %s, that of %s is %s",
				       first->name, a, other->name, b);
	}
	return 0;
}

int plot_choose_read(struct plot_asked *asked, const char *x, const char *y, const char *series)
{
	int rc = find_one(&asked->y, "--y", y, PLOT_CURVES);

	if (!rc)
		rc = find_one(&asked->series, "--series", series, PLOT_CURVES);
	if (!rc)
		rc = find_one(&asked->x, "--x", x, 1);
	return rc ? rc : check_y(&asked->y);
}

void plot_choose_want_asked(struct rows_query *query, const struct plot_asked *asked)
{
	want_rows(query);
	for (size_t i = 0; i < asked->y.n; i++)
		axes_want(query, asked->y.all[i]);
	/* rows are grouped by it, so a number is a word, too */
	for (size_t i = 0; i < asked->series.n; i++)
		query->as[asked->series.all[i]] = ROWS_WORDS;
	if (asked->x.n)
		axes_want(query, asked->x.all[0]);
}

static int draw_asked(struct plots *plots, const struct rows *rows, const bool *skip,
		      const struct plot_asked *asked)
{
	const struct field *first = rows_field(asked->y.all[0]);
	char title[PLOT_TEXT];
	struct plot_y y[PLOT_CURVES] = { { .name = NULL } };
	const struct plot_spec spec = {
		.name = first->name, .title = plot_words(first, title, sizeof(title)),
		.x = asked->x.n ? asked->x.all[0] : choose_x(rows, skip),
		.y = y, .n_y = asked->y.n, .skip = skip,
		.series = asked->series.n ? &asked->series : NULL,
	};
	const size_t before = plots->n, left_out = plots->left_out;
	int rc;

	for (size_t i = 0; i < asked->y.n; i++)
		y[i].column = asked->y.all[i];
	if (spec.x == ROWS_COLUMNS)
		return err_set(-EINVAL, "--y: nothing varies in these rows; --x says over which column");
	rc = plot_rows(plots, rows, &spec);
	if (rc || plots->n > before)
		return rc;
	if (plots->left_out > left_out)
		return err_set(-EINVAL, "--x %s has more than %d values, the maximum of a picture; choose rows with --where",
			       rows_field(spec.x)->name, PLOT_TICKS);
	return err_set(-EINVAL, "--y: no row has values of both %s and %s", first->name,
		       rows_field(spec.x)->name);
}

int plot_choose_asked(struct plots *plots, const struct rows *rows, const struct plot_asked *asked)
{
	bool *skip = skip_all_but(rows, ALL);
	const int rc = draw_asked(plots, rows, skip, asked);

	free(skip);
	return rc;
}
