/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder rows: files of rows, of any version, as a table in memory; what varies in it, groups and
 * their medians. It prints nothing.
 *
 * This header: the rows of files as a table of columns in memory. Only the columns that the caller
 * wants are kept: four bytes per row for a setting or a text, eight for a measured number, nothing
 * for a column that has the same value in all rows. All together at most rows_query.most bytes, or
 * the load is refused; a million rows of a sweep of six options, with six measured columns, take
 * about 75 MB.
 *
 *	struct rows_query query = { .n_paths = n, .paths = paths };
 *	struct rows rows;
 *
 *	axes_want_all(&query);
 *	axes_want(&query, ROWS_bandwidth_gbit_s);
 *	if (rows_load(&rows, &query)) ... err_text() ...
 *	rows_number(&rows, ROWS_bandwidth_gbit_s, 0)
 *	rows_free(&rows);
 */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/words.h"
#include "util/field.h"

struct conditions;

/* The columns of row.def, as in row_table.rows; then the path of the file. */
#define COLUMN(type, f, source, ...) ROWS_##f,
#define COLUMN_TEXT(n, f, source, ...) ROWS_##f,
enum rows_column {
#include "report/row.def"
	ROWS_file, ROWS_COLUMNS
};

/* How a column is kept. */
enum rows_as {
	ROWS_LEFT_OUT,
	ROWS_WORDS,    /* settings and texts; also numbers that rows are grouped by */
	ROWS_NUMBERS   /* measured: NAN is absent */
};

#define ROWS_MOST ((size_t)1 << 30)
#define ROWS_TEXT 512

struct rows_query {
	const char *const *paths;       /* "-" is standard input; borrowed */
	size_t n_paths;
	enum rows_as as[ROWS_COLUMNS];
	const struct conditions *where; /* only rows that it holds for; NULL: all; borrowed */
	bool intervals;                 /* also rows of intervals, which a summary must not count */
	size_t most;                    /* bytes of the table; 0: ROWS_MOST */
};

/* One column. For rows*.c alone. */
struct rows_values {
	enum rows_as as;
	bool is_number;
	uint32_t *words;      /* owned; NULL: all rows have first_word */
	double *numbers;      /* owned; NULL: all rows have first_number */
	uint32_t first_word;
	double first_number;
	/* the row that is being read */
	uint32_t word;
	double number;
	/* the text that was read last, and its word: the next row often has the same */
	uint32_t last_word;
	char last[64];
	struct words dictionary;
};

struct rows {
	size_t n;
	size_t room;          /* of the arrays of the columns */
	size_t torn;          /* last lines that a crash has cut; they are not rows */
	size_t left_out;      /* rows that the condition does not hold for */
	size_t intervals;     /* rows of intervals that were left out */
	struct budget budget;
	struct rows_values values[ROWS_COLUMNS];
	enum rows_column kept[ROWS_COLUMNS]; /* the columns that are kept, n_kept of them */
	size_t n_kept;
};

/*
 * Reads all files. Each is CSV, JSON Lines, or JSON documents, of any version: columns go by name,
 * one that a file does not have is absent, an unknown one is ignored. -errno with an error message:
 * a file cannot be read; -EBADMSG: it is no file of rows or is damaged, with file, line and reason;
 * -ENOMEM: more than query->most. What a crash left behind the last newline is no row; a note says
 * so. rows_free() is due after success only.
 */
int rows_load(struct rows *rows, const struct rows_query *query)
	__attribute__((warn_unused_result));
void rows_free(struct rows *rows);

/* The column of that name, "file" too; ROWS_COLUMNS: there is none. */
enum rows_column rows_find(const char *name);
/* Its row of row_table; of ROWS_file a row of its own. */
const struct field *rows_field(enum rows_column column);
/* Has it numbers, or texts? */
bool rows_is_number(enum rows_column column);

/* The value of a number, kept either way; NAN: absent. */
double rows_number(const struct rows *rows, enum rows_column column, size_t row);
/* As written in CSV; "" absent. Valid until rows_free(), or as long as buf of a ROWS_NUMBERS. */
const char *rows_text(const struct rows *rows, enum rows_column column, size_t row,
		      char buf[ROWS_TEXT]);

/* Of a column that is kept as words: the word of a row, and how many words there are. */
uint32_t rows_word(const struct rows *rows, enum rows_column column, size_t row);
uint32_t rows_n_words(const struct rows *rows, enum rows_column column);
/* The text and the number of a word. */
const struct words_one *rows_word_value(const struct rows *rows, enum rows_column column,
					uint32_t word);

/* Has the column the same value in all rows (or none in any)? Of ROWS_LEFT_OUT: true. */
bool rows_is_constant(const struct rows *rows, enum rows_column column);

/*
 * Of a column that is kept as words: the one word that rows have, if all that have any have the
 * same; WORDS_ABSENT: none has one, or they differ. Rows that were not measured lack many columns.
 */
uint32_t rows_only_word(const struct rows *rows, enum rows_column column);

#endif
