/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Extended CQs (ibv_create_cq_ex(3)): the same entries, read field by field; see cq.h. */
#include "config.h"
#include "objects/cq.h"

#include <errno.h>

#include "base/hca.h"
#include "base/lock.h"
#include "transport/progress.h"
#include "transport/requester.h"

static struct cq *of(struct ibv_cq_ex *ex)
{
	return container_of(ex, struct cq, ex);
}

static int take(struct cq *cq)
{
	cq->cur = cq_peek(cq);
	if (!cq->cur)
		return ENOENT;
	cq->ex.wr_id = cq->cur->wr_id;
	cq->ex.status = cq->cur->status;
	return 0;
}

static void drop_current(struct cq *cq)
{
	if (cq->cur)
		cq_pop(cq, cq->cur);
	cq->cur = NULL;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct cq *cq = of(ex);
	int rc;

	if (attr->comp_mask)
		return EINVAL;
	progress_poll();
	requester_poll();
	if (!cq->single)
		lock_take(&cq->lock);
	rc = take(cq);
	if (rc && !cq->single)
		lock_drop(&cq->lock);
	if (rc)
		progress_empty();
	return rc;
}

static int next_poll(struct ibv_cq_ex *ex)
{
	drop_current(of(ex));
	return take(of(ex));
}

static void end_poll(struct ibv_cq_ex *ex)
{
	struct cq *cq = of(ex);

	drop_current(cq);
	if (!cq->single)
		lock_drop(&cq->lock);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->imm;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->flags;
}

static uint32_t read_slid(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->slid;
}

static uint8_t read_sl(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ex)
{
	(void)ex;
	return 0;
}

/* All fields are available, whatever fields the program asked for. */
void cq_ex_fill(struct cq *cq)
{
	struct ibv_cq_ex *ex = &cq->ex;

	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_byte_len = read_byte_len;
	ex->read_imm_data = read_imm_data;
	ex->read_qp_num = read_qp_num;
	ex->read_src_qp = read_src_qp;
	ex->read_wc_flags = read_wc_flags;
	ex->read_slid = read_slid;
	ex->read_sl = read_sl;
	ex->read_dlid_path_bits = read_dlid_path_bits;
}
