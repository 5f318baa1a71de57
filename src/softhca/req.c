/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The requester, see req.h. Without a link a request is carried out where it is posted. With one:
 *   1. req_pump() puts it on the link: the link says when it has left and when it arrives;
 *   2. ARRIVE: it is carried out on the peer (RC), in order; one that is lost, or comes after a
 *      lost one, is not;
 *   3. ACK: the answer is back, the request completes;
 *   4. RESUME: after a time-out, a NAK for a gap or an RNR wait everything from the first request
 *      that has not arrived is sent again.
 * Times follow from the due times of events, not from when they are run, so nothing adds up.
 */
#include "config.h"
#include "req.h"

#include <stdlib.h>

#include "exec.h"
#include "fault.h"
#include "wire.h"
#include "mr.h"

enum resume { RESUME_TIMEOUT, RESUME_RNR, RESUME_GAP };

static void push(struct qp *qp, uint32_t kind, uint32_t idx, uint64_t due_ns, uint32_t arg)
{
	struct agenda_event e = {
		.due_ns = due_ns, .qp = qp, .kind = kind, .idx = idx, .epoch = qp->epoch,
		.arg = arg,
	};

	(void)agenda_push(&e);
}

static void answer(struct qp *qp, uint32_t idx, uint8_t status)
{
	struct wqe *w = qp_wqe(qp, idx);

	w->acked = true;
	w->status = status;
	if (req_is_read(w) && qp->reads)
		qp->reads--;
}

/* The request fails here and now; those before it complete first. */
static void fail(struct qp *qp, uint32_t idx, uint8_t status)
{
	qp->epoch++;
	qp->blocked = true;
	qp->nxt = idx + 1;
	answer(qp, idx, status);
	req_retire(qp);
}

/* Local ACK Timeout: 4.096 us times 2 to the timeout (IBA vol. 1, 9.7.6.1.3); 0 is for ever. */
static void wait_timeout(struct qp *qp, uint32_t idx, uint64_t sent_ns)
{
	qp->blocked = true;
	if (qp->attr.timeout)
		push(qp, AGENDA_RESUME, idx, sent_ns + (UINT64_C(4096) << (qp->attr.timeout & 31)),
		     RESUME_TIMEOUT);
}

static void wait_rnr(struct qp *qp, uint32_t idx, uint64_t heard_ns)
{
	uint8_t code = qp->dest.s->min_rnr_timer;

	qp->epoch++; /* those behind it are not taken either */
	qp->blocked = true;
	qp->nxt = idx;
	if (qp->attr.rnr_retry != 7 && qp->rnr_retries++ >= qp->attr.rnr_retry)
		fail(qp, idx, IBV_WC_RNR_RETRY_EXC_ERR);
	else
		push(qp, AGENDA_RESUME, idx, heard_ns + exec_rnr_ns(code), RESUME_RNR);
}

static uint8_t nak_status(enum exec_result res)
{
	return res == EXEC_INVALID ? IBV_WC_REM_INV_REQ_ERR :
	       res == EXEC_ACCESS ? IBV_WC_REM_ACCESS_ERR : IBV_WC_REM_OP_ERR;
}

static void make_progress(struct qp *qp, uint32_t idx)
{
	qp->exp = idx + 1;
	qp->naked = false;
	qp->retries = qp->rnr_retries = 0;
}

/* Carried out on the peer. Reads land in iov, which may be their bounce buffer. */
static enum exec_result try_peer(struct qp *qp, struct wqe *w, const struct iovec *iov, uint32_t n)
{
	enum exec_result res;
	struct msg m;

	if (atomic_load_explicit(&qp->port->down, memory_order_relaxed) ||
	    exec_find(&qp->dest, qp->attr.dest_qp_num))
		return EXEC_SILENT;
	req_message(qp, w, &m);
	m.src = m.into = iov;
	m.n_iov = n;
	res = exec(&qp->dest, &m);
	if (res != EXEC_OK || !req_is_read(w) || w->opcode == IBV_WR_RDMA_READ)
		return res;
	__builtin_memcpy(iov[0].iov_base, &m.old, sizeof(m.old) < iov[0].iov_len ?
			 sizeof(m.old) : iov[0].iov_len);
	return res;
}

/* An atomic's 8 bytes may be in several SGEs: then they land through a buffer, as on a link. */
static bool wants_bounce(const struct wqe *w, uint32_t n)
{
	return n > 1 && req_is_read(w) && w->opcode != IBV_WR_RDMA_READ;
}

static enum exec_result try_bounced(struct qp *qp, struct wqe *w)
{
	struct iovec one = { .iov_len = w->len };
	enum exec_result res;

	if (!w->bounce)
		w->bounce = malloc(w->len ? w->len : 1);
	one.iov_base = w->bounce;
	res = w->bounce ? try_peer(qp, w, &one, w->len ? 1 : 0) : EXEC_BROKEN;
	return res;
}

/* RC without a link. True: go on with the next. */
static bool run_now(struct qp *qp, struct wqe *w, const struct iovec *iov, uint32_t n)
{
	bool bounce = wants_bounce(w, n);
	enum exec_result res = bounce ? try_bounced(qp, w) : try_peer(qp, w, iov, n);

	switch (res) {
	case EXEC_OK:
		if (bounce)
			req_land(qp, w);
		make_progress(qp, qp->nxt);
		answer(qp, qp->nxt++, IBV_WC_SUCCESS);
		req_retire(qp);
		return true;
	case EXEC_SILENT:
		wait_timeout(qp, qp->nxt, agenda_now());
		return false;
	case EXEC_RNR:
		wait_rnr(qp, qp->nxt, agenda_now());
		return false;
	default:
		fail(qp, qp->nxt, nak_status(res));
		return false;
	}
}

/* RC onto the link. A read's request carries no payload. */
static void launch(struct qp *qp, const struct wqe *w)
{
	struct wire_times t = wire_send(qp->port, agenda_now(), req_is_read(w) ? 0 : w->len);
	unsigned int fate = wire_fate(&ctx_of(qp->ib.context)->cfg, qp->ordinal, qp->messages++);

	wire_count(qp->port, fate & WIRE_LOST);
	if (req_is_read(w))
		qp->reads++;
	push(qp, AGENDA_ARRIVE, qp->nxt++, t.arrives_ns, fate & WIRE_LOST);
}

static bool may_start(const struct qp *qp, const struct wqe *w)
{
	if (w->flags & IBV_SEND_FENCE && qp->reads)
		return false;
	return !req_is_read(w) || qp->reads < qp->attr.max_rd_atomic || !qp->attr.max_rd_atomic;
}

/* Requests that go nowhere: windows. They wait for what is before them (IBA vol. 1, 10.8.3.3). */
static bool run_local(struct qp *qp, struct wqe *w)
{
	uint8_t status;

	if (qp->una != qp->nxt)
		return false;
	status = w->opcode == IBV_WR_BIND_MW ? mw_bind(qp, w) : mw_invalidate(qp, w->imm);
	if (status != IBV_WC_SUCCESS) {
		fail(qp, qp->nxt, status);
		return false;
	}
	make_progress(qp, qp->nxt);
	answer(qp, qp->nxt++, status);
	req_retire(qp);
	return true;
}

static bool start(struct qp *qp, struct wqe *w)
{
	struct iovec iov[SHM_MAX_SGE];
	uint8_t status;
	uint32_t n;

	if (req_is_local(w) && !w->refused && qp->ib.qp_type != IBV_QPT_UD)
		return run_local(qp, w);
	status = req_gather(qp, w, iov, &n);
	if (status != IBV_WC_SUCCESS) {
		if (qp->una != qp->nxt)
			return false; /* in its turn */
		fail(qp, qp->nxt, status);
		return false;
	}
	if (qp->ib.qp_type != IBV_QPT_RC) {
		req_fire(qp, w, iov, n);
		return true;
	}
	if (!qp->port->used)
		return run_now(qp, w, iov, n);
	launch(qp, w);
	return true;
}

static void told_drained(struct qp *qp)
{
	if (!qp->sqd_event || qp->una != qp->nxt)
		return;
	qp->sqd_event = false;
	exec_async(qp->self, qp->s, IBV_EVENT_SQ_DRAINED);
}

void req_pump(struct qp *qp)
{
	while (qp->nxt != qp->post && !qp->blocked &&
	       atomic_load_explicit(&qp->s->state, memory_order_relaxed) == IBV_QPS_RTS) {
		struct wqe *w = qp_wqe(qp, qp->nxt);

		if (!may_start(qp, w) || !start(qp, w))
			break;
	}
	told_drained(qp);
}

static void answer_later(struct qp *qp, struct wqe *w, const struct agenda_event *e)
{
	uint64_t due = e->due_ns + wire_delay_ns(qp->port);

	if (w->opcode == IBV_WR_RDMA_READ) {
		struct peer *p = qp->dest.peer;
		struct shm_port *back = &hca.fabric->proc[p->slot].port[qp->dest.s->dev];

		due = wire_send(back, e->due_ns, w->len).arrives_ns;
	}
	push(qp, AGENDA_ACK, e->idx, due, 0);
}

static void arrive(struct qp *qp, const struct agenda_event *e)
{
	uint64_t delay = wire_delay_ns(qp->port);
	struct wqe *w = qp_wqe(qp, e->idx);
	struct iovec iov[SHM_MAX_SGE];
	enum exec_result res;
	uint32_t n;

	if (e->epoch != qp->epoch)
		return;
	if (e->idx != qp->exp) { /* a gap: NAK, once */
		if (!qp->naked && !e->arg)
			push(qp, AGENDA_RESUME, qp->exp, e->due_ns + delay, RESUME_GAP);
		qp->naked |= !e->arg;
		return;
	}
	res = e->arg ? EXEC_SILENT :
	      req_is_read(w) ? try_bounced(qp, w) :
	      req_gather(qp, w, iov, &n) ? EXEC_BROKEN : try_peer(qp, w, iov, n);
	switch (res) {
	case EXEC_OK:
		make_progress(qp, e->idx);
		w->status = IBV_WC_SUCCESS;
		answer_later(qp, w, e);
		break;
	case EXEC_SILENT:
		qp->naked |= !e->arg; /* nobody there: nor to answer what comes after it */
		push(qp, AGENDA_RESUME, e->idx, e->due_ns - delay +
		     (UINT64_C(4096) << (qp->attr.timeout & 31)), RESUME_TIMEOUT);
		break;
	case EXEC_RNR:
		wait_rnr(qp, e->idx, e->due_ns + delay);
		break;
	default:
		qp->epoch++;
		qp->blocked = true;
		qp->nxt = e->idx + 1;
		w->status = nak_status(res);
		push(qp, AGENDA_ACK, e->idx, e->due_ns + delay, 0);
		break;
	}
}

static void ack(struct qp *qp, const struct agenda_event *e)
{
	struct wqe *w = qp_wqe(qp, e->idx);

	if (seq_before(e->idx, qp->una) || !seq_before(e->idx, qp->post))
		return;
	if (w->status == IBV_WC_SUCCESS && req_is_read(w))
		req_land(qp, w);
	answer(qp, e->idx, w->status);
	req_retire(qp);
}

/* Reads under way among those that have arrived; the others start anew. */
static void recount_reads(struct qp *qp)
{
	qp->reads = 0;
	for (uint32_t i = qp->una; i != qp->exp; i++)
		if (req_is_read(qp_wqe(qp, i)) && !qp_wqe(qp, i)->acked)
			qp->reads++;
}

static void resume(struct qp *qp, const struct agenda_event *e)
{
	if (e->epoch != qp->epoch)
		return;
	if (e->arg == RESUME_TIMEOUT && qp->retries++ >= qp->attr.retry_cnt) {
		fail(qp, e->idx, IBV_WC_RETRY_EXC_ERR);
		return;
	}
	qp->epoch++;
	qp->blocked = qp->naked = false;
	qp->nxt = e->idx;
	recount_reads(qp);
}

static void qp_event(struct qp *qp, const struct agenda_event *e)
{
	lock_take(&qp->lock);
	switch (e->kind) {
	case AGENDA_ARRIVE:
		arrive(qp, e);
		break;
	case AGENDA_ACK:
		ack(qp, e);
		break;
	case AGENDA_RESUME:
		resume(qp, e);
		break;
	case AGENDA_SENT:
		if (e->epoch == qp->epoch && e->idx == qp->una)
			req_sent(qp, qp_wqe(qp, e->idx), e->due_ns);
		break;
	}
	req_pump(qp);
	lock_drop(&qp->lock);
}

void req_event(const struct agenda_event *e)
{
	if (e->kind == AGENDA_DELIVER)
		req_deliver(e->msg);
	else if (e->kind == AGENDA_DEVICE)
		fault_due(e->idx, e->epoch, e->arg);
	else
		qp_event(e->qp, e);
}

static void attend(struct qp *qp)
{
	lock_take(&qp->lock);
	if (atomic_load(&qp->s->state) == IBV_QPS_ERR) {
		qp->ib.state = IBV_QPS_ERR;
		req_flush(qp);
	}
	lock_drop(&qp->lock);
}

/* A CQ that has overrun takes its QPs with it (IBA vol. 1, 11.6.3.2). */
static void check_cqs(struct qp *qp)
{
	if (!hca.arena->cq[qp->s->send_cq].overrun && !hca.arena->cq[qp->s->recv_cq].overrun)
		return;
	if (atomic_load(&qp->s->state) == IBV_QPS_ERR)
		return;
	lock_take(&qp->lock);
	exec_async(qp->self, qp->s, IBV_EVENT_QP_FATAL);
	req_error(qp, IBV_QPS_ERR);
	lock_drop(&qp->lock);
}

void req_attend(void)
{
	uint32_t now;

	if (!hca.arena)
		return;
	now = atomic_load(&hca.arena->attention);
	if (now == atomic_load(&hca.attention_seen))
		return;
	pthread_mutex_lock(&hca.mutex);
	atomic_store(&hca.attention_seen, now);
	for (struct qp *qp = hca.qps; qp; qp = qp->next) {
		check_cqs(qp);
		attend(qp);
	}
	pthread_mutex_unlock(&hca.mutex);
}
