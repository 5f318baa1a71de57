/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The overhead of the tool: the measured loop of a plan, run on this machine over queues in memory
 * that only return at once what is posted. Every figure of the plan contains what this takes.
 */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include "plan/plan.h"

/* NAN: none (this side has no loop; no latency is measured). */
struct overhead_cost {
	double ns_per_msg; /* loop and queues in memory, one QP, polled, messages of 64 bytes */
	double lat_ns;     /* median that a latency loop reports over them; as lat_kind */
};

/*
 * Takes some 5 ms: the least of three runs, each of the length that a first one says. Both NAN if
 * it cannot be had (memory): a figure less is no reason to fail.
 */
void overhead_measure(struct overhead_cost *cost, const struct plan *plan, enum side side);

#endif
