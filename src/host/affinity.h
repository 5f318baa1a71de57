/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder host: binds threads and memory to their places, asks the kernel where they were, and maps
 * hugepages. It knows no verbs and no options.
 *
 * This header: the places of the measuring threads of one side, chosen by topo_placement.h as the
 * options ask. affinity_bind.h binds to them, affinity_observed.h and affinity_pages.h ask the
 * kernel where threads and memory are, affinity_assess.h compares the two.
 */
#ifndef AFFINITY_H
#define AFFINITY_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/topo.h"
#include "topo/topo_hca.h"
#include "topo/topo_placement.h"

/* What the options ask for one side, and the HCA of that side. */
struct affinity_side {
	const char *pin, *mem;             /* values of --pin and --mem, valid (topo_spec.h) */
	const char *pin_label, *mem_label; /* names of these options, for messages */
	const char *device, *netdev;       /* the RDMA device and its netdev ("": none) */
	const char *neighbours;            /* devices of sessions at the same time (neighbours.h) */
};

struct affinity_request {
	struct affinity_side own;
	/* the peer, if it is on this host and chooses its cpus first; NULL: none */
	const struct affinity_side *peer;
	uint32_t threads;                  /* measuring threads of each side */
	bool events;                       /* threads wait for completion events */
};

/* Zeroed: no thread is bound. */
struct affinity_plan {
	struct topo topo;
	struct topo_hca hca;
	struct topo_placement placement;
	bool described;                    /* topo is valid: it is kept from plan to plan */
	bool loaded;                       /* topo, hca and placement are valid */
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

#endif
