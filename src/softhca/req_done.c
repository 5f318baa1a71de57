/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The end of requests: completions in order, and flushing; see req.h. All under qp->lock. */
#include "config.h"
#include "req.h"

#include <stdlib.h>

#include "cq.h"
#include "exec.h"
#include "fault.h"
#include "wire.h"

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
		.byte_len = req_is_read(w) ? w->len : 0,
		.qp_num = qp->ib.qp_num,
		.sq_idx = idx,
		.qp_idx = (uint16_t)qp->idx,
		.epoch = qp->s->epoch,
	};

	free(w->bounce);
	w->bounce = NULL;
	if (status != IBV_WC_SUCCESS || qp->sig_all || w->flags & IBV_SEND_SIGNALED)
		cq_push(qp->self, qp->s->send_cq, &c, false);
}

/* What is left of the send queue is flushed, and older events mean nothing any more. */
void req_flush(struct qp *qp)
{
	qp->epoch++;
	qp->blocked = false;
	qp->reads = 0;
	while (qp->una != qp->post) {
		complete(qp, qp->una, IBV_WC_WR_FLUSH_ERR);
		qp->una++;
	}
	qp->nxt = qp->exp = qp->post;
}

void req_error(struct qp *qp, enum ibv_qp_state state)
{
	lock_take(&qp->s->lock);
	atomic_store(&qp->s->state, state);
	if (state == IBV_QPS_ERR)
		exec_flush_recvs(qp->self, qp->s);
	lock_drop(&qp->s->lock);
	qp->ib.state = state;
	req_flush(qp);
}

void req_reset(struct qp *qp)
{
	qp->epoch++;
	for (; qp->una != qp->post; qp->una++) {
		free(qp_wqe(qp, qp->una)->bounce);
		qp_wqe(qp, qp->una)->bounce = NULL;
	}
	qp->post = qp->nxt = qp->una = qp->exp = 0;
	atomic_store(&qp->polled, 0);
	qp->reads = 0;
	qp->blocked = qp->naked = false;
	qp->retries = qp->rnr_retries = 0;
	qp->messages = 0;
	exec_forget(&qp->dest);
}

/* IBA vol. 1, 10.3.1: a failed send stops the send queue of UC and UD, and all of RC. */
static void stop(struct qp *qp)
{
	req_error(qp, qp->ib.qp_type == IBV_QPT_RC ? IBV_QPS_ERR : IBV_QPS_SQE);
}

void req_retire(struct qp *qp)
{
	struct ctx *ctx = ctx_of(qp->ib.context);

	while (qp->una != qp->nxt) {
		const struct wqe *w = qp_wqe(qp, qp->una);
		uint8_t status;

		if (!w->acked)
			return;
		status = fault_wc(ctx, w->status);
		complete(qp, qp->una, status);
		qp->una++;
		if (status != IBV_WC_SUCCESS) {
			stop(qp);
			return;
		}
	}
}
