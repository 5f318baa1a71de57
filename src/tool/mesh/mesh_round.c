/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns a round at the root: who measures, and when they begin. All pairs of a round begin a point
 * at the same time: each client waits until all others are ready.
 */
#include "config.h"
#include "mesh/mesh_root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh_resume.h"
#include "run/run_sweep.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"
#include "wire/proto.h"

#define LOOK_MS 100u

/* A cell in a round. */
struct measuring {
	struct mesh_root *root;
	struct mesh_what what;
	const struct mesh_where *pair; /* the only one; NULL: all of the round */
	uint32_t attempt;
	struct schedule_victim victim; /* of the round */
	struct cell cell;
	uint64_t until_ns;         /* who has not ended by then is gone */
	uint64_t waits_ns;         /* since when the first one waits; 0: none does */
};

static bool is_client(const struct mesh_member *m)
{
	return m->state == MESH_WORKS || m->state == MESH_WAITS;
}

static void set_state(struct mesh_root *r, struct mesh_member *m, enum mesh_state state)
{
	r->n_works += (state == MESH_WORKS) - (m->state == MESH_WORKS);
	r->n_waits += (state == MESH_WAITS) - (m->state == MESH_WAITS);
	m->state = state;
}

/* ---- begin */

/* The pair of this client; its server is SCHEDULE_NONE if it has none. */
static struct mesh_where where(const struct measuring *c, uint32_t rank)
{
	const struct mesh_where none = { .server = SCHEDULE_NONE };
	const struct schedule *s = c->root->mesh->schedule;
	const bool victim = rank == c->victim.from;

	if (c->pair)
		return rank == c->pair->client ? *c->pair : none;
	return (struct mesh_where){
		.round = c->what.round, .attempt = c->attempt, .client = rank,
		.server = victim ? c->victim.to : schedule_target(s, c->what.round, rank),
		.victim = victim, .rails = schedule_rails(s, c->what.round, rank),
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

static void add_pair(const struct measuring *c, uint32_t rank, json_t *msg)
{
	const struct mesh_where pair = where(c, rank);
	const struct mesh_node *node = &c->root->members[pair.server].node;
	struct mesh_order order = { .to = pair.server, .rails = pair.rails, .port = node->port };

	snprintf(order.host, sizeof(order.host), "%s", node->host);
	mesh_wire_add_pair(msg, rank, &order);
}

static void begin_pair(const struct measuring *c, uint32_t rank, json_t *msg)
{
	struct mesh_root *r = c->root;
	const uint32_t to = where(c, rank).server;
	struct mesh_member *m = &r->members[rank];
	const struct mesh_place place = { c->what.round, c->what.cell, MESH_SLOT_PAIR, rank };

	if (to == SCHEDULE_NONE || (!c->pair && mesh_resume_has(r->mesh->resume, &place)))
		return;
	if (m->state == MESH_GONE || r->members[to].state == MESH_GONE) {
		miss(c, rank, RESULT_FAILED,
		     m->state == MESH_GONE ? m->reason : r->members[to].reason);
		return;
	}
	m->n_rows = m->go = 0;
	m->order = c->what.order;
	set_state(r, m, MESH_WORKS);
	add_pair(c, rank, msg);
}

/* What it was told did not come. */
void mesh_round_back(struct mesh_root *r, uint32_t rank, uint64_t order)
{
	json_t *msg;

	if (!r->measuring || !is_client(&r->members[rank]) || order == r->members[rank].order)
		return;
	msg = mesh_wire_cell(&r->measuring->what);
	add_pair(r->measuring, rank, msg);
	links_send_parts(r->links, msg, "pairs");
}

/* Of a client no row of the cell comes any more; the client of a server that is gone says so. */
void mesh_round_gone(struct mesh_root *r, uint32_t rank)
{
	struct mesh_member *m = &r->members[rank];
	const bool client = is_client(m);

	set_state(r, m, MESH_GONE);
	if (client && !m->n_rows)
		miss(r->measuring, rank, RESULT_FAILED, m->reason);
}

/* ---- messages */

static void end_pair(const struct measuring *c, uint32_t rank, const struct mesh_done *how)
{
	struct mesh_member *m = &c->root->members[rank];
	const struct mesh_where pair = where(c, rank);
	struct mesh_done done = *how;

	set_state(c->root, m, MESH_IDLE);
	if (!m->n_rows && done.status == RESULT_OK) {
		snprintf(done.reason, sizeof(done.reason), "the agent has sent no row");
		done.status = RESULT_FAILED;
	}
	if (!m->n_rows)
		mesh_rows_missing(c->root, &done, &pair, &c->cell);
}

/* The next row of a client counts, one that is sent again does not. */
static int take_row(const struct measuring *c, const json_t *msg, const struct mesh_start *number)
{
	struct mesh_root *r = c->root;
	struct mesh_where pair;
	struct row row;
	uint32_t rank;
	int rc = mesh_wire_read_rank(&rank, msg);

	if (rc || rank >= r->n || !is_client(&r->members[rank]) ||
	    number->number != r->members[rank].n_rows)
		return rc;
	rc = mesh_wire_read_row(&row, msg);
	if (rc) {
		mesh_members_lose(r, rank, err_text());
		return 0;
	}
	pair = where(c, rank);
	r->members[rank].n_rows++;
	mesh_rows_add(r, &row, &pair);
	return 0;
}

/* A go that was lost is said again. */
static void make_ready(const struct measuring *c, uint32_t rank, const struct mesh_start *start)
{
	struct mesh_root *r = c->root;
	struct mesh_member *m = &r->members[rank];
	json_t *msg;

	if (m->state == MESH_WORKS && start->number == m->go + 1) {
		set_state(r, m, MESH_WAITS);
	} else if (is_client(m) && start->number <= m->go) {
		msg = mesh_wire_go(start);
		mesh_wire_add_rank(msg, rank);
		links_send_parts(r->links, msg, "ranks");
	}
}

static int take_list(const struct measuring *c, const json_t *msg, const struct mesh_start *start)
{
	const json_t *ranks = json_object_get(msg, "ranks");
	const bool ready = !strcmp(proto_type(msg), "mesh_ready");
	struct mesh_done done;
	int rc = ready ? 0 : mesh_wire_read_done(&done, msg);

	for (size_t i = 0; !rc && i < json_array_size(ranks); i++) {
		const uint32_t rank = links_item_rank(json_array_get(ranks, i));

		if (rank >= c->root->n)
			rc = err_set(-EBADMSG, "ranks: expected 0..%u", c->root->n - 1);
		else if (ready)
			make_ready(c, rank, start);
		else if (is_client(&c->root->members[rank]))
			end_pair(c, rank, &done);
	}
	return rc;
}

/* Of an earlier cell: its sender is gone, or said it twice. */
void mesh_round_message(struct mesh_root *r, const json_t *msg)
{
	const struct measuring *c = r->measuring;
	const char *type = proto_type(msg);
	struct mesh_start start;
	int rc = mesh_wire_read_start(&start, msg);

	if (!rc && (!c || start.order != c->what.order))
		return;
	if (!rc && (!strcmp(type, "mesh_ready") || !strcmp(type, "mesh_done")))
		rc = take_list(c, msg, &start);
	else if (!rc && !strcmp(type, "mesh_row"))
		rc = take_row(c, msg, &start);
	if (rc)
		log_note("a message of an agent, '%.32s': %s", type, err_text());
}

/* ---- waiting */

/* Who is too late is gone. */
static void look(const struct measuring *c)
{
	struct mesh_root *r = c->root;

	links_work(r->links, LOOK_MS);
	mesh_members_look(r);
	if (clock_ns() <= c->until_ns)
		return;
	for (uint32_t i = 0; i < r->n; i++)
		if (is_client(&r->members[i]))
			mesh_members_lose(r, i, "it has not ended its measurement in time");
}

/* Those who wait for this start. */
static void start_some(struct mesh_root *r, uint32_t number, json_t *msg)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct mesh_member *m = &r->members[i];

		if (m->state != MESH_WAITS || m->go + 1 != number)
			continue;
		m->go = number;
		set_state(r, m, MESH_WORKS);
		mesh_wire_add_rank(msg, i);
	}
}

/* All that work and wait for the same start get one message without a list. */
static void let_go(const struct measuring *c)
{
	struct mesh_root *r = c->root;
	const uint32_t n_works = r->n_works;

	if (!r->origin_ns)
		r->origin_ns = clock_ns();
	for (uint32_t i = 0; i < r->n && r->n_waits; i++) {
		struct mesh_member *m = &r->members[i];
		const struct mesh_start start = { c->what.order, m->go + 1 };
		json_t *msg = m->state == MESH_WAITS ? mesh_wire_go(&start) : NULL;

		if (!msg)
			continue;
		start_some(r, start.number, msg);
		if (n_works || r->n_waits) {
			links_send_parts(r->links, msg, "ranks");
			continue;
		}
		json_object_del(msg, "ranks");
		links_send_below(r->links, msg);
	}
}

/* Those that are ready go on when all are, or when their servers would wait no longer. */
static void meet(struct measuring *c)
{
	const uint64_t most_ns = c->root->mesh->cfg.stall_timeout_ms * UINT64_C(500000);

	if (!c->root->n_waits) {
		c->waits_ns = 0;
		return;
	}
	c->waits_ns = c->waits_ns ? c->waits_ns : clock_ns();
	if (c->root->n_works && clock_ns() - c->waits_ns < most_ns)
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

static void begin(struct measuring *c)
{
	struct mesh_root *r = c->root;
	const int rc = mesh_cell(r->mesh, c->what.cell, &c->cell);
	json_t *msg = mesh_wire_cell(&c->what);

	r->results.cell = c->cell.text;
	r->results.cell_has_size = cells_axis(&c->cell.part->axes, CFG_ROW_size_bytes);
	c->until_ns = clock_ns() + longest_ns(r->mesh, &c->cell.cfg);
	r->measuring = c;
	for (uint32_t i = 0; i < r->n; i++) {
		if (rc && where(c, i).server != SCHEDULE_NONE)
			miss(c, i, RESULT_SKIPPED, err_text());
		else if (!rc)
			begin_pair(c, i, msg);
	}
	links_send_parts(r->links, msg, "pairs");
}

static void measure(struct measuring c)
{
	struct mesh_root *r = c.root;

	c.what.order = ++r->order;
	begin(&c);
	while (r->n_works + r->n_waits) {
		look(&c);
		meet(&c);
		if (!signals_asked())
			continue;
		r->stopped = true;
		break;
	}
	r->measuring = NULL;
	mesh_rows_flush(r, c.what.cell);
	r->results.cell = NULL;
	free(c.cell.text);
}

void mesh_round_cell(struct mesh_root *r, uint32_t round, uint32_t cell)
{
	const struct schedule_victim victim = mesh_incast_victim(r->mesh, round);
	const struct mesh_where alone = {
		.round = round, .attempt = 1, .client = victim.from, .server = victim.to,
		.victim = true, .rails = schedule_rails(r->mesh->schedule, round, victim.from),
	};
	const struct mesh_place place = { round, cell, MESH_SLOT_ALONE, victim.from };

	measure((struct measuring){ .root = r, .what = { .round = round, .cell = cell },
				    .victim = victim });
	if (victim.from != SCHEDULE_NONE && !r->stopped &&
	    !mesh_resume_has(r->mesh->resume, &place))
		mesh_round_alone(r, &alone, cell);
}

void mesh_round_again(struct mesh_root *r, uint32_t round, uint32_t attempt, uint32_t cell)
{
	measure((struct measuring){ .root = r, .what = { .round = round, .cell = cell },
				    .attempt = attempt,
				    .victim = { SCHEDULE_NONE, SCHEDULE_NONE } });
}

void mesh_round_alone(struct mesh_root *r, const struct mesh_where *pair, uint32_t cell)
{
	measure((struct measuring){ .root = r, .what = { .round = MESH_ALONE, .cell = cell },
				    .pair = pair });
}
