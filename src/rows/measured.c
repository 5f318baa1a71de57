/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which rows count and the notes about the others; see measured.h. Called by the reports. */
#include "config.h"
#include "rows/measured.h"

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

/* The groups of rows of these columns, most of which have the first one absent. */
struct notes {
	const struct rows *rows;
	void (*take)(void *arg, const char *note);
	void *arg;
	size_t n; /* taken */
};

static void take_note(struct notes *notes, const struct groups *groups, size_t g, bool warning)
{
	const size_t row = groups->members[groups->begin[g]];
	const size_t n = groups->begin[g + 1] - groups->begin[g];
	char text[NOTE_TEXT], a[ROWS_TEXT], b[ROWS_TEXT];
	const char *what = warning ? "warning" : rows_text(notes->rows, ROWS_status, row, a);

	if (notes->n++ >= NOTES_MAX)
		return;
	snprintf(text, sizeof(text), "%s, %zu row%s: %s",
		 what[0] ? what : "no status", n, n == 1 ? "" : "s",
		 rows_text(notes->rows, warning ? ROWS_warnings : ROWS_reason, row, b));
	notes->take(notes->arg, text);
}

static void note_columns(struct notes *notes, const enum rows_column *columns, size_t n_columns,
			 const char *usual)
{
	char buf[ROWS_TEXT];
	struct groups groups;

	if (groups_make(&groups, notes->rows, columns, n_columns))
		return;
	for (size_t g = 0; g < groups.n; g++) {
		const size_t row = groups.members[groups.begin[g]];

		if (strcmp(rows_text(notes->rows, columns[0], row, buf), usual))
			take_note(notes, &groups, g, columns[0] == ROWS_warnings);
	}
	groups_free(&groups);
}

void measured_notes(const struct rows *rows, void (*take)(void *arg, const char *note), void *arg)
{
	static const enum rows_column bad[] = { ROWS_status, ROWS_reason };
	static const enum rows_column warnings[] = { ROWS_warnings };
	struct notes notes = { .rows = rows, .take = take, .arg = arg };
	char text[NOTE_TEXT];

	note_columns(&notes, bad, 2, "ok");
	note_columns(&notes, warnings, 1, "");
	if (notes.n <= NOTES_MAX)
		return;
	snprintf(text, sizeof(text), "%zu more reasons and warnings, in the column reason and warnings of the rows",
		 notes.n - NOTES_MAX);
	take(arg, text);
}
