/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The places of all threads of a request: a cpu and a memory node for each, with the reason. */
#ifndef TOPO_PLACEMENT_H
#define TOPO_PLACEMENT_H

#include "topo/topo_hca.h"
#include "topo/topo_spec.h"

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

struct topo_placement {
	uint32_t n;
	struct topo_place *places;   /* owned: topo_placement_free() */
	char note[TOPO_TEXT_MAX];    /* --pin auto: why no thread is bound; "": threads are bound */
};

/*
 * Chooses a place for each of request->threads threads. Pure: it binds nothing. 0; -EINVAL with an
 * error message when the request cannot be met. An HCA of unknown location is no error with --pin
 * auto: the threads are then not bound, and out->note says so.
 */
int topo_placement_choose(struct topo_placement *out, const struct topo *t,
			  const struct topo_hca *hca, const struct topo_request *request)
	__attribute__((warn_unused_result));
void topo_placement_free(struct topo_placement *p);

/* ---- topo_cpu.c, inside: the choice of a cpu for each thread */

/* One request, and the cpus that are already chosen. */
struct topo_choice {
	const struct topo *t;
	const struct topo_hca *hca;
	const struct topo_request *request;
	enum topo_pin pin;
	struct topo_sets cpu_sets;   /* objects of the SPEC of --pin; n 0: none */
	struct topo_sets mem_sets;   /* of --mem */
	const char *unbound;         /* why the threads are not bound; NULL: they are bound */
	hwloc_bitmap_t chosen;       /* cpus of the threads before */
	hwloc_bitmap_t used;         /* chosen, and cpus of others */
	hwloc_bitmap_t irq_cpus;     /* cpus that serve an interrupt of the HCA */
	hwloc_bitmap_t vector_cpus;  /* cpus that serve a completion vector */
	hwloc_bitmap_t within;       /* cpus that --pin names: near, farthest, of the SPEC, all */
};

/* Resolves --pin. -EINVAL with an error message when the request cannot be met. */
int topo_cpu_resolve(struct topo_choice *c) __attribute__((warn_unused_result));

/*
 * Chooses for thread i: fills cpu, core, node, vector and reason of an initialised place. Not for
 * --pin none. 0; -EINVAL with an error message when no cpu is left.
 */
int topo_cpu_choose(struct topo_place *place, struct topo_choice *c, uint32_t i)
	__attribute__((warn_unused_result));

#endif
