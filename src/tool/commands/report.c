/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command report: reads the files, and prints what the options ask for. */
#include "config.h"
#include "commands/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/axes.h"
#include "tables/tables.h"
#include "util/err.h"
#include "util/must.h"
#include "util/text.h"

static int width(const struct report *r)
{
	return r->cfg->wide ? SCREEN_UNLIMITED : screen_columns();
}

static int line_width(const struct report *r, FILE *out)
{
	return r->cfg->wide ? SCREEN_UNLIMITED : screen_line_columns(out);
}

/* Pictures and the page are instead of the text: the page has it. */
static int print(struct report *r)
{
	if (content_has_files(r->cfg))
		return content_write_files(r);
	if (!r->cfg->quiet)
		return content_print(r, width(r));
	if (r->words)
		screen_fold(stdout, r->words, line_width(r, stdout));
	return 0;
}

/* ---- --expect */

/* "send_lat RC event 64": the settings that tell the rows from each other. The caller frees it. */
static char *name_row(const struct report_row *one, const struct columns_named *named)
{
	char buf[ROWS_TEXT], *text = must_strdup("");

	for (size_t i = 0; i < named->n; i++) {
		const char *value = rows_text(one->rows, named->all[i], one->row, buf);

		if (value[0])
			must_appendf(&text, "%s%s", text[0] ? " " : "", value);
	}
	return text;
}

/* Compares all rows, also those without figures. */
static void compare_expected(struct report *r)
{
	struct columns_named swept, named = { .n = 0 };

	axes_swept(&r->rows, r->skip, &swept);
	for (size_t i = 0; i < axes_n; i++)
		if (axes[i].flags & AXES_SHOWN || columns_have(&swept, axes[i].column))
			named.all[named.n++] = axes[i].column;
	for (size_t row = 0; row < r->rows.n; row++) {
		const struct report_row one = { .rows = &r->rows, .row = row };
		char *name = name_row(&one, &named), status[ROWS_TEXT];
		const struct expect_row values = {
			.name = name, .status = rows_text(&r->rows, ROWS_status, row, status),
			.values = tables_row(&one),
		};

		expect_row(&r->expect, &values);
		free(name);
	}
	r->met = expect_end(&r->expect);
}

/* The lines of --expect: below the tables, or beside what programs read. */
static void print_expected(const struct report *r)
{
	const struct cfg *cfg = r->cfg;
	const bool page_is_output = cfg->report_html && !strcmp(cfg->report_html, "-");
	const bool below = r->people && !page_is_output;
	FILE *out = (below || cfg->quiet) && !page_is_output ? stdout : stderr;

	if (below && !cfg->quiet && !content_has_files(cfg))
		putc('\n', out);
	screen_fold(out, r->expect.text, line_width(r, out));
}

/* ---- all */

static int report_rows(struct report *r)
{
	const bool expects = r->expect.rules.n;
	int rc;

	tables_skip(r);
	if (expects)
		compare_expected(r);
	rc = r->cfg->report_compare ? compare_make(r) : tables_make(r);
	if (!rc && r->cfg->wiring && !r->matrix)
		rc = err_set(-EINVAL, "--wiring needs rows of verbench mesh, and goes neither with --by nor with --compare");
	if (!rc)
		rc = print(r);
	if (!rc && r->norm)
		norm_print(stdout, r, width(r));
	if (!rc && expects)
		print_expected(r);
	return rc;
}

static int run(struct report *r, const struct cfg *cfg)
{
	struct rows_query query;
	int rc = tables_read(r, cfg);

	if (!rc)
		rc = content_check_files(cfg);
	if (rc)
		return rc;
	tables_query(r, &query);
	if (content_has_files(cfg))
		rc = content_want_files(&query, r);
	if (!rc)
		rc = rows_load(&r->rows, &query);
	return rc ? rc : report_rows(r);
}

int report_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	struct report report;
	int status, rc;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	rc = run(&report, &cfg);
	tables_free(&report);
	if (!rc)
		return command_expected(report.met);
	command_error(&cfg);
	return rc == -EINVAL || rc == -EBADMSG ? COMMAND_REFUSED : COMMAND_FAILED;
}
