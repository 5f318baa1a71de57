/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The messages between agents and root, as JSON and back; see mesh.h. No value is trusted. */
#include "config.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decide/flow_label.h"
#include "read/rows.h"
#include "util/err.h"
#include "util/text.h"

#define HEX_ROOM 17

/* ---- values */

static int read_number(uint64_t *value, const json_t *msg, const char *name, uint64_t most)
{
	const json_t *number = json_object_get(msg, name);

	if (!json_is_integer(number) || json_integer_value(number) < 0 ||
	    (uint64_t)json_integer_value(number) > most)
		return err_set(-EBADMSG, "%s: expected a number of 0..%" PRIu64, name, most);
	*value = (uint64_t)json_integer_value(number);
	return 0;
}

static int read_u32(uint32_t *value, const json_t *msg, const char *name, uint32_t most)
{
	uint64_t wide = 0;
	int rc = read_number(&wide, msg, name, most);

	if (!rc)
		*value = (uint32_t)wide;
	return rc;
}

static int read_text(char *text, size_t size, const json_t *value, const char *name)
{
	if (!json_is_string(value) || json_string_length(value) >= size)
		return err_set(-EBADMSG, "%s: expected a text of at most %zu bytes", name, size - 1);
	text_clean(json_string_value(value), text, size);
	return 0;
}

/* ---- joining */

json_t *mesh_wire_join(const struct mesh_join *join)
{
	char hex[HEX_ROOM];
	json_t *msg;

	snprintf(hex, sizeof(hex), "%016" PRIx64, join->fingerprint);
	msg = json_pack("{s:s, s:I, s:I, s:I, s:I, s:s, s:s}", "type", "mesh_join", "rank",
			(json_int_t)join->rank, "size", (json_int_t)join->size, "port",
			(json_int_t)join->port, "tree_port", (json_int_t)join->tree_port,
			"measures", hex, "name", join->name);
	if (join->lost != LINKS_NONE)
		json_object_set_new(msg, "lost", json_integer(join->lost));
	return msg;
}

int mesh_wire_read_join(struct mesh_join *join, const json_t *msg)
{
	char hex[HEX_ROOM];
	int rc = read_u32(&join->rank, msg, "rank", MESH_NODES_MAX - 1);

	if (!rc)
		rc = read_u32(&join->size, msg, "size", MESH_NODES_MAX);
	if (!rc)
		rc = read_u32(&join->port, msg, "port", 65535);
	if (!rc)
		rc = read_u32(&join->tree_port, msg, "tree_port", 65535);
	join->lost = LINKS_NONE;
	if (!rc && json_object_get(msg, "lost"))
		rc = read_u32(&join->lost, msg, "lost", MESH_NODES_MAX - 1);
	if (!rc)
		rc = read_text(hex, sizeof(hex), json_object_get(msg, "measures"), "measures");
	if (!rc)
		rc = read_text(join->name, sizeof(join->name), json_object_get(msg, "name"),
			       "name");
	if (!rc && sscanf(hex, "%16" SCNx64, &join->fingerprint) != 1)
		rc = err_set(-EBADMSG, "measures: expected hexadecimal digits");
	return rc;
}

json_t *mesh_wire_time(const char *type, uint64_t ns)
{
	return json_pack("{s:s, s:I}", "type", type, "ns", (json_int_t)ns);
}

int mesh_wire_read_time(uint64_t *ns, const json_t *msg)
{
	return read_number(ns, msg, "ns", INT64_MAX);
}

json_t *mesh_wire_parent(const struct mesh_parent *parent)
{
	return json_pack("{s:s, s:I, s:s, s:I}", "type", "mesh_parent", "rank",
			 (json_int_t)parent->rank, "host", parent->host, "port",
			 (json_int_t)parent->port);
}

int mesh_wire_read_parent(struct mesh_parent *parent, const json_t *msg)
{
	int rc = mesh_wire_read_rank(&parent->rank, msg);

	if (!rc)
		rc = read_text(parent->host, sizeof(parent->host), json_object_get(msg, "host"),
			       "host");
	return rc ? rc : read_u32(&parent->port, msg, "port", 65535);
}

json_t *mesh_wire_child(uint32_t rank)
{
	return json_pack("{s:s, s:I}", "type", "mesh_child", "rank", (json_int_t)rank);
}

int mesh_wire_read_rank(uint32_t *rank, const json_t *msg)
{
	return read_u32(rank, msg, "rank", MESH_NODES_MAX - 1);
}

/* ---- who is there */

json_t *mesh_wire_here(uint32_t rank, uint64_t order)
{
	return json_pack("{s:s, s:I, s:[I]}", "type", "mesh_here", "order", (json_int_t)order,
			 "ranks", (json_int_t)rank);
}

json_t *mesh_wire_gone(uint32_t rank, uint32_t by, const char *reason)
{
	char clean[ROW_TEXT];

	return json_pack("{s:s, s:I, s:I, s:s}", "type", "mesh_gone", "rank", (json_int_t)rank,
			 "by", (json_int_t)by, "reason",
			 text_clean(reason, clean, sizeof(clean)));
}

int mesh_wire_read_gone(uint32_t *rank, uint32_t *by, char reason[ROW_TEXT], const json_t *msg)
{
	int rc = mesh_wire_read_rank(rank, msg);

	if (!rc)
		rc = read_u32(by, msg, "by", MESH_NODES_MAX - 1);
	return rc ? rc : read_text(reason, ROW_TEXT, json_object_get(msg, "reason"), "reason");
}

json_t *mesh_wire_end(const struct mesh_end *end)
{
	char clean[ROW_TEXT];

	return json_pack("{s:s, s:b, s:s}", "type", "mesh_end", "interrupted", end->interrupted,
			 "reason", text_clean(end->reason, clean, sizeof(clean)));
}

int mesh_wire_read_end(struct mesh_end *end, const json_t *msg)
{
	end->interrupted = json_is_true(json_object_get(msg, "interrupted"));
	return read_text(end->reason, sizeof(end->reason), json_object_get(msg, "reason"),
			 "reason");
}

/* ---- for some */

void mesh_wire_add_rank(json_t *msg, uint32_t rank)
{
	json_t *ranks = json_object_get(msg, "ranks");

	if (!ranks) {
		ranks = json_array();
		(void)json_object_set_new(msg, "ranks", ranks);
	}
	(void)json_array_append_new(ranks, json_integer(rank));
}

bool mesh_wire_is_for(uint32_t rank, const json_t *msg)
{
	const json_t *ranks = json_object_get(msg, "ranks");

	for (size_t i = 0; i < json_array_size(ranks); i++)
		if (links_item_rank(json_array_get(ranks, i)) == rank)
			return true;
	return !ranks;
}

/* ---- measuring */

json_t *mesh_wire_cell(const struct mesh_what *what)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:[]}", "type", "mesh_cell", "order",
			 (json_int_t)what->order, "round", (json_int_t)what->round, "cell",
			 (json_int_t)what->cell, "pairs");
}

void mesh_wire_add_pair(json_t *cell, uint32_t rank, const struct mesh_order *order)
{
	(void)json_array_append_new(json_object_get(cell, "pairs"),
				    json_pack("[I, I, s, I, I, I, I, I]", (json_int_t)rank,
					      (json_int_t)order->to, order->host,
					      (json_int_t)order->port,
					      (json_int_t)order->rails.from,
					      (json_int_t)order->rails.to,
					      (json_int_t)order->lane,
					      (json_int_t)order->flow_label));
}

static int read_pair(struct mesh_order *order, const json_t *pair)
{
	const json_int_t to = json_integer_value(json_array_get(pair, 1));
	const json_int_t port = json_integer_value(json_array_get(pair, 3));
	const json_int_t own = json_integer_value(json_array_get(pair, 4));
	const json_int_t other = json_integer_value(json_array_get(pair, 5));
	const json_int_t lane = json_integer_value(json_array_get(pair, 6));
	const json_int_t label = json_integer_value(json_array_get(pair, 7));

	if (to < 0 || to >= MESH_NODES_MAX || port < 1 || port > 65535 || own < 0 ||
	    own >= MESH_RAILS_MAX || other < 0 || other >= MESH_RAILS_MAX || lane < 0 ||
	    lane >= MESH_RAILS_MAX || label < 0 || label > FLOW_LABEL_MAX)
		return err_set(-EBADMSG, "pairs: expected [rank, rank, host, port, rail, rail, lane, flow label]");
	order->what.order += (uint64_t)lane;
	order->lane = (uint32_t)lane;
	order->to = (uint32_t)to;
	order->port = (uint32_t)port;
	order->flow_label = (uint32_t)label;
	order->rails = (struct schedule_rails){ (uint32_t)own, (uint32_t)other };
	return read_text(order->host, sizeof(order->host), json_array_get(pair, 2), "host");
}

int mesh_wire_read_cell(struct mesh_orders *orders, uint32_t rank, const json_t *msg)
{
	const json_t *pairs = json_object_get(msg, "pairs");
	struct mesh_what *what = &orders->what;
	int rc = read_number(&what->order, msg, "order", INT64_MAX);

	if (!rc)
		rc = read_u32(&what->round, msg, "round", UINT32_MAX);
	if (!rc)
		rc = read_u32(&what->cell, msg, "cell", UINT32_MAX);
	orders->n = 0;
	for (size_t i = 0; !rc && i < json_array_size(pairs); i++) {
		const json_t *pair = json_array_get(pairs, i);

		if (links_item_rank(pair) != rank)
			continue;
		if (orders->n == MESH_RAILS_MAX)
			return err_set(-EBADMSG, "pairs: more than %u of a node", MESH_RAILS_MAX);
		orders->of[orders->n].what = *what;
		rc = read_pair(&orders->of[orders->n++], pair);
	}
	return rc;
}

json_t *mesh_wire_ready(uint32_t rank, const struct mesh_start *start)
{
	return json_pack("{s:s, s:I, s:I, s:[I]}", "type", "mesh_ready", "order",
			 (json_int_t)start->order, "number", (json_int_t)start->number, "ranks",
			 (json_int_t)rank);
}

json_t *mesh_wire_go(const struct mesh_start *start)
{
	return json_pack("{s:s, s:I, s:I}", "type", "mesh_go", "order", (json_int_t)start->order,
			 "number", (json_int_t)start->number);
}

/* Of a message that has no number it is 0. */
int mesh_wire_read_start(struct mesh_start *start, const json_t *msg)
{
	int rc;

	*start = (struct mesh_start){ 0 };
	rc = read_number(&start->order, msg, "order", INT64_MAX);
	if (!rc && json_object_get(msg, "number"))
		rc = read_u32(&start->number, msg, "number", UINT32_MAX);
	return rc;
}

json_t *mesh_wire_row(const struct row *row)
{
	return json_pack("{s:s, s:o}", "type", "mesh_row", "row", row_json(&row_table, row));
}

void mesh_wire_sign_row(json_t *msg, uint32_t rank, const struct mesh_start *number)
{
	(void)json_object_set_new(msg, "rank", json_integer(rank));
	(void)json_object_set_new(msg, "order", json_integer((json_int_t)number->order));
	(void)json_object_set_new(msg, "number", json_integer(number->number));
}

int mesh_wire_read_row(struct row *row, const json_t *msg)
{
	return rows_row_of(row, json_object_get(msg, "row"));
}

json_t *mesh_wire_done(const struct mesh_done *done)
{
	return json_pack("{s:s, s:s, s:s}", "type", "mesh_done", "status",
			 result_status_names[done->status], "reason", done->reason);
}

void mesh_wire_sign_done(json_t *msg, uint32_t rank, uint64_t order)
{
	(void)json_object_set_new(msg, "order", json_integer((json_int_t)order));
	mesh_wire_add_rank(msg, rank);
}

int mesh_wire_read_done(struct mesh_done *done, const json_t *msg)
{
	const char *status = json_string_value(json_object_get(msg, "status"));

	for (done->status = RESULT_OK; result_status_names[done->status]; done->status++)
		if (status && !strcmp(status, result_status_names[done->status]))
			return read_text(done->reason, sizeof(done->reason),
					 json_object_get(msg, "reason"), "reason");
	return err_set(-EBADMSG, "status: expected that of a row");
}
