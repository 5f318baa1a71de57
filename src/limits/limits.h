/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder limits: what one side allows, and how GIDs of both sides pair. It decides nothing else.
 *
 * This header: what one side's device, port and owner allow: the input of the plan beside
 * the options. rdma/dev.h makes it; the messages limits and agree carry it.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "util/field.h"

#define PLAN_MAX_GIDS 64
#define PLAN_NAME 64
#define PLAN_PLACE 256 /* a text of --pin or --mem */

/* Of a P_Key: full member, else limited; the other bits are the partition. IBA vol. 1, 10.9.1.1 */
#define LIMITS_PKEY_FULL 0x8000u

/* As enum ibv_transport_type; what is not known there is "other". */
enum limits_transport { LIMITS_IB, LIMITS_IWARP, LIMITS_OTHER };
extern const char *const limits_transport_types[]; /* ib iwarp other */

/* Whether DC can be had; why not. */
enum limits_dc {
	LIMITS_DC_UNKNOWN,    /* not looked for */
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
	bool elsewhere; /* its netdev or its address is of another network namespace */
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
 * Of the receivers of a multicast group, which all have one plan: lowers what decides the numbers
 * of a plan (the rows with a merge) to what one more of them has.
 */
void limits_join(struct limits *all, const struct limits *one);

/* Bytes of the longest message; what no port tells is bounded as InfiniBand is. */
#define LIMITS_MSG_MAX (UINT32_C(1) << 31) /* IBA vol. 1, 9.7.1 and C9-8 */
uint32_t limits_msg_max(const struct limits *limits);

/* Do both sides run on one machine? By its boot, or by its name where a side does not know that. */
bool limits_one_host(const struct limits *a, const struct limits *b);

/* Ethernet, InfiniBand, unspecified. */
const char *limits_link_name(const struct limits *limits);

/* Are the addresses of the port GIDs, so that all its packets have a GRH? */
bool limits_needs_grh(const struct limits *limits);

/* As a JSON object, with its GIDs. New reference; NULL: no memory. */
json_t *limits_encode(const struct limits *limits);

/* The reverse, of what a peer sent. -EBADMSG with an error message; *limits is then unchanged. */
int limits_decode(struct limits *limits, const json_t *json) __attribute__((warn_unused_result));

#endif
