/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The list of axes, the axes that rows sweep, the rows that count; see axes.h. */
#include "config.h"
#include "read/axes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/kind.h"
#include "read/groups.h"
#include "row/remark.h"
#include "util/must.h"

#define NOTE_TEXT 700

/* The words of axes.def. */
enum { SHOWN = AXES_SHOWN, HEAD = AXES_HEAD, PLACE = AXES_PLACE, BESIDE = AXES_BESIDE };

#define AXIS(name, what) { ROWS_##name, what },
const struct axes_row axes[] = {
#include "read/axes.def"
};

const size_t axes_n = sizeof(axes) / sizeof(axes[0]);

bool axes_is(enum rows_column column)
{
	for (size_t i = 0; i < axes_n; i++)
		if (axes[i].column == column)
			return true;
	return false;
}

void axes_want(struct rows_query *query, enum rows_column column)
{
	if (query->as[column] != ROWS_LEFT_OUT)
		return;
	query->as[column] = rows_is_number(column) && !axes_is(column) ? ROWS_NUMBERS : ROWS_WORDS;
}

void axes_want_all(struct rows_query *query)
{
	for (size_t i = 0; i < axes_n; i++)
		axes_want(query, axes[i].column);
}

/* Among the rows that count. */
static bool varies(const struct rows *rows, const bool *skip, enum rows_column column)
{
	size_t first = 0;

	if (rows_is_constant(rows, column))
		return false;
	while (skip && first < rows->n && skip[first])
		first++;
	for (size_t row = first; row < rows->n; row++)
		if ((!skip || !skip[row]) &&
		    rows_word(rows, column, row) != rows_word(rows, column, first))
			return true;
	return false;
}

/* Takes the axes but these. alone: those that are always shown are taken if they vary. */
static void find_swept(struct groups_split *split, const struct columns_named *but, bool alone,
		       struct columns_named *swept)
{
	for (size_t i = 0; i < axes_n; i++) {
		const size_t before = split->n;
		const bool shown = alone && axes[i].flags & AXES_SHOWN;
		const bool beside = axes[i].flags & AXES_BESIDE && swept->n &&
				    swept->all[swept->n - 1] == axes[i - 1].column;

		/* what is always known tells also the rows that do not count */
		if (columns_have(but, axes[i].column) ||
		    !varies(split->rows, shown ? NULL : split->skip, axes[i].column))
			continue;
		groups_split_by(split, axes[i].column);
		if (split->n > before || shown || beside)
			swept->all[swept->n++] = axes[i].column;
	}
}

/* beside: what the others tell is left out, too. */
static void find(const struct rows *rows, const bool *skip, const struct columns_named *others,
		 bool beside, struct columns_named *swept)
{
	struct groups_split split;

	groups_split_begin(&split, rows);
	swept->n = 0;
	split.skip = skip;
	for (size_t i = 0; beside && i < others->n; i++)
		groups_split_by(&split, others->all[i]);
	find_swept(&split, others, !beside, swept);
	groups_split_end(&split);
}

void axes_swept_beside(const struct rows *rows, const bool *skip,
		       const struct columns_named *others, struct columns_named *swept)
{
	find(rows, skip, others, true, swept);
}

void axes_swept_without(const struct rows *rows, const bool *skip,
			const struct columns_named *others, struct columns_named *swept)
{
	find(rows, skip, others, false, swept);
}

void axes_swept(const struct rows *rows, const bool *skip, struct columns_named *swept)
{
	axes_swept_without(rows, skip, &(struct columns_named){ .n = 0 }, swept);
}

/* ---- the rows that count */

const struct columns_named measured_bw = {
	.all = { ROWS_bandwidth_gbit_s, ROWS_message_rate_per_s, ROWS_bandwidth_pct_of_link,
		 ROWS_response_p50_ns, ROWS_response_p99_ns, ROWS_response_p99_9_ns,
		 ROWS_service_p99_ns, ROWS_cpu_ns_per_msg, ROWS_peer_cpu_ns_per_msg,
		 ROWS_knee_low_per_s, ROWS_knee_high_per_s },
	.n = 11,
};

const struct columns_named measured_lat = {
	.all = { ROWS_lat_p50_ns, ROWS_lat_p99_ns, ROWS_lat_p99_9_ns, ROWS_lat_max_ns,
		 ROWS_response_p50_ns, ROWS_response_p99_ns, ROWS_response_p99_9_ns,
		 ROWS_service_p99_ns, ROWS_cpu_ns_per_msg, ROWS_peer_cpu_ns_per_msg,
		 ROWS_knee_low_per_s, ROWS_knee_high_per_s },
	.n = 12,
};

bool measured_is_latency(const struct field *column)
{
	static const char *const begins[] = { "lat_", "response_", "service_", "late_" };

	for (size_t i = 0; i < FIELD_COUNT(begins); i++)
		if (column->unit && !strcmp(column->unit, "ns") &&
		    !strncmp(column->name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static enum rows_column column_of(size_t off)
{
	size_t base;

	return (enum rows_column)(field_at(&row_table, off, &base) - row_table.rows);
}

static void want_quantity(struct rows_query *query, size_t off)
{
	if (off)
		axes_want(query, column_of(off));
}

void measured_want(struct rows_query *query)
{
	axes_want(query, ROWS_test);
	axes_want(query, ROWS_status);
	axes_want(query, ROWS_reason);
	axes_want(query, ROWS_warnings);
	axes_want(query, ROWS_warning_codes);
	for (size_t i = 0; i < REMARKS; i++) {
		want_quantity(query, remark_kinds[i].own);
		want_quantity(query, remark_kinds[i].peer);
	}
}

bool *measured_skip(const struct rows *rows)
{
	bool *skip = must_calloc(rows->n, sizeof(*skip));

	for (size_t row = 0; row < rows->n; row++) {
		const uint32_t word = rows_word(rows, ROWS_status, row);
		const char *status = rows_word_value(rows, ROWS_status, word)->text;

		skip[row] = strcmp(status, "ok") && strcmp(status, "interrupted");
	}
	return skip;
}

bool measured_disturbed(const struct rows *rows, size_t row)
{
	const uint32_t codes = rows_word(rows, ROWS_warning_codes, row);

	if (codes == WORDS_ABSENT)
		return rows_word(rows, ROWS_warnings, row) != WORDS_ABSENT;
	return remark_bits(rows_word_value(rows, ROWS_warning_codes, codes)->text) &
	       REMARK_DISTURBS;
}

bool measured_is_lat(const struct rows *rows, size_t row)
{
	const char *test = rows_word_value(rows, ROWS_test, rows_word(rows, ROWS_test, row))->text;

	for (int i = 0; kind_test_names[i]; i++)
		if (!strcmp(kind_test_names[i], test))
			return kind_test_is_lat((enum test)i);
	return false;
}

struct notes {
	const struct rows *rows;
	void (*take)(void *arg, const char *note);
	void *arg;
	size_t n; /* taken */
};

__attribute__((format(printf, 2, 3)))
static void take_note(struct notes *notes, const char *fmt, ...)
{
	char text[NOTE_TEXT];
	va_list ap;

	if (notes->n++ >= NOTES_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	notes->take(notes->arg, text);
}

static const char *rows_of(size_t n)
{
	return n == 1 ? "row" : "rows";
}

/* Each status and reason that is not ok. */
static void note_statuses(struct notes *notes)
{
	static const enum rows_column columns[] = { ROWS_status, ROWS_reason };
	char status[ROWS_TEXT], reason[ROWS_TEXT];
	struct groups groups;

	groups_make(&groups, notes->rows, columns, 2);
	for (size_t g = 0; g < groups.n; g++) {
		const size_t row = groups.members[groups.begin[g]];
		const size_t n = groups.begin[g + 1] - groups.begin[g];
		const char *is = rows_text(notes->rows, ROWS_status, row, status);

		if (strcmp(is, "ok"))
			take_note(notes, "%s, %zu %s: %s", is[0] ? is : "no status", n,
				  rows_of(n), rows_text(notes->rows, ROWS_reason, row, reason));
	}
	groups_free(&groups);
}

/* Of a column at that offset of struct row; NAN: absent. */
static double quantity(const struct rows *rows, size_t off, size_t row)
{
	return off ? rows_number(rows, column_of(off), row) : NAN;
}

static void count(const struct rows *rows, size_t row, const struct remark *remark,
		  struct remark_range *range)
{
	const double own = quantity(rows, remark->own, row);

	remark_count(range, fmax(own, quantity(rows, remark->peer, row)) * remark->scale);
}

/* How many rows have each kind of warning; ranges[REMARKS] of those without a code. */
static void count_warnings(const struct rows *rows, struct remark_range ranges[REMARKS + 1])
{
	for (size_t row = 0; row < rows->n; row++) {
		const uint32_t word = rows_word(rows, ROWS_warning_codes, row);
		const unsigned int bits =
			remark_bits(rows_word_value(rows, ROWS_warning_codes, word)->text);

		for (size_t i = 0; i < REMARKS; i++)
			if (bits >> i & 1)
				count(rows, row, &remark_kinds[i], &ranges[i]);
		if (!bits && rows_word(rows, ROWS_warnings, row) != WORDS_ABSENT)
			remark_count(&ranges[REMARKS], NAN);
	}
}

static void note_warnings(struct notes *notes)
{
	struct remark_range ranges[REMARKS + 1] = { { .rows = 0 } };
	char text[REMARK_TEXT];

	count_warnings(notes->rows, ranges);
	for (size_t i = 0; i <= REMARKS; i++)
		if (ranges[i].rows)
			take_note(notes, "warning: %s",
				  remark_text(i < REMARKS ? &remark_kinds[i] : &remark_without_code,
					      &ranges[i], notes->rows->n, text));
}

void measured_notes(const struct rows *rows, void (*take)(void *arg, const char *note), void *arg)
{
	struct notes notes = { .rows = rows, .take = take, .arg = arg };
	char text[NOTE_TEXT];

	note_statuses(&notes);
	note_warnings(&notes);
	if (notes.n <= NOTES_MAX)
		return;
	snprintf(text, sizeof(text), "%zu more reasons and kinds of warnings are in the rows",
		 notes.n - NOTES_MAX);
	take(arg, text);
}
