/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The JSON document of a run: {"schema", "tool_version", "status", "error", "run": {...}, "rows":
 * [...], "intervals": [...], "points": [...]}, in a sweep also "cells". Plan and limits look as in
 * messages.
 *
 * It is written whole at close, on every way out, into a file beside path, which is renamed to path
 * when complete, so that path never holds half a document. An old document does not outlive the
 * start of a run: until its end it says that the run is running. What is not a regular file ("-", a
 * pipe, a device) is written directly. The sessions of one server (FORMAT_SHARED) add one document
 * each, on a line (file/append.h).
 */
#include "config.h"
#include "write/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/json_build.h"
#include "file/out_path.h"
#include "util/err.h"
#include "util/text.h"

struct json_doc {
	struct format_file file;
	json_t *doc;   /* NULL: no memory */
	json_t *cell;  /* its name; NULL: not in a sweep. Owned */
};

/* ---- its text */

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

static struct append lines_of(const struct format_file *file)
{
	return (struct append){
		.kind = &docs, .path = file->path,
		.start = file->how & FORMAT_FORCE ? APPEND_FORCE : APPEND_ADD,
	};
}

static int write_doc(const struct format_file *file, const json_t *doc)
{
	char *text = doc_text(doc, JSON_INDENT(2));
	int rc = text ? out_replace(file->path, text, strlen(text)) : -ENOMEM;

	free(text);
	return rc ? err_set(rc, "write JSON to %s: %s", file->path, out_path_strerror(rc)) : 0;
}

static int add_line(const struct format_file *file, const json_t *doc)
{
	/* what was to be replaced is: by prepare */
	struct append a = { .kind = &docs, .path = file->path };
	char *line = doc_text(doc, JSON_COMPACT);
	int rc = line ? append_line(&a, line) : err_set(-ENOMEM, "no memory for JSON"), closed;

	free(line);
	closed = append_close(&a);
	return rc ? rc : closed;
}

/* ---- the file before a run */

/* Of a regular file. */
static int check_old(const struct format_file *f, const struct out_path *file)
{
	json_t *doc;
	bool is_one;

	if (f->how & FORMAT_FORCE || !file->st.st_size)
		return 0;
	doc = json_load_file(f->path, 0, NULL);
	is_one = json_object_get(doc, "rows");
	json_decref(doc);
	if (is_one)
		return 0;
	return err_set(-EINVAL, "%s: this is no JSON document of one run of verbench; give another file, or --force to replace it",
		       f->path);
}

static bool is_regular(const struct format_file *f, const struct out_path *file)
{
	return strcmp(f->path, "-") && file->exists && S_ISREG(file->st.st_mode);
}

static int check_one(const struct format_file *f)
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

static int check_json(const struct format_file *file)
{
	const struct append a = lines_of(file);

	return file->how & FORMAT_SHARED ? append_check(&a) : check_one(file);
}

/* With null where nothing is known yet. NULL: no memory. */
static json_t *new_doc(const struct format_rows *rows, const char *status, const char *error)
{
	char text[ERR_TEXT_MAX];
	json_t *doc = json_pack("{s:i, s:s, s:s, s:s?, s:n, s:[]}", "schema", (int)rows->schema,
				"tool_version", PACKAGE_VERSION, "status", status, "error",
				error ? text_clean(error, text, sizeof(text)) : NULL, "run",
				"rows");

	if (rows->of_tests) {
		json_build_set(&doc, "intervals", json_array());
		json_build_set(&doc, "points", json_array());
	}
	return doc;
}

/*
 * An old document does not say "ok" while this run can still fail, or be killed. Where none is,
 * none is made.
 */
static int mark(const struct format_file *file, const char *status, const char *error)
{
	json_t *doc = new_doc(file->rows, status, error);
	struct out_path old;
	int rc = out_path_find(&old, file->path);

	if (!rc && is_regular(file, &old) && old.st.st_size)
		rc = write_doc(file, doc);
	out_path_free(&old);
	json_decref(doc);
	return rc;
}

static int prepare_json(const struct format_file *file)
{
	struct append a = lines_of(file);
	int rc, closed;

	if (!(file->how & FORMAT_SHARED))
		return mark(file, "running", NULL);
	rc = file->how & FORMAT_FORCE ? append_prepare(&a) : 0;
	closed = append_close(&a);
	return rc ? rc : closed;
}

int format_json_refused(const char *path, const char *error)
{
	const struct format_file file = { .path = path, .rows = &output_rows_tests };
	int rc = check_json(&file);

	return rc ? rc : mark(&file, "refused", error);
}

static int open_json(void *state, const struct format_file *file)
{
	struct json_doc *j = state;
	int rc = 0;

	j->file = *file;
	j->doc = new_doc(file->rows, "ok", NULL);
	if (!j->doc)
		rc = err_set(-ENOMEM, "no memory for the JSON document");
	else if (!(file->how & FORMAT_SHARED))
		rc = mark(file, "running", NULL);
	if (rc)
		json_decref(j->doc);
	return rc;
}

/* ---- what happens in the run */

static json_t *plan_notes(const struct plan *plan)
{
	json_t *notes = json_array();
	char text[sizeof(plan->notes[0].text)];

	for (uint32_t i = 0; i < plan->n_notes; i++)
		json_build_add(&notes, json_string(text_clean(plan->notes[i].text, text,
							      sizeof(text))));
	return notes;
}

static void take_cell(struct json_doc *j, const struct event_cell *cell)
{
	if (!j->cell)
		json_build_set(&j->doc, "cells", json_array());
	json_decref(j->cell);
	j->cell = json_pack("{s:s, s:s?}", "cell", cell->text, "scenario", cell->scenario);
	if (j->cell)
		return;
	/* close_json() tells */
	json_decref(j->doc);
	j->doc = NULL;
}

static json_t *run_object(const struct json_doc *j, const struct event_plan *run)
{
	json_t *obj = json_object();

	if (j->file.rows->of_tests) {
		json_build_set(&obj, "side", json_string(kind_side_names[run->side]));
		json_build_set(&obj, "options",
			       run->options ? json_incref(run->options) : json_null());
	}
	json_build_set(&obj, "plan", plan_encode(run->plan));
	if (j->file.rows->of_tests)
		json_build_set(&obj, "notes", plan_notes(run->plan));
	json_build_set(&obj, "self", limits_encode(run->self));
	json_build_set(&obj, "peer", limits_encode(run->peer));
	return obj;
}

/* A cell has what it does not share with the first one: the hosts are often the same. */
static void add_cell(struct json_doc *j, json_t *obj)
{
	static const char *const hosts[] = { "self", "peer" };
	const json_t *run = json_object_get(j->doc, "run");
	json_t *cell = json_copy(obj);

	for (int i = 0; i < 2; i++)
		if (json_equal(json_object_get(run, hosts[i]), json_object_get(obj, hosts[i])))
			json_object_del(cell, hosts[i]);
	json_build_update(&cell, j->cell);
	json_build_add_to(&j->doc, "cells", cell);
}

/* run of a sweep is that of its first cell. */
static void take_plan(struct json_doc *j, const struct event_plan *run)
{
	json_t *obj = run_object(j, run);

	if (!json_is_object(json_object_get(j->doc, "run")))
		json_build_set(&j->doc, "run", json_incref(obj));
	if (j->cell)
		add_cell(j, obj);
	json_decref(obj);
}

/* The status of a run is that of its worst row. */
static int rank(const char *status)
{
	static const char *const order[] = { "ok", "incomplete", "interrupted", "failed" };

	/* no memory for the document: nothing is written of it */
	for (int i = 0; status && i < 4; i++)
		if (!strcmp(status, order[i]))
			return i;
	return 1;
}

static void take_row(struct json_doc *j, const void *row)
{
	const struct field_table *table = j->file.rows->table;
	char status[FIELD_TEXT_MAX];

	field_format(field_find(table, "status"), row, status, sizeof(status));
	json_build_add_to(&j->doc, "rows", row_json(table, row));
	if (strcmp(status, j->file.rows->harmless) &&
	    rank(status) > rank(json_string_value(json_object_get(j->doc, "status"))))
		json_build_set(&j->doc, "status", json_string(status));
}

static json_t *counts(const uint64_t *of, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_build_add(&list, json_integer((json_int_t)of[i]));
	return list;
}

static json_t *thread(const struct result_detail *d, uint32_t i)
{
	const struct result *r = &d->threads[i];
	json_t *json = field_encode(json_object(), &result_table, r, FIELD_DETAIL);

	json = field_encode(json, &affinity_report_table, &r->affinity, FIELD_DETAIL);
	json_build_set(&json, "qp_sent", counts(d->sent + i * d->n_qps, d->n_qps));
	json_build_set(&json, "qp_received", counts(d->received + i * d->n_qps, d->n_qps));
	return json;
}

static json_t *ns_of(uint64_t ps)
{
	return ps % 1000 ? json_real((double)ps / 1000) : json_integer((json_int_t)(ps / 1000));
}

/* [from, below, samples] */
static json_t *bucket(const struct histogram *h, uint32_t i)
{
	const uint64_t low = histogram_bucket_low(i);
	json_t *list = json_array();

	json_build_add(&list, ns_of(low));
	json_build_add(&list, ns_of(low + histogram_bucket_width(i)));
	json_build_add(&list, json_integer((json_int_t)h->bucket[i]));
	return list;
}

static json_t *histogram(const struct histogram *h)
{
	json_t *buckets = json_array(), *obj;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (h->bucket[i])
			json_build_add(&buckets, bucket(h, i));
	obj = json_pack("{s:I}", "samples", (json_int_t)histogram_count(h));
	json_build_set(&obj, "min_ns", ns_of(h->min));
	json_build_set(&obj, "max_ns", ns_of(h->max));
	json_build_set(&obj, "buckets", buckets);
	return obj;
}

static void take_point(struct json_doc *j, const struct event_point *ended)
{
	const struct result_detail *d = ended->detail;
	const struct point *point = ended->point;
	json_t *threads = json_array(), *obj;

	for (uint32_t i = 0; i < d->n_threads; i++)
		json_build_add(&threads, thread(d, i));
	obj = json_pack("{s:I, s:I, s:o}", "index", (json_int_t)point->index, "size_bytes",
			(json_int_t)point->size_bytes, "threads", threads);
	if (d->latency && d->latency->max)
		json_build_set(&obj, "histogram", histogram(d->latency));
	if (j->cell)
		json_build_update(&obj, j->cell);
	json_build_add_to(&j->doc, "points", obj);
}

static void take_end(struct json_doc *j, const struct event_end *end)
{
	char text[ERR_TEXT_MAX];

	if (end->status)
		json_build_set(&j->doc, "status", json_string(end->status));
	if (end->error)
		json_build_set(&j->doc, "error",
			       json_string(text_clean(end->error, text, sizeof(text))));
}

static int take(void *state, const struct event *event)
{
	struct json_doc *j = state;

	switch (event->kind) {
	case EVENT_CELL:
		take_cell(j, event->cell);
		break;
	case EVENT_PLAN:
		take_plan(j, event->plan);
		break;
	case EVENT_INTERVAL:
		json_build_add_to(&j->doc, "intervals", row_json(j->file.rows->table, event->record));
		break;
	case EVENT_POINT:
		take_point(j, event->point);
		break;
	case EVENT_ROW:
		take_row(j, event->record);
		break;
	case EVENT_PART:
		json_build_set(&j->doc, event->part->key, json_incref(event->part->value));
		break;
	case EVENT_END:
		take_end(j, event->end);
		break;
	default:
		break;
	}
	return 0;
}

static int close_json(void *state)
{
	struct json_doc *j = state;
	int rc = j->file.how & FORMAT_SHARED ? add_line(&j->file, j->doc) :
					       write_doc(&j->file, j->doc);

	json_decref(j->cell);
	json_decref(j->doc);
	return rc;
}

const struct format format_json = {
	.size = sizeof(struct json_doc),
	.check = check_json,
	.prepare = prepare_json,
	.open = open_json,
	.take = take,
	.close = close_json,
};
