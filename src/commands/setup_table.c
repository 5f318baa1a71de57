/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of setup that people read in a terminal; see setup_output.h. Scripts read CSV or
 * JSON; nothing here is meant for them. Must not compute results, only scale them.
 */
#include "config.h"
#include "commands/setup_output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "util/text.h"

#define OPERATION_WIDTH 47
#define COUNT_WIDTH 7
#define RATE_WIDTH 11
#define TIME_WIDTH 10

/* The times, in their order. */
static const struct {
	const char *name;
	size_t off;
} times[] = {
	{ "first", offsetof(struct setup_row, first_ns) },
	{ "min", offsetof(struct setup_row, min_ns) },
	{ "p50", offsetof(struct setup_row, p50_ns) },
	{ "p99", offsetof(struct setup_row, p99_ns) },
	{ "max", offsetof(struct setup_row, max_ns) },
	{ "mean", offsetof(struct setup_row, mean_ns) },
	{ "cpu", offsetof(struct setup_row, cpu_ns) },
	{ "system", offsetof(struct setup_row, system_ns) },
};

#define N_TIMES (sizeof(times) / sizeof(times[0]))

static void print_side(FILE *out, const char *label, const struct limits *l)
{
	char host[PLAN_NAME], device[PLAN_NAME], driver[PLAN_NAME], firmware[PLAN_NAME];

	fprintf(out, "%-7s %s, %s port %" PRIu32 "%s", label, text_clean(l->host, host, sizeof(host)),
		text_clean(l->device, device, sizeof(device)), l->port,
		l->emulated ? " (emulated)" : "");
	text_clean(l->driver, driver, sizeof(driver));
	text_clean(l->firmware, firmware, sizeof(firmware));
	if (driver[0])
		fprintf(out, ", %s", driver);
	if (firmware[0])
		fprintf(out, ", firmware %s", firmware);
	fputc('\n', out);
}

void setup_table_start(FILE *out, const struct setup_start *start)
{
	print_side(out, "client", start->self);
	print_side(out, "server", start->peer);
	if (start->affinity_note[0])
		fprintf(out, "%s\n", start->affinity_note);
	fputs("times are in us per operation; each operation is timed by itself on the client\n"
	      "first: the first operation, which is in no other column; cpu: CPU time of the calling thread; system: of it in the kernel\n"
	      "-: not measured, or too few operations: p50 needs 20, p99 needs 1000, system 100 ms of CPU time\n", out);
	fflush(out);
}

static void print_group(FILE *out, const char *measurement)
{
	const struct measure *m = measure_find(measurement);

	fprintf(out, "\n%s: %s\n  %-*s %*s %*s", measurement, m ? m->help : "", OPERATION_WIDTH,
		"operation", COUNT_WIDTH, "count", RATE_WIDTH, "per second");
	for (size_t i = 0; i < N_TIMES; i++)
		fprintf(out, " %*s", TIME_WIDTH, times[i].name);
	fputc('\n', out);
}

static void put(FILE *out, int width, double v, double scale, int decimals)
{
	if (isfinite(v))
		fprintf(out, " %*.*f", width, decimals, v / scale);
	else
		fprintf(out, " %*s", width, "-");
}

static void print_figures(FILE *out, const struct setup_row *row)
{
	const void *at;
	double v;

	fprintf(out, " %*" PRIu64, COUNT_WIDTH, row->operations);
	put(out, RATE_WIDTH, row->rate_per_s, 1, 1);
	for (size_t i = 0; i < N_TIMES; i++) {
		at = (const char *)row + times[i].off;
		memcpy(&v, at, sizeof(v));
		put(out, TIME_WIDTH, v, 1e3, 3);
	}
	if (isfinite(row->wall_ns))
		fprintf(out, "  all %" PRIu64 " in %.3f us", row->at_once, row->wall_ns / 1e3);
	else if (row->objects > 1)
		fprintf(out, "  one operation is for all %" PRIu64, row->objects);
}

void setup_table_row(FILE *out, const struct setup_row *row, char last[SETUP_ROW_NAME])
{
	char subject[SETUP_ROW_TEXT], operation[2 * SETUP_ROW_TEXT];

	if (strcmp(last, row->measurement)) {
		print_group(out, row->measurement);
		snprintf(last, SETUP_ROW_NAME, "%s", row->measurement);
	}
	setup_row_subject(row, subject, sizeof(subject));
	snprintf(operation, sizeof(operation), "%s%s%s", row->operation, subject[0] ? ", " : "",
		 subject);
	fprintf(out, "  %-*s", OPERATION_WIDTH, operation);
	if (row->operations)
		print_figures(out, row);
	if (strcmp(row->status, setup_status_names[SETUP_OK]))
		fprintf(out, "  %s: %s", row->status, row->reason);
	fputc('\n', out);
	fflush(out);
}
