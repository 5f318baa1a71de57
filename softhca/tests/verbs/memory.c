/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Memory regions and windows, on any device: rights, keys, protection domains, late registration,
 * inline data.
 */
#include "config.h"
#include "../t.h"

#include <errno.h>

/* Soft-RoCE of Linux 6.1 passes on the bit of the kernel (enum ib_wc_flags), not that of verbs. */
#define RXE_WITH_INV (1u << 2)

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

/* A send that invalidates a window at its receiver: the receive completes and names the key. */
static void test_send_with_inv(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;
	struct ibv_mw *mw;
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	mw = ibv_alloc_mw(p.pd, IBV_MW_TYPE_2);
	assert_non_null(mw);
	bind(&p, mw, 4096, 128);
	t_fill(&p.a, 7);
	write_to(&p, mw->rkey, 4096, IBV_WC_SUCCESS);
	assert_int_equal(t_recv(&p.b, 0, 64), 0);
	wr = t_wr(&p, IBV_WR_SEND_WITH_INV, 0);
	wr.invalidate_rkey = mw->rkey;
	assert_int_equal(t_post(&p, &wr, 64), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.byte_len, 64);
	assert_true(wc.wc_flags & (p.emulated ? IBV_WC_WITH_INV : RXE_WITH_INV | IBV_WC_WITH_INV));
	assert_int_equal(wc.invalidated_rkey, mw->rkey);
	assert_memory_equal(p.b.buf, p.a.buf, 64);
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

#define DM_ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)
#define DM_BYTES 8192u

static uint64_t dm_bytes(struct pair *p)
{
	struct ibv_device_attr_ex attr = { .comp_mask = 0 };

	return ibv_query_device_ex(p->ctx, NULL, &attr) ? 0 : attr.max_dm_size;
}

/* A registered part of device memory, from its second half on. */
static struct ibv_mr *dm_open(struct pair *p, struct ibv_dm **dm)
{
	struct ibv_alloc_dm_attr attr = { .length = DM_BYTES };
	struct ibv_mr *mr;

	*dm = ibv_alloc_dm(p->ctx, &attr);
	assert_non_null(*dm);
	/* ibv_reg_dm_mr(3): device memory has no addresses but offsets */
	assert_null(ibv_reg_dm_mr(p->pd, *dm, 0, DM_BYTES, IBV_ACCESS_LOCAL_WRITE));
	assert_null(ibv_reg_dm_mr(p->pd, *dm, DM_BYTES / 2, DM_BYTES / 2 + 1,
				  IBV_ACCESS_ZERO_BASED | DM_ACCESS));
	mr = ibv_reg_dm_mr(p->pd, *dm, DM_BYTES / 2, DM_BYTES / 2,
			   IBV_ACCESS_ZERO_BASED | DM_ACCESS);
	assert_non_null(mr);
	return mr;
}

/* Writes to device memory, copies out of it, sends from it; address 0 is the region's first. */
static void test_device_memory(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	struct ibv_dm *dm;
	struct ibv_mr *mr;
	uint8_t seen[64];

	(void)state;
	t_up(&p);
	if (!dm_bytes(&p)) {
		t_down(&p);
		skip();
	}
	mr = dm_open(&p, &dm);
	t_fill(&p.a, 9);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	wr.wr.rdma.remote_addr = 128;
	wr.wr.rdma.rkey = mr->rkey;
	assert_int_equal(t_post(&p, &wr, 64), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_int_equal(ibv_memcpy_from_dm(seen, dm, DM_BYTES / 2 + 128, sizeof(seen)), 0);
	assert_memory_equal(seen, p.a.buf, sizeof(seen));

	assert_int_equal(ibv_memcpy_to_dm(dm, DM_BYTES - 64, "to the device memory", 20), 0);
	sge = (struct ibv_sge){ DM_BYTES / 2 - 64, 20, mr->lkey };
	assert_int_equal(t_recv(&p.b, 0, 64), 0);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	wr.sg_list = &sge;
	assert_int_equal(t_post(&p, &wr, 0), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	assert_memory_equal(p.b.buf, "to the device memory", 20);

	/* one byte beyond the region */
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	wr.wr.rdma.remote_addr = DM_BYTES / 2 - 63;
	wr.wr.rdma.rkey = mr->rkey;
	assert_int_equal(t_post(&p, &wr, 64), 0);
	t_expect(p.a.cq, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_free_dm(dm), 0);
	t_down(&p);
}

/* More than there is, copies beyond the end, and memory that is registered. */
static void test_device_memory_limits(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_alloc_dm_attr attr = { .length = DM_BYTES };
	uint8_t bytes[64] = { 0 };
	struct ibv_dm *dm;
	struct ibv_mr *mr;

	(void)state;
	t_open(&p);
	if (!dm_bytes(&p)) {
		assert_int_equal(ibv_dealloc_pd(p.pd), 0);
		assert_int_equal(ibv_close_device(p.ctx), 0);
		skip();
	}
	mr = dm_open(&p, &dm);
	assert_int_not_equal(ibv_memcpy_to_dm(dm, DM_BYTES - 60, bytes, 64), 0);
	assert_int_not_equal(ibv_memcpy_from_dm(bytes, dm, DM_BYTES, 4), 0);
	assert_int_not_equal(ibv_free_dm(dm), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_free_dm(dm), 0);
	attr.length = dm_bytes(&p) + 1;
	assert_null(ibv_alloc_dm(p.ctx, &attr));
	if (p.emulated) {
		/* all of it is there again; and copies are of whole words, as on mlx5 */
		attr.length--;
		dm = ibv_alloc_dm(p.ctx, &attr);
		assert_non_null(dm);
		attr.length = 1;
		assert_null(ibv_alloc_dm(p.ctx, &attr));
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(ibv_memcpy_to_dm(dm, 2, bytes, 4), EINVAL);
		assert_int_equal(ibv_memcpy_from_dm(bytes, dm, 4, 3), EINVAL);
		assert_int_equal(ibv_free_dm(dm), 0);
	}
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

/* Sends zeros, drops what arrives, at any address; peers have no key: ibv_alloc_null_mr(3). */
static void test_null_region(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_sge sge;
	struct ibv_recv_wr receive = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_send_wr wr;
	struct ibv_mr *mr;
	uint8_t full[64];

	(void)state;
	t_up(&p);
	mr = ibv_alloc_null_mr(p.pd);
	if (!mr) {
		assert_int_equal(errno, EOPNOTSUPP);
		t_down(&p);
		skip();
	}
	memset(full, 0xee, sizeof(full));
	memset(p.a.buf, 0xee, T_BUF);
	memset(p.b.buf, 0xee, T_BUF);
	sge = (struct ibv_sge){ (uintptr_t)p.a.buf, 64, mr->lkey };

	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 128);
	wr.sg_list = &sge;
	assert_int_equal(t_post(&p, &wr, 0), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(p.b.buf[128 + i], 0);
	assert_memory_equal(p.b.buf + 64, full, 64);
	assert_memory_equal(p.b.buf + 192, full, 64);

	wr = t_wr(&p, IBV_WR_RDMA_READ, 128);
	wr.sg_list = &sge;
	assert_int_equal(t_post(&p, &wr, 0), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(p.a.buf, full, 64);

	/* a receive at an address that is no memory */
	sge = (struct ibv_sge){ 64, 64, mr->lkey };
	assert_int_equal(ibv_post_recv(p.b.qp, &receive, &bad), 0);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	assert_int_equal(t_post(&p, &wr, 64), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_expect(p.b.cq, IBV_WC_SUCCESS);

	write_to(&p, mr->lkey, 0, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
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
		cmocka_unit_test(test_send_with_inv),
		cmocka_unit_test(test_beyond_window),
		cmocka_unit_test(test_inline),
		cmocka_unit_test(test_device_memory),
		cmocka_unit_test(test_device_memory_limits),
		cmocka_unit_test(test_null_region),
		cmocka_unit_test(test_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
