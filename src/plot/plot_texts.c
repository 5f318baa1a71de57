/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what pictures say about their rows: see plot_rows.h. Texts of rows may come from anybody. */
#include "config.h"
#include "plot/plot_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rows/axes.h"
#include "util/field.h"
#include "util/text.h"

#define WORD_MAX 64 /* of a value in a legend, with its end */

/* Columns whose values say what they are. */
static bool speaks(enum rows_column column)
{
	switch (column) {
	case ROWS_test:
	case ROWS_transport:
	case ROWS_opcode:
	case ROWS_completion:
	case ROWS_pattern:
	case ROWS_direction:
	case ROWS_role:
	case ROWS_host:
	case ROWS_device:
	case ROWS_link_layer:
	case ROWS_kind:
	case ROWS_pair:
	case ROWS_scenario:
	case ROWS_file:
		return true;
	default:
		return false;
	}
}

/* Values that say in words what they are; NULL: none. */
static const char *said(enum rows_column column, const char *value)
{
	static const struct {
		enum rows_column column;
		const char *value, *words;
	} all[] = {
		{ ROWS_direction, "to_server", "to the server" },
		{ ROWS_direction, "to_client", "to the client" },
		{ ROWS_direction, "both", "both directions" },
		{ ROWS_bidir, "0", "one direction at a time" },
		{ ROWS_bidir, "1", "both directions at once" },
		{ ROWS_fence, "0", "no fence" }, { ROWS_fence, "1", "fence" },
		{ ROWS_relaxed_ordering, "0", "no relaxed ordering" },
		{ ROWS_relaxed_ordering, "1", "relaxed ordering" },
		{ ROWS_peer_relaxed_ordering, "0", "no relaxed ordering of the peer" },
		{ ROWS_peer_relaxed_ordering, "1", "relaxed ordering of the peer" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].column == column && !strcmp(all[i].value, value))
			return all[i].words;
	return NULL;
}

const char *plot_word(const struct rows *rows, enum rows_column column, uint32_t word, char *text,
		      size_t size)
{
	const struct field *field = rows_field(column);
	const struct words_one *one = rows_word_value(rows, column, word);
	const struct plot_axis axis = {
		.is_size = field->unit && !strcmp(field->unit, "bytes"),
	};
	char words[PLOT_TEXT], value[WORD_MAX] = "", clean[ROWS_TEXT];

	plot_words(field, words, sizeof(words));
	if (word == WORDS_ABSENT) {
		snprintf(text, size, "no %s", words);
		return text;
	}
	if (rows_is_number(column))
		plot_number(&axis, one->number, value, sizeof(value));
	else
		plot_join(value, sizeof(value), text_clean(one->text, clean, sizeof(clean)));
	if (said(column, value))
		snprintf(text, size, "%s", said(column, value));
	else if (column == ROWS_size_bytes)
		snprintf(text, size, "%s bytes", value);
	else if (speaks(column))
		snprintf(text, size, "%s", value);
	else
		snprintf(text, size, "%s %s", words, value);
	return text;
}

void plot_join(char *text, size_t size, const char *what)
{
	const size_t len = strlen(text);
	const int n = snprintf(text + len, size - len, "%s%s", len ? ", " : "", what);

	if ((size_t)n >= size - len && size > 4)
		memcpy(text + size - 4, "...", 4);
}

void plot_file_name(char *name, size_t size, const char *text)
{
	size_t n = 0;

	for (const char *c = text; *c && n + 1 < size; c++) {
		const bool fits = isalnum((unsigned char)*c) || *c == '_' || *c == '.';

		if (fits)
			name[n++] = (char)tolower((unsigned char)*c);
		else if (n && name[n - 1] != '-')
			name[n++] = '-';
	}
	while (n && name[n - 1] == '-')
		n--;
	name[n] = '\0';
}

/* The word that the column has in all rows that count; false: it varies, or there is none. */
static bool one_word(const struct rows *rows, const bool *skip, enum rows_column column,
		     uint32_t *word)
{
	bool found = false;

	for (size_t row = 0; row < rows->n; row++) {
		if (skip && skip[row])
			continue;
		if (found && rows_word(rows, column, row) != *word)
			return false;
		*word = rows_word(rows, column, row);
		found = true;
	}
	return found && *word != WORDS_ABSENT;
}

/* Adds "a", or "a to b". */
static void join_ends(char *text, size_t size, const char *own, const char *peer)
{
	char both[PLOT_TEXT];

	if (!*own && !*peer)
		return;
	snprintf(both, sizeof(both), *own && *peer ? "%s to %s" : "%s%s", own, peer);
	plot_join(text, size, both);
}

static void one_text(const struct rows *rows, const bool *skip, enum rows_column column,
		     char text[WORD_MAX])
{
	uint32_t word = WORDS_ABSENT;

	text[0] = '\0';
	if (one_word(rows, skip, column, &word))
		text_clean(rows_word_value(rows, column, word)->text, text, WORD_MAX);
}

/* "node1 mlx5_0 to node2 mlx5_0", of what is the same in all rows. */
static void place(const struct rows *rows, const bool *skip, char *text, size_t size)
{
	char host[WORD_MAX], device[WORD_MAX], own[PLOT_TEXT], peer[PLOT_TEXT];

	one_text(rows, skip, ROWS_host, host);
	one_text(rows, skip, ROWS_device, device);
	snprintf(own, sizeof(own), "%s%s%s", host, *host && *device ? " " : "", device);
	one_text(rows, skip, ROWS_peer_host, host);
	one_text(rows, skip, ROWS_peer_device, device);
	snprintf(peer, sizeof(peer), "%s%s%s", host, *host && *device ? " " : "", device);
	join_ends(text, size, own, peer);
}

void plot_head(const struct rows *rows, const bool *skip, enum rows_column x, char *text,
	       size_t size)
{
	char one[PLOT_TEXT];
	uint32_t word = WORDS_ABSENT;

	text[0] = '\0';
	for (size_t i = 0; i < axes_n; i++) {
		const enum rows_column column = axes[i].column;

		if (axes[i].flags & AXES_HEAD && !(axes[i].flags & AXES_PLACE) && column != x &&
		    one_word(rows, skip, column, &word))
			plot_join(text, size, plot_word(rows, column, word, one, sizeof(one)));
	}
	place(rows, skip, text, size);
}
