/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of topo share, and the parts of hwloc that older versions lack. */
#ifndef TOPO_OWN_H
#define TOPO_OWN_H

#include <stdint.h>
#include <hwloc.h>

#include "host/topo.h"

/* An ordered list of objects that threads are dealt over, each a set of cpus and of nodes. */
struct topo_set {
	char text[32];               /* "pu:3": for sentences */
	hwloc_bitmap_t cpus, nodes;
};

struct topo_sets {
	uint32_t n;
	struct topo_set *sets;
};

/*
 * Resolves a SPEC on a machine. -EINVAL with a sentence naming label and value: no such type or
 * object, offline, hca not known for ":nic". topo_spec_free() accepts a zeroed one.
 */
int topo_spec_resolve(struct topo_sets *sets, const struct topo *t, const struct topo_hca *hca,
		      const char *label, const char *spec) __attribute__((warn_unused_result));
void topo_spec_free(struct topo_sets *sets);

/* What memory is chosen with; sets: of a SPEC, n 0: none. */
struct topo_mem {
	const struct topo *t;
	const struct topo_hca *hca;
	const struct topo_wish *wish;
	struct topo_sets sets;
};

/* Fills place->mem_node of thread i; place->node is set. -EINVAL with a sentence. */
int topo_mem_choose(struct topo_place *place, const struct topo_mem *m, uint32_t i)
	__attribute__((warn_unused_result));

/* Adds to place->why. */
void topo_because(struct topo_place *place, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "0-3,8" of a bitmap; cut with "..." where it is too long. Returns text. */
const char *topo_list_text(hwloc_const_bitmap_t set, char *text, size_t size);

/* The NUMA node object of a system number; NULL none. */
hwloc_obj_t topo_node_obj(const struct topo *t, uint32_t node);

/* First line of a file, "" when it cannot be read. Returns text. */
const char *topo_first_line(const char *path, char *text, size_t size);

/* Of hwloc 2.1: GPU libraries, slow to start, have nothing to say here. */
static inline void topo_leave_out_gpus(hwloc_topology_t hw)
{
#if HWLOC_API_VERSION >= 0x00020100
	static const char *const names[] = { "cuda", "gl", "levelzero", "nvml", "opencl", "rsmi" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		hwloc_topology_set_components(hw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
					      names[i]);
#else
	(void)hw;
#endif
}

/* Of hwloc 2.4: how fast a cpu's kind is, the greater the faster; 0 where all are alike. */
#if HWLOC_API_VERSION >= 0x00020400
#include <hwloc/cpukinds.h>

static inline int topo_cpu_speed(hwloc_topology_t hw, hwloc_const_cpuset_t cpu)
{
	int kind = hwloc_cpukinds_get_by_cpuset(hw, cpu, 0), speed = 0;

	if (kind < 0 || hwloc_cpukinds_get_info(hw, (unsigned)kind, NULL, &speed, NULL, NULL, 0))
		return 0;
	return speed < 0 ? 0 : speed;
}
#else
static inline int topo_cpu_speed(hwloc_topology_t hw, hwloc_const_cpuset_t cpu)
{
	(void)hw;
	(void)cpu;
	return 0;
}
#endif

#endif
