/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room topo: the machine as hwloc and the kernel describe it, and the choice of a place for each
 * measuring thread. It binds nothing and knows no verbs.
 *
 * This header: which cpus this process may use, the NUMA nodes and the distances between them. The
 * other topo_*.h build on it. Everything that they compute depends only on a loaded struct topo, so
 * the same machine file (HWLOC_XMLFILE) gives the same placement.
 *
 * Numbers: cpus and NUMA nodes have the numbers of the system (taskset, numactl). Cores, caches and
 * packages have the logical numbers of hwloc (lstopo -l): their system numbers are not unique.
 */
#ifndef TOPO_H
#define TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hwloc.h>
#if HWLOC_API_VERSION >= 0x00020400
#include <hwloc/cpukinds.h>
#endif

#define TOPO_NONE UINT32_MAX /* in place of a number: none, or unknown */
#define TOPO_TEXT_MAX 160    /* bytes of a reason, or of a list of cpus or nodes */

/*
 * hwloc does not know these facts. The machine's XML carries them as info attributes of these names
 * (topo_xml_write()), so that the XML gives the same placement as the machine itself.
 */
#define TOPO_INFO_AFFINITY "VerbenchAffinity"
#define TOPO_INFO_ISOLATED "VerbenchIsolated"

struct topo {
	hwloc_topology_t hw;
	bool this_host;              /* it describes this machine: threads can be bound by it */
	const char *source;          /* who describes it: a variable of the environment, or hwloc */
	hwloc_bitmap_t affinity;     /* cpus that this process may run on */
	hwloc_bitmap_t isolated;     /* cpus of isolcpus= or nohz_full= */
	hwloc_bitmap_t usable;       /* cpus that measuring threads may use */
};

/*
 * Loads this machine, or the one that HWLOC_XMLFILE or HWLOC_SYNTHETIC describes. hwloc ignores a
 * variable that it cannot use; here it is an error. 0, or -errno with an error message.
 * topo_close() accepts a zeroed struct.
 */
int topo_open(struct topo *t) __attribute__((warn_unused_result));
/*
 * If one of the variables HWLOC_SYNTHETIC, HWLOC_XMLFILE and HWLOC_FSROOT is set: can it be used?
 * For commands that would measure without a topology. Errors as of topo_open().
 */
int topo_check(void) __attribute__((warn_unused_result));
/* Loads a machine from XML text, for tests. this_host is false. */
int topo_open_xml(struct topo *t, const char *xml) __attribute__((warn_unused_result));
void topo_close(struct topo *t);

/* The NUMA node object of a system number; NULL: none. */
hwloc_obj_t topo_node_obj(const struct topo *t, uint32_t node);

/* The NUMA node of a cpu; TOPO_NONE: none. */
uint32_t topo_node_of_cpu(const struct topo *t, uint32_t cpu);

/* Distance between two NUMA nodes in the firmware's table (ACPI SLIT, 10: local), or TOPO_NONE. */
uint32_t topo_distance(const struct topo *t, uint32_t from_node, uint32_t to_node);

/* A bitmap as "0-3,8"; a list that does not fit ends with "...". Returns text. */
const char *topo_list_text(hwloc_const_bitmap_t set, char *text, size_t size);

/* How many are in both. a is finite. */
uint32_t topo_count_common(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b);

/* ---- functions that older versions of hwloc lack: every #if on a version is in this file */

/* hwloc 2.1: leave out the GPU libraries. They start slowly and know nothing about HCAs. */
static inline void topo_skip_gpus(hwloc_topology_t hw)
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

/* hwloc 2.4: the speed of a cpu's kind, greater is faster; 0 when all cpus are of one kind. */
static inline int topo_cpu_speed(hwloc_topology_t hw, hwloc_const_cpuset_t cpu)
{
	int speed = 0;
#if HWLOC_API_VERSION >= 0x00020400
	int kind = hwloc_cpukinds_get_by_cpuset(hw, cpu, 0);

	if (kind < 0 || hwloc_cpukinds_get_info(hw, (unsigned)kind, NULL, &speed, NULL, NULL, 0))
		return 0;
#else
	(void)hw;
	(void)cpu;
#endif
	return speed < 0 ? 0 : speed;
}

#endif
