/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The report on the placement of threads: where they were, compared with their places and with the
 * location of the HCA. Every value comes from the kernel, never from what was requested.
 */
#ifndef AFFINITY_ASSESS_H
#define AFFINITY_ASSESS_H

#include <stddef.h>
#include <stdint.h>

#include "host/affinity.h"
#include "host/affinity_observed.h"
#include "host/affinity_report.h"

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
