/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the comparison of two files, and the rule of its verdicts; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/axes.h"
#include "read/groups.h"
#include "util/err.h"
#include "util/must.h"
#include "util/text.h"

/* ---- verdicts */

static const char *const verdict_names[] = {
	[VERDICT_SAME] = "same",
	[VERDICT_BETTER] = "better",
	[VERDICT_WORSE] = "worse",
	[VERDICT_DIFFERS] = "differs",
	[VERDICT_UNSURE] = "unsure",
	[VERDICT_ONLY_A] = "only in A",
	[VERDICT_ONLY_B] = "only in B",
};

/* The test of B beside A, whose values are raised by so much. */
static struct rank_test test_raised(const struct spread_values *a, const struct spread_values *b,
				    double by)
{
	double *raised = must_calloc(a->n, sizeof(*raised));
	struct rank_test test;

	for (size_t i = 0; i < a->n; i++)
		raised[i] = a->sorted[i] + by;
	test = rank_test(raised, a->n, b->sorted, b->n);
	free(raised);
	return test;
}

/* Is it shown that the difference is less than the band? */
static bool is_within(const struct spread_values *a, const struct spread_values *b, double band)
{
	const double one = a->sorted[0];

	if (a->sorted[a->n - 1] == one && b->sorted[0] == one && b->sorted[b->n - 1] == one)
		return true;
	return test_raised(a, b, -band).greater <= VERDICT_ALPHA &&
	       test_raised(a, b, band).less <= VERDICT_ALPHA;
}

enum verdict compare_verdict(const struct spread_values *a, const struct spread_values *b,
			     double within, int direction)
{
	const double was = spread_of_values(a).median, change = spread_of_values(b).median - was;
	const double band = fabs(was) * within / 100;

	if (!a->n || !b->n)
		return a->n ? VERDICT_ONLY_A : VERDICT_ONLY_B;
	if (a->n < VERDICT_REPEATS || b->n < VERDICT_REPEATS)
		return VERDICT_UNSURE;
	if (fabs(change) <= band)
		return is_within(a, b, band) ? VERDICT_SAME : VERDICT_UNSURE;
	if (rank_test(a->sorted, a->n, b->sorted, b->n).differs > VERDICT_ALPHA)
		return VERDICT_UNSURE;
	if (!direction)
		return VERDICT_DIFFERS;
	return (change > 0) == (direction > 0) ? VERDICT_BETTER : VERDICT_WORSE;
}

/* ---- which axes the files differ in */

struct compare {
	const struct report *r;
	struct columns_named keys;      /* lines are matched by these */
	struct groups groups;           /* by them */
	bool *hidden[2];                /* of A, B: rows of the other, and those without figures */
	size_t verdicts[VERDICT_COUNT]; /* how many lines have each */
};

/* The first file has the first word. */
static bool is_of_a(const struct compare *c, size_t row)
{
	return rows_word(&c->r->rows, ROWS_file, row) == WORDS_ABSENT + 1;
}

/* The words of a column that a file has: 1 A, 2 B, 3 both. */
static unsigned char *words_of_files(const struct compare *c, enum rows_column column)
{
	unsigned char *has = must_calloc(rows_n_words(&c->r->rows, column) + (size_t)1, 1);

	for (size_t row = 0; row < c->r->rows.n; row++)
		if (!c->r->skip[row])
			has[rows_word(&c->r->rows, column, row)] |= is_of_a(c, row) ? 1 : 2;
	return has;
}

enum relation {
	SHARED,   /* a value of A is in B, or the column is the same in all rows */
	APART,    /* both have values, and none of them is in both */
	UNKNOWN   /* one of them has none: an older version did not write the column */
};

static enum relation relate(const struct compare *c, enum rows_column column)
{
	unsigned char *has, seen = 0;
	bool shared = false;

	if (rows_is_constant(&c->r->rows, column))
		return SHARED;
	has = words_of_files(c, column);
	for (uint32_t i = WORDS_ABSENT + 1; i <= rows_n_words(&c->r->rows, column); i++) {
		seen |= has[i];
		shared |= has[i] == 3;
	}
	free(has);
	if (shared)
		return SHARED;
	return seen == 3 ? APART : UNKNOWN;
}

static int refuse(const struct columns_named *apart)
{
	char *names = NULL;
	int rc;

	for (size_t i = 0; i < apart->n; i++)
		must_appendf(&names, "%s%s", i ? "," : "", rows_field(apart->all[i])->name);
	rc = err_set(-EINVAL, "the two files have different values of settings that are not compared; to compare without these settings: --ignore %s",
		     names);
	free(names);
	return rc;
}

/* Finds the keys: the axes that the files have in common. */
static int find_keys(struct compare *c)
{
	const struct columns_named *ignored = &c->r->ignored;
	struct columns_named beside = *ignored, apart = { .n = 0 };

	for (size_t i = 0; i < axes_n; i++) {
		const enum rows_column column = axes[i].column;
		const enum relation relation = relate(c, column);

		if (columns_have(ignored, column) || column == ROWS_tool_version)
			continue;
		if (relation == APART)
			apart.all[apart.n++] = column;
		if (relation == UNKNOWN)
			beside.all[beside.n++] = column;
	}
	if (apart.n)
		return refuse(&apart);
	if (!columns_have(&beside, ROWS_tool_version))
		beside.all[beside.n++] = ROWS_tool_version;
	if (!columns_have(&beside, ROWS_file))
		beside.all[beside.n++] = ROWS_file;
	axes_swept_without(&c->r->rows, c->r->skip, &beside, &c->keys);
	return 0;
}

/* 1: better when greater, -1: when less, 0: neither. */
static int direction(enum rows_column quantity)
{
	static const struct { const char *begins; int direction; } all[] = {
		{ "bandwidth_", 1 }, { "message_rate_", 1 }, { "qp_fairness", 1 },
		{ "thread_fairness", 1 }, { "thread_rate_", 1 }, { "lat_samples", 0 },
		{ "lat_", -1 }, { "cpu_ns", -1 }, { "peer_cpu_ns", -1 }, { "lost", -1 },
		{ "duplicated", -1 }, { "out_of_order", -1 }, { "harness_", -1 },
		{ "voluntary_", -1 }, { "involuntary_", -1 }, { "credit_stalls", -1 },
		{ "spurious_events", -1 },
	};
	const char *name = rows_field(quantity)->name;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strncmp(name, all[i].begins, strlen(all[i].begins)))
			return all[i].direction;
	return 0;
}

/* ---- lines */

static void add_columns(struct sheet *sheet, const struct compare *c)
{
	tables_keys(c->r, sheet, &c->keys);
	for (const char *file = "ab"; *file; file++) {
		const char key[] = { *file, '\0' };

		sheet_column(sheet, SHEET_FIGURE, key, "");
		sheet_column(sheet, SHEET_SPREAD, key, "_n");
		sheet_column(sheet, SHEET_SPREAD, key, "_min");
		sheet_column(sheet, SHEET_SPREAD, key, "_max");
	}
	sheet_column(sheet, SHEET_FIGURE, "ratio", "");
	sheet_column(sheet, SHEET_WORD, "verdict", "");
	/* that there is one row a side is what a reader has to see */
	sheet->repeats = true;
}

/* A group of settings, with the values of both files. */
static void add_line(struct compare *c, struct sheet *sheet, enum rows_column quantity, size_t g,
		     const struct spread_values values[2])
{
	const struct spread s[2] = { spread_of_values(&values[0]), spread_of_values(&values[1]) };
	const enum verdict verdict = compare_verdict(&values[0], &values[1], c->r->within,
						     direction(quantity));
	size_t at = tables_line(c->r, sheet, &c->keys, quantity,
				c->groups.members[c->groups.begin[g]]);

	for (int i = 0; i < 2; i++) {
		sheet_number(sheet, at++, s[i].median);
		sheet_number(sheet, at++, (double)s[i].n);
		sheet_number(sheet, at++, s[i].min);
		sheet_number(sheet, at++, s[i].max);
	}
	if (s[0].n && s[1].n && s[0].median > 0)
		sheet_number(sheet, at, s[1].median / s[0].median);
	sheet_text(sheet, at + 1, verdict_names[verdict]);
	c->verdicts[verdict]++;
}

static void add_quantity(const struct report *r, struct sheet *sheet, enum rows_column quantity,
			 void *arg)
{
	struct compare *c = arg;

	(void)r;
	if (!sheet->n_columns)
		add_columns(sheet, c);
	for (size_t g = 0; g < c->groups.n; g++) {
		const struct spread_values values[2] = {
			spread_values(&c->groups, g, quantity, c->hidden[0]),
			spread_values(&c->groups, g, quantity, c->hidden[1]),
		};

		if (values[0].n || values[1].n)
			add_line(c, sheet, quantity, g, values);
		free(values[0].sorted);
		free(values[1].sorted);
	}
}

/* ---- all lines */

/* What is missing in B is not as good, and what is not sure is not shown to be. */
static bool as_expected(enum report_verdicts expected, const size_t verdicts[VERDICT_COUNT])
{
	const size_t same = verdicts[VERDICT_SAME];
	const size_t others = verdicts[VERDICT_BETTER] + verdicts[VERDICT_DIFFERS];
	const size_t bad = verdicts[VERDICT_WORSE] + verdicts[VERDICT_UNSURE] +
			   verdicts[VERDICT_ONLY_A];

	/* without a common line nothing is shown to be as good */
	switch (expected) {
	case VERDICTS_NOT_WORSE:
		return same + others && !bad;
	case VERDICTS_SAME:
		return same && !others && !bad && !verdicts[VERDICT_ONLY_B];
	default:
		return true;
	}
}

/* What a and b are, how many lines have each verdict, and whether that was expected. */
static void put_words(struct report *r, const struct compare *c)
{
	bool any = false;

	must_appendf(&r->words, "a: %.256s, b: %.256s (medians; within %g %%): ", r->cfg->files[0],
		     r->cfg->files[1], r->within);
	text_clean(r->words, r->words, strlen(r->words) + 1);
	for (size_t i = 0; i < VERDICT_COUNT; i++) {
		if (!c->verdicts[i])
			continue;
		must_appendf(&r->words, "%s%zu %s", any ? ", " : "", c->verdicts[i],
			     verdict_names[i]);
		any = true;
		if (i == VERDICT_UNSURE)
			must_appendf(&r->words, " (fewer than %u repeats on a side, or repeats that scatter too much; remedy: more --rounds)",
				     VERDICT_REPEATS);
	}
	if (!any)
		must_appendf(&r->words, "nothing to compare");
	if (r->verdicts != VERDICTS_ANY)
		must_appendf(&r->words, "; %s, expected: %s", r->met ? "PASS" : "FAIL",
			     r->cfg->expect);
}

int compare_make(struct report *r)
{
	struct compare c = { .r = r };
	int rc = find_keys(&c);

	if (rc)
		return rc;
	for (int i = 0; i < 2; i++) {
		c.hidden[i] = must_calloc(r->rows.n, sizeof(bool));
		for (size_t row = 0; row < r->rows.n; row++)
			c.hidden[i][row] = r->skip[row] || is_of_a(&c, row) != (i == 0);
	}
	groups_make(&c.groups, &r->rows, c.keys.all, c.keys.n);
	tables_each(r, add_quantity, &c);
	groups_free(&c.groups);
	free(c.hidden[0]);
	free(c.hidden[1]);
	r->met = as_expected(r->verdicts, c.verdicts);
	put_words(r, &c);
	return 0;
}
