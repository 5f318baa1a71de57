/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Posting to the send queue: ibv_post_send() in sq.c, ibv_wr_*() in sq_wr.c. */
#ifndef SQ_H
#define SQ_H

#include <infiniband/verbs.h>

#include "base/lock.h"
#include "transport/object.h"

int sq_post(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);

void sq_give_way_slow(const struct qp *qp);

/*
 * After a post, without the lock. A thread that posts without a pause would keep one that modifies
 * or queries the QP from ever getting the lock.
 */
static inline void sq_give_way(const struct qp *qp)
{
	if (__builtin_expect(atomic_load_explicit(&qp->asking, memory_order_relaxed), 0))
		sq_give_way_slow(qp);
}

/* Takes the lock of the QP, before threads that post. */
static inline void sq_ask(struct qp *qp)
{
	atomic_fetch_add(&qp->asking, 1);
	lock_take(&qp->lock);
	atomic_fetch_sub(&qp->asking, 1);
}

/* All below: under the lock of the QP. */

/* The next slot, with all fields zero; NULL: the queue is full. */
struct wqe *sq_slot(struct qp *qp);
/* By the profile; has_rules is set. Removes a flag that the device ignores. */
bool sq_refuses(const struct qp *qp, struct wqe *wqe);
/* 0, or EINVAL: nothing can be posted in the state of the QP. */
int sq_may_post(const struct qp *qp);
/* Executes or flushes the requests that were put into the queue. */
void sq_execute(struct qp *qp);

/* sq_wr.c: DC: whom the request under construction is for. */
void sq_set_dc_addr(struct qp *qp, struct ibv_ah *ah, uint32_t dctn, uint64_t key);

/* sq_wr.c: sets the functions of ibv_wr_*(); without a lock. */
void sq_wr_fill(struct qp *qp);

#endif
