/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The overhead of the tool: the measured loop of a plan, run on this machine over queues in memory
 * that only return what is posted. All results of the plan include this overhead.
 */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include "decide/plan.h"

/* NAN: none (this side has no loop; no latency is measured). */
struct overhead_cost {
	double ns_per_msg; /* loop and queues in memory, one QP, polled, messages of 64 bytes */
	double lat_ns;     /* median that a latency loop reports over them; as lat_kind */
};

/*
 * Takes about 5 ms: the minimum of three runs; a run before them gives their length. Both are NAN
 * if there is no memory, or if a run does not end within a second, when it is stopped: a missing
 * column is no reason to fail.
 */
void overhead_measure(struct overhead_cost *cost, const struct plan *plan, enum side side);

#endif
