/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The request for a placement, and the place of one thread: cpu, memory node and reason. */
#ifndef TOPO_PLACE_H
#define TOPO_PLACE_H

#include "topo/topo.h"
#include "topo/topo_hca.h"

/* pin and mem are valid (topo_spec_check_pin(), topo_spec_check_mem()). */
struct topo_request {
	const char *pin, *mem;
	const char *pin_label, *mem_label; /* names of these options, for messages: "--peer-mem" */
	uint32_t threads;
	bool events;                 /* threads wait for completion events, they do not only poll */
	uint32_t first;              /* number of thread 0 in a SPEC: others had those before */
	hwloc_const_cpuset_t busy;   /* cpus of other threads on this machine; NULL: none */
};

struct topo_place {
	uint32_t cpu;                /* TOPO_NONE: not bound */
	uint32_t core, node;         /* of the cpu */
	uint32_t mem_node;           /* TOPO_NONE: memory is not bound */
	uint32_t distance;           /* from node to the HCA (topo_hca_distance()) */
	uint32_t mem_distance;       /* from mem_node to the HCA */
	uint32_t vector;             /* completion vector of the thread, modulo their number */
	enum topo_near near;         /* near: node and mem_node are both near the HCA */
	char reason[TOPO_TEXT_MAX];  /* why this place */
};

/* A place of a thread that is not bound, without a reason. */
void topo_place_init(struct topo_place *place);

/* Appends to place->reason, after a comma. */
void topo_place_add_reason(struct topo_place *place, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
