/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The table of a sweep: one line per row, which begins with the values of the cell. Options
 * for which the line has no room are in a line above their rows. New heads are printed only when
 * the columns change. The figures are those of columns.c.
 */
#include "config.h"
#include "write/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table/table.h"
#include "util/must.h"
#include "util/text.h"

#define MARKS 6      /* " [1,2]" behind a row */
#define FIGURES 54   /* columns for figures before any are known */
#define PAIR_MAX 24  /* a longer name of a pair is cut */

/* An option with several values. */
struct part {
	char *name, *value;
	int width;          /* of the column */
	bool shown;         /* in a column; else in the line above */
};

struct sweep_table {
	FILE *out;
	struct format_screen screen;
	struct columns columns;
	struct footnotes notes;
	bool has_columns;   /* a plan was agreed */
	uint32_t cells;
	uint32_t n_pairs;   /* that are measured at once */
	int pair_width;     /* of the column pair, 0: none */
	struct part *parts; /* of the cell */
	uint32_t n_parts;
	char *heads;        /* as printed last, and the line above the rows; NULL: none */
	char *above;
};

static int open_sweep(void *state, const struct format_file *file)
{
	struct sweep_table *t = state;

	t->out = file->out;
	t->screen = file->screen;
	footnotes_open(&t->notes, &t->screen);
	return 0;
}

static void free_parts(struct sweep_table *t)
{
	for (uint32_t i = 0; i < t->n_parts; i++) {
		free(t->parts[i].name);
		free(t->parts[i].value);
	}
	free(t->parts);
	t->parts = NULL;
	t->n_parts = 0;
}

static void take_cell(struct sweep_table *t, const struct event_cell *cell)
{
	free_parts(t);
	t->cells = cell->of;
	t->n_pairs = cell->n_pairs;
	t->pair_width = cell->n_pairs < 2 ? 0 :
			cell->pair_width > PAIR_MAX ? PAIR_MAX : cell->pair_width;
	t->n_parts = cell->n_axes;
	t->parts = must_calloc(cell->n_axes, sizeof(*t->parts));
	for (uint32_t i = 0; i < cell->n_axes; i++) {
		const int name = (int)strlen(cell->names[i]);
		const char *value = cell->values[i];

		t->parts[i] = (struct part){
			.name = must_strdup(cell->names[i]),
			.value = must_strdup(*value ? value : "-"),
			.width = name > cell->widths[i] ? name : cell->widths[i],
		};
	}
}

/* Those that change fastest come into columns, as many as fit. Returns the width of all. */
static int choose_parts(struct sweep_table *t)
{
	const int figures = t->has_columns ? t->columns.width : FIGURES;
	int width = t->pair_width ? t->pair_width + 2 : 0;
	int room = t->screen.width - figures - MARKS - width;

	for (uint32_t i = t->n_parts; i-- > 0;) {
		struct part *p = &t->parts[i];

		p->shown = p->width + 2 <= room;
		room -= p->shown ? p->width + 2 : 0;
		width += p->shown ? p->width + 2 : 0;
	}
	return width;
}

/* Prints text if it is not what was printed last. */
static void print_changed(struct sweep_table *t, char **last, char *text, const char *before)
{
	if (!text || (*last && !strcmp(*last, text))) {
		free(text);
		return;
	}
	fprintf(t->out, "%s%s", *last ? before : "", text);
	free(*last);
	*last = text;
}

static char *heads_text(struct sweep_table *t, int width)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	if (t->has_columns) {
		fprintf(out, "%*s", width, "");
		columns_print_groups(out, &t->columns);
	}
	if (t->pair_width)
		fprintf(out, "%-*s  ", t->pair_width, "pair");
	for (uint32_t i = 0; i < t->n_parts; i++)
		if (t->parts[i].shown)
			fprintf(out, "%-*s  ", t->parts[i].width, t->parts[i].name);
	if (t->has_columns)
		columns_print_names(out, &t->columns);
	else
		putc('\n', out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* "test send_bw, depth 16:"; "" if all are in columns. */
static char *above_text(const struct sweep_table *t)
{
	char *text = NULL;

	for (uint32_t i = 0; i < t->n_parts; i++)
		if (!t->parts[i].shown)
			must_appendf(&text, "%s%s %s", text ? ", " : "", t->parts[i].name,
				     t->parts[i].value);
	must_appendf(&text, "%s", text ? ":\n" : "");
	return text;
}

static void print_above(struct sweep_table *t)
{
	const int width = choose_parts(t);

	print_changed(t, &t->heads, heads_text(t, width), "\n");
	print_changed(t, &t->above, above_text(t), "");
}

static void take_plan(struct sweep_table *t, const struct event_plan *run)
{
	struct event_plan shown = *run;
	const bool first = !t->has_columns;

	shown.n_pairs = t->n_pairs;
	columns_choose_brief(&t->columns, &shown, &t->screen);
	if (first && t->heads)
		putc('\n', t->out);
	if (first)
		format_head_sweep(t->out, &shown, &t->screen, t->cells);
	t->has_columns = true;
}

static void add_notes(struct sweep_table *t, const struct row *row)
{
	char text[ROW_TEXT], why[ROW_WHY];

	if (row->status != RESULT_OK)
		footnotes_add(&t->notes, "%s", row_why(row, why));
	if (row->lost && row->lost != ROW_NONE)
		footnotes_add(&t->notes, "messages were lost: the column lost of CSV and JSON has how many");
	if (row->duplicated && row->duplicated != ROW_NONE)
		footnotes_add(&t->notes, "messages were received more than once");
	/* each has numbers of its own: a note for each row would be longer than the table */
	if (row->warnings[0] && t->screen.verbose)
		footnotes_add_list(&t->notes, text_clean(row->warnings, text, sizeof(text)));
	else if (!strcmp(row->warning_codes, "short_window"))
		footnotes_add(&t->notes, "measured for %s: the start counts; -D 1 measures for a second",
			      ROW_SHORT_TEXT);
	else if (row->warnings[0])
		footnotes_add(&t->notes, "disturbed; -v and the column warnings of CSV and JSON say how");
	if (t->has_columns && columns_missing(&t->columns, row, text, sizeof(text))[0])
		footnotes_add_plain(&t->notes, "-: too few samples (%s)", text);
}

/* Of a long name the end: the devices differ more often than the hosts. */
static int print_pair(struct sweep_table *t, const struct row *row)
{
	const int len = (int)strlen(row->pair);
	char name[ROW_NAME];

	if (!t->pair_width)
		return 0;
	text_clean(row->pair, name, sizeof(name));
	if (len <= t->pair_width)
		return fprintf(t->out, "%-*s  ", t->pair_width, name);
	return fprintf(t->out, "..%s  ", name + len - t->pair_width + 2);
}

static int print_parts(struct sweep_table *t, const struct row *row)
{
	int col = print_pair(t, row);

	for (uint32_t i = 0; i < t->n_parts; i++)
		if (t->parts[i].shown)
			col += fprintf(t->out, "%-*s  ", t->parts[i].width, t->parts[i].value);
	return col;
}

static bool has_none(const struct row *row)
{
	/* pairs may have no device in common */
	return !row->device[0] && (row->kind != ROW_KIND_TOTAL || row->status != RESULT_OK);
}

/* Below the total of a bandwidth, how evenly the pairs share it. */
static void print_shares(struct sweep_table *t, const struct row *row)
{
	const double gbit = (double)row->size_bytes * 8 / 1e9;
	char slow[ROW_NAME], fast[ROW_NAME], text[3 * ROW_NAME];

	if (row->kind != ROW_KIND_TOTAL || row->pattern != PATTERN_STREAM ||
	    !isfinite(row->pair_fairness))
		return;
	snprintf(text, sizeof(text), "fairness %.4f: from %.4g (%s) to %.4g Gbit/s (%s)",
		 row->pair_fairness, row->pair_rate_min_per_s * gbit,
		 text_clean(row->slowest_pair, slow, sizeof(slow)), row->pair_rate_max_per_s * gbit,
		 text_clean(row->fastest_pair, fast, sizeof(fast)));
	fputs("  ", t->out);
	screen_wrap(t->out, text, (struct screen_place){ 2, 2, t->screen.width });
}

static void take_row(struct sweep_table *t, const struct row *row)
{
	const char *status = ROW_TEXT_OF(row, status);
	int col;

	print_above(t);
	col = print_parts(t, row);
	/* a cell that was never begun has no figures; its size may be chosen by the plan */
	if (has_none(row) && row->size_bytes != ROW_NONE)
		col += fprintf(t->out, "%7" PRIu64 " %s", row->size_bytes, status);
	else if (has_none(row))
		col += fprintf(t->out, "%7s %s", "-", status);
	else {
		columns_print_row(t->out, &t->columns, row);
		col += t->columns.width;
	}
	add_notes(t, row);
	footnotes_print_marks(t->out, &t->notes, col);
	putc('\n', t->out);
	print_shares(t, row);
	fflush(t->out);
}

static int take(void *state, const struct event *event)
{
	if (event->kind == EVENT_CELL)
		take_cell(state, event->cell);
	else if (event->kind == EVENT_PLAN)
		take_plan(state, event->plan);
	else if (event->kind == EVENT_ROW || event->kind == EVENT_INTERVAL)
		take_row(state, event->row);
	return 0;
}

static int close_sweep(void *state)
{
	struct sweep_table *t = state;

	footnotes_print(t->out, &t->notes);
	footnotes_close(&t->notes);
	fflush(t->out);
	free_parts(t);
	free(t->heads);
	free(t->above);
	return 0;
}

const struct format format_sweep = {
	.shows = FORMAT_SHOWS_SWEEP, .size = sizeof(struct sweep_table), .open = open_sweep,
	.take = take, .close = close_sweep,
};
