/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command report: which report the options ask for, and its files. */
#include "config.h"
#include "analysis/report.h"

#include <stdlib.h>
#include <string.h>

#include "rows/axes.h"
#include "rows/columns_named.h"
#include "rows/measured.h"
#include "analysis/pictures.h"
#include "analysis/print.h"
#include "analysis/summary.h"
#include "util/err.h"
#include "util/log.h"
#include "util/screen.h"

/* What the options ask for, and what was read for it. */
struct report {
	const struct cfg *cfg;
	struct columns_named of;
	struct rows rows;
	bool *skip;                          /* owned */
	enum rows_column axes[ROWS_COLUMNS]; /* that vary */
	size_t n_axes;
};

/* The figures without --of, of all tests. */
static void default_figures(struct columns_named *of)
{
	*of = measured_bw;
	for (size_t i = 0; i < measured_lat.n; i++)
		if (!columns_have(of, measured_lat.all[i]))
			of->all[of->n++] = measured_lat.all[i];
}

static int read_options(struct report *r, struct rows_query *query)
{
	int rc = columns_named(&r->of, "--of", r->cfg->report_of);

	for (size_t i = 0; i < r->of.n && !rc; i++)
		if (!rows_is_number(r->of.all[i]) || axes_is(r->of.all[i]))
			rc = err_set(-EINVAL, "--of %s: not a quantity that is measured",
				     rows_field(r->of.all[i])->name);
	if (rc)
		return rc;
	*query = (struct rows_query){ .paths = r->cfg->files, .n_paths = r->cfg->n_files };
	if (!r->of.n)
		default_figures(&r->of);
	axes_want_all(query);
	measured_want(query);
	for (size_t i = 0; i < r->of.n; i++)
		axes_want(query, r->of.all[i]);
	return pictures_wanted(r->cfg) ? pictures_want(query, r->cfg) : 0;
}

/* Programs always find the same settings. */
static void add_shown_axes(struct report *r)
{
	enum rows_column all[ROWS_COLUMNS];
	size_t n = 0;

	for (size_t i = 0, k = 0; i < axes_n; i++) {
		const bool varies = k < r->n_axes && r->axes[k] == axes[i].column;

		k += varies;
		if (varies || axes[i].flags & AXES_SHOWN)
			all[n++] = axes[i].column;
	}
	for (size_t i = 0; i < n; i++)
		r->axes[i] = all[i];
	r->n_axes = n;
}

static bool has_figures(const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->n_columns; i++)
		if (sheet->columns[i].role == SHEET_FIGURE && sheet->n_rows)
			return true;
	return false;
}

static int print_summary(struct report *r)
{
	const bool people = r->cfg->report_format == REPORT_TEXT ||
			    r->cfg->report_format == REPORT_MARKDOWN;
	struct summary summary = {
		.rows = &r->rows, .skip = r->skip, .axes = r->axes, .of = &r->of,
	};
	struct sheet sheets[2] = { { .title = NULL }, { .title = NULL } };
	struct print print = {
		.rows = &r->rows, .paths = r->cfg->files, .n_paths = r->cfg->n_files,
		.sheets = sheets, .width = r->cfg->wide ? SCREEN_UNLIMITED : screen_columns(),
	};
	int rc = 0;

	if (!people)
		add_shown_axes(r);
	summary.n_axes = r->n_axes;
	/* each table for people has its own figures */
	for (enum summary_tests tests = people ? SUMMARY_BW : SUMMARY_ALL;
	     tests <= (people ? SUMMARY_LAT : SUMMARY_ALL) && !rc; tests++) {
		struct sheet *sheet = &sheets[print.n_sheets];

		if (people && !r->cfg->report_of)
			summary.of = tests == SUMMARY_LAT ? &measured_lat : &measured_bw;
		if (people)
			sheet_title(sheet, tests == SUMMARY_LAT ? "Latency" : "Bandwidth");
		rc = summary_make(sheet, &summary, tests);
		if (!people || has_figures(sheet))
			print.n_sheets++;
		else
			sheet_free(sheet);
	}
	if (!rc)
		rc = print_report(stdout, r->cfg->report_format, &print);
	sheet_free(&sheets[0]);
	sheet_free(&sheets[1]);
	return rc;
}

/* Instead of the text: the page has it. */
static int write_pictures(struct report *r)
{
	const struct page page = {
		.rows = &r->rows, .skip = r->skip, .paths = r->cfg->files, .n_paths = r->cfg->n_files,
	};
	const enum rows_column kind = rows_find("kind");

	/* intervals are in pictures only */
	for (size_t row = 0; row < r->rows.n && kind != ROWS_COLUMNS; row++)
		r->skip[row] |= !strcmp(rows_word_value(&r->rows, kind, rows_word(&r->rows, kind, row))->text,
					"interval");
	return pictures_write(&page, r->cfg);
}

static int run(struct report *r)
{
	struct rows_query query;
	int rc = pictures_check(r->cfg);

	if (!rc)
		rc = read_options(r, &query);

	if (rc)
		return rc;
	rc = rows_load(&r->rows, &query);
	if (rc)
		return rc;
	r->skip = measured_skip(&r->rows);
	rc = r->skip ? axes_swept(&r->rows, r->skip, r->axes, &r->n_axes) :
		       err_set(-ENOMEM, "no memory for the report");
	if (!rc)
		rc = pictures_wanted(r->cfg) ? write_pictures(r) : print_summary(r);
	free(r->skip);
	rows_free(&r->rows);
	return rc;
}

int report_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	struct report report = { .cfg = &cfg };
	int status, rc;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	rc = run(&report);
	if (!rc)
		return COMMAND_OK;
	command_error(&cfg);
	return rc == -EINVAL ? COMMAND_REFUSED : COMMAND_FAILED;
}
