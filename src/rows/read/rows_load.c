/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The way of values into the table of columns, and the files one after the other; see rows.h.
 * No value is trusted.
 */
#include "config.h"
#include "read/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/input.h"
#include "util/text.h"
#include "row/row.h"
#include "read/condition.h"
#include "util/err.h"
#include "util/must.h"

#define FIRST_ROOM 1024u

/* ---- one value */

static int refuse(enum rows_column column, const char *text, const char *expected)
{
	char clean[64];

	return err_set(-EBADMSG, "%s is \"%s\", not %s", rows_field(column)->name,
		       text_clean(text, clean, sizeof(clean)), expected);
}

/* No column has a number below 0. */
static int scan(enum rows_column column, const char *text, double *number)
{
	if (!text_scan_number(text, number) && *number >= 0)
		return 0;
	return refuse(column, text, "a number from 0 on");
}

/* Each version writes its own; this program reads those up to its own. */
static int check_schema(struct rows_load *load, const char *text)
{
	double schema;

	if (text_scan_number(text, &schema) || schema < 1 || schema > ROW_SCHEMA)
		return err_set(-EBADMSG, "the schema is \"%.20s\", this program reads 1 to %d", text,
			       ROW_SCHEMA);
	load->has_schema = true;
	return 0;
}

static int put_word(struct rows_load *load, struct rows_values *v, enum rows_column column,
		    const char *text)
{
	char clean[ROWS_TEXT];
	struct words_one one = { .text = clean, .number = NAN };
	size_t len;
	int rc;

	if (!strcmp(text, v->last)) {
		v->now.word = v->last_word;
		return 0;
	}
	if (column != ROWS_file && strlen(text) >= sizeof(clean))
		return err_set(-EBADMSG, "%s is a text of %zu bytes; at most %zu are read",
			       rows_field(column)->name, strlen(text), sizeof(clean) - 1);
	if (v->is_number && scan(column, text, &one.number))
		return -EBADMSG;
	if (v->is_number && !text_is_plain_number(text))
		text_of_number(one.number, clean, sizeof(clean));
	else
		text_clean(text, clean, sizeof(clean));
	rc = words_of(&v->dictionary, &load->rows->budget, &one, &v->now.word);
	len = strlen(text);
	if (!rc && len < sizeof(v->last)) {
		memcpy(v->last, text, len + 1);
		v->last_word = v->now.word;
	}
	return rc;
}

/* Into a struct row; a number as such: its text may have an exponent, which is none of a cell. */
static int put_field(struct row *row, enum rows_column i, const char *text)
{
	const struct field *column = &row_table.rows[i];
	char clean[ROWS_TEXT];
	double number;

	/* a spelling of a later version is left out */
	if (field_is_text(column))
		return field_scan(column, row, text_clean(text, clean, sizeof(clean))) &&
		       !column->names ? -EBADMSG : 0;
	if (scan(i, text, &number))
		return -EBADMSG;
	if (column->type == FIELD_F64)
		field_set_real(column, row, number);
	else if (number < 0x1p64 && number == floor(number))
		field_set_integer(column, row, (uint64_t)number);
	else
		return refuse(i, text, "a whole number from 0 on");
	return 0;
}

bool rows_add_looks(const struct rows_load *load, enum rows_column column)
{
	return column == ROWS_schema || column == ROWS_test || column == ROWS_kind ||
	       (column < ROWS_file &&
		(load->take || load->rows->values[column].as != ROWS_LEFT_OUT));
}

int rows_add_value(struct rows_load *load, enum rows_column column, const char *text)
{
	struct rows_values *v = &load->rows->values[column];

	if (column == ROWS_schema && check_schema(load, text))
		return -EBADMSG;
	load->has_test |= column == ROWS_test;
	if (column == ROWS_kind)
		load->is_interval = !strcmp(text, "interval");
	if (load->take)
		return text[0] ? put_field(load->row, column, text) : 0;
	if (v->as == ROWS_LEFT_OUT || !text[0])
		return 0;
	if (v->as == ROWS_WORDS)
		return put_word(load, v, column, text);
	return scan(column, text, &v->now.number);
}

int rows_add_number(struct rows_load *load, enum rows_column column, double value)
{
	char text[32];

	if (column == ROWS_COLUMNS || !isfinite(value))
		return 0;
	snprintf(text, sizeof(text), "%.15g", value);
	return rows_add_value(load, column, text);
}

/* ---- one row */

static size_t width_of(const struct rows_values *v)
{
	return v->as == ROWS_WORDS ? sizeof(v->now.word) : sizeof(v->now.number);
}

static void put(struct rows_values *v, size_t row, const union rows_value *value)
{
	memcpy((char *)v->all + row * width_of(v), value, width_of(v));
}

/* The arrays of a column get room for more rows; a column with one value has none. */
static int grow(struct rows *rows)
{
	const size_t room = rows->room ? 2 * rows->room : FIRST_ROOM;

	for (size_t i = 0; i < rows->n_kept; i++) {
		struct rows_values *v = &rows->values[rows->kept[i]];

		if (!v->all)
			continue;
		if (words_budget_take(&rows->budget, (room - rows->room) * width_of(v)))
			return -ENOMEM;
		v->all = must_realloc(v->all, room, width_of(v));
	}
	rows->room = room;
	return 0;
}

/* With the first row that has another value the column gets an array. */
static int keep_value(struct rows *rows, struct rows_values *v)
{
	if (!rows->n)
		v->first = v->now;
	if (!v->all && !memcmp(&v->now, &v->first, width_of(v)))
		return 0;
	if (!v->all) {
		if (words_budget_take(&rows->budget, rows->room * width_of(v)))
			return -ENOMEM;
		v->all = must_calloc(rows->room, width_of(v));
		for (size_t row = 0; row < rows->n; row++)
			put(v, row, &v->first);
	}
	put(v, rows->n, &v->now);
	return 0;
}

static const union rows_value *no_value(const struct rows_values *v)
{
	static const union rows_value word = { .word = WORDS_ABSENT }, number = { .number = NAN };

	return v->as == ROWS_NUMBERS ? &number : &word;
}

/* The next row begins: it has nothing yet, but its file. */
static void begin_row(struct rows_load *load)
{
	struct rows *rows = load->rows;

	if (load->take)
		field_clear(&row_table, load->row);
	for (size_t i = 0; i < rows->n_kept; i++) {
		struct rows_values *v = &rows->values[rows->kept[i]];

		if (rows->kept[i] != ROWS_file)
			v->now = *no_value(v);
	}
	load->has_schema = load->has_test = load->is_interval = false;
}

/* A value of the row that is being read. */
static struct condition_value pending(const void *obj, size_t column)
{
	const struct rows *rows = obj;
	const struct rows_values *v = &rows->values[column];
	const struct words_one *word;

	if (v->as == ROWS_NUMBERS)
		return (struct condition_value){ .number = v->now.number, .text = "" };
	word = rows_word_value(rows, (enum rows_column)column, v->now.word);
	return (struct condition_value){ .number = word->number, .text = word->text };
}

/* Is the row one of those that are asked for? */
static bool is_asked(struct rows_load *load)
{
	const struct condition_row row = { .get = pending, .obj = load->rows };
	struct rows *rows = load->rows;

	if (load->is_interval && !load->query->intervals) {
		rows->intervals++;
		return false;
	}
	if (load->query->where && !condition_hold_all(load->query->where, &row)) {
		rows->left_out++;
		return false;
	}
	return true;
}

int rows_add_row(struct rows_load *load)
{
	struct rows *rows = load->rows;
	int rc = 0;

	if (!load->has_schema || !load->has_test)
		return err_set(-EBADMSG, "not a row of a test: %s is missing",
			       load->has_schema ? "test" : "the schema");
	if (load->take)
		load->take(load->arg, load->row);
	if (load->take || !is_asked(load)) {
		begin_row(load);
		return 0;
	}
	if (rows->n >= UINT32_MAX - 2)
		return err_set(-ENOMEM, "more than %zu rows", rows->n);
	if (rows->n == rows->room)
		rc = grow(rows);
	for (size_t i = 0; i < rows->n_kept && !rc; i++)
		rc = keep_value(rows, &rows->values[rows->kept[i]]);
	if (!rc)
		rows->n++;
	begin_row(load);
	return rc;
}

/* ---- files */

static int read_file(struct rows_load *load, const char *path)
{
	struct input in;
	int rc = input_open(&in, path), first;

	if (rc)
		return rc;
	load->in = &in;
	begin_row(load);
	if (load->rows->values[ROWS_file].as != ROWS_LEFT_OUT)
		rc = put_word(load, &load->rows->values[ROWS_file], ROWS_file, in.path);
	first = input_peek(&in);
	if (!rc && !in.rc && first < 0)
		rc = err_set(-EBADMSG, "%s is empty", in.path);
	if (!rc && !in.rc)
		rc = first == '{' ? rows_read_json(load) : rows_read_csv(load);
	if (in.rc)
		rc = in.rc;
	else if (rc && first >= 0)
		rc = err_wrap(rc, "%s, line %zu", in.path, in.line);
	input_close(&in);
	return rc;
}

void rows_begin(struct rows *rows, const struct rows_query *query)
{
	*rows = (struct rows){ .budget = { .most = query->most ? query->most : ROWS_MOST } };
	for (size_t i = 0; i < ROWS_COLUMNS; i++) {
		rows->values[i].as = query->as[i];
		rows->values[i].is_number = rows_is_number((enum rows_column)i);
		rows->values[i].now = rows->values[i].first = *no_value(&rows->values[i]);
		if (query->as[i] != ROWS_LEFT_OUT)
			rows->kept[rows->n_kept++] = (enum rows_column)i;
	}
}

int rows_add(struct rows *rows, const struct row *row)
{
	const struct rows_query all = { .intervals = true };
	struct rows_load load = { .rows = rows, .query = &all };
	char text[FIELD_TEXT_MAX];
	int rc = 0;

	begin_row(&load);
	load.has_schema = load.has_test = true;
	for (size_t i = 0; i < rows->n_kept && !rc; i++) {
		const enum rows_column column = rows->kept[i];

		rc = rows_add_value(&load, column,
				    field_format(rows_field(column), row, text, sizeof(text)));
	}
	return rc ? rc : rows_add_row(&load);
}

int rows_load(struct rows *rows, const struct rows_query *query)
{
	struct rows_load load = { .rows = rows, .query = query };
	int rc = 0;

	rows_begin(rows, query);
	for (size_t i = 0; i < query->n_paths && !rc; i++)
		rc = read_file(&load, query->paths[i]);
	if (rc)
		rows_free(rows);
	return rc;
}

int rows_row_each(const char *path, void (*take)(void *arg, const struct row *row), void *arg)
{
	struct rows rows = { .n = 0 };
	struct row row;
	struct rows_load load = { .rows = &rows, .take = take, .arg = arg, .row = &row };

	return read_file(&load, path);
}
