/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the two ends of the zero-cost mode tell each other, see null.h. Rare. */
#include "config.h"
#include "null.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cq.h"
#include "exec.h"
#include "rq.h"

/* Under the lock of the peer's QP. */
static void tell(struct qp *qp)
{
	struct peer *peer = qp->dest.peer;
	struct shm_cq *cq = &peer->arena->cq[qp->dest.s->recv_cq];
	struct shm_told *told = &qp->dest.s->told;

	/* not an atomic addition, which would wait for the line */
	atomic_store_explicit(&told->gen,
			      atomic_load_explicit(&told->gen, memory_order_relaxed) + 1,
			      memory_order_release);
	atomic_fetch_add(&cq->news, 1);
	if (cq->event_fd >= 0)
		cq_raise(peer, cq, true);
}

/* The peer's QP, if there is one, and its lock. */
static struct shm_qp *reach(struct qp *qp, uint32_t qpn)
{
	struct shm_qp *to = NULL;

	if (!exec_find(&qp->dest, qpn))
		to = qp->dest.s;
	/* another one, or that one is gone, with its memory */
	if (!to || &to->sent != qp->null.to)
		qp->null.to = &qp->null.nowhere;
	if (!to)
		return NULL;
	lock_take(&qp->dest.s->lock);
	if (qp->dest.s->qpn == qpn)
		return to;
	lock_drop(&qp->dest.s->lock);
	return NULL;
}

static void part(struct qp *qp)
{
	lock_drop(&qp->dest.s->lock);
}

static uint8_t flags_of(const struct qp *qp, uint32_t opcode)
{
	uint8_t flags = qp->ib.qp_type == IBV_QPT_UD ? IBV_WC_GRH : 0;

	if (opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		flags |= IBV_WC_WITH_IMM;
	return opcode == IBV_WR_SEND_WITH_INV ? flags | IBV_WC_WITH_INV : flags;
}

static void describe(struct qp *qp, struct shm_told *to, uint32_t opcode, uint32_t len)
{
	bool write = opcode == IBV_WR_RDMA_WRITE_WITH_IMM;

	to->len = len;
	to->opcode = write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	to->flags = flags_of(qp, opcode);
	to->src_qp = qp->ib.qp_type == IBV_QPT_UD ? qp->ib.qp_num : 0;
	qp->null.to = &qp->dest.s->sent;
}

void null_odd(struct qp *qp, uint32_t opcode, uint32_t len, uint32_t imm, uint32_t qpn)
{
	const bool ud = qp->ib.qp_type == IBV_QPT_UD;
	struct shm_told *to;

	if (!null_takes_recv(opcode))
		return;
	if (!reach(qp, ud ? qpn : qp->attr.dest_qp_num))
		return;
	to = &qp->dest.s->told;
	len += len && ud ? HCA_GRH_BYTES : 0;
	if (!len) {
		to->imm = imm;
		to->mails++;
		if (ud)
			to->src_qp = qp->ib.qp_num;
		tell(qp);
	} else if (qp->null.to != &qp->dest.s->sent || to->len != len ||
		   to->flags != flags_of(qp, opcode)) {
		describe(qp, to, opcode, len);
		tell(qp);
	}
	part(qp);
}

/* A receiver that is told of something looks at what was sent, too. */
void null_wake(struct qp *qp)
{
	struct shm_qp *to = reach(qp, qp->dest.qpn);

	if (!to)
		return;
	atomic_store(&to->sent.hungry, 0);
	tell(qp);
	part(qp);
}

/* What the peer has told since. */
static void look(struct qp *qp)
{
	const struct shm_told *from = &qp->s->told;
	struct null_qp *n = &qp->null;
	uint64_t sent;

	lock_take(&qp->s->lock);
	n->gen = atomic_load(&from->gen);
	sent = atomic_load(&qp->s->sent.sent);
	n->upto = sent + cfg_ahead();
	if (from->len) {
		n->came.byte_len = from->len;
		n->came.opcode = from->opcode;
		n->came.wc_flags = from->flags;
		n->came.src_qp = from->src_qp;
	}
	lock_drop(&qp->s->lock);
	/* where the last byte is written, no receive goes the short way */
	n->limit = n->reflections || !n->came.byte_len ? 0 : n->upto;
}

static void take_mail(struct qp *qp, const struct shm_rwr *w)
{
	const bool ud = qp->ib.qp_type == IBV_QPT_UD;
	struct null_qp *n = &qp->null;

	n->mail.byte_len = ud ? HCA_GRH_BYTES : 0;
	n->mail.src_qp = qp->s->told.src_qp;
	n->mail.wc_flags = IBV_WC_WITH_IMM | (ud ? IBV_WC_GRH : 0);
	n->mails = qp->s->told.mails;
	null_push(n->rcq, w->wr_id, &n->mail, qp->s->told.imm);
	null_signal(n->rcq);
}

static void take_full(struct qp *qp, const struct shm_rwr *w)
{
	struct null_qp *n = &qp->null;
	uint32_t len = n->came.byte_len, number = (uint32_t)n->taken++;

	if (n->reflections && w->n_sge && len && len <= w->sge[0].len)
		*(volatile uint8_t *)(uintptr_t)(w->sge[0].addr + len - 1) = (uint8_t)(number + 1);
	null_push(n->rcq, w->wr_id, &n->came, htobe32(number));
	null_signal(n->rcq);
}

/* Ahead of the first message: it will be as long as there is room. False: there is none. */
static bool guess(struct qp *qp, const struct shm_rwr *w)
{
	struct ibv_wc *came = &qp->null.came;

	for (uint32_t i = 0; i < w->n_sge; i++)
		came->byte_len += w->sge[i].len;
	came->opcode = IBV_WC_RECV;
	came->wc_flags = qp->ib.qp_type == IBV_QPT_UD ? IBV_WC_GRH : 0;
	return came->byte_len;
}

/* One queued receive, if there is something for it. */
static bool take_one(struct qp *qp, struct shm_ring *q)
{
	uint32_t tail = atomic_load(&q->tail);
	const struct shm_rwr *w = hca_at(hca.arena, q->ring + (uint64_t)(tail & q->mask) *
					 q->stride);
	struct null_qp *n = &qp->null;

	if (tail == atomic_load(&q->head))
		return false;
	if (n->mails != qp->s->told.mails)
		take_mail(qp, w);
	else if (n->taken < n->upto && (n->came.byte_len || guess(qp, w)))
		take_full(qp, w);
	else
		return false;
	atomic_store(&q->tail, tail + 1);
	return true;
}

/* The messages come in turn over the SRQ's QPs. */
static void deal(struct ibv_srq *ib)
{
	struct shm_ring *q = &container_of(ib, struct srq, ib)->s->rq;
	bool more = true;

	pthread_mutex_lock(&hca.mutex);
	while (more) {
		more = false;
		for (struct qp *qp = hca.qps; qp; qp = qp->next) {
			if (qp->ib.srq != ib)
				continue;
			look(qp);
			more |= take_one(qp, q);
		}
	}
	pthread_mutex_unlock(&hca.mutex);
}

/* All queued receives that there is something for. */
static void serve(struct qp *qp)
{
	if (qp->ib.srq) {
		deal(qp->ib.srq);
		return;
	}
	look(qp);
	while (take_one(qp, &qp->s->rq))
		continue;
	look(qp); /* the first may have told what all are like */
}

int null_recv(struct ibv_qp *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int rc = rq_post(ib, wr, bad);

	serve(container_of(ib, struct qp, ib));
	return rc;
}

int null_srq_recv(struct ibv_srq *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int rc = rq_post_srq(ib, wr, bad);

	deal(ib);
	return rc;
}

void null_news(struct cq *cq)
{
	cq->null.news = atomic_load(&cq->s->news);
	for (struct qp *qp = cq->null.qps; qp; qp = qp->null.next)
		serve(qp);
}

/* One that waits for nothing new is passed over quickly. */
void null_next(struct cq *cq)
{
	struct qp *qp = cq->null.turn ? cq->null.turn : cq->null.qps;
	const struct null_qp *n = &qp->null;
	uint64_t sent = atomic_load_explicit(&qp->s->sent.sent, memory_order_acquire);

	cq->null.turn = n->next;
	if (n->taken < sent + cfg_ahead())
		serve(qp);
}

/*
 * Senders do not order what they have sent before their look at who is hungry, as that would cost
 * each message a full barrier: the kernel does it for them, once for each sleep.
 */
int null_notify(struct ibv_cq *ib, int solicited_only)
{
	struct cq *cq = container_of(ib, struct cq, ib);
	int rc = cq_notify(ib, solicited_only);

	if (rc)
		return rc;
	for (struct qp *qp = cq->null.qps; qp; qp = qp->null.next)
		atomic_store(&qp->s->sent.hungry, 1);
	if (cq->null.qps)
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
	null_news(cq);
	return 0;
}

void null_open(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
}

/*
 * The peer's region of that key has the length of ours that is meant for it, as both ends of a
 * latency test are set up alike.
 */
static uint8_t *mirror(struct qp *qp, uint64_t raddr, uint32_t rkey)
{
	const struct shm_mr *theirs = &qp->dest.peer->arena->mr[(rkey >> 8) & (SHM_MRS - 1)];
	uint8_t *at = NULL;

	pthread_mutex_lock(&hca.mutex);
	for (const struct mr *mr = hca.mrs; mr && !at; mr = mr->next)
		if (mr->s->len == theirs->len)
			at = (uint8_t *)mr->ib.addr + (raddr - theirs->iova);
	pthread_mutex_unlock(&hca.mutex);
	return at;
}

/* Who wrote first, if nobody has said so. That write is delivered: the other side waits for it. */
static void write_first(struct qp *qp, const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey)
{
	const struct shm_mr *mr = &qp->dest.peer->arena->mr[(rkey >> 8) & (SHM_MRS - 1)];
	const uint8_t *last = (const uint8_t *)(uintptr_t)sge->addr + sge->length - 1;

	qp->null.wrote = true;
	qp->null.add = atomic_load(&qp->s->told.written) != 0;
	if (qp->null.add)
		return;
	atomic_store(&qp->dest.s->told.written, 1);
	(void)peer_put_bytes(qp->dest.peer, mr, raddr + sge->length - 1, last, 1);
}

void null_reflect(struct qp *qp, const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey)
{
	struct null_qp *n = &qp->null;
	const uint8_t *from;

	if (!n->reflections || !sge || !sge->length)
		return;
	/* a peer that has finished before is not needed any more */
	if (!n->wrote || n->mirror_of != raddr) {
		if (exec_find(&qp->dest, qp->attr.dest_qp_num))
			return;
		if (!n->wrote)
			write_first(qp, sge, raddr, rkey);
		n->mirror = mirror(qp, raddr, rkey);
		n->mirror_of = raddr;
	}
	if (!n->mirror)
		return;
	n->reflections--;
	from = (const uint8_t *)(uintptr_t)sge->addr;
	*(volatile uint8_t *)(n->mirror + sge->length - 1) =
		(uint8_t)(from[sge->length - 1] + n->add);
}
