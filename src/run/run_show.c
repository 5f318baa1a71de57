/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what people see of the cells while they are measured. Called by run_cells.c, run_dry.c. */
#include "config.h"
#include "run/run_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/clock.h"
#include "util/log.h"

#define TELL_NS 5e9   /* between two lines */
#define AXES_MAX 64   /* options that are shown; the table has fewer columns */

const char *run_show_time(double ns, char *text, size_t size)
{
	const double seconds = ns / 1e9;

	if (isinf(seconds))
		snprintf(text, size, "without end");
	else if (seconds < 120)
		snprintf(text, size, "%.*f s", seconds < 10 ? 1 : 0, seconds);
	else if (seconds < 7200)
		snprintf(text, size, "%.0f min", seconds / 60);
	else
		snprintf(text, size, "%.1f h", seconds / 3600);
	return text;
}

void run_show_expect(struct run_show *show, const struct cfg *cfg)
{
	uint32_t points;
	bool exact;

	show->expected_ns += run_time_ns(cfg, &points, &exact);
}

/* What is left takes as much longer than expected as what is done did. */
static double left_ns(const struct run_show *show)
{
	const double spent = (double)(clock_ns() - show->begin_ns);
	const double left = show->expected_ns - show->passed_ns;

	return show->passed_ns > 0 ? left * spent / show->passed_ns : left;
}

/* "12 s left", "without end". */
static void left_text(const struct run_show *show, char *text, size_t size)
{
	const double ns = left_ns(show);
	char time[32];

	snprintf(text, size, isinf(ns) ? "%s" : "%s left", run_show_time(ns, time, sizeof(time)));
}

const char *run_show_cell(struct run_show *show, const struct run *run, const struct cell *cell,
			  const struct cfg *cfg, bool runs)
{
	const uint64_t now_ns = clock_ns();
	uint32_t points;
	char left[48];
	bool exact;

	if (!show->begin_ns)
		show->begin_ns = show->told_ns = now_ns;
	show->passed_ns += show->cell_ns;
	show->cell_ns = runs ? run_time_ns(cfg, &points, &exact) : 0;
	left_text(show, left, sizeof(left));
	snprintf(show->progress, sizeof(show->progress), "%" PRIu32 " of %" PRIu32 ", %s, ",
		 cell->index + 1, run->cells.n, left);
	if (log_has_status() || run->cfg.quiet || (double)(now_ns - show->told_ns) < TELL_NS)
		return show->progress;
	show->told_ns = now_ns;
	log_note("%" PRIu32 " of %" PRIu32 ", %s: %s", cell->index + 1, run->cells.n, left,
		 cell->text);
	return show->progress;
}

void run_show_end(const struct run_show *show, const struct run *run)
{
	char took[32], said[32];

	if (!run->cfg.verbose || !show->begin_ns || isinf(show->expected_ns))
		return;
	run_show_time((double)(clock_ns() - show->begin_ns), took, sizeof(took));
	run_show_time(show->expected_ns, said, sizeof(said));
	log_note("the cells took %s; --dry-run says %s", took, said);
}

/* Sizes are in a column of every table. */
static bool is_shown(const struct axis *axis)
{
	return axis->values.n > 1 && axis->row != CFG_ROW_size_bytes;
}

static int widest(const struct list *values)
{
	size_t width = 0;

	for (uint32_t i = 0; i < values->n; i++)
		if (strlen(values->words[i]) > width)
			width = strlen(values->words[i]);
	return (int)width;
}

static int widest_pair(const struct pairs_list *list)
{
	size_t width = 0;

	for (uint32_t i = 0; i < list->n; i++)
		if (strlen(list->pairs[i].name) > width)
			width = strlen(list->pairs[i].name);
	return (int)width;
}

void run_show_axes(const struct run *run, const struct cell *cell, struct output *output)
{
	const struct axes *axes = &cell->part->axes;
	char names[AXES_MAX][FIELD_TEXT_MAX];
	const char *name[AXES_MAX], *value[AXES_MAX];
	int width[AXES_MAX];
	struct format_cell shown = { .index = cell->index, .of = run->cells.n, .text = cell->text,
				     .scenario = cell->part->scenario, .names = name,
				     .values = value, .widths = width,
				     .n_pairs = run->pairs.n,
				     .pair_width = widest_pair(&run->pairs) };

	for (uint32_t i = 0; i < axes->n && shown.n_axes < AXES_MAX; i++) {
		const uint32_t k = shown.n_axes;

		if (!is_shown(&axes->of[i]))
			continue;
		name[k] = field_option(&options_table.rows[axes->of[i].row], names[k],
				       sizeof(names[k]));
		value[k] = cells_value(&run->cells, cell, i);
		width[k] = widest(&axes->of[i].values);
		shown.n_axes++;
	}
	output_cell(output, &shown);
}
