/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way from a file of results to rows: see row_read.h. Must not trust the file: it may come
 * from anybody, from another version, or from a run that was killed.
 */
#include "config.h"
#include "report/row_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/csv.h"
#include "util/err.h"

#define BLOCK 65536u

/* The file, and where the reader is in it. */
struct reader {
	const char *path;
	char *text, *end;   /* end: one byte behind the last, which is '\0' */
	char *at;
	size_t line;        /* of at, from 1 */
	struct row_list *list;
};

static int bad(const struct reader *r, const char *what)
{
	return err_set(-EBADMSG, "%s, line %zu: %s", r->path, r->line, what);
}

/* With the reason that err_text() holds. */
static int bad_value(const struct reader *r)
{
	char reason[ERR_TEXT_MAX / 2];

	snprintf(reason, sizeof(reason), "%s", err_text());
	return bad(r, reason);
}

/* A new row at the end of the list, empty; NULL: no memory. */
static struct row *add_row(struct row_list *list)
{
	struct row *rows = realloc(list->rows, (list->n + 1) * sizeof(*rows));

	if (!rows)
		return NULL;
	list->rows = rows;
	field_clear(&row_table, &rows[list->n]);
	return &rows[list->n++];
}

static int no_memory(const struct reader *r)
{
	return err_set(-ENOMEM, "no memory for the rows of %s", r->path);
}

/* Of a row that was read: an absent schema is no row of this program. Once all were results. */
static int finish_row(struct row *row)
{
	char text[32];
	const struct field *schema = field_find(&row_table, "schema");

	if (!row->kind[0])
		snprintf(row->kind, sizeof(row->kind), "%s", row_kind_result);
	if (row->schema == ROW_SCHEMA)
		return 0;
	return err_set(-EBADMSG, "the schema is \"%s\", this program reads %d",
		       field_format(schema, row, text, sizeof(text)), ROW_SCHEMA);
}

/* ---- CSV */

static char next_cell(struct reader *r, char **cell)
{
	struct csv csv = { r->at, r->end };
	const char stop = csv_cell(&csv, cell);

	r->at = csv.at;
	return stop;
}

/* The columns of the header line, NULL for an unknown one. */
static int read_header(struct reader *r, const struct field ***columns, size_t *n)
{
	bool is_ours = false;
	char *cell, stop;

	do {
		const struct field **more = realloc(*columns, (*n + 1) * sizeof(**columns));

		if (!more)
			return no_memory(r);
		*columns = more;
		stop = next_cell(r, &cell);
		if (!stop)
			return bad(r, "the header line of a CSV file of results is missing");
		more[*n] = field_find(&row_table, cell);
		is_ours |= more[*n] && !strcmp(cell, "schema");
		for (size_t i = 0; more[*n] && i < *n; i++)
			if (more[i] == more[*n])
				return bad(r, "a column occurs twice");
		(*n)++;
		r->at++;
	} while (stop == ',');
	return is_ours ? 0 : bad(r, "not a file of results: the column schema is missing");
}

static int read_line(struct reader *r, const struct field *const *columns, size_t n)
{
	struct row *row = add_row(r->list);

	if (!row)
		return no_memory(r);
	for (size_t i = 0; i < n; i++) {
		char *cell, stop = next_cell(r, &cell);

		if (!stop)
			return bad(r, "the line is truncated");
		if ((stop == ',') != (i + 1 < n))
			return bad(r, "the number of cells is not that of the header line");
		if (columns[i] && field_scan(columns[i], row, cell))
			return bad_value(r);
		r->at++;
	}
	return finish_row(row) ? bad_value(r) : 0;
}

static int read_csv(struct reader *r)
{
	const struct field **columns = NULL;
	size_t n = 0;
	int rc = read_header(r, &columns, &n);

	for (r->line = 2; !rc && r->at < r->end; r->line++)
		rc = read_line(r, columns, n);
	free(columns);
	return rc;
}

/* ---- JSON */

static int read_value(const struct field *column, struct row *row, const json_t *value)
{
	if (json_is_null(value))
		return 0;
	if (column->type == FIELD_F64 && json_is_number(value))
		field_set_real(column, row, json_number_value(value));
	else if (column->type == FIELD_U64 && json_is_integer(value) &&
		 json_integer_value(value) >= 0)
		field_set_integer(column, row, (uint64_t)json_integer_value(value));
	else if (column->type == FIELD_TEXT && json_is_string(value))
		return field_scan(column, row, json_string_value(value));
	else
		return err_set(-EBADMSG, "%s has another JSON type", column->name);
	return 0;
}

static int read_object(struct reader *r, const json_t *json)
{
	struct row *row = add_row(r->list);
	int rc = 0;

	if (!row)
		return no_memory(r);
	for (size_t i = 0; i < row_table.n && !rc; i++) {
		const json_t *value = json_object_get(json, row_table.rows[i].name);

		if (value)
			rc = read_value(&row_table.rows[i], row, value);
	}
	return rc ? rc : finish_row(row);
}

/* A document of a run, or a row. number: of the document in the file, from 1. */
static int read_document(struct reader *r, const json_t *json, size_t number)
{
	const json_t *rows = json_object_get(json, "rows");
	char reason[ERR_TEXT_MAX / 2];
	int rc = 0;

	if (!rows)
		return read_object(r, json) ? bad_value(r) : 0;
	for (size_t i = 0; i < json_array_size(rows) && !rc; i++) {
		rc = read_object(r, json_array_get(rows, i));
		if (rc != -EBADMSG)
			continue;
		snprintf(reason, sizeof(reason), "%s", err_text());
		rc = err_set(rc, "%s, document %zu, row %zu: %s", r->path, number, i + 1, reason);
	}
	return rc;
}

static void skip(struct reader *r, size_t bytes)
{
	for (const char *to = r->at + bytes; r->at < to; r->at++)
		r->line += *r->at == '\n';
}

static int read_json(struct reader *r)
{
	int rc = 0;

	for (size_t number = 1; !rc && r->at < r->end; number++) {
		const size_t left = (size_t)(r->end - r->at);
		json_error_t error;
		json_t *json = json_loadb(r->at, left,
					  JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);

		if (json) {
			rc = read_document(r, json, number);
			skip(r, (size_t)error.position);
			skip(r, strspn(r->at, " \t\r\n"));
		} else {
			r->line += error.line > 0 ? (size_t)error.line - 1 : 0;
			rc = bad(r, error.text);
		}
		json_decref(json);
	}
	return rc;
}

/* ---- the file */

static int slurp(struct reader *r, FILE *file)
{
	size_t len = 0, n;

	do {
		char *text = realloc(r->text, len + BLOCK + 1);

		if (!text)
			return no_memory(r);
		r->text = text;
		n = fread(text + len, 1, BLOCK, file);
		len += n;
		text[len] = '\0';
	} while (n == BLOCK);
	r->at = r->text;
	r->end = r->text + len;
	if (ferror(file))
		return err_set(-EIO, "cannot read %s: %s", r->path, strerror(EIO));
	if (memchr(r->text, '\0', len))
		return bad(r, "not a file of results: it has a NUL byte");
	return len ? 0 : bad(r, "the file is empty");
}

int row_read(struct row_list *list, const char *path)
{
	struct reader r = { .path = path, .line = 1, .list = list };
	FILE *file = fopen(path, "re");
	int rc;

	*list = (struct row_list){ .n = 0 };
	if (!file)
		return err_set(-errno, "cannot open %s: %s", path, strerror(errno));
	rc = slurp(&r, file);
	fclose(file);
	if (!rc)
		rc = *r.at == '{' ? read_json(&r) : read_csv(&r);
	free(r.text);
	if (rc)
		row_list_free(list);
	return rc;
}

void row_list_free(struct row_list *list)
{
	free(list->rows);
	*list = (struct row_list){ .n = 0 };
}
