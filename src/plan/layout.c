/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The layout of the test memory of one thread. Called for the plan's checks of memory and by
 * ep/ep.c before memory is mapped. Knows no address.
 */
#include "config.h"

#include "plan/layout.h"

#include <string.h>

static uint64_t area_bytes(const struct walk *w)
{
	return w->bufs * w->stride;
}

void layout_resolve(struct layout *layout, const struct plan *plan, const struct point *point)
{
	memset(layout, 0, sizeof(*layout));
	layout->size_bytes = plan_payload_bytes(plan, point);
	layout->grh_bytes = kind_grh_bytes(plan->work.kind.tp);
	layout->hugepages = plan->work.hugepages;
	layout->buffers = plan->work.buffers;
	layout->tx_pieces =
		pieces_of(layout->size_bytes, plan_gathers(plan) ? plan->work.sges : 1);
	layout->rx_pieces =
		pieces_of(layout->size_bytes, plan_scatters(plan) ? plan->work.sges : 1);
	walk_tx(&layout->tx, plan, point);
	walk_rx(&layout->rx, plan, point);
	layout->rx_off = area_bytes(&layout->tx);
	layout->qp_bytes = layout->rx_off + area_bytes(&layout->rx);
	layout->total_bytes = layout->qp_bytes * plan->work.qps;
}
