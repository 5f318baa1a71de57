/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the texts of the options of report; see wish.h. Called by report.c. Opens no file. */
#include "config.h"
#include "analysis/wish.h"

#include <errno.h>
#include <string.h>

#include "read/number.h"
#include "rows/axes.h"
#include "rows/measured.h"
#include "util/err.h"

static int read_of(struct wish *w)
{
	int rc = columns_named(&w->of, "--of", w->cfg->report_of);

	for (size_t i = 0; i < w->of.n && !rc; i++)
		if (!rows_is_number(w->of.all[i]) || axes_is(w->of.all[i]))
			rc = err_set(-EINVAL, "--of %s: not a quantity that is measured",
				     rows_field(w->of.all[i])->name);
	if (rc || w->of.n)
		return rc;
	w->of = measured_bw;
	for (size_t i = 0; i < measured_lat.n; i++)
		if (!columns_have(&w->of, measured_lat.all[i]))
			w->of.all[w->of.n++] = measured_lat.all[i];
	return 0;
}

static int read_by(struct wish *w)
{
	int rc = columns_named(&w->by, "--by", w->cfg->report_by);

	for (size_t i = 0; i < w->by.n && !rc; i++)
		if (columns_have(&w->of, w->by.all[i]))
			rc = err_set(-EINVAL, "--by %s: it is one of the quantities of the tables",
				     rows_field(w->by.all[i])->name);
	return rc;
}

/* "place" stands for all columns of hosts, devices and links. */
static int read_ignored(struct wish *w)
{
	static const char place[] = "place";
	const char *text = w->cfg->report_ignore;
	const size_t len = strlen(place);
	int rc;

	if (!text || strncmp(text, place, len) || (text[len] && text[len] != ','))
		return columns_named(&w->ignored, "--ignore", text);
	rc = columns_named(&w->ignored, "--ignore", text[len] ? text + len + 1 : NULL);
	for (size_t i = 0; i < axes_n && !rc; i++)
		if (axes[i].flags & AXES_PLACE && !columns_have(&w->ignored, axes[i].column))
			w->ignored.all[w->ignored.n++] = axes[i].column;
	return rc;
}

static int read_within(struct wish *w)
{
	const char *given = w->cfg->report_within;
	const size_t len = strspn(given, "0123456789.");
	char text[32];

	snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len : 0), given);
	if (number_scan(text, &w->within) || strcmp(given + len, given[len] ? "%" : ""))
		return err_set(-EINVAL, "--within \"%s\": not a percentage such as 5%% or 2.5",
			       given);
	return 0;
}

/* Of a comparison only its verdicts can be expected. */
static int read_verdict(struct wish *w)
{
	const char *text = w->cfg->expect;

	if (!strcmp(text, "verdict != worse"))
		w->verdict = WISH_NOT_WORSE;
	else if (!strcmp(text, "verdict == same"))
		w->verdict = WISH_SAME;
	else
		return err_set(-EINVAL, "%s \"%s\": with --compare it is \"verdict != worse\" or \"verdict == same\"",
			       EXPECT_LABEL, text);
	return 0;
}

int wish_read(struct wish *wish, const struct cfg *cfg)
{
	int rc;

	*wish = (struct wish){ .cfg = cfg };
	rc = read_of(wish);
	if (!rc)
		rc = read_by(wish);
	if (!rc)
		rc = read_ignored(wish);
	if (!rc)
		rc = read_within(wish);
	if (!rc && cfg->report_where)
		rc = condition_parse_all(&wish->where, "--where", cfg->report_where);
	if (!rc && cfg->expect)
		rc = cfg->report_compare ? read_verdict(wish) :
					   expect_open(&wish->expect, cfg->expect);
	return rc;
}

void wish_free(struct wish *wish)
{
	condition_free_all(&wish->where);
	expect_close(&wish->expect);
}

void wish_query(const struct wish *wish, struct rows_query *query)
{
	*query = (struct rows_query){
		.paths = wish->cfg->files, .n_paths = wish->cfg->n_files,
		.where = wish->where.n ? &wish->where : NULL,
	};
	/* what rows are grouped by is kept as words, also if it is a number */
	for (size_t i = 0; i < wish->by.n; i++)
		query->as[wish->by.all[i]] = ROWS_WORDS;
	if (wish->cfg->report_compare)
		query->as[ROWS_file] = ROWS_WORDS;
	axes_want_all(query);
	measured_want(query);
	for (size_t i = 0; i < wish->of.n; i++)
		axes_want(query, wish->of.all[i]);
	condition_columns_all(&wish->where, axes_want_index, query);
	condition_rules_columns(&wish->expect.rules, axes_want_index, query);
}

bool wish_for_people(const struct wish *wish)
{
	return wish->cfg->report_format == REPORT_TEXT ||
	       wish->cfg->report_format == REPORT_MARKDOWN;
}
