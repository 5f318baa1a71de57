/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Memory regions and windows, on any device: rights, keys, protection domains, late registration,
 * inline data.
 */
#include "config.h"
#include "../soft/t.h"

#include <errno.h>

static void write_to(struct pair *p, uint32_t rkey, uint32_t off, enum ibv_wc_status status)
{
	struct ibv_send_wr wr = t_wr(p, IBV_WR_RDMA_WRITE, off);

	wr.wr.rdma.rkey = rkey;
	assert_int_equal(t_post(p, &wr, 64), 0);
	t_expect(p->a.cq, status);
}

/* ibv_reg_mr(3): who may write or change from remote may write locally. */
static void test_access(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	uint8_t buf[64];

	(void)state;
	t_open(&p);
	assert_null(ibv_reg_mr(p.pd, buf, sizeof(buf), IBV_ACCESS_REMOTE_WRITE));
	assert_int_equal(errno, EINVAL);
	assert_null(ibv_reg_mr(p.pd, buf, sizeof(buf), IBV_ACCESS_REMOTE_ATOMIC));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

/* The QP allows a write, the region does not. */
static void test_region_right(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_mr *local;

	(void)state;
	t_up(&p);
	local = ibv_reg_mr(p.pd, p.b.buf, T_BUF, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(local);
	write_to(&p, local->rkey, 0, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(local), 0);
	t_down(&p);
}

/* One buffer, registered twice with different rights, after the QPs are connected. */
static void test_two_keys(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_mr *reads, *writes;
	struct ibv_send_wr wr;

	(void)state;
	t_up(&p);
	reads = ibv_reg_mr(p.pd, p.b.buf, T_BUF, IBV_ACCESS_REMOTE_READ);
	writes = ibv_reg_mr(p.pd, p.b.buf, T_BUF, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	assert_non_null(reads);
	assert_non_null(writes);
	assert_int_not_equal(reads->rkey, writes->rkey);
	t_fill(&p.a, 3);
	write_to(&p, writes->rkey, 128, IBV_WC_SUCCESS);
	assert_memory_equal(p.b.buf + 128, p.a.buf, 64);
	memset(p.a.buf, 0, 64);
	wr = t_wr(&p, IBV_WR_RDMA_READ, 128);
	wr.wr.rdma.rkey = reads->rkey;
	assert_int_equal(t_post(&p, &wr, 64), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(p.a.buf, p.b.buf + 128, 64);
	assert_int_equal(ibv_dereg_mr(writes), 0);
	write_to(&p, reads->rkey, 128, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(reads), 0);
	t_down(&p);
}

static void bind(struct pair *p, struct ibv_mw *mw, uint32_t off, uint32_t len)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;

	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = p->b.mr, .addr = (uintptr_t)p->b.buf + off, .length = len,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	assert_int_equal(ibv_post_send(p->b.qp, &wr, &bad), 0);
	t_expect(p->b.cq, IBV_WC_SUCCESS);
	mw->rkey = wr.bind_mw.rkey;
}

/* Access through a window, beyond it, and after it is invalidated by its owner. */
static void test_window(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr inv = { .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct ibv_mw *mw;

	(void)state;
	t_up(&p);
	mw = ibv_alloc_mw(p.pd, IBV_MW_TYPE_2);
	assert_non_null(mw);
	bind(&p, mw, 4096, 128);
	assert_int_not_equal(ibv_dereg_mr(p.b.mr), 0);
	assert_int_not_equal(ibv_dealloc_pd(p.pd), 0);
	t_fill(&p.a, 7);
	write_to(&p, mw->rkey, 4096, IBV_WC_SUCCESS);
	assert_memory_equal(p.b.buf + 4096, p.a.buf, 64);
	inv.invalidate_rkey = mw->rkey;
	assert_int_equal(ibv_post_send(p.b.qp, &inv, &bad), 0);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	write_to(&p, mw->rkey, 4096, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	t_down(&p);
}

/*
 * Soft-RoCE of Linux 6.1 checks the bounds of the region, not those of the window (rxe_resp.c,
 * check_rkey()).
 */
static void test_beyond_window(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_mw *mw;

	(void)state;
	t_up(&p);
	mw = ibv_alloc_mw(p.pd, IBV_MW_TYPE_2);
	assert_non_null(mw);
	bind(&p, mw, 4096, 128);
	write_to(&p, mw->rkey, p.emulated ? 4096 + 128 - 63 : T_BUF - 63, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	t_down(&p);
}

/* Inline data need no region, and the buffer is free when the call returns. */
static void test_inline(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	uint8_t text[32] = "not registered";
	struct ibv_sge sge = { (uintptr_t)text, sizeof(text), 0 };
	struct ibv_send_wr wr;

	(void)state;
	t_up(&p);
	assert_int_equal(t_recv(&p.b, 0, 64), 0);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	wr.sg_list = &sge;
	wr.send_flags |= IBV_SEND_INLINE;
	assert_int_equal(t_post(&p, &wr, 0), 0);
	memset(text, 0, sizeof(text));
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	assert_string_equal((char *)p.b.buf, "not registered");
	t_down(&p);
}

/* What is in use cannot be destroyed. */
static void test_busy(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_up(&p);
	assert_int_not_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_not_equal(ibv_destroy_cq(p.a.cq), 0);
	t_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_region_right),
		cmocka_unit_test(test_two_keys),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_beyond_window),
		cmocka_unit_test(test_inline),
		cmocka_unit_test(test_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
