/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The rings of a flow, built once per point so that the loop writes nothing but an immediate:
 * address, flags and wr_id are fixed per slot. Request i uses slot (i + ring_first()) % ring_n,
 * and slot s the buffer s of the walk (walk.h): a ring is as long as the walk over the buffers, or
 * several.
 */
#ifndef RING_H
#define RING_H

#include <stdint.h>

#include "loop/flow.h"
#include "rdma/mem.h"
#include "plan/plan.h"

struct worker_setup;

/*
 * The slot that request 0 has, so that the last of point->messages is a signalled one: below
 * plan_batch(). Over RC only, in a ping-pong.
 */
uint32_t ring_first(const struct plan *plan, const struct point *point);

/* Receives that side keeps posted per QP: data, credits or both; 0 none. */
uint32_t ring_receives_posted(const struct plan *plan, enum side side);

/* Slots of the receive ring: as many, or more to walk over the buffers. */
uint32_t ring_receive_slots(const struct plan *plan, enum side side, const struct layout *lay);

/* Each fills its part of f (f->index and f->qp set); -errno with a sentence. */
int ring_requests(struct flow *f, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/* Also posts them: the QP is in INIT at least. */
int ring_receives(struct flow *f, const struct worker_setup *in)
	__attribute__((warn_unused_result));
int ring_credit(struct flow *f, const struct worker_setup *in) __attribute__((warn_unused_result));

void ring_close(struct flow *f);

#endif
