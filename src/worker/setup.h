/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the state of a measuring thread is built from. */
#ifndef SETUP_H
#define SETUP_H

#include <stdint.h>

#include "host/affinity.h"
#include "plan/plan.h"
#include "ep/ep.h"
#include "util/barrier.h"
#include "limits/budget.h"
#include "util/clock.h"

struct worker_setup {
	const struct ep *ep;
	const struct plan *plan;
	const struct point *point;
	enum side side;
	const struct ep_addr *peer;
	uint64_t rtt_ns;      /* of the control connection: how long something may be under way */
	const struct clock_anchor *origin; /* of the session, a longer base; NULL none */
	struct barrier *barrier;    /* where its thread waits for the others; NULL: alone */
	const struct affinity_plan *affinity; /* where its thread runs; NULL: anywhere */
	uint32_t thread;      /* which of the side's threads: 0.. */
};

/* Where its memory is counted. NULL: nowhere, as of queues without a device. */
static inline struct memory_budget *worker_budget(const struct worker_setup *in)
{
	return in->ep->dev ? in->ep->dev->budget : NULL;
}

#endif
