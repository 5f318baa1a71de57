/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Each status of a completion that the device can raise is provoked, and verbench has an
 * explanation of it. Statuses that Soft-RoCE gives where the specification has others
 * (drivers/infiniband/sw/rxe of Linux 6.1) are named as such.
 *
 * In later kernels (6.12) Soft-RoCE loses the status of an error that the sender itself finds:
 * rxe_requester() calls rxe_qp_error(), and rxe_completer() then flushes the whole send queue, the
 * request with the error among it (rxe_comp.c: flush_send_queue()).
 */
#include "config.h"
#include "../t.h"

#include <sys/utsname.h>

#include "verbs/verbs_error.h"

#define NONE IBV_WC_SUCCESS /* no completion is expected there */

struct bad {
	const char *what;
	enum ibv_qp_type type;
	enum ibv_wr_opcode op;
	uint32_t off, len;          /* at the target; of the message */
	uint32_t recv_len;          /* 0: no receive is posted */
	int access_minus;           /* rights that QP and memory of the target lack */
	bool bad_lkey, bad_rkey, bad_recv_lkey, other_pd, too_long;
	bool own;                   /* the sender finds the error before it sends */
	enum ibv_wc_status here, there;         /* emulated HCA: as specified */
	enum ibv_wc_status rxe_here, rxe_there;
};

#define ALIKE(h, t) .here = h, .there = t, .rxe_here = h, .rxe_there = t

static const struct bad bads[] = {
	{ "a buffer beyond its region", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 0, 8, .too_long = true,
	  .own = true, ALIKE(IBV_WC_LOC_PROT_ERR, NONE) },
	{ "an unknown L_Key", IBV_QPT_RC, IBV_WR_SEND, 0, 8, .bad_lkey = true,
	  .own = true, .here = IBV_WC_LOC_PROT_ERR, .there = NONE,
	  .rxe_here = IBV_WC_LOC_QP_OP_ERR, .rxe_there = NONE },
	{ "an unknown R_Key", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 0, 8, .bad_rkey = true,
	  ALIKE(IBV_WC_REM_ACCESS_ERR, NONE) },
	{ "an address beyond the remote region", IBV_QPT_RC, IBV_WR_RDMA_READ, T_BUF - 4, 8,
	  ALIKE(IBV_WC_REM_ACCESS_ERR, NONE) },
	{ "a write that the QP does not allow", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 0, 8,
	  .access_minus = IBV_ACCESS_REMOTE_WRITE, ALIKE(IBV_WC_REM_INV_REQ_ERR, NONE) },
	{ "a read that the QP does not allow", IBV_QPT_RC, IBV_WR_RDMA_READ, 0, 8,
	  .access_minus = IBV_ACCESS_REMOTE_READ, ALIKE(IBV_WC_REM_INV_REQ_ERR, NONE) },
	{ "an atomic that the QP does not allow", IBV_QPT_RC, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8,
	  .access_minus = IBV_ACCESS_REMOTE_ATOMIC, ALIKE(IBV_WC_REM_INV_REQ_ERR, NONE) },
	{ "no receive", IBV_QPT_RC, IBV_WR_SEND, 0, 8, ALIKE(IBV_WC_RNR_RETRY_EXC_ERR, NONE) },
	{ "a write with immediate without a receive", IBV_QPT_RC, IBV_WR_RDMA_WRITE_WITH_IMM, 0, 8,
	  ALIKE(IBV_WC_RNR_RETRY_EXC_ERR, NONE) },
	{ "a receive that is too short", IBV_QPT_RC, IBV_WR_SEND, 0, 100, .recv_len = 99,
	  .here = IBV_WC_REM_INV_REQ_ERR, .there = IBV_WC_LOC_LEN_ERR,
	  .rxe_here = IBV_WC_REM_OP_ERR, .rxe_there = IBV_WC_LOC_QP_OP_ERR },
	{ "a receive with an unknown L_Key", IBV_QPT_RC, IBV_WR_SEND, 0, 100, .recv_len = 100,
	  .bad_recv_lkey = true, .here = IBV_WC_REM_OP_ERR, .there = IBV_WC_LOC_PROT_ERR,
	  .rxe_here = IBV_WC_REM_OP_ERR, .rxe_there = IBV_WC_LOC_QP_OP_ERR },
	{ "a read over UC", IBV_QPT_UC, IBV_WR_RDMA_READ, 0, 8,
	  .own = true, ALIKE(IBV_WC_LOC_QP_OP_ERR, NONE) },
	{ "an R_Key of another protection domain", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 0, 8,
	  .other_pd = true, ALIKE(IBV_WC_REM_ACCESS_ERR, NONE) },
};

static unsigned int provoked; /* a bit per status */

static void note(enum ibv_wc_status status)
{
	const char *name = verbs_error_status_name(status);
	const char *text = verbs_error_status(status);

	provoked |= 1u << status;
	assert_string_not_equal(name, "unknown status");
	assert_true(strlen(text) > 20);
	print_message("  %s: %s\n", name, text);
}

static void expect(struct ibv_cq *cq, enum ibv_wc_status status)
{
	t_expect(cq, status);
	note(status);
}

/* Does this device flush a request that the sender itself finds wrong? Not the Soft-RoCE of 6.1. */
static bool loses_own(const struct pair *p)
{
	struct utsname u;

	return !p->emulated && !uname(&u) && strncmp(u.release, "6.1.", 4) != 0;
}

/* Of an error that the sender itself finds. */
static void expect_own(struct pair *p, struct ibv_cq *cq, enum ibv_wc_status status)
{
	expect(cq, loses_own(p) ? IBV_WC_WR_FLUSH_ERR : status);
}

static void post_bad(struct pair *p, const struct bad *b)
{
	struct ibv_send_wr wr = t_wr(p, b->op, b->off);
	struct ibv_pd *pd = ibv_alloc_pd(p->ctx);
	struct ibv_mr *other = ibv_reg_mr(pd, p->b.buf, T_BUF, p->access);
	struct ibv_sge sge = { (uintptr_t)p->a.buf, b->len, p->a.mr->lkey + b->bad_lkey };

	assert_non_null(other);
	if (b->too_long)
		sge.addr += T_BUF - 4;
	wr.sg_list = &sge;
	wr.wr.rdma.rkey += b->bad_rkey;
	if (b->other_pd)
		wr.wr.rdma.rkey = other->rkey;
	assert_int_equal(t_post(p, &wr, 0), 0);
	if (b->own)
		expect_own(p, p->a.cq, p->emulated ? b->here : b->rxe_here);
	else
		expect(p->a.cq, p->emulated ? b->here : b->rxe_here);
	assert_int_equal(ibv_dereg_mr(other), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

static void post_recv(struct pair *p, const struct bad *b)
{
	struct ibv_sge sge = { (uintptr_t)p->b.buf, b->recv_len,
			       p->b.mr->lkey + b->bad_recv_lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_recv(p->b.qp, &wr, &bad), 0);
}

/*
 * What is posted after an error is flushed. Soft-RoCE does not look at a receive queue by itself.
 */
static void flush(struct pair *p)
{
	struct ibv_send_wr wr = t_wr(p, IBV_WR_RDMA_WRITE, 0);

	assert_int_equal(t_post(p, &wr, 8), 0);
	expect(p->a.cq, IBV_WC_WR_FLUSH_ERR);
}

static void one_bad(const struct bad *b)
{
	struct pair p = t_defaults(b->type);
	enum ibv_wc_status there;

	p.access &= ~b->access_minus;
	t_up(&p);
	print_message("%s\n", b->what);
	if (b->recv_len)
		post_recv(&p, b);
	post_bad(&p, b);
	there = p.emulated ? b->there : b->rxe_there;
	if (there != NONE)
		expect(p.b.cq, there);
	/*
	 * over UC and UD only the send queue fails (IBA vol. 1, 10.3.1.5); Soft-RoCE fails the QP
	 */
	if (b->type == IBV_QPT_RC || !p.emulated) {
		assert_int_equal(t_state(p.a.qp), IBV_QPS_ERR);
		flush(&p);
	} else {
		assert_int_equal(t_state(p.a.qp), IBV_QPS_SQE);
	}
	t_down(&p);
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++)
		one_bad(&bads[i]);
}

/* A window cannot be bound to a region without the right for it. */
static void test_bind(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct ibv_mr *plain;
	struct ibv_mw *mw;

	(void)state;
	t_up(&p);
	plain = ibv_reg_mr(p.pd, p.b.buf, T_BUF, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	mw = ibv_alloc_mw(p.pd, IBV_MW_TYPE_2);
	assert_non_null(plain);
	assert_non_null(mw);
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = plain, .addr = (uintptr_t)p.b.buf, .length = 64,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	assert_int_equal(ibv_post_send(p.b.qp, &wr, &bad), 0);
	expect_own(&p, p.b.cq, IBV_WC_MW_BIND_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	assert_int_equal(ibv_dereg_mr(plain), 0);
	t_down(&p);
}

/* The peer is gone: its QP is destroyed. */
static void test_gone(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;

	(void)state;
	t_up(&p);
	assert_int_equal(ibv_destroy_qp(p.b.qp), 0);
	p.b.qp = NULL;
	wr = t_wr(&p, IBV_WR_SEND, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	expect(p.a.cq, IBV_WC_RETRY_EXC_ERR);
	t_down(&p);
}

/* Over UC a wrong R_Key is the loss of the message: its sender does not get to know it. */
static void test_silent(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UC);
	struct ibv_send_wr wr;

	(void)state;
	t_up(&p);
	t_fill(&p.a, 1);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	wr.wr.rdma.rkey++;
	assert_int_equal(t_post(&p, &wr, 64), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	wr.wr.rdma.rkey--;
	wr.wr.rdma.remote_addr += 4096;
	wr.sg_list = NULL;
	assert_int_equal(t_post(&p, &wr, 64), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	for (double end = t_now() + T_GUARD_S; p.b.buf[4096 + 63] != p.a.buf[63];)
		if (t_now() > end)
			fail_msg("the write after it did not arrive");
	assert_int_equal(p.b.buf[0], 0);
	assert_int_equal(p.b.buf[63], 0);
	t_down(&p);
}

/* Last: what the tests before it have provoked is all that a device of this kind can raise. */
static void test_all_provoked(void **state)
{
	static const enum ibv_wc_status both[] = {
		IBV_WC_LOC_PROT_ERR, IBV_WC_LOC_QP_OP_ERR, IBV_WC_WR_FLUSH_ERR, IBV_WC_MW_BIND_ERR,
		IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_ACCESS_ERR, IBV_WC_REM_OP_ERR,
		IBV_WC_RETRY_EXC_ERR, IBV_WC_RNR_RETRY_EXC_ERR,
	};
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_open(&p);
	if (loses_own(&p))
		provoked |= 1u << IBV_WC_LOC_PROT_ERR | 1u << IBV_WC_LOC_QP_OP_ERR |
			    1u << IBV_WC_MW_BIND_ERR;
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		if (!(provoked >> both[i] & 1))
			fail_msg("%s was not provoked", verbs_error_status_name(both[i]));
	if (p.emulated)
		assert_true(provoked >> IBV_WC_LOC_LEN_ERR & 1);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_bind),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_all_provoked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
