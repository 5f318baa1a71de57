/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the JSON document of a run: {"schema", "tool_version", "status", "error", "run": {...},
 * "rows": [...], "intervals": [...], "points": [...]}, in a sweep also "cells". It is written
 * whole at close, on every way out (format_json_file.h). The sessions of one server add one
 * document each, on a line (JSON Lines). Called by output.c. Must not decide what a row holds; plan
 * and limits look as in messages.
 */
#include "config.h"
#include "format/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/format_json_file.h"
#include "json/json_build.h"
#include "util/err.h"
#include "util/text.h"

struct json_doc {
	struct format_json_file file;
	json_t *doc;
	json_t *cell;  /* its name; NULL: not in a sweep. Owned */
};

static json_t *plan_notes(const struct plan *plan)
{
	json_t *notes = json_array();
	char text[sizeof(plan->notes[0].text)];

	for (uint32_t i = 0; i < plan->n_notes; i++)
		json_build_add(&notes, json_string(text_clean(plan->notes[i].text, text,
							      sizeof(text))));
	return notes;
}

static json_t *new_doc(const char *status, const char *error)
{
	json_t *doc = format_json_file_doc(ROW_SCHEMA, status, error);

	json_build_set(&doc, "intervals", json_array());
	json_build_set(&doc, "points", json_array());
	return doc;
}

static struct format_json_file file(const char *path, unsigned int how)
{
	return (struct format_json_file){
		.path = path, .lines = how & FORMAT_SHARED, .force = how & FORMAT_FORCE,
	};
}

static int check_json(const char *path, unsigned int how)
{
	const struct format_json_file f = file(path, how);

	return format_json_file_check(&f);
}

/* An old document does not say "ok" while this run can still fail, or be killed. */
static int mark(const struct format_json_file *f, const char *status, const char *error)
{
	json_t *doc = new_doc(status, error);
	int rc = format_json_file_mark(f, doc);

	json_decref(doc);
	return rc;
}

static int prepare_json(const char *path, unsigned int how)
{
	const struct format_json_file f = file(path, how);

	return f.lines ? format_json_file_prepare(&f) : mark(&f, "running", NULL);
}

static int open_json(void **state, const char *path, unsigned int how)
{
	struct json_doc *j = calloc(1, sizeof(*j));
	int rc = 0;

	*state = NULL;
	if (!j)
		return err_set(-ENOMEM, "no memory for the JSON document");
	j->file = file(path, how);
	j->doc = new_doc("ok", NULL);
	if (!j->doc)
		rc = err_set(-ENOMEM, "no memory for the JSON document");
	else if (!j->file.lines)
		rc = mark(&j->file, "running", NULL);
	if (rc) {
		json_decref(j->doc);
		free(j);
		return rc;
	}
	*state = j;
	return 0;
}

int format_json_refused(const char *path, const char *error)
{
	const struct format_json_file f = file(path, 0);
	int rc = format_json_file_check(&f);

	return rc ? rc : mark(&f, "refused", error);
}

/* There was no memory for a part: close_json() tells. */
static void lose(struct json_doc *j)
{
	json_decref(j->doc);
	j->doc = NULL;
}

static void cell_json(void *state, const struct format_cell *cell)
{
	struct json_doc *j = state;

	if (!j->cell)
		json_build_set(&j->doc, "cells", json_array());
	json_decref(j->cell);
	j->cell = json_pack("{s:s, s:s?}", "cell", cell->text, "scenario", cell->scenario);
	if (!j->cell)
		lose(j);
}

static json_t *run_object(const struct format_run *run)
{
	json_t *obj = json_object();

	json_build_set(&obj, "side", json_string(kind_side_names[run->side]));
	json_build_set(&obj, "options", run->options ? json_incref(run->options) : json_null());
	json_build_set(&obj, "plan", plan_encode(run->plan));
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
static void start_json(void *state, const struct format_run *run)
{
	struct json_doc *j = state;
	json_t *obj = run_object(run);

	if (!json_is_object(json_object_get(j->doc, "run")))
		json_build_set(&j->doc, "run", json_incref(obj));
	if (j->cell)
		add_cell(j, obj);
	json_decref(obj);
}

static void row_in_json(void *state, const struct row *row)
{
	struct json_doc *j = state;

	if (row_is_interval(row)) {
		json_build_add_to(&j->doc, "intervals", row_json(row));
		return;
	}
	json_build_add_to(&j->doc, "rows", row_json(row));
	/* the run is not worse without the sum of both directions */
	if (strcmp(row->status, result_status_names[RESULT_SKIPPED]))
		format_json_file_status(&j->doc, row->status);
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

static void point_json(void *state, const struct point *point, const struct result_detail *d)
{
	struct json_doc *j = state;
	json_t *threads = json_array(), *obj;

	for (uint32_t i = 0; i < d->n_threads; i++)
		json_build_add(&threads, thread(d, i));
	obj = json_pack("{s:I, s:I, s:o}", "index", (json_int_t)point->index, "size_bytes",
			(json_int_t)point->size_bytes, "threads", threads);
	if (j->cell)
		json_build_update(&obj, j->cell);
	json_build_add_to(&j->doc, "points", obj);
}

static void end_json(void *state, const struct format_end *end)
{
	struct json_doc *j = state;
	char text[ERR_TEXT_MAX];

	if (end->status)
		json_build_set(&j->doc, "status", json_string(end->status));
	if (end->error)
		json_build_set(&j->doc, "error",
			       json_string(text_clean(end->error, text, sizeof(text))));
}

static int close_json(void *state)
{
	struct json_doc *j = state;
	int rc = format_json_file_write(&j->file, j->doc);

	json_decref(j->cell);
	json_decref(j->doc);
	free(j);
	return rc;
}

const struct format format_json = {
	.check = check_json,
	.prepare = prepare_json,
	.open = open_json,
	.cell = cell_json,
	.start = start_json,
	.point = point_json,
	.row = row_in_json,
	.end = end_json,
	.close = close_json,
};
