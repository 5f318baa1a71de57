/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The responder: operations that take a receive, and the error state; see responder.h. */
#include "config.h"
#include "transport/responder.h"

#include <string.h>

#include "base/lock.h"
#include "transport/async.h"
#include "transport/completion.h"
#include "transport/key.h"
#include "transport/window.h"

/* A copy of a receive that was taken from its queue: its slot is free again. */
struct taken {
	uint64_t wr_id;
	uint32_t n_sge;
	struct ibv_sge sge[SHM_MAX_SGE];
};

static bool take_from(struct peer *peer, struct shm_ring *q, struct taken *t)
{
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
	const struct shm_rwr *w;
	uint64_t off;
	uint32_t n;

	if (tail == atomic_load_explicit(&q->head, memory_order_acquire))
		return false;
	off = q->ring + (uint64_t)(tail & q->mask) * q->stride;
	w = hca_in(peer->arena, off, sizeof(*w));
	if (!w)
		return false;
	t->wr_id = w->wr_id;
	n = __atomic_load_n(&w->n_sge, __ATOMIC_RELAXED);
	t->n_sge = n < SHM_MAX_SGE ? n : SHM_MAX_SGE;
	if (!hca_in(peer->arena, off, sizeof(*w) + t->n_sge * sizeof(w->sge[0])))
		return false;
	for (uint32_t i = 0; i < t->n_sge; i++)
		t->sge[i] = (struct ibv_sge) {
			.addr = w->sge[i].addr, .length = w->sge[i].len, .lkey = w->sge[i].lkey,
		};
	/* not by a process that lost the lock: another one took this receive */
	return atomic_compare_exchange_strong_explicit(&q->tail, &tail, tail + 1,
						       memory_order_release,
						       memory_order_relaxed);
}

static bool take_from_srq(struct remote *r, struct taken *t)
{
	struct shm_srq *srq = r->srq;
	bool got, low;

	lock_take_shared(&srq->lock);
	/* no QP keeps an XRC SRQ from being destroyed */
	got = (!r->srqn || srq->num == r->srqn) && take_from(r->peer, &srq->rq, t);
	low = got && srq->limit &&
	      atomic_load(&srq->rq.head) - atomic_load(&srq->rq.tail) < srq->limit;
	if (low)
		srq->limit = 0; /* ibv_modify_srq(3): one event for each arming */
	lock_drop_shared(&srq->lock);
	if (low)
		async_object(r->peer, srq->async_fd, IBV_EVENT_SRQ_LIMIT_REACHED, srq->id);
	return got;
}

static bool take(struct remote *r, struct taken *t)
{
	if (r->srq)
		return take_from_srq(r, t);
	return take_from(r->peer, &r->s->rq, t);
}

static bool has_recv(const struct remote *r)
{
	const struct shm_ring *q = r->srq ? &r->srq->rq : &r->s->rq;

	return atomic_load(&q->head) != atomic_load(&q->tail);
}

/* The GRH that RoCE v2 over IPv6 delivers; IPv4 addresses stay mapped. */
static void fill_grh(struct ibv_grh *grh, const struct msg *m)
{
	memset(grh, 0, sizeof(*grh));
	grh->version_tclass_flow = htobe32(6u << 28);
	grh->paylen = htobe16((uint16_t)m->len);
	grh->next_hdr = 0x1b; /* IBA vol. 1, 8.3: IBA transport */
	grh->hop_limit = 64;
	grh->sgid = m->sgid;
	grh->dgid = m->dgid;
}

/* Copies all bytes of from[] into the SGEs of the receive. 0, or -1: an SGE cannot be written. */
static int scatter(struct remote *r, const struct taken *t, const struct iovec *from, uint32_t n)
{
	uint32_t k = 0;
	uint64_t used = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *p = from[i].iov_base;
		uint64_t left = from[i].iov_len;

		while (left) {
			uint64_t room = t->sge[k].length - used;
			uint64_t part = left < room ? left : room;
			struct key_span to = { .addr = t->sge[k].addr + used, .len = part };
			const struct shm_mr *mr;

			if (!room) {
				k++;
				used = 0;
				continue;
			}
			mr = key_find(r->peer->arena, t->sge[k].lkey, r->pd,
				      IBV_ACCESS_LOCAL_WRITE, &to);
			if (!mr || (to.addr && peer_put_bytes(r->peer, mr, to.addr, p, part)))
				return -1;
			p += part;
			left -= part;
			used += part;
		}
	}
	return 0;
}

static void push(struct remote *r, const struct msg *m, const struct taken *t, uint8_t status,
		 uint32_t byte_len)
{
	struct shm_cqe c = {
		.wr_id = t->wr_id,
		.status = status,
		.opcode = m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM ? IBV_WC_RECV_RDMA_WITH_IMM :
								   IBV_WC_RECV,
		.byte_len = byte_len,
		.imm = m->imm,
		.qp_num = r->s->qpn,
		.src_qp = m->type == IBV_QPT_UD ? m->src_qpn : 0,
		.qp_idx = (uint16_t)r->s->idx,
		.epoch = r->s->epoch,
		.sl = m->sl,
		.slid = m->from ? m->from->addr.lid : 0,
	};

	if (!lock_is_held(&r->s->lock))
		return; /* the QP may be gone */
	if (m->opcode == IBV_WR_SEND_WITH_IMM || m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		c.flags |= IBV_WC_WITH_IMM;
	if (m->opcode == IBV_WR_SEND_WITH_INV)
		c.flags |= IBV_WC_WITH_INV;
	if (m->type == IBV_QPT_UD && (m->has_grh || !m->from || !m->from->addr.lid))
		c.flags |= IBV_WC_GRH;
	completion_push(r->peer, r->recv_cq, &c, m->solicited);
}

/*
 * The receive cannot take the message: it completes in error, and its QP goes into the error state,
 * but not a DCT, which has other peers and no such state.
 * The requester gets the NAK of IBA vol. 1, 9.9.3: invalid request if the message is too long, else
 * remote operational error.
 */
static enum responder_result refuse(struct remote *r, const struct msg *m, const struct taken *t,
				    uint8_t status)
{
	push(r, m, t, status, 0);
	if (m->type != SHM_QPT_DCT)
		responder_error(r->peer, r->s);
	return status == IBV_WC_LOC_LEN_ERR ? RESPONDER_INVALID : RESPONDER_OP_ERROR;
}

static enum responder_result send(struct remote *r, struct msg *m, const struct taken *t)
{
	struct iovec from[SHM_MAX_SGE + 1];
	struct ibv_grh grh;
	uint32_t n = 0;
	uint64_t room = 0, len = m->len;

	for (uint32_t i = 0; i < t->n_sge; i++)
		room += t->sge[i].length;
	if (m->type == IBV_QPT_UD) {
		fill_grh(&grh, m);
		from[n++] = (struct iovec) { .iov_base = &grh, .iov_len = sizeof(grh) };
		len += sizeof(grh);
	}
	if (len > room)
		return refuse(r, m, t, IBV_WC_LOC_LEN_ERR);
	for (uint32_t i = 0; i < m->n_iov; i++)
		from[n++] = m->src[i];
	if (scatter(r, t, from, n))
		return refuse(r, m, t, IBV_WC_LOC_PROT_ERR);
	push(r, m, t, IBV_WC_SUCCESS, (uint32_t)len);
	return RESPONDER_OK;
}

static enum responder_result write_imm(struct remote *r, struct msg *m)
{
	enum responder_result res;
	struct taken t;

	if (!has_recv(r))
		return RESPONDER_RNR;
	res = responder_one_sided(r, m);
	if (res != RESPONDER_OK)
		return res;
	if (!take(r, &t))
		return RESPONDER_RNR; /* another QP of the SRQ took the receive */
	push(r, m, &t, IBV_WC_SUCCESS, m->len);
	return RESPONDER_OK;
}

enum responder_result responder_receive(struct remote *r, struct msg *m)
{
	struct taken t;

	if (m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		return write_imm(r, m);
	/* IBA vol. 1, 10.2.5: a message with a wrong Q_Key is dropped and counted */
	if (m->type == IBV_QPT_UD && m->qkey != r->s->qkey) {
		atomic_fetch_add(&hca_port(r->peer->slot, r->s->dev, r->s->path.port)
					 ->qkey_violations, 1);
		return RESPONDER_NO_ANSWER;
	}
	if (m->opcode == IBV_WR_SEND_WITH_INV &&
	    window_invalidate_remote(r->peer->arena, r->s, m->imm))
		return RESPONDER_ACCESS;
	if (!take(r, &t))
		return RESPONDER_RNR;
	return send(r, m, &t);
}

/* Receives of an SRQ stay; an event says that this QP takes no more of them (IBA 10.2.9.4). */
void responder_flush(struct peer *peer, struct shm_qp *s)
{
	struct remote r = { .peer = peer, .s = s, .recv_cq = s->recv_cq };
	struct msg m = { .type = s->type, .opcode = IBV_WR_SEND };
	struct taken t;

	if (s->srq) {
		if (!s->last_wqe)
			async_qp(peer, s, IBV_EVENT_QP_LAST_WQE_REACHED);
		s->last_wqe = 1;
		return;
	}
	/* a peer can write to head and tail */
	for (uint32_t n = 0; n < HCA_MAX_WR && take_from(peer, &s->rq, &t); n++)
		push(&r, &m, &t, IBV_WC_WR_FLUSH_ERR, 0);
}

void responder_error(struct peer *peer, struct shm_qp *s)
{
	if (!lock_is_held(&s->lock))
		return;
	atomic_store(&s->state, IBV_QPS_ERR);
	responder_flush(peer, s);
	peer_report_error(peer);
}
