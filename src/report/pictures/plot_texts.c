/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what pictures say about their rows: see plot.h. Texts of rows may come from anybody. */
#include "config.h"
#include "pictures/plot.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "read/axes.h"
#include "util/field.h"
#include "util/text.h"

/* ---- words and units */

/* What a column is called in a picture; others by their name without the unit. */
static const struct {
	const char *column, *words;
} names[] = {
	{ "size_bytes", "message size" },
	{ "bandwidth_gbit_s", "bandwidth" },
	{ "bandwidth_mib_s", "bandwidth" },
	{ "bandwidth_pct_of_link", "bandwidth, part of the link rate" },
	{ "message_rate_per_s", "message rate" },
	{ "lat_min_ns", "latency, least" },
	{ "lat_p50_ns", "latency, median" },
	{ "lat_p90_ns", "latency, 90th percentile" },
	{ "lat_p95_ns", "latency, 95th percentile" },
	{ "lat_p99_ns", "latency, 99th percentile" },
	{ "lat_p99_9_ns", "latency, 99.9th percentile" },
	{ "lat_p99_99_ns", "latency, 99.99th percentile" },
	{ "lat_max_ns", "latency, most" },
	{ "lat_mean_ns", "latency, mean" },
	{ "cpu_ns_per_msg", "CPU time per message" },
	{ "peer_cpu_ns_per_msg", "CPU time per message, peer" },
	{ "interval_start_ns", "time" },
	{ "qps", "queue pairs" },
};

/* "_per_s" of a rate, "_ns" of a time: the unit at the end of a name. */
static void cut_unit(char *text)
{
	static const char *const units[] = { "_per_s", "_gbit_s", "_mib_s", "_bytes", "_ns", "_us" };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const size_t len = strlen(text), n = strlen(units[i]);

		if (len > n && !strcmp(text + len - n, units[i]))
			text[len - n] = '\0';
	}
}

const char *plot_words(const struct field *column, char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(column->name, names[i].column))
			continue;
		snprintf(text, size, "%s", names[i].words);
		return text;
	}
	snprintf(text, size, "%s", column->name);
	if (column->unit)
		cut_unit(text);
	for (char *c = text; *c; c++)
		if (*c == '_')
			*c = ' ';
	return text;
}

/* A unit of the rows, and the larger ones that a picture shows instead: from least on. */
static const struct {
	const char *unit, *shown;
	double least, per;
} units[] = {
	{ "ns", "s", 2e9, 1e9 }, { "ns", "ms", 5e6, 1e6 }, { "ns", "us", 2e3, 1e3 },
	{ "us", "s", 5e6, 1e6 }, { "us", "ms", 5e3, 1e3 },
	{ "1/s", "million/s", 1e6, 1e6 }, { "1/s", "thousand/s", 1e3, 1e3 },
	{ "Gbit/s", "Gbit/s", 1, 1 }, { "Gbit/s", "Mbit/s", 1e-3, 1e-3 },
	{ "Gbit/s", "kbit/s", 0, 1e-6 },
};

void plot_axis_label(struct plot_axis *axis, const struct field *column, const char *what,
		     double most)
{
	const char *unit = column->unit ? column->unit : "";
	/* short ones, too */
	const bool in_us = measured_is_latency(column);
	char words[PLOT_TEXT / 2];

	axis->per = 1;
	axis->is_size = !strcmp(unit, "bytes");
	axis->is_whole = column->type == FIELD_U64;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const bool is_least = in_us && !strcmp(units[i].shown, "us");

		if (strcmp(unit, units[i].unit) || (most < units[i].least && !is_least))
			continue;
		axis->per = units[i].per;
		axis->is_whole &= axis->per == 1;
		unit = units[i].shown;
		break;
	}
	snprintf(axis->unit, sizeof(axis->unit), "%s", unit);
	if (!what)
		what = plot_words(column, words, sizeof(words));
	snprintf(axis->label, sizeof(axis->label), *unit ? "%s (%s)" : "%s", what, unit);
}

/* 65536 -> "64k": the spelling of the options, in which k is 1024. */
static const char *size_text(double value, char *text, size_t size)
{
	static const char suffixes[] = "kMGT";
	int power = 0;

	if (value < 1024 || fmod(value, 1024) != 0)
		snprintf(text, size, "%.12g", value);
	else {
		for (value /= 1024; power < 3 && value >= 1024 && fmod(value, 1024) == 0; power++)
			value /= 1024;
		snprintf(text, size, "%.12g%c", value, suffixes[power]);
	}
	return text;
}

const char *plot_number(const struct plot_axis *axis, double value, char *text, size_t size)
{
	/* no exponent, and no digits beyond the precision of measurements */
	if (axis->is_size)
		return size_text(value, text, size);
	if (fabs(value) >= 1000 || (value == floor(value) && fabs(value) < 1e6))
		snprintf(text, size, "%.0f", value);
	else
		snprintf(text, size, fabs(value) < 1e-3 ? "%.2g" : "%.4g", value);
	return text;
}

const char *plot_x(const struct plot *plot, double x, char *text, size_t size)
{
	for (size_t i = 0; i < plot->x.n_ticks && plot->x.is_named; i++)
		if (plot->x.ticks[i].at == x)
			return plot->x.ticks[i].text;
	return plot_number(&plot->x, x, text, size);
}

const char *plot_value(const struct plot_axis *axis, double value, char *text, size_t size)
{
	char number[48];

	plot_number(axis, value, number, sizeof(number));
	snprintf(text, size, *axis->unit ? "%s %s" : "%s", number, axis->unit);
	return text;
}

/* ---- words of rows */

#define WORD_MAX 64 /* of a value in a legend, with its end */

/* Columns whose values say what they are. */
static const struct columns_named speaking = {
	.all = { ROWS_test, ROWS_transport, ROWS_opcode, ROWS_completion, ROWS_pattern,
		 ROWS_direction, ROWS_role, ROWS_host, ROWS_device, ROWS_link_layer, ROWS_kind,
		 ROWS_pair, ROWS_scenario, ROWS_file },
	.n = 14,
};

/* Values that say in words what they are; NULL: none. */
static const char *said(enum rows_column column, const char *value)
{
	static const struct {
		enum rows_column column;
		const char *value, *words;
	} all[] = {
		{ ROWS_direction, "to_server", "to the server" },
		{ ROWS_direction, "to_client", "to the client" },
		{ ROWS_direction, "both", "both directions" },
		{ ROWS_bidir, "0", "one direction at a time" },
		{ ROWS_bidir, "1", "both directions at once" },
		{ ROWS_fence, "0", "no fence" }, { ROWS_fence, "1", "fence" },
		{ ROWS_relaxed_ordering, "0", "no relaxed ordering" },
		{ ROWS_relaxed_ordering, "1", "relaxed ordering" },
		{ ROWS_peer_relaxed_ordering, "0", "no relaxed ordering of the peer" },
		{ ROWS_peer_relaxed_ordering, "1", "relaxed ordering of the peer" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].column == column && !strcmp(all[i].value, value))
			return all[i].words;
	return NULL;
}

const char *plot_word(const struct rows *rows, enum rows_column column, uint32_t word, char *text,
		      size_t size)
{
	const struct field *field = rows_field(column);
	const struct words_one *one = rows_word_value(rows, column, word);
	const struct plot_axis axis = {
		.is_size = field->unit && !strcmp(field->unit, "bytes"),
	};
	char words[PLOT_TEXT], value[WORD_MAX] = "", clean[ROWS_TEXT];

	plot_words(field, words, sizeof(words));
	if (word == WORDS_ABSENT) {
		snprintf(text, size, "no %s", words);
		return text;
	}
	if (rows_is_number(column))
		plot_number(&axis, one->number, value, sizeof(value));
	else
		plot_join(value, sizeof(value), text_clean(one->text, clean, sizeof(clean)));
	if (said(column, value))
		snprintf(text, size, "%s", said(column, value));
	else if (column == ROWS_size_bytes)
		snprintf(text, size, "%s bytes", value);
	else if (columns_have(&speaking, column))
		snprintf(text, size, "%s", value);
	else
		snprintf(text, size, "%s %s", words, value);
	return text;
}

void plot_join(char *text, size_t size, const char *what)
{
	const size_t len = strlen(text);
	const int n = snprintf(text + len, size - len, "%s%s", len ? ", " : "", what);

	if ((size_t)n >= size - len && size > 4)
		memcpy(text + size - 4, "...", 4);
}

void plot_file_name(char *name, size_t size, const char *text)
{
	size_t n = 0;

	for (const char *c = text; *c && n + 1 < size; c++) {
		const bool fits = isalnum((unsigned char)*c) || *c == '_' || *c == '.';

		if (fits)
			name[n++] = (char)tolower((unsigned char)*c);
		else if (n && name[n - 1] != '-')
			name[n++] = '-';
	}
	while (n && name[n - 1] == '-')
		n--;
	name[n] = '\0';
}

/* The word that the column has in all rows that count; false: it varies, or there is none. */
static bool one_word(const struct rows *rows, const bool *skip, enum rows_column column,
		     uint32_t *word)
{
	bool found = false;

	*word = WORDS_ABSENT;
	for (size_t row = 0; row < rows->n; row++) {
		if (skip[row])
			continue;
		if (found && rows_word(rows, column, row) != *word)
			return false;
		*word = rows_word(rows, column, row);
		found = true;
	}
	return *word != WORDS_ABSENT;
}

/* Adds "node1 mlx5_0 to node2 mlx5_0", of what is the same in all rows. */
static void place(const struct rows *rows, const bool *skip, char *text, size_t size)
{
	static const enum rows_column columns[2][2] = {
		{ ROWS_host, ROWS_device }, { ROWS_peer_host, ROWS_peer_device },
	};
	char both[PLOT_TEXT] = "";

	for (int side = 0; side < 2; side++) {
		const char *before = side && both[0] ? " to " : "";

		for (int i = 0; i < 2; i++) {
			const enum rows_column column = columns[side][i];
			const size_t len = strlen(both);
			char one[WORD_MAX];
			uint32_t word;

			if (!one_word(rows, skip, column, &word))
				continue;
			text_clean(rows_word_value(rows, column, word)->text, one, sizeof(one));
			snprintf(both + len, sizeof(both) - len, "%s%s", before, one);
			before = " ";
		}
	}
	if (both[0])
		plot_join(text, size, both);
}

void plot_head(const struct rows *rows, const bool *skip, enum rows_column x, char *text,
	       size_t size)
{
	char one[PLOT_TEXT];
	uint32_t word;

	text[0] = '\0';
	for (size_t i = 0; i < axes_n; i++) {
		const enum rows_column column = axes[i].column;

		if (axes[i].flags & AXES_HEAD && !(axes[i].flags & AXES_PLACE) && column != x &&
		    one_word(rows, skip, column, &word))
			plot_join(text, size, plot_word(rows, column, word, one, sizeof(one)));
	}
	place(rows, skip, text, size);
}
