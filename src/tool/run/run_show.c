/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what people see of the cells while they are measured, and how long a cell takes. */
#include "config.h"
#include "run/run_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decide/plan.h"
#include "util/clock.h"
#include "util/log.h"

#define TELL_NS 5e9   /* between two lines */
#define RATE_WIDTH 6  /* of four digits: "1234k", "1.234" */
#define AXES_MAX 64   /* options that are shown; the table has fewer columns */
#define CELL_NS 10e6         /* to agree on a plan */
#define POINT_NS 25e6        /* queue pairs, memory, threads, the overhead of the loop */
#define QP_NS 0.3e6          /* to make and to connect a queue pair more */
#define BUFFER_NS 4.0        /* to make and to register a byte of the buffers, on both sides, */
#define CACHED (8u << 20)    /* as long as they fit into caches, */
#define MEMORY_NS 10.0       /* and beyond it */
#define BUFFER_MAX (8u << 20) /* of a QP: decide/layout.c */
#define BUFFERS 128u
#define BYTE_NS 0.8          /* 10 Gbit/s: the link is not known yet */
#define MESSAGE_NS 1000.0
#define ROUND_NS 20000.0     /* of a latency test */
#define ALL_FIRST 2u         /* --all */
#define ALL_LAST (8u << 20)
#define MTU 4096u

/* ---- how long a cell takes */

static uint64_t size_of(const struct cfg *cfg)
{
	if (cfg->size_bytes != CFG_AUTO64)
		return cfg->size_bytes;
	if (kind_test_is_lat(cfg->test) || kind_is_atomic(cfg_kind(cfg).op))
		return 8;
	return kind_is_datagram(cfg->transport) ? MTU : 65536;
}

static double point_ns(const struct cfg *cfg, uint64_t size)
{
	const bool lat = kind_test_is_lat(cfg->test);
	double ns = (double)size * BYTE_NS;

	if (cfg->duration_ms == CFG_FOREVER)
		return INFINITY;
	if (cfg->duration_ms != CFG_AUTO)
		return (double)cfg->duration_ms * 1e6;
	if (cfg->messages == CFG_AUTO64)
		return PLAN_DURATION_MS * 1e6;
	if (ns < (lat ? ROUND_NS : MESSAGE_NS))
		ns = lat ? ROUND_NS : MESSAGE_NS;
	return ns * (double)cfg->messages * cfg->qps * cfg->threads;
}

static double footprint_ns(double bytes)
{
	if (bytes <= CACHED)
		return bytes * BUFFER_NS;
	return CACHED * BUFFER_NS + (bytes - CACHED) * MEMORY_NS;
}

/* All that is not the window: more with large messages, whose buffers are made for each point. */
static double around_ns(const struct cfg *cfg, uint64_t size)
{
	const double qps = (double)cfg->qps * cfg->threads;
	const uint64_t bytes = kind_test_is_lat(cfg->test) ? size : BUFFERS * size;

	return POINT_NS + qps * QP_NS +
	       (cfg->footprint_bytes != CFG_AUTO64 ?
			cfg->threads * footprint_ns((double)cfg->footprint_bytes) :
			qps * BUFFER_NS * (double)(bytes < BUFFER_MAX ? bytes : BUFFER_MAX));
}

uint32_t run_time_points(const struct cfg *cfg)
{
	const uint64_t last = kind_is_datagram(cfg->transport) ? MTU : ALL_LAST;
	uint32_t points = 1;

	for (uint64_t size = ALL_FIRST; cfg->all_sizes && size < last; size *= 2)
		points++;
	return points;
}

double run_time_ns(const struct cfg *cfg)
{
	const uint32_t points = run_time_points(cfg);
	uint64_t size = cfg->all_sizes ? ALL_FIRST : size_of(cfg);
	double ns = CELL_NS;

	for (uint32_t i = 0; i < points; i++, size *= 2) {
		const bool peers = cfg->peer_size != CFG_AUTO64 && cfg->peer_size > size;
		const uint64_t longest = peers ? cfg->peer_size : size;

		ns += around_ns(cfg, longest) + point_ns(cfg, longest);
	}
	/* a probe runs alone and beside bulk traffic */
	return cfg->background ? 2 * ns : ns;
}

/* ---- what is seen */

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

/* What is left takes as much longer than expected as what is done did. */
static double left_ns(const struct run_show *show)
{
	const double spent = (double)(clock_ns() - show->begin_ns);
	const double left = show->expected_ns - show->passed_ns;

	return show->passed_ns > 0 ? left * spent / show->passed_ns : left;
}

/* "12 s left", with --until "12 s left at most", "without end". */
static void left_text(const struct run_show *show, const struct run *run, char *text, size_t size)
{
	const double ns = left_ns(show);
	char time[32];

	snprintf(text, size, isinf(ns) ? "%s" : run->cfg.until ? "%s left at most" : "%s left",
		 run_show_time(ns, time, sizeof(time)));
}

const char *run_show_cell(struct run_show *show, const struct run *run, const struct cell *cell)
{
	const uint64_t now_ns = clock_ns();
	char left[48];

	if (!show->begin_ns)
		show->begin_ns = show->shown_ns = now_ns;
	show->passed_ns += show->cell_ns;
	show->cell_ns = show->cells_ns[cell->index];
	left_text(show, run, left, sizeof(left));
	if (run->search.on)
		snprintf(show->progress, sizeof(show->progress), "trial %" PRIu32 ", ",
			 cell->index);
	else
		snprintf(show->progress, sizeof(show->progress), "%" PRIu32 " of %" PRIu32 ", %s, ",
			 cell->index + 1, run->cells.n, left);
	if (log_has_status() || run->cfg.quiet || (double)(now_ns - show->shown_ns) < TELL_NS)
		return show->progress;
	show->shown_ns = now_ns;
	if (run->search.on)
		log_note("%s%s", show->progress, cell->text);
	else
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

/* Sizes are in a column of every table. The trials of a search differ by their rate. */
static bool is_shown(const struct run *run, const struct axis *axis)
{
	if (run->search.on && axis->row == CFG_ROW_rate_milli)
		return true;
	return axis->values.n > 1 && axis->row != CFG_ROW_size_bytes;
}

static bool is_of_one_test(const struct run *run)
{
	const struct axis *tests = cells_axis(&run->cells.parts[0].axes, CFG_ROW_tests);

	return run->cells.n_parts == 1 && tests->values.n == 1;
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
	struct event_cell shown = { .index = cell->index, .of = run->cells.n, .text = cell->text,
				     .in_round = cell->in_round, .round = cell->round + 1,
				     .rounds = run->cfg.rounds,
				     .until = run->cfg.until, .one_test = is_of_one_test(run),
				     .scenario = cell->part->scenario, .names = name,
				     .values = value, .widths = width,
				     .beside = run->cfg.background,
				     .n_pairs = run->cfg.background ? 1 : run->pairs.n,
				     .pair_width = widest_pair(&run->pairs) };

	for (uint32_t i = 0; i < axes->n && shown.n_axes < AXES_MAX; i++) {
		const uint32_t k = shown.n_axes;

		if (!is_shown(run, &axes->of[i]))
			continue;
		name[k] = field_option(&options_table.rows[axes->of[i].row], names[k],
				       sizeof(names[k]));
		value[k] = cells_value(&run->cells, cell, i);
		width[k] = run->search.on ? RATE_WIDTH : widest(&axes->of[i].values);
		shown.n_axes++;
	}
	output_take(output, &(struct event){ EVENT_CELL, .cell = &shown });
}
