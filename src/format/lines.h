/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Rows of any table of columns as lines of CSV or JSON Lines, added to a file (out/append.h). What
 * is in the file must be rows of the same columns: in CSV the header line must be the same, in JSON
 * Lines the keys of the first line must be columns, with the same number of the schema.
 */
#ifndef LINES_H
#define LINES_H

#include "out/append.h"
#include "util/field.h"

enum lines_as { LINES_CSV, LINES_JSON };

struct lines {
	const struct field_table *table;
	enum lines_as as;
	uint64_t schema;     /* of the table */
	char *head;          /* owned; NULL: JSON Lines */
	struct append append;
	bool held;           /* lines are kept until lines_flush() */
	char *kept;          /* owned; NULL: none */
	size_t kept_len;
	int rc;              /* of the first line that could not be added */
	char error[ERR_TEXT_MAX];
};

/* What to open: path is borrowed until lines_close(). */
struct lines_file {
	const char *path;
	const struct field_table *table;
	uint64_t schema;
	enum lines_as as;
	enum append_start start;
	bool held;           /* of lines that are added */
};

/*
 * Opens and touches nothing. -errno with an error message; lines_close() is due all the same, of
 * one that is zero too.
 */
int lines_open(struct lines *l, const struct lines_file *file) __attribute__((warn_unused_result));

/*
 * obj is the struct of the table; live: its line is added at once, before those that are kept. What
 * fails is kept for lines_close(); the next may be added.
 */
void lines_add(struct lines *l, const void *obj, bool live);

/*
 * Adds what is kept, in one write. -errno with an error message: nothing of it is in the file.
 */
int lines_flush(struct lines *l) __attribute__((warn_unused_result));

/* -errno with the error message of the first row that is not in the file. */
int lines_close(struct lines *l) __attribute__((warn_unused_result));

/* append_check() and append_prepare() of the file. */
int lines_check(const struct lines_file *file) __attribute__((warn_unused_result));
int lines_prepare(const struct lines_file *file) __attribute__((warn_unused_result));

#endif
