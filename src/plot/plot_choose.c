/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which pictures are made of rows; see plot_choose.h. How: plot_rows.c. */
#include "config.h"
#include "plot/plot_choose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot_rows.h"
#include "rows/axes.h"
#include "rows/measured.h"
#include "util/err.h"
#include "util/field.h"

/* Which rows a picture is of. */
enum family {
	ALL,        /* all that were measured */
	STREAM,     /* bandwidth tests */
	LATENCY,
	INTERVALS   /* rows of intervals of both */
};

static const enum rows_column bandwidth[] = { ROWS_bandwidth_gbit_s };
static const enum rows_column rate[] = { ROWS_message_rate_per_s };
static const enum rows_column percentiles[] = {
	ROWS_lat_p50_ns, ROWS_lat_p90_ns, ROWS_lat_p99_ns, ROWS_lat_p99_9_ns, ROWS_lat_p99_99_ns,
};
static const char *const percentile_names[] = {
	"median", "90th percentile", "99th percentile", "99.9th percentile", "99.99th percentile",
};
static const enum rows_column lat[] = { ROWS_lat_p50_ns, ROWS_lat_p99_ns, ROWS_lat_p99_9_ns };
static const char *const lat_names[] = { "median", "99th percentile", "99.9th percentile" };
static const enum rows_column cpu[] = { ROWS_cpu_ns_per_msg, ROWS_peer_cpu_ns_per_msg };
/* of a row of the client; a server's row has them the other way round */
static const char *const cpu_names[] = { "client", "server" };
static const char *const server_cpu_names[] = { "server", "client" };
static const char *const any_cpu_names[] = { "own side", "peer" };
static const enum rows_column stream_all[] = {
	ROWS_message_rate_per_s, ROWS_cpu_ns_per_msg, ROWS_peer_cpu_ns_per_msg,
};
static const char *const stream_all_names[] = { "message rate", "CPU per msg", "peer's CPU" };
static const enum rows_column lat_all[] = {
	ROWS_lat_p50_ns, ROWS_lat_p99_ns, ROWS_lat_p99_9_ns, ROWS_cpu_ns_per_msg,
	ROWS_peer_cpu_ns_per_msg,
};
static const char *const lat_all_names[] = { "median", "p99", "p99.9", "CPU per msg", "peer's CPU" };

#define Y(columns, words) .y = columns, .y_names = words, \
	.n_y = sizeof(columns) / sizeof((columns)[0])

/* How the wish is filled in. */
enum how { OVER_SWEPT, OVER_TIME, AT_ENDS };

/* In the order of the page. AT_ENDS: of the least and of the largest size. */
static const struct chosen {
	enum family family;
	enum how how;
	struct plot_wish wish;
} chosen[] = {
	{ STREAM, OVER_SWEPT, { .name = "bandwidth", .title = "Bandwidth", Y(bandwidth, NULL) } },
	{ STREAM, OVER_SWEPT, { .name = "message-rate", .title = "Message rate", Y(rate, NULL) } },
	{ LATENCY, OVER_SWEPT, { .name = "latency", .title = "Latency", .y_words = "latency",
		Y(lat, lat_names) } },
	{ LATENCY, AT_ENDS, { .name = "percentiles", .title = "Percentile curve",
		.y_words = "latency", .over = PLOT_OVER_PERCENTILES,
		Y(percentiles, percentile_names) } },
	{ STREAM, OVER_SWEPT, { .name = "cpu", .title = "CPU time per message", .of = "bandwidth tests",
		.y_words = "CPU time per message", Y(cpu, cpu_names) } },
	{ LATENCY, OVER_SWEPT, { .name = "cpu", .title = "CPU time per message", .of = "latency tests",
		.y_words = "CPU time per message", Y(cpu, cpu_names) } },
	{ STREAM, AT_ENDS, { .name = "completions", .title = "Completions side by side", .of = "bandwidth tests",
		.over = PLOT_OVER_RATIOS, Y(stream_all, stream_all_names) } },
	{ LATENCY, AT_ENDS, { .name = "completions", .title = "Completions side by side", .of = "latency tests",
		.over = PLOT_OVER_RATIOS, Y(lat_all, lat_all_names) } },
	{ INTERVALS, OVER_TIME, { .name = "intervals", .title = "Message rate",
		Y(rate, NULL) } },
	{ INTERVALS, OVER_TIME, { .name = "intervals-latency", .title = "Latency",
		.y_words = "latency", Y(lat, lat_names) } },
};

#define N_CHOSEN (sizeof(chosen) / sizeof(chosen[0]))

void plot_choose_want_rows(struct rows_query *query)
{
	axes_want_all(query);
	measured_want(query);
	axes_want(query, ROWS_kind);
}

void plot_choose_want(struct rows_query *query)
{
	plot_choose_want_rows(query);
	for (size_t i = 0; i < N_CHOSEN; i++)
		for (size_t y = 0; y < chosen[i].wish.n_y; y++)
			axes_want(query, chosen[i].wish.y[y]);
	axes_want(query, ROWS_interval_start_ns);
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

	switch (family) {
	case STREAM:
		return !is_interval && !measured_is_lat(rows, row);
	case LATENCY:
		return !is_interval && measured_is_lat(rows, row);
	case INTERVALS:
		return is_interval;
	default:
		return !is_interval;
	}
}

static bool *skip_all_but(const struct rows *rows, enum family family)
{
	bool *skip = measured_skip(rows);

	if (!skip)
		err_set(-ENOMEM, "no memory for the rows of a picture");
	for (size_t row = 0; skip && row < rows->n; row++)
		skip[row] |= !is_of(rows, family, row);
	return skip;
}

bool *plot_choose_skip(const struct rows *rows)
{
	return skip_all_but(rows, ALL);
}

static int count_values(const struct rows *rows, const bool *skip, enum rows_column column,
			size_t *n)
{
	bool *seen = calloc(rows_n_words(rows, column) + 1, sizeof(*seen));

	*n = 0;
	if (!seen)
		return err_set(-ENOMEM, "no memory for the values of an axis");
	for (size_t row = 0; row < rows->n; row++) {
		const uint32_t word = rows_word(rows, column, row);

		if (skip[row] || word == WORDS_ABSENT || seen[word])
			continue;
		seen[word] = true;
		++*n;
	}
	free(seen);
	return 0;
}

int plot_choose_x(const struct rows *rows, const bool *skip, enum rows_column *x)
{
	enum rows_column swept[ROWS_COLUMNS];
	size_t n, most = 1, values;
	int rc = axes_swept(rows, skip, swept, &n);

	*x = ROWS_COLUMNS;
	for (size_t i = 0; i < n && !rc; i++) {
		if (!rows_is_number(swept[i]))
			continue;
		rc = count_values(rows, skip, swept[i], &values);
		if (values <= most)
			continue;
		most = values;
		*x = swept[i];
	}
	for (size_t i = 0; i < n && *x == ROWS_COLUMNS; i++)
		if (swept[i] == ROWS_completion)
			*x = swept[i];
	/* kind is told by others: a row of all pairs by pair */
	for (size_t i = 0; i < n && *x == ROWS_COLUMNS; i++)
		if (swept[i] != ROWS_kind)
			*x = swept[i];
	return rc;
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
static const char *const *sides(const struct rows *rows, const bool *skip)
{
	bool client = false, server = false;

	for (size_t row = 0; row < rows->n; row++) {
		client |= !skip[row] && text_is(rows, ROWS_role, row, "client");
		server |= !skip[row] && text_is(rows, ROWS_role, row, "server");
	}
	if (client && server)
		return any_cpu_names;
	return server ? server_cpu_names : cpu_names;
}

/* ---- wishes */

static int fill_wish(struct plot_wish *wish, const struct rows *rows, bool *skip, enum how how)
{
	static const enum rows_column completion[] = { ROWS_completion };
	int rc = 0;

	wish->skip = skip;
	wish->x = ROWS_COLUMNS;
	if (wish->y == cpu)
		wish->y_names = sides(rows, skip);
	if (how == OVER_TIME)
		wish->x = ROWS_interval_start_ns;
	else if (how == OVER_SWEPT)
		rc = plot_choose_x(rows, skip, &wish->x);
	else
		keep_ends(rows, skip);
	if (rc || wish->over != PLOT_OVER_RATIOS)
		return rc;
	wish->series = completion;
	wish->n_series = 1;
	return 0;
}

static int draw_part(struct plots *plots, const struct rows *rows, const struct chosen *one,
		     bool *skip)
{
	struct plot_wish wish = one->wish;
	int rc = fill_wish(&wish, rows, skip, one->how);

	if (!rc && (wish.x != ROWS_COLUMNS || wish.over != PLOT_OVER_COLUMN))
		rc = plot_rows(plots, rows, &wish);
	return rc;
}

/*
 * Tests that sweep the same axis have a picture together. x: of each word of test; skip: of all;
 * part: to fill.
 */
static void keep_tests(const struct rows *rows, const enum rows_column *x, uint32_t first,
		       const bool *skip, bool *part)
{
	for (size_t row = 0; row < rows->n; row++)
		part[row] = skip[row] || x[rows_word(rows, ROWS_test, row)] != x[first];
}

static void keep_test(const struct rows *rows, uint32_t test, const bool *skip, bool *part)
{
	for (size_t row = 0; row < rows->n; row++)
		part[row] = skip[row] || rows_word(rows, ROWS_test, row) != test;
}

/* What a test sweeps: of words that no row has, nothing. */
static int find_xs(const struct rows *rows, const bool *skip, bool *part, enum rows_column *x)
{
	int rc = 0;

	for (uint32_t test = 0; test < rows_n_words(rows, ROWS_test) && !rc; test++) {
		keep_test(rows, test, skip, part);
		rc = plot_choose_x(rows, part, &x[test]);
	}
	return rc;
}

static int draw_swept(struct plots *plots, const struct rows *rows, const struct chosen *one,
		      const bool *skip)
{
	const uint32_t n = rows_n_words(rows, ROWS_test);
	enum rows_column *x = calloc(n + 1u, sizeof(*x));
	bool *part = calloc(rows->n + 1, sizeof(*part));
	int rc = x && part ? find_xs(rows, skip, part, x) :
			     err_set(-ENOMEM, "no memory for the axes of pictures");

	for (uint32_t test = 0; test < n && !rc; test++) {
		bool is_first = x[test] != ROWS_COLUMNS;

		for (uint32_t before = 0; before < test; before++)
			is_first &= x[before] != x[test];
		if (!is_first)
			continue;
		keep_tests(rows, x, test, skip, part);
		rc = draw_part(plots, rows, one, part);
	}
	free(x);
	free(part);
	return rc;
}

static int draw(struct plots *plots, const struct rows *rows, const struct chosen *one)
{
	bool *skip = skip_all_but(rows, one->family);
	int rc = -ENOMEM;

	if (skip && one->how == OVER_SWEPT)
		rc = draw_swept(plots, rows, one, skip);
	else if (skip)
		rc = draw_part(plots, rows, one, skip);
	free(skip);
	return rc;
}

int plot_choose(struct plots *plots, const struct rows *rows)
{
	int rc = 0;

	for (size_t i = 0; i < N_CHOSEN && !rc; i++)
		rc = draw(plots, rows, &chosen[i]);
	return rc;
}
