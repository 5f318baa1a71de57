/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Checks that the owner of a side allows what a resolved plan needs, and estimates its memory.
 * Called by plan_caps.c; memory is counted again where it is allocated (limits/budget.h). Refuses,
 * and changes nothing.
 */
#include "config.h"
#include "plan/plan_steps.h"

#include <errno.h>
#include <inttypes.h>

#include "plan/layout.h"
#include "plan/plan_needs.h"
#include "util/err.h"

/* struct ibv_send_wr, ibv_recv_wr and ibv_sge of rdma-core, libibverbs/verbs.h, on 64 bits. */
#define SEND_BYTES 128u
#define RECV_BYTES 32u
#define SGE_BYTES 16u

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

uint64_t plan_memory(const struct plan *plan, const struct point *point, enum side side)
{
	const struct plan_needs needs = plan_needs(plan, side);
	struct layout lay;

	layout_resolve(&lay, plan, point);
	return plan->work.threads *
	       (lay.total_bytes + plan_needs_bytes(&needs, plan_side_qps(plan, side)) +
		plan->work.qps * ring_bytes(plan, &lay, side));
}

static int check_point(const struct plan *plan, const struct point *point,
		       const struct limits *lim, enum side side)
{
	const uint64_t bytes = plan_memory(plan, point, side);

	if (bytes > lim->max_total_bytes)
		return err_set_cause(-EINVAL, "owner",
			       "--max-memory %" PRIu64 " of the server's owner: the test asks for %" PRIu64 " with messages of %" PRIu64 " bytes on %u QPs; lower --size, --depth, --recv-depth, --qps or --footprint",
			       lim->max_total_bytes, bytes, point->size_bytes,
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
	int rc = 0;

	if (plan->work.threads > lim->max_threads)
		return err_set_cause(-EINVAL, "owner",
			       "--max-threads %u of the server's owner: the test asks for --threads %u",
			       lim->max_threads, plan->work.threads);
	if (plan_total_qps(plan) > lim->allowed_qps)
		return err_set_cause(-EINVAL, "owner",
			       "--max-qps %u of the server's owner: the test asks for %u queue pairs",
			       lim->allowed_qps, plan_total_qps(plan));
	for (uint32_t i = 0; i < plan->n_points && !rc; i++)
		rc = check_point(plan, &plan->points[i], lim, side);
	return rc;
}
