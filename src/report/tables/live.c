/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the page of rows that are measured now; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/must.h"

struct live_page {
	struct cfg cfg;       /* that of the run, as a report of a page */
	struct report report;
	int rc;               /* the first row that is not in it, and */
	struct err why;
};

int live_check(const struct cfg *cfg)
{
	if (cfg->report_html && !strcmp(cfg->report_html, "-"))
		return err_set(-EINVAL, "--html -: give a FILE; standard output has the results");
	return cfg->report_html ? content_check_files(cfg) : 0;
}

int live_open(struct live_page **page, const struct cfg *cfg)
{
	struct live_page *p = must_calloc(1, sizeof(*p));
	struct rows_query query;
	int rc;

	p->cfg = *cfg;
	p->cfg.n_files = 0;
	/* the run itself compares its rows with these rules */
	p->cfg.expect = NULL;
	p->cfg.confident = false;
	*page = NULL;
	rc = tables_read(&p->report, &p->cfg);
	if (!rc) {
		tables_query(&p->report, &query);
		rc = content_want_files(&query, &p->report);
	}
	if (rc) {
		live_free(p);
		return rc;
	}
	query.histograms = false;
	query.as[ROWS_file] = ROWS_LEFT_OUT;
	rows_begin(&p->report.rows, &query);
	*page = p;
	return 0;
}

void live_row(struct live_page *page, const struct row *row)
{
	if (page->rc)
		return;
	page->rc = rows_add(&page->report.rows, row);
	if (page->rc)
		page->why = err_keep();
}

int live_write(struct live_page *page, const char *words)
{
	struct report *r = &page->report;
	int rc = page->rc;

	/* an old page stays */
	if (!rc && !r->rows.n)
		return 0;
	if (rc)
		err_restore(&page->why);
	if (!rc) {
		tables_skip(r);
		rc = tables_make(r);
	}
	if (!rc && words)
		must_appendf(&r->words, "%s%.*s", r->words ? "\n" : "",
			     (int)strlen(words) - (words[strlen(words) - 1] == '\n'), words);
	if (!rc)
		rc = content_write_files(r);
	return rc;
}

void live_free(struct live_page *page)
{
	if (!page)
		return;
	tables_free(&page->report);
	free(page);
}
