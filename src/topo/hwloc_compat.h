/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Functions of hwloc that older versions lack. Every #if on a version of hwloc is here. */
#ifndef HWLOC_COMPAT_H
#define HWLOC_COMPAT_H

#include <stddef.h>
#include <hwloc.h>

/* hwloc 2.1: leave out the GPU libraries. They start slowly and know nothing about HCAs. */
static inline void hwloc_compat_skip_gpus(hwloc_topology_t hw)
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
#if HWLOC_API_VERSION >= 0x00020400
#include <hwloc/cpukinds.h>

static inline int hwloc_compat_cpu_speed(hwloc_topology_t hw, hwloc_const_cpuset_t cpu)
{
	int kind = hwloc_cpukinds_get_by_cpuset(hw, cpu, 0), speed = 0;

	if (kind < 0 || hwloc_cpukinds_get_info(hw, (unsigned)kind, NULL, &speed, NULL, NULL, 0))
		return 0;
	return speed < 0 ? 0 : speed;
}
#else
static inline int hwloc_compat_cpu_speed(hwloc_topology_t hw, hwloc_const_cpuset_t cpu)
{
	(void)hw;
	(void)cpu;
	return 0;
}
#endif

#endif
