/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Chooses the GIDs of both sides as a pair, from both GID tables. Pure. */
#ifndef GID_H
#define GID_H

#include <stddef.h>
#include <stdint.h>

#include "limits/limits.h"

struct gid_pair {
	uint32_t client, server;  /* GID table indices (plan_gid.index) */
	uint32_t rank;            /* how well ports match: higher is better; equal ones are alike */
	char reason[128];         /* "RoCE v2, IPv4, addresses share their first 24 bits" */
};

/*
 * Same type, family and scope; entries of this network namespace first, RoCE v2 before v1, routable
 * before link-local, then the longest common prefix. Without Ethernet, index 0 on both sides.
 * limits.gid_index other than CFG_AUTO fixes the index of that side. -EINVAL with an error message:
 * no pair matches (the message has the nearest GIDs), a fixed index holds no GID, or the links
 * differ or one is iWARP.
 */
int gid_choose(struct gid_pair *pair, const struct limits *client, const struct limits *server)
	__attribute__((warn_unused_result));

/* The table's entry of that index, NULL if it holds none. */
const struct plan_gid *gid_find(const struct limits *limits, uint32_t index);

/*
 * Ports of different links, or iWARP and RoCE, cannot reach each other: -EINVAL with an error
 * message and the cause "path".
 */
int gid_check_links(const struct limits *client, const struct limits *server);

#endif
