/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The rings of a flow, built once per point so that the loop writes nothing but an immediate:
 * address, flags and wr_id are fixed per slot. Request i uses slot i % ring_slots(); slot s uses
 * buffer s.
 */
#ifndef RING_H
#define RING_H

#include <stdint.h>

#include "flow.h"
#include "plan.h"

struct lane_setup;

/* Slots of the request ring: stream: depth rounded up so that lists and signals fit it exactly. */
uint32_t ring_slots(const struct plan *plan);

/*
 * The slot that request 0 has, so that the last of point->messages is a signalled one: below
 * plan_tidy().
 */
uint32_t ring_first(const struct plan *plan, const struct point *point);

/* Slots of the receive ring of that side: data, credits or both; 0 none. */
uint32_t ring_recv_slots(const struct plan *plan, enum side side);

/* Each fills its part of f (f->index and f->qp set); -errno with a sentence. */
int ring_requests(struct flow *f, const struct lane_setup *in) __attribute__((warn_unused_result));

/* Also posts them: the QP is in INIT at least. */
int ring_receives(struct flow *f, const struct lane_setup *in) __attribute__((warn_unused_result));
int ring_credit(struct flow *f, const struct lane_setup *in) __attribute__((warn_unused_result));

void ring_close(struct flow *f);

#endif
