/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns a round at the root: who measures, when they begin, who is gone. All pairs of a round begin
 * a point at the same time: each client waits until all others are ready.
 */
#include "config.h"
#include "mesh/mesh_root.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh_resume.h"
#include "run/run_sweep.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/signals.h"
#include "wire/proto.h"

#define LOOK_MS 100

/* A cell in a round. */
struct measuring {
	struct mesh_root *root;
	uint32_t index;
	const struct mesh_where *pair; /* the only one; NULL: all of the round */
	uint32_t round, attempt;
	struct schedule_victim victim; /* of the round */
	struct cell cell;
	uint64_t until_ns;         /* who has not ended by then is gone */
	uint64_t waits_ns;         /* since when the first one waits; 0: none does */
};

static bool is_client(const struct mesh_member *m)
{
	return m->state == MESH_WORKS || m->state == MESH_WAITS;
}

void mesh_round_lose(struct mesh_member *m, const char *reason)
{
	if (m->state == MESH_GONE)
		return;
	m->state = MESH_GONE;
	snprintf(m->reason, sizeof(m->reason), "%s is gone: %.400s", m->node.name, reason);
	log_error("%s", m->reason);
	ctl_close(&m->ctl);
}

/* ---- begin */

/* The pair of this client; its server is SCHEDULE_NONE if it has none. */
static struct mesh_where where(const struct measuring *c, uint32_t rank)
{
	const struct mesh_where none = { .server = SCHEDULE_NONE };

	if (c->pair)
		return rank == c->pair->client ? *c->pair : none;
	if (rank == c->victim.from)
		return (struct mesh_where){ .round = c->round, .client = rank,
					    .server = c->victim.to, .victim = true };
	return (struct mesh_where){
		.round = c->round, .attempt = c->attempt, .client = rank,
		.server = schedule_target(c->root->mesh->schedule, c->round, rank),
	};
}

static void miss(const struct measuring *c, uint32_t rank, enum result_status status,
		 const char *reason)
{
	const struct mesh_where pair = where(c, rank);
	struct mesh_done why = { .status = status };

	snprintf(why.reason, sizeof(why.reason), "%s", reason);
	mesh_rows_missing(c->root, &why, &pair, &c->cell);
}

static void begin_pair(const struct measuring *c, uint32_t rank)
{
	struct mesh_root *r = c->root;
	const uint32_t to = where(c, rank).server;
	const struct mesh_order order = { c->round, c->index, to };
	struct mesh_member *m = &r->members[rank];
	const struct mesh_place place = { c->round, c->index, MESH_SLOT_PAIR, rank };

	if (to == SCHEDULE_NONE || (!c->pair && mesh_resume_has(r->mesh->resume, &place)))
		return;
	if (m->state == MESH_GONE || r->members[to].state == MESH_GONE) {
		miss(c, rank, RESULT_FAILED,
		     m->state == MESH_GONE ? m->reason : r->members[to].reason);
		return;
	}
	m->n_rows = 0;
	m->state = MESH_WORKS;
	if (ctl_send(&m->ctl, mesh_wire_cell(&order), MESH_SEND_MS)) {
		mesh_round_lose(m, err_text());
		miss(c, rank, RESULT_FAILED, m->reason);
	}
}

/* ---- messages */

static int take_done(const struct measuring *c, uint32_t rank, const json_t *msg)
{
	struct mesh_member *m = &c->root->members[rank];
	const struct mesh_where pair = where(c, rank);
	struct mesh_done done;
	int rc = mesh_wire_read_done(&done, msg);

	if (rc)
		return rc;
	m->state = MESH_IDLE;
	if (!m->n_rows && done.status == RESULT_OK)
		snprintf(done.reason, sizeof(done.reason), "the agent has sent no row");
	if (!m->n_rows && done.status == RESULT_OK)
		done.status = RESULT_FAILED;
	if (!m->n_rows)
		mesh_rows_missing(c->root, &done, &pair, &c->cell);
	return 0;
}

static int take_row(const struct measuring *c, uint32_t rank, const json_t *msg)
{
	struct mesh_member *m = &c->root->members[rank];
	const struct mesh_where pair = where(c, rank);
	struct row row;
	int rc = mesh_wire_read_row(&row, msg);

	if (rc)
		return rc;
	m->n_rows++;
	mesh_rows_add(c->root, &row, &pair);
	return 0;
}

static int take_message(const struct measuring *c, uint32_t rank, const json_t *msg)
{
	struct mesh_member *m = &c->root->members[rank];
	const char *type = proto_type(msg);

	m->heard_ns = clock_ns();
	if (!strcmp(type, "heartbeat"))
		return 0;
	if (m->state == MESH_WORKS && !strcmp(type, "mesh_ready")) {
		m->state = MESH_WAITS;
		return 0;
	}
	if (is_client(m) && !strcmp(type, "mesh_row"))
		return take_row(c, rank, msg);
	if (is_client(m) && !strcmp(type, "mesh_done"))
		return take_done(c, rank, msg);
	return err_set(-EBADMSG, "it sent '%.32s', which nobody had asked for", type);
}

/* Of a client no row of the cell comes any more; the client of a server that is gone says so. */
static void lose(const struct measuring *c, uint32_t rank, const char *reason)
{
	struct mesh_member *m = &c->root->members[rank];
	const bool client = is_client(m);

	mesh_round_lose(m, reason);
	if (client && !m->n_rows)
		miss(c, rank, RESULT_FAILED, m->reason);
}

static void take_messages(const struct measuring *c, uint32_t rank)
{
	struct mesh_member *m = &c->root->members[rank];
	int rc = 1;

	while (rc > 0) {
		json_t *msg = NULL;

		rc = ctl_try_recv(&m->ctl, &msg);
		if (rc > 0 && take_message(c, rank, msg))
			rc = -EBADMSG;
		json_decref(msg);
	}
	if (rc < 0)
		lose(c, rank, err_text());
}

/* ---- waiting */

/* Reads what has come; who has been silent for too long, or is too late, is gone. */
static void look(const struct measuring *c, struct pollfd *fds)
{
	struct mesh_root *r = c->root;
	uint64_t now_ns;

	for (uint32_t i = 0; i < r->n; i++)
		/* of one that is gone it is -1 */
		fds[i] = (struct pollfd){ .fd = r->members[i].ctl.fd, .events = POLLIN };
	fds[r->n] = (struct pollfd){ .fd = signals_fd(), .events = POLLIN };
	poll(fds, r->n + 1, LOOK_MS);
	for (uint32_t i = 0; i < r->n; i++)
		if (fds[i].revents)
			take_messages(c, i);
	now_ns = clock_ns();
	for (uint32_t i = 0; i < r->n; i++) {
		struct mesh_member *m = &r->members[i];

		if (m->state != MESH_GONE && now_ns - m->heard_ns > MESH_SILENT_NS)
			lose(c, i, "it has been silent for 5 s");
		else if (is_client(m) && now_ns > c->until_ns)
			lose(c, i, "it has not ended its measurement in time");
	}
}

static uint32_t count(const struct mesh_root *r, enum mesh_state state)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n; i++)
		n += r->members[i].state == state;
	return n;
}

static void let_go(const struct measuring *c)
{
	struct mesh_root *r = c->root;

	if (!r->origin_ns)
		r->origin_ns = clock_ns();
	for (uint32_t i = 0; i < r->n; i++) {
		struct mesh_member *m = &r->members[i];

		if (m->state != MESH_WAITS)
			continue;
		m->state = MESH_WORKS;
		if (ctl_send(&m->ctl, proto_plain("mesh_go"), MESH_SEND_MS))
			lose(c, i, err_text());
	}
}

/* Those that are ready go on when all are, or when their servers would wait no longer. */
static void meet(struct measuring *c)
{
	const uint64_t most_ns = c->root->mesh->cfg.stall_timeout_ms * UINT64_C(500000);

	if (!count(c->root, MESH_WAITS)) {
		c->waits_ns = 0;
		return;
	}
	c->waits_ns = c->waits_ns ? c->waits_ns : clock_ns();
	if (count(c->root, MESH_WORKS) && clock_ns() - c->waits_ns < most_ns)
		return;
	c->waits_ns = 0;
	let_go(c);
}

/* By time it is known; by a number of messages a server's own limit ends it. */
static uint64_t longest_ns(const struct mesh *mesh, const struct cfg *cell)
{
	const uint64_t steps_ms = UINT64_C(4) * (mesh->cfg.connect_timeout_ms +
						 mesh->cfg.stall_timeout_ms);
	const uint32_t points = run_time_points(cell);

	if (cell->duration_ms != CFG_AUTO || cell->messages == CFG_AUTO64)
		return (uint64_t)(2 * run_time_ns(cell)) + steps_ms * points * 1000000u;
	return (mesh->server.max_point_ms + steps_ms) * points * UINT64_C(1000000);
}

static void measure(struct measuring c)
{
	struct mesh_root *r = c.root;
	struct pollfd *fds = must_calloc(r->n + 1u, sizeof(*fds));
	const int rc = mesh_cell(r->mesh, c.index, &c.cell);

	r->results.cell = c.cell.text;
	r->results.cell_has_size = cells_axis(&c.cell.part->axes, CFG_ROW_size_bytes);
	c.until_ns = clock_ns() + longest_ns(r->mesh, &c.cell.cfg);
	for (uint32_t i = 0; i < r->n; i++) {
		if (rc && where(&c, i).server != SCHEDULE_NONE)
			miss(&c, i, RESULT_SKIPPED, err_text());
		else if (!rc)
			begin_pair(&c, i);
	}
	while (count(r, MESH_WORKS) + count(r, MESH_WAITS)) {
		look(&c, fds);
		meet(&c);
		if (!signals_asked())
			continue;
		r->stopped = true;
		break;
	}
	mesh_rows_flush(r, c.index);
	r->results.cell = NULL;
	free(c.cell.text);
	free(fds);
}

void mesh_round_cell(struct mesh_root *r, uint32_t round, uint32_t cell)
{
	const struct schedule_victim victim = mesh_incast_victim(r->mesh, round);
	const struct mesh_where alone = {
		.round = round, .attempt = 1, .client = victim.from, .server = victim.to,
		.victim = true,
	};
	const struct mesh_place place = { round, cell, MESH_SLOT_ALONE, victim.from };

	measure((struct measuring){ .root = r, .round = round, .index = cell, .victim = victim });
	if (victim.from != SCHEDULE_NONE && !r->stopped &&
	    !mesh_resume_has(r->mesh->resume, &place))
		mesh_round_alone(r, &alone, cell);
}

void mesh_round_again(struct mesh_root *r, uint32_t round, uint32_t attempt, uint32_t cell)
{
	measure((struct measuring){ .root = r, .round = round, .attempt = attempt, .index = cell,
				    .victim = { SCHEDULE_NONE, SCHEDULE_NONE } });
}

void mesh_round_alone(struct mesh_root *r, const struct mesh_where *pair, uint32_t cell)
{
	measure((struct measuring){ .root = r, .round = MESH_ALONE, .index = cell, .pair = pair });
}
