/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The lengths of queues by what a side does; see ep_needs.h. Called by ep.c. */
#include "config.h"

#include "ep/ep_needs.h"

#include <errno.h>

#include "plan/role.h"
#include "util/err.h"

struct ep_needs ep_needs(const struct plan *plan, enum side side)
{
	const uint32_t credits = kind_takes_recv(plan->work.kind.op) ? PLAN_CREDIT_SLOTS : 0;
	struct ep_needs n = { .send_wr = PLAN_ANSWER_SLOTS,
			      .recv_wr = credits ? plan->work.recv_depth : 0 };

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
	default: /* a passive side posts nothing, but some providers refuse an empty queue */
		break;
	}
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

int ep_needs_check(const struct ep_needs *n, const struct plan *plan, const struct limits *l)
{
	/* one that sends and one that receives */
	const uint32_t halves = kind_has_halves(plan->work.kind.tp) ? 2 : 1;

	if (plan->work.qps > l->max_qps / halves)
		return err_set(-EINVAL, "%u QPs: %s has at most %u", plan->work.qps, l->device,
			       l->max_qps / halves);
	if (n->send_wr > l->max_wr)
		return err_set(-EINVAL, "depth %u: a send queue of %llu, %s has at most %u",
			       plan->work.depth, (unsigned long long)n->send_wr, l->device,
			       l->max_wr);
	if (n->recv_wr > l->max_wr)
		return err_set(-EINVAL,
			       "receive depth %u: a receive queue of %llu, %s has at most %u",
			       plan->work.recv_depth, (unsigned long long)n->recv_wr, l->device,
			       l->max_wr);
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
