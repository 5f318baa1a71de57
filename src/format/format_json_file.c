/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way of a JSON document into its file; see format_json_file.h. Must not know what a row
 * holds.
 */
#include "config.h"
#include "format/format_json_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_build.h"
#include "out/append.h"
#include "out/out_path.h"
#include "out/out_replace.h"
#include "report/row.h"
#include "util/err.h"
#include "util/text.h"

/* ---- the document */

json_t *format_json_file_doc(int schema, const char *status, const char *error)
{
	char text[ERR_TEXT_MAX];

	if (error)
		text_clean(error, text, sizeof(text));
	return json_pack("{s:i, s:s, s:s, s:s?, s:n, s:[]}", "schema", schema, "tool_version",
			 PACKAGE_VERSION, "status", status, "error", error ? text : NULL, "run",
			 "rows");
}

static int rank(const char *status)
{
	static const char *const order[] = { "ok", "incomplete", "interrupted", "failed" };

	/* no memory for the document: nothing is written of it */
	for (int i = 0; status && i < 4; i++)
		if (!strcmp(status, order[i]))
			return i;
	return 1;
}

void format_json_file_status(json_t **doc, const char *status)
{
	if (rank(status) > rank(json_string_value(json_object_get(*doc, "status"))))
		json_build_set(doc, "status", json_string(status));
}

/* With its newline; NULL: no memory. */
static char *doc_text(const json_t *doc, size_t layout)
{
	char *text = json_build_text(doc, layout | JSON_REAL_PRECISION(ROW_JSON_DIGITS));
	char *line = NULL;

	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return line;
}

/* ---- one document a line */

/* A document that is not on one line begins with "{" alone: of a session with several plans. */
static const char *doc_refuses(const struct append *a, const char *first, char *text, size_t size)
{
	json_t *doc = json_loads(first, 0, NULL);
	const bool fits = !strcmp(first, "{") || json_object_get(doc, "rows");

	(void)a;
	json_decref(doc);
	if (fits)
		return NULL;
	snprintf(text, size, "its first line is no JSON document of a session");
	return text;
}

static const struct append_kind docs = {
	.what = "JSON", .begins = "{", .refuses = doc_refuses,
};

static struct append lines_of(const struct format_json_file *f)
{
	return (struct append){ .kind = &docs, .path = f->path };
}

static int add_line(const struct format_json_file *f, const json_t *doc)
{
	struct append a = lines_of(f);
	char *line = doc_text(doc, JSON_COMPACT);
	int rc = line ? append_line(&a, line) : err_set(-ENOMEM, "no memory for JSON"), closed;

	free(line);
	closed = append_close(&a);
	return rc ? rc : closed;
}

/* ---- one document */

static int write_doc(const struct format_json_file *f, const json_t *doc)
{
	char *text = doc_text(doc, JSON_INDENT(2));
	int rc = text ? out_replace(f->path, text, strlen(text)) : -ENOMEM;

	free(text);
	return rc ? err_set(rc, "write JSON to %s: %s", f->path, out_path_strerror(rc)) : 0;
}

/* Of a regular file. */
static int check_old(const struct format_json_file *f, const struct out_path *file)
{
	json_t *doc;
	bool is_one;

	if (f->force || !file->st.st_size)
		return 0;
	doc = json_load_file(f->path, 0, NULL);
	is_one = json_object_get(doc, "rows");
	json_decref(doc);
	if (is_one)
		return 0;
	return err_set(-EINVAL, "%s: this is no JSON document of one run of verbench; give another file, or --force to replace it",
		       f->path);
}

static bool is_regular(const struct format_json_file *f, const struct out_path *file)
{
	return strcmp(f->path, "-") && file->exists && S_ISREG(file->st.st_mode);
}

static int check_one(const struct format_json_file *f)
{
	struct out_path file;
	int rc = out_path_find(&file, f->path);

	if (!rc)
		rc = out_path_check(&file, is_regular(f, &file), true);
	if (!rc && is_regular(f, &file))
		rc = check_old(f, &file);
	out_path_free(&file);
	return rc;
}

int format_json_file_check(const struct format_json_file *f)
{
	struct append a = lines_of(f);

	if (!f->lines)
		return check_one(f);
	a.start = f->force ? APPEND_FORCE : APPEND_ADD;
	return append_check(&a);
}

int format_json_file_prepare(const struct format_json_file *f)
{
	struct append a = lines_of(f);
	int rc, closed;

	if (!f->lines || !f->force)
		return 0;
	a.start = APPEND_FORCE;
	rc = append_prepare(&a);
	closed = append_close(&a);
	return rc ? rc : closed;
}

int format_json_file_mark(const struct format_json_file *f, const json_t *doc)
{
	struct out_path file;
	int rc = out_path_find(&file, f->path);

	if (!rc && is_regular(f, &file) && file.st.st_size)
		rc = write_doc(f, doc);
	out_path_free(&file);
	return rc;
}

int format_json_file_write(const struct format_json_file *f, const json_t *doc)
{
	return f->lines ? add_line(f, doc) : write_doc(f, doc);
}
