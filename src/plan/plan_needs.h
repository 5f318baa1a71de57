/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * How long the queues of an endpoint are and what else its QPs are asked for, by what the side
 * does, and whether the device allows it. Creates nothing.
 */
#ifndef PLAN_NEEDS_H
#define PLAN_NEEDS_H

#include <stdint.h>

#include "plan/plan.h"

/* The entries that the queues need; 0: there are no receives. */
struct plan_needs {
	uint64_t send_wr, recv_wr, send_cqe, recv_cqe;
	uint64_t srq_wr; /* then recv_wr is 0 */
	uint32_t send_sges, recv_sges; /* of a request, of a receive */
	uint32_t inline_bytes; /* 0 on a side that sends no payload */
};

/*
 * No more than the loop of the side uses. Providers round up to a power of two, and a ring of twice
 * the length takes twice the cache.
 */
struct plan_needs plan_needs(const struct plan *plan, enum side side);

/*
 * An estimate of the memory of these queues with n_qps QPs: no call of verbs tells it. Entries as
 * long as those of mlx5 (64 bytes with the first elements), in numbers that are powers of two.
 */
uint64_t plan_needs_bytes(const struct plan_needs *n, uint32_t n_qps);

/*
 * -EINVAL with an error message. For all of these verbs would return EINVAL or ENOMEM without a
 * reason.
 */
int plan_needs_check(const struct plan_needs *n, const struct plan *plan, const struct limits *l)
	__attribute__((warn_unused_result));

#endif
