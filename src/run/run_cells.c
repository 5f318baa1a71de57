/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the order of a sweep: one session for all cells, a cell after another, and what happens when
 * one of them is refused or fails. Called by run.c.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "command/results.h"
#include "config/label.h"
#include "run/pairs.h"
#include "run/resume.h"
#include "run/run_sweep.h"
#include "run/run_row.h"
#include "run/run_show.h"
#include "rows/rows_row.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"

#define CONNECTS 3 /* that fail one after the other end a sweep */

/* A sweep that is measured. */
struct sweep {
	const struct run *run;
	struct results results;
	struct session_sink sink;
	struct session *session;  /* NULL: not connected, or several pairs */
	struct pairs *pairs;      /* NULL: one pair, or not connected */
	struct run_show show;
	struct resume resume;
	uint32_t n_ok, n_skipped, n_failed;
	bool stopped;             /* no more cells: the cause is in results */
};

static bool is_interrupted(void)
{
	struct pollfd p = { .fd = signals_fd(), .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static void stop(struct sweep *s, int rc)
{
	results_error(&s->results, rc, err_text());
	s->stopped = true;
}

/* A row of a cell that has none. */
static void put_row(struct sweep *s, const struct cfg *cfg, enum result_status status)
{
	char reason[ERR_TEXT_MAX];
	struct row row;

	label_as_typed(cfg, err_text(), reason, sizeof(reason));
	run_row(&row, cfg, status, reason);
	results_row(&s->results, &row);
}

/* ---- the session */

static void close_session(struct sweep *s)
{
	const int rc = session_close(s->session);

	s->session = NULL;
	/* all results are there: nothing is lost */
	if (rc)
		log_note("%s", err_text());
}

/* Those that are not connected, or no more. */
static int need_pairs(struct sweep *s, const struct cfg *cfg)
{
	int rc = s->pairs ? 0 : pairs_open(&s->pairs, &s->run->pairs, &s->sink);

	return rc ? rc : pairs_connect(s->pairs, cfg);
}

/* For a cell after one that failed, or for the first one. */
static int need_session(struct sweep *s, const struct cfg *cfg)
{
	const bool first = !s->n_ok && !s->n_failed;
	int rc;

	if (s->run->pairs.n > 1)
		return need_pairs(s, cfg);
	rc = s->session ? 0 : session_open(&s->session, cfg, &s->sink);
	for (int i = 1; rc && !first && i < CONNECTS && !is_interrupted(); i++)
		rc = session_open(&s->session, cfg, &s->sink);
	return rc;
}

/* ---- a cell */

/* Of a cell that was refused: the session takes the next one. */
static void skip(struct sweep *s, const struct cfg *cfg)
{
	put_row(s, cfg, RESULT_SKIPPED);
	s->n_skipped++;
}

static void fail(struct sweep *s, const struct cfg *cfg, const struct cell *cell, int rc)
{
	char text[ERR_TEXT_MAX];

	s->n_failed++;
	if (!rc)
		return;
	log_error("%s: %s", cell->text, label_as_typed(cfg, err_text(), text, sizeof(text)));
	if (!s->results.n_not_ok)
		put_row(s, cfg, rc == -EINTR ? RESULT_INTERRUPTED : RESULT_FAILED);
}

static void measure(struct sweep *s, const struct cfg *cfg, const struct cell *cell)
{
	enum session_end end;
	int rc = s->pairs ? pairs_run(s->pairs, cfg, &end) :
			    session_run(s->session, cfg, &s->sink, &end);

	if (s->resume.other_hosts) {
		stop(s, rc);
		return;
	}
	if (end == SESSION_REFUSED)
		skip(s, cfg);
	else if (end == SESSION_MEASURED && !rc)
		s->n_ok++;
	else
		fail(s, cfg, cell, rc);
	/* after an error, or a stop by the user of a side, a session takes no other plan */
	if (end == SESSION_FAILED)
		close_session(s);
	/* the end of a point that ran until then is in order */
	if (is_interrupted() && (end != SESSION_MEASURED || cell->index + 1 < s->run->cells.n)) {
		err_set(-EINTR, "interrupted: %u of %u cells are measured",
			s->n_ok + s->resume.n_ok, s->run->cells.n);
		stop(s, -EINTR);
	}
}

/* What the rows are of is known before they are there. */
static void end_cell(struct sweep *s)
{
	const int rc = s->results.n_rows ? resume_write(&s->resume) : 0;

	if (rc)
		stop(s, rc);
	else if (output_cell_end(&s->results.output))
		s->stopped = true;
}

static void run_cell(struct sweep *s, struct cell *cell)
{
	struct cfg cfg;
	int rc = run_cell_cfg(s->run, cell, &cfg);

	s->results.scenario = cell->part->scenario;
	s->results.cell = cell->text;
	s->results.progress = run_show_cell(&s->show, s->run, cell, &cfg, !rc);
	s->results.n_rows = s->results.n_not_ok = 0;
	run_show_axes(s->run, cell, &s->results.output);
	if (rc) {
		skip(s, &cfg);
	} else {
		rc = need_session(s, &cfg);
		if (rc)
			stop(s, rc);
		else
			measure(s, &cfg, cell);
	}
	if (!s->resume.other_hosts)
		end_cell(s);
}

static void run_all(struct sweep *s)
{
	const struct run *run = s->run;

	for (uint32_t i = 0; i < run->cells.n && !s->stopped; i++) {
		struct cell cell;
		int rc = cells_get(&run->cells, i, &cell);

		if (rc) {
			stop(s, rc);
			break;
		}
		if (!resume_has(&s->resume, i))
			run_cell(s, &cell);
		cells_free_one(&cell);
	}
	if (!s->stopped)
		run_show_end(&s->show, run);
	close_session(s);
	pairs_close(s->pairs);
}

/* ---- before and after */

/*
 * Is there a cell that can be run, as far as its options say? What is wrong with all of them is
 * wrong with the command line.
 */
static int check_cells(const struct run *run)
{
	char first[ERR_TEXT_MAX] = "";
	bool found = false;

	for (uint32_t i = 0; i < run->cells.n; i++) {
		struct cell cell;
		struct cfg cfg;
		int rc = cells_get(&run->cells, i, &cell);

		if (rc)
			return rc;
		rc = run_cell_cfg(run, &cell, &cfg);
		if (rc && !first[0])
			label_as_typed(&cfg, err_text(), first, sizeof(first));
		found |= !rc;
		cells_free_one(&cell);
	}
	return found ? 0 : err_set(-EINVAL, "%s", first);
}

static int expect_cells(struct sweep *s)
{
	for (uint32_t i = 0; i < s->run->cells.n; i++) {
		struct cell cell;
		struct cfg cfg;
		int rc = cells_get(&s->run->cells, i, &cell);

		if (rc)
			return rc;
		if (!resume_has(&s->resume, i) && !run_cell_cfg(s->run, &cell, &cfg))
			run_show_expect(&s->show, &cfg);
		cells_free_one(&cell);
	}
	return 0;
}

static int exit_status(struct sweep *s)
{
	if (s->resume.other_hosts)
		return COMMAND_REFUSED;
	if (s->stopped || s->n_failed)
		return results_exit(&s->results, SESSION_FAILED);
	return results_exit(&s->results,
			    s->n_ok + s->resume.n_ok ? SESSION_MEASURED : SESSION_REFUSED);
}

static void take_earlier(void *arg, const struct row *row)
{
	results_earlier(arg, row);
}

/* What is there counts as if it were measured now. */
static int read_earlier(struct sweep *s)
{
	if (!s->resume.n_done)
		return 0;
	return rows_row_each(s->run->cfg.csv, take_earlier, &s->results);
}

int run_cells(const struct run *run)
{
	struct sweep s = { .run = run, .resume = { .fd = -1 }, .results = {
		.cfg = &run->cfg, .seen = run->row, .seen_arg = run->row_arg,
		.approve = resume_approve } };
	int rc = check_cells(run), status;

	if (!rc)
		rc = resume_open(&s.resume, run);
	if (rc) {
		results_refused(&run->cfg, rc);
		resume_close(&s.resume);
		return COMMAND_REFUSED;
	}
	s.results.approve_arg = &s.resume;
	s.sink = results_sink(&s.results);
	rc = expect_cells(&s);
	if (!rc)
		rc = results_begin(&s.results);
	if (!rc)
		rc = read_earlier(&s);
	if (rc)
		stop(&s, rc);
	else
		run_all(&s);
	results_end(&s.results);
	status = exit_status(&s);
	resume_close(&s.resume);
	return status;
}
