/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The zero-cost mode: objects are as always, but requests complete where they are posted and
 * nothing is copied, so that what is measured is the program above. Called by ctx.c, cq.c and qp.c,
 * instead of the data path. No locks: one thread for a QP and its CQs.
 *
 * A sender tells its peer how many messages it has posted, and what the first was like, and so many
 * receives complete, as others like it, numbered from 0 by their immediates (if it has one).
 * Messages without payload, which programs send to steer each other, are delivered, the last one
 * of them if they come faster than receives. With SOFTHCA_AHEAD=N receives with room complete as
 * soon as they are posted, N of each QP before they are sent: whoever receives fewer waits for
 * nobody, and runs the same number of instructions each time.
 *
 * Programs that watch memory see it change with SOFTHCA_REFLECT=N: the first N writes of each QP
 * come back as the peer's. Of the two sides, the one that writes first is answered with what it
 * wrote, and the other with one more; only the last byte is written. The last byte of messages that
 * take a receive then is their number, from 1.
 */
#ifndef NULL_H
#define NULL_H

#include "hca.h"

#define NULL_ODD UINT64_MAX /* the key of no request */

void null_fill_ops(struct ibv_context_ops *ops);
void null_fill_qp(struct qp *qp);
/* Its completions are none any more; all else is as new. */
void null_forget(struct qp *qp);
void null_reset(struct qp *qp);

/* null_cq.c */
void null_fill_cq(struct ibv_cq_ex *ex);
int null_open_cq(struct cq *cq); /* 0 or negative errno */
void null_close_cq(struct cq *cq);
/* To as many entries as the CQ's own ring has now; 0 or errno. */
int null_resize_cq(struct cq *cq);
int null_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc);
/* Out of the path of a message: the event, if one was asked for. */
void null_event(struct cq *cq);

/* null_wr.c */
void null_fill_wr(struct ibv_qp_ex *ex);

/* null_peer.c, all out of the path of a message */

/* For each process, before it sends anything. */
void null_open(void);

/* A request other than those before it: of that opcode and length, to that QP if over UD. */
void null_odd(struct qp *qp, uint32_t opcode, uint32_t len, uint32_t imm, uint32_t qpn);
/* The peer sleeps. */
void null_wake(struct qp *qp);
/* Receives that cannot complete where they are posted are queued, and looked after from here. */
int null_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int null_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
/* An empty CQ: what peers have told, or sent to one of its QPs. */
void null_news(struct cq *cq);
void null_next(struct cq *cq);
int null_notify(struct ibv_cq *cq, int solicited_only);
/* An RDMA write that comes back. */
void null_reflect(struct qp *qp, const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey);

/* Count of SGEs and opcode of a request, as they lie in it: one load. */
static inline uint64_t null_key(const struct ibv_send_wr *wr)
{
	uint64_t key;

	_Static_assert(offsetof(struct ibv_send_wr, opcode) ==
		       offsetof(struct ibv_send_wr, num_sge) + sizeof(int), "side by side");
	__builtin_memcpy(&key, (const char *)wr + offsetof(struct ibv_send_wr, num_sge),
			 sizeof(key));
	return key;
}

static inline bool null_takes_recv(uint32_t opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
	       opcode == IBV_WR_SEND_WITH_INV || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

/* So many were posted. True: the peer sleeps. */
static inline bool null_tell_fast(struct qp *qp)
{
	struct shm_sent *to = qp->null.to;

	atomic_store_explicit(&to->sent, qp->null.posted, memory_order_release);
	return atomic_load_explicit(&to->hungry, memory_order_relaxed) != 0;
}

static inline void null_tell(struct qp *qp)
{
	if (null_tell_fast(qp))
		null_wake(qp);
}

static inline bool null_is_armed(const struct cq *cq)
{
	return atomic_load_explicit(&cq->s->armed, memory_order_relaxed) != SHM_ARM_NONE;
}

/* After null_push(). */
static inline void null_signal(struct cq *cq)
{
	if (__builtin_expect(null_is_armed(cq), 0))
		null_event(cq);
}

static inline void null_put(struct null_cqe *c, uint64_t wr_id, const struct ibv_wc *like,
			    uint32_t imm)
{
	c->wr_id = wr_id;
	c->like = like;
	c->imm = imm;
}

static inline void null_push(struct cq *cq, uint64_t wr_id, const struct ibv_wc *like, uint32_t imm)
{
	struct null_cq *n = &cq->null;

	null_put(&n->ring[n->head++ & n->mask], wr_id, like, imm);
}

#endif
