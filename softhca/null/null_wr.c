/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * ibv_wr_*() of the zero-cost mode; see null.h. The calls that describe a request come in any
 * order. So a request that must be announced is handled when the next one begins, or when the
 * section ends.
 */
#include "config.h"
#include "null/null.h"

static __attribute__((noinline)) void announce(struct null_qp *n)
{
	n->pending = false;
	n->announced = UINT32_MAX;
	if (n->building == IBV_WR_RDMA_WRITE && hca_settings()->reflect) {
		null_reflect(n, &n->sge, n->raddr, n->rkey);
		return;
	}
	null_announce(n, n->building, n->sge.length, n->imm, n->qpn);
	if (n->sge.length || !null_takes_recv(n->building))
		n->announced = n->building;
	else
		n->posted--; /* begin() has counted the empty message */
}

static struct null_qp *of(struct ibv_qp_ex *ex)
{
	return container_of(ex, struct null_qp, qp.ex);
}

/* A request that takes a receive is announced unless it gets data: it may be empty. */
static inline struct null_qp *begin(struct ibv_qp_ex *ex, uint32_t opcode)
{
	struct null_qp *n = of(ex);

	if (__builtin_expect(n->pending, 0))
		announce(n);
	n->building = opcode;
	n->sge.length = 0;
	n->pending = opcode != n->announced || null_takes_recv(opcode);
	n->posted += null_takes_recv(opcode);
	if ((ex->wr_flags | n->signal) & IBV_SEND_SIGNALED)
		null_push(n->scq, ex->wr_id, &n->send_wc[opcode], 0);
	return n;
}

static void start(struct ibv_qp_ex *ex)
{
	(void)ex;
}

static int finish(struct ibv_qp_ex *ex)
{
	struct null_qp *n = of(ex);

	if (__builtin_expect(n->pending, 0))
		announce(n);
	null_signal(n->scq);
	null_publish(n);
	return 0;
}

static void send(struct ibv_qp_ex *ex)
{
	begin(ex, IBV_WR_SEND);
}

static void send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	begin(ex, IBV_WR_SEND_WITH_IMM)->imm = imm;
}

static void send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin(ex, IBV_WR_SEND_WITH_INV)->imm = rkey;
}

static void write_to(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	struct null_qp *n = begin(ex, IBV_WR_RDMA_WRITE);

	n->raddr = addr;
	n->rkey = rkey;
}

static void write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, __be32 imm)
{
	(void)rkey;
	(void)addr;
	begin(ex, IBV_WR_RDMA_WRITE_WITH_IMM)->imm = imm;
}

static void read_from(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	(void)rkey;
	(void)addr;
	begin(ex, IBV_WR_RDMA_READ);
}

static void cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t compare,
		    uint64_t swap)
{
	(void)rkey;
	(void)addr;
	(void)compare;
	(void)swap;
	begin(ex, IBV_WR_ATOMIC_CMP_AND_SWP);
}

static void fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t add)
{
	(void)rkey;
	(void)addr;
	(void)add;
	begin(ex, IBV_WR_ATOMIC_FETCH_AND_ADD);
}

static void atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, const void *value)
{
	(void)rkey;
	(void)addr;
	(void)value;
	begin(ex, IBV_WR_ATOMIC_WRITE);
}

static void wr_flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, size_t len, uint8_t type,
		     uint8_t level)
{
	(void)rkey;
	(void)addr;
	(void)len;
	(void)type;
	(void)level;
	begin(ex, IBV_WR_FLUSH);
}

static void set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	(void)ah;
	(void)qkey;
	of(ex)->qpn = qpn;
}

static void set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t len)
{
	struct null_qp *n = of(ex);

	n->sge = (struct ibv_sge) { .addr = addr, .length = len, .lkey = lkey };
	n->pending = n->building != n->announced || !len;
}

static void set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *list)
{
	uint32_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += list[i].length;
	if (n)
		set_sge(ex, list->lkey, list->addr, len);
}

static void set_inline(struct ibv_qp_ex *ex, void *addr, size_t len)
{
	set_sge(ex, 0, (uintptr_t)addr, (uint32_t)len);
}

static void set_inline_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_data_buf *list)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += list[i].length;
	if (n)
		set_inline(ex, list->addr, len);
}

void null_wr_fill(struct ibv_qp_ex *ex)
{
	ex->wr_start = start;
	ex->wr_complete = finish;
	ex->wr_abort = start;
	ex->wr_send = send;
	ex->wr_send_imm = send_imm;
	ex->wr_send_inv = send_inv;
	ex->wr_rdma_write = write_to;
	ex->wr_rdma_write_imm = write_imm;
	ex->wr_rdma_read = read_from;
	ex->wr_atomic_cmp_swp = cmp_swp;
	ex->wr_atomic_fetch_add = fetch_add;
	newer_qp_ex(ex)->wr_atomic_write = atomic_write;
	newer_qp_ex(ex)->wr_flush = wr_flush;
	ex->wr_set_ud_addr = set_ud_addr;
	ex->wr_set_sge = set_sge;
	ex->wr_set_sge_list = set_sge_list;
	ex->wr_set_inline_data = set_inline;
	ex->wr_set_inline_data_list = set_inline_list;
}
