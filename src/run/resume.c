/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the file beside the rows of a sweep, and what --resume may do; see resume.h. Called by
 * run_cells.c.
 */
#include "config.h"
#include "run/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/json_build.h"
#include "out/out_path.h"
#include "out/replace.h"
#include "util/err.h"
#include "util/log.h"

/* ---- the file */

static int no_memory(void)
{
	return err_set(-ENOMEM, "no memory for the file beside the rows");
}

/* Two programs that do what is missing would do it twice. */
static int hold(struct resume *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = open(r->path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0)
		return err_set(-errno, "cannot open %s: %s", r->path, strerror(errno));
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
	rc = replace_file(r->path, text, strlen(text));
	free(text);
	if (rc)
		return err_set(rc, "cannot write %s: %s", r->path, out_path_strerror(rc));
	r->dirty = false;
	return hold(r);
}

static int read_doc(struct resume *r)
{
	json_error_t error;

	r->doc = json_load_file(r->path, JSON_REJECT_DUPLICATES, &error);
	if (!r->doc && error.line < 0)
		return err_set(-ENOENT, "%s: cannot read %s, which says what the rows are of",
			       r->run->cfg.csv, r->path);
	if (!r->doc)
		return err_set(-EBADMSG, "%s, line %d: %s", r->path, error.line, error.text);
	if (json_is_string(json_object_get(r->doc, "tool_version")) &&
	    json_is_array(json_object_get(r->doc, "cells")))
		return 0;
	return err_set(-EBADMSG, "%s: this is no description of a sweep", r->path);
}

/* ---- a sweep that begins */

/*
 * Rows of another run are there, and those of this one are added: then nobody can tell what is
 * missing. Says so in the file, if there is one. The rows of another sweep stay what --resume can
 * complete.
 */
static int add(struct resume *r)
{
	const char *csv = r->run->cfg.csv;
	char why[ERR_TEXT_MAX / 2];
	json_t *want;
	int rc = access(r->path, F_OK) ? -ENOENT : read_doc(r);

	if (rc == -ENOENT) {
		free(r->path);
		r->path = NULL;
		return 0;
	}
	want = rc ? NULL : resume_plan(r->run);
	if (!rc)
		rc = want ? resume_plan_compare(r->doc, want, r->path) : -ENOMEM;
	json_decref(want);
	if (rc == -EINVAL) {
		snprintf(why, sizeof(why), "%s", err_text());
		return err_set(rc, "%s; --resume %s goes on with that one, and --csv-new starts the file over",
			       why, csv);
	}
	r->dirty = true;
	return rc ? rc : json_object_set_new(r->doc, "mixed", json_true()) ? no_memory() : 0;
}

/* Without rows nobody goes on with the sweep that r->path describes. Another file stays. */
static int check_replaced(struct resume *r)
{
	char why[ERR_TEXT_MAX / 2];
	int rc = hold(r);

	if (rc || r->run->cfg.force)
		return rc;
	rc = read_doc(r);
	json_decref(r->doc);
	r->doc = NULL;
	if (!rc)
		return 0;
	snprintf(why, sizeof(why), "%s", err_text());
	return err_set(-EINVAL, "%s; the description of the rows of %s would replace it: give another file, or --force",
		       why, r->run->cfg.csv);
}

static int begin(struct resume *r)
{
	int rc = access(r->path, F_OK) || r->run->cfg.dry_run ? 0 : check_replaced(r);

	if (rc)
		return rc;
	r->doc = resume_plan(r->run);
	r->dirty = true;
	return r->doc ? 0 : -ENOMEM;
}

/* ---- a sweep that goes on */

static int go_on(struct resume *r)
{
	const char *csv = r->run->cfg.csv;
	json_t *want;
	int rc = read_doc(r);

	if (rc)
		return rc;
	if (json_is_true(json_object_get(r->doc, "mixed")))
		return err_set(-EINVAL, "%s has rows of several runs: what is missing is not known",
			       csv);
	want = resume_plan(r->run);
	rc = want ? resume_plan_compare(r->doc, want, r->path) : -ENOMEM;
	json_decref(want);
	if (!rc && !r->run->cfg.dry_run)
		rc = hold(r);
	if (!rc)
		rc = resume_rows(r);
	if (!rc && r->n_done)
		log_note("%s: %u of %u cells are there", csv, r->n_done, r->run->cells.n);
	return rc;
}

/* ---- */

static bool starts_over(const struct cfg *cfg)
{
	return cfg->csv_new || cfg->force;
}

/* Before a row is there, what is beside the file is of an older one: check_replaced(). */
static int open_beside(struct resume *r, const struct out_path *csv)
{
	const struct cfg *cfg = &r->run->cfg;
	const bool has_rows = csv->exists && csv->st.st_size && !starts_over(cfg);

	if (csv->exists && !S_ISREG(csv->st.st_mode))
		return cfg->resume ? err_set(-EINVAL, "--resume: %s is no regular file", cfg->csv) : 0;
	if (asprintf(&r->path, "%s.run.json", csv->path) < 0) {
		r->path = NULL;
		return no_memory();
	}
	if (!has_rows)
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
	free(r->done);
	free(r->path);
	*r = (struct resume){ .fd = -1 };
}

bool resume_has(const struct resume *r, uint32_t cell)
{
	return r->done && r->done[cell];
}

/* A pair that is not known yet becomes known. */
static int add_pair(struct resume *r, json_t *pairs, uint32_t i, json_t *pair)
{
	r->dirty = true;
	while (json_array_size(pairs) <= i)
		if (json_array_append_new(pairs, json_null()))
			return no_memory();
	return json_array_set(pairs, i, pair) ? no_memory() : 0;
}

/* The first plan of all runs says which hosts the rows are of. */
int resume_approve(void *arg, const struct format_run *run)
{
	struct resume *r = arg;
	json_t *pairs = json_object_get(r->doc, "pairs"), *known, *pair;
	int rc = 0;

	if (!r->path || json_is_true(json_object_get(r->doc, "mixed")))
		return 0;
	pair = resume_pair(run);
	if (!pair)
		return no_memory();
	known = json_array_get(pairs, run->pair);
	if (json_is_object(known))
		rc = resume_pair_compare(known, pair, r->path);
	else
		rc = add_pair(r, pairs, run->pair, pair);
	r->other_hosts |= rc == -ECANCELED;
	json_decref(pair);
	/* rows of intervals may come before the cell has ended */
	return rc ? rc : resume_write(r);
}
