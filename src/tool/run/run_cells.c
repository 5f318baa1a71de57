/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the order of a sweep: one session for all cells, a cell after another, and what happens when
 * one of them is refused or fails.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/results.h"
#include "options/label.h"
#include "row/row_build.h"
#include "run/run_sweep.h"
#include "read/rows.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/signals.h"
#include "util/text.h"

#define CONNECTS 3 /* that fail one after the other end a sweep */

/* A sweep that is measured. */
struct sweep {
	struct run *run;
	struct results results;
	struct session_host host;
	struct session *session;  /* NULL: not connected, or several pairs */
	struct pairs *pairs;      /* NULL: one pair, or not connected */
	struct run_show show;
	struct resume resume;
	uint32_t n_ok, n_skipped, n_failed;
	bool stopped;             /* no more cells: the cause is in results */
};

static void stop(struct sweep *s, int rc)
{
	results_error(&s->results, rc, label_error(&s->run->cfg));
	s->stopped = true;
}

void run_row(struct row *row, const struct cfg *cfg, enum result_status status)
{
	const struct kind kind = cfg_kind(cfg);

	row_init(row);
	row->test = cfg->test;
	row->transport = kind.tp;
	row->opcode = kind.op;
	row->completion = kind.cm;
	if (cfg_completion(cfg, SIDE_SERVER) != kind.cm)
		row->peer_completion = cfg_completion(cfg, SIDE_SERVER);
	row->pattern = kind_pattern(cfg->test, kind.op);
	row->kind = ROW_KIND_RESULT;
	row->role = SIDE_CLIENT;
	row_build_time(row->time);
	if (cfg->given.size_bytes && cfg->size_bytes != CFG_AUTO64)
		row->size_bytes = cfg->size_bytes;
	if (cfg->peer_size != CFG_AUTO64 && cfg->peer_size != row->size_bytes)
		row->peer_size_bytes = cfg->peer_size;
	row->status = status;
}

static void put_row(struct sweep *s, const struct cfg *cfg, enum result_status status)
{
	struct row row;

	run_row(&row, cfg, status);
	text_clean(label_error(cfg), row.reason, sizeof(row.reason));
	results_row(&s->results, &row);
}

/* ---- the session */

/* For a cell after one that failed, or for the first one. */
static int need_session(struct sweep *s, const struct cfg *cfg)
{
	const bool first = !s->n_ok && !s->n_failed;
	int rc;

	if (s->run->pairs.n > 1) {
		s->pairs = s->pairs ? s->pairs : pairs_open(&s->run->pairs, &s->host);
		return pairs_connect(s->pairs, cfg);
	}
	rc = s->session ? 0 : session_open(&s->session, cfg, &s->host);
	for (int i = 1; rc && !first && i < CONNECTS && !signals_asked(); i++)
		rc = session_open(&s->session, cfg, &s->host);
	return rc;
}

/* ---- a cell */

/* Of a cell that was refused: the session takes the next one. */
static void skip(struct sweep *s, const struct cfg *cfg)
{
	put_row(s, cfg, RESULT_SKIPPED);
	s->n_skipped++;
}

static void fail(struct sweep *s, const struct cell *cell, int rc)
{
	s->n_failed++;
	if (!rc)
		return;
	log_error("%s: %s", cell->text, label_error(&cell->cfg));
	if (!s->results.n_not_ok)
		put_row(s, &cell->cfg, rc == -EINTR ? RESULT_INTERRUPTED : RESULT_FAILED);
}

static void measure(struct sweep *s, const struct cell *cell)
{
	const struct cfg *cfg = &cell->cfg;
	enum session_end end;
	int rc = s->pairs ? pairs_run(s->pairs, cfg, &end) :
			    session_run(s->session, cfg, &s->host, &end);

	if (s->resume.other_hosts) {
		stop(s, rc);
		return;
	}
	if (end == SESSION_REFUSED)
		skip(s, cfg);
	else if (end == SESSION_MEASURED && !rc)
		s->n_ok++;
	else
		fail(s, cell, rc);
	/* after an error, or a stop by the user of a side, a session takes no other plan */
	if (end == SESSION_FAILED)
		results_close(&s->session);
	/* the end of a point that ran until then is in order */
	if (signals_asked() && (end != SESSION_MEASURED || cell->index + 1 < s->run->cells.n)) {
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
	else if (output_take(&s->results.output, &(struct event){ .kind = EVENT_CELL_END }))
		s->stopped = true;
}

/* rc: of run_cell(). */
static void take_cell(struct sweep *s, const struct cell *cell, int rc)
{
	s->results.scenario = cell->part->scenario;
	s->results.cell = cell->text;
	s->results.rate_pct = cell->rate_pct;
	s->results.cell_has_size = cells_axis(&cell->part->axes, CFG_ROW_size_bytes);
	s->results.progress = run_show_cell(&s->show, s->run, cell);
	s->results.n_rows = s->results.n_not_ok = 0;
	run_show_axes(s->run, cell, &s->results.output);
	if (rc) {
		skip(s, &cell->cfg);
	} else {
		rc = need_session(s, &cell->cfg);
		if (rc)
			stop(s, rc);
		else
			measure(s, cell);
	}
	if (!s->resume.other_hosts)
		end_cell(s);
}

/* A round begins, and those before are enough. */
static bool is_enough(const struct run *run, uint32_t cell)
{
	const uint32_t in_round = cells_in_round(&run->cells);

	return run->cfg.until && cell % in_round == 0 && cell / in_round >= run->until.rounds &&
	       until_reached(&run->until);
}

static void run_one(struct sweep *s, uint32_t i)
{
	struct cell cell;

	s->run->measured = i;
	take_cell(s, &cell, run_cell(s->run, i, &cell));
	free(cell.text);
}

/* The trials of a search, one after the other: each makes the next one. */
static void run_search(struct sweep *s)
{
	struct run *run = s->run;
	struct cell first;
	struct row knee;

	while (!s->stopped && search_next(run)) {
		s->show.cells_ns = must_realloc(s->show.cells_ns, run->cells.n,
						sizeof(*s->show.cells_ns));
		s->show.cells_ns[run->cells.n - 1] = 0;
		run_one(s, run->cells.n - 1);
	}
	if (s->stopped || !run->search.on || !search_row(&run->search, &knee))
		return;
	cells_get(&run->cells, 0, &first);
	s->results.cell = first.text;
	results_row(&s->results, &knee);
	end_cell(s);
	s->results.cell = NULL;
	free(first.text);
}

static void run_all(struct sweep *s)
{
	struct run *run = s->run;

	capacity_begin(run);
	for (uint32_t i = 0; i < run->cells.n && !s->stopped; i++) {
		if (resume_has(&s->resume, i))
			continue;
		if (is_enough(run, i))
			break;
		run_one(s, i);
	}
	run_search(s);
	if (!s->stopped)
		run_show_end(&s->show, run);
	results_close(&s->session);
	pairs_close(s->pairs);
}

/* ---- before and after */

/*
 * Is there a cell that can be run, as far as its options say? What is wrong with all of them is
 * wrong with the command line. How long does each of them take?
 */
static int check_cells(struct sweep *s)
{
	const struct run *run = s->run;
	char first[ERR_TEXT_MAX] = "";
	bool found = false;

	s->show.cells_ns = must_calloc(run->cells.n, sizeof(*s->show.cells_ns));
	for (uint32_t i = 0; i < run->cells.n; i++) {
		struct cell cell;
		const int rc = run_cell(run, i, &cell);

		if (!rc)
			s->show.cells_ns[i] = run_time_ns(&cell.cfg);
		else if (!first[0])
			snprintf(first, sizeof(first), "%s", label_error(&cell.cfg));
		found |= !rc;
		free(cell.text);
	}
	return found ? 0 : err_set(-EINVAL, "%s", first);
}

static int exit_status(struct sweep *s)
{
	size_t wide;
	int status;

	if (s->resume.other_hosts)
		return COMMAND_REFUSED;
	if (s->stopped || s->n_failed)
		return results_exit(&s->results, SESSION_FAILED);
	wide = until_tell(&s->run->until);
	status = results_exit(&s->results,
			      s->n_ok + s->resume.n_ok ? SESSION_MEASURED : SESSION_REFUSED);
	if (s->run->search.on && !search_tell(&s->run->search, output_for_people(&s->run->cfg) ?
								   stdout : stderr))
		return COMMAND_FAILED;
	return status == COMMAND_OK && wide ? COMMAND_UNSURE : status;
}

static void take_row(void *arg, const struct row *row)
{
	struct run *run = arg;

	until_take(&run->until, row);
	capacity_take(run, row);
	search_take(&run->search, row);
	if (run->row)
		run->row(run->row_arg, row);
}

/* A row that is there counts as if it were measured now. */
static void take_earlier(void *arg, const struct row *row)
{
	struct sweep *s = arg;

	/* it is a name in a file */
	s->results.cell_has_size = strstr(row->cell, "--size ");
	results_earlier(&s->results, row);
}

static int measure_all(struct sweep *s)
{
	const struct run *run = s->run;
	int rc;

	s->results.approve_arg = &s->resume;
	s->host = results_host(&s->results);
	for (uint32_t i = 0; i < run->cells.n; i++)
		s->show.expected_ns += resume_has(&s->resume, i) ? 0 : s->show.cells_ns[i];
	rc = results_begin(&s->results);
	if (!rc && s->resume.n_done)
		rc = rows_row_each(run->cfg.csv, take_earlier, s);
	if (rc)
		stop(s, rc);
	else
		run_all(s);
	results_end(&s->results);
	return exit_status(s);
}

int run_cells(struct run *run)
{
	struct sweep s = { .run = run, .resume = { .fd = -1 }, .results = {
		.cfg = &run->cfg, .seen = take_row, .seen_arg = run,
		.approve = resume_approve } };
	int status = COMMAND_REFUSED, rc = check_cells(&s);

	if (!rc)
		rc = resume_open(&s.resume, run);
	if (rc)
		results_refused(&run->cfg, rc);
	else
		status = measure_all(&s);
	resume_close(&s.resume);
	free(s.show.cells_ns);
	return status;
}
