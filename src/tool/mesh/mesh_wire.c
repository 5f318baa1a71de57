/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The messages between agents and root, as JSON and back; see mesh.h. No value is trusted. */
#include "config.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
	uint64_t wide;
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

	snprintf(hex, sizeof(hex), "%016" PRIx64, join->fingerprint);
	return json_pack("{s:s, s:I, s:I, s:I, s:s, s:s}", "type", "mesh_join", "rank",
			 (json_int_t)join->rank, "size", (json_int_t)join->size, "port",
			 (json_int_t)join->port, "measures", hex, "name", join->name);
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

json_t *mesh_wire_nodes(const struct mesh_node *nodes, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		(void)json_array_append_new(list, json_pack("[s, I, s]", nodes[i].host,
							    (json_int_t)nodes[i].port,
							    nodes[i].name));
	if (json_array_size(list) == n)
		return json_pack("{s:s, s:o}", "type", "mesh_nodes", "nodes", list);
	json_decref(list);
	return NULL;
}

static int read_node(struct mesh_node *node, const json_t *item)
{
	const json_int_t port = json_integer_value(json_array_get(item, 1));
	int rc = read_text(node->host, sizeof(node->host), json_array_get(item, 0), "host");

	if (!rc)
		rc = read_text(node->name, sizeof(node->name), json_array_get(item, 2), "name");
	if (!rc && (port < 0 || port > 65535))
		rc = err_set(-EBADMSG, "port: expected 0..65535");
	node->port = (uint32_t)port;
	return rc;
}

int mesh_wire_read_nodes(struct mesh_node *nodes, uint32_t n, const json_t *msg)
{
	const json_t *list = json_object_get(msg, "nodes");
	int rc = 0;

	if (!json_is_array(list) || json_array_size(list) != n)
		return err_set(-EBADMSG, "nodes: expected a list of %u", n);
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = read_node(&nodes[i], json_array_get(list, i));
	return rc;
}

/* ---- measuring */

json_t *mesh_wire_cell(const struct mesh_order *order)
{
	return json_pack("{s:s, s:I, s:I, s:I}", "type", "mesh_cell", "round",
			 (json_int_t)order->round, "cell", (json_int_t)order->cell, "to",
			 (json_int_t)order->to);
}

int mesh_wire_read_cell(struct mesh_order *order, const json_t *msg)
{
	int rc = read_u32(&order->round, msg, "round", UINT32_MAX);

	if (!rc)
		rc = read_u32(&order->cell, msg, "cell", UINT32_MAX);
	return rc ? rc : read_u32(&order->to, msg, "to", MESH_NODES_MAX - 1);
}

json_t *mesh_wire_row(const struct row *row)
{
	return json_pack("{s:s, s:o}", "type", "mesh_row", "row", row_json(&row_table, row));
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

int mesh_wire_read_done(struct mesh_done *done, const json_t *msg)
{
	const char *status = json_string_value(json_object_get(msg, "status"));

	for (done->status = RESULT_OK; result_status_names[done->status]; done->status++)
		if (status && !strcmp(status, result_status_names[done->status]))
			return read_text(done->reason, sizeof(done->reason),
					 json_object_get(msg, "reason"), "reason");
	return err_set(-EBADMSG, "status: expected that of a row");
}
