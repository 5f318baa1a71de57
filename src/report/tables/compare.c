/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the comparison of two files; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
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

/* ---- which axes the files differ in */

/* Which comparison it is: a quantity of a group of settings. */
struct line {
	enum rows_column quantity;
	size_t group;
};

struct compare {
	const struct report *r;
	struct columns_named keys;      /* lines are matched by these */
	struct groups groups;           /* by them */
	bool *others[2];                /* of A, B: rows of the other, and those without figures */
	bool *hidden[2];                /* these, and the disturbed ones */
	size_t n_disturbed;             /* rows that are left out */
	struct line *lines;             /* n_lines of them, by quantity, and what they are */
	struct compared *compared;
	size_t n_lines;
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

/* Has each file a row that counts? */
static bool have_rows(const struct compare *c)
{
	unsigned char seen = 0;

	for (size_t row = 0; row < c->r->rows.n; row++)
		if (!c->r->skip[row])
			seen |= is_of_a(c, row) ? 1 : 2;
	return seen == 3;
}

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
	if (shared || !have_rows(c))
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

int compare_direction(enum rows_column quantity)
{
	static const struct { const char *begins; int direction; } all[] = {
		{ "bandwidth_", 1 }, { "message_rate_", 1 }, { "qp_fairness", 1 },
		{ "thread_fairness", 1 }, { "thread_rate_", 1 }, { "lat_samples", 0 },
		{ "lat_", -1 }, { "response_", -1 }, { "service_", -1 }, { "late_", -1 },
		{ "unsent_", -1 }, { "knee_low_per_s", 1 },
		{ "knee_high_per_s", 1 }, { "backlog_", -1 }, { "cpu_ns", -1 }, { "peer_cpu_ns", -1 }, { "lost", -1 },
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

static bool has_rows(const struct compare *c, const struct line *line, int file)
{
	return spread_of(&c->groups, line->group, line->quantity, c->others[file]).n;
}

static void measure(struct compare *c, const struct line *line)
{
	struct compared one = {
		.direction = compare_direction(line->quantity),
		.in_a = has_rows(c, line, 0), .in_b = has_rows(c, line, 1),
	};
	struct spread_values a, b;

	if (!one.in_a && !one.in_b)
		return;
	a = spread_values(&c->groups, line->group, line->quantity, c->hidden[0]);
	b = spread_values(&c->groups, line->group, line->quantity, c->hidden[1]);
	verdict_measure(&one, &a, &b);
	free(a.sorted);
	free(b.sorted);
	c->lines = must_realloc(c->lines, c->n_lines + 1, sizeof(*c->lines));
	c->compared = must_realloc(c->compared, c->n_lines + 1, sizeof(*c->compared));
	c->lines[c->n_lines] = *line;
	c->compared[c->n_lines++] = one;
}

/* All of them are known before one of them has a verdict. */
static void measure_all(struct compare *c)
{
	for (size_t i = 0; i < c->r->of.n; i++)
		for (size_t g = 0; g < c->groups.n; g++)
			measure(c, &(struct line){ c->r->of.all[i], g });
	verdict_judge(c->compared, c->n_lines, c->r->within);
	for (size_t i = 0; i < c->n_lines; i++)
		c->verdicts[c->compared[i].verdict]++;
}

/* ---- the table: people see no min and max, which say less than the interval */

static void add_file(struct sheet *sheet, const struct compare *c, const char *key)
{
	sheet_column(sheet, SHEET_FIGURE, key, "");
	sheet_column(sheet, SHEET_SPREAD, key, "_n");
	if (!c->r->people) {
		sheet_column(sheet, SHEET_SPREAD, key, "_min");
		sheet_column(sheet, SHEET_SPREAD, key, "_max");
	}
	sheet_column(sheet, SHEET_INTERVAL, key, "_low");
	sheet_column(sheet, SHEET_INTERVAL, key, "_high");
}

static void add_columns(struct sheet *sheet, const struct compare *c)
{
	tables_keys(c->r, sheet, &c->keys);
	add_file(sheet, c, "a");
	add_file(sheet, c, "b");
	sheet_column(sheet, SHEET_FIGURE, "ratio", "");
	sheet_column(sheet, SHEET_SPREAD, "ratio", "_low");
	sheet_column(sheet, SHEET_SPREAD, "ratio", "_high");
	if (!c->r->people)
		sheet_column(sheet, SHEET_FIGURE, "p", "");
	sheet_column(sheet, SHEET_WORD, "verdict", "");
	if (!c->r->people)
		sheet_column(sheet, SHEET_FIGURE, "needs", "");
	/* that there is one row a side is what a reader has to see */
	sheet->repeats = true;
}

static size_t add_spread(struct sheet *sheet, const struct compare *c, const struct spread *s,
			 size_t at)
{
	sheet_number(sheet, at++, s->median);
	sheet_number(sheet, at++, (double)s->n);
	if (!c->r->people) {
		sheet_number(sheet, at++, s->min);
		sheet_number(sheet, at++, s->max);
	}
	sheet_number(sheet, at++, s->interval.low);
	sheet_number(sheet, at++, s->interval.high);
	sheet->intervals |= !isnan(s->interval.low);
	return at;
}

/* Are there rows on both sides, and none of them counts on one? */
static bool is_all_disturbed(const struct compared *one)
{
	return one->in_a && one->in_b && (!one->a.n || !one->b.n);
}

static void add_verdict(struct sheet *sheet, const struct compare *c, const struct compared *one,
			size_t at)
{
	char text[64];

	if (!c->r->people)
		sheet_number(sheet, at++, one->p);
	snprintf(text, sizeof(text), "%s", verdict_names[one->verdict]);
	if (c->r->people && one->needs)
		snprintf(text, sizeof(text), "unsure: needs about %zu more", one->needs);
	else if (c->r->people && is_all_disturbed(one))
		snprintf(text, sizeof(text), "unsure: all disturbed");
	else if (c->r->people && one->verdict == VERDICT_UNSURE)
		snprintf(text, sizeof(text), "unsure: scatters too much");
	sheet_text(sheet, at++, text);
	if (!c->r->people && one->needs)
		sheet_number(sheet, at, (double)one->needs);
}

static void add_line(struct sheet *sheet, const struct compare *c, size_t i)
{
	const struct compared *one = &c->compared[i];
	size_t at = tables_line(c->r, sheet, &c->keys, c->lines[i].quantity,
				c->groups.members[c->groups.begin[c->lines[i].group]]);

	at = add_spread(sheet, c, &one->a, at);
	at = add_spread(sheet, c, &one->b, at);
	if (one->has_ratio) {
		sheet_number(sheet, at, one->shift.estimate);
		sheet_number(sheet, at + 1, one->shift.interval.low);
		sheet_number(sheet, at + 2, one->shift.interval.high);
	}
	add_verdict(sheet, c, one, at + 3);
}

static void add_quantity(const struct report *r, struct sheet *sheet, enum rows_column quantity,
			 void *arg)
{
	const struct compare *c = arg;

	(void)r;
	if (!sheet->n_columns)
		add_columns(sheet, c);
	for (size_t i = 0; i < c->n_lines; i++)
		if (c->lines[i].quantity == quantity)
			add_line(sheet, c, i);
}

/* ---- all lines */

/* What is missing in B is not as good, and what is not sure is not shown to be. */
static enum expect_result compare_expected(enum report_verdicts expected,
					   const size_t verdicts[VERDICT_COUNT])
{
	const size_t others = verdicts[VERDICT_BETTER] + verdicts[VERDICT_DIFFERS];
	size_t bad = verdicts[VERDICT_WORSE] + verdicts[VERDICT_ONLY_A];

	if (expected == VERDICTS_ANY)
		return EXPECT_PASSED;
	if (expected == VERDICTS_SAME)
		bad += others + verdicts[VERDICT_ONLY_B];
	if (bad)
		return EXPECT_FAILED;
	if (verdicts[VERDICT_UNSURE])
		return EXPECT_UNSURE;
	/* without a common line nothing is shown to be as good */
	return verdicts[VERDICT_SAME] + others ? EXPECT_PASSED : EXPECT_FAILED;
}

#define SENTENCES 10 /* more of them are a number */

/* "bandwidth_gbit_s, size_bytes 4096: B is 1.4 (1.35 to 1.45) times A: better" */
static void put_sentence(struct report *r, const struct compare *c, size_t i)
{
	const struct compared *one = &c->compared[i];
	const struct repeats_shift *s = &one->shift;
	const size_t row = c->groups.members[c->groups.begin[c->lines[i].group]];
	char text[ROWS_TEXT];

	must_appendf(&r->words, "\n%s", rows_field(c->lines[i].quantity)->name);
	for (size_t k = 0; k < c->keys.n; k++)
		must_appendf(&r->words, ", %s %s", rows_field(c->keys.all[k])->name,
			     rows_text(&r->rows, c->keys.all[k], row, text));
	must_appendf(&r->words, one->has_ratio ? ": B is %.4g (%.4g to %.4g) times A: %s" :
						 ": B is A and %.4g (%.4g to %.4g) more: %s",
		     s->estimate, s->interval.low, s->interval.high, verdict_names[one->verdict]);
}

/* The lines that differ, in words. */
static void put_sentences(struct report *r, const struct compare *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_lines; i++) {
		const enum verdict is = c->compared[i].verdict;

		if (is != VERDICT_BETTER && is != VERDICT_WORSE && is != VERDICT_DIFFERS)
			continue;
		if (n++ < SENTENCES)
			put_sentence(r, c, i);
	}
	if (n > SENTENCES)
		must_appendf(&r->words, "\n%zu more lines differ", n - SENTENCES);
	if (c->n_disturbed)
		must_appendf(&r->words, "\n%zu of %zu rows were disturbed and are left out; to count them: --ignore disturbed",
			     c->n_disturbed, r->rows.n);
}

static const char *why_unsure(const struct compare *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_lines; i++)
		n += is_all_disturbed(&c->compared[i]);
	return n == c->verdicts[VERDICT_UNSURE] ?
		       "all rows of a side were disturbed; remedy: other programs off these CPUs, or -e" :
		       "too few repeats, or they scatter too much; remedy: more --rounds";
}

/* What a and b are, how many lines have each verdict, and whether that was expected. */
static void put_words(struct report *r, const struct compare *c)
{
	static const char *const results[] = {
		[EXPECT_PASSED] = "PASS", [EXPECT_FAILED] = "FAIL", [EXPECT_UNSURE] = "UNSURE",
	};
	bool any = false;

	must_appendf(&r->words, "a: %.256s, b: %.256s (within %g %%): ", r->cfg->files[0],
		     r->cfg->files[1], r->within);
	text_clean(r->words, r->words, strlen(r->words) + 1);
	for (size_t i = 0; i < VERDICT_COUNT; i++) {
		if (!c->verdicts[i])
			continue;
		must_appendf(&r->words, "%s%zu %s", any ? ", " : "", c->verdicts[i],
			     verdict_names[i]);
		any = true;
		if (i == VERDICT_UNSURE)
			must_appendf(&r->words, " (%s)", why_unsure(c));
	}
	if (!any)
		must_appendf(&r->words, "nothing to compare");
	if (r->verdicts != VERDICTS_ANY)
		must_appendf(&r->words, "; %s, expected: %s", results[r->met], r->cfg->expect);
	put_sentences(r, c);
}

/* Which rows of a file count. */
static void hide(struct compare *c, int file)
{
	const struct report *r = c->r;

	c->others[file] = must_calloc(r->rows.n, sizeof(bool));
	c->hidden[file] = must_calloc(r->rows.n, sizeof(bool));
	for (size_t row = 0; row < r->rows.n; row++) {
		const bool other = r->skip[row] || is_of_a(c, row) != (file == 0);
		const bool disturbed = !other && !r->with_disturbed &&
				       measured_disturbed(&r->rows, row);

		c->others[file][row] = other;
		c->hidden[file][row] = other || disturbed;
		c->n_disturbed += disturbed;
	}
}

static void compare_free(struct compare *c)
{
	groups_free(&c->groups);
	free(c->lines);
	free(c->compared);
	for (int i = 0; i < 2; i++) {
		free(c->others[i]);
		free(c->hidden[i]);
	}
}

int compare_make(struct report *r)
{
	struct compare c = { .r = r };
	int rc = find_keys(&c);

	if (rc)
		return rc;
	hide(&c, 0);
	hide(&c, 1);
	groups_make(&c.groups, &r->rows, c.keys.all, c.keys.n);
	measure_all(&c);
	tables_each(r, add_quantity, &c);
	r->met = compare_expected(r->verdicts, c.verdicts);
	put_words(r, &c);
	compare_free(&c);
	return 0;
}
