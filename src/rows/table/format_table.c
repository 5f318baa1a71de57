/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The table of a test in a terminal: its order, and what is noted below it. The lines above it are
 * in format_head.c, the cells in columns.c.
 */
#include "config.h"
#include "write/output.h"

#include <math.h>

#include "table/table.h"
#include "util/text.h"

struct table {
	FILE *out;
	bool started, spaced;
	struct columns columns;
	struct format_screen screen;
	struct footnotes notes;
	uint32_t lines;     /* rows printed */
};

static int open_table(void *state, const struct format_file *file)
{
	struct table *t = state;

	t->out = file->out;
	t->spaced = file->how & FORMAT_SHARED;
	t->screen = file->screen;
	return 0;
}

/* With --verbose the head has all notes of the plan. */
static void add_plan_notes(struct table *t, const struct plan *plan)
{
	char text[sizeof(plan->notes[0].text)];

	for (uint32_t i = 0; i < plan->n_notes && !t->screen.verbose; i++)
		if (plan->notes[i].changes_figures)
			footnotes_add_plain(&t->notes, "note: %s",
					    text_clean(plan->notes[i].text, text, sizeof(text)));
}

static void take_plan(struct table *t, const struct event_plan *run)
{
	t->started = true;
	columns_choose(&t->columns, run, &t->screen);
	footnotes_open(&t->notes, &t->screen);
	add_plan_notes(t, run->plan);
	format_head(t->out, run, &t->screen);
	columns_print_groups(t->out, &t->columns);
	columns_print_names(t->out, &t->columns, "");
	fflush(t->out);
}

static void add_notes(struct table *t, const struct row *row)
{
	const bool open = isfinite(row->response_mean_ns);
	const bool lat = open ? row->pattern != PATTERN_STREAM :
				row->lat_samples && row->lat_samples != ROW_NONE;
	char text[ROW_TEXT], why[ROW_WHY];

	if (row->status != RESULT_OK)
		footnotes_add(&t->notes, "%s", row_why(row, why));
	if (row->duplicated && row->duplicated != ROW_NONE)
		footnotes_add(&t->notes, "messages were received more than once: the column duplicated has how many");
	footnotes_add_row(&t->notes, row);
	if (row->clock_step_ns > row->lat_p50_ns / 100)
		footnotes_add_plain(&t->notes, "times are in steps of %.3g ns: the clock has no smaller ones",
				    row->clock_step_ns);
	if (columns_missing(&t->columns, row, text, sizeof(text))[0])
		footnotes_add_plain(&t->notes, "-: too few samples (%s)", text);
	if (row->lost && row->lost != ROW_NONE)
		footnotes_add_plain(&t->notes, "%s", lat ?
			"lost: round trips that timed out; they are in no other figure" :
			"lost: sent and never received; the rates are of what was received");
}

static void take_row(struct table *t, const struct row *row)
{
	if (!t->started)
		return;
	columns_print_row(t->out, &t->columns, row);
	if (row_is_interval(row))
		footnotes_add_plain(&t->notes, "s: intervals, by the time at which each of them ends");
	else
		add_notes(t, row);
	footnotes_print_marks(t->out, &t->notes, t->columns.width);
	putc('\n', t->out);
	columns_print_below(t->out, &t->columns, row, t->screen.width);
	t->lines++;
	fflush(t->out);
}

static int take(void *state, const struct event *event)
{
	if (event->kind == EVENT_PLAN)
		take_plan(state, event->plan);
	else if (event->kind == EVENT_ROW || event->kind == EVENT_INTERVAL)
		take_row(state, event->row);
	return 0;
}

static int close_table(void *state)
{
	struct table *t = state;

	if (t->started) {
		footnotes_print(t->out, &t->notes);
		if (!t->lines && !t->screen.quiet)
			fputs("nothing was measured\n", t->out);
		if (t->spaced)
			putc('\n', t->out);
	}
	fflush(t->out);
	footnotes_close(&t->notes);
	return 0;
}

const struct format format_table = {
	.size = sizeof(struct table), .open = open_table, .take = take, .close = close_table,
};
