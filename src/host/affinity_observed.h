/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Where a measuring thread runs and what disturbs it, as the kernel reports it around its loop. */
#ifndef AFFINITY_OBSERVED_H
#define AFFINITY_OBSERVED_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* In arrays of two: [0] before the loop, [1] after it. */
struct affinity_observed {
	bool complete;               /* affinity_observed_end() filled it */
	uint32_t cpu[2], node[2];    /* TOPO_NONE: unknown */
	uint32_t n_cpus;             /* cpus that the thread may run on; 0: unknown */
	cpu_set_t cpus;              /* these cpus */
	uint64_t at_ns[2];           /* clock_ns() */
	uint64_t waited_ns[2];       /* time on a run queue; UINT64_MAX: unknown */
	uint64_t sibling_ticks[2];   /* busy time of the core's other cpus, in 1/100 s */
	uint32_t n_siblings;         /* other cpus of the core; 0: none, or unknown */
};

/*
 * The measuring thread calls these around its loop, outside the measured time.
 * affinity_observed_loop() is for a thread that slept after affinity_observed_begin(): it asks
 * again for the cpu right before the loop, with one system call.
 */
void affinity_observed_begin(struct affinity_observed *o);
void affinity_observed_loop(struct affinity_observed *o);
void affinity_observed_end(struct affinity_observed *o);

#endif
