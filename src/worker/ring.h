/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The rings of a QP. They are built once per point, so that the loop writes only an immediate:
 * address, flags and wr_id of a slot are fixed. Request i uses slot (i + ring_first()) % slots, and
 * slot s uses buffer s of the walk (plan/walk.h): there are as many slots as buffers, or a multiple
 * of it.
 */
#ifndef RING_H
#define RING_H

#include <stdint.h>

#include "loop/state.h"
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

/*
 * Each builds the ring of its struct, with index, qp or sq set before. The memory is the struct's,
 * to be freed with free(). -errno with an error message.
 */
int ring_requests(struct send_queue *sq, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/* Also posts them: the QP is in INIT at least. */
int ring_receives(struct recv_queue *rq, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/*
 * Zeroed, NULL with an error message: no memory, or not allowed. On a cache line: what a provider
 * reads of a request is then in one, not in two.
 */
void *ring_alloc(const struct worker_setup *in, uint32_t slots, size_t slot_bytes);

/* Gives a receive the buffer of its slot, if its opcode needs one. sges: layout.rx_pieces.n. */
void ring_receive_buffer(struct ibv_recv_wr *wr, struct ibv_sge *sges,
			 const struct worker_setup *in, uint32_t qp, uint64_t slot);

/* The one credit message to this peer. */
int ring_credit(struct peer *peer, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/*
 * ring_shared.c: receives that several peers share. Builds w->share and the receives of
 * w->fixed.rqs[0], as many as the receive queues of all QPs would have, and posts them. Their
 * buffers are those that the QPs would have. w->fixed.rqs, peers and n_qps are set before. -errno
 * with an error message.
 */
int ring_shared(struct worker *w, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/* Accepts a worker that shares nothing. */
void ring_shared_free(struct worker *w);

#endif
