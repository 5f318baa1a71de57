/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the line of a row, and whether a file has lines of the same columns; see lines.h. Called by
 * format_lines.c and setup_output.c. Must not write to a file: that is append.c.
 */
#include "config.h"
#include "format/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_build.h"
#include "report/format_cells.h"
#include "report/row.h"
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
static const char *find_foreign(const struct lines *l, const json_t *row, char *text, size_t size)
{
	const json_int_t schema = json_integer_value(json_object_get(row, "schema"));
	char shown[SHOWN + 1];
	const char *key;
	json_t *value;

	if (schema != (json_int_t)l->schema) {
		snprintf(text, size, "the schema of its rows is %" JSON_INTEGER_FORMAT ", and this version writes %" PRIu64,
			 schema, l->schema);
		return text;
	}
	json_object_foreach((json_t *)(uintptr_t)row, key, value) {
		if (field_find(l->table, key))
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

static const struct append_kind kinds[] = {
	[LINES_CSV] = {
		.what = "CSV", .begins = "schema,", .start_over = "--csv-new",
		.refuses = csv_refuses,
	},
	[LINES_JSON] = {
		.what = "JSON Lines", .begins = "{\"schema\":", .refuses = json_refuses,
	},
};

/* ---- lines */

/* What a printer of cells prints, as a text. NULL: no memory. */
static char *csv_text(const struct field_table *table, const void *obj)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (obj)
		format_cells_csv(out, table, obj);
	else
		format_cells_csv_names(out, table);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static char *json_text(const struct field_table *table, const void *obj)
{
	json_t *json = format_cells_json(table, obj);
	char *text = NULL, *line = NULL;

	if (json)
		text = json_build_text(json, JSON_COMPACT | JSON_REAL_PRECISION(ROW_JSON_DIGITS));
	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	json_decref(json);
	return line;
}

int lines_open(struct lines *l, const struct lines_file *file)
{
	*l = (struct lines){
		.table = file->table, .as = file->as, .schema = file->schema, .held = file->held,
		.append = { .kind = &kinds[file->as], .path = file->path, .arg = l,
			    .start = file->start },
	};
	if (file->as == LINES_JSON)
		return 0;
	l->head = csv_text(file->table, NULL);
	l->append.head = l->head;
	return l->head ? 0 : err_set(-ENOMEM, "no memory for the columns of %s", file->path);
}

static int no_memory(const struct lines *l)
{
	return err_set(-ENOMEM, "no memory for a line of %s", l->append.path);
}

static int keep(struct lines *l, const char *line)
{
	const size_t len = strlen(line);
	char *kept = realloc(l->kept, l->kept_len + len + 1);

	if (!kept)
		return no_memory(l);
	memcpy(kept + l->kept_len, line, len + 1);
	l->kept = kept;
	l->kept_len += len;
	return 0;
}

/* The first error is that of lines_close(). */
static int note(struct lines *l, int rc)
{
	if (rc && !l->rc) {
		l->rc = rc;
		snprintf(l->error, sizeof(l->error), "%s", err_text());
	}
	return rc;
}

static int add(struct lines *l, const void *obj, bool held)
{
	char *line = l->as == LINES_CSV ? csv_text(l->table, obj) : json_text(l->table, obj);
	int rc;

	if (!line)
		return no_memory(l);
	rc = held ? keep(l, line) : append_line(&l->append, line);
	free(line);
	return rc;
}

void lines_add(struct lines *l, const void *obj, bool live)
{
	note(l, add(l, obj, l->held && !live));
}

int lines_flush(struct lines *l)
{
	int rc = l->kept ? append_line(&l->append, l->kept) : 0;

	free(l->kept);
	l->kept = NULL;
	l->kept_len = 0;
	return note(l, rc) ? rc : l->rc;
}

int lines_close(struct lines *l)
{
	/* what is kept now has no end of its cell, and is no result */
	int rc = append_close(&l->append);

	free(l->kept);
	l->kept = NULL;
	free(l->head);
	l->head = NULL;
	return l->rc ? err_set(l->rc, "%s", l->error) : rc;
}

int lines_check(const struct lines_file *file)
{
	struct lines l;
	int rc = lines_open(&l, file);

	if (!rc)
		rc = append_check(&l.append);
	free(l.head);
	return rc;
}

int lines_prepare(const struct lines_file *file)
{
	struct lines l;
	int rc = lines_open(&l, file), closed;

	if (!rc)
		rc = append_prepare(&l.append);
	closed = lines_close(&l);
	return rc ? rc : closed;
}
