/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where one side's threads and memory were, as the kernel reports it. Made by affinity.h, part of a
 * result.
 */
#ifndef AFFINITY_REPORT_H
#define AFFINITY_REPORT_H

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
#include "host/affinity_report.def"
};

extern const struct field_table affinity_report_table;

#endif
