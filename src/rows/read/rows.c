/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The table of columns in memory; see rows.h. The files are read by rows_load.c. */
#include "config.h"
#include "read/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row/row.h"
#include "util/err.h"
#include "util/must.h"

#define SLOT_FREE UINT32_MAX
#define FIRST_SLOTS 64u
#define NAME 64

static const struct words_one absent = { .text = "", .number = NAN };

/* ---- the dictionary of a column */

int words_budget_take(struct budget *budget, size_t bytes)
{
	if (bytes > budget->most - budget->used)
		return err_set(-ENOMEM, "these rows need more than %zu MiB of memory; take fewer files, or some of the rows (--where)",
			       budget->most >> 20);
	budget->used += bytes;
	return 0;
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static size_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return (size_t)(h ^ h >> 32);
}

/* The slot of the text, or the free one where it belongs. */
static uint32_t *find(const struct words *words, const char *text)
{
	size_t i = hash(text) & (words->n_slots - 1);

	while (words->slots[i] != SLOT_FREE && strcmp(words->all[words->slots[i]].text, text))
		i = (i + 1) & (words->n_slots - 1);
	return &words->slots[i];
}

/* At most half of the slots are taken. */
static int grow(struct words *words, struct budget *budget)
{
	const size_t n = words->n_slots ? 2 * words->n_slots : FIRST_SLOTS;
	int rc = words_budget_take(budget, (n - words->n_slots) *
				   (sizeof(*words->slots) + sizeof(*words->all) / 2));

	if (rc)
		return rc;
	words->all = must_realloc(words->all, n / 2, sizeof(*words->all));
	words->slots = must_realloc(words->slots, n, sizeof(*words->slots));
	words->n_slots = n;
	memset(words->slots, 0xff, n * sizeof(*words->slots));
	for (uint32_t i = 0; i < words->n; i++)
		*find(words, words->all[i].text) = i;
	return 0;
}

static int add(struct words *words, struct budget *budget, const struct words_one *one)
{
	int rc = 2 * (words->n + (size_t)1) > words->n_slots ? grow(words, budget) : 0;

	if (!rc)
		rc = words_budget_take(budget, strlen(one->text) + 1);
	if (rc)
		return rc;
	*find(words, one->text) = words->n;
	words->all[words->n++] = (struct words_one){ must_strdup(one->text), one->number };
	return 0;
}

int words_of(struct words *words, struct budget *budget, const struct words_one *one,
	     uint32_t *word)
{
	int rc = words->n ? 0 : add(words, budget, &absent);

	if (rc)
		return rc;
	*word = *find(words, one->text);
	if (*word != SLOT_FREE)
		return 0;
	rc = add(words, budget, one);
	*word = words->n - 1;
	return rc;
}

void words_free(struct words *words)
{
	for (uint32_t i = 0; i < words->n; i++)
		free((char *)(uintptr_t)words->all[i].text);
	free(words->all);
	free(words->slots);
	*words = (struct words){ .n = 0 };
}

/* ---- names of columns */

static const struct field file_field = {
	.name = "file", .type = FIELD_STRING, .help = "the file that the row was read from",
};

enum rows_column rows_find(const char *name)
{
	const struct field *field = field_find(&row_table, name);

	if (field)
		return (enum rows_column)(field - row_table.rows);
	return strcmp(name, file_field.name) ? ROWS_COLUMNS : ROWS_file;
}

const char *rows_meant(struct nearest *n, const char *name)
{
	*n = nearest_to(name, strlen(name));
	for (size_t i = 0; i < row_table.n; i++)
		nearest_try(n, row_table.rows[i].name);
	return nearest_hint(n, "", " (verbench-row(5) lists them)");
}

const struct field *rows_field(enum rows_column column)
{
	return column == ROWS_file ? &file_field : &row_table.rows[column];
}

bool rows_is_number(enum rows_column column)
{
	return !field_is_text(rows_field(column));
}

bool columns_have(const struct columns_named *columns, enum rows_column column)
{
	for (size_t i = 0; i < columns->n; i++)
		if (columns->all[i] == column)
			return true;
	return false;
}

int columns_named(struct columns_named *columns, const char *option, const char *text)
{
	columns->n = 0;
	for (const char *at = text; at; at = *at ? at + 1 : NULL) {
		const size_t len = strcspn(at, ",");
		enum rows_column column;
		struct nearest n;
		char name[NAME];

		snprintf(name, sizeof(name), "%.*s", (int)(len < NAME ? len : NAME), at);
		column = rows_find(name);
		if (column == ROWS_COLUMNS)
			return err_set(-EINVAL, "%s \"%s\": not the name of a column%s", option,
				       name, rows_meant(&n, name));
		if (columns_have(columns, column))
			return err_set(-EINVAL, "%s: the column %s is given twice", option, name);
		columns->all[columns->n++] = column;
		at += len;
		if (!*at)
			break;
	}
	return 0;
}

/* ---- values */

double rows_number(const struct rows *rows, enum rows_column column, size_t row)
{
	const struct rows_values *v = &rows->values[column];

	if (v->as == ROWS_NUMBERS)
		return v->all ? ((const double *)v->all)[row] : v->first.number;
	return rows_word_value(rows, column, rows_word(rows, column, row))->number;
}

const char *rows_text(const struct rows *rows, enum rows_column column, size_t row,
		      char buf[ROWS_TEXT])
{
	double number;

	if (rows->values[column].as != ROWS_NUMBERS)
		return rows_word_value(rows, column, rows_word(rows, column, row))->text;
	number = rows_number(rows, column, row);
	buf[0] = '\0';
	if (!isnan(number))
		snprintf(buf, ROWS_TEXT, "%.15g", number);
	return buf;
}

uint32_t rows_word(const struct rows *rows, enum rows_column column, size_t row)
{
	const struct rows_values *v = &rows->values[column];

	return v->all ? ((const uint32_t *)v->all)[row] : v->first.word;
}

uint32_t rows_n_words(const struct rows *rows, enum rows_column column)
{
	return rows->values[column].dictionary.n;
}

const struct words_one *rows_word_value(const struct rows *rows, enum rows_column column,
					uint32_t word)
{
	const struct words *words = &rows->values[column].dictionary;

	return word < words->n ? &words->all[word] : &absent;
}

bool rows_is_constant(const struct rows *rows, enum rows_column column)
{
	return !rows->values[column].all;
}

uint32_t rows_only_word(const struct rows *rows, enum rows_column column)
{
	uint32_t only = WORDS_ABSENT;

	if (rows_is_constant(rows, column))
		return rows->n ? rows_word(rows, column, 0) : WORDS_ABSENT;
	for (size_t row = 0; row < rows->n; row++) {
		const uint32_t word = rows_word(rows, column, row);

		if (word == WORDS_ABSENT || word == only)
			continue;
		if (only != WORDS_ABSENT)
			return WORDS_ABSENT;
		only = word;
	}
	return only;
}

void rows_free(struct rows *rows)
{
	for (size_t i = 0; i < ROWS_COLUMNS; i++) {
		free(rows->values[i].all);
		words_free(&rows->values[i].dictionary);
	}
	rows_histogram_free(rows);
	*rows = (struct rows){ .n = 0 };
}
