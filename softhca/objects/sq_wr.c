/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * ibv_wr_*(); see sq.h. The calls from wr_start to wr_complete are one critical section. An error
 * in it is returned by wr_complete, and then no request of the section is posted (ibv_wr_post(3)).
 */
#include "config.h"
#include "objects/sq.h"

#include <errno.h>
#include <string.h>

#include "base/lock.h"
#include "transport/fault.h"
#include "transport/progress.h"
#include "transport/requester.h"

static struct qp *of(struct ibv_qp_ex *ex)
{
	return container_of(ex, struct qp, ex);
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct qp *qp = of(ex);

	lock_take(&qp->lock);
	qp->section = qp->next_post;
	qp->section_err = sq_may_post(qp);
	qp->building = NULL;
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	struct qp *qp = of(ex);
	int rc = fault_post(ctx_of(ex->qp_base.context));

	if (!rc)
		rc = qp->section_err;
	if (rc)
		qp->next_post = qp->section;
	sq_execute(qp);
	lock_drop(&qp->lock);
	sq_give_way(qp);
	progress_post();
	return rc;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	struct qp *qp = of(ex);

	qp->next_post = qp->section;
	lock_drop(&qp->lock);
}

/* Never NULL: after an error, the other requests of the section go to a slot that is never sent. */
static struct wqe *begin(struct ibv_qp_ex *ex, uint8_t opcode)
{
	struct qp *qp = of(ex);
	struct wqe *w = qp->section_err ? NULL : sq_slot(qp);

	if (!w) {
		if (!qp->section_err)
			qp->section_err = ENOMEM;
		w = qp->scratch;
		memset(w, 0, sizeof(*w));
	} else {
		qp->next_post++;
	}
	w->wr_id = ex->wr_id;
	w->flags = (uint8_t)(ex->wr_flags & ~(unsigned int)IBV_SEND_INLINE);
	w->opcode = opcode;
	qp->building = w;
	if (__builtin_expect(qp->has_rules, 0) && sq_refuses(qp, w) && !qp->section_err)
		qp->section_err = EINVAL;
	return w;
}

static void wr_send(struct ibv_qp_ex *ex)
{
	begin(ex, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	begin(ex, IBV_WR_SEND_WITH_IMM)->imm = imm;
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin(ex, IBV_WR_SEND_WITH_INV)->imm = rkey;
}

static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin(ex, IBV_WR_LOCAL_INV)->imm = rkey;
}

static struct wqe *begin_rdma(struct ibv_qp_ex *ex, uint8_t opcode, uint32_t rkey, uint64_t addr)
{
	struct wqe *w = begin(ex, opcode);

	w->rkey = rkey;
	w->raddr = addr;
	return w;
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_rdma(ex, IBV_WR_RDMA_WRITE, rkey, addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, __be32 imm)
{
	begin_rdma(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr)->imm = imm;
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_rdma(ex, IBV_WR_RDMA_READ, rkey, addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t compare,
			      uint64_t swap)
{
	struct wqe *w = begin_rdma(ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr);

	w->compare = compare;
	w->swap = swap;
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t add)
{
	begin_rdma(ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr)->compare = add;
}

/* The value is an argument, and not by a setter. */
static void wr_atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, const void *value)
{
	struct wqe *w = begin_rdma(ex, IBV_WR_ATOMIC_WRITE, rkey, addr);

	w->len = sizeof(w->swap);
	memcpy(&w->swap, value, sizeof(w->swap));
}

/* It has no payload: what is flushed is told beside (transport/responder.c). */
static void wr_flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, size_t len, uint8_t type,
		     uint8_t level)
{
	struct wqe *w = begin_rdma(ex, IBV_WR_FLUSH, rkey, addr);

	w->len = 0;
	w->compare = len;
	w->swap = (uint64_t)level << 8 | type;
}

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct wqe *w = begin_rdma(ex, IBV_WR_BIND_MW, rkey, info->addr);

	w->bind.mw = container_of(mw, struct mw, ib);
	w->bind.mr = info->mr;
	w->bind_len = info->length;
	w->bind_access = info->mw_access_flags;
}

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct wqe *w = of(ex)->building;

	w->ud.ah = container_of(ah, struct ah, ib);
	w->ud.qpn = qpn;
	w->ud.qkey = qkey;
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t srqn)
{
	of(ex)->building->srqn = srqn;
}

void sq_set_dc_addr(struct qp *qp, struct ibv_ah *ah, uint32_t dctn, uint64_t key)
{
	struct wqe *w = qp->building;

	w->dc.ah = container_of(ah, struct ah, ib);
	w->dc.dctn = dctn;
	w->dc.key = key;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *list)
{
	struct qp *qp = of(ex);
	struct wqe *w = qp->building;
	uint64_t len = 0;

	if (n > qp->max_sge || wqe_is_whole(w)) {
		qp->section_err = EINVAL;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		w->sge[i] = list[i];
		len += list[i].length;
	}
	w->n_sge = (uint8_t)n;
	w->len = (uint32_t)len;
	if (len > qp->max_msg)
		w->refused = IBV_WC_LOC_LEN_ERR;
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t len)
{
	struct ibv_sge sge = { .addr = addr, .length = len, .lkey = lkey };

	wr_set_sge_list(ex, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t n,
				    const struct ibv_data_buf *list)
{
	struct qp *qp = of(ex);
	struct wqe *w = qp->building;

	w->flags |= IBV_SEND_INLINE;
	w->len = 0;
	for (size_t i = 0; i < n; i++) {
		if (list[i].length > qp->max_inline - w->len || wqe_takes_response(w)) {
			qp->section_err = EINVAL;
			return;
		}
		memcpy(w->data + w->len, list[i].addr, list[i].length);
		w->len += (uint32_t)list[i].length;
	}
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t len)
{
	struct ibv_data_buf one = { .addr = addr, .length = len };

	wr_set_inline_data_list(ex, 1, &one);
}

void sq_wr_fill(struct qp *qp)
{
	struct ibv_qp_ex *ex = &qp->ex;

	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_send = wr_send;
	ex->wr_send_imm = wr_send_imm;
	ex->wr_send_inv = wr_send_inv;
	ex->wr_local_inv = wr_local_inv;
	ex->wr_bind_mw = wr_bind_mw;
	ex->wr_rdma_write = wr_rdma_write;
	ex->wr_rdma_write_imm = wr_rdma_write_imm;
	ex->wr_rdma_read = wr_rdma_read;
	ex->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	ex->wr_atomic_fetch_add = wr_atomic_fetch_add;
	newer_qp_ex(ex)->wr_atomic_write = wr_atomic_write;
	newer_qp_ex(ex)->wr_flush = wr_flush;
	ex->wr_set_ud_addr = wr_set_ud_addr;
	ex->wr_set_xrc_srqn = wr_set_xrc_srqn;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
}
