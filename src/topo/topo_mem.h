/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The choice of a NUMA node for the memory of each measuring thread. */
#ifndef TOPO_MEM_H
#define TOPO_MEM_H

#include "topo/topo_place.h"
#include "topo/topo_spec.h"

/* What the memory of one request is chosen with. */
struct topo_mem_choice {
	const struct topo *t;
	const struct topo_hca *hca;
	const struct topo_request *request;
	struct topo_sets sets;       /* objects of a SPEC; n 0: none */
};

/*
 * Resolves --mem. t, hca and request must live as long as *c. 0; -EINVAL with an error message. The
 * caller calls topo_mem_close() in either case.
 */
int topo_mem_open(struct topo_mem_choice *c, const struct topo *t, const struct topo_hca *hca,
		  const struct topo_request *request) __attribute__((warn_unused_result));
void topo_mem_close(struct topo_mem_choice *c);

/*
 * Chooses for thread i: fills mem_node of a place that has its cpu and node already (TOPO_NONE: the
 * thread is not bound). 0; -EINVAL with an error message.
 */
int topo_mem_choose(struct topo_place *place, const struct topo_mem_choice *c, uint32_t i)
	__attribute__((warn_unused_result));

#endif
