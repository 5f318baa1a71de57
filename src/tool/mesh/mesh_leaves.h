/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The leaves of the nodes of a run, by --wiring; without it there are none. */
#ifndef MESH_LEAVES_H
#define MESH_LEAVES_H

#include <stdint.h>

#include "mesh/mesh_root.h"

/* Zeroed: empty. */
struct mesh_leaves {
	const struct wiring *wiring; /* NULL: not known */
	uint32_t *leaf;              /* by end (mesh_judged.h), or WIRING_NONE; owned */
	const char **names;          /* of n switches; owned */
	uint32_t n;
	uint32_t **hops;             /* by leaf, to each leaf; NULL: not asked for yet; owned */
};

/*
 * Says once of which ends it does not know them. Without --rails devices are known by their rows.
 */
void mesh_leaves_find(struct mesh_leaves *leaves, struct mesh_root *root);
void mesh_leaves_drop(struct mesh_leaves *leaves);

/* The switches between two ends; 0: not known. */
uint32_t mesh_leaves_class(const struct mesh_leaves *leaves, uint32_t a, uint32_t b);

#endif
