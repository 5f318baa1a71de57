/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table that people read in a terminal: its order, and the notes below it. The lines above
 * it are format_head.c's, the cells columns.c's. Called by output.c. Scripts read CSV or JSON;
 * nothing here is meant for them.
 */
#include "config.h"
#include "format/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table/columns.h"
#include "table/footnotes.h"
#include "table/format_head.h"
#include "util/err.h"
#include "util/screen.h"
#include "util/text.h"

struct table {
	FILE *out;
	bool started, spaced;
	struct columns columns;
	struct format_screen screen;
	struct footnotes notes;
	uint32_t lines;     /* rows printed */
};

static int open_table(void **state, const char *path, unsigned int how)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return err_set(-ENOMEM, "no memory for the table");
	t->spaced = how & FORMAT_SHARED;
	t->out = strcmp(path, "-") ? fopen(path, t->spaced ? "ae" : "we") : stdout;
	if (!t->out) {
		const int rc = err_set(-errno, "cannot open %s for the table: %s", path,
				     strerror(errno));

		free(t);
		return rc;
	}
	*state = t;
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

static void start_table(void *state, const struct format_run *run)
{
	struct format_run shown = *run;
	struct table *t = state;

	t->started = true;
	if (!shown.screen.width)
		shown.screen.width = SCREEN_COLUMNS;
	t->screen = shown.screen;
	columns_choose(&t->columns, &shown);
	footnotes_open(&t->notes, &t->screen);
	add_plan_notes(t, run->plan);
	format_head(t->out, &shown);
	columns_print_heads(t->out, &t->columns);
	fflush(t->out);
}

static void add_notes(struct table *t, const struct row *row)
{
	const bool lat = row->lat_samples && row->lat_samples != ROW_NONE;
	char text[ROW_TEXT], why[ROW_WHY];

	if (strcmp(row->status, result_status_names[RESULT_OK]))
		footnotes_add(&t->notes, "%s", row_why(row, why));
	if (row->duplicated && row->duplicated != ROW_NONE)
		footnotes_add(&t->notes, "%" PRIu64 " messages received more than once",
			      row->duplicated);
	if (row->warnings[0])
		footnotes_add_list(&t->notes, text_clean(row->warnings, text, sizeof(text)));
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

static void row_table_line(void *state, const struct row *row)
{
	struct table *t = state;

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

/* Who reads the table sees what is missing: an error of the terminal is no error of the run. */
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
	if (t->out != stdout)
		fclose(t->out);
	footnotes_close(&t->notes);
	free(t);
	return 0;
}

const struct format format_table = {
	.open = open_table, .start = start_table, .row = row_table_line, .close = close_table,
};
