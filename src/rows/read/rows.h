/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room read: files of rows, of any version, as a table in memory; what varies in it, groups and
 * their medians. It prints nothing.
 *
 * This header: the rows of files as a table of columns in memory. Only the columns that the caller
 * wants are kept: four bytes per row for a setting or a text, eight for a measured number, nothing
 * for a column that has the same value in all rows, 16 for each bucket of a histogram that has
 * samples. All together at most rows_query.most bytes, or the load is refused; a million rows of a
 * sweep of six options, with six measured columns, take about 75 MB.
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

#include "util/field.h"
#include "causes/nearest.h"

struct conditions;
struct histogram;
struct json_t;
struct row;

/* ---- the values of a column */

#define WORDS_ABSENT 0 /* the word of what a row does not have */

struct words_one {
	const char *text; /* owned by the dictionary; of a number its only spelling; "" absent */
	double number;    /* NAN: absent, or a text */
};

/*
 * The different values of a column of settings: each has a number, its word. So a setting of a row
 * is four bytes, and two rows have the same setting if they have the same word. Zeroed: empty.
 */
struct words {
	struct words_one *all; /* n of them; the first is WORDS_ABSENT */
	uint32_t n;
	uint32_t *slots;       /* a hash table of words; n_slots is a power of two */
	size_t n_slots;
};

/* The most that all columns together may take. */
struct budget {
	size_t used, most; /* bytes */
};

/* -ENOMEM with an error message: more bytes are more than the budget has. */
int words_budget_take(struct budget *budget, size_t bytes) __attribute__((warn_unused_result));

/* The word of a value, whose text is copied. Errors as words_budget_take(). */
int words_of(struct words *words, struct budget *budget, const struct words_one *one,
	     uint32_t *word) __attribute__((warn_unused_result));
void words_free(struct words *words);

/* ---- the columns */

/* The columns of row.def, as in row_table.rows; then the path of the file. */
#define COLUMN(type, f, source, ...) ROWS_##f,
#define COLUMN_TEXT(n, f, source, ...) ROWS_##f,
enum rows_column {
#include "row/row.def"
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
#define ROWS_JSON_MOST ((size_t)256 << 20) /* bytes of an object of JSON: a row, or a document */

struct rows_query {
	const char *const *paths;       /* "-" is standard input; borrowed */
	size_t n_paths;
	enum rows_as as[ROWS_COLUMNS];
	const struct conditions *where; /* only rows that it holds for; NULL: all; borrowed */
	bool intervals;                 /* also rows of intervals, which a summary must not count */
	bool histograms;                /* also those of latency, of files that have them */
	size_t most;                    /* bytes of the table; 0: ROWS_MOST */
};

/* A value of a row: the one that the column is kept as. */
union rows_value {
	uint32_t word;
	double number;
};

/* One column. For rows*.c alone. */
struct rows_values {
	enum rows_as as;
	bool is_number;
	void *all;              /* words or numbers, owned; NULL: all rows have the first value */
	union rows_value first, now; /* of the first row, and of the row that is being read */
	/* the text that was read last, and its word: the next row often has the same */
	uint32_t last_word;
	char last[64];
	struct words dictionary;
};

/* A bucket with samples: its index is that of histogram_index() of a value in ps. */
struct rows_bucket {
	uint32_t index;
	uint64_t samples;
};

/* All samples of the latency of a row, as verbench-row(5) says: points.histogram. */
struct rows_histogram {
	size_t row;
	double min_ns, max_ns;       /* exact, so they may be outside of the buckets */
	uint32_t n;
	struct rows_bucket *buckets; /* n of them, ascending, owned */
};

struct rows {
	size_t n;
	size_t room;          /* of the arrays of the columns */
	size_t heads;         /* lines of names of CSV; row i of a file with one is in line i + 2 */
	size_t torn;          /* last lines that a crash has cut; they are not rows */
	size_t left_out;      /* rows that the condition does not hold for */
	size_t intervals;     /* rows of intervals that were left out */
	struct budget budget;
	struct rows_values values[ROWS_COLUMNS];
	enum rows_column kept[ROWS_COLUMNS]; /* the columns that are kept, n_kept of them */
	size_t n_kept;
	struct rows_histogram *histograms; /* n_histograms, by row: rows_histogram(); owned */
	size_t n_histograms;
};

/*
 * Reads all files. Each is CSV, JSON Lines, or JSON documents, of any version: columns go by name,
 * one that a file does not have is absent, an unknown one is ignored; or what perftest printed.
 * -errno with an error message: a file cannot be read; -EBADMSG: it is no file of rows or is
 * damaged, with file, line and reason; -ENOMEM: more than query->most. What a crash left behind the
 * last newline is no row; a note says so. rows_free() is due after success only.
 */
int rows_load(struct rows *rows, const struct rows_query *query)
	__attribute__((warn_unused_result));
void rows_free(struct rows *rows);

/*
 * The same of rows that are measured now: a table without rows, with the columns of the query, but
 * without that of the file. -errno with an error message: the row is not in the table.
 */
void rows_begin(struct rows *rows, const struct rows_query *query);
int rows_add(struct rows *rows, const struct row *row) __attribute__((warn_unused_result));

/*
 * Calls take with each row of a file, as a row that is measured now. -errno with an error message
 * as rows_load(); take was then called with those before it.
 */
int rows_row_each(const char *path, void (*take)(void *arg, const struct row *row), void *arg)
	__attribute__((warn_unused_result));

/* A row as row_json() made it. -EBADMSG with an error message: it is none. */
int rows_row_of(struct row *row, const struct json_t *object) __attribute__((warn_unused_result));

/* ---- names of columns */

/* The column of that name, "file" too; ROWS_COLUMNS: there is none. */
enum rows_column rows_find(const char *name);
/* What may be meant by a name that is none, as nearest_hint() or with where they are. */
const char *rows_meant(struct nearest *n, const char *name);
/* Its row of row_table; of ROWS_file a row of its own. */
const struct field *rows_field(enum rows_column column);
/* Has it numbers, or texts? */
bool rows_is_number(enum rows_column column);

/* Columns as the user names them in an option: "size_bytes,completion". */
struct columns_named {
	enum rows_column all[ROWS_COLUMNS];
	size_t n;
};

/*
 * -EINVAL with an error message that begins with the option: a name that is no column, given twice,
 * or empty. text NULL: none.
 */
int columns_named(struct columns_named *columns, const char *option, const char *text)
	__attribute__((warn_unused_result));
bool columns_have(const struct columns_named *columns, enum rows_column column);

/* ---- values */

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

/* ---- histograms */

/*
 * The histogram of a row; NULL: its file has none (only JSON documents do, on the side that took
 * the samples, and files of samples), or the query did not ask for histograms. Valid until
 * rows_free().
 */
const struct rows_histogram *rows_histogram(const struct rows *rows, size_t row);

/* Adds it, in ps: the buckets and the extremes, but no sums. */
void rows_histogram_add(struct histogram *sum, const struct rows_histogram *one);

/* ---- how the readers of the syntaxes fill the table: for rows*.c alone */

struct input;

/* A load that goes on. */
struct rows_load {
	struct rows *rows;
	const struct rows_query *query;
	struct input *in;      /* the file that is read */
	/* in place of rows: gets each row; NULL: rows gets them */
	void (*take)(void *arg, const struct row *row);
	void *arg;
	/* of the row that is being read */
	struct row *row;       /* for take */
	bool has_schema, has_test, is_interval;
	/* of the document that is read, borrowed; NULL: none, or nobody asks for histograms */
	const struct json_t *points;
	size_t point;          /* the first one that may be of the next row */
};

/* Does anybody look at values of the column? */
bool rows_add_looks(const struct rows_load *load, enum rows_column column);

/*
 * A value of the row that is being read, as text; "" absent. A column that is not kept is not
 * looked at, but for the schema. -EBADMSG or -ENOMEM with an error message.
 */
int rows_add_value(struct rows_load *load, enum rows_column column, const char *text)
	__attribute__((warn_unused_result));
/* The same of a number; ROWS_COLUMNS, or one that is not finite: nothing is added. */
int rows_add_number(struct rows_load *load, enum rows_column column, double value)
	__attribute__((warn_unused_result));

/* The row is complete. -EBADMSG: it is no row of a test. */
int rows_add_row(struct rows_load *load) __attribute__((warn_unused_result));

/*
 * After each row of a document, also those that are left out: its histogram, if a point has one for
 * it, is now that of the last row, if the row is kept. Errors as rows_add_value().
 */
int rows_add_histogram(struct rows_load *load, const struct json_t *row, bool is_kept)
	__attribute__((warn_unused_result));
/* Of the last row, with room for n buckets; NULL with an error message: no memory for them. */
struct rows_histogram *rows_new_histogram(struct rows *rows, uint32_t n);
/* For rows_free(). */
void rows_histogram_free(struct rows *rows);

/* The last line of the file has no end: a note. */
void rows_note_torn(struct rows_load *load);

/* The readers: all rows of load->in. -errno with an error message; load->in is at its line. */
int rows_read_csv(struct rows_load *load) __attribute__((warn_unused_result));
int rows_read_json(struct rows_load *load) __attribute__((warn_unused_result));

/*
 * Of a file of samples (row/row_samples.h), whose first line is this: a row for each point, with
 * the figures of latency, made of all samples, and their histogram.
 */
bool rows_is_samples(const char *line);
int rows_read_samples(struct rows_load *load, const char *line)
	__attribute__((warn_unused_result));

/*
 * Of the output of perftest, text whose first line is this, or an object of its --out_json: a row
 * for each line of figures. t_typical is the median, lat_p50_ns.
 */
bool rows_is_perftest(const char *line);
int rows_read_perftest(struct rows_load *load, char *line, size_t len)
	__attribute__((warn_unused_result));
bool rows_is_perftest_json(const struct json_t *object);
int rows_add_perftest(struct rows_load *load, const struct json_t *object)
	__attribute__((warn_unused_result));

#endif
