/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The life of a QP, on any device: transitions with exactly their attributes (qp_state_table of
 * Linux 6.1, drivers/infiniband/core/verbs.c), what a state allows, query, drain, recovery,
 * signalling.
 */
#include "config.h"
#include "../t.h"

#include <errno.h>
#include <poll.h>

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

struct step {
	struct ibv_qp_attr attr;
	int mask;
};

static struct step to_init(const struct pair *p)
{
	return (struct step){
		.attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11 },
		.mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			(p->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS),
	};
}

static struct step to_rtr(struct pair *p)
{
	struct step s = {
		.attr = {
			.qp_state = IBV_QPS_RTR, .path_mtu = p->mtu, .ah_attr = t_path(p),
			.dest_qp_num = p->b.qp->qp_num, .max_dest_rd_atomic = 4, .min_rnr_timer = 5,
		},
		.mask = IBV_QP_STATE,
	};

	if (p->type != IBV_QPT_UD)
		s.mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (p->type == IBV_QPT_RC)
		s.mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return s;
}

static struct step to_rts(const struct pair *p)
{
	struct step s = {
		.attr = { .qp_state = IBV_QPS_RTS, .timeout = 8, .retry_cnt = 2, .rnr_retry = 2,
			  .max_rd_atomic = 4 },
		.mask = IBV_QP_STATE | IBV_QP_SQ_PSN,
	};

	if (p->type == IBV_QPT_RC)
		s.mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_MAX_QP_RD_ATOMIC;
	return s;
}

/* Attributes that are no part of a transition, required or optional, of any of the three types. */
static int foreign(enum ibv_qp_state to)
{
	switch (to) {
	case IBV_QPS_INIT:
		return IBV_QP_AV | IBV_QP_RQ_PSN | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT;
	case IBV_QPS_RTR:
		return IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT;
	default:
		return IBV_QP_AV | IBV_QP_RQ_PSN | IBV_QP_DEST_QPN | IBV_QP_PATH_MTU;
	}
}

/* Refused with an attribute missing, and with one too many; then accepted. */
static void exactly(struct ibv_qp *qp, struct step s)
{
	for (int bit = 1; bit <= IBV_QP_DEST_QPN; bit <<= 1) {
		if (bit == IBV_QP_STATE)
			continue;
		if (s.mask & bit || foreign(s.attr.qp_state) & bit)
			assert_int_equal(ibv_modify_qp(qp, &s.attr, s.mask ^ bit), EINVAL);
	}
	assert_int_equal(ibv_modify_qp(qp, &s.attr, s.mask), 0);
	assert_int_equal(t_state(qp), s.attr.qp_state);
}

static void test_transitions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct pair p = t_defaults(types[i]);

		t_open(&p);
		t_side(&p, &p.a, NULL);
		t_side(&p, &p.b, NULL);
		exactly(p.a.qp, to_init(&p));
		exactly(p.a.qp, to_rtr(&p));
		exactly(p.a.qp, to_rts(&p));
		t_down(&p);
	}
}

/* A receive can be posted from INIT on, a request is sent from RTS on. */
static void test_posting(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;

	(void)state;
	t_open(&p);
	t_side(&p, &p.a, NULL);
	t_side(&p, &p.b, NULL);
	assert_int_not_equal(t_recv(&p.a, 0, 8), 0);
	assert_int_equal(t_init(&p, &p.a), 0);
	assert_int_equal(t_recv(&p.a, 0, 8), 0);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_not_equal(t_post(&p, &wr, 8), 0);
	t_down(&p);
}

/* A target in RTR receives and answers; only its own requests need RTS. */
static void test_target_in_rtr(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;

	(void)state;
	t_open(&p);
	t_side(&p, &p.a, NULL);
	t_side(&p, &p.b, NULL);
	assert_int_equal(t_init(&p, &p.a), 0);
	assert_int_equal(t_init(&p, &p.b), 0);
	assert_int_equal(t_recv(&p.b, 0, 64), 0);
	assert_int_equal(t_rtr(&p, &p.b, p.a.qp->qp_num), 0);
	assert_int_equal(t_rtr(&p, &p.a, p.b.qp->qp_num), 0);
	assert_int_equal(t_rts(&p, &p.a), 0);
	wr = t_wr(&p, IBV_WR_RDMA_READ, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	assert_int_equal(t_state(p.b.qp), IBV_QPS_RTR);
	t_down(&p);
}

static void test_query(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	(void)state;
	t_up(&p);
	assert_int_equal(ibv_query_qp(p.a.qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_CAP, &init), 0);
	assert_int_equal(a.qp_state, IBV_QPS_RTS);
	assert_int_equal(a.dest_qp_num, p.b.qp->qp_num);
	assert_int_equal(a.path_mtu, p.mtu);
	assert_int_equal(a.timeout, p.timeout);
	assert_int_equal(a.retry_cnt, p.retry);
	assert_int_equal(a.rnr_retry, p.rnr_retry);
	assert_int_equal(a.min_rnr_timer, 5);
	assert_int_equal(a.max_rd_atomic, 4);
	assert_int_equal(a.ah_attr.is_global, 1);
	assert_memory_equal(a.ah_attr.grh.dgid.raw, p.gid.raw, 16);
	assert_true(init.cap.max_inline_data >= 64);
	assert_true(init.cap.max_send_wr >= p.depth);
	t_down(&p);
}

/* The timer of RNR NAKs and the rights can change in RTS. */
static void test_change_in_rts(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_attr a = { .min_rnr_timer = 14, .qp_access_flags = 0 };
	struct ibv_qp_init_attr init;
	struct ibv_send_wr wr;

	(void)state;
	t_up(&p);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_int_equal(ibv_modify_qp(p.b.qp, &a, IBV_QP_MIN_RNR_TIMER | IBV_QP_ACCESS_FLAGS), 0);
	assert_int_equal(ibv_query_qp(p.b.qp, &a, IBV_QP_MIN_RNR_TIMER, &init), 0);
	assert_int_equal(a.min_rnr_timer, 14);
	wr.sg_list = NULL;
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_REM_INV_REQ_ERR);
	t_down(&p);
}

/* ERR, RESET, INIT, RTR, RTS: the same QPs work again. */
static void test_recovery(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_wc wc;
	struct ibv_send_wr wr;

	(void)state;
	t_up(&p);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	wr.wr.rdma.rkey++;
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(t_state(p.a.qp), IBV_QPS_ERR);
	assert_int_equal(ibv_modify_qp(p.a.qp, &reset, IBV_QP_STATE), 0);
	assert_int_equal(ibv_modify_qp(p.b.qp, &reset, IBV_QP_STATE), 0);
	while (ibv_poll_cq(p.a.cq, 1, &wc) || ibv_poll_cq(p.b.cq, 1, &wc))
		;
	t_connect(&p);
	t_fill(&p.a, 1);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 4096), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(p.a.buf, p.b.buf, 4096);
	t_down(&p);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* At 8 Mbit/s a message of 4096 bytes has the QP for itself for 4.096 ms. */
static void test_rate(void **state)
{
	(void)state;
	/* RC and UC */
	for (int i = 0; i < 2; i++) {
		struct pair p = t_defaults(types[i]);
		struct ibv_qp_rate_limit_attr rate = { .rate_limit = 8000 }, burst = rate;
		struct ibv_device_attr_ex attr;
		uint64_t begin_ns;

		t_up(&p);
		assert_int_equal(ibv_query_device_ex(p.ctx, NULL, &attr), 0);
		if (!ibv_is_qpt_supported(attr.packet_pacing_caps.supported_qpts, types[i])) {
			/* a device that paces none, as Soft-RoCE */
			assert_int_not_equal(ibv_modify_qp_rate_limit(p.a.qp, &rate), 0);
			t_down(&p);
			continue;
		}
		assert_int_equal(attr.packet_pacing_caps.qp_rate_limit_min, 1);
		burst.max_burst_sz = 4096;
		assert_int_equal(ibv_modify_qp_rate_limit(p.a.qp, &burst), EINVAL);
		assert_int_equal(ibv_modify_qp_rate_limit(p.a.qp, &rate), 0);
		begin_ns = now_ns();
		for (int m = 0; m < 3; m++) {
			struct ibv_send_wr wr = t_wr(&p, IBV_WR_RDMA_WRITE, (uint64_t)m);

			assert_int_equal(t_post(&p, &wr, 4096), 0);
		}
		for (int m = 0; m < 3; m++)
			t_expect(p.a.cq, IBV_WC_SUCCESS);
		assert_true(now_ns() - begin_ns >= 2 * 4096000);
		rate.rate_limit = 0;
		assert_int_equal(ibv_modify_qp_rate_limit(p.a.qp, &rate), 0);
		t_down(&p);
	}
}

static void await_event(struct pair *p, enum ibv_event_type type)
{
	struct pollfd fd = { .fd = p->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	t_readable(fd.fd);
	assert_int_equal(ibv_get_async_event(p->ctx, &event), 0);
	assert_int_equal(event.event_type, type);
	ibv_ack_async_event(&event);
}

/* Successful completions that are there now. */
static int count_done(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n = 0, rc;

	while ((rc = ibv_poll_cq(cq, 1, &wc)) != 0) {
		assert_int_equal(rc, 1);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		n++;
	}
	return n;
}

/*
 * SQD: what has begun is done when the event comes, the rest and what is posted now waits for RTS.
 * Soft-RoCE goes on only with the next request; that of Linux 6.12 sends from a workqueue
 * (rxe_task.c), so that it may not have begun all that was posted.
 */
static void test_drain(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_send_wr wr;
	int done;

	(void)state;
	t_up(&p);
	for (int i = 0; i < 5; i++) {
		wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
		assert_int_equal(t_post(&p, &wr, 30000), 0);
	}
	assert_int_equal(ibv_modify_qp(p.a.qp, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	await_event(&p, IBV_EVENT_SQ_DRAINED);
	done = count_done(p.a.cq);
	if (p.emulated)
		assert_int_equal(done, 5);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_none_for(p.a.cq, 0.02);
	a.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(p.a.qp, &a, IBV_QP_STATE), 0);
	wr.sg_list = NULL;
	assert_int_equal(t_post(&p, &wr, 8), 0);
	for (; done < 5 + 2; done++)
		t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_none(p.a.cq);
	t_down(&p);
}

/* sq_sig_all: every request has a completion, flagged or not; else only flagged ones. */
static void test_signalling(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct pair p = t_defaults(IBV_QPT_RC);
		struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .sq_sig_all = all,
						 .cap = { 16, 16, 1, 1, 0 } };
		int n = 0;

		t_open(&p);
		t_side(&p, &p.a, NULL);
		t_side(&p, &p.b, NULL);
		assert_int_equal(ibv_destroy_qp(p.a.qp), 0);
		init.send_cq = init.recv_cq = p.a.cq;
		p.a.qp = ibv_create_qp(p.pd, &init);
		assert_non_null(p.a.qp);
		t_connect(&p);
		for (uint64_t i = 0; i < 8; i++) {
			struct ibv_send_wr wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);

			wr.wr_id = i;
			wr.send_flags = i == 3 || i == 7 ? IBV_SEND_SIGNALED : 0;
			assert_int_equal(t_post(&p, &wr, 8), 0);
		}
		for (struct ibv_wc wc = { 0 }; wc.wr_id != 7; n++) {
			wc = t_wait(p.a.cq);
			assert_int_equal(wc.status, IBV_WC_SUCCESS);
			assert_true(all || wc.wr_id % 4 == 3);
		}
		assert_int_equal(n, all ? 8 : 2);
		t_none(p.a.cq);
		t_down(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transitions),
		cmocka_unit_test(test_posting),
		cmocka_unit_test(test_target_in_rtr),
		cmocka_unit_test(test_query),
		cmocka_unit_test(test_change_in_rts),
		cmocka_unit_test(test_recovery),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_signalling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
