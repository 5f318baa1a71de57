/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The lengths of queues by what a side does; see plan_needs.h. Called by plan_caps.c, ep.c and
 * dev_probe.c.
 */
#include "config.h"

#include "plan/plan_needs.h"

#include <errno.h>

#include "plan/role.h"
#include "util/err.h"
#include "util/minmax.h"

/* MLX5_SEND_WQE_BB, struct mlx5_wqe_data_seg, struct mlx5_cqe64 of rdma-core, providers/mlx5. */
#define WQE_BYTES 64u
#define SGE_BYTES 16u
#define CQE_BYTES 64u

struct plan_needs plan_needs(const struct plan *plan, enum side side)
{
	const uint32_t credits = kind_takes_recv(plan->work.kind.op) ? PLAN_CREDIT_SLOTS : 0;
	struct plan_needs n = { .send_wr = PLAN_ANSWER_SLOTS,
			      .recv_wr = credits ? plan->work.recv_depth : 0,
			      .send_sges = max_u32(1, plan->work.sges),
			      .recv_sges = kind_fills_recv(plan->work.kind.op) ?
						   max_u32(1, plan->work.sges) : 1 };

	switch (plan->work.role[side]) {
	case ROLE_STREAM_TX:
		n.send_wr = plan->work.depth;
		n.recv_wr = credits;
		break;
	case ROLE_STREAM_BOTH:
		n.send_wr = (uint64_t)plan->work.depth + credits;
		n.recv_wr += credits;
		break;
	case ROLE_STREAM_RX:
		n.send_wr = credits;
		break;
	case ROLE_PASSIVE:
		n.send_wr = PLAN_PASSIVE_SLOTS;
		break;
	default:
		break;
	}
	/* what a credit carries is its immediate data */
	if (role_sends(plan->work.role[side]))
		n.inline_bytes = plan->work.inline_bytes;
	n.send_cqe = n.send_wr * plan->work.qps;
	n.recv_cqe = n.recv_wr * plan->work.qps;
	if (plan->work.kind.sharing == SHARING_SRQ) {
		n.srq_wr = n.recv_cqe;
		n.recv_wr = 0;
	} else if (plan_side_qps(plan, side) < plan->work.qps) {
		/* one QP does what the others would do */
		n.send_wr = n.send_cqe;
		n.recv_wr = n.recv_cqe;
	}
	return n;
}

static uint64_t entries(uint64_t n)
{
	uint64_t all = 1;

	while (all < n)
		all *= 2;
	return n ? all : 0;
}

uint64_t plan_needs_bytes(const struct plan_needs *n, uint32_t n_qps)
{
	const uint64_t send = WQE_BYTES + (uint64_t)n->send_sges * SGE_BYTES + n->inline_bytes;
	const uint64_t recv = (uint64_t)n->recv_sges * SGE_BYTES;

	return n_qps * (entries(n->send_wr) * send + entries(n->recv_wr) * recv) +
	       entries(n->srq_wr) * (recv + SGE_BYTES) +
	       (entries(n->send_cqe) + entries(n->recv_cqe)) * CQE_BYTES;
}

int plan_needs_check(const struct plan_needs *n, const struct plan *plan, const struct limits *l)
{
	/* one that sends and one that receives */
	const uint32_t halves = kind_has_halves(plan->work.kind.tp) ? 2 : 1;

	if (plan->work.qps > l->max_qps / halves)
		return err_set(-EINVAL, "%u QPs: %s has at most %u", plan->work.qps, l->device,
			       l->max_qps / halves);
	if (n->send_wr > l->max_send_wr)
		return err_set(-EINVAL, "depth %u: a send queue of %llu, %s has at most %u",
			       plan->work.depth, (unsigned long long)n->send_wr, l->device,
			       l->max_send_wr);
	if (n->recv_wr > l->max_recv_wr)
		return err_set(-EINVAL,
			       "receive depth %u: a receive queue of %llu, %s has at most %u",
			       plan->work.recv_depth, (unsigned long long)n->recv_wr, l->device,
			       l->max_recv_wr);
	if (n->srq_wr > l->max_srq_wr)
		return err_set(-EINVAL, "%u QPs share %llu receives: an SRQ of %s has at most %u",
			       plan->work.qps, (unsigned long long)n->srq_wr, l->device,
			       l->max_srq_wr);
	if (n->send_cqe > l->max_cqe)
		return err_set(-EINVAL,
			       "%u QPs of depth %u need a CQ of %llu entries: %s has at most %u",
			       plan->work.qps, plan->work.depth, (unsigned long long)n->send_cqe,
			       l->device, l->max_cqe);
	if (n->recv_cqe > l->max_cqe)
		return err_set(
			-EINVAL,
			"%u QPs of receive depth %u need a CQ of %llu entries: %s has at most %u",
			plan->work.qps, plan->work.recv_depth, (unsigned long long)n->recv_cqe,
			l->device, l->max_cqe);
	return 0;
}
