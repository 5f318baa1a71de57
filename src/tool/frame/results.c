/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way from a session to log and outputs. Must not know a format.
 */
#include "config.h"
#include "frame/results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/command.h"
#include "options/label.h"
#include "util/text.h"
#include "util/log.h"
#include "util/must.h"

/* Before the first plan or copy: may the session run? */
static int admit(struct results *r)
{
	int rc = r->admit && !r->admitted ? r->admit(r->admit_arg) : 0;

	r->rejected = rc;
	r->admitted = !rc;
	return rc;
}

int results_begin(struct results *r)
{
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

static int begin(void *arg, enum session_asked what)
{
	struct results *r = arg;

	if (what == ASKED_PLAN)
		return results_begin(r);
	r->quiet |= what == ASKED_CHECK;
	return admit(r);
}

static int approve(void *arg, const struct event_plan *plan)
{
	struct results *r = arg;

	return r->approve ? r->approve(r->approve_arg, plan) : 0;
}

/* ---- --expect */

/* "send_bw RC poll 65536 to_server": as a table would tell the rows of a run from each other. */
static char *name_row(const struct results *r, const struct row *row)
{
	const bool has_size = row->cell[0] && r->cell_has_size;
	char *text = NULL;

	if (row->cell[0])
		must_appendf(&text, "%s", row->cell);
	else
		must_appendf(&text, "%s %s %s", ROW_TEXT_OF(row, test), ROW_TEXT_OF(row, transport),
			     ROW_TEXT_OF(row, completion));
	if (row->size_bytes != ROW_NONE && !has_size)
		must_appendf(&text, " %" PRIu64, row->size_bytes);
	if (row->bidir == 1)
		must_appendf(&text, " %s", ROW_TEXT_OF(row, direction));
	if (row_beside(row)[0])
		must_appendf(&text, " %s", row_beside(row));
	if (row->pair[0])
		must_appendf(&text, " %s", row->pair);
	if (row->receiver[0])
		must_appendf(&text, " %s", row->receiver);
	return text;
}

static bool begin_expect(struct results *r)
{
	return r->expect.lines || !expect_open(&r->expect, r->cfg->expect, r->cfg->confident);
}

static void expect(struct results *r, const struct row *row)
{
	char *name;

	/* the rules were read before, to check them */
	if (!r->cfg->expect || row_is_interval(row) || !begin_expect(r))
		return;
	name = name_row(r, row);
	expect_row(&r->expect, &(struct expect_row){
		.name = name, .status = ROW_TEXT_OF(row, status), .values = condition_row(row),
	});
	free(name);
}

/*
 * After the last row: prints the lines to standard output, or to standard error if CSV or JSON go
 * there. What came of them? Without --expect they are met.
 */
static enum expect_result end_expect(struct results *r)
{
	const struct cfg *cfg = r->cfg;
	FILE *out = output_for_people(cfg) ? stdout : stderr;
	enum expect_result met;

	if (!cfg->expect)
		return EXPECT_PASSED;
	if (!begin_expect(r))
		return EXPECT_FAILED;
	met = expect_end(&r->expect);
	screen_fold(out, r->expect.text, cfg->wide ? SCREEN_UNLIMITED : screen_line_columns(out));
	expect_close(&r->expect);
	return met;
}

/* ---- rows and errors */

void results_earlier(struct results *r, const struct row *row)
{
	expect(r, row);
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
	if (r->rate_pct > 0 && !isnan(row->rate_asked_per_s)) {
		named.rate_asked_pct = r->rate_pct;
		named.rate_asked_per_s = NAN;
	}
	r->n_rows++;
	/* the sum of both directions can be skipped: the cell is ok then */
	r->n_not_ok += row->status != RESULT_OK && row->status != RESULT_SKIPPED;
	log_status_end();
	output_take(&r->output, &(struct event){
				       row_is_interval(row) ? EVENT_INTERVAL : EVENT_ROW,
				       .row = &named });
	results_earlier(r, &named);
}

void results_error(struct results *r, int rc, const char *text)
{
	if (r->rejected || r->quiet)
		return;
	r->rc = rc;
	snprintf(r->error, sizeof(r->error), "%s", text);
	log_error("%s", r->error);
}

/* NULL: that of the rows. */
static const char *status(const struct results *r)
{
	if (!r->error[0])
		return NULL;
	if (r->rc == -EINTR)
		return result_status_names[RESULT_INTERRUPTED];
	/* a client may withdraw a plan that is agreed: one of another of its pairs is refused */
	if (r->started ? r->rc == -EPERM && !r->begun : r->rc == -EINVAL || r->rc == -EPERM)
		return "refused";
	return result_status_names[RESULT_FAILED];
}

void results_end(struct results *r)
{
	const struct event_end end = {
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

	snprintf(error, sizeof(error), "%s", label_error(cfg));
	log_error("%s", error);
	/* what is named twice is not touched, and what is no document of a run is not replaced */
	if (rc != -EEXIST && cfg->json && !cfg->adds && format_json_refused(cfg->json, error))
		err_clear();
}

void results_close(struct session **session)
{
	if (session_close(*session))
		log_note("%s", err_text());
	*session = NULL;
}

int results_waiting(void *arg, const struct event *event)
{
	(void)arg;
	if (event->kind == EVENT_WAITING)
		log_note("waiting for a server on %s, up to %g s", event->waiting->server,
			 event->waiting->timeout_ms / 1000.0);
	return 0;
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

/* What the outputs get of a session. */
static void take_shown(struct results *r, const struct event *event)
{
	log_status_end();
	if (event->kind == EVENT_PLAN) {
		struct event_plan shown = *event->plan;

		shown.client = r->client;
		r->started = true;
		output_take(&r->output, &(struct event){ EVENT_PLAN, .plan = &shown });
		return;
	}
	if (event->kind == EVENT_ROW || event->kind == EVENT_INTERVAL) {
		results_row(r, event->row);
		return;
	}
	r->begun = true;
	output_take(&r->output, event);
}

void results_copied(const struct copy_report *r)
{
	const double seconds = (double)r->ns / 1e9;
	char name[COPY_NAME_MAX];

	if (r->emulated)
		printf("emulated: these are not results of a real HCA\n");
	printf("copied %s, checked on both sides\n", text_clean(r->file->name, name, sizeof(name)));
	printf("%" PRIu64 " bytes in %.6f seconds = %.4f Gbit/s\n", r->file->size_bytes,
	       seconds, seconds > 0 ? (double)r->file->size_bytes * 8 / seconds / 1e9 : 0);
	printf("sha256 %s\n", r->sha256);
	fflush(stdout);
}

static int take(void *arg, const struct event *event)
{
	struct results *r = arg;

	switch (event->kind) {
	case EVENT_WAITING:
		results_waiting(NULL, event);
		break;
	case EVENT_CHECKS:
		if (r->cfg->lines && !r->cfg->quiet)
			printf("%s: check\n", r->client);
		fflush(stdout);
		break;
	case EVENT_PLAN:
	case EVENT_ENDPOINT:
	case EVENT_INTERVAL:
	case EVENT_POINT:
	case EVENT_ROW:
		if (!r->quiet)
			take_shown(r, event);
		break;
	case EVENT_MAKING:
		if (r->shows)
			progress_making(&r->shown, r->progress ? r->progress : "", event->making);
		break;
	case EVENT_PROGRESS:
		progress_show(&r->shown, r->progress ? r->progress : "", event->progress);
		break;
	case EVENT_LOOPS:
		if (r->loops)
			r->loops(r->loops_arg, event->begin);
		break;
	case EVENT_COPIED:
		results_copied(event->copied);
		break;
	case EVENT_ERROR:
		results_error(r, event->error->rc, event->error->text);
		break;
	case EVENT_END:
		results_end(r);
		break;
	default:
		break;
	}
	return 0;
}

struct session_host results_host(struct results *results)
{
	/* a server may have several sessions on one terminal */
	/* and rows of intervals tell it to whoever reads a log */
	results->shows = results->cfg->host && !results->cfg->quiet &&
			 (log_has_status() || results->cfg->interval_ms == CFG_AUTO);
	return (struct session_host){
		.events = { take, results },
		.progress = results->shows,
		.approve = approve,
		.begin = begin,
		.budget = results->budget,
		.arg = results,
	};
}

int results_exit(struct results *results, enum session_end end)
{
	enum expect_result met = EXPECT_PASSED;

	/* what failed before its first row has said why */
	if (end == SESSION_MEASURED || results->expect.lines)
		met = end_expect(results);
	if (end == SESSION_MEASURED && results->write_failed)
		return COMMAND_FAILED;
	return end == SESSION_MEASURED ? command_expected(met) : command_exit(end);
}

static int measure(struct results *r, struct session *session, enum session_end *end)
{
	const struct session_host host = results_host(r);

	return r->measure ? r->measure(r, session, end) : session_run(session, r->cfg, &host, end);
}

static enum session_end run_session(struct results *r)
{
	const struct session_host opening = { .events = { .take = results_waiting } };
	struct session *session = NULL;
	enum session_end end;
	int rc = early_client(r->cfg, &end), closed;

	if (!rc)
		rc = session_open(&session, r->cfg, &opening);
	if (!rc)
		rc = measure(r, session, &end);
	if (rc)
		results_error(r, rc, label_error(r->cfg));
	closed = session_close(session);
	if (closed && !rc) {
		results_error(r, closed, label_error(r->cfg));
		end = SESSION_FAILED;
	}
	return end;
}

int results_client(struct results *results)
{
	enum session_end end = SESSION_FAILED;
	int rc = results_begin(results);

	if (rc)
		results_error(results, rc, label_error(results->cfg));
	else
		end = run_session(results);
	results_end(results);
	return results_exit(results, end);
}
