/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command report: reads the files, and prints what the options ask for. */
#include "config.h"
#include "analysis/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pictures.h"
#include "analysis/print.h"
#include "analysis/rows_expected.h"
#include "analysis/tables.h"
#include "analysis/wish.h"
#include "rows/measured.h"
#include "util/err.h"
#include "util/screen.h"

/* What the options ask for, and what was read for it. */
struct report {
	struct wish wish;
	struct rows rows;
	bool *skip;        /* owned */
	bool met;          /* what was expected */
};

static int width(const struct report *r)
{
	return r->wish.cfg->wide ? SCREEN_UNLIMITED : screen_columns();
}

/* Standard output has the page. */
static bool page_is_output(const struct report *r)
{
	return r->wish.cfg->report_html && !strcmp(r->wish.cfg->report_html, "-");
}

static int print_tables(struct report *r, const struct tables *tables)
{
	const struct cfg *cfg = r->wish.cfg;
	struct print print = {
		.rows = &r->rows, .paths = cfg->files, .n_paths = cfg->n_files, .width = width(r),
		.sheets = tables->sheets, .n_sheets = tables->n, .words = tables->words,
	};

	if (!cfg->quiet)
		return print_report(stdout, cfg->report_format, &print);
	if (tables->words[0])
		screen_fold(stdout, tables->words, print.width);
	return 0;
}

/* Instead of the text: the page has it. */
static int write_pictures(struct report *r, const struct tables *tables)
{
	const struct cfg *cfg = r->wish.cfg;
	const struct page page = {
		.rows = &r->rows, .skip = r->skip, .paths = cfg->files, .n_paths = cfg->n_files,
		.sheets = tables->sheets, .n_sheets = tables->n, .words = tables->words,
		.expected = r->wish.expect.text,
	};

	return pictures_write(&page, cfg);
}

static int make_report(struct report *r)
{
	struct tables tables;
	int rc = tables_make(&tables, &r->wish, &r->rows, r->skip);

	r->met &= tables.met;
	if (!rc && pictures_wanted(r->wish.cfg))
		rc = write_pictures(r, &tables);
	else if (!rc)
		rc = print_tables(r, &tables);
	tables_free(&tables);
	return rc;
}

/* ---- --expect */

static int compare_expected(struct report *r)
{
	bool met;
	int rc = rows_expected(&r->wish.expect, &r->rows, r->skip, &met);

	r->met &= !rc && met;
	return rc;
}

/* The lines of --expect: below the tables, or beside what programs read. */
static void print_expected(const struct report *r)
{
	const struct cfg *cfg = r->wish.cfg;
	const bool below = wish_for_people(&r->wish) && !page_is_output(r);
	FILE *out = (below || cfg->quiet) && !page_is_output(r) ? stdout : stderr;

	if (below && !cfg->quiet && !pictures_wanted(cfg))
		putc('\n', out);
	screen_fold(out, r->wish.expect.text, width(r));
}

/* ---- all */

/* The rows of intervals are for pictures only. */
static void skip_intervals(struct report *r)
{
	char text[ROWS_TEXT];

	for (size_t row = 0; row < r->rows.n; row++)
		r->skip[row] |= !strcmp(rows_text(&r->rows, ROWS_kind, row, text), "interval");
}

static int report_rows(struct report *r)
{
	const bool expects = r->wish.expect.rules.n;
	int rc = 0;

	r->skip = measured_skip(&r->rows);
	if (!r->skip)
		return err_set(-ENOMEM, "no memory for the report");
	if (pictures_wanted(r->wish.cfg))
		skip_intervals(r);
	if (expects)
		rc = compare_expected(r);
	if (!rc)
		rc = make_report(r);
	if (!rc && expects)
		print_expected(r);
	return rc;
}

static int run(struct report *r)
{
	struct rows_query query;
	int rc = pictures_check(r->wish.cfg);

	wish_query(&r->wish, &query);
	if (!rc && pictures_wanted(r->wish.cfg))
		rc = pictures_want(&query, r->wish.cfg);
	if (rc)
		return rc;
	rc = rows_load(&r->rows, &query);
	if (rc)
		return rc;
	rc = report_rows(r);
	free(r->skip);
	rows_free(&r->rows);
	return rc;
}

int report_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	struct report report = { .met = true };
	int status, rc;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	rc = wish_read(&report.wish, &cfg);
	if (!rc)
		rc = run(&report);
	wish_free(&report.wish);
	if (!rc)
		return report.met ? COMMAND_OK : COMMAND_UNEXPECTED;
	command_error(&cfg);
	return rc == -EINVAL || rc == -EBADMSG ? COMMAND_REFUSED : COMMAND_FAILED;
}
