/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Posting in the zero-cost mode, see null.h: as few instructions as can be. */
#include "config.h"
#include "null.h"

#include <errno.h>
#include <string.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static const uint8_t wc_opcodes[] = {
	[IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_WC_RDMA_WRITE,
	[IBV_WR_SEND] = IBV_WC_SEND,
	[IBV_WR_SEND_WITH_IMM] = IBV_WC_SEND,
	[IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = IBV_WC_COMP_SWAP,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_WC_FETCH_ADD,
	[IBV_WR_LOCAL_INV] = IBV_WC_LOCAL_INV,
	[IBV_WR_BIND_MW] = IBV_WC_BIND_MW,
	[IBV_WR_SEND_WITH_INV] = IBV_WC_SEND,
};

static __attribute__((noinline)) int odd(struct qp *qp, const struct ibv_send_wr *wr)
{
	uint32_t len = 0;

	if (wr->opcode > IBV_WR_SEND_WITH_INV || wr->num_sge < 0)
		return EINVAL;
	qp->null.weight = 0;
	qp->null.key = NULL_ODD;
	if (wr->opcode == IBV_WR_RDMA_WRITE && cfg_reflect()) {
		null_reflect(qp, wr->sg_list, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		return 0;
	}
	for (int i = 0; i < wr->num_sge; i++)
		len += wr->sg_list[i].length;
	null_odd(qp, wr->opcode, len, wr->imm_data, wr->wr.ud.remote_qpn);
	if (!len && null_takes_recv(wr->opcode))
		return 0;
	qp->null.key = null_key(wr);
	qp->null.weight = null_takes_recv(wr->opcode);
	return 0;
}

/* With all that may happen. */
static __attribute__((noinline)) int post_long(struct ibv_qp *ib, struct ibv_send_wr *wr,
					       struct ibv_send_wr **bad)
{
	struct qp *qp = container_of(ib, struct qp, ib);
	struct null_qp *n = &qp->null;
	const uint64_t posted = n->posted;
	int rc = 0;

	for (; wr; wr = wr->next) {
		if (null_key(wr) != n->key)
			rc = odd(qp, wr);
		if (rc) {
			*bad = wr;
			break;
		}
		n->posted += n->weight;
		if ((wr->send_flags | n->signal) & IBV_SEND_SIGNALED)
			null_push(n->scq, wr->wr_id, &n->sent[wr->opcode], 0);
	}
	null_signal(n->scq);
	/* the peer's line is left alone by messages without payload */
	if (n->posted != posted)
		null_tell(qp);
	return rc;
}

/* The short way: calls nothing but, as its last deed, the long way. */
static int post_send(struct ibv_qp *ib, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct qp *qp = container_of(ib, struct qp, ib);
	struct null_qp *n = &qp->null;

	/* one request goes straight through: a jump taken may cost more than all it skips */
	do {
		if (unlikely(!wr || null_key(wr) != n->key))
			return post_long(ib, wr, bad);
		n->posted += n->weight;
		if (unlikely((wr->send_flags | n->signal) & IBV_SEND_SIGNALED)) {
			null_push(n->scq, wr->wr_id, &n->sent[wr->opcode], 0);
			if (unlikely(null_is_armed(n->scq)))
				return post_long(ib, wr->next, bad);
		}
		wr = wr->next;
	} while (unlikely(wr));
	if (unlikely(null_tell_fast(qp)))
		null_wake(qp);
	return 0;
}

static int post_recv(struct ibv_qp *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct qp *qp = container_of(ib, struct qp, ib);
	struct null_qp *n = &qp->null;
	struct null_cq *cq = &n->rcq->null;
	struct null_cqe *const ring = cq->ring;
	const uint32_t mask = cq->mask;
	uint32_t head = cq->head;
	uint64_t taken = n->taken, limit = n->limit;

	if (unlikely(atomic_load_explicit(&qp->s->told.gen, memory_order_relaxed) != n->gen))
		limit = taken;
	for (; likely(wr && taken < limit); wr = wr->next) {
		null_put(&ring[head++ & mask], wr->wr_id, &n->came, htobe32((uint32_t)taken));
		taken++;
	}
	cq->head = head;
	n->taken = taken;
	if (unlikely(wr))
		return null_recv(ib, wr, bad);
	null_signal(n->rcq);
	return 0;
}

void null_fill_ops(struct ibv_context_ops *ops)
{
	null_open();
	ops->poll_cq = null_poll;
	ops->req_notify_cq = null_notify;
	ops->post_send = post_send;
	ops->post_recv = post_recv;
	ops->post_srq_recv = null_srq_recv;
}

void null_fill_qp(struct qp *qp)
{
	struct null_qp *n = &qp->null;

	memset(n, 0, sizeof(*n));
	n->to = &n->nowhere;
	n->scq = container_of(qp->ib.send_cq, struct cq, ib);
	n->rcq = container_of(qp->ib.recv_cq, struct cq, ib);
	n->next = n->rcq->null.qps;
	n->rcq->null.qps = qp;
	n->key = NULL_ODD;
	n->told = UINT32_MAX;
	n->signal = qp->sig_all ? IBV_SEND_SIGNALED : 0;
	n->reflections = cfg_reflect();
	n->came.qp_num = qp->ib.qp_num;
	n->mail.qp_num = qp->ib.qp_num;
	n->mail.opcode = IBV_WC_RECV;
	for (uint32_t i = 0; i <= IBV_WR_SEND_WITH_INV; i++) {
		n->sent[i].opcode = wc_opcodes[i];
		n->sent[i].qp_num = qp->ib.qp_num;
	}
	null_fill_wr(&qp->ex);
}

/* What is left moves up. */
static void leave(struct null_cq *cq, const struct qp *qp)
{
	uint32_t to = cq->tail;

	for (uint32_t i = cq->tail; i != cq->head; i++) {
		const struct null_cqe c = cq->ring[i & cq->mask];

		if ((uintptr_t)c.like - (uintptr_t)qp >= sizeof(*qp))
			cq->ring[to++ & cq->mask] = c;
	}
	cq->head = to;
}

void null_forget(struct qp *qp)
{
	struct null_cq *cq = &qp->null.rcq->null;
	struct qp **at = &cq->qps;

	while (*at != qp)
		at = &(*at)->null.next;
	*at = qp->null.next;
	cq->turn = cq->qps;
	leave(&qp->null.scq->null, qp);
	leave(cq, qp);
}

void null_reset(struct qp *qp)
{
	null_forget(qp);
	lock_take(&qp->s->lock);
	memset(&qp->s->told, 0, sizeof(qp->s->told));
	memset(&qp->s->sent, 0, sizeof(qp->s->sent));
	lock_drop(&qp->s->lock);
	null_fill_qp(qp);
}
