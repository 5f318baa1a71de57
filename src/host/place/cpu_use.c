/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads and compares the CPU time of a process and of the machine; see cpu_use.h. */
#include "config.h"
#include "place/cpu_use.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "util/clock.h"
#include "util/text.h"

#define MIN_TICKS 20 /* of one CPU */

/* The line of all CPUs: proc(5). user has guest, and nice has guest_nice. */
static void read_machine(struct cpu_use *now, const char *root)
{
	unsigned long long v[8] = { 0 };
	char path[PATH_MAX], text[256];

	snprintf(path, sizeof(path), "%s/proc/stat", root);
	if (sscanf(text_read_line(path, text, sizeof(text)),
		   "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4],
		   &v[5], &v[6], &v[7]) != 8)
		return;
	now->softirq = v[6];
	now->steal = v[7];
	for (int i = 0; i < 8; i++)
		now->all += v[i];
}

void cpu_use_read(struct cpu_use *now, const char *root)
{
	*now = (struct cpu_use){ .process_ns = clock_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) };
	now->thread_ns = clock_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	read_machine(now, root);
}

uint64_t cpu_use_other_ns(const struct cpu_use *before, const struct cpu_use *after,
			  uint64_t measuring_ns)
{
	const uint64_t all_ns = after->process_ns - before->process_ns;
	const uint64_t known_ns = after->thread_ns - before->thread_ns + measuring_ns;

	return all_ns > known_ns ? all_ns - known_ns : 0;
}

static double percent(const struct cpu_use *before, const struct cpu_use *after, uint64_t ticks)
{
	const uint64_t all = after->all - before->all;

	if (!before->all || after->all < before->all || all < MIN_TICKS || ticks > all)
		return NAN;
	return (double)ticks * 100 / (double)all;
}

double cpu_use_softirq_pct(const struct cpu_use *before, const struct cpu_use *after)
{
	return percent(before, after, after->softirq - before->softirq);
}

double cpu_use_steal_pct(const struct cpu_use *before, const struct cpu_use *after)
{
	return percent(before, after, after->steal - before->steal);
}
