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

static void set_work(struct mesh_root *r, struct mesh_client *client, enum mesh_work work)
{
	r->n_works += (work == MESH_WORKS) - (client->work == MESH_WORKS);
	r->n_waits += (work == MESH_WAITS) - (client->work == MESH_WAITS);
	client->work = work;
}

/* ---- begin */

/* The pair of a client, by its index; its server is SCHEDULE_NONE if it has none. */
static struct mesh_where where(const struct measuring *c, uint32_t client)
{
	const struct mesh_where none = { .server = SCHEDULE_NONE };
	const struct schedule *s = c->root->mesh->schedule;
	const uint32_t rank = client / c->root->lanes, lane = client % c->root->lanes;
	const bool victim = rank == c->victim.from;

	if (c->pair) {
		struct mesh_where pair = *c->pair;

		if (rank != pair.client || (lane && !pair.together))
			return none;
		if (pair.together)
			pair.rails = (struct schedule_rails){ lane, lane };
		return pair;
	}
	return (struct mesh_where){
		.round = c->what.round, .attempt = c->attempt, .client = rank,
		.server = victim ? c->victim.to : schedule_target(s, c->what.round, rank),
		.victim = victim, .rails = schedule_rails(s, c->what.round, rank, lane),
	};
}

static void miss(const struct measuring *c, uint32_t client, enum result_status status,
		 const char *reason)
{
	const struct mesh_where pair = where(c, client);
	struct mesh_done why = { .status = status };

	snprintf(why.reason, sizeof(why.reason), "%s", reason);
	mesh_rows_missing(c->root, &why, &pair, &c->cell);
}

static void add_pair(const struct measuring *c, uint32_t client, json_t *msg)
{
	const struct mesh_where pair = where(c, client);
	const struct mesh_node *node = &c->root->members[pair.server].node;
	struct mesh_order order = { .lane = client % c->root->lanes, .to = pair.server,
				    .rails = pair.rails, .port = node->port,
				    .flow_label = pair.flow_label };

	snprintf(order.host, sizeof(order.host), "%s", node->host);
	mesh_wire_add_pair(msg, pair.client, &order);
}

static void begin_pair(const struct measuring *c, uint32_t client, json_t *msg)
{
	struct mesh_root *r = c->root;
	const struct mesh_where pair = where(c, client);
	const struct mesh_place place = { c->what.round, c->what.cell,
					  MESH_SLOT_PAIR + client % r->lanes, client / r->lanes };
	struct mesh_member *m = &r->members[client / r->lanes], *to;

	if (pair.server == SCHEDULE_NONE ||
	    (!c->pair && mesh_resume_has(r->mesh->resume, &place)))
		return;
	to = &r->members[pair.server];
	if (m->state == MESH_GONE || to->state == MESH_GONE) {
		miss(c, client, RESULT_FAILED, m->state == MESH_GONE ? m->reason : to->reason);
		return;
	}
	m->order = c->what.order;
	r->clients[client].n_rows = r->clients[client].go = 0;
	set_work(r, &r->clients[client], MESH_WORKS);
	add_pair(c, client, msg);
}

/* What it was told did not come. */
void mesh_round_back(struct mesh_root *r, uint32_t rank, uint64_t order)
{
	const uint32_t first = rank * r->lanes;
	json_t *msg;

	if (!r->measuring || order == r->members[rank].order)
		return;
	msg = mesh_wire_cell(&r->measuring->what);
	for (uint32_t client = first; client < first + r->lanes; client++)
		if (r->clients[client].work != MESH_IDLE)
			add_pair(r->measuring, client, msg);
	links_send_parts(r->links, msg, "pairs");
}

/* Of a client no row of the cell comes any more; the client of a server that is gone says so. */
void mesh_round_gone(struct mesh_root *r, uint32_t rank)
{
	struct mesh_member *m = &r->members[rank];

	m->state = MESH_GONE;
	for (uint32_t lane = 0; lane < r->lanes; lane++) {
		const uint32_t client = rank * r->lanes + lane;
		const bool measures = r->clients[client].work != MESH_IDLE;

		set_work(r, &r->clients[client], MESH_IDLE);
		if (measures && !r->clients[client].n_rows)
			miss(r->measuring, client, RESULT_FAILED, m->reason);
	}
}

/* ---- messages */

static void end_pair(const struct measuring *c, uint32_t client, const struct mesh_done *how)
{
	const uint32_t n_rows = c->root->clients[client].n_rows;
	const struct mesh_where pair = where(c, client);
	struct mesh_done done = *how;

	set_work(c->root, &c->root->clients[client], MESH_IDLE);
	if (!n_rows && done.status == RESULT_OK) {
		snprintf(done.reason, sizeof(done.reason), "the agent has sent no row");
		done.status = RESULT_FAILED;
	}
	if (!n_rows)
		mesh_rows_missing(c->root, &done, &pair, &c->cell);
}

/* The lane of an order of the cell. */
static uint32_t client_of(const struct measuring *c, uint32_t rank, const struct mesh_start *start)
{
	return rank * c->root->lanes + (uint32_t)(start->order - c->what.order);
}

/* The next row of a client counts, one that is sent again does not. */
static int take_row(const struct measuring *c, const json_t *msg, const struct mesh_start *number)
{
	struct mesh_root *r = c->root;
	struct mesh_where pair;
	struct row row;
	uint32_t rank, client;
	int rc = mesh_wire_read_rank(&rank, msg);

	if (rc || rank >= r->n)
		return rc;
	client = client_of(c, rank, number);
	if (r->clients[client].work == MESH_IDLE || number->number != r->clients[client].n_rows)
		return 0;
	rc = mesh_wire_read_row(&row, msg);
	if (rc) {
		mesh_members_lose(r, rank, err_text());
		return 0;
	}
	pair = where(c, client);
	r->clients[client].n_rows++;
	mesh_rows_add(r, &row, &pair);
	return 0;
}

/* A go that was lost is said again. */
static void make_ready(const struct measuring *c, uint32_t rank, const struct mesh_start *start)
{
	struct mesh_root *r = c->root;
	struct mesh_client *client = &r->clients[client_of(c, rank, start)];
	json_t *msg;

	if (client->work == MESH_WORKS && start->number == client->go + 1) {
		set_work(r, client, MESH_WAITS);
	} else if (client->work != MESH_IDLE && start->number <= client->go) {
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
		else if (c->root->clients[client_of(c, rank, start)].work != MESH_IDLE)
			end_pair(c, client_of(c, rank, start), &done);
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

	if (!rc && (!c || start.order - c->what.order >= r->lanes))
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
	for (uint32_t i = 0; i < r->n * r->lanes; i++)
		if (r->clients[i].work != MESH_IDLE)
			mesh_members_lose(r, i / r->lanes,
					  "it has not ended its measurement in time");
}

/* The start for which all that measure wait; 0: there is none. */
static uint32_t common_start(const struct mesh_root *r)
{
	uint32_t number = 0;

	for (uint32_t i = 0; i < r->n * r->lanes; i++) {
		const struct mesh_client *client = &r->clients[i];

		if (client->work == MESH_IDLE)
			continue;
		if (client->work == MESH_WORKS || (number && number != client->go + 1))
			return 0;
		number = client->go + 1;
	}
	return number;
}

/* Those of a lane who wait for this start; lane r->lanes: of all lanes, which need no list. */
static void start_some(struct mesh_root *r, uint32_t lane, uint32_t number, json_t *msg)
{
	for (uint32_t i = 0; i < r->n * r->lanes; i++) {
		struct mesh_client *client = &r->clients[i];

		if (client->work != MESH_WAITS || client->go + 1 != number ||
		    (lane < r->lanes && i % r->lanes != lane))
			continue;
		client->go = number;
		set_work(r, client, MESH_WORKS);
		if (lane < r->lanes)
			mesh_wire_add_rank(msg, i / r->lanes);
	}
}

static void let_go(const struct measuring *c)
{
	struct mesh_root *r = c->root;
	const struct mesh_start all = { c->what.order, common_start(r) };

	if (!r->origin_ns)
		r->origin_ns = clock_ns();
	if (all.number) {
		start_some(r, r->lanes, all.number, NULL);
		links_send_below(r->links, mesh_wire_go(&all));
	}
	for (uint32_t i = 0; i < r->n * r->lanes && r->n_waits; i++) {
		const uint32_t lane = i % r->lanes;
		const struct mesh_start start = { c->what.order + lane, r->clients[i].go + 1 };
		json_t *msg;

		if (r->clients[i].work != MESH_WAITS)
			continue;
		msg = mesh_wire_go(&start);
		start_some(r, lane, start.number, msg);
		links_send_parts(r->links, msg, "ranks");
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

static void begin(struct measuring *c)
{
	struct mesh_root *r = c->root;
	const int rc = mesh_cell(r->mesh, c->what.cell, &c->cell);
	json_t *msg = mesh_wire_cell(&c->what);

	r->results.cell = c->cell.text;
	r->results.cell_has_size = cells_axis(&c->cell.part->axes, CFG_ROW_size_bytes);
	c->until_ns = clock_ns() + mesh_longest_ns(r->mesh, &c->cell.cfg);
	r->measuring = c;
	for (uint32_t i = 0; i < r->n * r->lanes; i++) {
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

	c.what.order = r->order + 1;
	r->order += r->lanes;
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
		.victim = true, .rails = schedule_rails(r->mesh->schedule, round, victim.from, 0),
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
