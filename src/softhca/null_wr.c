/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* ibv_wr_*() of the zero-cost mode, see null.h. */
#include "config.h"
#include "null.h"

static void complete(struct ibv_qp_ex *ex, uint8_t opcode)
{
	struct qp *qp = container_of(ex, struct qp, ex);

	if (ex->wr_flags & IBV_SEND_SIGNALED || qp->sig_all) {
		struct shm_cqe *c = null_cqe(qp, qp->ib.send_cq);

		c->wr_id = ex->wr_id;
		c->opcode = opcode;
		c->flags = 0;
		null_push(qp->ib.send_cq, c);
	}
}

static void start(struct ibv_qp_ex *ex)
{
	(void)ex;
}

static int finish(struct ibv_qp_ex *ex)
{
	(void)ex;
	return 0;
}

static void send(struct ibv_qp_ex *ex)
{
	complete(ex, IBV_WC_SEND);
}

static void send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	(void)imm;
	complete(ex, IBV_WC_SEND);
}

static void write_to(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	struct qp *qp = container_of(ex, struct qp, ex);

	qp->reflect_addr = addr;
	qp->reflect_key = rkey;
	complete(ex, IBV_WC_RDMA_WRITE);
}

static void write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, __be32 imm)
{
	(void)imm;
	write_to(ex, rkey, addr);
}

static void read_from(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	(void)rkey;
	(void)addr;
	complete(ex, IBV_WC_RDMA_READ);
}

static void cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t compare,
		    uint64_t swap)
{
	(void)rkey;
	(void)addr;
	(void)compare;
	(void)swap;
	complete(ex, IBV_WC_COMP_SWAP);
}

static void fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t add)
{
	(void)rkey;
	(void)addr;
	(void)add;
	complete(ex, IBV_WC_FETCH_ADD);
}

static void set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	(void)ex;
	(void)ah;
	(void)qpn;
	(void)qkey;
}

static void set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t len)
{
	struct qp *qp = container_of(ex, struct qp, ex);
	struct ibv_sge sge = { .addr = addr, .length = len, .lkey = lkey };

	if (__builtin_expect(qp->reflects, 0) && qp->reflect_addr) {
		null_reflect(qp, &sge, qp->reflect_addr, qp->reflect_key);
		qp->reflect_addr = 0;
	}
}

static void set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *list)
{
	if (n)
		set_sge(ex, list->lkey, list->addr, list->length);
}

static void set_inline(struct ibv_qp_ex *ex, void *addr, size_t len)
{
	set_sge(ex, 0, (uintptr_t)addr, (uint32_t)len);
}

static void set_inline_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_data_buf *list)
{
	if (n)
		set_inline(ex, list->addr, list->length);
}

void null_fill_wr(struct ibv_qp_ex *ex)
{
	ex->wr_start = start;
	ex->wr_complete = finish;
	ex->wr_abort = start;
	ex->wr_send = send;
	ex->wr_send_imm = send_imm;
	ex->wr_rdma_write = write_to;
	ex->wr_rdma_write_imm = write_imm;
	ex->wr_rdma_read = read_from;
	ex->wr_atomic_cmp_swp = cmp_swp;
	ex->wr_atomic_fetch_add = fetch_add;
	ex->wr_set_ud_addr = set_ud_addr;
	ex->wr_set_sge = set_sge;
	ex->wr_set_sge_list = set_sge_list;
	ex->wr_set_inline_data = set_inline;
	ex->wr_set_inline_data_list = set_inline_list;
}
