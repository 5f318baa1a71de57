/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* UD, on any device: the address of an answer, several peers of a QP, Q_Key, multicast. */
#include "config.h"
#include "../t.h"

#include <errno.h>

#define GRH 40
#define QKEY 0x11

static struct ibv_ah *ah_to(struct pair *p, union ibv_gid gid)
{
	struct ibv_ah_attr path = t_path(p);
	struct ibv_ah *ah;

	path.grh.dgid = gid;
	ah = ibv_create_ah(p->pd, &path);
	assert_non_null(ah);
	return ah;
}

static void send_to(struct pair *p, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ibv_send_wr wr = t_wr(p, IBV_WR_SEND, 0);

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = qkey;
	assert_int_equal(t_post(p, &wr, 200), 0);
	t_expect(p->a.cq, IBV_WC_SUCCESS);
}

/* b knows nothing of a: it answers to the address of the first packet. */
static void test_answer(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UD);
	struct ibv_ah *ah, *back;
	struct ibv_send_wr wr, *bad;
	struct ibv_sge sge;
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	ah = ah_to(&p, p.gid);
	t_fill(&p.a, 1);
	assert_int_equal(t_recv(&p.b, 0, 4096), 0);
	assert_int_equal(t_recv(&p.a, 8192, 4096), 0);
	send_to(&p, ah, p.b.qp->qp_num, QKEY);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.byte_len, GRH + 200);
	assert_int_equal(wc.src_qp, p.a.qp->qp_num);
	assert_memory_equal(p.b.buf + GRH, p.a.buf, 200);
	back = ibv_create_ah_from_wc(p.pd, &wc, (struct ibv_grh *)(void *)p.b.buf, 1);
	assert_non_null(back);
	sge = (struct ibv_sge){ (uintptr_t)p.b.buf + GRH, 100, p.b.mr->lkey };
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
				   .sg_list = &sge, .num_sge = 1 };
	wr.wr.ud.ah = back;
	wr.wr.ud.remote_qpn = wc.src_qp;
	wr.wr.ud.remote_qkey = QKEY;
	assert_int_equal(ibv_post_send(p.b.qp, &wr, &bad), 0);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	assert_int_equal(t_wait(p.a.cq).byte_len, GRH + 100);
	assert_memory_equal(p.a.buf + 8192 + GRH, p.a.buf, 100);
	assert_int_equal(ibv_destroy_ah(back), 0);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	t_down(&p);
}

/* Two QPs send to one: src_qp tells whose message it is. */
static void test_peers(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UD);
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD, .cap = { 16, 16, 1, 1, 0 } };
	struct ibv_qp *first, *second;
	struct ibv_ah *ah;
	int counts[2] = { 0 };

	(void)state;
	t_up(&p);
	ah = ah_to(&p, p.gid);
	init.send_cq = init.recv_cq = p.a.cq;
	first = p.a.qp;
	second = ibv_create_qp(p.pd, &init);
	assert_non_null(second);
	p.a.qp = second;
	assert_int_equal(t_init(&p, &p.a), 0);
	assert_int_equal(t_rtr(&p, &p.a, 0), 0);
	assert_int_equal(t_rts(&p, &p.a), 0);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(t_recv(&p.b, (uint32_t)i * 4096, 4096), 0);
		p.a.qp = i % 3 ? second : first;
		send_to(&p, ah, p.b.qp->qp_num, QKEY);
	}
	for (int i = 0; i < 9; i++) {
		const struct ibv_wc wc = t_wait(p.b.cq);

		assert_int_equal(wc.qp_num, p.b.qp->qp_num);
		assert_true(wc.src_qp == first->qp_num || wc.src_qp == second->qp_num);
		counts[wc.src_qp == second->qp_num]++;
	}
	assert_int_equal(counts[0], 3);
	assert_int_equal(counts[1], 6);
	assert_int_equal(ibv_destroy_qp(second), 0);
	p.a.qp = first;
	assert_int_equal(ibv_destroy_ah(ah), 0);
	t_down(&p);
}

/* A message with another Q_Key is dropped without a word, and takes no receive. */
static void test_qkey(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UD);
	struct ibv_ah *ah;

	(void)state;
	t_up(&p);
	ah = ah_to(&p, p.gid);
	assert_int_equal(t_recv(&p.b, 0, 4096), 0);
	send_to(&p, ah, p.b.qp->qp_num, QKEY + 1);
	send_to(&p, ah, p.b.qp->qp_num, QKEY);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	t_none_for(p.b.cq, 0.01);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	t_down(&p);
}

/* Only UD QPs, only multicast GIDs; attached twice is one copy; a sender need not be attached. */
static void test_multicast(void **state)
{
	/* 239.1.2.3, as the kernel maps it: an IPv4-mapped GID (rdma_ip2gid()) */
	union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 1, 2, 3 } };
	struct pair p = t_defaults(IBV_QPT_UD), rc = t_defaults(IBV_QPT_RC);
	struct ibv_ah *ah;

	(void)state;
	t_up(&p);
	t_up(&rc);
	assert_int_equal(ibv_attach_mcast(rc.a.qp, &group, 0), EINVAL);
	assert_int_equal(ibv_attach_mcast(p.b.qp, &p.gid, 0), EINVAL);
	assert_int_equal(ibv_attach_mcast(p.b.qp, &group, 0), 0);
	assert_int_equal(ibv_attach_mcast(p.b.qp, &group, 0), 0);
	assert_int_not_equal(ibv_destroy_qp(p.b.qp), 0);
	ah = ah_to(&p, group);
	assert_int_equal(t_recv(&p.b, 0, 4096), 0);
	assert_int_equal(t_recv(&p.b, 4096, 4096), 0);
	send_to(&p, ah, 0xffffff, QKEY);
	/* Soft-RoCE does not deliver multicast messages to the device that sends them */
	if (p.emulated)
		t_expect(p.b.cq, IBV_WC_SUCCESS);
	t_none_for(p.b.cq, 0.01);
	assert_int_equal(ibv_detach_mcast(p.b.qp, &group, 0), 0);
	send_to(&p, ah, 0xffffff, QKEY);
	t_none_for(p.b.cq, 0.01);
	assert_int_not_equal(ibv_detach_mcast(p.b.qp, &group, 0), 0);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	t_down(&rc);
	t_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_peers),
		cmocka_unit_test(test_qkey),
		cmocka_unit_test(test_multicast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
