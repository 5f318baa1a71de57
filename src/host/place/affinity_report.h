/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where one side's threads and memory were, compared with their places and with the location of the
 * HCA: part of a result. Every value comes from the kernel, never from what was requested.
 */
#ifndef AFFINITY_REPORT_H
#define AFFINITY_REPORT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/topo_hca.h"
#include "util/field.h"

#define AFFINITY_LIST 512

/* What disturbed a measurement: bits of warned. A number of one is never used again for another. */
enum affinity_warning {
	AFFINITY_DISPLACED,        /* a thread ran elsewhere than it is bound to */
	AFFINITY_MOVED,            /* a thread that is not bound changed its NUMA node */
	AFFINITY_PREEMPTED,        /* a thread waited for its CPU */
	AFFINITY_SIBLING_BUSY,     /* so was the SMT sibling of its CPU */
	AFFINITY_MEMORY_DISPLACED, /* pages are on other NUMA nodes than they should be */
	AFFINITY_WARNINGS
};

#define FIELD FIELD_DECLARE
#define FIELD_TEXT_ROW FIELD_DECLARE_TEXT
struct affinity_report {
#include "place/affinity_report.def"
};

extern const struct field_table affinity_report_table;

struct affinity_plan; /* of affinity.h */

/* ---- where a measuring thread runs, and what disturbs it */

/* In arrays of two: [0] before the loop, [1] after it. */
struct affinity_observed {
	bool complete;               /* affinity_observed_end() filled it */
	uint32_t cpu[2], node[2];    /* TOPO_NONE: unknown */
	uint32_t n_cpus;             /* cpus that the thread may run on; 0: unknown */
	cpu_set_t cpus;              /* these cpus */
	uint64_t at_ns[2];           /* clock_ns(): waited_ns is of a part of this time */
	uint64_t waited_ns[2];       /* time on a run queue; UINT64_MAX: unknown */
	uint64_t sibling_ticks[2];   /* busy time of the core's other cpus, in 1/100 s */
	uint32_t n_siblings;         /* other cpus of the core; 0: none, or unknown */
};

/*
 * The measuring thread calls these around its loop, outside the measured time.
 * affinity_observed_loop() is for a thread that slept after affinity_observed_begin(): it asks
 * again for the cpu right before the loop, with one system call.
 */
void affinity_observed_begin(struct affinity_observed *o);
void affinity_observed_loop(struct affinity_observed *o);
void affinity_observed_end(struct affinity_observed *o);

/* ---- the NUMA nodes of the pages of an area */

/*
 * A new set for hwloc_bitmap_free(), NULL: unknown. Asks for each page of an area with less than
 * 16384 pages, and for an evenly spaced sample of at most 16384 pages of a larger one. base NULL:
 * no area.
 */
hwloc_bitmap_t affinity_pages(const void *base, size_t len);

/* Whether a page is on another node than this one. False when the nodes are unknown. */
bool affinity_pages_elsewhere(hwloc_const_bitmap_t nodes, uint32_t node);

/*
 * Checks that the pages of a bound thread's memory are on its NUMA node. -EIO with an error message
 * if not.
 */
int affinity_bind_check(const struct affinity_plan *plan, uint32_t thread, const void *base,
			size_t len) __attribute__((warn_unused_result));

/* ---- the report */

/* One thread and its memory. */
struct affinity_evidence {
	const struct affinity_plan *plan; /* NULL: no places */
	uint32_t thread;
	const struct affinity_observed *observed; /* NULL: this side has no measuring thread */
	const void *base;            /* its memory, len bytes; NULL: none */
	size_t len;
	uint64_t involuntary_switches; /* during the loop */
};

/* Fills *out for one thread. A warning needs a measured fact. */
void affinity_assess(struct affinity_report *out, const struct affinity_evidence *e);
/* Adds the report of another thread to *sum. */
void affinity_assess_merge(struct affinity_report *sum, const struct affinity_report *one);

#endif
