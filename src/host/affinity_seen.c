/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Asks the kernel where a thread and its pages are, and makes the report and its warnings of the
 * answers. Called around the measured loop, never in it. Warns of nothing that was not measured.
 */
#include "config.h"
#include "host/affinity.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/clock.h"
#include "host/affinity_own.h"

#define MAX_PAGES 16384u    /* of a larger area, this many evenly over it */
#define BATCH 512u
#define PATH_TEXT 128
#define TICKS_PER_S 100u    /* USER_HZ, in which /proc/stat counts: proc(5) */
#define MIN_SIBLING_NS 200000000u /* 20 ticks: less resolves nothing */

/* ---- asking */

void affinity_pages_ask(struct affinity_pages *pages, const void *base, size_t len)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t n = (len + page - 1) / page;
	const size_t step = n / MAX_PAGES + 1;
	size_t at = 0;

	*pages = (struct affinity_pages){ .nodes = hwloc_bitmap_alloc() };
	while (pages->nodes && base && at < n) {
		void *where[BATCH];
		int node[BATCH];
		unsigned long batch = 0;

		for (; batch < BATCH && at < n; at += step)
			where[batch++] = (void *)((uintptr_t)base + at * page);
		/* nodes NULL: pages stay where they are and are told of (move_pages(2)) */
		if (syscall(SYS_move_pages, 0, batch, where, NULL, node, 0))
			return;
		for (unsigned long i = 0; i < batch; i++)
			if (node[i] >= 0)
				hwloc_bitmap_set(pages->nodes, (unsigned)node[i]);
		pages->looked_at += batch;
		pages->asked = true;
	}
}

void affinity_pages_free(struct affinity_pages *pages)
{
	hwloc_bitmap_free(pages->nodes);
	*pages = (struct affinity_pages){ 0 };
}

static uint64_t ask_waited_ns(void)
{
	unsigned long long ran, waited;
	char text[128];

	/* "ns on cpu, ns on a run queue, slices": Documentation/scheduler/sched-stats.rst */
	topo_first_line("/proc/thread-self/schedstat", text, sizeof(text));
	return sscanf(text, "%llu %llu", &ran, &waited) == 2 ? waited : UINT64_MAX;
}

/* All but idle and iowait, of the columns before guest (which is part of user). */
static uint64_t busy_ticks(const char *line)
{
	unsigned long long v[8] = { 0 };

	if (sscanf(line, "%*s %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		   &v[4], &v[5], &v[6], &v[7]) != 8)
		return 0;
	return v[0] + v[1] + v[2] + v[5] + v[6] + v[7];
}

static uint64_t ask_ticks(hwloc_const_bitmap_t cpus)
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

static void ask_siblings(struct affinity_seen *seen, int when)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char path[PATH_TEXT], text[256];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		 seen->cpu[0]);
	topo_first_line(path, text, sizeof(text));
	if (set && text[0] && !hwloc_bitmap_list_sscanf(set, text)) {
		hwloc_bitmap_clr(set, seen->cpu[0]);
		seen->n_siblings = (uint32_t)hwloc_bitmap_weight(set);
		if (seen->n_siblings)
			seen->sibling_ticks[when] = ask_ticks(set);
	}
	hwloc_bitmap_free(set);
}

static void ask_cpu(struct affinity_seen *seen, int when)
{
	unsigned cpu, node;

	seen->cpu[when] = TOPO_NONE;
	seen->node[when] = TOPO_NONE;
	if (!syscall(SYS_getcpu, &cpu, &node, NULL)) {
		seen->cpu[when] = cpu;
		seen->node[when] = node;
	}
}

void affinity_begin(struct affinity_seen *seen)
{
	*seen = (struct affinity_seen){ .waited_ns = { ask_waited_ns() } };
	ask_cpu(seen, 0);
	if (seen->cpu[0] != TOPO_NONE)
		ask_siblings(seen, 0);
	seen->at_ns[0] = clock_ns();
}

void affinity_enter(struct affinity_seen *seen)
{
	const uint32_t was = seen->cpu[0];

	ask_cpu(seen, 0);
	/* whose siblings these were, it no longer is */
	if (seen->cpu[0] != was)
		seen->n_siblings = 0;
}

void affinity_end(struct affinity_seen *seen)
{
	seen->at_ns[1] = clock_ns();
	ask_cpu(seen, 1);
	seen->waited_ns[1] = ask_waited_ns();
	if (seen->n_siblings)
		ask_siblings(seen, 1);
	if (!sched_getaffinity(0, sizeof(seen->cpus), &seen->cpus))
		seen->n_cpus = (uint32_t)CPU_COUNT(&seen->cpus);
	seen->seen = true;
}

/* ---- saying */

__attribute__((format(printf, 2, 3)))
static void warn(struct affinity_report *out, const char *fmt, ...)
{
	size_t len = strlen(out->warnings);
	va_list ap;

	if (len)
		len += (size_t)snprintf(out->warnings + len, sizeof(out->warnings) - len, "; ");
	if (len >= sizeof(out->warnings))
		return;
	va_start(ap, fmt);
	len += (size_t)vsnprintf(out->warnings + len, sizeof(out->warnings) - len, fmt, ap);
	va_end(ap);
	if (len >= sizeof(out->warnings))
		memcpy(out->warnings + sizeof(out->warnings) - 4, "...", 4);
}

static bool is_bound(const struct topo_place *p)
{
	return p && p->cpu != TOPO_NONE;
}

static void warn_moved(struct affinity_report *out, const struct affinity_report_in *in)
{
	const struct topo_place *p = affinity_place(in->plan, in->thread);
	const struct affinity_seen *seen = in->seen;
	const uint32_t *cpu = seen->cpu, *node = seen->node;

	if (is_bound(p) && (cpu[1] != p->cpu || cpu[0] != p->cpu))
		warn(out, "thread %u was asked to cpu %u, and ran on cpu %u", in->thread, p->cpu,
		     cpu[1] != p->cpu ? cpu[1] : cpu[0]);
	else if (is_bound(p) && (node[1] != p->node || node[0] != p->node))
		warn(out, "thread %u was asked to NUMA node %u, and ran on %u", in->thread,
		     p->node, node[1] != p->node ? node[1] : node[0]);
	else if (node[0] != node[1])
		warn(out, "thread %u moved from NUMA node %u to %u while it measured (--pin binds "
		     "it)", in->thread, node[0], node[1]);
}

/* One per cent: what the figures lose is in their second digit. */
static void warn_displaced(struct affinity_report *out, const struct affinity_report_in *in)
{
	const struct affinity_seen *seen = in->seen;
	const uint64_t ran_ns = seen->at_ns[1] - seen->at_ns[0];
	const uint64_t *waited_ns = seen->waited_ns;

	if (!in->involuntary_switches || waited_ns[0] == UINT64_MAX ||
	    waited_ns[1] == UINT64_MAX || (waited_ns[1] - waited_ns[0]) * 100 < ran_ns)
		return;
	warn(out, "thread %u was displaced %llu times and waited %.1f %% of the time for its cpu",
	     in->thread, (unsigned long long)in->involuntary_switches,
	     (double)(waited_ns[1] - waited_ns[0]) * 100 / (double)ran_ns);
}

static void warn_sibling(struct affinity_report *out, const struct affinity_report_in *in)
{
	const struct affinity_seen *seen = in->seen;
	const uint64_t ran_ns = seen->at_ns[1] - seen->at_ns[0];
	const uint64_t ticks = seen->sibling_ticks[1] - seen->sibling_ticks[0];
	const double busy = (double)ticks * (1e9 / TICKS_PER_S) /
			    ((double)ran_ns * (seen->n_siblings ? seen->n_siblings : 1));

	if (seen->n_siblings && ran_ns >= MIN_SIBLING_NS && seen->cpu[0] == seen->cpu[1] &&
	    busy > 0.1)
		warn(out, "the SMT sibling of thread %u's cpu %u was busy %.0f %% of the time",
		     in->thread, seen->cpu[0], busy * 100);
}

/* A thread that is not bound may have been on any of its cpus: near only if all of them are. */
static enum topo_near near_of_cpus(const struct topo_hca *hca, const struct affinity_seen *seen)
{
	uint32_t near = 0, far = 0;

	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &seen->cpus))
			*(hwloc_bitmap_isset(hca->cpus, cpu) ? &near : &far) += 1;
	return near && !far ? TOPO_NEAR : far && !near ? TOPO_FAR : TOPO_UNKNOWN;
}

static enum topo_near near_of_pages(const struct topo_hca *hca, const struct affinity_pages *pages)
{
	if (!pages->asked || hwloc_bitmap_iszero(pages->nodes))
		return TOPO_UNKNOWN;
	return hwloc_bitmap_isincluded(pages->nodes, hca->nodes) ? TOPO_NEAR : TOPO_FAR;
}

static void say_thread(struct affinity_report *out, const struct affinity_report_in *in)
{
	const struct affinity_seen *seen = in->seen;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc(), nodes = hwloc_bitmap_alloc();

	for (int i = 0; i < 2; i++) {
		if (seen->cpu[i] == TOPO_NONE)
			continue;
		hwloc_bitmap_set(cpus, seen->cpu[i]);
		hwloc_bitmap_set(nodes, seen->node[i]);
		if (in->plan && in->plan->loaded) {
			uint32_t d = topo_hca_distance(&in->plan->hca, &in->plan->topo,
						       seen->node[i]);

			if (d != TOPO_NONE && (out->distance == TOPO_NONE || d > out->distance))
				out->distance = d;
		}
	}
	topo_list_text(cpus, out->cpus, sizeof(out->cpus));
	topo_list_text(nodes, out->nodes, sizeof(out->nodes));
	hwloc_bitmap_free(cpus);
	hwloc_bitmap_free(nodes);
	warn_moved(out, in);
	warn_displaced(out, in);
	warn_sibling(out, in);
}

static void say_memory(struct affinity_report *out, const struct affinity_report_in *in,
		       const struct affinity_pages *pages)
{
	const struct topo_place *p = affinity_place(in->plan, in->thread);
	unsigned node;

	if (!pages->asked || hwloc_bitmap_iszero(pages->nodes))
		return;
	topo_list_text(pages->nodes, out->mem_nodes, sizeof(out->mem_nodes));
	if (p && p->mem_node != TOPO_NONE &&
	    (hwloc_bitmap_weight(pages->nodes) != 1 ||
	     !hwloc_bitmap_isset(pages->nodes, p->mem_node)))
		warn(out, "memory of thread %u was asked of NUMA node %u, and is on %s", in->thread,
		     p->mem_node, out->mem_nodes);
	hwloc_bitmap_foreach_begin(node, pages->nodes)
		uint32_t d = in->plan && in->plan->loaded ?
				     topo_hca_distance(&in->plan->hca, &in->plan->topo, node) :
				     TOPO_NONE;

		if (d != TOPO_NONE && (out->mem_distance == TOPO_NONE || d > out->mem_distance))
			out->mem_distance = d;
	hwloc_bitmap_foreach_end();
}

static void say_placement(struct affinity_report *out, const struct affinity_report_in *in,
			  const struct affinity_pages *pages)
{
	const struct topo_hca *hca = &in->plan->hca;
	enum topo_near cpus, mem = near_of_pages(hca, pages);

	out->hca_node = hca->node;
	cpus = in->seen && in->seen->n_cpus ? near_of_cpus(hca, in->seen) : TOPO_UNKNOWN;
	if (!in->seen)
		cpus = mem;
	if (cpus == TOPO_FAR || mem == TOPO_FAR)
		out->placement = TOPO_FAR;
	else if (cpus == TOPO_NEAR && mem != TOPO_FAR)
		out->placement = TOPO_NEAR;
}

void affinity_report(struct affinity_report *out, const struct affinity_report_in *in)
{
	struct affinity_pages pages;

	field_clear(&affinity_report_table, out);
	affinity_pages_ask(&pages, in->base, in->len);
	if (in->seen && in->seen->seen)
		say_thread(out, in);
	say_memory(out, in, &pages);
	if (in->plan && in->plan->loaded && in->plan->hca.known)
		say_placement(out, in, &pages);
	affinity_pages_free(&pages);
}

/* ---- several threads */

static void join_lists(char *sum, const char *one, size_t size)
{
	hwloc_bitmap_t a = hwloc_bitmap_alloc(), b = hwloc_bitmap_alloc();

	/* what was cut by topo_list_text() stays so */
	if (!strchr(sum, '.') && !strchr(one, '.') && !hwloc_bitmap_list_sscanf(a, sum) &&
	    !hwloc_bitmap_list_sscanf(b, one)) {
		hwloc_bitmap_or(a, a, b);
		topo_list_text(a, sum, size);
	}
	hwloc_bitmap_free(a);
	hwloc_bitmap_free(b);
}

void affinity_merge(struct affinity_report *sum, const struct affinity_report *one)
{
	join_lists(sum->cpus, one->cpus, sizeof(sum->cpus));
	join_lists(sum->nodes, one->nodes, sizeof(sum->nodes));
	join_lists(sum->mem_nodes, one->mem_nodes, sizeof(sum->mem_nodes));
	field_merge(&affinity_report_table, sum, one);
	if (one->placement == TOPO_FAR ||
	    (sum->placement == TOPO_NEAR && one->placement == TOPO_UNKNOWN))
		sum->placement = one->placement;
	if (one->warnings[0])
		warn(sum, "%s", one->warnings);
}
