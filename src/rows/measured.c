/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which rows count and the notes about the others; see measured.h. Called by the reports. */
#include "config.h"
#include "rows/measured.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "rows/axes.h"
#include "rows/groups.h"

#define NOTE_TEXT 700

const struct columns_named measured_bw = {
	.all = { ROWS_bandwidth_gbit_s, ROWS_message_rate_per_s, ROWS_bandwidth_pct_of_link,
		 ROWS_cpu_ns_per_msg, ROWS_peer_cpu_ns_per_msg },
	.n = 5,
};

const struct columns_named measured_lat = {
	.all = { ROWS_lat_p50_ns, ROWS_lat_p99_ns, ROWS_lat_p99_9_ns, ROWS_lat_max_ns,
		 ROWS_cpu_ns_per_msg, ROWS_peer_cpu_ns_per_msg },
	.n = 6,
};

void measured_want(struct rows_query *query)
{
	axes_want(query, ROWS_test);
	axes_want(query, ROWS_status);
	axes_want(query, ROWS_reason);
	axes_want(query, ROWS_warnings);
}

bool *measured_skip(const struct rows *rows)
{
	bool *skip = calloc(rows->n + 1, sizeof(*skip));

	for (size_t row = 0; row < rows->n && skip; row++) {
		const uint32_t word = rows_word(rows, ROWS_status, row);
		const char *status = rows_word_value(rows, ROWS_status, word)->text;

		skip[row] = strcmp(status, "ok") && strcmp(status, "interrupted");
	}
	return skip;
}

bool measured_is_lat(const struct rows *rows, size_t row)
{
	const char *test = rows_word_value(rows, ROWS_test, rows_word(rows, ROWS_test, row))->text;
	const size_t len = strlen(test);

	return len > 4 && !strcmp(test + len - 4, "_lat");
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

	if (groups_make(&groups, notes->rows, columns, 2))
		return;
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

/* Without its numbers, a warning is of the same kind as others. */
static void cut_numbers(const char *from, char text[ROWS_TEXT])
{
	size_t len = 0;

	for (; *from && len + 1 < ROWS_TEXT; from++)
		if (!isdigit((unsigned char)*from) && *from != '.')
			text[len++] = *from;
	text[len] = '\0';
}

/* The kinds of warnings: the rows that have one, and its first text. */
struct kinds {
	struct words words;
	struct budget budget;
	size_t *rows;       /* by kind; owned */
	const char **first; /* owned */
};

/* The kind of a word of the column, n_rows of them. -ENOMEM. */
static int count_word(struct kinds *kinds, const char *warning, size_t n_rows)
{
	char text[ROWS_TEXT];
	const struct words_one one = { .text = text, .number = NAN };
	uint32_t kind;
	int rc;

	cut_numbers(warning, text);
	rc = words_of(&kinds->words, &kinds->budget, &one, &kind);
	if (rc || !n_rows)
		return rc;
	kinds->rows[kind] += n_rows;
	if (!kinds->first[kind])
		kinds->first[kind] = warning;
	return 0;
}

static int count_warnings(struct kinds *kinds, const struct rows *rows)
{
	const uint32_t n = rows_n_words(rows, ROWS_warnings);
	size_t *uses = calloc(n + (size_t)1, sizeof(*uses));
	int rc = uses ? 0 : -ENOMEM;

	for (size_t row = 0; row < rows->n && !rc; row++)
		uses[rows_word(rows, ROWS_warnings, row)]++;
	for (uint32_t word = WORDS_ABSENT + 1; word < n && !rc; word++)
		rc = count_word(kinds, rows_word_value(rows, ROWS_warnings, word)->text,
				uses[word]);
	free(uses);
	return rc;
}

static void note_warnings(struct notes *notes)
{
	const size_t n = rows_n_words(notes->rows, ROWS_warnings) + (size_t)1;
	struct kinds kinds = {
		.budget = { .most = ROWS_MOST }, .rows = calloc(n, sizeof(*kinds.rows)),
		.first = calloc(n, sizeof(*kinds.first)),
	};

	if (kinds.rows && kinds.first && !count_warnings(&kinds, notes->rows)) {
		for (uint32_t i = WORDS_ABSENT + 1; i < kinds.words.n; i++)
			if (kinds.rows[i])
				take_note(notes, "warning, %zu %s: %s", kinds.rows[i],
					  rows_of(kinds.rows[i]), kinds.first[i]);
	}
	free(kinds.rows);
	free(kinds.first);
	words_free(&kinds.words);
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
