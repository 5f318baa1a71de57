/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of columns in memory: what a column is, and how its values are asked for; see
 * rows.h. Called by all of analysis. Must not read files: that is rows_load.c.
 */
#include "config.h"
#include "rows/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/row.h"

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

const struct field *rows_field(enum rows_column column)
{
	return column == ROWS_file ? &file_field : &row_table.rows[column];
}

bool rows_is_number(enum rows_column column)
{
	const enum field_type type = rows_field(column)->type;

	return type == FIELD_U64 || type == FIELD_F64;
}

double rows_number(const struct rows *rows, enum rows_column column, size_t row)
{
	const struct rows_values *v = &rows->values[column];

	if (v->as == ROWS_NUMBERS)
		return v->numbers ? v->numbers[row] : v->first_number;
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

	return v->words ? v->words[row] : v->first_word;
}

uint32_t rows_n_words(const struct rows *rows, enum rows_column column)
{
	return rows->values[column].dictionary.n;
}

const struct words_one *rows_word_value(const struct rows *rows, enum rows_column column,
					uint32_t word)
{
	static const struct words_one absent = { .text = "", .number = NAN };
	const struct words *words = &rows->values[column].dictionary;

	return word < words->n ? &words->all[word] : &absent;
}

bool rows_is_constant(const struct rows *rows, enum rows_column column)
{
	const struct rows_values *v = &rows->values[column];

	return !v->words && !v->numbers;
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
		struct rows_values *v = &rows->values[i];

		free(v->words);
		free(v->numbers);
		words_free(&v->dictionary);
	}
	*rows = (struct rows){ .n = 0 };
}
