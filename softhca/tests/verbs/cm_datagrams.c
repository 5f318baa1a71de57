/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* UD QPs and multicast groups by rdma_cm. */
#include "config.h"

#include "cm.h"

#define GROUP "239.1.2.3"
#define GRH 40

static void send_to(struct cm_side *s, struct ibv_ah_attr *to, uint32_t qpn)
{
	struct ibv_ah *ah = ibv_create_ah(s->id->pd, to);

	assert_non_null(ah);
	assert_int_equal(rdma_post_ud_send(s->id, NULL, s->buf, 64, s->mr, 0, ah, qpn), 0);
	t_expect(s->cq, IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_ah(ah), 0);
}

static void test_datagrams(void **state)
{
	struct rdma_cm_event *e;
	struct rdma_ud_param ud;
	struct ibv_ah *ah;
	struct ibv_wc wc;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_UDP);
	cm_ask(&p);
	cm_make_qp(&p.s, IBV_QPT_UD);
	cm_recv(&p.s);
	cm_answer(&p);
	e = cm_take(p.c.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	ud = e->param.ud;
	assert_int_equal(ud.qp_num, p.s.id->qp->qp_num);
	assert_int_equal(ud.qkey, RDMA_UDP_QKEY);
	assert_int_equal(ud.private_data_len, 136);
	assert_string_equal(ud.private_data, "answer");
	rdma_ack_cm_event(e);
	memset(p.c.buf, 0x42, 64);
	send_to(&p.c, &ud.ah_attr, ud.qp_num);
	wc = t_wait(p.s.cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.byte_len, GRH + 64);
	assert_int_equal(wc.src_qp, p.c.id->qp->qp_num);
	assert_memory_equal(p.s.buf + GRH, p.c.buf, 64);
	/* the answer goes to where the message came from */
	cm_recv(&p.c);
	ah = ibv_create_ah_from_wc(p.s.id->pd, &wc, (struct ibv_grh *)p.s.buf, p.s.id->port_num);
	assert_non_null(ah);
	assert_int_equal(rdma_post_ud_send(p.s.id, NULL, p.s.buf, 64, p.s.mr, 0, ah, wc.src_qp), 0);
	t_expect(p.s.cq, IBV_WC_SUCCESS);
	t_expect(p.c.cq, IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	cm_down(&p);
}

static void test_request(void **state)
{
	struct rdma_cm_event *e;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_UDP);
	p.c.id = cm_route(&p, p.c.ch);
	p.param.private_data = "ask";
	p.param.private_data_len = 4;
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	assert_int_equal(e->param.ud.private_data_len, 180);
	assert_string_equal(e->param.ud.private_data, "ask");
	p.s.id = e->id;
	rdma_ack_cm_event(e);
	assert_int_equal(rdma_reject(p.s.id, "no", 3), 0);
	e = cm_take(p.c.ch, RDMA_CM_EVENT_UNREACHABLE, 2); /* IB_SIDR_REJECT */
	assert_string_equal(e->param.ud.private_data, "no");
	rdma_ack_cm_event(e);
	cm_down(&p);
}

static void test_nobody_listens(void **state)
{
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_UDP);
	p.c.id = cm_route(&p, p.c.ch);
	assert_int_equal(rdma_destroy_id(p.listener), 0);
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_UNREACHABLE, 1); /* IB_SIDR_UNSUPPORTED */
	assert_int_equal(rdma_create_id(p.s.ch, &p.listener, NULL, RDMA_PS_UDP), 0);
	cm_down(&p);
}

/* A member of the group; returns where the group is. */
static struct rdma_ud_param join(struct cm_side *s, struct sockaddr_storage *group)
{
	struct sockaddr_storage addr = cm_resolve(cm_address(), 0);
	struct rdma_ud_param ud;
	struct rdma_cm_event *e;

	s->ch = rdma_create_event_channel();
	assert_int_equal(rdma_create_id(s->ch, &s->id, s, RDMA_PS_UDP), 0);
	assert_int_equal(rdma_resolve_addr(s->id, (struct sockaddr *)&addr,
					   (struct sockaddr *)group, 2000), 0);
	cm_expect(s->ch, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	cm_make_qp(s, IBV_QPT_UD);
	assert_int_equal(rdma_join_multicast(s->id, (struct sockaddr *)group, s), 0);
	e = cm_take(s->ch, RDMA_CM_EVENT_MULTICAST_JOIN, 0);
	ud = e->param.ud;
	assert_ptr_equal(ud.private_data, s);
	assert_int_equal(ud.qp_num, 0xffffff);
	assert_int_equal(ud.qkey, RDMA_UDP_QKEY);
	assert_int_equal(rdma_ack_cm_event(e), 0);
	return ud;
}

static void test_group(void **state)
{
	static const uint8_t mgid[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 2, 3 };
	struct sockaddr_storage group = cm_resolve(GROUP, 0);
	struct cm_side a = { .id = NULL }, b = { .id = NULL };
	struct rdma_ud_param ud;

	(void)state;
	ud = join(&a, &group);
	join(&b, &group);
	assert_memory_equal(ud.ah_attr.grh.dgid.raw, mgid, sizeof(mgid));
	cm_recv(&b);
	send_to(&a, &ud.ah_attr, ud.qp_num);
	t_expect(b.cq, IBV_WC_SUCCESS);
	/* it is attached no more */
	assert_int_equal(rdma_leave_multicast(b.id, (struct sockaddr *)&group), 0);
	cm_recv(&b);
	send_to(&a, &ud.ah_attr, ud.qp_num);
	t_none_for(b.cq, 0.01);
	assert_int_equal(rdma_leave_multicast(b.id, (struct sockaddr *)&group), -1);
	assert_int_equal(errno, EADDRNOTAVAIL);
	assert_int_equal(rdma_leave_multicast(a.id, (struct sockaddr *)&group), 0);
	assert_false(cm_readable(b.ch, 0));
	cm_down_side(&a);
	cm_down_side(&b);
	rdma_destroy_event_channel(a.ch);
	rdma_destroy_event_channel(b.ch);
}

/* A join that was not waited for: leaving drops its event. */
static void test_early_leave(void **state)
{
	struct sockaddr_storage group = cm_resolve(GROUP, 0), addr = cm_resolve(cm_address(), 0);
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *id;

	(void)state;
	assert_int_equal(rdma_create_id(ch, &id, NULL, RDMA_PS_UDP), 0);
	/* not without an address */
	assert_int_equal(rdma_join_multicast(id, (struct sockaddr *)&group, NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&addr), 0);
	assert_int_equal(rdma_join_multicast(id, (struct sockaddr *)&group, NULL), 0);
	assert_int_equal(rdma_leave_multicast(id, (struct sockaddr *)&group), 0);
	assert_false(cm_readable(ch, 0));
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_datagrams),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_nobody_listens),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_early_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
