/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the JSON document of a run: {"schema", "tool_version", "error", "run": {...}, "rows": [...],
 * "points": [...]}. It is written whole at close, on every way out (format_json_file.h). The
 * sessions of one server add one document each, on a line (JSON Lines). Called by output.c. Must
 * not decide what a row holds; plan and limits look as in messages.
 */
#include "config.h"
#include "report/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/format_json_file.h"
#include "util/err.h"
#include "util/text.h"

struct json_doc {
	struct format_json_file file;
	json_t *doc;
};

static json_t *plan_notes(const struct plan *plan)
{
	json_t *notes = json_array();
	char text[sizeof(plan->notes[0].text)];

	for (uint32_t i = 0; i < plan->n_notes; i++)
		json_array_append_new(notes, json_string(text_clean(plan->notes[i].text, text,
								   sizeof(text))));
	return notes;
}

static json_t *empty_doc(void)
{
	return json_pack("{s:i, s:s, s:n, s:n, s:[], s:[]}", "schema", ROW_SCHEMA,
			 "tool_version", PACKAGE_VERSION, "error", "run", "rows", "points");
}

static int open_json(void **state, const char *path, bool adds)
{
	struct json_doc *j = calloc(1, sizeof(*j));
	int rc;

	if (!j)
		return err_set(-ENOMEM, "no memory for the JSON document");
	rc = format_json_file_open(&j->file, path, adds);
	if (rc) {
		free(j);
		return rc;
	}
	j->doc = empty_doc();
	*state = j;
	return 0;
}

/* No document yet: the sessions add theirs. */
static int prepare_json(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "we") : NULL;

	if (!file && strcmp(path, "-"))
		return err_set(-errno, "cannot open %s for JSON: %s", path, strerror(errno));
	if (file)
		fclose(file);
	return 0;
}

static void start_json(void *state, const struct format_run *run)
{
	struct json_doc *j = state;
	json_t *obj = json_object();

	json_object_set_new(obj, "side", json_string(kind_side_names[run->side]));
	json_object_set(obj, "options", run->options ? run->options : json_null());
	json_object_set_new(obj, "plan", plan_encode(run->plan));
	json_object_set_new(obj, "notes", plan_notes(run->plan));
	json_object_set_new(obj, "self", limits_encode(run->self));
	json_object_set_new(obj, "peer", limits_encode(run->peer));
	json_object_set_new(j->doc, "run", obj);
}

static void row_in_json(void *state, const struct row *row)
{
	struct json_doc *j = state;

	json_array_append_new(json_object_get(j->doc, "rows"), row_json(row));
}

static json_t *counts(const uint64_t *of, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer((json_int_t)of[i]));
	return list;
}

static json_t *thread(const struct result_detail *d, uint32_t i)
{
	const struct result *r = &d->threads[i];
	json_t *json = field_encode(json_object(), &result_table, r, FIELD_DETAIL);

	json = field_encode(json, &affinity_report_table, &r->affinity, FIELD_DETAIL);
	json_object_set_new(json, "qp_sent", counts(d->sent + i * d->n_qps, d->n_qps));
	json_object_set_new(json, "qp_received", counts(d->received + i * d->n_qps, d->n_qps));
	return json;
}

static void point_json(void *state, const struct point *point, const struct result_detail *d)
{
	struct json_doc *j = state;
	json_t *threads = json_array();

	for (uint32_t i = 0; i < d->n_threads; i++)
		json_array_append_new(threads, thread(d, i));
	json_array_append_new(json_object_get(j->doc, "points"),
			      json_pack("{s:I, s:I, s:o}", "index", (json_int_t)point->index,
					"size_bytes", (json_int_t)point->size_bytes, "threads",
					threads));
}

static void error_json(void *state, const char *error)
{
	struct json_doc *j = state;
	char text[ERR_TEXT_MAX];

	json_object_set_new(j->doc, "error", json_string(text_clean(error, text, sizeof(text))));
}

static int close_json(void *state)
{
	struct json_doc *j = state;
	int rc = format_json_file_write(&j->file, j->doc);

	json_decref(j->doc);
	free(j);
	return rc;
}

const struct format format_json = {
	.prepare = prepare_json,
	.open = open_json,
	.start = start_json,
	.point = point_json,
	.row = row_in_json,
	.error = error_json,
	.close = close_json,
};
