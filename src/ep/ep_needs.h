/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* How long the queues of an endpoint are, and whether the device allows it. Creates nothing. */
#ifndef EP_NEEDS_H
#define EP_NEEDS_H

#include <stdint.h>

#include "plan/plan.h"

/* The entries that the queues need; 0: there are no receives. */
struct ep_needs {
	uint64_t send_wr, recv_wr, send_cqe, recv_cqe;
	uint64_t srq_wr; /* then recv_wr is 0 */
};

/*
 * No more than the loop of the side uses. Providers round up to a power of two, and a ring of twice
 * the length takes twice the cache.
 */
struct ep_needs ep_needs(const struct plan *plan, enum side side);

/*
 * -EINVAL with an error message. For all of these verbs would return EINVAL or ENOMEM without a
 * reason.
 */
int ep_needs_check(const struct ep_needs *n, const struct plan *plan, const struct limits *l)
	__attribute__((warn_unused_result));

#endif
