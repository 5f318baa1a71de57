/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what the options of report ask for, the summary and the pivots; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"
#include "read/axes.h"
#include "util/err.h"
#include "util/must.h"
#include "wiring/wiring.h"

/* ---- a row as conditions see it */

static struct condition_value get(const void *obj, size_t column)
{
	const struct report_row *one = obj;
	char buf[ROWS_TEXT];

	if (rows_is_number((enum rows_column)column))
		return (struct condition_value){
			.number = rows_number(one->rows, (enum rows_column)column, one->row),
			.text = "",
		};
	/* a text is kept as a word, so it is not in buf */
	return (struct condition_value){
		.number = NAN,
		.text = rows_text(one->rows, (enum rows_column)column, one->row, buf),
	};
}

struct condition_row tables_row(const struct report_row *row)
{
	return (struct condition_row){ .get = get, .obj = row };
}

/* ---- options */

static int read_of(struct report *r)
{
	int rc = columns_named(&r->of, "--of", r->cfg->report_of);

	for (size_t i = 0; i < r->of.n && !rc; i++)
		if (!rows_is_number(r->of.all[i]) || axes_is(r->of.all[i]))
			rc = err_set(-EINVAL, "--of %s: not a measured quantity",
				     rows_field(r->of.all[i])->name);
	if (rc || r->of.n)
		return rc;
	r->of = measured_bw;
	for (size_t i = 0; i < measured_lat.n; i++)
		if (!columns_have(&r->of, measured_lat.all[i]))
			r->of.all[r->of.n++] = measured_lat.all[i];
	return 0;
}

static int read_by(struct report *r)
{
	int rc = columns_named(&r->by, "--by", r->cfg->report_by);

	for (size_t i = 0; i < r->by.n && !rc; i++)
		if (columns_have(&r->of, r->by.all[i]))
			rc = err_set(-EINVAL, "--by %s: it is one of the quantities of the tables",
				     rows_field(r->by.all[i])->name);
	return rc;
}

static bool is_word(const char *text, int len, const char *word)
{
	return !strncmp(text, word, (size_t)len) && !word[len];
}

/*
 * "place" stands for all columns of hosts, devices and links, "disturbed" for the warnings that
 * leave out a row.
 */
static int read_ignored(struct report *r)
{
	const char *text = r->cfg->report_ignore;
	bool place = false;
	char *names = NULL;
	int rc;

	while (text) {
		const int len = (int)strcspn(text, ",");

		if (is_word(text, len, "place"))
			place = true;
		else if (is_word(text, len, "disturbed"))
			r->with_disturbed = true;
		else
			must_appendf(&names, "%s%.*s", names ? "," : "", len, text);
		text = text[len] ? text + len + 1 : NULL;
	}
	rc = columns_named(&r->ignored, "--ignore", names);
	free(names);
	for (size_t i = 0; i < axes_n && place && !rc; i++)
		if (axes[i].flags & AXES_PLACE && !columns_have(&r->ignored, axes[i].column))
			r->ignored.all[r->ignored.n++] = axes[i].column;
	return rc;
}

static int read_within(struct report *r)
{
	const char *given = r->cfg->report_within;

	if (text_scan_percent(given, &r->within))
		return err_set(-EINVAL, "--within \"%s\": not a percentage such as 5%% or 2.5",
			       given);
	return 0;
}

/* Of a comparison only its verdicts can be expected. */
static int read_expect(struct report *r)
{
	const char *text = r->cfg->expect;

	if (r->cfg->confident && (!text || r->cfg->report_compare))
		return err_set(-EINVAL, "--confident is about the rules of --expect%s",
			       text ? "; the verdicts of --compare are confident without it" :
				      ", which is not given");
	if (!text)
		return 0;
	if (!r->cfg->report_compare)
		return expect_open(&r->expect, text, r->cfg->confident);
	if (!strcmp(text, "verdict != worse"))
		r->verdicts = VERDICTS_NOT_WORSE;
	else if (!strcmp(text, "verdict == same"))
		r->verdicts = VERDICTS_SAME;
	else
		return err_set(-EINVAL, "%s \"%s\": with --compare it is \"verdict != worse\" or \"verdict == same\"",
			       EXPECT_LABEL, text);
	return 0;
}

int tables_read(struct report *r, const struct cfg *cfg)
{
	int rc;

	*r = (struct report){
		.cfg = cfg, .met = EXPECT_PASSED, .people = cfg->report_format == REPORT_TEXT ||
						   cfg->report_format == REPORT_MARKDOWN,
	};
	/* their columns are values, and not quantities */
	if (cfg->report_format == REPORT_PROMETHEUS && (cfg->report_by || cfg->report_compare))
		return err_set(-EINVAL, "--format prometheus excludes %s",
			       cfg->report_by ? "--by" : "--compare");
	rc = read_of(r);
	if (!rc)
		rc = read_by(r);
	if (!rc)
		rc = read_ignored(r);
	if (!rc)
		rc = read_within(r);
	if (!rc && cfg->report_where)
		rc = condition_parse_all(&r->where, "--where", cfg->report_where);
	if (!rc && cfg->report_norm)
		rc = norm_read(&r->norm, cfg);
	if (!rc && cfg->wiring)
		rc = wiring_read(&r->wiring, cfg->wiring);
	return rc ? rc : read_expect(r);
}

void tables_free(struct report *r)
{
	while (r->n_sheets)
		sheet_free(&r->sheets[--r->n_sheets]);
	free(r->sheets);
	free(r->words);
	free(r->skip);
	plot_free(&r->plots);
	rows_free(&r->rows);
	condition_free_all(&r->where);
	expect_close(&r->expect);
	norm_free(r->norm);
	matrix_free(r->matrix);
	wiring_free(r->wiring);
}

void tables_skip(struct report *r)
{
	char text[ROWS_TEXT];

	r->skip = measured_skip(&r->rows);
	for (size_t row = 0; row < r->rows.n && content_has_files(r->cfg); row++)
		r->skip[row] |= !strcmp(rows_text(&r->rows, ROWS_kind, row, text), "interval");
}

void tables_query(const struct report *r, struct rows_query *query)
{
	*query = (struct rows_query){
		.paths = r->cfg->files, .n_paths = r->cfg->n_files,
		.where = r->where.n ? &r->where : NULL,
	};
	/* what rows are grouped by is kept as words, also if it is a number */
	for (size_t i = 0; i < r->by.n; i++)
		query->as[r->by.all[i]] = ROWS_WORDS;
	if (r->cfg->report_compare)
		query->as[ROWS_file] = ROWS_WORDS;
	axes_want_all(query);
	if (r->norm)
		norm_want(r->norm, query);
	measured_want(query);
	matrix_want(query);
	for (size_t i = 0; i < r->of.n; i++)
		axes_want(query, r->of.all[i]);
	condition_want_all(&r->where, query);
	condition_rules_want(&r->expect.rules, query);
}

/* ---- sheets */

struct sheet *tables_sheet(struct report *r)
{
	r->sheets = must_realloc(r->sheets, r->n_sheets + 1, sizeof(*r->sheets));
	r->sheets[r->n_sheets] = (struct sheet){ .title = NULL };
	return &r->sheets[r->n_sheets++];
}

/* People do not see the last sheet if it says nothing. */
static void drop_empty(struct report *r)
{
	const struct sheet *sheet = &r->sheets[r->n_sheets - 1];

	for (size_t i = 0; i < sheet->n_columns; i++)
		if (!r->people || (sheet->columns[i].role == SHEET_FIGURE && sheet->n_rows))
			return;
	if (r->people)
		sheet_free(&r->sheets[--r->n_sheets]);
}

static void add_key(const struct report *r, struct sheet *sheet, size_t cell,
		    enum rows_column column, size_t row)
{
	char buf[ROWS_TEXT];

	if (rows_is_number(column))
		sheet_number(sheet, cell, rows_number(&r->rows, column, row));
	else
		sheet_text(sheet, cell, rows_text(&r->rows, column, row, buf));
}

void tables_keys(const struct report *r, struct sheet *sheet, const struct columns_named *keys)
{
	if (!r->people)
		sheet_column(sheet, SHEET_KEY, "quantity", "");
	for (size_t i = 0; i < keys->n; i++)
		sheet_column(sheet, SHEET_KEY, rows_field(keys->all[i])->name, "");
}

size_t tables_line(const struct report *r, struct sheet *sheet, const struct columns_named *keys,
		   enum rows_column quantity, size_t row)
{
	size_t at = 0;

	sheet_row(sheet);
	if (!r->people)
		sheet_text(sheet, at++, rows_field(quantity)->name);
	for (size_t i = 0; i < keys->n; i++)
		add_key(r, sheet, at++, keys->all[i], row);
	return at;
}

void tables_each(struct report *r, tables_adder *add, void *arg)
{
	for (size_t i = 0; i < r->of.n; i++) {
		struct sheet *sheet = r->people || !r->n_sheets ? tables_sheet(r) : &r->sheets[0];

		if (r->people)
			must_appendf(&sheet->title, r->cfg->report_compare ? "%s" : "%s by %s",
				     rows_field(r->of.all[i])->name, r->cfg->report_by);
		add(r, sheet, r->of.all[i], arg);
		drop_empty(r);
	}
}

/* ---- summary */

enum tests { ALL, BW, LAT };

/* A sheet of the summary. */
struct summary {
	const struct report *r;
	enum tests tests;
	struct columns_named axes, figures;
};

static bool is_of(const struct summary *s, size_t row)
{
	return s->tests == ALL || measured_is_lat(&s->r->rows, row) == (s->tests == LAT);
}

/* Those of the report that a row of these tests has. */
static void find_figures(struct summary *s, const struct columns_named *of)
{
	const struct report *r = s->r;

	s->figures.n = 0;
	for (size_t i = 0; i < of->n; i++) {
		size_t row = 0;

		while (row < r->rows.n && (isnan(rows_number(&r->rows, of->all[i], row)) ||
					   r->skip[row] || !is_of(s, row)))
			row++;
		if (row < r->rows.n)
			s->figures.all[s->figures.n++] = of->all[i];
	}
}

static void add_columns(struct sheet *sheet, const struct summary *s)
{
	for (size_t i = 0; i < s->axes.n; i++)
		sheet_column(sheet, SHEET_KEY, rows_field(s->axes.all[i])->name, "");
	sheet_column(sheet, SHEET_SPREAD, "n", "");
	for (size_t i = 0; i < s->figures.n; i++) {
		const char *name = rows_field(s->figures.all[i])->name;

		sheet_column(sheet, SHEET_FIGURE, name, "");
		sheet_column(sheet, SHEET_SPREAD, name, "_min");
		sheet_column(sheet, SHEET_SPREAD, name, "_max");
		sheet_column(sheet, SHEET_INTERVAL, name, "_low");
		sheet_column(sheet, SHEET_INTERVAL, name, "_high");
	}
}

static void add_line(struct sheet *sheet, const struct summary *s, const struct groups *groups,
		     size_t g)
{
	const struct report *r = s->r;
	size_t at, n = 0;

	sheet_row(sheet);
	for (at = 0; at < s->axes.n; at++)
		add_key(r, sheet, at, s->axes.all[at], groups->members[groups->begin[g]]);
	for (uint32_t i = groups->begin[g]; i < groups->begin[g + 1]; i++)
		n += !r->skip[groups->members[i]];
	sheet_number(sheet, at++, (double)n);
	sheet->repeats |= n > 1;
	for (size_t i = 0; i < s->figures.n; i++) {
		const struct spread spread = spread_of(groups, g, s->figures.all[i], r->skip);

		sheet_number(sheet, at++, spread.median);
		sheet_number(sheet, at++, spread.min);
		sheet_number(sheet, at++, spread.max);
		sheet_number(sheet, at++, spread.interval.low);
		sheet_number(sheet, at++, spread.interval.high);
		sheet->intervals |= !isnan(spread.interval.low);
	}
}

void tables_shown_axes(struct columns_named *swept)
{
	struct columns_named all = { .n = 0 };

	for (size_t i = 0; i < axes_n; i++)
		if (axes[i].flags & AXES_SHOWN || columns_have(swept, axes[i].column))
			all.all[all.n++] = axes[i].column;
	*swept = all;
}

/* Each table for people has its own figures. */
static void make_summary(struct report *r)
{
	const struct columns_named *const usual[] = { [BW] = &measured_bw, [LAT] = &measured_lat };
	const enum tests last = r->people ? LAT : ALL;
	struct summary s = { .r = r, .tests = r->people ? BW : ALL };
	struct groups groups;

	axes_swept(&r->rows, r->skip, &s.axes);
	if (!r->people)
		tables_shown_axes(&s.axes);
	groups_make(&groups, &r->rows, s.axes.all, s.axes.n);
	for (; s.tests <= last; s.tests++) {
		struct sheet *sheet = tables_sheet(r);

		if (r->people)
			sheet->title = must_strdup(s.tests == LAT ? "Latency" : "Bandwidth");
		find_figures(&s, r->people && !r->cfg->report_of ? usual[s.tests] : &r->of);
		add_columns(sheet, &s);
		for (size_t g = 0; g < groups.n; g++)
			if (is_of(&s, groups.members[groups.begin[g]]))
				add_line(sheet, &s, &groups, g);
		drop_empty(r);
	}
	groups_free(&groups);
}

/* ---- pivots */

struct pivot {
	struct columns_named down; /* what varies beside the columns of --by */
	struct groups across;      /* by the columns of --by: a column each */
	struct groups cells;       /* by all of both, down first */
};

/* A column for each group of the columns of --by: "event", "event 64". */
static void add_heads(const struct report *r, struct sheet *sheet, const struct pivot *p)
{
	tables_keys(r, sheet, &p->down);
	for (size_t g = 0; g < p->across.n; g++) {
		char buf[ROWS_TEXT], *head = NULL;

		for (size_t i = 0; i < r->by.n; i++) {
			const char *value = rows_text(&r->rows, r->by.all[i],
						      p->across.members[p->across.begin[g]], buf);

			must_appendf(&head, "%s%s", i ? " " : "", value[0] ? value : "-");
		}
		sheet_column(sheet, SHEET_FIGURE, head, "");
		free(head);
	}
}

/* Do the cells of two rows stand in the same line? */
static bool same_line(const struct rows *rows, const struct pivot *p, size_t a, size_t b)
{
	for (size_t i = 0; i < p->down.n; i++)
		if (rows_word(rows, p->down.all[i], a) != rows_word(rows, p->down.all[i], b))
			return false;
	return true;
}

static void add_pivot(const struct report *r, struct sheet *sheet, enum rows_column quantity,
		      void *arg)
{
	const struct pivot *p = arg;
	size_t line = SIZE_MAX, keys = 0;

	if (!sheet->n_columns)
		add_heads(r, sheet, p);
	for (size_t g = 0; g < p->cells.n; g++) {
		const size_t row = p->cells.members[p->cells.begin[g]];
		const struct spread spread = spread_of(&p->cells, g, quantity, r->skip);

		if (!spread.n)
			continue;
		if (line == SIZE_MAX || !same_line(&r->rows, p, line, row))
			keys = tables_line(r, sheet, &p->down, quantity, row);
		line = row;
		sheet_number(sheet, keys + p->across.of_row[row], spread.median);
	}
}

/* Of a table of one quantity. */
static size_t count_lines(const struct report *r, const struct pivot *p)
{
	size_t n = 0, line = SIZE_MAX;

	for (size_t g = 0; g < p->cells.n; g++) {
		const size_t row = p->cells.members[p->cells.begin[g]];

		n += line == SIZE_MAX || !same_line(&r->rows, p, line, row);
		line = row;
	}
	return n;
}

static int make_pivots(struct report *r)
{
	const struct columns_named *by = &r->by;
	struct pivot p;
	struct columns_named all;
	size_t lines;
	int rc = 0;

	axes_swept_beside(&r->rows, r->skip, by, &p.down);
	all = p.down;
	for (size_t i = 0; i < by->n; i++)
		all.all[all.n++] = by->all[i];
	groups_make(&p.across, &r->rows, by->all, by->n);
	groups_make(&p.cells, &r->rows, all.all, all.n);
	lines = count_lines(r, &p);
	if (lines && p.across.n > TABLES_CELLS / lines)
		rc = err_set(-EINVAL, "--by %s: a table of %zu columns and %zu lines, which is too large",
			     r->cfg->report_by, p.across.n, lines);
	else
		tables_each(r, add_pivot, &p);
	groups_free(&p.across);
	groups_free(&p.cells);
	return rc;
}

int tables_make(struct report *r)
{
	if (r->by.n)
		return make_pivots(r);
	if (matrix_is_of(r))
		matrix_tables(r);
	else
		make_summary(r);
	return 0;
}
