/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The table of a sweep: one line per row, which begins with the values of the cell. Options
 * for which the line has no room are in a line above their rows. New heads are printed only when
 * the columns change. The figures are those of columns.c. The medians of several rounds are below
 * their rows.
 */
#include "config.h"
#include "write/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "row/row_build.h"
#include "stats/repeats.h"
#include "table/table.h"
#include "util/must.h"
#include "util/text.h"

#define FIGURES 54   /* columns for figures before any are known */
#define PAIR_MAX 24  /* a longer name of a pair is cut */
#define BESIDE 6     /* "beside" */
#define INTERVAL 7   /* columns of the width of an interval */

/* An option with several values. */
struct part {
	char *name, *value;
	int width;          /* of the column */
	bool shown;         /* in a column; else in the line above */
	bool is_round;      /* the number of the round; a median has none */
};

/* Lines that go together: the rows, or their medians. */
struct lines {
	FILE *out;
	char *heads, *above; /* as printed last, and the line above the rows; NULL: none */
};

struct sweep_table {
	struct lines now, medians; /* medians.out: to text, NULL: none */
	char *text;
	size_t len;
	struct format_screen screen;
	struct columns columns, median_columns;
	struct footnotes notes;
	struct medians of_rounds;
	bool has_columns;   /* a plan was agreed */
	bool one_test, is_median;
	uint32_t cells, rounds;
	uint32_t round, in_round; /* the current one, and cells of it until now */
	char *until;        /* owned; NULL: rounds are known */
	char *before;       /* with until: the medians of the round before; owned */
	uint32_t n_pairs;   /* that are measured at once */
	int pair_width;     /* of the column pair, 0: none */
	bool beside;        /* the column says which row of a probe it is */
	struct part *parts; /* of the cell */
	uint32_t n_parts;
};

static int open_sweep(void *state, const struct format_file *file)
{
	struct sweep_table *t = state;

	t->now.out = file->out;
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

static void add_part(struct sweep_table *t, const char *name, const char *value, int width)
{
	const int len = (int)strlen(name);

	t->parts[t->n_parts++] = (struct part){
		.name = must_strdup(name), .value = must_strdup(*value ? value : "-"),
		.width = len > width ? len : width,
	};
}

static void free_lines(struct lines *lines)
{
	free(lines->heads);
	free(lines->above);
	*lines = (struct lines){ .out = lines->out };
}

/* Takes out the text of the medians, which is owned; NULL: there is none. */
static char *end_medians(struct sweep_table *t)
{
	if (!t->medians.out)
		return NULL;
	must_close(t->medians.out);
	t->medians.out = NULL;
	free_lines(&t->medians);
	return t->text;
}

/* With until each round may be the last: its medians replace those before. */
static void take_round(struct sweep_table *t, const struct event_cell *cell)
{
	if (cell->until && cell->round != t->round) {
		free(t->before);
		t->before = end_medians(t);
		t->in_round = 0;
	}
	t->round = cell->round;
	t->in_round++;
	if (cell->until && !t->until)
		t->until = must_strdup(cell->until);
	t->of_rounds.each = cell->until;
}

static void take_cell(struct sweep_table *t, const struct event_cell *cell)
{
	char round[16];

	free_parts(t);
	take_round(t, cell);
	t->rounds = cell->rounds;
	t->cells = cell->of / cell->rounds;
	t->one_test = cell->one_test && cell->n_pairs < 2;
	t->n_pairs = cell->n_pairs;
	t->beside = cell->beside;
	t->pair_width = t->beside ? BESIDE : cell->n_pairs < 2 ? 0 :
			cell->pair_width > PAIR_MAX ? PAIR_MAX : cell->pair_width;
	t->parts = must_calloc(cell->n_axes + (size_t)1, sizeof(*t->parts));
	if (cell->rounds > 1) {
		snprintf(round, sizeof(round), "%" PRIu32, cell->round);
		add_part(t, "round", round, 0);
		t->parts[0].is_round = true;
	}
	for (uint32_t i = 0; i < cell->n_axes; i++)
		add_part(t, cell->names[i], cell->values[i], cell->widths[i]);
	medians_cell(&t->of_rounds, cell->in_round, cell->rounds);
}

static bool is_left_out(const struct sweep_table *t, const struct part *part)
{
	return part->is_round && t->is_median;
}

/* Medians have the width of their interval in the place of the round. */
static bool has_width(const struct sweep_table *t)
{
	return t->is_median && t->rounds >= REPEATS_MEDIAN;
}

/* Of all columns before the figures but the round, which does not change the layout. */
static int parts_width(const struct sweep_table *t)
{
	int width = t->beside ? BESIDE + 2 : 0;

	for (uint32_t i = 0; i < t->n_parts; i++)
		width += t->parts[i].is_round ? 0 : t->parts[i].width + 2;
	return width;
}

/* Those that change fastest come into columns, as many as fit. Returns the width of all. */
static int choose_parts(struct sweep_table *t)
{
	const int figures = t->has_columns ? t->columns.width : FIGURES;
	int width = t->pair_width ? t->pair_width + 2 : 0;
	int room = t->screen.width - figures - width -
		   (has_width(t) ? INTERVAL : COLUMNS_SWEEP_MARK);

	for (uint32_t i = t->n_parts; i-- > 0;) {
		struct part *p = &t->parts[i];

		p->shown = p->width + 2 <= room && !is_left_out(t, p);
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
	fprintf(t->now.out, "%s%s", *last ? before : "", text);
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
		fprintf(out, "%-*s  ", t->pair_width, t->beside ? "probe" : "pair");
	for (uint32_t i = 0; i < t->n_parts; i++)
		if (t->parts[i].shown)
			fprintf(out, "%-*s  ", t->parts[i].width, t->parts[i].name);
	if (t->has_columns)
		columns_print_names(out, &t->columns, has_width(t) ? "   +- %" : "");
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
		if (!t->parts[i].shown && !is_left_out(t, &t->parts[i]))
			must_appendf(&text, "%s%s %s", text ? ", " : "", t->parts[i].name,
				     t->parts[i].value);
	must_appendf(&text, "%s", text ? ":\n" : "");
	return text;
}

static void print_above(struct sweep_table *t)
{
	const int width = choose_parts(t);

	print_changed(t, &t->now.heads, heads_text(t, width), "\n");
	print_changed(t, &t->now.above, above_text(t), "");
}

static void print_head(struct sweep_table *t, const struct event_plan *run)
{
	const char **names = must_calloc(t->n_parts + (size_t)1, sizeof(*names));
	struct format_swept swept = {
		.one_test = t->one_test, .cells = t->cells, .rounds = t->rounds,
		.until = t->until, .names = names,
	};

	for (uint32_t i = 0; i < t->n_parts; i++)
		if (!t->parts[i].is_round)
			names[swept.n_names++] = t->parts[i].name;
	format_head_sweep(t->now.out, run, &t->screen, &swept);
	free(names);
}

static void take_plan(struct sweep_table *t, const struct event_plan *run)
{
	struct event_plan shown = *run;
	const bool first = !t->has_columns;

	shown.n_pairs = t->n_pairs;
	columns_choose_sweep(&t->columns, &shown, &t->screen, t->one_test, parts_width(t));
	columns_choose_sweep(&t->median_columns, &shown, &t->screen, t->one_test,
			     parts_width(t) + (t->rounds >= REPEATS_MEDIAN ?
						       INTERVAL - COLUMNS_SWEEP_MARK : 0));
	if (first && t->now.heads)
		putc('\n', t->now.out);
	if (first)
		print_head(t, &shown);
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
		footnotes_add(&t->notes, "messages were received more than once: the column duplicated has how many");
	footnotes_add_row(&t->notes, row);
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
	if (t->beside)
		return fprintf(t->now.out, "%-*s  ", t->pair_width, row_beside(row));
	text_clean(row->pair, name, sizeof(name));
	if (len <= t->pair_width)
		return fprintf(t->now.out, "%-*s  ", t->pair_width, name);
	return fprintf(t->now.out, "..%s  ", name + len - t->pair_width + 2);
}

static int print_parts(struct sweep_table *t, const struct row *row)
{
	int col = print_pair(t, row);

	for (uint32_t i = 0; i < t->n_parts; i++)
		if (t->parts[i].shown)
			col += fprintf(t->now.out, "%-*s  ", t->parts[i].width, t->parts[i].value);
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
	fputs("  ", t->now.out);
	screen_wrap(t->now.out, text, (struct screen_place){ 2, 2, t->screen.width });
}

/* Three figures of a factor. */
static int decimals(double factor)
{
	return factor < 10 ? 2 : factor < 100 ? 1 : 0;
}

/* Below a probe beside bulk traffic, what that did to it. A median has no leakage of its own. */
static void print_leakage(struct sweep_table *t, const struct row *row)
{
	char text[256];
	int len;

	if (t->is_median || row->status != RESULT_OK || !row_is_beside(row))
		return;
	len = snprintf(text, sizeof(text), "beside %" PRIu64 " QP%s of %s of %" PRIu64 " bytes",
		       row->background_qps, text_plural(row->background_qps),
		       ROW_TEXT_OF(row, background_opcode), row->background_bytes);
	if (isfinite(row->background_gbit_s))
		len += snprintf(text + len, sizeof(text) - (size_t)len, " (%.4g Gbit/s)",
				row->background_gbit_s);
	if (isfinite(row->leakage_p50))
		len += snprintf(text + len, sizeof(text) - (size_t)len, ": p50 is %.*f times",
				decimals(row->leakage_p50), row->leakage_p50);
	if (isfinite(row->leakage_p99))
		len += snprintf(text + len, sizeof(text) - (size_t)len, ", p99 %.*f times",
				decimals(row->leakage_p99), row->leakage_p99);
	if (isfinite(row->leakage_p50))
		snprintf(text + len, sizeof(text) - (size_t)len, " that alone");
	else if (!(row->windows_shared_pct >= ROW_WINDOWS_PERCENT))
		snprintf(text + len, sizeof(text) - (size_t)len,
			 ": no leakage, %.1f %% of its time were beside it",
			 row->windows_shared_pct);
	fputs("  ", t->now.out);
	screen_wrap(t->now.out, text, (struct screen_place){ 2, 2, t->screen.width });
}

/* Half the interval of the rate, or of p50, in percent. */
static int print_width(const struct sweep_table *t)
{
	const double half = t->of_rounds.half_width;

	if (!has_width(t))
		return 0;
	if (isnan(half))
		return fprintf(t->now.out, "%*s", INTERVAL, "-");
	return fprintf(t->now.out, "%*.*f", INTERVAL, half < 10 ? 2 : half < 100 ? 1 : 0, half);
}

static void print_row(struct sweep_table *t, const struct row *row)
{
	const char *status = ROW_TEXT_OF(row, status);
	FILE *out = t->now.out;
	int col;

	print_above(t);
	col = print_parts(t, row);
	/* a cell that was never begun has no figures; its size may be chosen by the plan */
	if (has_none(row) && row->size_bytes != ROW_NONE)
		col += fprintf(out, "%7" PRIu64 " %s", row->size_bytes, status);
	else if (has_none(row))
		col += fprintf(out, "%7s %s", "-", status);
	else {
		columns_print_row(out, &t->columns, row);
		col += t->columns.width + print_width(t);
	}
	if (!t->is_median)
		add_notes(t, row);
	footnotes_print_marks(out, &t->notes, col);
	putc('\n', out);
	if (t->one_test && !has_none(row))
		columns_print_below(out, &t->columns, row, t->screen.width);
	print_shares(t, row);
	print_leakage(t, row);
}

static void print_median(struct sweep_table *t, const struct row *row)
{
	const struct lines rows = t->now;
	const struct columns columns = t->columns;

	if (!t->medians.out)
		t->medians.out = must_memstream(&t->text, &t->len);
	t->now = t->medians;
	t->columns = t->median_columns;
	t->is_median = true;
	print_row(t, row);
	t->is_median = false;
	t->columns = columns;
	t->medians = t->now;
	t->now = rows;
}

static void take_row(struct sweep_table *t, const struct row *row)
{
	struct row median = *row;

	/* that of the probe says its bandwidth */
	if (row->kind == ROW_KIND_BACKGROUND && row->status == RESULT_OK)
		return;
	print_row(t, row);
	fflush(t->now.out);
	if (medians_take(&t->of_rounds, &median))
		print_median(t, &median);
}

/* Of the last round that was measured to its end. */
static void print_medians(struct sweep_table *t)
{
	const bool is_short = t->until && t->in_round < t->cells;
	char *last = end_medians(t), *text = is_short ? t->before : last;
	const uint32_t rounds = t->until ? t->round - is_short : t->rounds;

	if (text)
		fprintf(t->now.out, "\nmedians of %" PRIu32 " rounds\n%s", rounds, text);
	free(last);
	free(t->before);
	free(t->until);
}

static int take(void *state, const struct event *event)
{
	if (event->kind == EVENT_CELL)
		take_cell(state, event->cell);
	else if (event->kind == EVENT_PLAN)
		take_plan(state, event->plan);
	/* the knee is a sentence below the table */
	else if ((event->kind == EVENT_ROW && event->row->kind != ROW_KIND_KNEE) ||
		 event->kind == EVENT_INTERVAL)
		take_row(state, event->row);
	return 0;
}

static int close_sweep(void *state)
{
	struct sweep_table *t = state;

	print_medians(t);
	footnotes_print(t->now.out, &t->notes);
	footnotes_close(&t->notes);
	fflush(t->now.out);
	free_parts(t);
	free_lines(&t->now);
	medians_free(&t->of_rounds);
	return 0;
}

const struct format format_sweep = {
	.shows = FORMAT_SHOWS_SWEEP, .size = sizeof(struct sweep_table), .open = open_sweep,
	.take = take, .close = close_sweep,
};
