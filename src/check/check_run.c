/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the course of a check: its session, its cells one after the other, and what is not tried
 * because it cannot work or would take too long. Called by check.c.
 */
#include "config.h"
#include "check/check.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/results.h"
#include "config/label.h"
#include "plan/plan_rules.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"

#define FAILING_NS 3000000000ull  /* of failures over one way: then no more is tried over it */

/* ---- one cell */

static void take_row(void *arg, const struct row *row)
{
	struct check_heard *h = arg;

	h->rows++;
	h->size_bytes = row->size_bytes;
	if (row->lost != ROW_NONE)
		h->lost = row->lost;
	if (row->sent_messages != ROW_NONE)
		h->messages = row->sent_messages;
	if (!strcmp(row->status, result_status_names[RESULT_OK]))
		return;
	h->not_ok = true;
	snprintf(h->reason, sizeof(h->reason), "%s", row->reason);
}

static void no_start(void *arg, const struct format_run *run)
{
	(void)arg;
	(void)run;
}

static void no_endpoint(void *arg, const struct format_endpoint *endpoint)
{
	(void)arg;
	(void)endpoint;
}

static void no_point(void *arg, const struct point *point, const struct result_detail *detail)
{
	(void)arg;
	(void)point;
	(void)detail;
}

/* Runs: a check that goes on. */
struct runner {
	struct check *check;
	struct session *session;  /* NULL: not connected */
	bool stopped;
};

static void stop(struct runner *r, const char *status)
{
	struct check *check = r->check;

	check->status = status;
	label_as_typed(check->cfg, err_text(), check->error, sizeof(check->error));
	r->stopped = true;
}

static bool is_interrupted(void)
{
	struct pollfd p = { .fd = signals_fd(), .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static void close_session(struct runner *r)
{
	const int rc = session_close(r->session);

	r->session = NULL;
	if (rc)
		log_note("%s", err_text());
}

static int connect_session(struct runner *r)
{
	const struct session_sink opening = { .waiting = results_waiting };

	return r->session ? 0 : session_open(&r->session, r->check->cfg, &opening);
}

/*
 * Whoever reads it has not typed the options of a cell, and can allow nothing else: "-c
 * (--transport) XRC: DEVICE has no XRC; allowed: RC" is "DEVICE has no XRC".
 */
static void strip(char *reason)
{
	static const char *const tails[] = { "; allowed: ", "; what works: verbench check" };
	const char *refuses = strstr(reason, " refuses: "), *from = reason;

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		char *tail = strstr(reason, tails[i]);

		if (tail)
			*tail = '\0';
	}
	if (!strncmp(from, "the peer ", strlen("the peer ")) && refuses)
		from = refuses + strlen(" refuses: ");
	if (!strncmp(from, "-c (--transport) ", strlen("-c (--transport) ")) && strstr(from, ": "))
		from = strstr(from, ": ") + 2;
	memmove(reason, from, strlen(from) + 1);
}

static void not_offered(struct check_cell *cell, const char *reason, enum cause cause)
{
	cell->status = CHECK_NOT_OFFERED;
	snprintf(cell->reason, sizeof(cell->reason), "%s", reason);
	strip(cell->reason);
	cell->cause = cause;
}

/* "the peer HOST port N reports: on the server, send ... failed": on the server, ... */
static void strip_peer(char *reason)
{
	const char *from = strstr(reason, " reports: on the ");

	if (from && !strncmp(reason, "the peer ", strlen("the peer ")))
		memmove(reason, from + strlen(" reports: "), strlen(from + strlen(" reports: ")) + 1);
}

void check_judge(struct check_cell *cell, const struct check_heard *h, enum session_end end, int rc)
{
	cell->size_bytes = h->size_bytes;
	if (end == SESSION_REFUSED) {
		not_offered(cell, err_text(), causes_of(err_cause()));
		return;
	}
	cell->status = CHECK_FAILED;
	if (h->not_ok || rc)
		snprintf(cell->reason, sizeof(cell->reason), "%s",
			 h->reason[0] ? h->reason : err_text());
	else if (!h->rows)
		snprintf(cell->reason, sizeof(cell->reason), "no result has come");
	else if (h->lost)
		snprintf(cell->reason, sizeof(cell->reason),
			 "%" PRIu64 " of %" PRIu64 " messages were lost", h->lost, h->messages);
	else
		cell->status = CHECK_OK;
	if (cell->status == CHECK_OK)
		cell->reason[0] = '\0';
	strip_peer(cell->reason);
}

static void run_cell(struct runner *r, struct check_cell *cell)
{
	const struct cfg cfg = check_cfg(r->check, cell);
	struct check_heard heard = { .size_bytes = UINT64_MAX };
	const struct session_sink sink = {
		.start = no_start, .endpoint = no_endpoint, .point = no_point, .row = take_row,
		.arg = &heard,
	};
	const uint64_t begin_ns = clock_ns();
	enum session_end end;
	int rc = plan_rules(&cfg);

	/* before a device is asked: options and cell exclude each other */
	if (rc) {
		not_offered(cell, err_text(), CAUSE_OPTIONS);
		return;
	}
	rc = connect_session(r);
	if (rc) {
		stop(r, rc == -EINTR ? "interrupted" : "failed");
		return;
	}
	rc = session_run(r->session, &cfg, &sink, &end);
	check_judge(cell, &heard, end, rc);
	cell->ns = clock_ns() - begin_ns;
	if (end == SESSION_FAILED)
		close_session(r);
	if (is_interrupted()) {
		err_set(-EINTR, "interrupted");
		stop(r, "interrupted");
	}
}

/* ---- what need not be tried */

static void skip(struct check_cell *cell, const char *why)
{
	cell->status = CHECK_NOT_TRIED;
	snprintf(cell->reason, sizeof(cell->reason), "%s", why);
}

/*
 * What was refused for a small message of an opcode by a side is refused for its others; where not
 * even a small message arrives, nothing else can. True: the cell is done.
 */
static bool is_known(const struct runner *r, struct check_cell *cell, uint32_t index)
{
	const struct check_cell *cells = r->check->cells;
	uint64_t failing_ns = 0;
	uint32_t first = index;

	while (first && check_same_way(&cells[first - 1], cell))
		first--;
	for (uint32_t i = first; i < index; i++) {
		/* what is too long says nothing of small messages */
		if (cells[i].kind.op == cell->kind.op && cells[i].by == cell->by &&
		    cells[i].large <= cell->large && cells[i].status == CHECK_NOT_OFFERED) {
			not_offered(cell, cells[i].reason, cells[i].cause);
			return true;
		}
		if (cells[i].status == CHECK_FAILED)
			failing_ns += cells[i].ns;
	}
	if (index > first + 1 && cells[first].status == CHECK_FAILED &&
	    cells[first + 1].status == CHECK_FAILED) {
		skip(cell, "small sends of neither side arrive over this transport");
		return true;
	}
	if (failing_ns > FAILING_NS) {
		skip(cell, "too much over this transport has failed");
		return true;
	}
	return false;
}

/* ---- the check */

/* If no transport works, the first error is told. */
static int ask_facts_over(struct runner *r, enum session_end *end)
{
	struct cfg cfg = *r->check->cfg;
	struct err first = { "", "" };
	int rc = 0;

	for (size_t i = 0; i < CHECK_ASKED; i++) {
		cfg.transport = check_asked[i];
		rc = session_facts(r->session, &cfg, &r->check->facts, end);
		if (!rc || *end != SESSION_REFUSED)
			return rc;
		if (!i)
			first = err_keep();
	}
	err_restore(&first);
	return rc;
}

static void ask_facts(struct runner *r)
{
	enum session_end end = SESSION_FAILED;
	int rc = connect_session(r);

	if (!rc)
		rc = ask_facts_over(r, &end);
	if (rc)
		stop(r, rc == -EINTR ? "interrupted" : end == SESSION_REFUSED ? "refused" : "failed");
}

static void find(struct runner *r)
{
	struct check *check = r->check;

	check->findings = calloc(2 * findings_most, sizeof(*check->findings));
	if (!check->findings) {
		err_set(-ENOMEM, "no memory for the warnings of a check");
		stop(r, "failed");
		return;
	}
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		const struct findings_in in = {
			.side = kind_side_names[side],
			.limits = &check->facts.limits[side],
			.machine = &check->facts.machine[side],
		};

		if (check->facts.known[side])
			check->n_findings = findings_add(check->findings, check->n_findings, &in);
	}
}

void check_run(struct check *check)
{
	struct runner r = { .check = check };
	const uint64_t begin_ns = clock_ns();

	ask_facts(&r);
	if (!r.stopped || check->facts.known[SIDE_SERVER])
		find(&r);
	for (uint32_t i = 0; i < check->n_cells && !r.stopped; i++)
		if (!is_known(&r, &check->cells[i], i))
			run_cell(&r, &check->cells[i]);
	close_session(&r);
	for (uint32_t i = 0; i < check->n_cells; i++)
		check->counts[check->cells[i].status]++;
	/* two ports that nothing goes between do not work */
	if (!check->status)
		check->status = check->counts[CHECK_FAILED] || !check->counts[CHECK_OK] ? "failed" :
											  "ok";
	check->ns = clock_ns() - begin_ns;
}
