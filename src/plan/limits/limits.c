/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The tables of struct limits and its JSON form in messages and results. Checks type and range of
 * every value of a peer before use.
 */
#include "config.h"
#include "limits/limits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "options/choices.h"
#include "options/kind.h"
#include "limits/gid_text.h"
#include "util/err.h"
#include "util/text.h"

const char *const limits_transport_types[] = {
	[LIMITS_IB] = "ib",
	[LIMITS_IWARP] = "iwarp",
	[LIMITS_OTHER] = "other",
	NULL,
};

const char *const limits_dc_names[] = {
	[LIMITS_DC_UNKNOWN] = "unknown",
	[LIMITS_DC_NOT_BUILT] = "not_built",
	[LIMITS_DC_NO_LIBRARY] = "no_library",
	[LIMITS_DC_NO_MLX5] = "no_mlx5",
	[LIMITS_DC_YES] = "yes",
	NULL,
};

#define FIELD(type, f, ...) FIELD_ROW(struct limits, f, __VA_ARGS__)
#define FIELD_TEXT_ROW(n, f, ...) FIELD_ROW(struct limits, f, __VA_ARGS__)
#define FIELD_AS(type, f, spelled, ...) \
	{ .name = spelled, FIELD_AT(struct limits, f), __VA_ARGS__ },
static const struct field rows[] = {
#include "limits/limits.def"
};

const struct field_table limits_table = {
	.what = "limits", .rows = rows, .n = FIELD_COUNT(rows),
};

static const struct field gid_rows[] = {
	{ FIELD_OF(struct plan_gid, index), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .help = "in the GID table of the port" },
	{ FIELD_OF(struct plan_gid, type), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .names = gid_text_types, .help = "IB: of InfiniBand" },
	{ FIELD_OF(struct plan_gid, elsewhere), .flags = FIELD_WIRE,
	  .help = "of another network namespace: used if nothing else fits" },
};

const struct field_table limits_gid_table = {
	.what = "GID", .rows = gid_rows, .n = FIELD_COUNT(gid_rows),
};

json_t *limits_encode(const struct limits *limits)
{
	json_t *json = field_encode(json_object(), &limits_table, limits, FIELD_WIRE);
	json_t *gids = json_array();

	for (uint32_t i = 0; gids && i < limits->n_gids; i++) {
		const struct plan_gid *gid = &limits->gids[i];
		char text[GID_TEXT_MAX];
		json_t *one = field_encode(json_object(), &limits_gid_table, gid, FIELD_WIRE);

		if (json_object_set_new(one, "gid", json_string(gid_text(gid->raw, text,
									  sizeof(text)))) ||
		    json_array_append(gids, one)) {
			json_decref(gids);
			gids = NULL;
		}
		json_decref(one);
	}
	if (json_object_set_new(json, "gids", gids)) {
		json_decref(json);
		json = NULL;
	}
	return json;
}

static int decode_gid(struct plan_gid *gid, const json_t *json)
{
	const char *text = json_string_value(json_object_get(json, "gid"));
	int rc = field_decode(&limits_gid_table, gid, json);

	if (!rc && (!text || inet_pton(AF_INET6, text, gid->raw) != 1))
		rc = err_set(-EBADMSG, "the peer's limits: field \"gid\" is missing or not an IPv6 address");
	return rc;
}

int limits_decode(struct limits *limits, const json_t *json)
{
	const json_t *gids = json_object_get(json, "gids");
	struct limits read = { .n_gids = 0 };
	int rc;

	rc = field_decode(&limits_table, &read, json);
	if (!rc && (!json_is_array(gids) || json_array_size(gids) > PLAN_MAX_GIDS))
		rc = err_set(-EBADMSG, "the peer's limits: field \"gids\" is not an array of at most %u",
			     PLAN_MAX_GIDS);
	for (; !rc && read.n_gids < json_array_size(gids); read.n_gids++)
		rc = decode_gid(&read.gids[read.n_gids], json_array_get(gids, read.n_gids));
	if (!rc)
		*limits = read;
	return rc;
}

uint32_t limits_msg_max(const struct limits *limits)
{
	return limits->max_msg_bytes == UINT32_MAX ? LIMITS_MSG_MAX : limits->max_msg_bytes;
}

bool limits_one_host(const struct limits *a, const struct limits *b)
{
	if (a->boot_id[0] && b->boot_id[0])
		return !strcmp(a->boot_id, b->boot_id);
	return !strcmp(a->host, b->host);
}

const char *limits_link_name(const struct limits *limits)
{
	if (limits->link_unspecified)
		return "unspecified";
	return limits->ethernet ? "Ethernet" : "InfiniBand";
}

bool limits_needs_grh(const struct limits *limits)
{
	return limits->ethernet || limits->link_unspecified || limits->grh_required;
}

const char *limits_paced(const struct limits *limits, char text[LIMITS_PACED_TEXT])
{
	text[0] = '\0';
	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (limits->paced_transports >> tp & 1)
			text_add(text, LIMITS_PACED_TEXT, ", ", "%s", kind_transport_names[tp]);
	return text;
}

void limits_join(struct limits *all, const struct limits *one)
{
	field_merge(&limits_table, all, one);
}
