/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the file beside the rows of a sweep, and what --resume may do; see run_sweep.h. */
#include "config.h"
#include "run/run_sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/input.h"
#include "file/json_build.h"
#include "file/out_path.h"
#include "limits/limits.h"
#include "row/row_build.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/text.h"

#define SCHEMA 1
#define DOC_MAX (64u << 20) /* far more than the names of all cells of a sweep need */
#define VALUE 104 /* enough for a value in a message */

/* Rows with another value of these are no rows of one sweep. */
static const char *const facts[] = {
	"host", "device", "port", "driver", "firmware", "netdev", "transport_type", "ethernet",
	"emulated", "rate_mbit_s", "active_mtu_bytes", "kernel",
};

#define N_FACTS (sizeof(facts) / sizeof(facts[0]))

static int no_memory(void)
{
	return err_set(-ENOMEM, "no memory for the file beside the rows");
}

/* ---- the file */

/* Two programs that do what is missing would do it twice. */
static int hold(struct resume *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = input_regular(r->path);
	if (r->fd < 0)
		return err_set(r->fd, "cannot open %s: %s", r->path,
			       r->fd == -EINVAL ? "not a regular file" : strerror(-r->fd));
	if (flock(r->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return err_set(-EBUSY, "%s: another run writes these rows", r->path);
	return 0;
}

int resume_write(struct resume *r)
{
	char *text;
	int rc;

	if (!r->dirty)
		return 0;
	text = json_build_text(r->doc, JSON_INDENT(1));
	if (!text)
		return no_memory();
	rc = out_replace_file(r->path, text, strlen(text));
	free(text);
	if (rc)
		return err_set(rc, "cannot write %s: %s", r->path, out_path_strerror(rc));
	r->dirty = false;
	return hold(r);
}

static int read_doc(struct resume *r)
{
	json_error_t error;
	int rc;
	char *text = input_text(r->path, DOC_MAX, &rc);

	if (rc == -ENOENT)
		return err_set(rc, "%s: cannot read %s, which describes the run of these rows",
			       r->run->cfg.csv, r->path);
	if (!text)
		return -EBADMSG;
	r->doc = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	free(text);
	if (!r->doc)
		return err_set(-EBADMSG, "%s, line %d: %s", r->path, error.line, error.text);
	if (json_is_string(json_object_get(r->doc, "tool_version")) &&
	    json_is_array(json_object_get(r->doc, "cells")))
		return 0;
	return err_set(-EBADMSG, "%s: this is no description of a sweep", r->path);
}

/* ---- the cells, by name */

const char *resume_key(char key[RESUME_KEY], const char *scenario, const char *text)
{
	char clean[2][ROW_TEXT];

	snprintf(key, RESUME_KEY, "%.*s\n%s", ROW_NAME - 1,
		 text_clean(scenario ? scenario : "", clean[0], sizeof(clean[0])),
		 text_clean(text ? text : "", clean[1], sizeof(clean[1])));
	return key;
}

static int compare_names(const void *a, const void *b)
{
	const struct resume_name *x = a, *y = b;
	const int order = strcmp(x->key, y->key);

	return order ? order : (x->cell > y->cell) - (x->cell < y->cell);
}

/* Of n cells of a document. By name: the order of a sweep is no part of what its rows are. */
static struct resume_name *names_of(const json_t *cells, uint32_t n)
{
	struct resume_name *names = must_calloc(n, sizeof(*names));
	char key[RESUME_KEY];

	for (uint32_t i = 0; i < n; i++) {
		const json_t *cell = json_array_get(cells, i);

		resume_key(key, json_string_value(json_object_get(cell, "scenario")),
			   json_string_value(json_object_get(cell, "cell")));
		names[i] = (struct resume_name){ must_strdup(key), i };
	}
	qsort(names, n, sizeof(*names), compare_names);
	return names;
}

static void free_names(struct resume_name *names, uint32_t n)
{
	for (uint32_t i = 0; names && i < n; i++)
		free(names[i].key);
	free(names);
}

/* The first cell that only one of them has. */
static int compare_cells(const struct resume *r, const struct resume_name *is, uint32_t n)
{
	const struct resume_name *want = r->names;
	const uint32_t m = r->run->cells.n;

	for (uint32_t i = 0; i < n || i < m; i++) {
		const int order = i == n ? 1 : i == m ? -1 : strcmp(is[i].key, want[i].key);
		const char *key = order < 0 ? is[i].key : want[i].key;
		const int len = (int)strcspn(key, "\n"); /* "size-sweep: send_bw --size 64" */

		if (order)
			return err_set(-EINVAL, "%s is of another sweep: %s the cell \"%.*s%s%.120s\"%s",
				       r->path, order < 0 ? "it has" : "it lacks", len, key,
				       len ? ": " : "", key + len + 1,
				       order < 0 ? ", which this sweep lacks" : " of this sweep");
	}
	return 0;
}

/* ---- what the file says */

static json_t *words(char *const *argv, int argc)
{
	json_t *list = json_array();

	for (int i = 0; i < argc; i++) {
		char clean[256];
		json_t *word = json_string(argv[i]);

		/* JSON is UTF-8 */
		json_build_add(&list, word ? word : json_string(text_clean(argv[i], clean,
									   sizeof(clean))));
	}
	return list;
}

/* In the order in which they are measured. */
static json_t *cells_json(const struct cells *cells)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < cells->n; i++) {
		struct cell cell;
		json_t *name;

		cells_get(cells, i, &cell);
		name = json_pack("{s:s}", "cell", cell.text);
		if (cell.part->scenario)
			json_build_set(&name, "scenario", json_string(cell.part->scenario));
		json_build_add(&list, name);
		free(cell.text);
	}
	return list;
}

/* The document of this run, without hosts. NULL with an error message. */
static json_t *describe(const struct run *run)
{
	char time[ROW_NAME];
	json_t *doc;

	row_build_time(time);
	doc = json_pack("{s:i, s:s, s:i, s:s, s:o, s:i, s:[], s:o}", "schema", SCHEMA, "tool_version",
			PACKAGE_VERSION, "row_schema", ROW_SCHEMA, "time", time, "argv",
			words(run->typed->argv, run->typed->argc), "servers",
			(int)(run->pairs.n ? run->pairs.n : run->n_hosts), "pairs", "cells",
			cells_json(&run->cells));
	if (!doc)
		no_memory();
	return doc;
}

/* As in the file. Returns text. */
static const char *value_of(const json_t *object, const char *key, char text[VALUE])
{
	char *value = json_build_text(json_object_get(object, key),
				      JSON_ENCODE_ANY | JSON_COMPACT);

	snprintf(text, VALUE, "%.100s", value ? value : "unknown");
	free(value);
	return text;
}

/* Does the file describe the same sweep? -EINVAL with an error message: the first difference. */
static int compare(struct resume *r)
{
	static const char *const versions[] = { "schema", "row_schema", "tool_version", "servers" };
	const json_t *cells = json_object_get(r->doc, "cells");
	const uint32_t n = (uint32_t)json_array_size(cells);
	json_t *want = describe(r->run);
	struct resume_name *is;
	char a[VALUE], b[VALUE];
	int rc = want ? 0 : -ENOMEM;

	for (size_t i = 0; i < 4 && !rc; i++) {
		if (json_equal(json_object_get(r->doc, versions[i]),
			       json_object_get(want, versions[i])))
			continue;
		value_of(r->doc, versions[i], a);
		value_of(want, versions[i], b);
		rc = i < 3 ? err_set(-EINVAL, "%s is of another version: its %s is %s, and that of this program is %s",
				     r->path, versions[i], a, b) :
			     err_set(-EINVAL, "%s is of another sweep: it has %s servers, and this one has %s",
				     r->path, a, b);
	}
	if (!rc) {
		r->n_names = r->run->cells.n;
		r->names = names_of(json_object_get(want, "cells"), r->n_names);
		is = names_of(cells, n);
		rc = compare_cells(r, is, n);
		free_names(is, n);
	}
	json_decref(want);
	return rc;
}

/* ---- a sweep that begins */

/*
 * Rows of another run are there, and those of this one are added: then it is not known what is
 * missing. The file, if there is one, says so. Rows of another sweep stay what --resume can
 * complete.
 */
static int add(struct resume *r)
{
	const char *csv = r->run->cfg.csv;
	int rc = access(r->path, F_OK) ? -ENOENT : read_doc(r);

	if (rc == -ENOENT) {
		free(r->path);
		r->path = NULL;
		return 0;
	}
	if (!rc)
		rc = compare(r);
	if (rc == -EINVAL)
		err_set(rc, "%s; --resume %s goes on with that one, and --csv-new starts the file over",
			err_text(), csv);
	r->dirty = true;
	return rc ? rc : json_object_set_new(r->doc, "mixed", json_true()) ? no_memory() : 0;
}

/* Without rows no run goes on with the sweep that r->path describes. Another file stays. */
static int check_replaced(struct resume *r)
{
	int rc = hold(r);

	if (rc || r->run->cfg.force)
		return rc;
	rc = read_doc(r);
	json_decref(r->doc);
	r->doc = NULL;
	return rc ? err_set(-EINVAL, "%s; the description of the rows of %s would replace it: give another file, or --force",
			    err_text(), r->run->cfg.csv) : 0;
}

static int begin(struct resume *r)
{
	int rc = access(r->path, F_OK) || r->run->cfg.dry_run ? 0 : check_replaced(r);

	if (rc)
		return rc;
	r->doc = describe(r->run);
	r->dirty = true;
	return r->doc ? 0 : -ENOMEM;
}

/* ---- a sweep that goes on */

static int go_on(struct resume *r)
{
	const char *csv = r->run->cfg.csv;
	int rc = read_doc(r);

	if (rc)
		return rc;
	if (json_is_true(json_object_get(r->doc, "mixed")))
		return err_set(-EINVAL, "%s has rows of several runs: it is not known which rows are missing",
			       csv);
	rc = compare(r);
	if (!rc && !r->run->cfg.dry_run)
		rc = hold(r);
	if (!rc)
		rc = resume_rows(r);
	if (!rc && r->n_done)
		log_note("%s: %u of %u cells are there", csv, r->n_done, r->run->cells.n);
	return rc;
}

/* ---- */

/* Before a row is there, what is beside the file is of an older one: check_replaced(). */
static int open_beside(struct resume *r, const struct out_path *csv)
{
	const struct cfg *cfg = &r->run->cfg;

	if (csv->exists && !S_ISREG(csv->st.st_mode))
		return cfg->resume ? err_set(-EINVAL, "--resume: %s is no regular file", cfg->csv) : 0;
	must_appendf(&r->path, "%s.run.json", csv->path);
	if (!csv->exists || !csv->st.st_size || cfg->csv_new || cfg->force)
		return begin(r);
	return cfg->resume ? go_on(r) : add(r);
}

int resume_open(struct resume *r, const struct run *run)
{
	struct out_path csv;
	int rc;

	*r = (struct resume){ .run = run, .fd = -1 };
	if (!run->cfg.csv || !strcmp(run->cfg.csv, "-"))
		return 0;
	rc = out_path_find(&csv, run->cfg.csv);
	if (!rc)
		rc = open_beside(r, &csv);
	out_path_free(&csv);
	return rc;
}

void resume_close(struct resume *r)
{
	if (r->fd >= 0)
		close(r->fd);
	json_decref(r->doc);
	free_names(r->names, r->n_names);
	free(r->done);
	free(r->path);
	*r = (struct resume){ .fd = -1 };
}

bool resume_has(const struct resume *r, uint32_t cell)
{
	return r->done && r->done[cell];
}

/* ---- the hosts */

/* What a side is, and all that is known of it. */
static json_t *side_json(const struct limits *limits)
{
	json_t *all = limits_encode(limits), *known = json_object();

	for (size_t i = 0; i < N_FACTS; i++)
		json_object_set(known, facts[i], json_object_get(all, facts[i]));
	json_object_set_new(known, "limits", all);
	return known;
}

static int compare_side(const struct resume *r, const json_t *is, const json_t *want,
			const char *side)
{
	char a[VALUE], b[VALUE];

	is = json_object_get(is, side);
	want = json_object_get(want, side);
	for (size_t i = 0; i < N_FACTS; i++) {
		const json_t *old = json_object_get(is, facts[i]);
		const json_t *new = json_object_get(want, facts[i]);

		if (old != new && !json_equal(old, new))
			return err_set(-ECANCELED, "%s is of other hosts: %s of the %s was %s and is %s",
				       r->path, facts[i], side, value_of(is, facts[i], a),
				       value_of(want, facts[i], b));
	}
	return 0;
}

/* The first plan of all runs says which hosts the rows are of. A pair becomes known by it. */
int resume_approve(void *arg, const struct event_plan *run)
{
	struct resume *r = arg;
	json_t *pairs = json_object_get(r->doc, "pairs"), *known, *pair;
	int rc = 0;

	if (!r->path || json_is_true(json_object_get(r->doc, "mixed")))
		return 0;
	pair = json_pack("{s:o, s:o}", "client", side_json(run->self), "server",
			 side_json(run->peer));
	if (!pair)
		return no_memory();
	known = json_array_get(pairs, run->pair);
	if (json_is_object(known)) {
		rc = compare_side(r, known, pair, "client");
		rc = rc ? rc : compare_side(r, known, pair, "server");
	} else {
		r->dirty = true;
		while (json_array_size(pairs) <= run->pair && !rc)
			rc = json_array_append_new(pairs, json_null());
		if (rc || json_array_set(pairs, run->pair, pair))
			rc = no_memory();
	}
	r->other_hosts |= rc == -ECANCELED;
	json_decref(pair);
	/* rows of intervals may come before the cell has ended */
	return rc ? rc : resume_write(r);
}
