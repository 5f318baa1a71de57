/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room limits: what one side allows, and how GIDs of both sides pair. It decides nothing else.
 *
 * This header: what one side's device, port and owner allow: the input of the plan besides the
 * options. device/dev.h fills it in; the messages limits and agree carry it.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "util/field.h"

#define PLAN_MAX_GIDS 64
#define PLAN_NAME 64
#define LIMITS_MISSING 384
#define PLAN_PLACE 256 /* a text of --pin or --mem */

/*
 * Bit of a P_Key: full member, else limited; the other bits are the partition. IBA vol. 1, 10.9.1.1
 */
#define LIMITS_PKEY_FULL 0x8000u

/* As enum ibv_transport_type; any other value is "other". */
enum limits_transport { LIMITS_IB, LIMITS_IWARP, LIMITS_OTHER };
extern const char *const limits_transport_types[]; /* ib iwarp other */

/* Is DC available, and if not, why? */
enum limits_dc {
	LIMITS_DC_UNKNOWN,    /* not checked */
	LIMITS_DC_NOT_BUILT,  /* the program is built without libmlx5 */
	LIMITS_DC_NO_LIBRARY, /* the machine has no libmlx5 */
	LIMITS_DC_NO_MLX5,    /* libmlx5 says no: mlx5dv_is_supported() */
	LIMITS_DC_YES,
};
extern const char *const limits_dc_names[]; /* unknown not_built no_library no_mlx5 yes */

enum gid_type { GID_IB, GID_ROCE_V1, GID_ROCE_V2, GID_TYPE_COUNT };

struct plan_gid {
	uint32_t index;
	enum gid_type type;
	bool elsewhere; /* its netdev or its address belongs to another network namespace */
	uint8_t raw[16];
};

#define FIELD FIELD_DECLARE
#define FIELD_AS FIELD_DECLARE
#define FIELD_TEXT_ROW FIELD_DECLARE_TEXT

struct limits {
#include "limits/limits.def"
	uint32_t n_gids;
	struct plan_gid gids[PLAN_MAX_GIDS];
};

extern const struct field_table limits_table;     /* all but the GIDs */
extern const struct field_table limits_gid_table; /* all but raw */

/*
 * The receivers of a multicast group share one plan: lowers each value that limits a plan (the rows
 * with a merge) to that of one more receiver.
 */
void limits_join(struct limits *all, const struct limits *one);

/* Bytes of the longest message; if the port does not report it, the limit of InfiniBand. */
#define LIMITS_MSG_MAX (UINT32_C(1) << 31) /* IBA vol. 1, 9.7.1 and C9-8 */
uint32_t limits_msg_max(const struct limits *limits);

/*
 * Are both sides on one machine? Compares boot ids, or host names if a side does not know its own.
 */
bool limits_one_host(const struct limits *a, const struct limits *b);

/* Ethernet, InfiniBand, unspecified. */
const char *limits_link_name(const struct limits *limits);

/* Are the port's addresses GIDs, so that all its packets have a GRH? */
bool limits_needs_grh(const struct limits *limits);

/* "RC, UC": the transports whose QPs the device paces. "": none. Returns text. */
#define LIMITS_PACED_TEXT 32
const char *limits_paced(const struct limits *limits, char text[LIMITS_PACED_TEXT]);

/* As a JSON object, with its GIDs. New reference; NULL: no memory. */
json_t *limits_encode(const struct limits *limits);

/*
 * The reverse, for a message of the peer. -EBADMSG with an error message; *limits is then
 * unchanged.
 */
int limits_decode(struct limits *limits, const json_t *json) __attribute__((warn_unused_result));

#endif
