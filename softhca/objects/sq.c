/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* ibv_post_send(); see sq.h. */
#include "config.h"
#include "objects/sq.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/lock.h"
#include "transport/fault.h"
#include "transport/progress.h"
#include "transport/requester.h"

int sq_may_post(const struct qp *qp)
{
	uint32_t state = atomic_load_explicit(&qp->s->state, memory_order_relaxed);

	return state == IBV_QPS_RESET || state == IBV_QPS_INIT || state == IBV_QPS_RTR ? EINVAL : 0;
}

/* Not for ever: the other thread may have lost its CPU. */
void sq_give_way_slow(const struct qp *qp)
{
	for (int n = 0; n < 1000 && atomic_load(&qp->asking); n++)
		sched_yield();
}

void sq_execute(struct qp *qp)
{
	uint32_t state = atomic_load_explicit(&qp->s->state, memory_order_relaxed);

	if (state == IBV_QPS_ERR || state == IBV_QPS_SQE)
		requester_flush(qp);
	else
		requester_run(qp);
}

/* A slot is free when its completion or a later one was polled, as in the rings of real HCAs. */
struct wqe *sq_slot(struct qp *qp)
{
	struct wqe *w;

	if (qp->next_post - atomic_load_explicit(&qp->polled, memory_order_acquire) >= qp->cap)
		return NULL;
	w = qp_wqe(qp, qp->next_post);
	memset(w, 0, sizeof(*w));
	return w;
}

/* As the posting functions of the providers: EINVAL. */
bool sq_refuses(const struct qp *qp, struct wqe *w)
{
	if (qp->refused_ops >> (w->opcode & 31) & 1 || w->flags & qp->refused_flags)
		return true;
	if (qp->signal_all && !(w->flags & IBV_SEND_SIGNALED))
		return true;
	if (qp->drop_inline)
		w->flags &= (uint8_t)~(unsigned int)IBV_SEND_INLINE;
	return false;
}

static int set_inline(const struct qp *qp, struct wqe *w, const struct ibv_send_wr *wr)
{
	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->max_inline - w->len)
			return EINVAL;
		memcpy(w->data + w->len, (const void *)(uintptr_t)sge->addr, sge->length);
		w->len += sge->length;
	}
	return 0;
}

static int set_data(const struct qp *qp, struct wqe *w, const struct ibv_send_wr *wr)
{
	uint64_t len = 0;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->max_sge)
		return EINVAL;
	if (w->flags & IBV_SEND_INLINE)
		return wqe_is_read(w) ? EINVAL : set_inline(qp, w, wr);
	for (int i = 0; i < wr->num_sge; i++) {
		w->sge[i] = wr->sg_list[i];
		len += wr->sg_list[i].length;
	}
	w->n_sge = (uint8_t)wr->num_sge;
	w->len = (uint32_t)len;
	if (len > qp->max_msg)
		w->refused = IBV_WC_LOC_LEN_ERR;
	return 0;
}

static void set_bind(struct wqe *w, const struct ibv_send_wr *wr)
{
	const struct ibv_mw_bind_info *b = &wr->bind_mw.bind_info;

	w->bind.mw = container_of(wr->bind_mw.mw, struct mw, ib);
	w->bind.mr = b->mr;
	w->raddr = b->addr;
	w->bind_len = b->length;
	w->bind_access = b->mw_access_flags;
	w->rkey = wr->bind_mw.rkey;
}

static void set_remote(const struct qp *qp, struct wqe *w, const struct ibv_send_wr *wr)
{
	w->imm = wr->imm_data;
	if (qp->ib.qp_type == IBV_QPT_XRC_SEND)
		w->srqn = wr->qp_type.xrc.remote_srqn;
	if (wr->opcode == IBV_WR_BIND_MW) {
		set_bind(w, wr);
	} else if (qp->ib.qp_type == IBV_QPT_UD) {
		w->ud.ah = container_of(wr->wr.ud.ah, struct ah, ib);
		w->ud.qpn = wr->wr.ud.remote_qpn;
		w->ud.qkey = wr->wr.ud.remote_qkey;
	} else if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		w->raddr = wr->wr.atomic.remote_addr;
		w->rkey = wr->wr.atomic.rkey;
		w->compare = wr->wr.atomic.compare_add;
		w->swap = wr->wr.atomic.swap;
	} else {
		w->raddr = wr->wr.rdma.remote_addr;
		w->rkey = wr->wr.rdma.rkey;
	}
}

static int build(struct qp *qp, const struct ibv_send_wr *wr)
{
	struct wqe *w = sq_slot(qp);

	if (!w)
		return ENOMEM;
	w->wr_id = wr->wr_id;
	w->opcode = (uint8_t)wr->opcode;
	if (wqe_is_whole(w))
		return EINVAL; /* struct ibv_send_wr has no place for its arguments */
	w->flags = (uint8_t)wr->send_flags;
	if (__builtin_expect(qp->has_rules, 0) && sq_refuses(qp, w))
		return EINVAL;
	set_remote(qp, w, wr);
	return set_data(qp, w, wr);
}

int sq_post(struct ibv_qp *ib, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct qp *qp = container_of(ib, struct qp, ib);
	int rc = fault_post(ctx_of(ib->context));

	lock_take(&qp->lock);
	if (!rc)
		rc = sq_may_post(qp);
	for (; !rc && wr; wr = wr->next) {
		rc = build(qp, wr);
		if (rc)
			break;
		qp->next_post++;
	}
	if (rc)
		*bad = wr;
	sq_execute(qp);
	lock_drop(&qp->lock);
	sq_give_way(qp);
	progress_post();
	return rc;
}
