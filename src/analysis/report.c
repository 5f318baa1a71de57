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

static int print_tables(struct report *r)
{
	const struct cfg *cfg = r->wish.cfg;
	struct tables tables;
	struct print print = {
		.rows = &r->rows, .paths = cfg->files, .n_paths = cfg->n_files, .width = width(r),
	};
	int rc = tables_make(&tables, &r->wish, &r->rows, r->skip);

	print.sheets = tables.sheets;
	print.n_sheets = tables.n;
	print.words = tables.words;
	r->met &= tables.met;
	if (!rc && !cfg->quiet)
		rc = print_report(stdout, cfg->report_format, &print);
	else if (!rc && tables.words[0])
		screen_fold(stdout, tables.words, print.width);
	tables_free(&tables);
	return rc;
}

/* The lines of --expect: below the tables, or beside what programs read. */
static int print_expected(struct report *r)
{
	const bool below = wish_for_people(&r->wish);
	FILE *out = below || r->wish.cfg->quiet ? stdout : stderr;
	bool met;
	int rc = rows_expected(&r->wish.expect, &r->rows, r->skip, &met);

	if (rc)
		return rc;
	r->met &= met;
	if (below && !r->wish.cfg->quiet)
		putc('\n', out);
	screen_fold(out, r->wish.expect.text, width(r));
	return 0;
}

/* Instead of the text: the page has it. */
static int write_pictures(struct report *r)
{
	const struct cfg *cfg = r->wish.cfg;
	const struct page page = {
		.rows = &r->rows, .skip = r->skip, .paths = cfg->files, .n_paths = cfg->n_files,
	};
	const enum rows_column kind = rows_find("kind");

	/* intervals are in pictures only */
	for (size_t row = 0; row < r->rows.n && kind != ROWS_COLUMNS; row++)
		r->skip[row] |= !strcmp(rows_word_value(&r->rows, kind,
							rows_word(&r->rows, kind, row))->text,
					"interval");
	return pictures_write(&page, cfg);
}

static int run(struct report *r)
{
	const bool pictures = pictures_wanted(r->wish.cfg);
	struct rows_query query;
	int rc = pictures_check(r->wish.cfg);

	wish_query(&r->wish, &query);
	if (!rc && pictures)
		rc = pictures_want(&query, r->wish.cfg);
	if (rc)
		return rc;
	rc = rows_load(&r->rows, &query);
	if (rc)
		return rc;
	r->skip = measured_skip(&r->rows);
	rc = !r->skip ? err_set(-ENOMEM, "no memory for the report") :
	     pictures ? write_pictures(r) : print_tables(r);
	if (!rc && r->wish.expect.rules.n)
		rc = print_expected(r);
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
	return rc == -EINVAL ? COMMAND_REFUSED : COMMAND_FAILED;
}
