/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the cells of a check, their order, the options of each, and the course: one session, its
 * cells one after the other, and the cells that are not tried because they cannot work or would
 * take too long. A cell is a bandwidth test of few messages.
 */
#include "config.h"
#include "check/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frame/results.h"
#include "options/label.h"
#include "options/options.h"
#include "decide/plan.h"
#include "causes/remedy.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/signals.h"

#define FAILING_S 3.0 /* of failures over one way: then no more is tried over it */
#define MESSAGES 16u
#define DEPTH 8u
#define STALL_MS 2000u /* of a cell, unless --stall-timeout says otherwise */

const char *const check_status_names[] = {
	[CHECK_OK] = "ok",
	[CHECK_FAILED] = "failed",
	[CHECK_NOT_OFFERED] = "not_offered",
	[CHECK_NOT_TRIED] = "not_tried",
	NULL,
};

static const char *const size_names[] = { [CHECK_SMALL] = "small", [CHECK_LARGE] = "large", NULL };

static const char *const cause_names[] = {
	[CAUSE_NONE] = "none",
	[CAUSE_DEVICE] = "device",
	[CAUSE_DRIVER] = "driver",
	[CAUSE_RIGHTS] = "rights",
	[CAUSE_MEMLOCK] = "memlock",
	[CAUSE_PATH] = "path",
	[CAUSE_OWNER] = "owner",
	[CAUSE_OPTIONS] = "options",
	NULL,
};

/* The causes with a remedy that are not of the device. */
static const enum check_cause of_remedy[REMEDY_COUNT] = {
	[REMEDY_NO_DEVICE] = CAUSE_DRIVER,  [REMEDY_NO_PROVIDER] = CAUSE_DRIVER,
	[REMEDY_NO_UVERBS] = CAUSE_DRIVER,  [REMEDY_CONTAINER] = CAUSE_RIGHTS,
	[REMEDY_RIGHTS] = CAUSE_RIGHTS,	    [REMEDY_MEMLOCK] = CAUSE_MEMLOCK,
	[REMEDY_PORT_DOWN] = CAUSE_PATH,    [REMEDY_NO_SM] = CAUSE_PATH,
	[REMEDY_NO_GID] = CAUSE_PATH,	    [REMEDY_GID_PAIR] = CAUSE_PATH,
	[REMEDY_NEIGHBOUR] = CAUSE_PATH,    [REMEDY_NO_ACK] = CAUSE_PATH,
	[REMEDY_NO_ACK_EMULATED] = CAUSE_PATH,
	[REMEDY_NO_RDMA_CM] = CAUSE_DRIVER, [REMEDY_IWARP] = CAUSE_PATH,
	[REMEDY_NO_PKEY] = CAUSE_PATH,	    [REMEDY_MTU] = CAUSE_PATH,
};

#define COLUMN(f, ...) FIELD_AT(struct check_cell, f), .flags = FIELD_COLUMN, __VA_ARGS__

static const struct field columns[] = {
	{ "transport", COLUMN(kind.tp, .names = kind_transport_names) },
	{ "connect", COLUMN(connect, .names = choices_connect) },
	{ "opcode", COLUMN(kind.op, .names = kind_opcode_names) },
	{ "completion", COLUMN(kind.cm, .names = kind_completion_names) },
	{ "size", COLUMN(size, .names = size_names) },
	{ "requests_of", COLUMN(by, .names = kind_side_names) },
	{ "size_bytes", COLUMN(size_bytes) },
	{ "status", COLUMN(status, .names = check_status_names) },
	{ "cause", COLUMN(cause, .names = cause_names) },
	{ "reason", COLUMN(reason) },
	{ "seconds", COLUMN(seconds) },
};

const struct field_table check_cell_table = {
	.what = "check", .rows = columns, .n = FIELD_COUNT(columns),
};

/* A way to connect, and what is tried over it, in the order of the table for people. */
static const struct way {
	enum transport tp;
	enum connect_by connect;  /* by rdma_cm, one cell each way is enough */
} ways[] = {
	{ TP_RC, CONNECT_TCP },  { TP_UC, CONNECT_TCP }, { TP_UD, CONNECT_TCP },
	{ TP_XRC, CONNECT_TCP }, { TP_DC, CONNECT_TCP }, { TP_RC, CONNECT_RDMA_CM },
};

#define N_WAYS (sizeof(ways) / sizeof(ways[0]))

const enum transport check_asked[CHECK_ASKED] = { TP_RC, TP_UD, TP_UC };

/* ---- the list */

bool check_same_way(const struct check_cell *a, const struct check_cell *b)
{
	return a->kind.tp == b->kind.tp && a->connect == b->connect;
}

static void add(struct check *check, const struct check_cell *cell)
{
	struct check_cell *to = &check->cells[check->n_cells++];

	*to = *cell;
	to->status = CHECK_NOT_TRIED;
	to->size_bytes = UINT64_MAX;
	snprintf(to->reason, sizeof(to->reason), "the check ended before");
}

/* Both sizes, by each side. */
static void add_sizes(struct check *check, struct check_cell *cell)
{
	const bool one = kind_is_atomic(cell->kind.op) || cell->connect == CONNECT_RDMA_CM;

	for (cell->size = CHECK_SMALL; cell->size <= (one ? CHECK_SMALL : CHECK_LARGE);
	     cell->size++) {
		for (enum side by = SIDE_CLIENT; by <= SIDE_SERVER; by++) {
			cell->by = by;
			add(check, cell);
		}
	}
}

static void add_way(struct check *check, const struct way *way)
{
	static const enum completion completions[] = { CM_POLL, CM_EVENT };
	const bool by_cm = way->connect == CONNECT_RDMA_CM;

	/* a connection by rdma_cm is the same for all: the first opcode is enough */
	for (enum opcode op = 0; op < (by_cm ? 1 : OP_COUNT); op++) {
		for (int i = 0; i < (by_cm ? 1 : 2); i++) {
			struct check_cell cell = {
				.kind = { .tp = way->tp, .op = op, .cm = completions[i] },
				.connect = way->connect,
			};

			if (kind_exists(cell.kind))
				add_sizes(check, &cell);
		}
	}
}

void check_list(struct check *check)
{
	check->cells = must_calloc(N_WAYS * OP_COUNT * 8, sizeof(*check->cells));
	for (size_t i = 0; i < N_WAYS; i++)
		add_way(check, &ways[i]);
}

/* ---- the options of one cell */

/* Of the bandwidths, as they verify. */
static enum test test_of(enum opcode op)
{
	enum test test = 0;

	while (kind_family(test) != kind_opcodes[op].family || kind_test_is_lat(test))
		test++;
	return test;
}

/* iWARP has no other way to connect, and has only RC. */
static bool needs_cm(const struct check *check, const struct check_cell *cell)
{
	const bool is_rc = !kind_is_lossy(cell->kind.tp) && !kind_has_halves(cell->kind.tp);

	return is_rc && check->facts.known[SIDE_CLIENT] &&
	       check->facts.limits[SIDE_CLIENT].transport_type == LIMITS_IWARP;
}

/* An option of some transports is for those of the ways that have them. */
static void only_where_it_works(struct cfg *cfg, enum cfg_row row)
{
	const struct field_table one = { .rows = &options_table.rows[row], .n = 1 };

	if (options_check_effect(cfg, row) && !field_defaults(&one, cfg))
		cfg->given.rows[row] = false;
}

struct cfg check_cfg(const struct check *check, const struct check_cell *cell)
{
	struct cfg cfg = *check->cfg;

	cfg.test = test_of(cell->kind.op);
	cfg.transport = cell->kind.tp;
	cfg.completion = cell->kind.cm;
	cfg.imm = kind_has_imm(cell->kind.op);
	cfg.flush = kind_flushes(cell->kind.op) ? FLUSH_GLOBAL : FLUSH_NONE;
	/* of an atomic the --atomic that has its opcode; of others the opcode fits already */
	for (uint32_t op = 0; op < ATOMIC_COUNT && cfg_kind(&cfg).op != cell->kind.op; op++)
		cfg.atomic = op;
	cfg.rdma_cm = cell->connect == CONNECT_RDMA_CM || needs_cm(check, cell);
	cfg.check_by = cell->by == SIDE_CLIENT ? CHECK_BY_CLIENT : CHECK_BY_SERVER;
	cfg.verify = true;
	cfg.messages = MESSAGES;
	cfg.depth = DEPTH;
	/* over UC and UD each message has a receive: a receiver without a processor loses none */
	if (kind_takes_recv(cell->kind.op))
		cfg.recv_depth = kind_is_lossy(cell->kind.tp) ? MESSAGES + DEPTH : DEPTH;
	if (cell->size == CHECK_SMALL && !kind_is_atomic(cell->kind.op))
		cfg.size_bytes = CHECK_SMALL_BYTES;
	if (!cfg.given.stall_timeout_ms)
		cfg.stall_timeout_ms = STALL_MS;
	only_where_it_works(&cfg, CFG_ROW_qp_timeout);
	only_where_it_works(&cfg, CFG_ROW_retry);
	return cfg;
}

/* ---- one cell */

static int take(void *arg, const struct event *event)
{
	const struct row *row = event->row;
	struct check_outcome *h = arg;

	if (event->kind == EVENT_POINT && event->point->failed)
		snprintf(h->failure, sizeof(h->failure), "%s", event->point->failed->failure);
	if (event->kind != EVENT_ROW)
		return 0;
	h->rows++;
	h->size_bytes = row->size_bytes;
	if (row->lost != ROW_NONE)
		h->lost = row->lost;
	if (row->sent_messages != ROW_NONE)
		h->messages = row->sent_messages;
	if (row->status == RESULT_OK)
		return 0;
	h->not_ok = true;
	snprintf(h->reason, sizeof(h->reason), "%s", row->reason);
	return 0;
}

/* Runs: a check that goes on. */
struct runner {
	struct check *check;
	struct session *session;  /* NULL: not connected */
	bool stopped;
};

static void stop(struct runner *r, const char *status)
{
	check_stop(r->check, status);
	r->stopped = true;
}

static int connect_session(struct runner *r)
{
	const struct session_host opening = { .events = { .take = results_waiting } };

	return r->session ? 0 : session_open(&r->session, r->check->cfg, &opening);
}

enum check_cause check_cause_of(const char *name)
{
	for (int i = 0; i < REMEDY_COUNT; i++)
		if (!strcmp(name, remedy_name((enum remedy)i)))
			return of_remedy[i] == CAUSE_NONE ? CAUSE_DEVICE : of_remedy[i];
	for (int i = CAUSE_DEVICE; i < CAUSE_COUNT; i++)
		if (!strcmp(name, cause_names[i]))
			return (enum check_cause)i;
	return CAUSE_DEVICE;
}

/* The user has not typed the options of a cell: the advice of an error is left out. */
static void not_offered(struct check_cell *cell, const char *reason, enum check_cause cause)
{
	cell->status = CHECK_NOT_OFFERED;
	snprintf(cell->reason, sizeof(cell->reason), "%s", reason);
	cell->cause = cause;
}

void check_judge(struct check_cell *cell, const struct check_outcome *h, enum session_end end,
		 int rc)
{
	const struct err err = err_keep();

	cell->size_bytes = h->size_bytes;
	if (end == SESSION_REFUSED) {
		not_offered(cell, (err.see[0] ? err_text() : err.text) + err.bare,
			    check_cause_of(err.cause));
		return;
	}
	cell->status = CHECK_FAILED;
	/* a side that is named needs no peer beside it */
	memcpy(cell->failure, h->failure, sizeof(cell->failure));
	if (h->not_ok || rc)
		snprintf(cell->reason, sizeof(cell->reason), "%s",
			 h->reason[0] ? h->reason : err_text() + (err.side[0] ? err.said : 0));
	else if (!h->rows)
		snprintf(cell->reason, sizeof(cell->reason), "no result has come");
	else if (h->lost)
		snprintf(cell->reason, sizeof(cell->reason),
			 "%" PRIu64 " of %" PRIu64 " messages were lost", h->lost, h->messages);
	else
		cell->status = CHECK_OK;
	if (cell->status == CHECK_OK)
		cell->reason[0] = '\0';
}

static void run_cell(struct runner *r, struct check_cell *cell)
{
	const struct cfg cfg = check_cfg(r->check, cell);
	struct check_outcome outcome = { .size_bytes = UINT64_MAX };
	const struct session_host host = { .events = { take, &outcome } };
	const uint64_t begin_ns = clock_ns();
	enum session_end end;
	int rc = plan_rules(&cfg);

	/* before a device is asked: options and cell exclude each other */
	if (rc) {
		not_offered(cell, err_keep().text, CAUSE_OPTIONS);
		return;
	}
	rc = connect_session(r);
	if (rc) {
		stop(r, rc == -EINTR ? "interrupted" : "failed");
		return;
	}
	rc = session_run(r->session, &cfg, &host, &end);
	check_judge(cell, &outcome, end, rc);
	cell->seconds = (double)(clock_ns() - begin_ns) / 1e9;
	if (end == SESSION_FAILED)
		results_close(&r->session);
	if (signals_asked()) {
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
	double failing = 0;
	uint32_t first = index;

	while (first && check_same_way(&cells[first - 1], cell))
		first--;
	for (uint32_t i = first; i < index; i++) {
		/* what is too long says nothing of small messages */
		if (cells[i].kind.op == cell->kind.op && cells[i].by == cell->by &&
		    cells[i].size <= cell->size && cells[i].status == CHECK_NOT_OFFERED) {
			not_offered(cell, cells[i].reason, cells[i].cause);
			return true;
		}
		if (cells[i].status == CHECK_FAILED)
			failing += cells[i].seconds;
	}
	if (index > first + 1 && cells[first].status == CHECK_FAILED &&
	    cells[first + 1].status == CHECK_FAILED) {
		skip(cell, "small sends of neither side arrive over this transport");
		return true;
	}
	if (failing > FAILING_S) {
		skip(cell, "too much over this transport has failed");
		return true;
	}
	return false;
}

/* ---- the check */

/* If no transport works, the first error is reported. */
static int ask_facts_over(struct runner *r, enum session_end *end)
{
	struct cfg cfg = *r->check->cfg;
	struct err first = { .text = "" };
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

	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		const struct findings_in in = {
			.to = &check->warnings,
			.side = kind_side_names[side],
			.limits = &check->facts.limits[side],
			.machine = &check->facts.machine[side],
		};

		if (check->facts.known[side])
			findings_judge(&in);
	}
	if (check->facts.known[SIDE_CLIENT] && check->facts.known[SIDE_SERVER])
		findings_judge_load(&check->warnings, &check->facts.limits[SIDE_CLIENT],
				    &check->facts.limits[SIDE_SERVER]);
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
	results_close(&r.session);
	for (uint32_t i = 0; i < check->n_cells; i++)
		check->counts[check->cells[i].status]++;
	/* two ports that nothing goes between do not work */
	if (!check->status)
		check->status = check->counts[CHECK_FAILED] || !check->counts[CHECK_OK] ? "failed" :
											  "ok";
	check->seconds = (double)(clock_ns() - begin_ns) / 1e9;
}
