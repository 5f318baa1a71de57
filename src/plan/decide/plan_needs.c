/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The lengths of queues by the role of a side, the memory that a plan needs, and whether the device
 * and the owner of a side allow them. Refuses, and changes nothing.
 */
#include "config.h"
#include "decide/plan_steps.h"

#include <errno.h>
#include <inttypes.h>

#include "decide/layout.h"
#include "util/err.h"
#include "util/minmax.h"

/* MLX5_SEND_WQE_BB, struct mlx5_wqe_data_seg, struct mlx5_cqe64 of rdma-core, providers/mlx5. */
#define WQE_BYTES 64u
#define SGE_BYTES 16u
#define CQE_BYTES 64u

/* struct ibv_send_wr, ibv_recv_wr and ibv_sge of rdma-core, libibverbs/verbs.h, on 64 bits. */
#define SEND_BYTES 128u
#define RECV_BYTES 32u

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
		n.send_wr = (uint64_t)plan->work.depth * kind_requests(plan->work.kind.op);
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
	/* a credit message carries only its immediate */
	if (role_sends(plan->work.role[side]))
		n.inline_bytes = plan->work.inline_bytes;
	n.send_cqe = n.send_wr * plan->work.qps;
	n.recv_cqe = n.recv_wr * plan->work.qps;
	if (plan->work.kind.sharing == SHARING_SRQ) {
		n.srq_wr = n.recv_cqe;
		n.recv_wr = 0;
	} else if (plan_side_qps(plan, side) < plan->work.qps) {
		/* one QP does the work of all */
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

int plan_needs_check(const struct plan *plan, const struct limits *l, enum side side)
{
	const struct plan_needs n = plan_needs(plan, side);
	const struct plan_work *w = &plan->work;
	/* one that sends and one that receives */
	const uint32_t most_qps = l->max_qps / (kind_has_halves(w->kind.tp) ? 2 : 1);

	if (w->qps > most_qps)
		return err_set(-EINVAL, "%u QPs: %s has at most %u", w->qps, l->device, most_qps);
	if (n.send_wr > l->max_send_wr)
		return err_set(-EINVAL, "depth %u: a send queue of %" PRIu64 ", %s has at most %u",
			       w->depth, n.send_wr, l->device, l->max_send_wr);
	if (n.recv_wr > l->max_recv_wr)
		return err_set(-EINVAL,
			       "receive depth %u: a receive queue of %" PRIu64 ", %s has at most %u",
			       w->recv_depth, n.recv_wr, l->device, l->max_recv_wr);
	if (n.srq_wr > l->max_srq_wr)
		return err_set(-EINVAL, "%u QPs share %" PRIu64 " receives: an SRQ of %s has at most %u",
			       w->qps, n.srq_wr, l->device, l->max_srq_wr);
	if (n.send_cqe > l->max_cqe)
		return err_set(-EINVAL,
			       "%u QPs of depth %u need a CQ of %" PRIu64 " entries: %s has at most %u",
			       w->qps, w->depth, n.send_cqe, l->device, l->max_cqe);
	if (n.recv_cqe > l->max_cqe)
		return err_set(-EINVAL,
			       "%u QPs of receive depth %u need a CQ of %" PRIu64 " entries: %s has at most %u",
			       w->qps, w->recv_depth, n.recv_cqe, l->device, l->max_cqe);
	return 0;
}

/* ---- memory, and the owner of a side */

/* The rings of prebuilt requests and receives of a QP. */
static uint64_t ring_bytes(const struct plan *plan, const struct layout *lay, enum side side)
{
	const enum role role = plan->work.role[side];
	uint64_t bytes = 0;

	if (role_sends(role))
		bytes += (uint64_t)lay->tx.slots * (SEND_BYTES + lay->tx_pieces.n * SGE_BYTES);
	if (role_receives(role) && kind_takes_recv(plan->work.kind.op))
		bytes += (uint64_t)lay->rx.slots * (RECV_BYTES + lay->rx_pieces.n * SGE_BYTES);
	return bytes;
}

uint64_t plan_kept(const struct plan *plan, const struct point *point, enum side side)
{
	const uint64_t total = point->messages * plan->work.qps;

	if (!plan->work.keeps_samples || !role_samples(plan->work.role[side]))
		return 0;
	return total ? min_u64(total, PLAN_KEPT_MOST) : PLAN_KEPT_MOST;
}

static uint64_t kept_bytes(const struct plan *plan, const struct point *point, enum side side)
{
	return plan_kept(plan, point, side) * (plan_is_open(plan) ? 2 : 1) * sizeof(uint64_t);
}

uint64_t plan_memory(const struct plan *plan, const struct point *point, enum side side)
{
	const struct plan_needs needs = plan_needs(plan, side);
	struct layout lay;

	layout_resolve(&lay, plan, point, side);
	return plan->work.threads *
	       (lay.total_bytes + plan_needs_bytes(&needs, plan_side_qps(plan, side)) +
		plan->work.qps * ring_bytes(plan, &lay, side) + kept_bytes(plan, point, side));
}

static int check_point(const struct plan *plan, const struct point *point,
		       const struct limits *lim, enum side side)
{
	const uint64_t bytes = plan_memory(plan, point, side);

	if (bytes > lim->max_total_bytes)
		return err_set_cause(-EINVAL, "owner",
			       "--max-memory %" PRIu64 " of the server's owner: the test asks for %" PRIu64 " with messages of %" PRIu64 " bytes on %u QPs; lower --size, --depth, --recv-depth, --qps or --footprint",
			       lim->max_total_bytes, bytes, plan_longest_bytes(plan, point),
			       plan_total_qps(plan));
	if (lim->max_point_ms != UINT32_MAX &&
	    point->duration_ns > lim->max_point_ms * UINT64_C(1000000))
		return err_set_cause(-EINVAL, "owner",
			       "--max-point-time %.15gs of the server's owner: the test asks for -D (--duration) %.15g",
			       lim->max_point_ms / 1e3, (double)point->duration_ns / 1e9);
	return 0;
}

int plan_owner(const struct plan *plan, const struct limits *lim, enum side side)
{
	if (plan->work.threads > lim->max_threads)
		return err_set_cause(-EINVAL, "owner",
			       "--max-threads %u of the server's owner: the test asks for --threads %u",
			       lim->max_threads, plan->work.threads);
	if (plan_total_qps(plan) > lim->allowed_qps)
		return err_set_cause(-EINVAL, "owner",
			       "--max-qps %u of the server's owner: the test asks for %u queue pairs",
			       lim->allowed_qps, plan_total_qps(plan));
	for (uint32_t i = 0; i < plan->n_points; i++)
		if (check_point(plan, &plan->points[i], lim, side))
			return -EINVAL;
	return 0;
}
