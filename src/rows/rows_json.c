/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the reading of JSON: objects that are a row each (JSON Lines), and documents of runs, whose
 * "rows" is an array of rows, one after the other. Called by rows_load.c.
 */
#include "config.h"
#include "rows/rows_add.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "read/json_pull.h"
#include "util/err.h"
#include "util/log.h"

struct reader {
	struct rows_load *load;
	struct json_pull json;
	enum rows_column next; /* the column that probably comes: they have an order */
	bool seen[ROWS_COLUMNS];
	bool had_row;          /* a row that was a line of its own came before */
	bool has_rows;         /* the object is a document with rows */
	bool is_document;      /* the object is one, as far as it is read */
};

static int bad_json(const struct reader *r)
{
	return r->load->in->rc ? r->load->in->rc : rows_bad(r->load, r->json.wrong);
}

static int bad_column(const struct reader *r, enum rows_column column, const char *what)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %s", rows_field(column)->name, what);
	return rows_bad(r->load, text);
}

/* The column of a key; ROWS_COLUMNS: none. */
static enum rows_column find(struct reader *r, const char *key)
{
	for (unsigned int i = 0; i < ROWS_file; i++) {
		const enum rows_column column = (r->next + i) % ROWS_file;

		if (strcmp(rows_field(column)->name, key))
			continue;
		r->next = (column + 1) % ROWS_file;
		return column;
	}
	return ROWS_COLUMNS;
}

static int read_column(struct reader *r, enum rows_column column)
{
	enum json_pull_type type;
	int rc;

	if (r->seen[column])
		return bad_column(r, column, "occurs twice");
	r->seen[column] = true;
	if (!json_pull_value(&r->json, &type))
		return bad_json(r);
	if (type == JSON_PULL_WORD && !strcmp(r->json.text, "null"))
		return 0;
	if (type != (rows_is_number(column) ? JSON_PULL_NUMBER : JSON_PULL_STRING))
		return bad_column(r, column, "has another JSON type");
	if (r->json.cut)
		return bad_column(r, column, "is too long");
	rc = rows_add_value(r->load, column, r->json.text);
	return rc ? rows_bad_value(r->load, rc) : 0;
}

static void begin_object(struct reader *r)
{
	memset(r->seen, 0, sizeof(r->seen));
	r->next = ROWS_schema;
	rows_add_nothing(r->load);
}

static int add_row(struct reader *r)
{
	int rc = rows_add_row(r->load);

	return rc ? rows_bad_value(r->load, rc) : 0;
}

/* What stands at the key that was read. One that is no column is left out. */
static int read_value(struct reader *r)
{
	const enum rows_column column = find(r, r->json.text);

	if (column != ROWS_COLUMNS)
		return read_column(r, column);
	return json_pull_skip(&r->json) ? 0 : bad_json(r);
}

/* An object; value reads what stands at each of its keys. */
static int read_keys(struct reader *r, int (*value)(struct reader *r))
{
	bool more = true;
	int rc = 0;

	begin_object(r);
	if (!json_pull_take(&r->json, '{'))
		return bad_json(r);
	for (bool first = true; !rc; first = false) {
		if (!json_pull_key(&r->json, first, &more))
			return bad_json(r);
		if (!more)
			break;
		rc = value(r);
	}
	return rc;
}

/* The array of rows of a document. */
static int read_rows(struct reader *r)
{
	bool more = true;
	int rc = 0;

	r->has_rows = true;
	if (!json_pull_take(&r->json, '['))
		return bad_json(r);
	for (bool first = true; !rc; first = false) {
		if (!json_pull_element(&r->json, first, &more))
			return bad_json(r);
		if (!more)
			break;
		rc = read_keys(r, read_value);
		if (!rc)
			rc = add_row(r);
	}
	begin_object(r);
	return rc;
}

/* What a document has, and a row in a line of its own has not. */
static bool is_of_document(const char *key)
{
	return !strcmp(key, "rows") || !strcmp(key, "run") || !strcmp(key, "points") ||
	       !strcmp(key, "error");
}

/* Of an object that is a row or a document. */
static int read_part(struct reader *r)
{
	r->is_document |= is_of_document(r->json.text);
	return strcmp(r->json.text, "rows") ? read_value(r) : read_rows(r);
}

static int read_object(struct reader *r)
{
	int rc;

	r->has_rows = r->is_document = false;
	rc = read_keys(r, read_part);
	return rc || r->has_rows ? rc : add_row(r);
}

int rows_read_json(struct rows_load *load)
{
	struct reader r = { .load = load, .json = { .in = load->in } };
	int rc = 0;

	while (!rc && json_pull_peek(&r.json) >= 0) {
		rc = read_object(&r);
		/* a line that a crash has cut; a document is written whole */
		if (rc == -EBADMSG && r.json.ended && r.had_row && !r.is_document) {
			log_note("%s, line %zu: the last line has no end; it is left out (the program that wrote it was killed)",
				 load->in->path, load->in->line);
			load->rows->torn++;
			return 0;
		}
		r.had_row = !r.is_document;
	}
	return rc;
}
