/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Verbs of the emulated HCA within one process: errors, timers and what is refused. */
#include "config.h"
#include "t.h"

#include <errno.h>
#include <unistd.h>

/* A request that must fail: the status at the requester, and at the responder (0: none). */
struct bad {
	const char *what;
	enum ibv_wr_opcode op;
	uint32_t off, len;
	int qp_access_minus, no_recv, bad_lkey, bad_rkey;
	uint32_t recv_len;
	enum ibv_wc_status here, there;
};

static const struct bad bads[] = {
	{ "unknown lkey", IBV_WR_SEND, 0, 8, .bad_lkey = 1, .no_recv = 1,
	  .here = IBV_WC_LOC_PROT_ERR },
	{ "beyond the local region", IBV_WR_RDMA_WRITE, 0, T_BUF + 1, .no_recv = 1,
	  .here = IBV_WC_LOC_PROT_ERR },
	{ "unknown rkey", IBV_WR_RDMA_WRITE, 0, 8, .bad_rkey = 1, .no_recv = 1,
	  .here = IBV_WC_REM_ACCESS_ERR },
	{ "beyond the remote region", IBV_WR_RDMA_READ, T_BUF - 4, 8, .no_recv = 1,
	  .here = IBV_WC_REM_ACCESS_ERR },
	{ "write the QP does not grant", IBV_WR_RDMA_WRITE, 0, 8,
	  .qp_access_minus = IBV_ACCESS_REMOTE_WRITE, .no_recv = 1,
	  .here = IBV_WC_REM_INV_REQ_ERR },
	{ "misaligned atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, 4, 8, .no_recv = 1,
	  .here = IBV_WC_REM_INV_REQ_ERR },
	{ "no receive", IBV_WR_SEND, 0, 8, .no_recv = 1, .here = IBV_WC_RNR_RETRY_EXC_ERR },
	{ "receive too short", IBV_WR_SEND, 0, 100, .recv_len = 99,
	  .here = IBV_WC_REM_INV_REQ_ERR, .there = IBV_WC_LOC_LEN_ERR },
};

static void one_bad(const struct bad *b)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	p.access &= ~b->qp_access_minus;
	t_up(&p);
	if (!b->no_recv)
		assert_int_equal(t_recv(&p.b, 0, b->recv_len), 0);
	wr = t_wr(&p, b->op, b->off);
	sge = (struct ibv_sge) { (uintptr_t)p.a.buf, b->len, p.a.mr->lkey + (b->bad_lkey ? 1 : 0) };
	wr.sg_list = &sge;
	if (b->bad_rkey)
		wr.wr.rdma.rkey += 1;
	assert_int_equal(t_post(&p, &wr, 0), 0);
	print_message("%s\n", b->what);
	t_expect(p.a.cq, b->here);
	if (b->there)
		t_expect(p.b.cq, b->there);
	assert_int_equal(t_state(p.a.qp), IBV_QPS_ERR);
	/* later requests are flushed, on both queues */
	wr = t_wr(&p, IBV_WR_SEND, 0);
	assert_int_equal(t_post(&p, &wr, 1), 0);
	t_expect(p.a.cq, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(t_recv(&p.a, 0, 8), 0);
	t_expect(p.a.cq, IBV_WC_WR_FLUSH_ERR);
	t_down(&p);
}

static void test_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++)
		one_bad(&bads[i]);
}

/* A timeout is 4.096 us << 8 = 1.05 ms. Two retries: three timeouts. RNR: 2 waits of 60 us. */
static void test_timers(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;
	double t0;

	(void)state;
	t_up(&p);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	assert_int_equal(ibv_destroy_qp(p.b.qp), 0);
	p.b.qp = NULL;
	t0 = t_now();
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_RETRY_EXC_ERR);
	t0 = t_now() - t0;
	assert_true(t0 > 3 * 1.04e-3);
	t_down(&p);

	p = t_defaults(IBV_QPT_RC);
	p.rnr_retry = 7;
	t_up(&p);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_none_for(p.a.cq, 5e-3);
	assert_int_equal(t_recv(&p.b, 0, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	t_down(&p);
}

/* Each transition accepts only its mask: a missing or an additional attribute is refused. */
static void test_masks(void **state)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

	(void)state;
	for (int t = 0; t < 3; t++) {
		struct pair p = t_defaults(types[t]);
		struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
		int full = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			   (types[t] == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);

		t_open(&p);
		t_side(&p, &p.a, NULL);
		t_side(&p, &p.b, NULL);
		for (int bit = 1; bit < 1 << 21; bit <<= 1)
			if (bit != IBV_QP_STATE)
				assert_int_equal(ibv_modify_qp(p.a.qp, &a, full ^ bit), EINVAL);
		t_connect(&p);
		assert_int_equal(t_rtr(&p, &p.a, 1), EINVAL);
		a.qp_state = IBV_QPS_RESET;
		assert_int_equal(ibv_modify_qp(p.a.qp, &a, IBV_QP_STATE), 0);
		assert_int_equal(t_rts(&p, &p.a), EINVAL);
		t_down(&p);
	}
}

/* What rdma-core's own tests want of a device of RoCE: softhca/tests/test_pyverbs.py. */
static void test_device(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UD);
	struct ibv_ah_attr path = { .dlid = 1, .port_num = 1 };
	struct ibv_device_attr attr;
	int fd;

	(void)state;
	t_open(&p);
	errno = 0;
	assert_null(ibv_create_ah(p.pd, &path));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_query_device(p.ctx, &attr), 0);
	assert_int_not_equal(attr.vendor_id, 0);
	fd = dup(p.ctx->cmd_fd);
	assert_true(fd >= 0);
	errno = 0;
	assert_null(ibv_import_device(fd));
	assert_int_equal(errno, EOPNOTSUPP);
	close(fd);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
