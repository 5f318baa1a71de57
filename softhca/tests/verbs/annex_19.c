/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The operations of annex A19 of the InfiniBand specification, on any device that has them:
 * ibv_wr_atomic_write(), a store of 8 bytes that are an argument of the call, and ibv_wr_flush().
 */
#include "config.h"
#include "../t.h"

#include <errno.h>

#include "../../config/newer.h"

static bool is_offered(struct ibv_context *ctx, uint64_t caps)
{
	struct ibv_device_attr_ex attr;

	assert_int_equal(ibv_query_device_ex(ctx, NULL, &attr), 0);
	return (attr.device_cap_flags_ex & caps) == caps;
}

static struct ibv_qp *create(struct pair *p, enum ibv_qp_type type, uint64_t op)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = type, .cap = { 16, 16, 1, 1, 32 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | op,
		.pd = p->pd, .send_cq = p->a.cq, .recv_cq = p->a.cq,
	};

	return ibv_create_qp_ex(p->ctx, &init);
}

/*
 * Side a can post op. Skips the case on a device without it. Its QP says nothing: the provider of
 * Soft-RoCE makes it, whatever the kernel can do.
 */
static struct ibv_qp_ex *up_for(struct pair *p, uint64_t op, uint64_t caps)
{
	t_open(p);
	if (!is_offered(p->ctx, caps))
		p->access &= ~(IBV_ACCESS_FLUSH_GLOBAL | IBV_ACCESS_FLUSH_PERSISTENT);
	t_side(p, &p->a, NULL);
	t_side(p, &p->b, NULL);
	assert_int_equal(ibv_destroy_qp(p->a.qp), 0);
	p->a.qp = create(p, IBV_QPT_RC, op);
	if (!is_offered(p->ctx, caps)) {
		assert_false(p->emulated);
		t_down(p);
		skip();
	}
	assert_non_null(p->a.qp);
	t_connect(p);
	return ibv_qp_to_qp_ex(p->a.qp);
}

static struct ibv_qp_ex *up(struct pair *p)
{
	return up_for(p, IBV_QP_EX_WITH_ATOMIC_WRITE, NEWER_DEVICE_ATOMIC_WRITE);
}

static void begin(struct pair *p, struct ibv_qp_ex *ex, uint32_t off, uint64_t value)
{
	ibv_wr_start(ex);
	ex->wr_id = off;
	ex->wr_flags = IBV_SEND_SIGNALED;
	newer_qp_ex(ex)->wr_atomic_write(ex, p->b.mr->rkey, (uintptr_t)p->b.buf + off, &value);
}

static void store(struct pair *p, struct ibv_qp_ex *ex, uint32_t off, uint64_t value)
{
	begin(p, ex, off, value);
	assert_int_equal(ibv_wr_complete(ex), 0);
}

static uint64_t at(const struct pair *p, uint32_t off)
{
	uint64_t v;

	memcpy(&v, p->b.buf + off, sizeof(v));
	return v;
}

static void test_stores(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_ex *ex;

	(void)state;
	ex = up(&p);
	memset(p.b.buf, 0xee, 128);
	/* more than the 4 whose responses the QP may lack at a time */
	for (uint32_t i = 0; i < 8; i++)
		store(&p, ex, 64, UINT64_C(0x0102030405060708) * (i + 1));
	for (uint32_t i = 0; i < 8; i++) {
		struct ibv_wc wc = t_wait(p.a.cq);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, IBV_WC_ATOMIC_WRITE);
		assert_int_equal(wc.wr_id, 64);
	}
	assert_int_equal(at(&p, 64), UINT64_C(0x0102030405060708) * 8);
	assert_int_equal(at(&p, 56), UINT64_C(0xeeeeeeeeeeeeeeee));
	assert_int_equal(at(&p, 72), UINT64_C(0xeeeeeeeeeeeeeeee));
	t_none(p.b.cq);
	t_down(&p);
}

/* What the responder refuses, and its status. */
static void fails(struct pair *p, uint32_t off, enum ibv_wc_status status)
{
	struct ibv_qp_ex *ex = up(p);

	store(p, ex, off, 1);
	t_expect(p->a.cq, status);
	assert_int_equal(t_state(p->a.qp), IBV_QPS_ERR);
	assert_int_equal(at(p, off), 0);
	t_down(p);
}

static void test_misaligned(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	fails(&p, 68, IBV_WC_REM_INV_REQ_ERR);
}

static void test_qp_grants_no_write(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	p.access &= ~IBV_ACCESS_REMOTE_WRITE;
	fails(&p, 64, IBV_WC_REM_INV_REQ_ERR);
}

static void test_memory_grants_no_write(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_ex *ex;
	struct ibv_mr *all, *some;

	(void)state;
	ex = up(&p);
	all = p.b.mr;
	/* the right to do atomics is another one */
	some = ibv_reg_mr(p.pd, p.b.buf, T_BUF, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	assert_non_null(some);
	p.b.mr = some;
	store(&p, ex, 64, 1);
	t_expect(p.a.cq, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(at(&p, 64), 0);
	p.b.mr = all;
	assert_int_equal(ibv_dereg_mr(some), 0);
	t_down(&p);
}

/* It has no setters: its length is always 8. Soft-RoCE does not look, and sends another value. */
static void test_setters(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_ex *ex;

	(void)state;
	ex = up(&p);
	for (int inlined = 0; inlined < 2 && p.emulated; inlined++) {
		begin(&p, ex, 64, 1);
		if (inlined)
			ibv_wr_set_inline_data(ex, p.a.buf, 4);
		else
			ibv_wr_set_sge(ex, p.a.mr->lkey, (uintptr_t)p.a.buf, 4);
		assert_int_equal(ibv_wr_complete(ex), EINVAL);
	}
	t_none(p.a.cq);
	assert_int_equal(at(&p, 64), 0);
	t_down(&p);
}

/* By ibv_post_send() it cannot be posted: struct ibv_send_wr has no place for the value. */
static void test_post_send(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;

	(void)state;
	up(&p);
	wr = t_wr(&p, IBV_WR_ATOMIC_WRITE, 64);
	if (p.emulated)
		assert_int_equal(t_post(&p, &wr, 8), EINVAL);
	t_none(p.a.cq);
	t_down(&p);
}

static void test_other_transports(void **state)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_UC, IBV_QPT_UD };
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_open(&p);
	t_side(&p, &p.a, NULL);
	t_side(&p, &p.b, NULL);
	for (int i = 0; i < 2; i++) {
		assert_null(create(&p, types[i], IBV_QP_EX_WITH_ATOMIC_WRITE));
		assert_null(create(&p, types[i], IBV_QP_EX_WITH_FLUSH));
	}
	t_down(&p);
}

/* ---- FLUSH */

#define FLUSHES (IBV_ACCESS_FLUSH_GLOBAL | IBV_ACCESS_FLUSH_PERSISTENT)

/*
 * Memory that persists is another one, which only the emulated HCA does not ask for
 * (rxe_mr_init_user() of Linux).
 */
static struct ibv_qp_ex *up_flush(struct pair *p, int access)
{
	const bool persists = access & IBV_ACCESS_FLUSH_PERSISTENT;

	p->access |= access;
	return up_for(p, IBV_QP_EX_WITH_FLUSH, NEWER_DEVICE_FLUSH_GLOBAL |
					       (persists ? NEWER_DEVICE_FLUSH_PERSISTENT : 0));
}

struct flush {
	uint64_t off; /* from the begin of the buffer */
	size_t len;
	uint8_t type, level;
};

static void begin_flush(struct pair *p, struct ibv_qp_ex *ex, const struct flush *f)
{
	ex->wr_id = 2;
	ex->wr_flags = IBV_SEND_SIGNALED;
	newer_qp_ex(ex)->wr_flush(ex, p->b.mr->rkey, (uintptr_t)p->b.buf + f->off, f->len,
				  f->type, f->level);
}

/* A write that is not signalled, and the FLUSH after it, in one list. */
static void write_and_flush(struct pair *p, struct ibv_qp_ex *ex, const struct flush *f)
{
	ibv_wr_start(ex);
	ex->wr_id = 1;
	ex->wr_flags = 0;
	ibv_wr_rdma_write(ex, p->b.mr->rkey, (uintptr_t)p->b.buf + 4096);
	ibv_wr_set_sge(ex, p->a.mr->lkey, (uintptr_t)p->a.buf, 4096);
	begin_flush(p, ex, f);
	assert_int_equal(ibv_wr_complete(ex), 0);
}

/* What was written before it is there when it completes; there are more than 4 responses. */
static void flushes(int access, const struct flush *f)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_ex *ex = up_flush(&p, access);
	struct ibv_wc wc;

	for (int i = 1; i <= 6; i++) {
		memset(p.a.buf, i, 4096);
		write_and_flush(&p, ex, f);
		wc = t_wait(p.a.cq);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, IBV_WC_FLUSH);
		assert_int_equal(wc.wr_id, 2);
		assert_memory_equal(p.b.buf + 4096, p.a.buf, 4096);
		assert_int_equal(p.b.buf[4095] | p.b.buf[8192], 0);
	}
	for (int i = 0; i < 6; i++)
		write_and_flush(&p, ex, f);
	for (int i = 0; i < 6; i++)
		t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_none(p.a.cq);
	t_none(p.b.cq);
	t_down(&p);
}

static void test_flush_global(void **state)
{
	(void)state;
	flushes(IBV_ACCESS_FLUSH_GLOBAL,
		&(struct flush){ 4096, 4096, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE });
}

/* The address is of no meaning. */
static void test_flush_region(void **state)
{
	(void)state;
	flushes(IBV_ACCESS_FLUSH_GLOBAL,
		&(struct flush){ 4 * T_BUF, 0, IBV_FLUSH_GLOBAL, IBV_FLUSH_MR });
}

static void test_flush_persistent(void **state)
{
	(void)state;
	if (getenv("VERBS_DEVICE"))
		skip();
	flushes(FLUSHES, &(struct flush){ 4096, 4096, IBV_FLUSH_PERSISTENT, IBV_FLUSH_RANGE });
	flushes(FLUSHES, &(struct flush){ 4096, 4096, IBV_FLUSH_GLOBAL | IBV_FLUSH_PERSISTENT,
					  IBV_FLUSH_RANGE });
}

/* What the responder refuses, and its status. */
static void flush_fails(const struct flush *f, enum ibv_wc_status status)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_ex *ex = up_flush(&p, IBV_ACCESS_FLUSH_GLOBAL);

	ibv_wr_start(ex);
	begin_flush(&p, ex, f);
	assert_int_equal(ibv_wr_complete(ex), 0);
	t_expect(p.a.cq, status);
	assert_int_equal(t_state(p.a.qp), IBV_QPS_ERR);
	t_down(&p);
}

/* The QP grants no such type: check_qp_attr_access() of rxe_resp.c. */
static void test_flush_other_type(void **state)
{
	(void)state;
	flush_fails(&(struct flush){ 0, 64, IBV_FLUSH_PERSISTENT, IBV_FLUSH_RANGE },
		    IBV_WC_REM_INV_REQ_ERR);
}

static void test_flush_too_long(void **state)
{
	(void)state;
	flush_fails(&(struct flush){ 64, T_BUF, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE },
		    IBV_WC_REM_ACCESS_ERR);
}

/* The right to write is another one. */
static void test_memory_grants_no_flush(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	const struct flush f = { 4096, 4096, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE };
	struct ibv_qp_ex *ex = up_flush(&p, IBV_ACCESS_FLUSH_GLOBAL);
	struct ibv_mr *const all = p.b.mr;
	struct ibv_mr *some = ibv_reg_mr(p.pd, p.b.buf, T_BUF,
					 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	(void)state;
	assert_non_null(some);
	p.b.mr = some;
	write_and_flush(&p, ex, &f);
	assert_int_equal(t_wait(p.a.cq).status, IBV_WC_REM_ACCESS_ERR);
	p.b.mr = all;
	assert_int_equal(ibv_dereg_mr(some), 0);
	t_down(&p);
}

/* It has no payload. Soft-RoCE does not look. */
static void test_flush_setters(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	const struct flush f = { 0, 64, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE };
	struct ibv_qp_ex *ex = up_flush(&p, IBV_ACCESS_FLUSH_GLOBAL);

	(void)state;
	ibv_wr_start(ex);
	begin_flush(&p, ex, &f);
	if (p.emulated) {
		ibv_wr_set_sge(ex, p.a.mr->lkey, (uintptr_t)p.a.buf, 4);
		assert_int_equal(ibv_wr_complete(ex), EINVAL);
	} else {
		ibv_wr_abort(ex);
	}
	t_none(p.a.cq);
	t_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stores),
		cmocka_unit_test(test_misaligned),
		cmocka_unit_test(test_qp_grants_no_write),
		cmocka_unit_test(test_memory_grants_no_write),
		cmocka_unit_test(test_setters),
		cmocka_unit_test(test_post_send),
		cmocka_unit_test(test_other_transports),
		cmocka_unit_test(test_flush_global),
		cmocka_unit_test(test_flush_region),
		cmocka_unit_test(test_flush_persistent),
		cmocka_unit_test(test_flush_other_type),
		cmocka_unit_test(test_flush_too_long),
		cmocka_unit_test(test_memory_grants_no_flush),
		cmocka_unit_test(test_flush_setters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
