/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The choice of a cpu for each measuring thread. */
#ifndef TOPO_CPU_H
#define TOPO_CPU_H

#include "topo/topo_place.h"
#include "topo/topo_spec.h"

/* What the threads of one request are chosen with, and the cpus that are already chosen. */
struct topo_cpu_choice {
	const struct topo *t;
	const struct topo_hca *hca;
	const struct topo_request *request;
	enum topo_pin pin;
	struct topo_sets sets;       /* objects of a SPEC; n 0: none */
	hwloc_bitmap_t chosen;       /* cpus of the threads before */
	hwloc_bitmap_t used;         /* chosen, and cpus of others */
	hwloc_bitmap_t irq_cpus;     /* cpus that serve an interrupt of the HCA */
	hwloc_bitmap_t vector_cpus;  /* cpus that serve a completion vector */
	hwloc_bitmap_t far_cpus;     /* cpus of the nodes farthest from the HCA */
};

/*
 * Resolves --pin. t, hca and request must live as long as *c. 0; -EINVAL with an error message when
 * the request cannot be met. The caller calls topo_cpu_close() in either case.
 */
int topo_cpu_open(struct topo_cpu_choice *c, const struct topo *t, const struct topo_hca *hca,
		  const struct topo_request *request) __attribute__((warn_unused_result));
void topo_cpu_close(struct topo_cpu_choice *c);

/*
 * Chooses for thread i: fills cpu, core, node, vector and reason of an initialised place. Not for
 * --pin none. 0; -EINVAL with an error message when no cpu is left.
 */
int topo_cpu_choose(struct topo_place *place, struct topo_cpu_choice *c, uint32_t i)
	__attribute__((warn_unused_result));

#endif
