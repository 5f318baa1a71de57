/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Verbs of the emulated HCA within one process: each opcode, with all its bytes. */
#include "config.h"
#include "t.h"

#include <errno.h>

static void test_send(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	for (uint32_t len = 0; len < 9000; len = len * 3 + 1) {
		struct ibv_send_wr wr = t_wr(&p, len & 1 ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND, 0);

		t_fill(&p.a, (uint8_t)len);
		memset(p.b.buf, 0xee, T_BUF);
		assert_int_equal(t_recv(&p.b, 128, 16384), 0);
		assert_int_equal(t_post(&p, &wr, len), 0);
		wc = t_wait(p.a.cq);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.wr_id, 77);
		assert_int_equal(wc.opcode, IBV_WC_SEND);
		wc = t_wait(p.b.cq);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, IBV_WC_RECV);
		assert_int_equal(wc.byte_len, len);
		assert_int_equal(wc.qp_num, p.b.qp->qp_num);
		assert_int_equal(!!(wc.wc_flags & IBV_WC_WITH_IMM), len & 1);
		if (len & 1)
			assert_int_equal(wc.imm_data, 0x12345678);
		assert_memory_equal(p.a.buf, p.b.buf + 128, len);
		assert_int_equal(p.b.buf[127], 0xee);
		assert_int_equal(p.b.buf[128 + len], 0xee);
	}
	t_down(&p);
}

static void test_one_sided(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	uint64_t v = 40;

	(void)state;
	t_up(&p);
	t_fill(&p.a, 3);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 1001);
	assert_int_equal(t_post(&p, &wr, 5003), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(p.a.buf, p.b.buf + 1001, 5003);
	t_none(p.b.cq);

	memset(p.a.buf, 0, T_BUF);
	wr = t_wr(&p, IBV_WR_RDMA_READ, 1001);
	assert_int_equal(t_post(&p, &wr, 5003), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(p.a.buf, p.b.buf + 1001, 5003);

	assert_int_equal(t_recv(&p.b, 0, 0), 0);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE_WITH_IMM, 30000);
	assert_int_equal(t_post(&p, &wr, 333), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.byte_len, 333);
	assert_memory_equal(p.a.buf, p.b.buf + 30000, 333);

	memcpy(p.b.buf + 64, &v, 8);
	wr = t_wr(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 64);
	wr.wr.atomic.compare_add = 2;
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	memcpy(&v, p.a.buf, 8);
	assert_int_equal(v, 40);
	wr = t_wr(&p, IBV_WR_ATOMIC_CMP_AND_SWP, 64);
	wr.wr.atomic.compare_add = 42;
	wr.wr.atomic.swap = 7;
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	memcpy(&v, p.a.buf, 8);
	assert_int_equal(v, 42);
	memcpy(&v, p.b.buf + 64, 8);
	assert_int_equal(v, 7);
	t_down(&p);
}

static void test_sge_lists(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UC);
	struct ibv_sge from[3], to[2];
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .num_sge = 3, .sg_list = from,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_recv_wr rr = { .num_sge = 2, .sg_list = to }, *bad;

	(void)state;
	t_up(&p);
	t_fill(&p.a, 1);
	from[0] = (struct ibv_sge) { (uintptr_t)p.a.buf + 10, 13, p.a.mr->lkey };
	from[1] = (struct ibv_sge) { (uintptr_t)p.a.buf + 5000, 0, p.a.mr->lkey };
	from[2] = (struct ibv_sge) { (uintptr_t)p.a.buf + 9001, 4100, p.a.mr->lkey };
	to[0] = (struct ibv_sge) { (uintptr_t)p.b.buf + 1, 100, p.b.mr->lkey };
	to[1] = (struct ibv_sge) { (uintptr_t)p.b.buf + 20000, 5000, p.b.mr->lkey };
	assert_int_equal(ibv_post_recv(p.b.qp, &rr, &bad), 0);
	assert_int_equal(t_post(&p, &wr, 0), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_int_equal(t_wait(p.b.cq).byte_len, 4113);
	assert_memory_equal(p.b.buf + 1, p.a.buf + 10, 13);
	assert_memory_equal(p.b.buf + 14, p.a.buf + 9001, 87);
	assert_memory_equal(p.b.buf + 20000, p.a.buf + 9001 + 87, 4100 - 87);
	t_down(&p);
}

static void test_ud(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UD);
	struct ibv_ah_attr path, back;
	struct ibv_ah *ah;
	struct ibv_send_wr wr;
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	path = t_path(&p);
	ah = ibv_create_ah(p.pd, &path);
	assert_non_null(ah);
	t_fill(&p.a, 9);
	wr = t_wr(&p, IBV_WR_SEND_WITH_IMM, 0);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = p.b.qp->qp_num;
	wr.wr.ud.remote_qkey = 0x12; /* wrong: the message is dropped and takes no receive */
	assert_int_equal(t_recv(&p.b, 0, 4096 + 40), 0);
	assert_int_equal(t_post(&p, &wr, 777), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_none(p.b.cq);
	wr.wr.ud.remote_qkey = 0x11;
	wr.sg_list = NULL;
	assert_int_equal(t_post(&p, &wr, 777), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.byte_len, 817);
	assert_int_equal(wc.src_qp, p.a.qp->qp_num);
	assert_true(wc.wc_flags & IBV_WC_GRH);
	assert_memory_equal(p.a.buf, p.b.buf + 40, 777);
	assert_int_equal(ibv_init_ah_from_wc(p.ctx, 1, &wc, (struct ibv_grh *)(void *)p.b.buf,
					     &back), 0);
	assert_memory_equal(back.grh.dgid.raw, p.gid.raw, 16);
	assert_int_equal(back.grh.sgid_index, 1);
	wr.sg_list = NULL;
	assert_int_equal(t_post(&p, &wr, 4097), 0);
	t_expect(p.a.cq, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(t_state(p.a.qp), IBV_QPS_SQE);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	t_down(&p);
}

static void test_multicast(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UD);
	union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 9 } };
	struct ibv_ah_attr path;
	struct ibv_send_wr wr;
	struct ibv_ah *ah;

	(void)state;
	t_up(&p);
	path = t_path(&p);
	path.grh.dgid = group;
	ah = ibv_create_ah(p.pd, &path);
	assert_int_equal(ibv_attach_mcast(p.a.qp, &p.gid, 0), EINVAL);
	assert_int_equal(ibv_attach_mcast(p.a.qp, &group, 0), 0);
	assert_int_equal(ibv_attach_mcast(p.b.qp, &group, 0), 0);
	assert_int_equal(ibv_attach_mcast(p.b.qp, &group, 0), 0);
	assert_int_equal(ibv_destroy_qp(p.b.qp), EBUSY);
	assert_int_equal(t_recv(&p.a, 8192, 200), 0);
	assert_int_equal(t_recv(&p.b, 0, 200), 0);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = 0xffffff;
	wr.wr.ud.remote_qkey = 0x11;
	assert_int_equal(t_post(&p, &wr, 100), 0);
	assert_int_equal(t_wait(p.a.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(t_wait(p.a.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(t_wait(p.b.cq).byte_len, 140);
	t_none(p.b.cq);
	assert_int_equal(ibv_detach_mcast(p.b.qp, &group, 0), 0);
	assert_int_equal(ibv_detach_mcast(p.a.qp, &group, 0), 0);
	assert_int_equal(ibv_detach_mcast(p.a.qp, &group, 0), EINVAL);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	t_down(&p);
}

static void test_windows(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_mw_bind bind = { .wr_id = 5, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr wr, *bad;
	struct ibv_mw *mw, *mw2;
	uint32_t old;

	(void)state;
	t_up(&p);
	mw = ibv_alloc_mw(p.pd, IBV_MW_TYPE_1);
	mw2 = ibv_alloc_mw(p.pd, IBV_MW_TYPE_2);
	assert_non_null(mw);
	assert_non_null(mw2);
	bind.bind_info = (struct ibv_mw_bind_info) {
		.mr = p.b.mr, .addr = (uintptr_t)p.b.buf + 100, .length = 50,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	old = mw->rkey;
	assert_int_equal(ibv_bind_mw(p.b.qp, mw, &bind), 0);
	assert_int_not_equal(mw->rkey, old);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	assert_int_equal(ibv_dereg_mr(p.b.mr), EBUSY);
	t_fill(&p.a, 5);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 100);
	wr.wr.rdma.rkey = mw->rkey;
	assert_int_equal(t_post(&p, &wr, 50), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(p.a.buf, p.b.buf + 100, 50);

	wr = (struct ibv_send_wr) { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };
	wr.bind_mw.mw = mw2;
	wr.bind_mw.rkey = ibv_inc_rkey(mw2->rkey);
	wr.bind_mw.bind_info = bind.bind_info;
	assert_int_equal(ibv_post_send(p.b.qp, &wr, &bad), 0);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 110);
	wr.wr.rdma.rkey = ibv_inc_rkey(mw2->rkey);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	wr = t_wr(&p, IBV_WR_SEND_WITH_INV, 0);
	wr.invalidate_rkey = ibv_inc_rkey(mw2->rkey);
	assert_int_equal(t_recv(&p.b, 0, 64), 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_true(t_wait(p.b.cq).wc_flags & IBV_WC_WITH_INV);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 149);
	wr.wr.rdma.rkey = mw->rkey;
	assert_int_equal(t_post(&p, &wr, 2), 0);
	t_expect(p.a.cq, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	assert_int_equal(ibv_dealloc_mw(mw2), 0);
	t_down(&p);
}

static void test_wr_api(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .cap = { 8, 8, 2, 2, 32 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND_WITH_IMM,
	};
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_cq_init_attr_ex cqa = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN };
	struct ibv_data_buf bufs[2];
	struct ibv_cq_ex *cqx;
	struct ibv_qp_ex *qpx;

	(void)state;
	t_open(&p);
	t_side(&p, &p.a, NULL);
	t_side(&p, &p.b, NULL);
	cqx = ibv_create_cq_ex(p.ctx, &cqa);
	assert_non_null(cqx);
	assert_int_equal(ibv_destroy_qp(p.a.qp), 0);
	init.pd = p.pd;
	init.send_cq = init.recv_cq = ibv_cq_ex_to_cq(cqx);
	p.a.qp = ibv_create_qp_ex(p.ctx, &init);
	assert_non_null(p.a.qp);
	qpx = ibv_qp_to_qp_ex(p.a.qp);
	assert_non_null(qpx);
	t_connect(&p);
	assert_int_equal(t_recv(&p.b, 0, 64), 0);
	bufs[0] = (struct ibv_data_buf) { (void *)(uintptr_t)"hello ", 6 };
	bufs[1] = (struct ibv_data_buf) { (void *)(uintptr_t)"world", 6 };
	ibv_wr_start(qpx);
	qpx->wr_id = 1;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qpx, p.b.mr->rkey, (uintptr_t)p.b.buf + 1000);
	ibv_wr_set_inline_data_list(qpx, 2, bufs);
	qpx->wr_id = 2;
	ibv_wr_send_imm(qpx, 99);
	ibv_wr_set_sge(qpx, p.a.mr->lkey, (uintptr_t)p.a.buf, 20);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(ibv_start_poll(cqx, &none), 0);
	assert_int_equal(cqx->wr_id, 1);
	assert_int_equal(ibv_wc_read_opcode(cqx), IBV_WC_RDMA_WRITE);
	assert_int_equal(ibv_next_poll(cqx), 0);
	assert_int_equal(cqx->wr_id, 2);
	assert_int_equal(ibv_next_poll(cqx), ENOENT);
	ibv_end_poll(cqx);
	assert_string_equal((char *)p.b.buf + 1000, "hello world");
	assert_int_equal(t_wait(p.b.cq).imm_data, 99);
	ibv_wr_start(qpx);
	ibv_wr_rdma_write(qpx, p.b.mr->rkey, (uintptr_t)p.b.buf);
	ibv_wr_set_inline_data(qpx, p.a.buf, 4000);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);
	assert_int_equal(ibv_start_poll(cqx, &none), ENOENT);
	assert_int_equal(ibv_destroy_qp(p.a.qp), 0);
	p.a.qp = NULL;
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cqx)), 0);
	t_down(&p);
}

/* A slot is free when its completion is polled, and not before. */
static void test_slots(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;

	(void)state;
	p.depth = 4;
	t_up(&p);
	for (int i = 0; i < 4; i++) {
		wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
		wr.send_flags = i == 2 ? IBV_SEND_SIGNALED : 0;
		assert_int_equal(t_post(&p, &wr, 8), 0);
	}
	wr.sg_list = NULL;
	assert_int_equal(t_post(&p, &wr, 8), ENOMEM);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	for (int i = 0; i < 3; i++) {
		wr.sg_list = NULL;
		assert_int_equal(t_post(&p, &wr, 8), 0);
	}
	wr.sg_list = NULL;
	assert_int_equal(t_post(&p, &wr, 8), ENOMEM);
	t_down(&p);
}

/* Regions that are paged on demand may be prefetched; the errors are those of mlx5. */
static void test_advise(void **state)
{
	const enum ibv_advise_mr_advice read = IBV_ADVISE_MR_ADVICE_PREFETCH,
					write = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	const uint32_t waits = IBV_ADVISE_MR_FLAG_FLUSH;
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_sge sge[2] = { { .length = 4096 } };
	struct ibv_mr *mr;
	struct ibv_pd *other;

	(void)state;
	t_up(&p);
	other = ibv_alloc_pd(p.ctx);
	mr = ibv_reg_mr(p.pd, p.a.buf, 4096, IBV_ACCESS_ON_DEMAND);
	assert_non_null(mr);
	sge[0].addr = (uintptr_t)p.a.buf;
	sge[0].lkey = mr->lkey;
	assert_int_equal(ibv_advise_mr(p.pd, read, waits, sge, 1), 0);
	assert_int_equal(ibv_advise_mr(p.pd, read, 0, sge, 0), 0);
	assert_int_equal(ibv_advise_mr(p.pd, read, waits << 1, sge, 1), EINVAL);
	assert_int_equal(ibv_advise_mr(p.pd, (enum ibv_advise_mr_advice)3, 0, sge, 1), EOPNOTSUPP);
	assert_int_equal(ibv_advise_mr(p.pd, write, 0, sge, 1), EPERM);
	assert_int_equal(ibv_advise_mr(other, read, 0, sge, 1), EPERM);
	sge[1] = sge[0];
	sge[1].lkey = p.a.mr->lkey;
	assert_int_equal(ibv_advise_mr(p.pd, read, 0, sge, 2), ENOENT);
	sge[0].length++;
	assert_int_equal(ibv_advise_mr(p.pd, read, waits, sge, 1), EFAULT);
	assert_int_equal(ibv_advise_mr(p.pd, read, 0, sge, 1), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_advise_mr(p.pd, read, 0, sge, 1), ENOENT);
	assert_int_equal(ibv_dealloc_pd(other), 0);
	t_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send),
		cmocka_unit_test(test_one_sided),
		cmocka_unit_test(test_sge_lists),
		cmocka_unit_test(test_ud),
		cmocka_unit_test(test_multicast),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_wr_api),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_advise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
