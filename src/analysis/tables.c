/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which tables a report has; see tables.h. Called by report.c. */
#include "config.h"
#include "analysis/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "analysis/pivot.h"
#include "analysis/summary.h"
#include "rows/axes.h"
#include "rows/measured.h"
#include "util/err.h"
#include "util/text.h"

/* A zeroed sheet at the end. NULL: no memory. */
static struct sheet *add_sheet(struct tables *t)
{
	struct sheet *more = realloc(t->sheets, (t->n + 1) * sizeof(*more));

	if (!more)
		return NULL;
	t->sheets = more;
	more[t->n] = (struct sheet){ .title = NULL };
	return &more[t->n++];
}

static int no_memory(void)
{
	return err_set(-ENOMEM, "no memory for the report");
}

static bool has_figures(const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->n_columns; i++)
		if (sheet->columns[i].role == SHEET_FIGURE && sheet->n_rows)
			return true;
	return false;
}

/* The last sheet, if it says nothing. */
static void drop_empty(struct tables *t)
{
	if (!has_figures(&t->sheets[t->n - 1]))
		sheet_free(&t->sheets[--t->n]);
}

/* ---- summary */

/* Programs always find the same settings, whether they vary or not. */
static void add_shown_axes(struct columns_named *swept)
{
	struct columns_named all = { .n = 0 };

	for (size_t i = 0; i < axes_n; i++)
		if (axes[i].flags & AXES_SHOWN || columns_have(swept, axes[i].column))
			all.all[all.n++] = axes[i].column;
	*swept = all;
}

/* Each table for people has its own figures. */
static int make_summaries(struct tables *t, struct summary *summary, const struct wish *w)
{
	const bool people = wish_for_people(w);
	const enum summary_tests last = people ? SUMMARY_LAT : SUMMARY_ALL;

	for (enum summary_tests tests = people ? SUMMARY_BW : SUMMARY_ALL; tests <= last; tests++) {
		struct sheet *sheet = add_sheet(t);
		int rc;

		if (!sheet)
			return no_memory();
		if (people && !w->cfg->report_of)
			summary->of = tests == SUMMARY_LAT ? &measured_lat : &measured_bw;
		if (people)
			sheet_title(sheet, tests == SUMMARY_LAT ? "Latency" : "Bandwidth");
		rc = summary_make(sheet, summary, tests);
		if (rc)
			return rc;
		if (people)
			drop_empty(t);
	}
	return 0;
}

static int make_summary(struct tables *t, const struct wish *w, const struct rows *rows,
			const bool *skip)
{
	struct columns_named swept;
	struct summary summary = { .rows = rows, .skip = skip, .axes = swept.all, .of = &w->of };
	int rc = axes_swept_without(rows, skip, &(struct columns_named){ .n = 0 }, &swept);

	if (rc)
		return rc;
	if (!wish_for_people(w))
		add_shown_axes(&swept);
	summary.n_axes = swept.n;
	return make_summaries(t, &summary, w);
}

/* ---- pivots */

static int make_pivots(struct tables *t, const struct wish *w, const struct rows *rows,
		       const bool *skip)
{
	const bool people = wish_for_people(w);
	struct columns_named down;
	struct pivot pivot = {
		.rows = rows, .skip = skip, .by = &w->by, .down = &down, .of_programs = !people,
	};
	int rc = axes_swept_beside(rows, skip, &w->by, &down);

	for (size_t i = 0; i < w->of.n && !rc; i++) {
		struct sheet *sheet = people || !t->n ? add_sheet(t) : &t->sheets[0];

		if (!sheet)
			return no_memory();
		if (people)
			sheet_title(sheet, "%s by %s", rows_field(w->of.all[i])->name,
				    w->cfg->report_by);
		rc = pivot_add(sheet, &pivot, w->of.all[i]);
		if (people && !rc)
			drop_empty(t);
	}
	return rc;
}

/* ---- comparison */

/* What is missing in B is not as good, and what is not sure is not shown to be. */
static bool as_expected(enum wish_verdict wish, const size_t verdicts[VERDICT_COUNT])
{
	const size_t same = verdicts[VERDICT_SAME];
	const size_t others = verdicts[VERDICT_BETTER] + verdicts[VERDICT_DIFFERS];
	const size_t bad = verdicts[VERDICT_WORSE] + verdicts[VERDICT_UNSURE] +
			   verdicts[VERDICT_ONLY_A];

	/* without a common line nothing is shown to be as good */
	switch (wish) {
	case WISH_NOT_WORSE:
		return same + others && !bad;
	case WISH_SAME:
		return same && !others && !bad && !verdicts[VERDICT_ONLY_B];
	default:
		return true;
	}
}

/* What a and b are, how many lines have each verdict, and whether that was expected. */
static void put_words(struct tables *t, const struct wish *w, const struct compare *c)
{
	const size_t size = sizeof(t->words);
	size_t len = (size_t)snprintf(t->words, size, "a: %.256s, b: %.256s (medians; within %g %%): ",
				      w->cfg->files[0], w->cfg->files[1], w->within);
	bool any = false;

	text_clean(t->words, t->words, size);
	for (size_t i = 0; i < VERDICT_COUNT; i++) {
		if (!c->verdicts[i])
			continue;
		len += (size_t)snprintf(t->words + len, size - len, "%s%zu %s", any ? ", " : "",
					c->verdicts[i], verdict_names[i]);
		any = true;
		if (i == VERDICT_UNSURE)
			len += (size_t)snprintf(t->words + len, size - len, " (fewer than %u repeats on a side, or repeats that scatter too much; remedy: more --rounds)",
						VERDICT_REPEATS);
	}
	if (!any)
		len += (size_t)snprintf(t->words + len, size - len, "nothing to compare");
	if (w->verdict != WISH_ANY)
		snprintf(t->words + len, size - len, "; %s, expected: %s",
			 t->met ? "PASS" : "FAIL", w->cfg->expect);
}

static int add_quantities(struct tables *t, const struct wish *w, struct compare *compare)
{
	const bool people = wish_for_people(w);
	int rc = 0;

	for (size_t i = 0; i < w->of.n && !rc; i++) {
		struct sheet *sheet = people || !t->n ? add_sheet(t) : &t->sheets[0];

		if (!sheet)
			return no_memory();
		if (people)
			sheet_title(sheet, "%s", rows_field(w->of.all[i])->name);
		rc = compare_add(sheet, compare, w->of.all[i]);
		if (people && !rc)
			drop_empty(t);
	}
	return rc;
}

static int make_comparison(struct tables *t, const struct wish *w, const struct rows *rows,
			   const bool *skip)
{
	struct compare compare = {
		.rows = rows, .skip = skip, .ignored = &w->ignored, .within = w->within,
		.of_programs = !wish_for_people(w),
	};
	int rc = compare_axes(&compare);

	if (!rc)
		rc = add_quantities(t, w, &compare);
	if (rc)
		return rc;
	t->met = as_expected(w->verdict, compare.verdicts);
	put_words(t, w, &compare);
	return 0;
}

int tables_make(struct tables *tables, const struct wish *wish, const struct rows *rows,
		const bool *skip)
{
	*tables = (struct tables){ .met = true };
	if (wish->cfg->report_compare)
		return make_comparison(tables, wish, rows, skip);
	if (wish->by.n)
		return make_pivots(tables, wish, rows, skip);
	return make_summary(tables, wish, rows, skip);
}

void tables_free(struct tables *tables)
{
	while (tables->n)
		sheet_free(&tables->sheets[--tables->n]);
	free(tables->sheets);
	tables->sheets = NULL;
}
