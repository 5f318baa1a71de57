/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What rdma_cm does to QPs: their attributes, and QPs that librdmacm does not know. */
#include "config.h"

#include "cm.h"

/* Each side sees both depths from its own side, and its QP has the values. */
static void test_depths(void **state)
{
	struct ibv_qp_init_attr init;
	struct rdma_cm_event *e;
	struct ibv_qp_attr a;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	p.c.id = cm_route(&p, p.c.ch);
	cm_make_qp(&p.c, IBV_QPT_RC);
	p.param.initiator_depth = 3;
	p.param.responder_resources = 5;
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	assert_int_equal(e->param.conn.responder_resources, 3);
	assert_int_equal(e->param.conn.initiator_depth, 5);
	assert_int_equal(e->param.conn.retry_count, 7);
	assert_int_equal(e->param.conn.rnr_retry_count, 7);
	p.s.id = e->id;
	rdma_ack_cm_event(e);
	p.param.responder_resources = 2;
	p.param.initiator_depth = 4;
	cm_answer(&p);
	e = cm_take(p.c.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_int_equal(e->param.conn.responder_resources, 4);
	assert_int_equal(e->param.conn.initiator_depth, 2);
	rdma_ack_cm_event(e);
	cm_expect(p.s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_int_equal(ibv_query_qp(p.c.id->qp, &a, IBV_QP_MAX_QP_RD_ATOMIC, &init), 0);
	assert_int_equal(a.max_rd_atomic, 2);
	assert_int_equal(a.max_dest_rd_atomic, 4);
	assert_int_equal(ibv_query_qp(p.s.id->qp, &a, IBV_QP_MAX_QP_RD_ATOMIC, &init), 0);
	assert_int_equal(a.max_rd_atomic, 4);
	assert_int_equal(a.max_dest_rd_atomic, 2);
	memset(p.s.buf, 0x77, CM_BUF);
	for (int i = 0; i < 8; i++)
		assert_int_equal(rdma_post_read(p.c.id, NULL, p.c.buf + 64 * i, 64, p.c.mr, 0,
						(uintptr_t)p.s.buf, p.s.mr->rkey), 0);
	for (int i = 0; i < 8; i++)
		t_expect(p.c.cq, IBV_WC_SUCCESS);
	assert_memory_equal(p.c.buf, p.s.buf, 512);
	cm_down(&p);
}

/* rdma_cm leaves the longest RNR timer, 0: 655.36 ms. It can be changed in RTS. */
static void test_rnr_timer(void **state)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR };
	struct ibv_qp_init_attr init;
	struct cm_pair p;
	int mask;

	(void)state;
	cm_connect(&p);
	assert_int_equal(rdma_init_qp_attr(p.s.id, &a, &mask), 0);
	assert_true(mask & IBV_QP_MIN_RNR_TIMER);
	assert_int_equal(a.min_rnr_timer, 0);
	a.min_rnr_timer = 1;
	assert_int_equal(ibv_modify_qp(p.s.id->qp, &a, IBV_QP_MIN_RNR_TIMER), 0);
	assert_int_equal(ibv_query_qp(p.s.id->qp, &a, IBV_QP_MIN_RNR_TIMER, &init), 0);
	assert_int_equal(a.min_rnr_timer, 1);
	assert_int_equal(rdma_post_send(p.c.id, NULL, p.c.buf, 8, p.c.mr, 0), 0);
	t_none_for(p.c.cq, 0.01);
	cm_recv(&p.s);
	t_expect(p.c.cq, IBV_WC_SUCCESS);
	t_expect(p.s.cq, IBV_WC_SUCCESS);
	cm_down(&p);
}

static uint8_t traffic_class(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	assert_int_equal(ibv_query_qp(id->qp, &a, IBV_QP_AV, &init), 0);
	return a.ah_attr.grh.traffic_class;
}

static void test_tos(void **state)
{
	uint8_t tos = 0x60;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	assert_int_equal(rdma_create_id(p.c.ch, &p.c.id, &p.c, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_set_option(p.c.id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, 1), 0);
	assert_int_equal(rdma_resolve_addr(p.c.id, NULL, (struct sockaddr *)&p.addr, 2000), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_int_equal(rdma_resolve_route(p.c.id, 2000), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	assert_int_equal(p.c.id->route.path_rec->traffic_class, tos);
	cm_ask(&p);
	cm_answer(&p);
	cm_expect(p.c.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	cm_expect(p.s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_int_equal(traffic_class(p.c.id), tos);
	assert_int_equal(traffic_class(p.s.id), tos);
	assert_int_equal(rdma_set_option(p.c.id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, 2), -1);
	assert_int_equal(errno, EINVAL);
	cm_down(&p);
}

static void to_state(struct rdma_cm_id *id, struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr a = { .qp_state = state };
	int mask;

	assert_int_equal(rdma_init_qp_attr(id, &a, &mask), 0);
	assert_int_equal(ibv_modify_qp(qp, &a, mask), 0);
}

static struct ibv_qp *own_qp(struct rdma_cm_id *id, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 }, .send_cq = cq, .recv_cq = cq,
	};
	struct ibv_qp *qp = ibv_create_qp(id->pd, &attr);

	assert_non_null(qp);
	return qp;
}

/* QPs that librdmacm does not know: the program changes their states and says when it is ready. */
static void test_own_qp(void **state)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR };
	struct rdma_cm_event *e;
	struct ibv_qp *qs, *qc;
	struct ibv_cq *cq;
	struct cm_pair p;
	int mask;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	p.c.id = cm_route(&p, p.c.ch);
	cq = ibv_create_cq(p.c.id->verbs, 16, NULL, NULL, 0);
	qc = own_qp(p.c.id, cq);
	p.param.qp_num = qc->qp_num;
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	/* not before the reply */
	assert_int_equal(rdma_init_qp_attr(p.c.id, &a, &mask), -1);
	assert_int_equal(errno, EINVAL);
	e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	assert_int_equal(e->param.conn.qp_num, qc->qp_num);
	p.s.id = e->id;
	rdma_ack_cm_event(e);
	qs = own_qp(p.s.id, cq);
	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++)
		to_state(p.s.id, qs, s);
	p.param.qp_num = qs->qp_num;
	assert_int_equal(rdma_accept(p.s.id, &p.param), 0);
	e = cm_take(p.c.ch, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	assert_int_equal(e->param.conn.qp_num, qs->qp_num);
	rdma_ack_cm_event(e);
	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++)
		to_state(p.c.id, qc, s);
	assert_int_equal(rdma_establish(p.c.id), 0);
	cm_expect(p.s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_int_equal(ibv_destroy_qp(qs), 0);
	assert_int_equal(ibv_destroy_qp(qc), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	cm_down(&p);
}

/* A message may come before the last message of the handshake: the QP tells, and the program. */
static void test_notify(void **state)
{
	struct rdma_cm_event *e;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	cm_ask(&p);
	assert_int_equal(rdma_notify(p.s.id, IBV_EVENT_COMM_EST), -1);
	cm_answer(&p);
	assert_int_equal(rdma_notify(p.s.id, IBV_EVENT_COMM_EST), 0);
	cm_expect(p.s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_int_equal(rdma_notify(p.s.id, IBV_EVENT_COMM_EST), -1);
	assert_int_equal(errno, EISCONN);
	cm_expect(p.c.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	cm_talk(&p);
	/* the last message of the handshake comes too late for an event */
	assert_int_equal(fcntl(p.s.ch->fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(rdma_get_cm_event(p.s.ch, &e), -1);
	assert_int_equal(errno, EAGAIN);
	cm_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depths),
		cmocka_unit_test(test_rnr_timer),
		cmocka_unit_test(test_tos),
		cmocka_unit_test(test_own_qp),
		cmocka_unit_test(test_notify),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
