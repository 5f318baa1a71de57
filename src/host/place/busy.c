/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads struct busy from the kernel; see busy.h. */
#include "config.h"
#include "place/busy.h"

#include <stdio.h>
#include <unistd.h>

#include "util/text.h"

/* "0.20 0.18 0.12 1/80 11206": means of 1, 5 and 15 minutes, entities that can run now: proc(5). */
static uint32_t read_load(const char *root)
{
	char path[512], text[128];
	double minute;
	unsigned now;

	snprintf(path, sizeof(path), "%s/proc/loadavg", root);
	text_read_line(path, text, sizeof(text));
	if (sscanf(text, "%lf %*f %*f %u/", &minute, &now) != 2 || !(minute >= 0) || !now)
		return 0;
	return minute < now - 1 ? (uint32_t)minute : now - 1;
}

static void read_cpus(struct busy *b, hwloc_bitmap_t set)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			hwloc_bitmap_set(set, cpu);
	b->n_cpus = (uint32_t)CPU_COUNT(&cpus);
	topo_list_text(set, b->cpus, sizeof(b->cpus));
}

void busy_read(struct busy *b, const char *root)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	*b = (struct busy){
		.load = read_load(root), .host_cpus = online > 0 ? (uint32_t)online : 0,
	};
	if (!set)
		return;
	read_cpus(b, set);
	machine_governor(b->governor, root, b->n_cpus ? set : NULL);
	hwloc_bitmap_free(set);
}
