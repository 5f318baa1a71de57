/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The rings of a QP, and what they and all else of a thread are built from. Rings are built once
 * per point, so that the loop writes only an immediate: address, flags and wr_id of a slot are
 * fixed. Request i uses slot (i + ring_first()) % slots, and slot s uses buffer s of the walk
 * (decide/layout.h): there are as many slots as buffers, or a multiple of it.
 */
#ifndef RING_H
#define RING_H

#include <stdint.h>

#include "decide/plan.h"
#include "endpoint/ep.h"
#include "limits/budget.h"
#include "loop/state.h"
#include "place/affinity.h"
#include "util/barrier.h"
#include "util/clock.h"

/* What the state of a measuring thread is built from. */
struct worker_setup {
	const struct ep *ep;
	const struct plan *plan;
	const struct point *point;
	enum side side;
	const struct ep_addr *peer;
	uint64_t rtt_ns;      /* of the control connection: how long something may be under way */
	/* of the session, a longer base; NULL: none, then an open loop has no scale of a counter */
	const struct clock_anchor *origin;
	struct barrier *barrier;    /* where its thread waits for the others; NULL: alone */
	const struct affinity_plan *affinity; /* where its thread runs; NULL: anywhere */
	uint32_t thread;      /* which of the side's threads: 0.. */
	/*
	 * A warm-up: as fast as it can, also in an open loop. It ends by time, so that of a latency
	 * test may end after each round, however long one takes: each request is signalled.
	 */
	bool closed;
	uint64_t kept;        /* samples to keep, of the point after it: plan_kept() */
};

/* Where its memory is counted. NULL: nowhere, as of queues without a device. */
static inline struct memory_budget *worker_budget(const struct worker_setup *in)
{
	return in->ep->dev ? in->ep->dev->budget : NULL;
}

/*
 * The slot that request 0 has, so that the last of point->messages is a signalled one: below
 * plan_batch(). Over RC only, in a ping-pong.
 */
uint32_t ring_first(const struct plan *plan, const struct point *point);

/* Of a QP, from one signalled request to the next. */
uint32_t ring_signal_interval(const struct worker_setup *in);

/* Receives that side keeps posted per QP: data, credits or both; 0 none. */
uint32_t ring_receives_posted(const struct plan *plan, enum side side);

/* Slots of the receive ring: as many, or more to walk over the buffers. */
uint32_t ring_receive_slots(const struct plan *plan, enum side side, const struct layout *lay);

/*
 * Each builds the ring of its struct, with index, qp or sq set before. The memory is the struct's,
 * to be freed with free(). -errno with an error message.
 */
int ring_requests(struct send_queue *sq, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/* All requests of the ring are done: writes them again, and starts it at ring_first(). */
void ring_restart(struct send_queue *sq, const struct worker_setup *in);

/* Also posts them: the QP is in INIT at least. */
int ring_receives(struct recv_queue *rq, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/* Gives a receive the buffer of its slot, if its opcode needs one. sges: layout.rx_pieces.n. */
void ring_receive_buffer(struct ibv_recv_wr *wr, struct ibv_sge *sges,
			 const struct worker_setup *in, uint32_t qp, uint64_t slot);

/* The one credit message to this peer. */
int ring_credit(struct peer *peer, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/*
 * Receives that several peers share: builds w->share and the receives of
 * w->fixed.rqs[0], as many as the receive queues of all QPs would have, and posts them. Their
 * buffers are those that the QPs would have. w->fixed.rqs, peers and n_qps are set before. -errno
 * with an error message.
 */
int ring_shared(struct worker *w, const struct worker_setup *in)
	__attribute__((warn_unused_result));

#endif
