/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Reports where a thread and its memory were; see affinity_assess.h. point_result.c calls it
 * after the loop. It must not warn of anything that was not measured.
 */
#include "config.h"
#include "host/affinity_assess.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/affinity_pages.h"

#define TICKS_PER_S 100u          /* USER_HZ, the unit of /proc/stat: proc(5) */
#define MIN_SIBLING_NS 200000000u /* 20 ticks: a shorter loop has too few for a percentage */
#define MIN_SIBLING_BUSY 0.1
#define MIN_WAITED_PERCENT 1u     /* from here on the first two digits of a result change */

/* ---- warnings */

__attribute__((format(printf, 2, 3)))
static void add_text(struct affinity_report *out, const char *fmt, ...)
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

__attribute__((format(printf, 3, 4)))
static void add_warning(struct affinity_report *out, enum affinity_warning kind,
			const char *fmt, ...)
{
	char text[sizeof(out->warnings)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add_text(out, "%s", text);
	out->warned |= 1u << kind;
}

static void warn_moved(struct affinity_report *out, const struct affinity_evidence *e)
{
	const struct topo_place *p = affinity_place(e->plan, e->thread);
	const uint32_t *cpu = e->observed->cpu, *node = e->observed->node;
	const bool bound = p && p->cpu != TOPO_NONE;

	if (bound && (cpu[1] != p->cpu || cpu[0] != p->cpu))
		add_warning(out, AFFINITY_DISPLACED, "thread %u ran on cpu %u instead of cpu %u", e->thread,
			    cpu[1] != p->cpu ? cpu[1] : cpu[0], p->cpu);
	else if (bound && (node[1] != p->node || node[0] != p->node))
		add_warning(out, AFFINITY_DISPLACED, "thread %u ran on NUMA node %u instead of %u", e->thread,
			    node[1] != p->node ? node[1] : node[0], p->node);
	else if (node[0] != node[1])
		add_warning(out, AFFINITY_MOVED,
			    "thread %u moved from NUMA node %u to %u (--pin binds it)", e->thread, node[0], node[1]);
}

static void warn_preempted(struct affinity_report *out, const struct affinity_evidence *e)
{
	const struct affinity_observed *o = e->observed;
	const uint64_t ran_ns = o->at_ns[1] - o->at_ns[0];
	const uint64_t waited_ns = o->waited_ns[1] - o->waited_ns[0];

	if (!e->involuntary_switches || o->waited_ns[0] == UINT64_MAX ||
	    o->waited_ns[1] == UINT64_MAX || waited_ns * 100 < ran_ns * MIN_WAITED_PERCENT)
		return;
	add_warning(out, AFFINITY_PREEMPTED,
		    "thread %u waited %.1f %% for its cpu (%llu preemptions)", e->thread,
		    (double)waited_ns * 100 / (double)ran_ns,
		    (unsigned long long)e->involuntary_switches);
}

static void warn_sibling(struct affinity_report *out, const struct affinity_evidence *e)
{
	const struct affinity_observed *o = e->observed;
	const uint64_t ran_ns = o->at_ns[1] - o->at_ns[0];
	const uint64_t ticks = o->sibling_ticks[1] - o->sibling_ticks[0];
	const double busy = (double)ticks * (1e9 / TICKS_PER_S) /
			    ((double)ran_ns * (o->n_siblings ? o->n_siblings : 1));

	if (o->n_siblings && ran_ns >= MIN_SIBLING_NS && o->cpu[0] == o->cpu[1] &&
	    busy > MIN_SIBLING_BUSY)
		add_warning(out, AFFINITY_SIBLING_BUSY,
			    "SMT sibling of cpu %u of thread %u busy %.0f %% of the time", o->cpu[0],
			    e->thread, busy * 100);
}

/* ---- the report */

static void raise_to(uint32_t *max, uint32_t value)
{
	if (value != TOPO_NONE && (*max == TOPO_NONE || value > *max))
		*max = value;
}

static uint32_t distance_of(const struct affinity_plan *plan, uint32_t node)
{
	if (!plan || !plan->loaded)
		return TOPO_NONE;
	return topo_hca_distance(&plan->hca, &plan->topo, node);
}

/* Of the start and the end. Without memory it stays unknown. */
static void list_two(char *text, size_t size, const uint32_t number[2])
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (int i = 0; set && i < 2; i++)
		if (number[i] != TOPO_NONE)
			hwloc_bitmap_set(set, number[i]);
	if (set)
		topo_list_text(set, text, size);
	hwloc_bitmap_free(set);
}

static void report_thread(struct affinity_report *out, const struct affinity_evidence *e)
{
	const struct affinity_observed *o = e->observed;

	list_two(out->cpus, sizeof(out->cpus), o->cpu);
	list_two(out->nodes, sizeof(out->nodes), o->node);
	for (int i = 0; i < 2; i++)
		if (o->cpu[i] != TOPO_NONE)
			raise_to(&out->distance, distance_of(e->plan, o->node[i]));
	warn_moved(out, e);
	warn_preempted(out, e);
	warn_sibling(out, e);
}

static void report_memory(struct affinity_report *out, const struct affinity_evidence *e,
			  const struct affinity_pages *pages)
{
	const struct topo_place *p = affinity_place(e->plan, e->thread);
	unsigned node;

	if (!pages->known)
		return;
	topo_list_text(pages->nodes, out->mem_nodes, sizeof(out->mem_nodes));
	if (p && p->mem_node != TOPO_NONE && affinity_pages_elsewhere(pages, p->mem_node))
		add_warning(out, AFFINITY_MEMORY_DISPLACED,
			    "memory of thread %u is on NUMA nodes %s instead of %u", e->thread, out->mem_nodes, p->mem_node);
	hwloc_bitmap_foreach_begin(node, pages->nodes)
		raise_to(&out->mem_distance, distance_of(e->plan, node));
	hwloc_bitmap_foreach_end();
}

/* A thread that is not bound may have used each of its cpus. */
static enum topo_near cpus_near(const struct topo_hca *hca, const struct affinity_observed *o)
{
	uint32_t near = 0, far = 0;

	if (!o->n_cpus)
		return TOPO_UNKNOWN;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &o->cpus))
			*(hwloc_bitmap_isset(hca->cpus, cpu) ? &near : &far) += 1;
	return near && !far ? TOPO_NEAR : far && !near ? TOPO_FAR : TOPO_UNKNOWN;
}

static enum topo_near pages_near(const struct topo_hca *hca, const struct affinity_pages *pages)
{
	if (!pages->known)
		return TOPO_UNKNOWN;
	return hwloc_bitmap_isincluded(pages->nodes, hca->nodes) ? TOPO_NEAR : TOPO_FAR;
}

static void report_placement(struct affinity_report *out, const struct affinity_evidence *e,
			     const struct affinity_pages *pages)
{
	const struct topo_hca *hca = &e->plan->hca;
	const enum topo_near mem = pages_near(hca, pages);
	const enum topo_near cpus = e->observed ? cpus_near(hca, e->observed) : mem;

	out->hca_node = hca->node;
	if (cpus == TOPO_FAR || mem == TOPO_FAR)
		out->placement = TOPO_FAR;
	else if (cpus == TOPO_NEAR)
		out->placement = TOPO_NEAR;
}

void affinity_assess(struct affinity_report *out, const struct affinity_evidence *e)
{
	struct affinity_pages pages;

	field_clear(&affinity_report_table, out);
	affinity_pages_find(&pages, e->base, e->len);
	if (e->observed && e->observed->complete)
		report_thread(out, e);
	report_memory(out, e, &pages);
	if (e->plan && e->plan->loaded && e->plan->hca.known)
		report_placement(out, e, &pages);
	affinity_pages_free(&pages);
}

/* ---- several threads */

static void join_lists(char *sum, const char *one, size_t size)
{
	hwloc_bitmap_t a = hwloc_bitmap_alloc(), b = hwloc_bitmap_alloc();

	/* a list that topo_list_text() cut ends with "..." and stays as it is */
	if (a && b && !strchr(sum, '.') && !strchr(one, '.') &&
	    !hwloc_bitmap_list_sscanf(a, sum) && !hwloc_bitmap_list_sscanf(b, one)) {
		hwloc_bitmap_or(a, a, b);
		topo_list_text(a, sum, size);
	}
	hwloc_bitmap_free(a);
	hwloc_bitmap_free(b);
}

void affinity_assess_merge(struct affinity_report *sum, const struct affinity_report *one)
{
	join_lists(sum->cpus, one->cpus, sizeof(sum->cpus));
	join_lists(sum->nodes, one->nodes, sizeof(sum->nodes));
	join_lists(sum->mem_nodes, one->mem_nodes, sizeof(sum->mem_nodes));
	field_merge(&affinity_report_table, sum, one);
	if (one->placement == TOPO_FAR ||
	    (sum->placement == TOPO_NEAR && one->placement == TOPO_UNKNOWN))
		sum->placement = one->placement;
	if (one->warnings[0])
		add_text(sum, "%s", one->warnings);
	sum->warned |= one->warned;
}
