/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns units, scales and ticks of pictures; see plot.h. Pure. */
#include "config.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/field.h"

#define TICKS_WANTED 8     /* with a text, along one axis */
#define STEPS_ACROSS 8     /* of a linear axis, at most */
#define STEPS_UP 5
#define POWERS 16.0        /* most / least from which an x axis goes by powers */
#define DECADES 30.0       /* the same for a y axis */

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
	char words[PLOT_TEXT / 2];

	axis->per = 1;
	axis->is_size = !strcmp(unit, "bytes");
	axis->is_whole = column->type == FIELD_U64;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].unit) || most < units[i].least)
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
	/* no exponent, and no digits that nobody has measured */
	if (axis->is_size)
		return size_text(value, text, size);
	if (fabs(value) >= 1000 || (value == floor(value) && fabs(value) < 1e6))
		snprintf(text, size, "%.0f", value);
	else
		snprintf(text, size, fabs(value) < 1e-3 ? "%.2g" : "%.4g", value);
	return text;
}

const char *plot_value(const struct plot_axis *axis, double value, char *text, size_t size)
{
	char number[48];

	plot_number(axis, value, number, sizeof(number));
	snprintf(text, size, *axis->unit ? "%s %s" : "%s", number, axis->unit);
	return text;
}

/* ---- ticks */

static void tick(struct plot_axis *axis, double at, bool with_text)
{
	struct plot_tick *t = &axis->ticks[axis->n_ticks];

	if (axis->n_ticks == PLOT_TICKS)
		return;
	t->at = at;
	t->text[0] = '\0';
	if (with_text)
		plot_number(axis, at, t->text, sizeof(t->text));
	axis->n_ticks++;
}

/* The least of 1, 2, 5, 10, ... that is not below value. */
static double round_up(double value)
{
	const double ten = pow(10, floor(log10(value)));
	const double part = value / ten;

	/* the part of a power of ten may come out a little above it */
	return ten * (part < 1 + 1e-9 ? 1 : part < 2 + 1e-9 ? 2 : part < 5 + 1e-9 ? 5 : 10);
}

/* The reverse. */
static double round_down(double value)
{
	const double ten = pow(10, floor(log10(value) + 1e-9));
	const double part = value / ten;

	return ten * (part < 2 - 1e-9 ? 1 : part < 5 - 1e-9 ? 2 : 5);
}

/* Whole steps around the values: about steps of them. */
static void linear(struct plot_axis *axis, double least, double most, int steps)
{
	double step;

	if (most <= least)
		most = least + (least > 0 ? least : 1);
	step = round_up((most - least) / steps);
	if (axis->is_whole && step < 1)
		step = 1;
	axis->scale = PLOT_LINEAR;
	axis->from = step * floor(least / step + 1e-9);
	axis->to = step * ceil(most / step - 1e-9);
	for (int i = 0; axis->from + i * step <= axis->to + step / 2; i++)
		tick(axis, axis->from + i * step, true);
}

static void powers_of_two(struct plot_axis *axis, double least, double most)
{
	const int first = (int)floor(log2(least) + 1e-9), last = (int)ceil(log2(most) - 1e-9);
	const int step = (last - first) / TICKS_WANTED + 1;

	axis->scale = PLOT_LOG2;
	axis->from = least / pow(2, 0.3);
	axis->to = most * pow(2, 0.3);
	for (int i = first; i <= last; i++)
		if (pow(2, i) >= axis->from && pow(2, i) <= axis->to &&
		    (last - first < PLOT_TICKS || (i - first) % step == 0))
			tick(axis, pow(2, i), (i - first) % step == 0);
}

static void decades(struct plot_axis *axis, double least, double most)
{
	static const int parts[] = { 1, 2, 5 };
	const bool many = most / least > 1e3;

	axis->scale = PLOT_LOG10;
	axis->from = round_down(least);
	axis->to = round_up(most);
	for (int power = (int)floor(log10(axis->from) + 1e-9); axis->n_ticks < PLOT_TICKS;
	     power++) {
		for (size_t i = 0; i < 3; i++) {
			const double at = parts[i] * pow(10, power);

			if (at > axis->to * (1 + 1e-9))
				return;
			if (at >= axis->from * (1 - 1e-9))
				tick(axis, at, !many || parts[i] == 1);
		}
	}
}

void plot_axis_x(struct plot_axis *axis, double least, double most)
{
	const double pad = (most - least) / 40;
	size_t n = 0;

	axis->n_ticks = 0;
	if (least > 0 && most / least >= POWERS) {
		powers_of_two(axis, least, most);
		return;
	}
	linear(axis, least, most, STEPS_ACROSS);
	if (most <= least)
		return;
	/* an axis of x ends at its values, not at the next step */
	axis->from = least - pad;
	axis->to = most + pad;
	for (size_t i = 0; i < axis->n_ticks; i++)
		if (axis->ticks[i].at >= axis->from && axis->ticks[i].at <= axis->to)
			axis->ticks[n++] = axis->ticks[i];
	axis->n_ticks = n;
}

void plot_axis_y(struct plot_axis *axis, double least, double most, bool is_time)
{
	axis->n_ticks = 0;
	if (is_time && least > 0 && most / least >= DECADES)
		decades(axis, least, most);
	else
		linear(axis, least < 0 ? least : 0, most > 0 ? most : 1, STEPS_UP);
}

double plot_axis_at(const struct plot_axis *axis, double value)
{
	if (axis->scale == PLOT_LINEAR)
		return (value - axis->from) / (axis->to - axis->from);
	return log(value / axis->from) / log(axis->to / axis->from);
}
