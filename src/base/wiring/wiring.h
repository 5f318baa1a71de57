/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room wiring: to which switch each node of a fabric is cabled, its leaf, and how many switches are
 * between two of them, from a file as ibnetdiscover prints it (rdma-core,
 * infiniband-diags/ibnetdiscover.c). No memory ends the program (util/must.h).
 *
 *	struct wiring *w;
 *	rc = wiring_read(&w, path);
 *	leaf = wiring_leaf(w, "node7", "mlx5_0");
 *	if (leaf != WIRING_NONE)
 *		... wiring_name(w, leaf)
 *	wiring_free(w);
 */
#ifndef WIRING_H
#define WIRING_H

#include <stddef.h>
#include <stdint.h>

#define WIRING_NONE UINT32_MAX
#define WIRING_FILE_MAX (256u << 20) /* bytes */

struct wiring;

/*
 * -EINVAL, -errno with an error message that has the line. Each cable must lead to something that
 * the file has: a part of a file is refused.
 */
int wiring_read(struct wiring **w, const char *path) __attribute__((warn_unused_result));

/* Accepts NULL. */
void wiring_free(struct wiring *w);

uint32_t wiring_switches(const struct wiring *w);

/* What it is called in the file; number below wiring_switches(). */
const char *wiring_name(const struct wiring *w, uint32_t number);

/*
 * The number of the switch. The node is the first word of the description of its devices, with or
 * without a domain; the device the second one ("mlx5_0", or "HCA-1" for a device with the number
 * 0), NULL or "": any. WIRING_NONE: the node is not there, or those devices are not all on one
 * switch.
 */
uint32_t wiring_leaf(const struct wiring *w, const char *node, const char *device);

/*
 * How many switches are on the shortest way from a switch to each one: 1 to itself; 0: there is no
 * way. hops: as many as there are switches.
 */
void wiring_hops(const struct wiring *w, uint32_t from, uint32_t *hops);

#endif
