/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what an agent sends up in the control tree; see mesh_up.h. */
#include "config.h"
#include "mesh/mesh_up.h"

#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/minmax.h"
#include "util/must.h"
#include "wire/proto.h"

/* ---- of all */

static void flush(struct mesh_up *up)
{
	json_t *msg;

	while ((msg = gather_take(&up->gather)))
		links_send(up->links, LINKS_UP, msg);
}

void mesh_up_send(struct mesh_up *up, json_t *msg)
{
	const char *type = proto_type(msg);
	const bool here = !strcmp(type, "mesh_here");
	const uint32_t n = (uint32_t)json_array_size(json_object_get(msg, "ranks"));

	if (!links_have(up->links, LINKS_UP)) {
		json_decref(msg);
		return;
	}
	if (!n) {
		links_send(up->links, LINKS_UP, msg);
		return;
	}
	if (!strcmp(type, "mesh_ready"))
		up->n_ready += n;
	else if (!strcmp(type, "mesh_done"))
		up->n_working -= min_u32(n, up->n_working);
	gather_add(&up->gather, msg);
	if (up->n_ready >= up->n_working && !here)
		flush(up);
}

void mesh_up_lost(struct mesh_up *up)
{
	gather_free(&up->gather);
}

uint64_t mesh_up_due_ns(const struct mesh_up *up)
{
	return gather_due_ns(&up->gather);
}

void mesh_up_look(struct mesh_up *up)
{
	if (clock_ns() >= mesh_up_due_ns(up))
		flush(up);
}

void mesh_up_count(struct mesh_up *up, uint64_t order, uint32_t n)
{
	if (up->order != order)
		up->n_working = up->n_ready = 0;
	up->order = order;
	up->n_working += n;
}

void mesh_up_went(struct mesh_up *up, uint32_t n)
{
	up->n_ready -= min_u32(n, up->n_ready);
}

/* ---- of this agent */

static void forget(struct mesh_said *said)
{
	while (said->n_rows)
		json_decref(said->rows[--said->n_rows]);
	free(said->rows);
	json_decref(said->done);
	*said = (struct mesh_said){ .rows = NULL };
}

static void forget_all(struct mesh_up *up)
{
	for (uint32_t lane = 0; lane < MESH_RAILS_MAX; lane++)
		forget(&up->said[lane]);
}

bool mesh_up_begin(struct mesh_up *up, uint64_t order)
{
	if (order <= up->said_order)
		return false;
	forget_all(up);
	up->said_order = order;
	return true;
}

static uint64_t order_of(const struct mesh_up *up, const struct mesh_said *said)
{
	return up->said_order + (uint64_t)(said - up->said);
}

static void say_row(struct mesh_up *up, const struct mesh_said *said, uint32_t i)
{
	mesh_up_send(up, json_incref(said->rows[i]));
}

static void say_ready(struct mesh_up *up, const struct mesh_said *said)
{
	const struct mesh_start start = { order_of(up, said), said->ready };

	mesh_up_send(up, mesh_wire_ready(up->rank, &start));
}

static void say_again(struct mesh_up *up, const struct mesh_said *said)
{
	for (uint32_t i = 0; i < said->n_rows; i++)
		say_row(up, said, i);
	if (said->done)
		mesh_up_send(up, json_deep_copy(said->done));
	else if (said->ready)
		say_ready(up, said);
}

void mesh_up_again(struct mesh_up *up)
{
	mesh_up_send(up, mesh_wire_here(up->rank, up->said_order));
	for (uint32_t lane = 0; lane < MESH_RAILS_MAX; lane++)
		say_again(up, &up->said[lane]);
	links_send_below(up->links, proto_plain("mesh_again"));
}

/* The lane that has the order; NULL: it is over. */
static struct mesh_said *find(struct mesh_up *up, uint64_t order)
{
	const uint64_t lane = order - up->said_order;

	return lane < MESH_RAILS_MAX && !up->said[lane].done ? &up->said[lane] : NULL;
}

void mesh_up_row(struct mesh_up *up, uint64_t order, json_t *msg)
{
	struct mesh_said *said = find(up, order);

	if (!said) {
		json_decref(msg);
		return;
	}
	mesh_wire_sign_row(msg, up->rank, &(struct mesh_start){ order, said->n_rows });
	said->rows = must_realloc(said->rows, said->n_rows + 1u, sizeof(json_t *));
	said->rows[said->n_rows] = msg;
	say_row(up, said, said->n_rows++);
}

void mesh_up_ready(struct mesh_up *up, const struct mesh_start *start)
{
	struct mesh_said *said = find(up, start->order);

	if (!said)
		return;
	said->ready = start->number;
	say_ready(up, said);
}

bool mesh_up_go(struct mesh_up *up, const struct mesh_start *start)
{
	struct mesh_said *said = find(up, start->order);

	if (!said || !said->ready || start->number != said->ready)
		return false;
	said->ready = 0;
	return true;
}

void mesh_up_done(struct mesh_up *up, uint64_t order, json_t *msg)
{
	struct mesh_said *said = find(up, order);

	if (!said) {
		json_decref(msg);
		return;
	}
	mesh_wire_sign_done(msg, up->rank, order);
	said->done = msg;
	/* what is gathered is changed */
	mesh_up_send(up, json_deep_copy(msg));
}

void mesh_up_free(struct mesh_up *up)
{
	gather_free(&up->gather);
	forget_all(up);
}
