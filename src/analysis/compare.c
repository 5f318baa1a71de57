/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the comparison of two files; see compare.h. Called by tables.c. */
#include "config.h"
#include "analysis/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary.h"
#include "rows/axes.h"
#include "rows/groups.h"
#include "rows/spread.h"
#include "util/err.h"

/* The first file has the first word. */
static bool is_of_a(const struct compare *c, size_t row)
{
	return rows_word(c->rows, ROWS_file, row) == WORDS_ABSENT + 1;
}

/* ---- which axes the files differ in */

/* The words of a column that a file has: 1 A, 2 B, 3 both. NULL: no memory. */
static unsigned char *words_of_files(const struct compare *c, enum rows_column column)
{
	unsigned char *has = calloc(rows_n_words(c->rows, column) + (size_t)1, 1);

	for (size_t row = 0; row < c->rows->n && has; row++)
		if (!c->skip[row])
			has[rows_word(c->rows, column, row)] |=
				is_of_a(c, row) ? 1 : 2;
	return has;
}

enum relation {
	SHARED,   /* a value of A is in B, or the column is the same in all rows */
	APART,    /* both have values, and none of them is in both */
	UNKNOWN   /* one of them has none: an older version did not write the column */
};

static int relate(const struct compare *c, enum rows_column column, enum relation *relation)
{
	unsigned char *has, seen = 0;
	bool shared = false;

	*relation = SHARED;
	if (rows_is_constant(c->rows, column))
		return 0;
	has = words_of_files(c, column);
	if (!has)
		return err_set(-ENOMEM, "no memory for the report");
	for (uint32_t i = WORDS_ABSENT + 1; i <= rows_n_words(c->rows, column); i++) {
		seen |= has[i];
		shared |= has[i] == 3;
	}
	if (!shared)
		*relation = seen == 3 ? APART : UNKNOWN;
	free(has);
	return 0;
}

static int refuse(const struct columns_named *apart)
{
	char names[ERR_TEXT_MAX / 2];
	size_t len = 0;

	for (size_t i = 0; i < apart->n && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? "," : "",
					rows_field(apart->all[i])->name);
	return err_set(-EINVAL, "the two files have different values of settings that are not compared; to compare without these settings: --ignore %s",
		       names);
}

int compare_axes(struct compare *compare)
{
	struct columns_named beside = *compare->ignored, apart = { .n = 0 };
	int rc = 0;

	for (size_t i = 0; i < axes_n && !rc; i++) {
		const enum rows_column column = axes[i].column;
		enum relation relation;

		rc = relate(compare, column, &relation);
		if (columns_have(compare->ignored, column) || column == ROWS_tool_version)
			continue;
		if (relation == APART)
			apart.all[apart.n++] = column;
		if (relation == UNKNOWN)
			beside.all[beside.n++] = column;
	}
	if (!rc && apart.n)
		rc = refuse(&apart);
	if (rc)
		return rc;
	if (!columns_have(&beside, ROWS_tool_version))
		beside.all[beside.n++] = ROWS_tool_version;
	if (!columns_have(&beside, ROWS_file))
		beside.all[beside.n++] = ROWS_file;
	return axes_swept_without(compare->rows, compare->skip, &beside, &compare->keys);
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

static void make_columns(struct sheet *sheet, const struct compare *c)
{
	if (c->of_programs)
		sheet_column(sheet, SHEET_KEY, "quantity", "");
	for (size_t i = 0; i < c->keys.n; i++)
		sheet_column(sheet, SHEET_KEY, rows_field(c->keys.all[i])->name, "");
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

static size_t put_spread(struct sheet *sheet, size_t at, const struct spread *s)
{
	sheet_number(sheet, at++, s->median);
	sheet_number(sheet, at++, (double)s->n);
	sheet_number(sheet, at++, s->min);
	sheet_number(sheet, at++, s->max);
	return at;
}

/* A group of settings, in both files: [0] A, [1] B. */
struct line {
	size_t row;
	struct spread_values values[2];
};

static int put_line(struct sheet *sheet, struct compare *c, enum rows_column quantity,
		    const struct line *line)
{
	const struct spread spread[2] = {
		spread_of_values(&line->values[0]), spread_of_values(&line->values[1]),
	};
	enum verdict verdict;
	size_t at = 0;
	int rc = verdict_of(&verdict, &line->values[0], &line->values[1], c->within,
			    direction(quantity));

	if (rc)
		return rc;
	sheet_row(sheet);
	if (c->of_programs)
		sheet_text(sheet, at++, rows_field(quantity)->name);
	for (size_t i = 0; i < c->keys.n; i++)
		summary_key(sheet, at++, c->rows, c->keys.all[i], line->row);
	for (int i = 0; i < 2; i++)
		at = put_spread(sheet, at, &spread[i]);
	if (spread[0].n && spread[1].n && spread[0].median > 0)
		sheet_number(sheet, at, spread[1].median / spread[0].median);
	sheet_text(sheet, at + 1, verdict_names[verdict]);
	c->verdicts[verdict]++;
	return 0;
}

/* The repeats of the group in each file. hidden: rows of the other, and those without figures. */
static int values_in(struct line *line, const struct groups *groups, size_t g,
		     enum rows_column quantity, const bool *const hidden[2])
{
	int rc = 0;

	*line = (struct line){ .row = groups->members[groups->begin[g]] };
	for (int i = 0; i < 2 && !rc; i++)
		rc = spread_values(&line->values[i], groups, g, quantity, hidden[i]);
	return rc;
}

static int add_lines(struct sheet *sheet, struct compare *c, enum rows_column quantity,
		     const bool *const hidden[2])
{
	struct groups groups;
	int rc = groups_make(&groups, c->rows, c->keys.all, c->keys.n);

	if (rc)
		return rc;
	for (size_t g = 0; g < groups.n && !rc; g++) {
		struct line line;

		rc = values_in(&line, &groups, g, quantity, hidden);
		if (!rc && (line.values[0].n || line.values[1].n))
			rc = put_line(sheet, c, quantity, &line);
		free(line.values[0].sorted);
		free(line.values[1].sorted);
	}
	groups_free(&groups);
	return rc;
}

int compare_add(struct sheet *sheet, struct compare *compare, enum rows_column quantity)
{
	const size_t n = compare->rows->n;
	bool *hidden[2] = { malloc(n + 1), malloc(n + 1) };
	int rc = hidden[0] && hidden[1] ? 0 : err_set(-ENOMEM, "no memory for the report");

	for (size_t row = 0; row < n && !rc; row++) {
		const bool in_a = is_of_a(compare, row);

		hidden[0][row] = compare->skip[row] || !in_a;
		hidden[1][row] = compare->skip[row] || in_a;
	}
	if (!rc && !sheet->n_columns)
		make_columns(sheet, compare);
	if (!rc)
		rc = add_lines(sheet, compare, quantity, (const bool *const *)hidden);
	free(hidden[0]);
	free(hidden[1]);
	return rc ? rc : sheet_failed(sheet);
}
