/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Work requests, on any device: order, lists, gather and scatter, fence, RNR, reads and atomics. */
#include "config.h"
#include "../t.h"

#include <errno.h>

#define TOO_MANY 64 /* buffers of a request: more than a QP has that asked for 4 */

/*
 * Messages take the receives in the order in which these were posted, each with its length and
 * immediate.
 */
static void test_fifo(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_up(&p);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(t_recv(&p.b, i * 4096, 4096), 0);
	for (uint32_t i = 0; i < 8; i++) {
		struct ibv_send_wr wr = t_wr(&p, i % 2 ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND, 0);

		wr.imm_data = 100 + i;
		assert_int_equal(t_post(&p, &wr, i * 500), 0); /* the first has no bytes */
	}
	for (uint32_t i = 0; i < 8; i++) {
		struct ibv_wc wc = t_wait(p.b.cq);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.wr_id, i * 4096);
		assert_int_equal(wc.byte_len, i * 500);
		assert_int_equal(!!(wc.wc_flags & IBV_WC_WITH_IMM), i % 2);
		if (i % 2)
			assert_int_equal(wc.imm_data, 100 + i);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
	}
	t_down(&p);
}

/* A message of several disjoint buffers into several others. */
static void test_gather_scatter(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_sge from[4], to[3];
	struct ibv_send_wr wr, *bad;
	struct ibv_recv_wr rr = { .sg_list = to, .num_sge = 3 }, *bad_rr;

	(void)state;
	t_up(&p);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	t_fill(&p.a, 5);
	memset(p.b.buf, 0xee, T_BUF);
	for (uint32_t i = 0; i < 4; i++)
		from[i] = (struct ibv_sge){ (uintptr_t)p.a.buf + i * 10000, 1000 + i,
					    p.a.mr->lkey };
	for (uint32_t i = 0; i < 3; i++)
		to[i] = (struct ibv_sge){ (uintptr_t)p.b.buf + i * 8000, 1500, p.b.mr->lkey };
	wr.sg_list = from;
	wr.num_sge = 4;
	assert_int_equal(ibv_post_recv(p.b.qp, &rr, &bad_rr), 0);
	assert_int_equal(ibv_post_send(p.a.qp, &wr, &bad), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_int_equal(t_wait(p.b.cq).byte_len, 4006);
	for (uint32_t i = 0, piece = 0, at = 0; i < 4006; i++, at++) {
		if (at == from[piece].length) {
			piece++;
			at = 0;
		}
		assert_int_equal(p.b.buf[i / 1500 * 8000 + i % 1500], p.a.buf[piece * 10000 + at]);
	}
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(p.b.buf[i * 8000 + 1500], 0xee);
	assert_int_equal(p.b.buf[16000 + 1006], 0xee);
	t_down(&p);
}

/* Posting a list stops at the first request that is refused; those before it are done. */
static void test_list(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr[4], *bad = NULL;
	struct ibv_sge sge[TOO_MANY];

	(void)state;
	t_up(&p);
	for (int i = 0; i < TOO_MANY; i++)
		sge[i] = (struct ibv_sge){ (uintptr_t)p.a.buf, 8, p.a.mr->lkey };
	for (int i = 0; i < 4; i++) {
		wr[i] = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
		wr[i].wr_id = (uint64_t)i;
		wr[i].sg_list = sge;
		wr[i].next = i < 3 ? &wr[i + 1] : NULL;
	}
	wr[2].num_sge = TOO_MANY;
	assert_int_not_equal(ibv_post_send(p.a.qp, wr, &bad), 0);
	assert_ptr_equal(bad, &wr[2]);
	for (uint64_t i = 0; i < 2; i++) {
		struct ibv_wc wc = t_wait(p.a.cq);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.wr_id, i);
	}
	t_none_for(p.a.cq, 0.01);
	t_down(&p);
}

/*
 * A fenced write begins after the read before it has its data: what is read is what was there
 * before.
 */
static void test_fence(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_sge read_to, write_from;
	struct ibv_send_wr wr[2], *bad;

	(void)state;
	t_up(&p);
	for (int i = 0; i < 50; i++) {
		memset(p.b.buf, 1, 32768);
		memset(p.a.buf, 2, T_BUF);
		read_to = (struct ibv_sge){ (uintptr_t)p.a.buf, 32768, p.a.mr->lkey };
		write_from = (struct ibv_sge){ (uintptr_t)p.a.buf, 32768, p.a.mr->lkey };
		wr[0] = t_wr(&p, IBV_WR_RDMA_READ, 0);
		wr[0].sg_list = &read_to;
		wr[0].next = &wr[1];
		wr[1] = t_wr(&p, IBV_WR_RDMA_WRITE, 32768);
		wr[1].sg_list = &write_from;
		wr[1].send_flags |= IBV_SEND_FENCE;
		assert_int_equal(ibv_post_send(p.a.qp, wr, &bad), 0);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
		/* the write carries what the read has fetched */
		assert_int_equal(p.b.buf[32768], 1);
		assert_int_equal(p.b.buf[65535], 1);
	}
	t_down(&p);
}

/*
 * A write with immediate takes a receive, a write does not, and the buffer of the receive stays as
 * it is.
 */
static void test_write_imm(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	t_fill(&p.a, 1);
	assert_int_equal(t_recv(&p.b, 50000, 64), 0);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 64), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_none(p.b.cq);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE_WITH_IMM, 1000);
	assert_int_equal(t_post(&p, &wr, 64), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.byte_len, 64);
	assert_int_equal(wc.imm_data, 0x12345678);
	assert_memory_equal(p.b.buf, p.a.buf, 64);
	assert_memory_equal(p.b.buf + 1000, p.a.buf, 64);
	for (int i = 0; i < 64; i++)
		assert_int_equal(p.b.buf[50000 + i], 0);
	t_down(&p);
}

/* The data of a write are there when the send after it completes. */
static void test_write_then_send(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_up(&p);
	for (int i = 0; i < 100; i++) {
		struct ibv_send_wr wr = t_wr(&p, IBV_WR_RDMA_WRITE, 4096);

		memset(p.a.buf, i, 20000);
		assert_int_equal(t_recv(&p.b, 0, 64), 0);
		wr.send_flags = 0;
		assert_int_equal(t_post(&p, &wr, 20000), 0);
		wr = t_wr(&p, IBV_WR_SEND, 0);
		assert_int_equal(t_post(&p, &wr, 1), 0);
		t_expect(p.b.cq, IBV_WC_SUCCESS);
		assert_memory_equal(p.b.buf + 4096, p.a.buf, 20000);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
	}
	t_down(&p);
}

static uint64_t at(const struct side *s, uint32_t off)
{
	uint64_t v;

	memcpy(&v, s->buf + off, sizeof(v));
	return v;
}

static void test_atomics(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;

	(void)state;
	t_up(&p);
	for (uint64_t i = 0; i < 100; i++) {
		wr = t_wr(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 64);
		wr.wr.atomic.compare_add = 3;
		assert_int_equal(t_post(&p, &wr, 8), 0);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
		assert_int_equal(at(&p.a, 0), 3 * i);
	}
	for (uint64_t equal = 0; equal < 2; equal++) {
		wr = t_wr(&p, IBV_WR_ATOMIC_CMP_AND_SWP, 64);
		wr.wr.atomic.compare_add = 299 + equal;
		wr.wr.atomic.swap = 9;
		assert_int_equal(t_post(&p, &wr, 8), 0);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
		assert_int_equal(at(&p.a, 0), 300);
		assert_int_equal(at(&p.b, 64), equal ? 9 : 300);
	}
	t_none(p.b.cq);
	t_down(&p);
}

/* Without an end of the retries a message waits for its receive. */
static void test_rnr_waits(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;

	(void)state;
	p.rnr_retry = 7;
	t_up(&p);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_none_for(p.a.cq, 0.01);
	assert_int_equal(t_recv(&p.b, 0, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	t_down(&p);
}

/*
 * After the first error all that was posted is flushed, in order, and nothing else of it happens.
 */
static void test_flush(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr[5], *bad;
	struct ibv_sge sge;

	(void)state;
	t_up(&p);
	sge = (struct ibv_sge){ (uintptr_t)p.a.buf, 8, p.a.mr->lkey };
	memset(p.a.buf, 7, 8);
	for (int i = 0; i < 5; i++) {
		wr[i] = t_wr(&p, IBV_WR_RDMA_WRITE, 64 * (uint32_t)i);
		wr[i].wr_id = (uint64_t)i;
		wr[i].send_flags = 0; /* errors have a completion all the same */
		wr[i].sg_list = &sge;
		wr[i].next = i < 4 ? &wr[i + 1] : NULL;
	}
	wr[1].wr.rdma.rkey++;
	assert_int_equal(ibv_post_send(p.a.qp, wr, &bad), 0);
	for (uint64_t i = 1; i < 5; i++) {
		struct ibv_wc wc = t_wait(p.a.cq);

		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.status, i == 1 ? IBV_WC_REM_ACCESS_ERR : IBV_WC_WR_FLUSH_ERR);
	}
	assert_int_equal(p.b.buf[0], 7);
	for (uint32_t i = 1; i < 5; i++)
		assert_int_equal(p.b.buf[64 * i], 0);
	t_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fifo),
		cmocka_unit_test(test_gather_scatter),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_write_imm),
		cmocka_unit_test(test_write_then_send),
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_rnr_waits),
		cmocka_unit_test(test_flush),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
