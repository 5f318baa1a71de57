/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room place: binds threads and memory to their places, asks the kernel where they were, and maps
 * hugepages. It knows no verbs and no options.
 *
 * This header: the places of the measuring threads of one side, chosen by topo_placement.h as the
 * options ask, and binding to them. affinity_report.h compares them with where the kernel had them.
 */
#ifndef AFFINITY_H
#define AFFINITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/topo.h"
#include "topo/topo_hca.h"
#include "topo/topo_placement.h"

/* What the options ask for one side, and the HCA of that side. */
struct affinity_side {
	struct topo_request request;  /* first and busy are not used */
	const char *device, *netdev;  /* the RDMA device and its netdev ("": none) */
	const char *neighbours;       /* for affinity_neighbours_parse() */
};

struct affinity_request {
	struct affinity_side own;
	/* the peer, if it is on this host and chooses its cpus first; NULL: none */
	const struct affinity_side *peer;
};

/* Zeroed: no thread is bound. It is not moved once it is open. */
struct affinity_plan {
	/*
	 * The description of this machine, which is kept from plan to plan; NULL: not yet. A caller
	 * that has one lends it: set it in the zeroed plan.
	 */
	const struct topo *machine;
	struct topo own;                   /* machine, if nobody has lent one */
	struct topo_hca hca;
	struct topo_placement placement;
	bool loaded;                       /* machine, hca and placement are valid */
	char note[2 * TOPO_TEXT_MAX];      /* for the user: the choice, or why there is none; "" */
};

/*
 * Loads this machine and chooses the places. It leaves to the peer the cpus that the peer chooses,
 * and theirs to the neighbours of both before this session.
 * 0; -EINVAL with an error message when the request cannot be met. plan is zeroed, or its last one
 * has ended.
 */
int affinity_open(struct affinity_plan *plan, const struct affinity_request *request)
	__attribute__((warn_unused_result));

/*
 * The places are given back. The description of the machine stays for the next affinity_open(): to
 * make it takes as long as many a point. Both accept a zeroed or closed plan.
 */
void affinity_end(struct affinity_plan *plan);
void affinity_close(struct affinity_plan *plan);

/* The place of a thread, owned by the plan; NULL: it has none. plan may be NULL. */
const struct topo_place *affinity_place(const struct affinity_plan *plan, uint32_t thread);

/*
 * The completion vector of a thread's CQs, modulo their number; where nothing is known the threads
 * use them in turn. plan may be NULL.
 */
uint32_t affinity_vector(const struct affinity_plan *plan, uint32_t thread);

/* The binding of a thread before affinity_bind(). */
struct affinity_saved {
	hwloc_topology_t hw;         /* NULL: nothing to restore */
	hwloc_bitmap_t cpus, nodes;
	hwloc_membind_policy_t policy;
};

/*
 * Binds the calling thread, and the memory that it touches from now on, to the place of a measuring
 * thread. Threads that it creates inherit both. Does nothing without a place; plan may be NULL.
 * -errno with an error message; the thread then has its old binding. saved NULL: the caller never
 * restores the binding.
 */
int affinity_bind(struct affinity_saved *saved, const struct affinity_plan *plan, uint32_t thread)
	__attribute__((warn_unused_result));
/* Restores the binding of the calling thread; accepts a zeroed struct. */
void affinity_restore(struct affinity_saved *saved);

/*
 * ---- neighbours
 *
 * Sessions of one run that are on this machine at the same time: several pairs of devices. Each
 * session chooses the places of its own threads, and each knows the devices of all: so it finds out
 * which cpus those before it have, by the same choice, and no two of them take the same one as long
 * as there are enough.
 *
 * As a text: "1:mlx5_0,mlx5_1,mlx5_2": this session is number 1, and those are the devices, of its
 * side, on its host. An empty name: the device of the session that reads it.
 */

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
int affinity_neighbours_parse(struct neighbours *all, const char *text)
	__attribute__((warn_unused_result));

/* The reverse. Returns text. */
const char *affinity_neighbours_text(const struct neighbours *all, char *text, size_t size);

/*
 * Adds the cpus of the first n sessions of a side to busy, which has those that are taken before. A
 * session whose request cannot be met has none: it says so itself.
 */
void affinity_neighbours_cpus(hwloc_bitmap_t busy, const struct topo *t,
			      const struct affinity_side *side, const struct neighbours *all,
			      uint32_t n);

#endif
