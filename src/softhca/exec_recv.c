/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The responder's side of what consumes a receive, and its error state; see exec.h. */
#include "config.h"
#include "exec.h"

#include <string.h>

#include "cq.h"
#include "mr.h"

/* A receive taken off its queue, in private memory: the slot may be posted to again. */
struct taken {
	uint64_t wr_id;
	uint32_t n_sge;
	struct ibv_sge sge[SHM_MAX_SGE];
};

static bool take_from(struct peer *peer, struct shm_ring *q, struct taken *t)
{
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
	const struct shm_rwr *w;

	if (tail == atomic_load_explicit(&q->head, memory_order_acquire))
		return false;
	w = hca_at(peer->arena, q->ring + (uint64_t)(tail & q->mask) * q->stride);
	t->wr_id = w->wr_id;
	t->n_sge = w->n_sge < SHM_MAX_SGE ? w->n_sge : SHM_MAX_SGE;
	for (uint32_t i = 0; i < t->n_sge; i++)
		t->sge[i] = (struct ibv_sge) {
			.addr = w->sge[i].addr, .length = w->sge[i].len, .lkey = w->sge[i].lkey,
		};
	atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
	return true;
}

static bool take_from_srq(struct peer *peer, struct shm_srq *srq, struct taken *t)
{
	struct shm_async e = { .type = IBV_EVENT_SRQ_LIMIT_REACHED, .id = srq->id };
	bool got, low;

	lock_take(&srq->lock);
	got = take_from(peer, &srq->rq, t);
	low = got && srq->limit &&
	      atomic_load(&srq->rq.head) - atomic_load(&srq->rq.tail) < srq->limit;
	if (low)
		srq->limit = 0; /* ibv_modify_srq(3): one event for each arming */
	lock_drop(&srq->lock);
	if (low)
		peer_write(peer, srq->async_fd, &e, sizeof(e));
	return got;
}

static bool take(struct remote *r, struct taken *t)
{
	if (r->s->srq)
		return take_from_srq(r->peer, &r->peer->arena->srq[r->s->srq - 1], t);
	return take_from(r->peer, &r->s->rq, t);
}

static bool has_recv(const struct remote *r)
{
	const struct shm_ring *q = r->s->srq ? &r->peer->arena->srq[r->s->srq - 1].rq : &r->s->rq;

	return atomic_load(&q->head) != atomic_load(&q->tail);
}

/* GRH as RoCE v2 over IPv6 would deliver it; IPv4 addresses stay mapped. */
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

/* All bytes of from[], into the receive's SGEs one after the other. */
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
			struct mr_span to = { .addr = t->sge[k].addr + used, .len = part };
			const struct shm_mr *mr;

			if (!room) {
				k++;
				used = 0;
				continue;
			}
			mr = mr_find(r->peer->arena, t->sge[k].lkey, r->s->pd,
				     IBV_ACCESS_LOCAL_WRITE, &to);
			if (!mr || peer_put_bytes(r->peer, mr, to.addr, p, part))
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
	};

	if (m->opcode == IBV_WR_SEND_WITH_IMM || m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		c.flags |= IBV_WC_WITH_IMM;
	if (m->opcode == IBV_WR_SEND_WITH_INV)
		c.flags |= IBV_WC_WITH_INV;
	if (m->type == IBV_QPT_UD)
		c.flags |= IBV_WC_GRH;
	cq_push(r->peer, r->s->recv_cq, &c, m->solicited);
}

/*
 * The receive cannot take the message. Whoever posted it is told, its QP is in error; the sender
 * learns what IBA vol. 1, 9.9.3 says: too long is an invalid request, the rest operational.
 */
static enum exec_result refuse(struct remote *r, const struct msg *m, const struct taken *t,
			       uint8_t status)
{
	push(r, m, t, status, 0);
	exec_error(r->peer, r->s);
	return status == IBV_WC_LOC_LEN_ERR ? EXEC_INVALID : EXEC_BROKEN;
}

static enum exec_result send(struct remote *r, struct msg *m, const struct taken *t)
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
	return EXEC_OK;
}

static enum exec_result write_imm(struct remote *r, struct msg *m)
{
	enum exec_result res;
	struct taken t;

	if (!has_recv(r))
		return EXEC_RNR;
	res = exec_one_sided(r, m);
	if (res != EXEC_OK)
		return res;
	if (!take(r, &t))
		return EXEC_RNR; /* another QP of the SRQ was faster; written twice is as written */
	push(r, m, &t, IBV_WC_SUCCESS, m->len);
	return EXEC_OK;
}

enum exec_result exec_recv(struct remote *r, struct msg *m)
{
	struct taken t;

	if (m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		return write_imm(r, m);
	/* IBA vol. 1, 10.2.5: a wrong Q_Key is dropped and counted */
	if (m->type == IBV_QPT_UD && m->qkey != r->s->qkey) {
		atomic_fetch_add(&hca.fabric->proc[r->peer->slot].port[r->s->dev].qkey_violations,
				 1);
		return EXEC_SILENT;
	}
	if (m->opcode == IBV_WR_SEND_WITH_INV &&
	    mw_invalidate_remote(r->peer->arena, r->s, m->imm))
		return EXEC_ACCESS;
	if (!take(r, &t))
		return EXEC_RNR;
	return send(r, m, &t);
}

void exec_async(struct peer *peer, const struct shm_qp *s, enum ibv_event_type type)
{
	struct shm_async e = { .type = type, .id = s->id };

	peer_write(peer, s->async_fd, &e, sizeof(e));
}

/* Receives of an SRQ stay; the program is told that this QP takes no more (IBA 10.2.9.4). */
void exec_flush_recvs(struct peer *peer, struct shm_qp *s)
{
	struct remote r = { .peer = peer, .s = s };
	struct msg m = { .type = s->type, .opcode = IBV_WR_SEND };
	struct taken t;

	if (s->srq) {
		if (!s->last_wqe)
			exec_async(peer, s, IBV_EVENT_QP_LAST_WQE_REACHED);
		s->last_wqe = 1;
		return;
	}
	while (take_from(peer, &s->rq, &t))
		push(&r, &m, &t, IBV_WC_WR_FLUSH_ERR, 0);
}

void exec_error(struct peer *peer, struct shm_qp *s)
{
	atomic_store(&s->state, IBV_QPS_ERR);
	exec_flush_recvs(peer, s);
	peer_alert(peer);
}
