/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Posting in the zero-cost mode, with as few instructions as possible; see null.h. */
#include "config.h"
#include "null/null.h"

#include <errno.h>
#include <string.h>

#include "base/lock.h"

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
	[IBV_WR_FLUSH] = IBV_WC_FLUSH,
	[IBV_WR_ATOMIC_WRITE] = IBV_WC_ATOMIC_WRITE,
	[IBV_WR_LOCAL_INV] = IBV_WC_LOCAL_INV,
	[IBV_WR_BIND_MW] = IBV_WC_BIND_MW,
	[IBV_WR_SEND_WITH_INV] = IBV_WC_SEND,
};

/* A request that is not like those before. 0 or EINVAL. */
static __attribute__((noinline)) int change(struct null_qp *n, const struct ibv_send_wr *wr)
{
	uint32_t len = 0;

	if (wr->opcode > IBV_WR_SEND_WITH_INV || wr->num_sge < 0)
		return EINVAL;
	n->weight = 0;
	n->key = NULL_NO_KEY;
	if (wr->opcode == IBV_WR_RDMA_WRITE && hca_settings()->reflect) {
		null_reflect(n, wr->sg_list, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		return 0;
	}
	for (int i = 0; i < wr->num_sge; i++)
		len += wr->sg_list[i].length;
	null_announce(n, wr->opcode, len, wr->imm_data, wr->wr.ud.remote_qpn);
	if (!len && null_takes_recv(wr->opcode))
		return 0;
	n->key = null_key(wr);
	n->weight = null_takes_recv(wr->opcode);
	return 0;
}

/* The slow path, for all requests. */
static __attribute__((noinline)) int post_slow(struct ibv_qp *ib, struct ibv_send_wr *wr,
					       struct ibv_send_wr **bad)
{
	struct null_qp *n = null_qp_of(ib);
	int rc = 0;

	for (; wr; wr = wr->next) {
		if (null_key(wr) != n->key)
			rc = change(n, wr);
		if (rc) {
			*bad = wr;
			break;
		}
		n->posted += n->weight;
		if ((wr->send_flags | n->signal) & IBV_SEND_SIGNALED)
			null_push(n->scq, wr->wr_id, &n->send_wc[wr->opcode], 0);
	}
	null_signal(n->scq);
	/* Messages without payload do not write to the cache line of the peer. The fast path may
	 * have counted some that came before. */
	if (n->posted != atomic_load_explicit(&n->to->sent, memory_order_relaxed))
		null_publish(n);
	return rc;
}

/* The fast path. Its only calls are tail calls. */
static int post_send(struct ibv_qp *ib, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct null_qp *n = null_qp_of(ib);

	/* one request takes no jump: a jump can cost more than the instructions that it skips */
	do {
		if (unlikely(!wr || null_key(wr) != n->key))
			return post_slow(ib, wr, bad);
		n->posted += n->weight;
		if (unlikely((wr->send_flags | n->signal) & IBV_SEND_SIGNALED)) {
			null_push(n->scq, wr->wr_id, &n->send_wc[wr->opcode], 0);
			if (unlikely(null_is_armed(n->scq)))
				return post_slow(ib, wr->next, bad);
		}
		wr = wr->next;
	} while (unlikely(wr));
	if (unlikely(null_publish_fast(n)))
		null_wake(n);
	return 0;
}

static int post_recv(struct ibv_qp *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct null_qp *n = null_qp_of(ib);
	struct null_cq *cq = n->rcq;
	struct null_cqe *const ring = cq->ring;
	const uint32_t mask = cq->mask;
	uint32_t head = cq->head;
	uint64_t received = n->received, limit = n->fast_limit;

	if (unlikely(atomic_load_explicit(&n->qp.s->announce.gen, memory_order_relaxed) != n->gen))
		limit = received;
	for (; likely(wr && received < limit); wr = wr->next) {
		null_put(&ring[head++ & mask], wr->wr_id, &n->recv_wc,
			 htobe32((uint32_t)received));
		received++;
	}
	cq->head = head;
	n->received = received;
	if (unlikely(wr))
		return null_recv(ib, wr, bad);
	null_signal(n->rcq);
	return 0;
}

static void open_context(struct ibv_context_ops *ops)
{
	null_open();
	ops->poll_cq = null_poll;
	ops->req_notify_cq = null_notify;
	ops->post_send = post_send;
	ops->post_recv = post_recv;
	ops->post_srq_recv = null_srq_recv;
}

static struct null_qp *null_of(struct qp *qp)
{
	return container_of(qp, struct null_qp, qp);
}

static void open_qp(struct qp *qp)
{
	struct null_qp *n = null_of(qp);

	memset(&n->key, 0, sizeof(*n) - offsetof(struct null_qp, key));
	n->to = &n->nowhere;
	n->scq = null_cq_of(qp->ib.send_cq);
	n->rcq = null_cq_of(qp->ib.recv_cq);
	n->next = n->rcq->qps;
	n->rcq->qps = n;
	n->key = NULL_NO_KEY;
	n->announced = UINT32_MAX;
	n->signal = qp->sig_all ? IBV_SEND_SIGNALED : 0;
	n->reflections = hca_settings()->reflect;
	n->recv_wc.qp_num = qp->ib.qp_num;
	n->empty_wc.qp_num = qp->ib.qp_num;
	n->empty_wc.opcode = IBV_WC_RECV;
	for (uint32_t i = 0; i <= IBV_WR_ATOMIC_WRITE; i++) {
		n->send_wc[i].opcode = wc_opcodes[i];
		n->send_wc[i].qp_num = qp->ib.qp_num;
	}
	null_wr_fill(&qp->ex);
}

/* Removes the completions of a QP: their templates are in its struct. */
static void clean(struct null_cq *cq, const struct null_qp *qp)
{
	uint32_t to = cq->tail;

	for (uint32_t i = cq->tail; i != cq->head; i++) {
		const struct null_cqe c = cq->ring[i & cq->mask];

		if ((uintptr_t)c.template - (uintptr_t)qp >= sizeof(*qp))
			cq->ring[to++ & cq->mask] = c;
	}
	cq->head = to;
}

static void close_qp(struct qp *qp)
{
	struct null_qp *n = null_of(qp), **at = &n->rcq->qps;

	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	n->rcq->check_next = n->rcq->qps;
	clean(n->scq, n);
	clean(n->rcq, n);
}

static void reset_qp(struct qp *qp)
{
	close_qp(qp);
	lock_take_shared(&qp->s->lock);
	memset(&qp->s->announce, 0, sizeof(qp->s->announce));
	memset(&qp->s->sent, 0, sizeof(qp->s->sent));
	lock_drop_shared(&qp->s->lock);
	open_qp(qp);
}

const struct mode null_mode = {
	.cq_bytes = sizeof(struct null_cq),
	.qp_bytes = sizeof(struct null_qp),
	.open = open_context,
	.cq_open = null_cq_open,
	.cq_close = null_cq_close,
	.cq_resize = null_cq_resize,
	.qp_open = open_qp,
	.qp_reset = reset_qp,
	.qp_close = close_qp,
};
