/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The files of lines: CSV, with a line of the names of all columns, and JSON Lines, an object with
 * the keys of the columns per row. Lines are added as the rows come, so that a killed run keeps
 * what was measured. What is in the file must be rows of the same columns: in CSV the line of names
 * must be the same, in JSON Lines the keys of the first line must be columns, with the same number
 * of the schema. append.c writes to the file.
 */
#include "config.h"
#include "write/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/json_build.h"
#include "file/append.h"
#include "row/row.h"
#include "util/err.h"
#include "util/text.h"

#define SHOWN 40 /* characters of a foreign name in an error message */

/* ---- what is in a file */

static const char *show(const char *from, size_t len, char text[SHOWN + 1])
{
	char raw[SHOWN + 1];

	snprintf(raw, sizeof(raw), "%.*s", (int)(len < SHOWN ? len : SHOWN), from);
	return text_clean(raw, text, SHOWN + 1);
}

/* The first column in which two header lines differ. first has no newline, own has one. */
static const char *csv_refuses(const struct append *a, const char *first, char *text, size_t size)
{
	const char *own = a->head;
	char theirs[SHOWN + 1], ours[SHOWN + 1];

	for (size_t column = 1;; column++) {
		const size_t n = strcspn(first, ","), m = strcspn(own, ",\n");

		if (n != m || strncmp(first, own, n)) {
			snprintf(text, size, "its column %zu is \"%s\", and this version writes \"%s\" there",
				 column, show(first, n, theirs), show(own, m, ours));
			return text;
		}
		if (!first[n] && own[m] == '\n')
			return NULL;
		if (!first[n] || own[m] == '\n') {
			const char *more = first[n] ? first + n + 1 : own + m + 1;

			snprintf(text, size, "%s has one more column, \"%s\", after column %zu",
				 first[n] ? "it" : "this version",
				 show(more, strcspn(more, ",\n"), theirs), column);
			return text;
		}
		first += n + 1;
		own += m + 1;
	}
}

/* A key that is no column: of another version, or of another command. */
static const char *find_foreign(const struct format_rows *rows, const json_t *row, char *text,
				size_t size)
{
	const json_int_t schema = json_integer_value(json_object_get(row, "schema"));
	char shown[SHOWN + 1];
	const char *key;
	json_t *value;

	if (schema != (json_int_t)rows->schema) {
		snprintf(text, size, "the schema of its rows is %" JSON_INTEGER_FORMAT ", and this version writes %" PRIu64,
			 schema, rows->schema);
		return text;
	}
	json_object_foreach((json_t *)(uintptr_t)row, key, value) {
		if (field_find(rows->table, key))
			continue;
		snprintf(text, size, "its rows have the key \"%s\", which this version does not write",
			 show(key, strlen(key), shown));
		return text;
	}
	return NULL;
}

static const char *json_refuses(const struct append *a, const char *first, char *text, size_t size)
{
	json_t *row = json_loads(first, 0, NULL);
	const char *why = "its first line is no JSON object";

	if (row)
		why = find_foreign(a->arg, row, text, size);
	json_decref(row);
	return why;
}

/* ---- lines */

/* With its newline; obj NULL: the line of names. NULL: no memory. */
static char *text_of(const struct format_line *line, const struct field_table *table,
		     const void *obj)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	line->print(out, table, obj);
	if (!fclose(out) && size)
		return text;
	free(text);
	return NULL;
}

/* shared: what is shared was started over by prepare. */
static int open_as(struct format_lines_state *l, const struct format_file *file, bool shared)
{
	const unsigned int how = shared ? file->how & FORMAT_HELD : file->how;

	const struct format_line *line = file->format->line;

	*l = (struct format_lines_state){
		.rows = file->rows, .line = line, .held = how & FORMAT_HELD,
		.append = {
			.kind = &line->kind, .path = file->path, .arg = file->rows,
			.start = how & FORMAT_FORCE ? APPEND_FORCE :
				 how & FORMAT_ANEW && line->kind.start_over ? APPEND_ANEW :
									      APPEND_ADD,
		},
	};
	if (!line->has_names)
		return 0;
	l->head = text_of(line, file->rows->table, NULL);
	l->append.head = l->head;
	return l->head ? 0 : err_set(-ENOMEM, "no memory for the columns of %s", file->path);
}

int format_lines_open(void *state, const struct format_file *file)
{
	return open_as(state, file, file->how & FORMAT_SHARED);
}

int format_lines_check(const struct format_file *file)
{
	struct format_lines_state l;
	int rc = open_as(&l, file, false);

	if (!rc)
		rc = append_check(&l.append);
	free(l.head);
	return rc;
}

static int keep(struct format_lines_state *l, const char *line)
{
	const size_t len = strlen(line);
	char *kept = realloc(l->kept, l->kept_len + len + 1);

	if (!kept)
		return err_set(-ENOMEM, "no memory for a line of %s", l->append.path);
	memcpy(kept + l->kept_len, line, len + 1);
	l->kept = kept;
	l->kept_len += len;
	return 0;
}

static int add(struct format_lines_state *l, const void *row, bool held)
{
	char *line = text_of(l->line, l->rows->table, row);
	int rc;

	if (!line)
		return err_set(-ENOMEM, "no memory for a line of %s", l->append.path);
	rc = held ? keep(l, line) : append_line(&l->append, line);
	free(line);
	return rc;
}

/* Adds what is kept, in one write. */
static int flush(struct format_lines_state *l)
{
	int rc = l->kept ? append_line(&l->append, l->kept) : 0;

	free(l->kept);
	l->kept = NULL;
	l->kept_len = 0;
	return rc;
}

/* The first error is that of the close. The next line may be added. */
static int note(struct format_lines_state *l, int rc)
{
	if (rc && !l->rc) {
		l->rc = rc;
		snprintf(l->error, sizeof(l->error), "%s", err_text());
	}
	return rc ? rc : l->rc;
}

/* Intervals are added at once, before what is kept. */
int format_lines_take(void *state, const struct event *event)
{
	struct format_lines_state *l = state;

	if (event->kind == EVENT_ROW)
		note(l, add(l, event->record, l->held));
	else if (event->kind == EVENT_INTERVAL)
		note(l, add(l, event->record, false));
	else if (event->kind == EVENT_CELL_END)
		return note(l, flush(l));
	return 0;
}

int format_lines_close(void *state)
{
	struct format_lines_state *l = state;
	/* what is kept now has no end of its cell, and is no result */
	int rc = append_close(&l->append);

	free(l->kept);
	free(l->head);
	return l->rc ? err_set(l->rc, "%s", l->error) : rc;
}

int format_lines_prepare(const struct format_file *file)
{
	struct format_lines_state l;
	int rc, closed;

	if (!(file->how & FORMAT_SHARED))
		return 0;
	rc = open_as(&l, file, false);
	if (!rc)
		rc = append_prepare(&l.append);
	closed = format_lines_close(&l);
	return rc ? rc : closed;
}

/* ---- CSV */

static void print_csv(FILE *out, const struct field_table *table, const void *obj)
{
	if (obj)
		row_csv(out, table, obj);
	else
		row_csv_names(out, table);
}

static const struct format_line csv = {
	.kind = {
		.what = "CSV", .begins = "schema,", .start_over = "--csv-new",
		.refuses = csv_refuses,
	},
	.print = print_csv, .has_names = true,
};

const struct format format_csv = { FORMAT_OF_LINES(&csv) };

/* ---- JSON Lines */

static void print_json(FILE *out, const struct field_table *table, const void *obj)
{
	json_t *json = row_json(table, obj);
	char *text = json_build_text(json, JSON_COMPACT | JSON_REAL_PRECISION(ROW_JSON_DIGITS));

	/* nothing: no memory */
	if (text)
		fprintf(out, "%s\n", text);
	free(text);
	json_decref(json);
}

static const struct format_line jsonl = {
	.kind = {
		.what = "JSON Lines", .begins = "{\"schema\":", .refuses = json_refuses,
	},
	.print = print_json,
};

const struct format format_jsonl = { FORMAT_OF_LINES(&jsonl) };
