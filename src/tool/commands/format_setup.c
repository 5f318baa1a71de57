/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of setup that people read in a terminal: a format of standard output. Scripts read
 * CSV or JSON; nothing here is meant for them. Must not compute results, only scale them.
 */
#include "config.h"
#include "write/output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "objects/measure.h"
#include "objects/setup_row.h"
#include "util/text.h"

#define OPERATION_WIDTH 47
#define NARROW_WIDTH 45     /* of an operation; a longer one has a line of its own */
#define COUNT_WIDTH 7
#define RATE_WIDTH 11
#define TIME_WIDTH 10
#define LINE_TEXT 1024

struct setup_table {
	FILE *out;
	struct format_screen screen;
	char measurement[SETUP_ROW_NAME]; /* of the last row; "": none */
};

/* The times, in their order. */
static const struct {
	const char *name;
	size_t off;
	bool narrow;        /* also where the table has 80 columns */
} times[] = {
	{ "first", offsetof(struct setup_row, first_ns), false },
	{ "min", offsetof(struct setup_row, min_ns), false },
	{ "p50", offsetof(struct setup_row, p50_ns), true },
	{ "p99", offsetof(struct setup_row, p99_ns), true },
	{ "max", offsetof(struct setup_row, max_ns), false },
	{ "mean", offsetof(struct setup_row, mean_ns), true },
	{ "cpu", offsetof(struct setup_row, cpu_ns), false },
	{ "system", offsetof(struct setup_row, system_ns), false },
};

#define N_TIMES (sizeof(times) / sizeof(times[0]))
#define WIDE_WIDTH (2 + OPERATION_WIDTH + 1 + COUNT_WIDTH + 1 + RATE_WIDTH + \
		    (int)N_TIMES * (TIME_WIDTH + 1))

static int open_setup(void *state, const struct format_file *file)
{
	struct setup_table *t = state;

	t->out = file->out;
	t->screen = file->screen;
	return 0;
}

static bool is_wide(const struct setup_table *t)
{
	return t->screen.width >= WIDE_WIDTH;
}

static void wrap(const struct setup_table *t, int col, const char *text)
{
	screen_wrap(t->out, text, (struct screen_place){ col, col + 2, t->screen.width });
}

static void print_side(const struct setup_table *t, const char *label, const struct limits *l)
{
	char host[PLAN_NAME], device[PLAN_NAME], driver[PLAN_NAME], firmware[PLAN_NAME];
	char text[LINE_TEXT];

	text_clean(l->driver, driver, sizeof(driver));
	text_clean(l->firmware, firmware, sizeof(firmware));
	/* the firmware of an emulated device is the settings of its link */
	snprintf(text, sizeof(text), "%s %s, %s port %" PRIu32 "%s%s%s%s%s", label,
		 text_clean(l->host, host, sizeof(host)),
		 text_clean(l->device, device, sizeof(device)), l->port,
		 l->emulated ? " (emulated)" : "", driver[0] ? ", " : "", driver,
		 !firmware[0] ? "" : l->emulated ? ", " : ", firmware ", firmware);
	wrap(t, 0, text);
}

static void take_plan(const struct setup_table *t, const struct event_plan *start)
{
	print_side(t, "client", start->self);
	print_side(t, "server", start->peer);
	if (start->affinity_note && start->affinity_note[0])
		wrap(t, 0, start->affinity_note);
	wrap(t, 0, "times in us; each operation is timed by itself, on the client");
	if (is_wide(t))
		wrap(t, 0, "first: the first operation, which is in no other column; cpu: CPU time of the calling thread; system: of it in the kernel");
	else
		wrap(t, 0, "-w (--wide): all columns, also rate, min, max and CPU time");
	wrap(t, 0, is_wide(t) ?
		     "-: not measured, or too few operations: p50 needs 20, p99 needs 1000, system 100 ms of CPU time" :
		     "-: not measured, or too few operations: p50 needs 20, p99 needs 1000");
	fflush(t->out);
}

static void print_group(const struct setup_table *t, const char *measurement)
{
	const struct measure *m = measure_find(measurement);
	char text[LINE_TEXT];

	snprintf(text, sizeof(text), "%s: %s", measurement, m ? m->help : "");
	putc('\n', t->out);
	wrap(t, 0, text);
	fprintf(t->out, "  %-*s", is_wide(t) ? OPERATION_WIDTH : NARROW_WIDTH, "operation");
	if (is_wide(t))
		fprintf(t->out, " %*s %*s", COUNT_WIDTH, "count", RATE_WIDTH, "per second");
	for (size_t i = 0; i < N_TIMES; i++)
		if (is_wide(t) || times[i].narrow)
			fprintf(t->out, " %*s", TIME_WIDTH, times[i].name);
	putc('\n', t->out);
}

static void put(FILE *out, int width, double v, double scale, int decimals)
{
	if (isfinite(v))
		fprintf(out, " %*.*f", width, decimals, v / scale);
	else
		fprintf(out, " %*s", width, "-");
}

static void print_figures(const struct setup_table *t, const struct setup_row *row)
{
	const void *at;
	double v;

	if (is_wide(t)) {
		fprintf(t->out, " %*" PRIu64, COUNT_WIDTH, row->operations);
		put(t->out, RATE_WIDTH, row->rate_per_s, 1, 1);
	}
	for (size_t i = 0; i < N_TIMES; i++) {
		at = (const char *)row + times[i].off;
		memcpy(&v, at, sizeof(v));
		if (is_wide(t) || times[i].narrow)
			put(t->out, TIME_WIDTH, v, 1e3, 3);
	}
}

/* What a row says beside its figures; "": nothing. */
static void row_words(const struct setup_row *row, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	if (row->operations && isfinite(row->wall_ns))
		len = (size_t)snprintf(text, size, "all %" PRIu64 " in %.3f us", row->at_once,
				       row->wall_ns / 1e3);
	else if (row->operations && row->objects > 1)
		len = (size_t)snprintf(text, size, "one operation is for all %" PRIu64,
				       row->objects);
	if (row->status != SETUP_OK)
		snprintf(text + len, size - len, "%s%s: %s", len ? "; " : "",
			 setup_status_names[row->status], row->reason);
}

static void take_row(struct setup_table *t, const struct setup_row *row)
{
	char subject[SETUP_ROW_TEXT], operation[2 * SETUP_ROW_TEXT], words[LINE_TEXT];
	const int width = is_wide(t) ? OPERATION_WIDTH : NARROW_WIDTH;

	if (strcmp(t->measurement, row->measurement)) {
		print_group(t, row->measurement);
		snprintf(t->measurement, SETUP_ROW_NAME, "%s", row->measurement);
	}
	setup_row_subject(row, subject, sizeof(subject));
	snprintf(operation, sizeof(operation), "%s%s%s", row->operation, subject[0] ? ", " : "",
		 subject);
	fprintf(t->out, "  %-*s", width, operation);
	if (row->operations && (int)strlen(operation) > width)
		fprintf(t->out, "\n  %-*s", width, "");
	if (row->operations)
		print_figures(t, row);
	putc('\n', t->out);
	row_words(row, words, sizeof(words));
	if (words[0]) {
		fprintf(t->out, "    ");
		wrap(t, 4, words);
	}
	fflush(t->out);
}

static int take(void *state, const struct event *event)
{
	if (event->kind == EVENT_PLAN)
		take_plan(state, event->plan);
	else if (event->kind == EVENT_ROW)
		take_row(state, event->record);
	return 0;
}

const struct format format_setup = {
	.shows = FORMAT_SHOWS_SETUP, .size = sizeof(struct setup_table), .open = open_setup,
	.take = take,
};
