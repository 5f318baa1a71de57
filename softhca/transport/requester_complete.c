/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Completes requests in order, and flushes them; see requester.h. */
#include "config.h"
#include "transport/requester.h"

#include <stdlib.h>

#include "base/lock.h"
#include "transport/async.h"
#include "transport/completion.h"
#include "transport/fault.h"
#include "transport/responder.h"

static uint8_t wc_opcode(const struct wqe *w)
{
	static const uint8_t of[] = {
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

	return w->opcode < sizeof(of) ? of[w->opcode] : IBV_WC_SEND;
}

static void complete(struct qp *qp, uint32_t idx, uint8_t status)
{
	struct wqe *w = qp_wqe(qp, idx);
	struct shm_cqe c = {
		.wr_id = w->wr_id,
		.status = status,
		.opcode = wc_opcode(w),
		.byte_len = wqe_is_read(w) ? w->len : 0,
		.qp_num = qp->ib.qp_num,
		.sq_idx = idx,
		.qp_idx = (uint16_t)qp->idx,
		.epoch = qp->s->epoch,
	};

	free(w->bounce);
	w->bounce = NULL;
	if (status != IBV_WC_SUCCESS || qp->sig_all || w->flags & IBV_SEND_SIGNALED)
		completion_push(qp->self, qp->s->send_cq, &c, false);
}

void requester_flush(struct qp *qp)
{
	qp->epoch++; /* ignore all timers */
	qp->blocked = false;
	qp->reads = 0;
	while (qp->oldest != qp->next_post) {
		complete(qp, qp->oldest, IBV_WC_WR_FLUSH_ERR);
		qp->oldest++;
	}
	qp->next_send = qp->expected = qp->next_post;
}

void requester_error(struct qp *qp, enum ibv_qp_state state)
{
	lock_take_shared(&qp->s->lock);
	atomic_store(&qp->s->state, state);
	if (state == IBV_QPS_ERR)
		responder_flush(qp->self, qp->s);
	lock_drop_shared(&qp->s->lock);
	qp->ib.state = state;
	requester_flush(qp);
}

void requester_reset(struct qp *qp)
{
	qp->epoch++;
	for (; qp->oldest != qp->next_post; qp->oldest++) {
		free(qp_wqe(qp, qp->oldest)->bounce);
		qp_wqe(qp, qp->oldest)->bounce = NULL;
	}
	qp->next_post = qp->next_send = qp->oldest = qp->expected = qp->first_new = 0;
	atomic_store(&qp->polled, 0);
	qp->reads = 0;
	qp->blocked = qp->nak_sent = false;
	qp->retries = qp->rnr_retries = 0;
	qp->messages = 0;
	qp->pace = (struct qp_pace) { 0 };
	remote_release(&qp->dest);
}

/* IBA vol. 1, 10.3.1: a failed send stops the send queue of UC and UD, and an RC QP. */
static void stop(struct qp *qp)
{
	requester_error(qp, qp_is_reliable(qp) ? IBV_QPS_ERR : IBV_QPS_SQE);
}

void requester_complete(struct qp *qp)
{
	struct ctx *ctx = ctx_of(qp->ib.context);

	while (qp->oldest != qp->next_send) {
		const struct wqe *w = qp_wqe(qp, qp->oldest);
		uint8_t status;

		if (!w->acked)
			return;
		status = fault_wc(ctx, w->status);
		complete(qp, qp->oldest, status);
		qp->oldest++;
		if (status != IBV_WC_SUCCESS) {
			stop(qp);
			return;
		}
	}
}

static void check_state(struct qp *qp)
{
	lock_take(&qp->lock);
	if (atomic_load(&qp->s->state) == IBV_QPS_ERR) {
		qp->ib.state = IBV_QPS_ERR;
		requester_flush(qp);
	}
	lock_drop(&qp->lock);
}

/* An overrun of a CQ puts its QPs into error (IBA vol. 1, 11.6.3.2). */
static void check_cqs(struct qp *qp)
{
	if (qp->ib.qp_type == IBV_QPT_XRC_RECV)
		return; /* it has no CQ; the CQ is of the SRQ */
	if (!hca.arena->cq[qp->s->send_cq % SHM_CQS].overrun &&
	    !hca.arena->cq[qp->s->recv_cq % SHM_CQS].overrun)
		return;
	if (atomic_load(&qp->s->state) == IBV_QPS_ERR)
		return;
	lock_take(&qp->lock);
	async_qp(qp->self, qp->s, IBV_EVENT_QP_FATAL);
	requester_error(qp, IBV_QPS_ERR);
	lock_drop(&qp->lock);
}

void requester_check_errors(void)
{
	uint32_t now;

	if (!hca.arena)
		return;
	now = atomic_load(&hca.arena->errors);
	if (now == atomic_load(&hca.errors_seen))
		return;
	pthread_mutex_lock(&hca.mutex);
	atomic_store(&hca.errors_seen, now);
	for (struct qp *qp = hca.qps; qp; qp = qp->next) {
		check_cqs(qp);
		check_state(qp);
	}
	pthread_mutex_unlock(&hca.mutex);
}
