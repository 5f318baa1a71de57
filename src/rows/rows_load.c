/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way of values into the table of columns, and the files one after the other; see
 * rows_add.h. Called by the commands of analysis through rows_load(). Must not trust a value.
 */
#include "config.h"
#include "rows/rows_add.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/number.h"
#include "report/row.h"
#include "rows/condition.h"
#include "util/err.h"
#include "util/text.h"

#define FIRST_ROOM 1024u

int rows_bad(const struct rows_load *load, const char *what)
{
	return err_set(-EBADMSG, "%s, line %zu: %s", load->in->path, load->in->line, what);
}

int rows_bad_value(const struct rows_load *load, int rc)
{
	char reason[ERR_TEXT_MAX / 2];

	snprintf(reason, sizeof(reason), "%s", err_text());
	return err_set(rc, "%s, line %zu: %s", load->in->path, load->in->line, reason);
}

/* ---- one value */

static int refuse(enum rows_column column, const char *text, const char *expected)
{
	char clean[64];

	return err_set(-EBADMSG, "%s is \"%s\", not %s", rows_field(column)->name,
		       text_clean(text, clean, sizeof(clean)), expected);
}

/* Each version writes its own; this program reads those up to its own. */
static int check_schema(struct rows_load *load, const char *text)
{
	double schema;

	if (number_scan(text, &schema) || schema < 1 || schema > ROW_SCHEMA)
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
		v->word = v->last_word;
		return 0;
	}
	if (column != ROWS_file && strlen(text) >= sizeof(clean))
		return err_set(-EBADMSG, "%s is a text of %zu bytes; at most %zu are read",
			       rows_field(column)->name, strlen(text), sizeof(clean) - 1);
	if (v->is_number && number_scan(text, &one.number))
		return refuse(column, text, "a number");
	if (v->is_number && !number_is_plain(text))
		number_text(one.number, clean, sizeof(clean));
	else
		text_clean(text, clean, sizeof(clean));
	rc = words_of(&v->dictionary, &load->rows->budget, &one, &v->word);
	len = strlen(text);
	if (!rc && len < sizeof(v->last)) {
		memcpy(v->last, text, len + 1);
		v->last_word = v->word;
	}
	return rc;
}

bool rows_add_looks(const struct rows_load *load, enum rows_column column)
{
	return column == ROWS_schema || column == ROWS_test || column == load->kind ||
	       (column < ROWS_file && load->rows->values[column].as != ROWS_LEFT_OUT);
}

int rows_add_value(struct rows_load *load, enum rows_column column, const char *text)
{
	struct rows_values *v = &load->rows->values[column];

	if (column == ROWS_schema && check_schema(load, text))
		return -EBADMSG;
	load->has_test |= column == ROWS_test;
	if (column == load->kind)
		load->is_interval = !strcmp(text, "interval");
	if (v->as == ROWS_LEFT_OUT || !text[0])
		return 0;
	if (v->as == ROWS_WORDS)
		return put_word(load, v, column, text);
	return number_scan(text, &v->number) ? refuse(column, text, "a number") : 0;
}

/* ---- one row */

/* The arrays of a column get room for more rows; a column with one value has none. */
static int grow(struct rows *rows)
{
	const size_t room = rows->room ? 2 * rows->room : FIRST_ROOM;

	for (size_t i = 0; i < rows->n_kept; i++) {
		struct rows_values *v = &rows->values[rows->kept[i]];
		const size_t each = v->as == ROWS_WORDS ? sizeof(*v->words) : sizeof(*v->numbers);
		void *more;

		if (!v->words && !v->numbers)
			continue;
		if (words_budget_take(&rows->budget, (room - rows->room) * each))
			return -ENOMEM;
		more = realloc(v->words ? (void *)v->words : (void *)v->numbers, room * each);
		if (!more)
			return err_set(-ENOMEM, "no memory for the rows");
		if (v->as == ROWS_WORDS)
			v->words = more;
		else
			v->numbers = more;
	}
	rows->room = room;
	return 0;
}

/* The first row with another value: the column gets an array. */
static int spread(struct rows *rows, struct rows_values *v)
{
	const size_t each = v->as == ROWS_WORDS ? sizeof(*v->words) : sizeof(*v->numbers);

	if (words_budget_take(&rows->budget, rows->room * each))
		return -ENOMEM;
	if (v->as == ROWS_WORDS)
		v->words = malloc(rows->room * each);
	else
		v->numbers = malloc(rows->room * each);
	if (!v->words && !v->numbers)
		return err_set(-ENOMEM, "no memory for the rows");
	for (size_t row = 0; row < rows->n; row++) {
		if (v->words)
			v->words[row] = v->first_word;
		else
			v->numbers[row] = v->first_number;
	}
	return 0;
}

static bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static int keep_value(struct rows *rows, struct rows_values *v)
{
	const bool spreads = !v->words && !v->numbers;

	if (!rows->n) {
		v->first_word = v->word;
		v->first_number = v->number;
	}
	if (spreads && v->word == v->first_word && same_number(v->number, v->first_number))
		return 0;
	if (spreads && spread(rows, v))
		return -ENOMEM;
	if (v->words)
		v->words[rows->n] = v->word;
	else
		v->numbers[rows->n] = v->number;
	return 0;
}

/* The next row begins: it has nothing yet, but its file. */
static void begin_row(struct rows_load *load)
{
	struct rows *rows = load->rows;

	for (size_t i = 0; i < rows->n_kept; i++) {
		struct rows_values *v = &rows->values[rows->kept[i]];

		if (rows->kept[i] == ROWS_file)
			continue;
		v->word = WORDS_ABSENT;
		v->number = NAN;
	}
	load->has_schema = load->has_test = load->is_interval = false;
}

void rows_add_nothing(struct rows_load *load)
{
	begin_row(load);
}

/* A value of the row that is being read. */
static struct condition_value pending(const void *obj, size_t column)
{
	const struct rows *rows = obj;
	const struct rows_values *v = &rows->values[column];
	const struct words_one *word;

	if (v->as == ROWS_NUMBERS)
		return (struct condition_value){ .number = v->number, .text = "" };
	word = rows_word_value(rows, (enum rows_column)column, v->word);
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
	if (!is_asked(load)) {
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
	input_close(&in);
	return rc;
}

int rows_load(struct rows *rows, const struct rows_query *query)
{
	struct rows_load load = { .rows = rows, .query = query };
	int rc = 0;

	load.kind = rows_find("kind");
	*rows = (struct rows){ .budget = { .most = query->most ? query->most : ROWS_MOST } };
	for (size_t i = 0; i < ROWS_COLUMNS; i++) {
		rows->values[i].as = query->as[i];
		rows->values[i].is_number = rows_is_number((enum rows_column)i);
		rows->values[i].number = rows->values[i].first_number = NAN;
		if (query->as[i] != ROWS_LEFT_OUT)
			rows->kept[rows->n_kept++] = (enum rows_column)i;
	}
	for (size_t i = 0; i < query->n_paths && !rc; i++)
		rc = read_file(&load, query->paths[i]);
	if (rc)
		rows_free(rows);
	return rc;
}
