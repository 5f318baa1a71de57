/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The syntaxes of files of rows. CSV, line by line: a line of names says which columns follow, and
 * may come again in files that were put behind each other. JSON: objects that are a row each (JSON
 * Lines), and documents of runs, whose "rows" is an array of rows, one after the other; an object
 * is in memory as a whole.
 */
#include "config.h"
#include "read/rows.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "file/input.h"
#include "row/row.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"

#define CELLS_MAX 4096 /* of a line: far more than this or a later version has */
#define SHOWN 40
#define FLAGS (JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL)

static const char head_begins[] = "schema,";

void rows_note_torn(struct rows_load *load)
{
	log_note("%s, line %zu: the last line is incomplete and is ignored (the program that wrote it was killed)",
		 load->in->path, load->in->line);
	load->rows->torn++;
}

/* ---- CSV */

/* The columns of the last head line; ROWS_COLUMNS: one that this version does not know. */
struct head {
	enum rows_column columns[CELLS_MAX];
	size_t n;
};

static int add_column(const struct rows_load *load, struct head *head, const char *name)
{
	const enum rows_column column = rows_find(name);

	if (head->n == CELLS_MAX)
		return err_set(-EBADMSG, "too many columns");
	for (size_t i = 0; i < head->n; i++)
		if (column != ROWS_COLUMNS && head->columns[i] == column)
			return err_set(-EBADMSG, "the column %s occurs twice", rows_field(column)->name);
	/* the file is not a column of a file */
	head->columns[head->n++] = rows_add_looks(load, column) ? column : ROWS_COLUMNS;
	return 0;
}

/* What is in place of the head line of a CSV file of rows. */
static int refuse_head(const char *line, size_t len)
{
	char raw[SHOWN + 1];

	snprintf(raw, sizeof(raw), "%.*s", (int)(len < SHOWN ? len : SHOWN), line);
	if (!strncmp(line + (*line == '"'), head_begins, strlen(head_begins) - 1))
		return err_set(-EBADMSG, "not a file of results: between its columns is no \",\"; save it as CSV with commas: \"%s\"",
			       text_clean(raw, raw, strcspn(raw, "\n") + 1));
	return err_set(-EBADMSG, "not a file of results: its first line begins with \"%s\", not with \"%s\"",
		       text_clean(raw, raw, strcspn(raw, "\n") + 1), head_begins);
}

static int read_head(const struct rows_load *load, struct head *head, char *line, size_t len)
{
	struct input_cells csv = { line, line + len };
	bool has_test = false;
	char *cell, stop;

	head->n = 0;
	load->rows->heads++;
	do {
		stop = input_cell(&csv, &cell);
		if (!stop)
			return err_set(-EBADMSG, "the line of names is truncated");
		if (add_column(load, head, cell))
			return -EBADMSG;
		has_test |= !strcmp(cell, "test");
		csv.at++;
	} while (stop == ',');
	return has_test ? 0 : err_set(-EBADMSG, "not rows of a test: the column test is missing");
}

static int read_line(struct rows_load *load, const struct head *head, char *line, size_t len)
{
	struct input_cells csv = { line, line + len };
	int rc;

	for (size_t i = 0; i < head->n; i++) {
		char *cell, stop = input_cell(&csv, &cell);

		if (!stop)
			return err_set(-EBADMSG, "a quote is not closed, or text follows it");
		if ((stop == ',') != (i + 1 < head->n))
			return err_set(-EBADMSG, "the line has %s than the %zu cells of the line of names",
				   i + 1 < head->n ? "fewer" : "more", head->n);
		rc = head->columns[i] == ROWS_COLUMNS ? 0 :
		     rows_add_value(load, head->columns[i], text_unmark(cell));
		if (rc)
			return rc;
		csv.at++;
	}
	return rows_add_row(load);
}

/* Spreadsheets write names in quotes. */
static bool is_head(const char *line, size_t len)
{
	static const char quoted[] = "\"schema\",";

	if (len >= strlen(quoted) && !memcmp(line, quoted, strlen(quoted)))
		return true;
	return len >= strlen(head_begins) && !memcmp(line, head_begins, strlen(head_begins));
}

int rows_read_csv(struct rows_load *load)
{
	struct head head = { .n = 0 };
	size_t len;
	char *line;
	int rc = 0;

	while (!rc && (line = input_line(load->in, &len))) {
		if (memchr(line, '\0', len))
			return err_set(-EBADMSG, "it has a NUL byte");
		if (!head.n && rows_is_samples(line))
			return rows_read_samples(load, line);
		if (!head.n && rows_is_perftest(line))
			return rows_read_perftest(load, line, len);
		if (!head.n && !is_head(line, len))
			return refuse_head(line, len);
		if (line[len - 1] != '\n') {
			if (!head.n)
				return err_set(-EBADMSG, "the line of names is truncated");
			rows_note_torn(load);
			return 0;
		}
		/* RFC 4180 ends lines so, and so do programs of Windows */
		if (len > 1 && line[len - 2] == '\r')
			line[--len - 1] = '\n';
		rc = is_head(line, len) ? read_head(load, &head, line, len) :
					  read_line(load, &head, line, len);
	}
	return rc;
}

/* ---- JSON */

/* An object that is read. */
struct reader {
	struct input *in;
	size_t n; /* bytes of it */
};

/* One byte at a time: what follows the object stays in the input. For json_load_callback(). */
static size_t read_byte(void *buf, size_t size, void *arg)
{
	struct reader *r = arg;
	const int c = size && r->n < ROWS_JSON_MOST ? input_next(r->in) : -1;

	if (c < 0)
		return 0;
	*(char *)buf = (char)c;
	r->n++;
	return 1;
}

/* An object as the text that CSV has: "NAME=NUMBER NAME=NUMBER". */
static int add_pairs(struct rows_load *load, enum rows_column column, const json_t *value)
{
	char text[ROWS_TEXT] = "";
	const json_t *number;
	const char *name;

	/* the order of an object is that of its text */
	json_object_foreach((json_t *)(uintptr_t)value, name, number) {
		if (!json_is_number(number) || !(json_number_value(number) >= 0))
			return err_set(-EBADMSG, "%s has a value that is no number",
				       rows_field(column)->name);
		text_add(text, sizeof(text), " ", "%s=%.0f", name, json_number_value(number));
	}
	return rows_add_value(load, column, text);
}

static int add_value(struct rows_load *load, enum rows_column column, const json_t *value)
{
	const char *name = rows_field(column)->name;
	char text[32];

	if (!value || json_is_null(value))
		return 0;
	if (rows_field(column)->pairs && json_is_object(value))
		return add_pairs(load, column, value);
	if (rows_is_number(column) ? !json_is_number(value) : !json_is_string(value))
		return err_set(-EBADMSG, "%s has another JSON type", name);
	if (json_is_string(value))
		return rows_add_value(load, column, json_string_value(value));
	snprintf(text, sizeof(text), "%.17g", json_number_value(value));
	return rows_add_value(load, column, text);
}

static int add_row(struct rows_load *load, const json_t *object)
{
	int rc = 0;

	for (enum rows_column column = 0; column < ROWS_file && !rc; column++)
		if (rows_add_looks(load, column))
			rc = add_value(load, column,
				       json_object_get(object, rows_field(column)->name));
	return rc ? rc : rows_add_row(load);
}

static void keep(void *arg, const struct row *row)
{
	*(struct row *)arg = *row;
}

int rows_row_of(struct row *row, const json_t *object)
{
	struct rows rows = { .n = 0 };
	struct row own;
	struct rows_load load = { .rows = &rows, .take = keep, .arg = row, .row = &own };

	field_clear(&row_table, &own);
	return add_row(&load, object);
}

/* The rows of a document, with the histograms of its points. */
static int add_rows(struct rows_load *load, const json_t *document)
{
	const json_t *rows = json_object_get(document, "rows");
	const bool histograms = !load->take && load->query->histograms;
	json_t *row;
	size_t i;

	load->points = histograms ? json_object_get(document, "points") : NULL;
	load->point = 0;
	if (!json_is_array(rows))
		return err_set(-EBADMSG, "rows is no array");
	if (load->points && !json_is_array(load->points))
		return err_set(-EBADMSG, "points is no array");
	json_array_foreach(rows, i, row) {
		const size_t n = load->rows->n;
		int rc = add_row(load, row);

		if (!rc)
			rc = rows_add_histogram(load, row, load->rows->n > n);
		if (rc)
			return err_wrap(rc, "row %zu of the document", i + 1);
	}
	return 0;
}

/* Sets the line of the input to that of the error. */
static int bad_json(struct rows_load *load, size_t first_line, const json_error_t *error)
{
	char text[JSON_ERROR_TEXT_LENGTH];

	load->in->line = first_line + (size_t)(error->line > 0 ? error->line - 1 : 0);
	return err_set(-EBADMSG, "%s", text_clean(error->text, text, sizeof(text)));
}

static bool skip_blanks(struct input *in)
{
	int c = input_peek(in);

	while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
		input_next(in);
		c = input_peek(in);
	}
	return c >= 0;
}

/* *is_row: it is no document. *torn: the file ends in it. */
static int read_object(struct rows_load *load, bool *is_row, bool *torn)
{
	const size_t line = load->in->line;
	struct reader r = { .in = load->in };
	json_error_t error;
	json_t *object = json_load_callback(read_byte, &r, FLAGS, &error);
	const json_t *rows = json_object_get(object, "rows");
	int rc;

	if (!object && r.n == ROWS_JSON_MOST)
		return err_set(-EBADMSG, "an object has more than 256 MiB");
	if (!object) {
		*torn = input_peek(load->in) < 0;
		return load->in->rc ? load->in->rc : bad_json(load, line, &error);
	}
	*is_row = !rows;
	if (rows_is_perftest_json(object))
		rc = rows_add_perftest(load, object);
	else
		rc = rows ? add_rows(load, object) : add_row(load, object);
	json_decref(object);
	return rc;
}

int rows_read_json(struct rows_load *load)
{
	bool is_row = false, torn = false;
	int rc = 0;

	while (!rc && skip_blanks(load->in)) {
		rc = read_object(load, &is_row, &torn);
		/* a line that a crash has cut; a document is written whole */
		if (torn && is_row && !load->in->rc) {
			rows_note_torn(load);
			return 0;
		}
	}
	return rc;
}
