/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* How the readers of formats fill the table: value by value, then the row. For rows*.c alone. */
#ifndef ROWS_ADD_H
#define ROWS_ADD_H

#include "read/input.h"
#include "rows/rows.h"

/* A load that goes on. */
struct rows_load {
	struct rows *rows;
	const struct rows_query *query;
	struct input *in;      /* the file that is read */
	enum rows_column kind; /* tells rows of intervals; ROWS_COLUMNS: there is none */
	/* of the row that is being read */
	bool has_schema, has_test, is_interval;
};

/* Does anybody look at values of the column? */
bool rows_add_looks(const struct rows_load *load, enum rows_column column);

/*
 * A value of the row that is being read, as text; "" absent. A column that is not kept is not
 * looked at, but for the schema. -EBADMSG or -ENOMEM with an error message.
 */
int rows_add_value(struct rows_load *load, enum rows_column column, const char *text)
	__attribute__((warn_unused_result));

/* The row is complete. -EBADMSG: it is no row of a test. */
int rows_add_row(struct rows_load *load) __attribute__((warn_unused_result));

/* What was read of the row is no row. */
void rows_add_nothing(struct rows_load *load);

/* Sets "FILE, line N: what", or with the reason that err_text() holds. Returns -EBADMSG, or rc. */
int rows_bad(const struct rows_load *load, const char *what);
int rows_bad_value(const struct rows_load *load, int rc);

/* The readers: all rows of load->in. 0, or -errno with an error message that names the line. */
int rows_read_csv(struct rows_load *load) __attribute__((warn_unused_result));
int rows_read_json(struct rows_load *load) __attribute__((warn_unused_result));

#endif
