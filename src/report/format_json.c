/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the JSON document of a run: {schema, tool_version, error, run, rows,
 * points}. Called by out.c,
 * closed on every way out. Numbers are numbers with the very digits of the CSV, absent is null.
 * Must not decide what a row holds; plan and limits look as in messages.
 */
#include "config.h"
#include "report/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/err.h"

/*
 * A decimal of up to 15 significant digits passes unchanged through a double and "%.15g" (C11
 * 5.2.4.2.2, DBL_DIG), so the figures, cut to ROW_DIGITS in text first, read the same as in CSV.
 */
#define REAL_DIGITS 15

static json_t *plan_notes(const struct plan *plan)
{
	json_t *notes = json_array();
	char text[sizeof(plan->notes[0])];

	for (uint32_t i = 0; i < plan->n_notes; i++)
		json_array_append_new(notes, json_string(row_clean(plan->notes[i], text,
								   sizeof(text))));
	return notes;
}

static json_t *cell(const struct row *row, const struct row_key *key)
{
	char text[ROW_TEXT];

	row_cell(row, key, text, sizeof(text));
	if (!text[0])
		return json_null();
	if (key->type == ROW_U64)
		return json_integer((json_int_t)strtoull(text, NULL, 10));
	if (key->type == ROW_F64)
		return json_real(strtod(text, NULL));
	return json_string(text);
}

/* Opens the file beside path, or path itself where a rename would replace what is no file. */
static int open_target(struct format_json *j)
{
	struct stat st;
	int fd;

	if (!lstat(j->path, &st) && !S_ISREG(st.st_mode)) {
		j->out = fopen(j->path, "we");
		return j->out ? 0 : -errno;
	}
	if (asprintf(&j->temp, "%s.%ld.tmp", j->path, (long)getpid()) < 0) {
		j->temp = NULL;
		return -ENOMEM;
	}
	fd = open(j->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	j->out = fd < 0 ? NULL : fdopen(fd, "w");
	return j->out ? 0 : -errno;
}

static json_t *empty_doc(void)
{
	return json_pack("{s:i, s:s, s:n, s:n, s:[], s:[]}", "schema", ROW_SCHEMA,
			 "tool_version", PACKAGE_VERSION, "error", "run", "rows", "points");
}

int format_json_open(struct format_json *j, const char *path)
{
	int rc = 0;

	*j = (struct format_json){ .path = path };
	if (!strcmp(path, "-"))
		j->out = stdout;
	else
		rc = open_target(j);
	if (rc) {
		free(j->temp);
		j->temp = NULL;
		return err_set(rc, "open %s for JSON: %s", path, strerror(-rc));
	}
	j->doc = empty_doc();
	return 0;
}

int format_json_add(struct format_json *j, const char *path)
{
	*j = (struct format_json){ .path = path, .line = true };
	j->out = strcmp(path, "-") ? fopen(path, "ae") : stdout;
	if (!j->out)
		return err_set(-errno, "open %s for JSON: %s", path, strerror(errno));
	j->doc = empty_doc();
	return 0;
}

void format_json_start(struct format_json *j, const struct format_run *run)
{
	json_t *obj;

	if (!j->doc)
		return;
	obj = json_object();
	json_object_set_new(obj, "side", json_string(kind_side_names[run->side]));
	json_object_set(obj, "options", run->options ? run->options : json_null());
	json_object_set_new(obj, "plan", plan_encode(run->plan));
	json_object_set_new(obj, "notes", plan_notes(run->plan));
	json_object_set_new(obj, "self", limits_encode(run->self));
	json_object_set_new(obj, "peer", limits_encode(run->peer));
	json_object_set_new(j->doc, "run", obj);
}

void format_json_row(struct format_json *j, const struct row *row)
{
	json_t *obj;

	if (!j->doc)
		return;
	obj = json_object();
	for (size_t i = 0; i < row_n_keys; i++)
		json_object_set_new(obj, row_keys[i].name, cell(row, &row_keys[i]));
	json_array_append_new(json_object_get(j->doc, "rows"), obj);
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

void format_json_point(struct format_json *j, const struct point *point,
		       const struct result_detail *d)
{
	json_t *threads;

	if (!j->doc)
		return;
	threads = json_array();
	for (uint32_t i = 0; i < d->n_threads; i++)
		json_array_append_new(threads, thread(d, i));
	json_array_append_new(json_object_get(j->doc, "points"),
			      json_pack("{s:I, s:I, s:o}", "index", (json_int_t)point->index,
					"size_bytes", (json_int_t)point->size_bytes, "threads",
					threads));
}

void format_json_error(struct format_json *j, const char *sentence)
{
	char text[ERR_TEXT_MAX];

	if (!j->doc)
		return;
	json_object_set_new(j->doc, "error", json_string(row_clean(sentence, text,
								   sizeof(text))));
}

/* In one write(2) where the system takes it: lines of sessions that end together do not mix. */
static int write_text(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			left -= (size_t)n;
		}
	}
	return 0;
}

static int write_doc(struct format_json *j)
{
	const size_t layout = j->line ? JSON_COMPACT : JSON_INDENT(2);
	char *doc = json_dumps(j->doc, layout | JSON_REAL_PRECISION(REAL_DIGITS)), *text = NULL;
	int rc = -ENOMEM;

	if (doc && asprintf(&text, "%s\n", doc) >= 0)
		rc = fflush(j->out) ? -errno : write_text(fileno(j->out), text);
	free(text);
	free(doc);
	if (j->out != stdout && fclose(j->out) && !rc)
		rc = -errno;
	if (j->temp && !rc && rename(j->temp, j->path))
		rc = -errno;
	if (j->temp && rc)
		unlink(j->temp);
	return rc;
}

int format_json_close(struct format_json *j)
{
	int rc;

	if (!j->out)
		return 0;
	rc = write_doc(j);
	json_decref(j->doc);
	free(j->temp);
	j->doc = NULL;
	j->temp = NULL;
	j->out = NULL;
	if (rc)
		return err_set(rc, "write JSON to %s: %s", j->path, strerror(-rc));
	return 0;
}
