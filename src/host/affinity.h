/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The placement of one side of a run, chosen by topo.h: binding a thread and its memory to its
 * place, and what the kernel then says of where both were. Nothing reported here comes from what
 * was asked for.
 */
#ifndef AFFINITY_H
#define AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/cfg.h"
#include "plan/plan.h"
#include "host/affinity_report.h"
#include "host/topo.h"

/* One side's threads. Zeroed: nothing is bound, nothing known. */
struct affinity_plan {
	struct topo topo;
	struct topo_hca hca;
	struct topo_placement places;
	bool loaded;                 /* topo and hca may be used */
	char note[2 * TOPO_WHY];     /* for people: what was chosen, or why nothing was */
};

/*
 * Loads the machine and places the threads of side, as the test's options say. Both sides' limits
 * are known: with the other side on the same host its cpus are left to it. -EINVAL with a sentence
 * for a placement that cannot be had. affinity_close() accepts a zeroed or closed plan.
 */
int affinity_open(struct affinity_plan *s, const struct cfg *test, enum side side,
	      const struct limits *const limits[2]) __attribute__((warn_unused_result));
void affinity_close(struct affinity_plan *s);

/* Completion vector of a thread's CQs. */
uint32_t affinity_vector(const struct affinity_plan *s, uint32_t thread);

/* What a bound thread had before. */
struct affinity_before {
	hwloc_topology_t hw;         /* NULL: nothing to restore */
	hwloc_bitmap_t cpus, nodes;
	hwloc_membind_policy_t policy;
};

/*
 * Binds the calling thread, and the memory it will touch from here on, to the place of a measuring
 * thread; threads that it creates inherit both. -errno with a sentence; *before is then as after
 * affinity_leave(). before NULL: the binding is for good.
 */
int affinity_take(struct affinity_before *before, const struct affinity_plan *s, uint32_t thread)
	__attribute__((warn_unused_result));
/* Gives the calling thread back what it had; accepts a zeroed one. */
void affinity_leave(struct affinity_before *before);

/* -EIO with a sentence when pages of a bound thread's memory are not on the node asked for. */
int affinity_check_memory(const struct affinity_plan *s, uint32_t thread, const void *base,
			  size_t len) __attribute__((warn_unused_result));

/* What the kernel said of a thread before and after its loop. */
struct affinity_seen {
	bool seen;                   /* affinity_end() was there */
	uint32_t cpu[2], node[2];    /* TOPO_NONE: not told */
	uint32_t n_cpus;             /* that it may run on; 0: not told */
	cpu_set_t cpus;
	uint64_t at_ns[2];
	uint64_t waited_ns[2];       /* on a run queue; UINT64_MAX: not told */
	uint64_t sibling_ticks[2];   /* busy, of the other cpus of its core, 1/100 s */
	uint32_t n_siblings;
};

/*
 * In the measuring thread, around its loop and not part of the window. affinity_enter(): between the
 * two, right before the loop, for one that has slept since affinity_begin(); one system call.
 */
void affinity_begin(struct affinity_seen *seen);
void affinity_enter(struct affinity_seen *seen);
void affinity_end(struct affinity_seen *seen);

/* One thread, its memory and what was seen of it. seen NULL: this side has no loop. */
struct affinity_report_in {
	const struct affinity_plan *plan; /* NULL: none was made */
	uint32_t thread;
	const struct affinity_seen *seen;
	const void *base;
	size_t len;
	uint64_t involuntary_switches;
};

/* Fills *out for one thread; affinity_merge() adds another one's. */
void affinity_report(struct affinity_report *out, const struct affinity_report_in *in);
void affinity_merge(struct affinity_report *sum, const struct affinity_report *one);

#endif
