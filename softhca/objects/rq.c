/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Receive queues; see rq.h. */
#include "config.h"
#include "objects/rq.h"

#include <errno.h>

#include "base/arena.h"
#include "base/hca.h"
#include "base/lock.h"
#include "transport/fault.h"
#include "transport/responder.h"

int rq_open(struct shm_ring *q, uint32_t cap, uint32_t max_sge)
{
	uint32_t slots = 1;
	int rc;

	while (slots < cap)
		slots *= 2;
	q->stride = (uint32_t)(sizeof(struct shm_rwr) + max_sge * sizeof(struct ibv_sge));
	q->cap = cap;
	q->mask = slots - 1;
	q->max_sge = max_sge;
	atomic_store(&q->head, 0);
	atomic_store(&q->tail, 0);
	rc = arena_alloc((uint64_t)slots * q->stride, &q->ring);
	if (rc)
		q->ring = 0;
	return rc;
}

void rq_close(struct shm_ring *q)
{
	if (q->ring)
		arena_free(q->ring, (uint64_t)(q->mask + 1) * q->stride);
	q->ring = 0;
}

int rq_push(struct shm_ring *q, const struct ibv_recv_wr *wr)
{
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
	struct shm_rwr *w;

	if (head - atomic_load_explicit(&q->tail, memory_order_acquire) >= q->cap)
		return ENOMEM;
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > q->max_sge)
		return EINVAL;
	/* a peer can write to the row of the queue */
	w = (uint32_t)wr->num_sge > SHM_MAX_SGE ? NULL :
	    hca_in(hca.arena, q->ring + (uint64_t)(head & q->mask) * q->stride,
		   sizeof(*w) + (uint32_t)wr->num_sge * sizeof(w->sge[0]));
	if (!w)
		return EINVAL;
	w->wr_id = wr->wr_id;
	w->n_sge = (uint32_t)wr->num_sge;
	for (int i = 0; i < wr->num_sge; i++) {
		w->sge[i].addr = wr->sg_list[i].addr;
		w->sge[i].len = wr->sg_list[i].length;
		w->sge[i].lkey = wr->sg_list[i].lkey;
	}
	atomic_store_explicit(&q->head, head + 1, memory_order_release);
	return 0;
}

/* In the error state, receives are flushed when they are posted. A peer may set it at any time. */
static void flush_if_failed(struct qp *qp)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&qp->s->state, memory_order_relaxed) != IBV_QPS_ERR)
		return;
	lock_take_shared(&qp->s->lock);
	if (atomic_load(&qp->s->state) == IBV_QPS_ERR)
		responder_flush(qp->self, qp->s);
	lock_drop_shared(&qp->s->lock);
}

int rq_post(struct ibv_qp *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct qp *qp = container_of(ib, struct qp, ib);
	int rc = fault_post(ctx_of(ib->context));

	if (ib->srq || atomic_load_explicit(&qp->s->state, memory_order_relaxed) == IBV_QPS_RESET)
		rc = EINVAL;
	lock_take(&qp->recv_lock);
	for (; !rc && wr; wr = wr->next) {
		rc = rq_push(&qp->s->rq, wr);
		if (rc)
			break;
	}
	lock_drop(&qp->recv_lock);
	if (rc)
		*bad = wr;
	flush_if_failed(qp);
	return rc;
}
