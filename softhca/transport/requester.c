/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The requester of RC, and what all transports share; see requester.h. Without a link, a request is
 * executed when it is posted. With a link:
 *   1. requester_run() puts the request on the link, which gives the time of its arrival;
 *   2. ARRIVE: the responder executes the requests in order, and ignores requests after a loss;
 *      before that, it is at each hop of the way, where others may be before it;
 *   3. ACK: the response is back, the request completes; before that, RETURN: the data of a read
 *      are at each hop back;
 *   4. RESUME: after a timeout, a NAK for a gap or an RNR NAK, all requests from the first one that
 *      was not executed are sent again.
 * Times are computed from the due times of timers, and not from when they run: delays of timers do
 * not add up.
 */
#include "config.h"
#include "transport/requester.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "record/record.h"
#include "transport/async.h"
#include "transport/link.h"
#include "transport/migrate.h"
#include "transport/progress.h"
#include "transport/responder.h"
#include "transport/window.h"

enum resume { RESUME_TIMEOUT, RESUME_RNR, RESUME_GAP };

void requester_at(struct qp *qp, uint32_t kind, uint32_t idx, uint64_t due_ns, uint32_t arg)
{
	struct timer t = {
		.due_ns = due_ns, .run = requester_timer, .owner = qp, .kind = kind, .idx = idx,
		.epoch = qp->epoch, .arg = arg,
	};

	(void)progress_at(&t);
}

static void acknowledge(struct qp *qp, uint32_t idx, uint8_t status)
{
	struct wqe *w = qp_wqe(qp, idx);

	w->acked = true;
	w->status = status;
	if (wqe_takes_response(w) && qp->reads)
		qp->reads--;
}

/* The request fails now. The requests before it complete first. */
static void fail(struct qp *qp, uint32_t idx, uint8_t status)
{
	qp->epoch++;
	qp->blocked = true;
	qp->next_send = idx + 1;
	acknowledge(qp, idx, status);
	requester_complete(qp);
}

/* Local ACK Timeout: 4.096 us * 2^timeout (IBA vol. 1, 9.7.6.1.3); 0: no timeout. */
static void wait_timeout(struct qp *qp, uint32_t idx, uint64_t sent_ns)
{
	uint64_t due_ns = sent_ns + (UINT64_C(4096) << (qp->attr.timeout & 31));

	qp->blocked = true;
	if (qp->attr.timeout)
		requester_at(qp, REQUESTER_RESUME, idx, due_ns, RESUME_TIMEOUT);
}

static void wait_rnr(struct qp *qp, uint32_t idx, uint64_t nak_ns)
{
	const struct remote *dest = requester_dest(qp, qp_wqe(qp, idx));
	uint8_t code = dest->s->min_rnr_timer;

	link_add(link_port_of(dest), HCA_RNR_SENT, 1);
	qp->epoch++; /* the responder does not take the requests after it either */
	qp->blocked = true;
	qp->next_send = idx;
	if (qp->attr.rnr_retry != 7 && qp->rnr_retries++ >= qp->attr.rnr_retry)
		fail(qp, idx, IBV_WC_RNR_RETRY_EXC_ERR);
	else
		requester_at(qp, REQUESTER_RESUME, idx, nak_ns + responder_rnr_ns(code),
			     RESUME_RNR);
}

static uint8_t nak_status(enum responder_result res)
{
	return res == RESPONDER_INVALID ? IBV_WC_REM_INV_REQ_ERR :
	       res == RESPONDER_ACCESS ? IBV_WC_REM_ACCESS_ERR : IBV_WC_REM_OP_ERR;
}

static void make_progress(struct qp *qp, uint32_t idx)
{
	qp->expected = idx + 1;
	qp->nak_sent = false;
	qp->retries = qp->rnr_retries = 0;
}

/*
 * Executes the request on the peer. The data of a read go to iov, which may be the bounce buffer.
 */
static enum responder_result try_peer(struct qp *qp, struct wqe *w, const struct iovec *iov,
				      uint32_t n)
{
	struct remote *dest = requester_dest(qp, w);
	enum responder_result res;
	struct msg m;

	if (atomic_load_explicit(&qp->port->down, memory_order_relaxed) ||
	    remote_find(dest, requester_dest_qpn(qp, w)))
		return RESPONDER_NO_ANSWER;
	requester_message(qp, w, &m);
	m.src = m.into = iov;
	m.n_iov = n;
	res = responder_execute(dest, &m);
	if (res == RESPONDER_OK && qp->dc != QP_DCI)
		migrate_arm(qp);
	if (res != RESPONDER_OK || !wqe_is_read(w) || w->opcode == IBV_WR_RDMA_READ ||
	    !iov[0].iov_base)
		return res;
	__builtin_memcpy(iov[0].iov_base, &m.old, sizeof(m.old) < iov[0].iov_len ?
			 sizeof(m.old) : iov[0].iov_len);
	return res;
}

/* The 8 bytes of an atomic may be in several SGEs: then they go through a bounce buffer. */
static bool wants_bounce(const struct wqe *w, uint32_t n)
{
	return n > 1 && wqe_is_read(w) && w->opcode != IBV_WR_RDMA_READ;
}

static enum responder_result try_bounced(struct qp *qp, struct wqe *w)
{
	struct iovec one = { .iov_len = w->len };
	enum responder_result res;

	if (!w->bounce)
		w->bounce = malloc(w->len ? w->len : 1);
	one.iov_base = w->bounce;
	res = w->bounce ? try_peer(qp, w, &one, w->len ? 1 : 0) : RESPONDER_OP_ERROR;
	return res;
}

/* RC without a link. True: the next request can start. */
static bool run_now(struct qp *qp, struct wqe *w, const struct iovec *iov, uint32_t n)
{
	bool bounce = wants_bounce(w, n);
	enum responder_result res = bounce ? try_bounced(qp, w) : try_peer(qp, w, iov, n);

	switch (res) {
	case RESPONDER_OK:
		if (bounce)
			requester_copy_response(qp, w);
		make_progress(qp, qp->next_send);
		acknowledge(qp, qp->next_send++, IBV_WC_SUCCESS);
		requester_complete(qp);
		return true;
	case RESPONDER_NO_ANSWER:
		wait_timeout(qp, qp->next_send, clock_now());
		return false;
	case RESPONDER_RNR:
		wait_rnr(qp, qp->next_send, clock_now());
		return false;
	default:
		fail(qp, qp->next_send, nak_status(res));
		return false;
	}
}

uint64_t requester_arrival(struct qp *qp, uint32_t message, uint64_t at_ns)
{
	at_ns += link_jitter_ns(&ctx_of(qp->ib.context)->settings, qp->ordinal, message);
	if (at_ns > qp->last_arrival_ns)
		qp->last_arrival_ns = at_ns;
	return qp->last_arrival_ns;
}

/* RC on the link. The request of a read has no payload. */
static void send_on_link(struct qp *qp, struct wqe *w)
{
	const uint32_t bytes = wqe_is_read(w) ? 0 : w->len, number = qp->messages++;
	const uint64_t now_ns = requester_turn(qp, bytes);
	const struct link_times times = link_send(qp->port, now_ns, bytes);
	const uint64_t arrives_ns = requester_arrival(qp, number, times.arrives_ns);
	const struct settings_dev *set = &ctx_of(qp->ib.context)->settings;
	const unsigned int lost = requester_is_lost(qp, w, number, times.sent_ns) ? LINK_LOST :
				  LINK_LOST & link_outcome(set, qp->ordinal, number);

	w->paused_ps = times.paused_ps;
	record_sent(qp->ib.qp_num, qp->next_send, link_departure(now_ns, bytes, &times));
	link_count(qp->port, &(struct link_message){
		.outcome = lost, .bytes = bytes,
		.again = requester_is_before(qp->next_send, qp->first_new) });
	if (!lost && !qp->port->of_node)
		link_arrives(qp->port, arrives_ns);
	if (wqe_takes_response(w))
		qp->reads++;
	requester_at(qp, REQUESTER_ARRIVE, qp->next_send++, arrives_ns, lost);
	if (requester_is_before(qp->first_new, qp->next_send))
		qp->first_new = qp->next_send;
}

static bool may_start(const struct qp *qp, const struct wqe *w)
{
	if (w->flags & IBV_SEND_FENCE && qp->reads)
		return false;
	return !wqe_takes_response(w) || qp->reads < qp->attr.max_rd_atomic ||
	       !qp->attr.max_rd_atomic;
}

/* Binds and invalidates a window, after the requests before it (IBA vol. 1, 10.8.3.3). */
static bool run_local(struct qp *qp, struct wqe *w)
{
	uint8_t status;

	if (qp->oldest != qp->next_send)
		return false;
	status = w->opcode == IBV_WR_BIND_MW ? window_bind(qp, w) : window_invalidate(qp, w->imm);
	if (status != IBV_WC_SUCCESS) {
		fail(qp, qp->next_send, status);
		return false;
	}
	make_progress(qp, qp->next_send);
	acknowledge(qp, qp->next_send++, status);
	requester_complete(qp);
	return true;
}

static bool start(struct qp *qp, struct wqe *w)
{
	struct iovec iov[SHM_MAX_SGE];
	uint8_t status;
	uint32_t n;

	if (wqe_is_local(w) && !w->refused && qp->ib.qp_type != IBV_QPT_UD)
		return run_local(qp, w);
	status = requester_gather(qp, w, iov, &n);
	if (status != IBV_WC_SUCCESS) {
		if (qp->oldest != qp->next_send)
			return false; /* it fails when the requests before it are complete */
		fail(qp, qp->next_send, status);
		return false;
	}
	if (!qp_is_reliable(qp)) {
		requester_send_unreliable(qp, w, iov, n);
		return true;
	}
	if (!requester_needs_link(qp, w)) {
		if (qp->pace.kbit_s)
			(void)requester_turn(qp, wqe_is_read(w) ? 0 : w->len);
		return run_now(qp, w, iov, n);
	}
	send_on_link(qp, w);
	return true;
}

static void report_drained(struct qp *qp)
{
	if (!qp->sqd_event || qp->oldest != qp->next_send)
		return;
	qp->sqd_event = false;
	async_qp(qp->self, qp->s, IBV_EVENT_SQ_DRAINED);
}

void requester_run(struct qp *qp)
{
	bool paced = false;

	migrate_follow(qp);
	while (qp->next_send != qp->next_post && !qp->blocked &&
	       atomic_load_explicit(&qp->s->state, memory_order_relaxed) == IBV_QPS_RTS) {
		struct wqe *w = qp_wqe(qp, qp->next_send);

		paced = qp->pace.kbit_s && requester_is_paced(qp);
		if (paced || !may_start(qp, w) || !start(qp, w))
			break;
	}
	qp->pace.waits = paced;
	report_drained(qp);
}

static void respond_later(struct qp *qp, struct wqe *w, const struct timer *t)
{
	const bool received = qp->port->of_node && w->opcode == IBV_WR_RDMA_READ;
	uint64_t due = t->due_ns + requester_delay_ns(qp, w);

	if (w->opcode == IBV_WR_RDMA_READ) {
		struct shm_port *back = link_port_of(requester_dest(qp, w));

		const struct link_times times = link_send(back, t->due_ns, w->len);

		due = times.arrives_ns;
		w->paused_ps = times.paused_ps;
		record_response(qp->ib.qp_num, t->idx, link_departure(t->due_ns, w->len, &times));
		if (!received)
			link_arrives(back, due);
		link_add(back, HCA_SENT, 1);
		link_add(back, HCA_SENT_BYTES, w->len);
		link_add(qp->port, HCA_RECEIVED, 1);
		link_add(qp->port, HCA_RECEIVED_BYTES, w->len);
	}
	requester_at(qp, received ? REQUESTER_RETURN : REQUESTER_ACK, t->idx, due, 0);
}

/* No answer comes to the request that the timer is of. */
static void wait_lost(struct qp *qp, const struct timer *t)
{
	const uint64_t sent_ns = t->due_ns - requester_delay_ns(qp, qp_wqe(qp, t->idx));

	requester_at(qp, REQUESTER_RESUME, t->idx,
		     sent_ns + (UINT64_C(4096) << (qp->attr.timeout & 31)), RESUME_TIMEOUT);
}

static void arrive(struct qp *qp, const struct timer *t)
{
	struct wqe *w = qp_wqe(qp, t->idx);
	uint64_t delay = requester_delay_ns(qp, w);
	struct iovec iov[SHM_MAX_SGE];
	enum responder_result res;
	uint32_t n;

	if (t->idx != qp->expected) { /* a gap: one NAK */
		if (!qp->nak_sent && !t->arg)
			requester_at(qp, REQUESTER_RESUME, qp->expected, t->due_ns + delay,
				  RESUME_GAP);
		qp->nak_sent |= !t->arg;
		if (!t->arg && !remote_find(requester_dest(qp, w), requester_dest_qpn(qp, w)))
			link_add(link_port_of(requester_dest(qp, w)), HCA_OUT_OF_SEQUENCE, 1);
		return;
	}
	res = t->arg ? RESPONDER_NO_ANSWER :
	      wqe_is_read(w) ? try_bounced(qp, w) :
	      requester_gather(qp, w, iov, &n) ? RESPONDER_OP_ERROR : try_peer(qp, w, iov, n);
	switch (res) {
	case RESPONDER_OK:
		record_arrived(qp->ib.qp_num, t->idx, t->due_ns);
		make_progress(qp, t->idx);
		link_count_arrival(requester_dest(qp, w), wqe_is_read(w) ? 0 : w->len);
		w->status = IBV_WC_SUCCESS;
		respond_later(qp, w, t);
		break;
	case RESPONDER_NO_ANSWER:
		qp->nak_sent |= !t->arg; /* there is no responder, so no NAK for later requests */
		wait_lost(qp, t);
		break;
	case RESPONDER_RNR:
		wait_rnr(qp, t->idx, t->due_ns + delay);
		break;
	default:
		qp->epoch++;
		qp->blocked = true;
		qp->next_send = t->idx + 1;
		w->status = nak_status(res);
		requester_at(qp, REQUESTER_ACK, t->idx, t->due_ns + delay, 0);
		break;
	}
}

/* It is at the responder, or at a hop before it, or lost. */
static void come(struct qp *qp, const struct timer *t)
{
	switch (t->arg ? REQUESTER_ARRIVED : requester_pass(qp, t)) {
	case REQUESTER_ARRIVED:
		arrive(qp, t);
		break;
	case REQUESTER_DROPPED:
		wait_lost(qp, t); /* those before it may not be at the responder yet */
		break;
	case REQUESTER_ON_ITS_WAY:
		break;
	}
}

/* Whether the request is not complete. */
static bool is_posted(const struct qp *qp, uint32_t idx)
{
	return !requester_is_before(idx, qp->oldest) && requester_is_before(idx, qp->next_post);
}

static void ack(struct qp *qp, const struct timer *t)
{
	struct wqe *w = qp_wqe(qp, t->idx);

	if (!is_posted(qp, t->idx))
		return;
	if (w->status == IBV_WC_SUCCESS && wqe_is_read(w))
		requester_copy_response(qp, w);
	acknowledge(qp, t->idx, w->status);
	requester_complete(qp);
	record_completed(qp->ib.qp_num, t->idx, t->due_ns);
}

/*
 * Requests that the responder has executed and whose response has not come; the others are sent
 * again.
 */
static void recount_reads(struct qp *qp)
{
	qp->reads = 0;
	for (uint32_t i = qp->oldest; i != qp->expected; i++)
		if (wqe_takes_response(qp_wqe(qp, i)) && !qp_wqe(qp, i)->acked)
			qp->reads++;
}

static void resume(struct qp *qp, const struct timer *t)
{
	static const enum hca_counter reasons[] = {
		[RESUME_TIMEOUT] = HCA_TIMEOUTS, [RESUME_RNR] = HCA_RNR_NAKS,
		[RESUME_GAP] = HCA_SEQ_NAKS,
	};

	if (t->epoch != qp->epoch)
		return;
	if (t->arg == RESUME_TIMEOUT && qp->retries++ >= qp->attr.retry_cnt) {
		if (!migrate_now(qp)) {
			fail(qp, t->idx, IBV_WC_RETRY_EXC_ERR);
			return;
		}
		qp->retries = 0; /* the other path has its own */
	}
	link_add(qp->port, reasons[t->arg], 1);
	qp->epoch++;
	qp->blocked = qp->nak_sent = false;
	qp->next_send = t->idx;
	recount_reads(qp);
}

void requester_timer(const struct timer *t)
{
	struct qp *qp = t->owner;

	lock_take(&qp->lock);
	migrate_follow(qp);
	switch (requester_kind(t)) {
	case REQUESTER_ARRIVE:
		if (t->epoch == qp->epoch)
			come(qp, t);
		break;
	case REQUESTER_RETURN:
		if (is_posted(qp, t->idx) && requester_pass(qp, t) == REQUESTER_ARRIVED)
			ack(qp, t);
		break;
	case REQUESTER_ACK:
		ack(qp, t);
		break;
	case REQUESTER_RESUME:
		resume(qp, t);
		break;
	case REQUESTER_PACED:
		qp->pace.timed = false;
		break;
	case REQUESTER_SENT:
		if (t->epoch == qp->epoch && !requester_is_held(qp, t) && t->idx == qp->oldest)
			requester_sent(qp, qp_wqe(qp, t->idx), t->due_ns);
		break;
	}
	requester_run(qp);
	lock_drop(&qp->lock);
}
