/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Sessions of one run that are on this machine at the same time: several pairs of devices. Each
 * session chooses the places of its own threads, and each knows the devices of all: so it finds out
 * which cpus those before it have, by the same choice, and no two of them take the same one as long
 * as there are enough.
 *
 * As a text: "1:mlx5_0,mlx5_1,mlx5_2": this session is number 1, and those are the devices, of its
 * side, on its host. An empty name: the device of the session that reads it.
 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include <stddef.h>
#include <stdint.h>

#include "topo/topo.h"
#include "topo/topo_place.h"

#define NEIGHBOURS_MAX 64
#define NEIGHBOURS_NAME 64
#define NEIGHBOURS_TEXT (NEIGHBOURS_MAX * (NEIGHBOURS_NAME + 1) + 4)

struct neighbours {
	uint32_t own; /* number of this session */
	uint32_t n;   /* of all */
	char devices[NEIGHBOURS_MAX][NEIGHBOURS_NAME];
};

/*
 * NULL or "": this session is alone. -EINVAL with an error message: it may come from a peer.
 */
int neighbours_parse(struct neighbours *all, const char *text) __attribute__((warn_unused_result));

/* The reverse. Returns text. */
const char *neighbours_text(const struct neighbours *all, char *text, size_t size);

/* The sessions of one side. */
struct neighbours_side {
	const char *device, *netdev; /* of the session that reads it */
	struct topo_request request; /* of all of them; first and busy are not used */
};

/*
 * Adds the cpus of the first n sessions to busy, which has those that are taken before. A session
 * whose request cannot be met has none: it says so itself.
 */
void neighbours_cpus(hwloc_bitmap_t busy, const struct topo *t, const struct neighbours_side *side,
		     const struct neighbours *all, uint32_t n);

#endif
