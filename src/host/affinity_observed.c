/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Asks the kernel about the calling thread; see affinity_observed.h. The worker calls it around
 * the measured loop, never in it.
 */
#include "config.h"
#include "host/affinity_observed.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/kernel_file.h"
#include "topo/topo.h"

#define PATH_TEXT 128

static uint64_t read_waited_ns(void)
{
	unsigned long long ran, waited;
	char text[128];

	/* ns on a cpu, ns on a run queue, time slices: Documentation/scheduler/sched-stats.rst */
	kernel_file_line("/proc/thread-self/schedstat", text, sizeof(text));
	return sscanf(text, "%llu %llu", &ran, &waited) == 2 ? waited : UINT64_MAX;
}

/* user, nice, system, irq, softirq and steal of a line of /proc/stat; user has guest: proc(5). */
static uint64_t busy_ticks(const char *line)
{
	unsigned long long v[8] = { 0 };

	if (sscanf(line, "%*s %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		   &v[4], &v[5], &v[6], &v[7]) != 8)
		return 0;
	return v[0] + v[1] + v[2] + v[5] + v[6] + v[7];
}

static uint64_t read_ticks(hwloc_const_bitmap_t cpus)
{
	FILE *f = fopen("/proc/stat", "re");
	uint64_t ticks = 0;
	char line[512];
	unsigned cpu;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu%u ", &cpu) == 1 && hwloc_bitmap_isset(cpus, cpu))
			ticks += busy_ticks(line);
	if (f)
		fclose(f);
	return ticks;
}

static void read_siblings(struct affinity_observed *o, int when)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char path[PATH_TEXT], text[256];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		 o->cpu[0]);
	kernel_file_line(path, text, sizeof(text));
	if (set && text[0] && !hwloc_bitmap_list_sscanf(set, text)) {
		hwloc_bitmap_clr(set, o->cpu[0]);
		o->n_siblings = (uint32_t)hwloc_bitmap_weight(set);
		if (o->n_siblings)
			o->sibling_ticks[when] = read_ticks(set);
	}
	hwloc_bitmap_free(set);
}

static void read_cpu(struct affinity_observed *o, int when)
{
	unsigned cpu, node;

	o->cpu[when] = TOPO_NONE;
	o->node[when] = TOPO_NONE;
	if (!syscall(SYS_getcpu, &cpu, &node, NULL)) {
		o->cpu[when] = cpu;
		o->node[when] = node;
	}
}

void affinity_observed_begin(struct affinity_observed *o)
{
	*o = (struct affinity_observed){ .waited_ns = { read_waited_ns() } };
	read_cpu(o, 0);
	if (o->cpu[0] != TOPO_NONE)
		read_siblings(o, 0);
	o->at_ns[0] = clock_ns();
}

void affinity_observed_loop(struct affinity_observed *o)
{
	const uint32_t before = o->cpu[0];

	read_cpu(o, 0);
	/* sibling_ticks[0] are those of another core */
	if (o->cpu[0] != before)
		o->n_siblings = 0;
}

void affinity_observed_end(struct affinity_observed *o)
{
	o->at_ns[1] = clock_ns();
	read_cpu(o, 1);
	o->waited_ns[1] = read_waited_ns();
	if (o->n_siblings)
		read_siblings(o, 1);
	if (!sched_getaffinity(0, sizeof(o->cpus), &o->cpus))
		o->n_cpus = (uint32_t)CPU_COUNT(&o->cpus);
	o->complete = true;
}
