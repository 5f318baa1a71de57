/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Binding a thread and its memory to the place of a measuring thread. */
#ifndef AFFINITY_BIND_H
#define AFFINITY_BIND_H

#include <stddef.h>
#include <stdint.h>
#include <hwloc.h>

#include "host/affinity.h"

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
 * Checks that the pages of a bound thread's memory are on its NUMA node. -EIO with an error message
 * if not.
 */
int affinity_bind_check(const struct affinity_plan *plan, uint32_t thread, const void *base,
			size_t len) __attribute__((warn_unused_result));

#endif
