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
	*said = (struct mesh_said){ .order = 0 };
}

bool mesh_up_begin(struct mesh_up *up, uint64_t order)
{
	if (order <= up->said.order)
		return false;
	forget(&up->said);
	up->said.order = order;
	return true;
}

static void say_row(struct mesh_up *up, uint32_t i)
{
	mesh_up_send(up, json_incref(up->said.rows[i]));
}

static void say_ready(struct mesh_up *up)
{
	const struct mesh_start start = { up->said.order, up->said.ready };

	mesh_up_send(up, mesh_wire_ready(up->rank, &start));
}

void mesh_up_again(struct mesh_up *up)
{
	const struct mesh_said *said = &up->said;

	mesh_up_send(up, mesh_wire_here(up->rank, said->order));
	for (uint32_t i = 0; i < said->n_rows; i++)
		say_row(up, i);
	if (said->done)
		mesh_up_send(up, json_deep_copy(said->done));
	else if (said->ready)
		say_ready(up);
	links_send_below(up->links, proto_plain("mesh_again"));
}

static bool is_current(const struct mesh_up *up, uint64_t order)
{
	return up->said.order == order && !up->said.done;
}

void mesh_up_row(struct mesh_up *up, uint64_t order, json_t *msg)
{
	struct mesh_said *said = &up->said;
	const struct mesh_start number = { said->order, said->n_rows };

	if (!is_current(up, order)) {
		json_decref(msg);
		return;
	}
	mesh_wire_sign_row(msg, up->rank, &number);
	said->rows = must_realloc(said->rows, said->n_rows + 1u, sizeof(json_t *));
	said->rows[said->n_rows++] = msg;
	say_row(up, number.number);
}

void mesh_up_ready(struct mesh_up *up, const struct mesh_start *start)
{
	if (!is_current(up, start->order))
		return;
	up->said.ready = start->number;
	say_ready(up);
}

bool mesh_up_go(struct mesh_up *up, const struct mesh_start *start)
{
	if (start->order != up->said.order || start->number != up->said.ready)
		return false;
	up->said.ready = 0;
	return true;
}

void mesh_up_done(struct mesh_up *up, uint64_t order, json_t *msg)
{
	if (!is_current(up, order)) {
		json_decref(msg);
		return;
	}
	mesh_wire_sign_done(msg, up->rank, up->said.order);
	up->said.done = msg;
	/* what is gathered is changed */
	mesh_up_send(up, json_deep_copy(msg));
}

void mesh_up_free(struct mesh_up *up)
{
	gather_free(&up->gather);
	forget(&up->said);
}
