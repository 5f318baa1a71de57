/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the JSON document of a run: {"schema", "tool_version", "error", "run": {...}, "rows": [...],
 * "points": [...]}. It is written whole at close, on every way out: into a file beside path, which
 * is renamed to path when complete, so that path never holds half a document. What is not a regular
 * file ("-", a pipe, a device) is written directly. The sessions of one server add one document
 * each, on a line (JSON Lines). Called by output.c. Must not decide what a row holds; plan and
 * limits look as in messages.
 */
#include "config.h"
#include "report/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/err.h"
#include "util/text.h"

struct json_file {
	FILE *out;
	json_t *doc;
	const char *path;   /* as given, borrowed */
	char *temp;         /* what is written until the rename; NULL: path itself */
	bool line;          /* one document a line */
};

static json_t *plan_notes(const struct plan *plan)
{
	json_t *notes = json_array();
	char text[sizeof(plan->notes[0])];

	for (uint32_t i = 0; i < plan->n_notes; i++)
		json_array_append_new(notes, json_string(text_clean(plan->notes[i], text,
								   sizeof(text))));
	return notes;
}

/* Opens the file beside path, or path itself where a rename would replace what is no file. */
static int open_target(struct json_file *j)
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

static int open_file(struct json_file *j)
{
	if (!strcmp(j->path, "-"))
		j->out = stdout;
	else if (!j->line)
		return open_target(j);
	else
		j->out = fopen(j->path, "ae");
	return j->out ? 0 : -errno;
}

static int open_json(void **state, const char *path, bool adds)
{
	struct json_file *j = calloc(1, sizeof(*j));
	int rc;

	if (!j)
		return err_set(-ENOMEM, "no memory for the JSON document");
	*j = (struct json_file){ .path = path, .line = adds };
	rc = open_file(j);
	if (rc) {
		free(j->temp);
		free(j);
		return err_set(rc, "cannot open %s for JSON: %s", path, strerror(-rc));
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
	struct json_file *j = state;
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
	struct json_file *j = state;

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
	struct json_file *j = state;
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
	struct json_file *j = state;
	char text[ERR_TEXT_MAX];

	json_object_set_new(j->doc, "error", json_string(text_clean(error, text, sizeof(text))));
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

static int write_doc(struct json_file *j)
{
	const size_t layout = j->line ? JSON_COMPACT : JSON_INDENT(2);
	char *doc = json_dumps(j->doc, layout | JSON_REAL_PRECISION(ROW_JSON_DIGITS)), *text = NULL;
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

static int close_json(void *state)
{
	struct json_file *j = state;
	int rc = write_doc(j);

	if (rc)
		(void)err_set(rc, "write JSON to %s: %s", j->path, strerror(-rc));
	json_decref(j->doc);
	free(j->temp);
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
