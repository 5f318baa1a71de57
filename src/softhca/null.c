/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The zero-cost mode, see null.h. As few instructions as can be: no locks, one thread per CQ. */
#include "config.h"
#include "null.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec.h"

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

struct shm_cqe *null_cqe(struct qp *qp, struct ibv_cq *ib)
{
	struct cq *cq = container_of(ib, struct cq, ib);
	struct shm_cqe *c = &cq->ring[cq->s->head & cq->mask];

	c->qp_num = qp->ib.qp_num;
	c->qp_idx = (uint16_t)qp->idx;
	c->epoch = qp->s->epoch;
	c->status = IBV_WC_SUCCESS;
	return c;
}

void null_push(struct ibv_cq *ib, struct shm_cqe *c)
{
	struct shm_cq *s = container_of(ib, struct cq, ib)->s;
	uint32_t id = s->id;

	atomic_store_explicit(&c->seq, ++s->head, memory_order_release);
	if (__builtin_expect(atomic_load_explicit(&s->armed, memory_order_relaxed), 0)) {
		atomic_store_explicit(&s->armed, SHM_ARM_NONE, memory_order_relaxed);
		if (write(s->event_fd, &id, sizeof(id)) < 0)
			atomic_store_explicit(&s->armed, SHM_ARM_ANY, memory_order_relaxed);
	}
}

/*
 * The peer's region of that key has the length of ours that is meant for it, as both ends of a
 * latency test are set up alike.
 */
static uint8_t *mirror(struct qp *qp, uint64_t raddr, uint32_t rkey)
{
	const struct shm_mr *theirs;

	if (exec_find(&qp->dest, qp->attr.dest_qp_num))
		return NULL;
	theirs = &qp->dest.peer->arena->mr[(rkey >> 8) & (SHM_MRS - 1)];
	for (const struct mr *mr = hca.mrs; mr; mr = mr->next)
		if (mr->s->len == theirs->len)
			return (uint8_t *)mr->ib.addr + (raddr - theirs->iova);
	return NULL;
}

void null_reflect(struct qp *qp, const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey)
{
	uint8_t *to = qp->mirror_of == raddr ? qp->mirror : mirror(qp, raddr, rkey);

	/* the server's first is what the client waits for: that one is written */
	if (to && !qp->mirror && !qp->mirror_add && sge->length)
		peer_put_bytes(qp->dest.peer,
			       &qp->dest.peer->arena->mr[(rkey >> 8) & (SHM_MRS - 1)], raddr,
			       (const void *)(uintptr_t)sge->addr, sge->length);
	qp->mirror = to;
	qp->mirror_of = to ? raddr : 0;
	if (!to || !sge->length)
		return;
	memcpy(to, (const void *)(uintptr_t)sge->addr, sge->length);
	to[sge->length - 1] = (uint8_t)(to[sge->length - 1] + qp->mirror_add);
}

static int post_send(struct ibv_qp *ib, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct qp *qp = container_of(ib, struct qp, ib);

	(void)bad;
	for (; wr; wr = wr->next) {
		if (__builtin_expect(qp->reflects, 0) && wr->opcode == IBV_WR_RDMA_WRITE)
			null_reflect(qp, wr->sg_list, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		if (wr->send_flags & IBV_SEND_SIGNALED || qp->sig_all) {
			struct shm_cqe *c = null_cqe(qp, ib->send_cq);

			c->wr_id = wr->wr_id;
			c->opcode = wc_opcodes[wr->opcode];
			c->flags = 0;
			null_push(ib->send_cq, c);
		}
	}
	return 0;
}

static void received(struct qp *qp, const struct ibv_recv_wr *wr)
{
	struct shm_cqe *c = null_cqe(qp, qp->ib.recv_cq);
	uint32_t len = 0;

	for (int i = 0; i < wr->num_sge; i++)
		len += wr->sg_list[i].length;
	c->wr_id = wr->wr_id;
	c->byte_len = len;
	c->imm = htobe32(qp->messages++);
	c->opcode = qp->recv_opcode;
	c->flags = qp->recv_flags;
	null_push(qp->ib.recv_cq, c);
}

static int post_recv(struct ibv_qp *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)bad;
	for (; wr; wr = wr->next)
		received(container_of(ib, struct qp, ib), wr);
	return 0;
}

/* The messages come in turn over the SRQ's QPs. */
static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct qp *qp = hca.qps;

	(void)bad;
	for (; wr; wr = wr->next) {
		for (struct qp *first = qp; qp && qp->ib.srq != srq;) {
			qp = qp->next ? qp->next : hca.qps;
			if (qp == first)
				return 0;
		}
		if (!qp)
			return 0;
		received(qp, wr);
		qp = qp->next ? qp->next : hca.qps;
	}
	return 0;
}

static int poll_cq(struct ibv_cq *ib, int n, struct ibv_wc *wc)
{
	struct cq *cq = container_of(ib, struct cq, ib);
	int got = 0;

	for (; got < n; got++) {
		const struct shm_cqe *c = &cq->ring[cq->tail & cq->mask];

		if (c->seq != cq->tail + 1)
			break;
		cq->tail++;
		wc[got].wr_id = c->wr_id;
		wc[got].status = c->status;
		wc[got].opcode = c->opcode;
		wc[got].vendor_err = 0;
		wc[got].byte_len = c->byte_len;
		wc[got].imm_data = c->imm;
		wc[got].qp_num = c->qp_num;
		wc[got].wc_flags = c->flags;
	}
	return got;
}

void null_fill_ops(struct ibv_context_ops *ops)
{
	ops->poll_cq = poll_cq;
	ops->post_send = post_send;
	ops->post_recv = post_recv;
	ops->post_srq_recv = post_srq_recv;
}

void null_fill_qp(struct qp *qp)
{
	const char *recv = getenv("SOFTHCA_NULL_RECV"), *reflect = getenv("SOFTHCA_REFLECT");

	qp->recv_opcode = IBV_WC_RECV;
	qp->recv_flags = IBV_WC_WITH_IMM;
	if (recv && !strcmp(recv, "write_imm"))
		qp->recv_opcode = IBV_WC_RECV_RDMA_WITH_IMM;
	if (qp->ib.qp_type == IBV_QPT_UD)
		qp->recv_flags |= IBV_WC_GRH;
	qp->reflects = reflect && *reflect;
	qp->mirror_add = reflect && !strcmp(reflect, "client");
	null_fill_wr(&qp->ex);
}
