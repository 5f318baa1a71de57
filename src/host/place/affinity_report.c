/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Asks the kernel where a thread and its memory are, before and after the measured loop, never in
 * it; reports it after the loop. It must not move a page, nor warn of anything that was not
 * measured.
 */
#include "config.h"
#include "place/affinity_report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "place/affinity.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/text.h"

#define MAX_PAGES 16384u
#define BATCH 512u
#define TICKS_PER_S 100u          /* USER_HZ, the unit of /proc/stat: proc(5) */
#define MIN_SIBLING_NS 200000000u /* 20 ticks: a shorter loop has too few for a percentage */
#define MIN_SIBLING_BUSY 0.1
/*
 * From here on the second digit of a result changes. Two threads that poll on two idle processors
 * wait up to 2.7 % of a second, for the kernel and the monitors.
 */
#define MIN_WAITED_PERCENT 3.0

#define FIELD(type, f, ...) FIELD_ROW(struct affinity_report, f, __VA_ARGS__)
#define FIELD_TEXT_ROW(n, f, ...) FIELD_ROW(struct affinity_report, f, __VA_ARGS__)
static const struct field rows[] = {
#include "place/affinity_report.def"
};

const struct field_table affinity_report_table = {
	.what = "affinity", .rows = rows, .n = FIELD_COUNT(rows),
};

/* ---- the thread */

static uint64_t read_waited_ns(void)
{
	unsigned long long ran, waited;
	char text[128];

	/* ns on a cpu, ns on a run queue, time slices: Documentation/scheduler/sched-stats.rst */
	text_read_line("/proc/thread-self/schedstat", text, sizeof(text));
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
	char path[128], text[256];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		 o->cpu[0]);
	text_read_line(path, text, sizeof(text));
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
	*o = (struct affinity_observed){ .complete = false };
	read_cpu(o, 0);
	if (o->cpu[0] != TOPO_NONE)
		read_siblings(o, 0);
	o->at_ns[0] = clock_ns();
	o->waited_ns[0] = read_waited_ns();
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
	o->waited_ns[1] = read_waited_ns();
	o->at_ns[1] = clock_ns();
	read_cpu(o, 1);
	if (o->n_siblings)
		read_siblings(o, 1);
	if (!sched_getaffinity(0, sizeof(o->cpus), &o->cpus))
		o->n_cpus = (uint32_t)CPU_COUNT(&o->cpus);
	o->complete = true;
}

/* ---- pages */

hwloc_bitmap_t affinity_pages(const void *base, size_t len)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t n = base ? (len + page - 1) / page : 0;
	const size_t step = n / MAX_PAGES + 1;
	hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
	size_t at = 0;

	while (nodes && at < n) {
		void *addresses[BATCH];
		int node[BATCH];
		unsigned long batch = 0;

		for (; batch < BATCH && at < n; at += step)
			addresses[batch++] = (void *)((uintptr_t)base + at * page);
		/* with nodes NULL it only reports where the pages are: move_pages(2) */
		if (syscall(SYS_move_pages, 0, batch, addresses, NULL, node, 0))
			break;
		for (unsigned long i = 0; i < batch; i++)
			if (node[i] >= 0)
				hwloc_bitmap_set(nodes, (unsigned)node[i]);
	}
	if (nodes && !hwloc_bitmap_iszero(nodes))
		return nodes;
	hwloc_bitmap_free(nodes);
	return NULL;
}

bool affinity_pages_elsewhere(hwloc_const_bitmap_t nodes, uint32_t node)
{
	return nodes && (hwloc_bitmap_weight(nodes) != 1 || !hwloc_bitmap_isset(nodes, node));
}

int affinity_bind_check(const struct affinity_plan *plan, uint32_t thread, const void *base,
			size_t len)
{
	const struct topo_place *p = affinity_place(plan, thread);
	hwloc_bitmap_t pages;
	char on[64];
	int rc = 0;

	if (!p || p->mem_node == TOPO_NONE)
		return 0;
	pages = affinity_pages(base, len);
	if (affinity_pages_elsewhere(pages, p->mem_node))
		rc = err_set(-EIO, "memory is on NUMA nodes %s instead of NUMA node %u",
			     topo_list_text(pages, on, sizeof(on)), p->mem_node);
	hwloc_bitmap_free(pages);
	return rc;
}

/* ---- warnings */

__attribute__((format(printf, 3, 4)))
static void add_warning(struct affinity_report *out, enum affinity_warning kind,
			const char *fmt, ...)
{
	char text[sizeof(out->warnings)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_add(out->warnings, sizeof(out->warnings), "; ", "%s", text);
	out->warned |= 1u << kind;
}

static void warn_moved(struct affinity_report *out, const struct affinity_evidence *e)
{
	const struct topo_place *p = affinity_place(e->plan, e->thread);
	const uint32_t *cpu = e->observed->cpu, *node = e->observed->node;
	const bool bound = p && p->cpu != TOPO_NONE;

	if (bound && (cpu[1] != p->cpu || cpu[0] != p->cpu))
		add_warning(out, AFFINITY_DISPLACED, "thread %u ran on cpu %u instead of cpu %u",
			    e->thread, cpu[cpu[1] != p->cpu], p->cpu);
	else if (bound && (node[1] != p->node || node[0] != p->node))
		add_warning(out, AFFINITY_DISPLACED, "thread %u ran on NUMA node %u instead of %u",
			    e->thread, node[node[1] != p->node], p->node);
	else if (node[0] != node[1])
		add_warning(out, AFFINITY_MOVED,
			    "thread %u moved from NUMA node %u to %u (--pin binds it)", e->thread,
			    node[0], node[1]);
}

/* NAN: unknown. The kernel's clock of a run queue is another one than that of the loop. */
static double waited_percent(const struct affinity_observed *o)
{
	const uint64_t ran_ns = o->at_ns[1] - o->at_ns[0];
	const uint64_t waited_ns = o->waited_ns[1] - o->waited_ns[0];

	if (o->waited_ns[0] == UINT64_MAX || o->waited_ns[1] == UINT64_MAX || !ran_ns)
		return NAN;
	return fmin(100, (double)waited_ns * 100 / (double)ran_ns);
}

static void warn_disturbed(struct affinity_report *out, const struct affinity_evidence *e)
{
	const struct affinity_observed *o = e->observed;
	const uint64_t ran_ns = o->at_ns[1] - o->at_ns[0];
	const uint64_t ticks = o->sibling_ticks[1] - o->sibling_ticks[0];
	const double busy = (double)ticks * (1e9 / TICKS_PER_S) /
			    ((double)ran_ns * (o->n_siblings ? o->n_siblings : 1));

	out->cpu_wait_pct = waited_percent(o);
	if (e->involuntary_switches && out->cpu_wait_pct >= MIN_WAITED_PERCENT)
		add_warning(out, AFFINITY_PREEMPTED,
			    "thread %u waited %.1f %% for its cpu (%llu preemptions)", e->thread,
			    out->cpu_wait_pct, (unsigned long long)e->involuntary_switches);
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
	return topo_hca_distance(&plan->hca, plan->machine, node);
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
	warn_disturbed(out, e);
}

static void report_memory(struct affinity_report *out, const struct affinity_evidence *e,
			  hwloc_const_bitmap_t pages)
{
	const struct topo_place *p = affinity_place(e->plan, e->thread);
	unsigned node;

	if (!pages)
		return;
	topo_list_text(pages, out->mem_nodes, sizeof(out->mem_nodes));
	if (p && p->mem_node != TOPO_NONE && affinity_pages_elsewhere(pages, p->mem_node))
		add_warning(out, AFFINITY_MEMORY_DISPLACED,
			    "memory of thread %u is on NUMA nodes %s instead of %u", e->thread, out->mem_nodes, p->mem_node);
	hwloc_bitmap_foreach_begin(node, pages)
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

static void report_placement(struct affinity_report *out, const struct affinity_evidence *e,
			     hwloc_const_bitmap_t pages)
{
	const struct topo_hca *hca = &e->plan->hca;
	const enum topo_near mem = !pages ? TOPO_UNKNOWN :
		hwloc_bitmap_isincluded(pages, hca->nodes) ? TOPO_NEAR : TOPO_FAR;
	const enum topo_near cpus = e->observed ? cpus_near(hca, e->observed) : mem;

	out->hca_node = hca->node;
	if (cpus == TOPO_FAR || mem == TOPO_FAR)
		out->placement = TOPO_FAR;
	else if (cpus == TOPO_NEAR)
		out->placement = TOPO_NEAR;
}

void affinity_assess(struct affinity_report *out, const struct affinity_evidence *e)
{
	hwloc_bitmap_t pages = affinity_pages(e->base, e->len);

	field_clear(&affinity_report_table, out);
	if (e->observed && e->observed->complete)
		report_thread(out, e);
	report_memory(out, e, pages);
	if (e->plan && e->plan->loaded && e->plan->hca.known)
		report_placement(out, e, pages);
	hwloc_bitmap_free(pages);
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
		text_add(sum->warnings, sizeof(sum->warnings), "; ", "%s", one->warnings);
	sum->warned |= one->warned;
}
