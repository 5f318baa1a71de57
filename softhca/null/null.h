/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder null: the zero-cost mode. Objects are created as in the normal mode, but a request
 * completes when it is posted and no data are copied: what remains is the cost of the program
 * above. It has no locks: one thread uses a QP and its CQs.
 *
 * A sender counts the messages with payload that it has posted, in the memory of its peer, and
 * announces what they are like (struct shm_announce). Receives of the peer complete by that count,
 * all as the announcement says, with their number from 0 as immediate. Programs use empty messages
 * to control each other: an announcement carries the last one. With SOFTHCA_AHEAD=N, receives with
 * room for data complete when they are posted, N per QP before the peer sends. A receiver of fewer
 * messages never waits, and executes the same number of instructions in each run.
 *
 * Programs that poll memory need SOFTHCA_REFLECT=N: the first N RDMA writes of each QP come back as
 * writes of the peer. The side that writes first gets back what it wrote, the other side gets that
 * plus one; only the last byte is written. The last byte of a received message is its number, from
 * 1.
 */
#ifndef NULL_H
#define NULL_H

#include "base/hca.h"
#include "objects/cq.h"
#include "objects/mode.h"
#include "transport/object.h"

#define NULL_NO_KEY UINT64_MAX /* null_key() of no request */

/* A completion. It is small, so that many fit the first-level cache. */
struct null_cqe {
	uint64_t wr_id;
	const struct ibv_wc *template; /* all other fields */
	uint32_t imm, spare;
};

struct null_cq {
	struct cq cq; /* first; its ring has the completions that this mode does not make */
	struct null_cqe *ring; /* as many entries as the ring of cq */
	uint32_t mask, head, tail;
	uint32_t announced; /* value of shm_cq.announced when it was last handled */
	struct null_qp *qps, *check_next; /* QPs that receive here; the next one to check */
	/* between start_poll and end_poll */
	const struct ibv_wc *now;
	uint32_t imm;
	struct ibv_wc full; /* a copy of an entry of the ring of cq */
};

struct null_qp {
	struct qp qp; /* first */
	/* requests */
	uint64_t key;      /* null_key() of the expected requests; others take the slow path */
	uint64_t posted;   /* messages that take a receive */
	uint32_t weight;   /* what an expected request adds to posted */
	uint32_t signal;   /* IBV_SEND_SIGNALED if all requests are signaled */
	struct shm_sent *to, nowhere; /* of the peer; to points to nowhere while there is no peer */
	/* receives */
	uint32_t gen;        /* value of shm_announce.gen when it was last handled */
	uint32_t empty;      /* empty messages that were delivered */
	uint64_t received;   /* messages with payload that were delivered */
	uint64_t fast_limit; /* received may reach this on the fast path, */
	uint64_t limit;      /* and this on the slow path */
	struct null_cq *scq, *rcq;
	struct null_qp *next; /* of rcq */
	/* templates of completions */
	struct ibv_wc recv_wc, empty_wc, send_wc[IBV_WR_ATOMIC_WRITE + 1];
	/* ibv_wr_*: the last request, and whether it must be announced */
	bool pending;
	uint32_t building, announced, qpn, imm, rkey;
	uint64_t raddr;
	struct ibv_sge sge;
	/* SOFTHCA_REFLECT */
	uint64_t reflections; /* that are left */
	bool wrote;
	uint8_t add;
	uint8_t *mirror;
	uint64_t mirror_of;
};

extern const struct mode null_mode;

/* null_cq.c */

/* For null_mode. */
int null_cq_open(struct cq *cq);
void null_cq_close(struct cq *cq);
int null_cq_resize(struct cq *cq);
int null_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc);
/* Raises the completion event; the CQ is armed. */
void null_event(struct null_cq *cq);

/* null_wr.c: sets the functions of ibv_wr_*(). */
void null_wr_fill(struct ibv_qp_ex *ex);

/* null_peer.c: what the two sides tell each other. Not on the path of most messages. */

/* Once per process, before it sends. */
void null_open(void);
/* A request that is not like those before: its opcode, length, immediate, and QP number if UD. */
void null_announce(struct null_qp *qp, uint32_t opcode, uint32_t len, uint32_t imm, uint32_t qpn);
/* The peer sleeps: raises its completion event. */
void null_wake(struct null_qp *qp);
/* Posts receives that do not complete at once. */
int null_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int null_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
/* The CQ is empty: handles announcements; checks one QP for new messages. */
void null_check_announced(struct null_cq *cq);
void null_check_next(struct null_cq *cq);
int null_notify(struct ibv_cq *cq, int solicited_only);
/* SOFTHCA_REFLECT: an RDMA write comes back. */
void null_reflect(struct null_qp *qp, const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey);

/* Number of SGEs and opcode of a request: they are side by side, so one load reads both. */
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

/* Writes the number of posted messages to the peer. True: the peer sleeps. */
static inline bool null_publish_fast(struct null_qp *qp)
{
	struct shm_sent *to = qp->to;

	atomic_store_explicit(&to->sent, qp->posted, memory_order_release);
	return atomic_load_explicit(&to->sleeping, memory_order_relaxed) != 0;
}

static inline void null_publish(struct null_qp *qp)
{
	if (null_publish_fast(qp))
		null_wake(qp);
}

static inline bool null_is_armed(const struct null_cq *cq)
{
	return atomic_load_explicit(&cq->cq.s->armed, memory_order_relaxed) >= SHM_ARM_SOLICITED;
}

/* After null_push(). */
static inline void null_signal(struct null_cq *cq)
{
	if (__builtin_expect(null_is_armed(cq), 0))
		null_event(cq);
}

static inline void null_put(struct null_cqe *c, uint64_t wr_id, const struct ibv_wc *template,
			    uint32_t imm)
{
	c->wr_id = wr_id;
	c->template = template;
	c->imm = imm;
}

static inline void null_push(struct null_cq *cq, uint64_t wr_id, const struct ibv_wc *template,
			     uint32_t imm)
{
	null_put(&cq->ring[cq->head++ & cq->mask], wr_id, template, imm);
}

static inline struct null_qp *null_qp_of(struct ibv_qp *ib)
{
	return container_of(ib, struct null_qp, qp.ib);
}

static inline struct null_cq *null_cq_of(struct ibv_cq *ib)
{
	return container_of(ib, struct null_cq, cq.ib);
}

#endif
