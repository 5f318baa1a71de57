/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the two sides of the zero-cost mode tell each other; see null.h. */
#include "config.h"
#include "null/null.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/peer.h"
#include "objects/mr.h"
#include "objects/rq.h"
#include "objects/srq.h"
#include "transport/completion.h"

/* The announcement to the peer has changed. Under the lock of the QP of the peer. */
static void publish(struct null_qp *n)
{
	struct remote *dest = &n->qp.dest;
	struct shm_cq *cq = &dest->peer->arena->cq[dest->s->recv_cq % SHM_CQS];
	struct shm_announce *to = &dest->s->announce;

	/* no atomic addition: it would wait for the cache line */
	atomic_store_explicit(&to->gen,
			      atomic_load_explicit(&to->gen, memory_order_relaxed) + 1,
			      memory_order_release);
	atomic_fetch_add(&cq->announced, 1);
	if (cq->event_fd >= 0)
		completion_notify(dest->peer, cq, true);
}

/* Finds and locks the QP of the peer; NULL: there is none. */
static struct shm_qp *lock_peer(struct null_qp *n, uint32_t qpn)
{
	struct remote *dest = &n->qp.dest;
	struct shm_qp *to = NULL;

	if (!remote_find(dest, qpn))
		to = dest->s;
	/* it is another QP, or it is destroyed and its memory is unmapped */
	if (!to || &to->sent != n->to)
		n->to = &n->nowhere;
	if (!to)
		return NULL;
	lock_take_shared(&to->lock);
	if (to->qpn == qpn)
		return to;
	lock_drop_shared(&to->lock);
	return NULL;
}

static uint8_t flags_of(const struct null_qp *n, uint32_t opcode)
{
	uint8_t flags = n->qp.ib.qp_type == IBV_QPT_UD ? IBV_WC_GRH : 0;

	if (opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		flags |= IBV_WC_WITH_IMM;
	return opcode == IBV_WR_SEND_WITH_INV ? flags | IBV_WC_WITH_INV : flags;
}

static void describe(struct null_qp *n, struct shm_qp *to, uint32_t opcode, uint32_t len)
{
	bool write = opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	struct shm_announce *a = &to->announce;

	a->len = len;
	a->opcode = write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	a->flags = flags_of(n, opcode);
	a->src_qp = n->qp.ib.qp_type == IBV_QPT_UD ? n->qp.ib.qp_num : 0;
	n->to = &to->sent;
}

void null_announce(struct null_qp *n, uint32_t opcode, uint32_t len, uint32_t imm, uint32_t qpn)
{
	const bool ud = n->qp.ib.qp_type == IBV_QPT_UD;
	struct shm_announce *a;
	struct shm_qp *to;

	if (!null_takes_recv(opcode))
		return;
	to = lock_peer(n, ud ? qpn : n->qp.attr.dest_qp_num);
	if (!to)
		return;
	a = &to->announce;
	len += len && ud ? HCA_GRH_BYTES : 0;
	if (!len) {
		a->imm = imm;
		a->empty++;
		if (ud)
			a->src_qp = n->qp.ib.qp_num;
		publish(n);
	} else if (n->to != &to->sent || a->len != len || a->flags != flags_of(n, opcode)) {
		describe(n, to, opcode, len);
		publish(n);
	}
	lock_drop_shared(&to->lock);
}

/* A receiver that gets an announcement also reads the number of messages. */
void null_wake(struct null_qp *n)
{
	struct shm_qp *to = lock_peer(n, n->qp.dest.qpn);

	if (!to)
		return;
	atomic_store(&to->sent.sleeping, 0);
	publish(n);
	lock_drop_shared(&to->lock);
}

/* Reads the announcement and the number of messages. */
static void update(struct null_qp *n)
{
	struct shm_qp *s = n->qp.s;
	const struct shm_announce *from = &s->announce;
	uint64_t sent;

	lock_take_shared(&s->lock);
	n->gen = atomic_load(&from->gen);
	sent = atomic_load(&s->sent.sent);
	n->limit = sent + hca_settings()->ahead;
	if (from->len) {
		n->recv_wc.byte_len = from->len;
		n->recv_wc.opcode = from->opcode;
		n->recv_wc.wc_flags = from->flags;
		n->recv_wc.src_qp = from->src_qp;
	}
	lock_drop_shared(&s->lock);
	/* if the last byte must be written, no receive takes the fast path */
	n->fast_limit = n->reflections || !n->recv_wc.byte_len ? 0 : n->limit;
}

static void receive_empty(struct null_qp *n, const struct shm_rwr *w)
{
	const bool ud = n->qp.ib.qp_type == IBV_QPT_UD;
	const struct shm_announce *from = &n->qp.s->announce;

	n->empty_wc.byte_len = ud ? HCA_GRH_BYTES : 0;
	n->empty_wc.src_qp = from->src_qp;
	/* no data are copied, so there is no GRH either: it is as from an InfiniBand subnet */
	n->empty_wc.wc_flags = IBV_WC_WITH_IMM;
	n->empty = from->empty;
	null_push(n->rcq, w->wr_id, &n->empty_wc, from->imm);
	null_signal(n->rcq);
}

static void receive_payload(struct null_qp *n, const struct shm_rwr *w)
{
	uint32_t len = n->recv_wc.byte_len, number = (uint32_t)n->received++;

	if (n->reflections && w->n_sge && len && len <= w->sge[0].len)
		*(volatile uint8_t *)(uintptr_t)(w->sge[0].addr + len - 1) = (uint8_t)(number + 1);
	null_push(n->rcq, w->wr_id, &n->recv_wc, htobe32(number));
	null_signal(n->rcq);
}

/*
 * Nothing is announced yet: assumes messages as long as the receive. False: the receive has no room
 * for data.
 */
static bool assume(struct null_qp *n, const struct shm_rwr *w)
{
	const bool ud = n->qp.ib.qp_type == IBV_QPT_UD;
	struct ibv_wc *wc = &n->recv_wc;

	for (uint32_t i = 0; i < w->n_sge && i < SHM_MAX_SGE; i++)
		wc->byte_len += w->sge[i].len;
	if (ud && wc->byte_len <= HCA_GRH_BYTES)
		wc->byte_len = 0;
	wc->opcode = IBV_WC_RECV;
	wc->wc_flags = ud ? IBV_WC_GRH : 0;
	return wc->byte_len;
}

/* Completes one posted receive, if there is a message for it. */
static bool receive_one(struct null_qp *n, struct shm_ring *q)
{
	uint32_t tail = atomic_load(&q->tail);
	const struct shm_rwr *w = hca_in(hca.arena, q->ring + (uint64_t)(tail & q->mask) *
					 q->stride, sizeof(*w) + SHM_MAX_SGE * sizeof(w->sge[0]));

	if (!w || tail == atomic_load(&q->head))
		return false;
	if (n->empty != n->qp.s->announce.empty)
		receive_empty(n, w);
	else if (n->received < n->limit && (n->recv_wc.byte_len || assume(n, w)))
		receive_payload(n, w);
	else
		return false;
	atomic_store(&q->tail, tail + 1);
	return true;
}

/* Completes receives of an SRQ; its QPs take them round-robin. */
static void receive_shared(struct ibv_srq *ib)
{
	struct shm_ring *q = &container_of(ib, struct srq, ib)->s->rq;
	bool more = true;

	pthread_mutex_lock(&hca.mutex);
	while (more) {
		more = false;
		for (struct qp *qp = hca.qps; qp; qp = qp->next) {
			struct null_qp *n = container_of(qp, struct null_qp, qp);

			if (qp->ib.srq != ib)
				continue;
			update(n);
			more |= receive_one(n, q);
		}
	}
	pthread_mutex_unlock(&hca.mutex);
}

/* Completes all posted receives for which there is a message. */
static void receive(struct null_qp *n)
{
	if (n->qp.ib.srq) {
		receive_shared(n->qp.ib.srq);
		return;
	}
	update(n);
	while (receive_one(n, &n->qp.s->rq))
		continue;
	update(n); /* assume() may have set the length */
}

int null_recv(struct ibv_qp *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int rc = rq_post(ib, wr, bad);

	receive(null_qp_of(ib));
	return rc;
}

int null_srq_recv(struct ibv_srq *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int rc = srq_post(ib, wr, bad);

	receive_shared(ib);
	return rc;
}

void null_check_announced(struct null_cq *cq)
{
	cq->announced = atomic_load(&cq->cq.s->announced);
	for (struct null_qp *n = cq->qps; n; n = n->next)
		receive(n);
}

/* A QP without new messages costs few instructions. */
void null_check_next(struct null_cq *cq)
{
	struct null_qp *n = cq->check_next ? cq->check_next : cq->qps;
	uint64_t sent = atomic_load_explicit(&n->qp.s->sent.sent, memory_order_acquire);

	cq->check_next = n->next;
	if (n->received < sent + hca_settings()->ahead)
		receive(n);
}

/*
 * A sender writes the number of its messages and then reads whether the peer sleeps. A barrier in
 * between would cost time for each message. So the receiver calls membarrier(2), once for each
 * sleep.
 */
int null_notify(struct ibv_cq *ib, int solicited_only)
{
	struct null_cq *cq = null_cq_of(ib);
	int rc = cq_notify(ib, solicited_only);

	if (rc)
		return rc;
	for (struct null_qp *n = cq->qps; n; n = n->next)
		atomic_store(&n->qp.s->sent.sleeping, 1);
	if (cq->qps)
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
	null_check_announced(cq);
	return 0;
}

void null_open(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
}

/*
 * The address here that the peer would write to: in the region of this process that is as long as
 * the region of the peer with this key. The two sides of a latency test have equal regions.
 */
static uint8_t *mirror(const struct shm_mr *theirs, uint64_t raddr)
{
	uint8_t *at = NULL;

	pthread_mutex_lock(&hca.mutex);
	for (const struct mr *mr = hca.mrs; mr && !at; mr = mr->next)
		if (mr->s->len == theirs->len)
			at = (uint8_t *)mr->ib.addr + (raddr - theirs->iova);
	pthread_mutex_unlock(&hca.mutex);
	return at;
}

/*
 * The first write of this QP. If the peer has not written yet, this side is the first; then the
 * write is delivered, because the peer waits for it.
 */
static void write_first(struct null_qp *n, const struct ibv_sge *sge, const struct shm_mr *mr,
			uint64_t raddr)
{
	const uint8_t *last = (const uint8_t *)(uintptr_t)sge->addr + sge->length - 1;
	struct remote *dest = &n->qp.dest;

	n->wrote = true;
	n->add = atomic_load(&n->qp.s->announce.written) != 0;
	if (n->add)
		return;
	atomic_store(&dest->s->announce.written, 1);
	(void)peer_put_bytes(dest->peer, mr, raddr + sge->length - 1, last, 1);
}

void null_reflect(struct null_qp *n, const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey)
{
	const uint8_t *from;

	if (!n->reflections || !sge || !sge->length)
		return;
	/* a peer that has finished before is not needed after the first write */
	if (!n->wrote || n->mirror_of != raddr) {
		const struct shm_mr *theirs;

		if (remote_find(&n->qp.dest, n->qp.attr.dest_qp_num))
			return;
		theirs = &n->qp.dest.peer->arena->mr[(rkey >> 8) & (SHM_MRS - 1)];
		if (!n->wrote)
			write_first(n, sge, theirs, raddr);
		n->mirror = mirror(theirs, raddr);
		n->mirror_of = raddr;
	}
	if (!n->mirror)
		return;
	n->reflections--;
	from = (const uint8_t *)(uintptr_t)sge->addr;
	*(volatile uint8_t *)(n->mirror + sge->length - 1) =
		(uint8_t)(from[sge->length - 1] + n->add);
}
