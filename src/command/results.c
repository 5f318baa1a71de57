/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way from a session to log and outputs. Called by test.c and serve_child.c. Must not know
 * a format: that is report.
 */
#include "config.h"
#include "command/results.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "command/copy_print.h"
#include "config/label.h"
#include "util/log.h"

/* Before the first plan or copy: may the session run? */
static int admit(void *arg)
{
	struct results *r = arg;
	int rc = r->admit && !r->admitted ? r->admit(r->admit_arg) : 0;

	r->rejected = rc;
	r->admitted = !rc;
	return rc;
}

int results_begin(void *arg)
{
	struct results *r = arg;
	struct cfg cfg = *r->cfg;
	int rc = admit(r);

	if (rc)
		return rc;
	cfg.adds |= r->adds;
	r->error[0] = '\0';
	r->rc = 0;
	r->started = r->begun = false;
	r->open = true;
	r->adds = true;
	return output_open(&r->output, &cfg);
}

static int begin_check(void *arg)
{
	struct results *r = arg;

	r->quiet = true;
	return admit(r);
}

static int approve(void *arg, const struct format_run *run)
{
	struct results *r = arg;

	return r->approve ? r->approve(r->approve_arg, run) : 0;
}

static void start(void *arg, const struct format_run *run)
{
	struct results *r = arg;
	struct format_run shown = *run;

	if (r->quiet)
		return;
	shown.client = r->client;
	log_status_end();
	r->started = true;
	output_start(&r->output, &shown);
}

static void take_endpoint(void *arg, const struct format_endpoint *endpoint)
{
	struct results *r = arg;

	if (r->quiet)
		return;
	r->begun = true;
	log_status_end();
	output_endpoint(&r->output, endpoint);
}

static void take_point(void *arg, const struct point *point, const struct result_detail *detail)
{
	struct results *r = arg;

	if (r->quiet)
		return;
	r->begun = true;
	log_status_end();
	output_point(&r->output, point, detail);
}

void results_waiting(void *arg, const char *server, uint32_t timeout_ms)
{
	(void)arg;
	log_note("waiting for a server on %s, up to %g s", server, timeout_ms / 1000.0);
}

static void take_progress(void *arg, const struct session_progress *p)
{
	struct results *r = arg;

	progress_show(&r->shown, r->progress ? r->progress : "", p);
}

static void take_making(void *arg, const struct session_making *making)
{
	struct results *r = arg;

	progress_making(&r->shown, r->progress ? r->progress : "", making);
}

static void take_copy(void *arg, const struct copy_report *report)
{
	(void)arg;
	copy_print(stdout, report);
}

static void take_check(void *arg)
{
	const struct results *r = arg;

	if (r->cfg->lines && !r->cfg->quiet)
		printf("%s: check\n", r->client);
	fflush(stdout);
}

/* Who watches the server's terminal sees the end of a copy only. */
static void take_window(void *arg, uint64_t bytes, uint64_t of_bytes)
{
	(void)arg;
	(void)bytes;
	(void)of_bytes;
}

static bool is_not_ok(const struct row *row)
{
	/* the sum of both directions can be skipped: the cell is ok then */
	return strcmp(row->status, result_status_names[RESULT_OK]) &&
	       strcmp(row->status, result_status_names[RESULT_SKIPPED]);
}

void results_earlier(struct results *r, const struct row *row)
{
	expected_row(&r->expected, r->cfg, row);
	if (r->seen)
		r->seen(r->seen_arg, row);
}

void results_row(struct results *r, const struct row *row)
{
	struct row named = *row;

	if (r->scenario)
		snprintf(named.scenario, sizeof(named.scenario), "%.*s", ROW_NAME - 1, r->scenario);
	if (r->cell)
		snprintf(named.cell, sizeof(named.cell), "%.*s", ROW_TEXT - 1, r->cell);
	r->n_rows++;
	r->n_not_ok += is_not_ok(row);
	log_status_end();
	output_row(&r->output, &named);
	results_earlier(r, &named);
}

static void take_row(void *arg, const struct row *row)
{
	struct results *r = arg;

	if (!r->quiet)
		results_row(r, row);
}

void results_error(void *arg, int rc, const char *text)
{
	struct results *r = arg;

	if (r->rejected || r->quiet)
		return;
	r->rc = rc;
	label_as_typed(r->cfg, text, r->error, sizeof(r->error));
	log_error("%s", r->error);
}

/* A client may withdraw a plan that is agreed: one of another of its pairs is refused. */
static bool is_refused(const struct results *r)
{
	return r->started ? r->rc == -EPERM && !r->begun : r->rc == -EINVAL || r->rc == -EPERM;
}

/* NULL: that of the rows. */
static const char *status(const struct results *r)
{
	if (!r->error[0])
		return NULL;
	if (r->rc == -EINTR)
		return result_status_names[RESULT_INTERRUPTED];
	if (is_refused(r))
		return "refused";
	return result_status_names[RESULT_FAILED];
}

void results_end(void *arg)
{
	struct results *r = arg;
	const struct format_end end = {
		.status = status(r), .error = r->error[0] ? r->error : NULL,
	};

	log_status_end();
	r->quiet = false;
	if (!r->open)
		return;
	r->open = false;
	if (output_close(&r->output, &end)) {
		r->write_failed = true;
		log_error("%s", err_text());
	}
}

void results_refused(const struct cfg *cfg, int rc)
{
	char error[ERR_TEXT_MAX];

	label_as_typed(cfg, err_text(), error, sizeof(error));
	log_error("%s", error);
	/* what is named twice is not touched, and what is no document of a run is not replaced */
	if (rc != -EEXIST && cfg->json && !cfg->adds && format_json_refused(cfg->json, error))
		err_clear();
}

bool results_check(const struct cfg *cfg)
{
	int rc = output_check(cfg);

	if (rc)
		results_refused(cfg, rc);
	return !rc;
}

void results_none(const struct cfg *cfg, int rc, const char *error)
{
	struct results results = { .cfg = cfg };
	const bool open = !results_begin(&results);

	results_error(&results, rc, error);
	if (!open)
		log_error("%s", err_text());
	results_end(&results);
}

static void take_runs(void *arg, bool begin)
{
	struct results *r = arg;

	r->runs(r->runs_arg, begin);
}

struct session_sink results_sink(struct results *results)
{
	/* a server may have several sessions on one terminal */
	/* and rows of intervals tell it to whoever reads a log */
	const bool shows = results->cfg->host && !results->cfg->quiet &&
			   (log_has_status() || results->cfg->interval_ms == CFG_AUTO);

	return (struct session_sink){
		.waiting = results_waiting,
		.progress = shows ? take_progress : NULL,
		.making = shows ? take_making : NULL,
		.approve = approve,
		.start = start,
		.endpoint = take_endpoint,
		.point = take_point,
		.row = take_row,
		.interval = take_row,
		.moved = take_window,
		.copied = take_copy,
		.begin = results_begin,
		.begin_copy = admit,
		.begin_check = begin_check,
		.checks = take_check,
		.runs = results->runs ? take_runs : NULL,
		.budget = results->budget,
		.error = results_error,
		.end = results_end,
		.arg = results,
	};
}

int results_exit(struct results *results, enum session_end end)
{
	bool met = true;

	/* what failed before its first row has said why */
	if (end == SESSION_MEASURED || results->expected.open)
		met = expected_end(&results->expected, results->cfg);
	if (end == SESSION_MEASURED && results->write_failed)
		return COMMAND_FAILED;
	if (end == SESSION_MEASURED && !met)
		return COMMAND_UNEXPECTED;
	return command_exit(end);
}
