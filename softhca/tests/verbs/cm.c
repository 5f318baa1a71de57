/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Connections by rdma_cm with the asynchronous API. */
#include "config.h"

#include "cm.h"

static bool all_zero(const void *data, size_t len)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < len; i++)
		if (at[i])
			return false;
	return true;
}

/* Each event has all bytes that the message has room for (IBA vol. 1, 12.6), the rest is zero. */
static void check_private(const struct rdma_cm_event *e, const char *text, uint8_t len)
{
	const char *data = e->param.conn.private_data;
	size_t n = strlen(text) + 1;

	assert_int_equal(e->param.conn.private_data_len, len);
	assert_memory_equal(data, text, n);
	assert_true(all_zero(data + n, len - n));
}

static void test_sequence(void **state)
{
	struct rdma_conn_param param;
	struct rdma_cm_event *e;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	p.c.id = cm_route(&p, p.c.ch);
	cm_make_qp(&p.c, IBV_QPT_RC);
	param = p.param;
	param.private_data = "ask";
	param.private_data_len = 4;
	assert_int_equal(rdma_connect(p.c.id, &param), 0);
	e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	check_private(e, "ask", 56);
	assert_int_equal(e->param.conn.qp_num, p.c.id->qp->qp_num);
	p.s.id = e->id;
	assert_ptr_equal(p.s.id->context, &p.s);
	assert_ptr_equal(p.s.id->verbs, p.c.id->verbs);
	assert_int_equal(rdma_get_src_port(p.s.id), rdma_get_dst_port(p.c.id));
	assert_int_equal(rdma_get_dst_port(p.s.id), rdma_get_src_port(p.c.id));
	rdma_ack_cm_event(e);
	cm_answer(&p);
	e = cm_take(p.c.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	check_private(e, "answer", 196);
	assert_int_equal(e->param.conn.qp_num, p.s.id->qp->qp_num);
	rdma_ack_cm_event(e);
	cm_expect(p.s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	cm_talk(&p);
	assert_int_equal(rdma_disconnect(p.c.id), 0);
	cm_expect(p.s.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(rdma_disconnect(p.s.id), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(t_state(p.s.id->qp), IBV_QPS_ERR);
	cm_expect(p.s.ch, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	assert_false(cm_readable(p.s.ch, 0));
	assert_false(cm_readable(p.c.ch, 0));
	cm_down(&p);
}

static void test_server_disconnects(void **state)
{
	struct cm_pair p;

	(void)state;
	cm_connect(&p);
	assert_int_equal(rdma_disconnect(p.s.id), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(rdma_disconnect(p.c.id), 0);
	cm_expect(p.s.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	cm_down(&p);
}

static void test_both_disconnect(void **state)
{
	struct cm_pair p;

	(void)state;
	cm_connect(&p);
	assert_int_equal(rdma_disconnect(p.s.id), 0);
	assert_int_equal(rdma_disconnect(p.c.id), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	cm_expect(p.s.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	cm_down(&p);
}

static void test_peer_destroys(void **state)
{
	struct cm_pair p;

	(void)state;
	cm_connect(&p);
	cm_down_side(&p.c);
	cm_expect(p.s.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_false(cm_readable(p.s.ch, 0));
	assert_int_equal(rdma_disconnect(p.s.id), 0);
	cm_down(&p);
}

static void test_reject(void **state)
{
	struct rdma_cm_event *e;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	cm_ask(&p);
	assert_int_equal(rdma_reject(p.s.id, "no room", 8), 0);
	e = cm_take(p.c.ch, RDMA_CM_EVENT_REJECTED, 28);
	check_private(e, "no room", 148);
	rdma_ack_cm_event(e);
	assert_int_equal(t_state(p.c.id->qp), IBV_QPS_ERR);
	cm_down(&p);
}

/* The kernel rejects for an identifier that is destroyed; the connect request was not taken. */
static void test_listener_ends(void **state)
{
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	p.c.id = cm_route(&p, p.c.ch);
	cm_make_qp(&p.c, IBV_QPT_RC);
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	assert_true(cm_readable(p.s.ch, CM_WAIT_MS));
	assert_int_equal(rdma_destroy_id(p.listener), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_REJECTED, 28);
	assert_int_equal(rdma_create_id(p.s.ch, &p.listener, NULL, RDMA_PS_TCP), 0);
	cm_down(&p);
}

static void test_nobody_listens(void **state)
{
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	p.c.id = cm_route(&p, p.c.ch);
	cm_make_qp(&p.c, IBV_QPT_RC);
	assert_int_equal(rdma_destroy_id(p.listener), 0);
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_REJECTED, 8);
	assert_int_equal(rdma_create_id(p.s.ch, &p.listener, NULL, RDMA_PS_TCP), 0);
	cm_down(&p);
}

static void test_too_much_private_data(void **state)
{
	uint8_t data[250] = { 0 };
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	p.c.id = cm_route(&p, p.c.ch);
	cm_make_qp(&p.c, IBV_QPT_RC);
	p.param.private_data = data;
	p.param.private_data_len = 57;
	assert_int_equal(rdma_connect(p.c.id, &p.param), -1);
	assert_int_equal(errno, EINVAL);
	cm_down(&p);
}

static void test_many(void **state)
{
	enum { N = 40 };
	struct rdma_cm_id *c[N], *s[N];
	struct rdma_cm_event *e;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	for (int i = 0; i < N; i++) {
		c[i] = cm_route(&p, p.c.ch);
		p.param.qp_num = 1000 + (uint32_t)i;
		assert_int_equal(rdma_connect(c[i], &p.param), 0);
		e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
		assert_int_equal(e->param.conn.qp_num, p.param.qp_num);
		s[i] = e->id;
		rdma_ack_cm_event(e);
	}
	/* all at once from here; the events are of the right identifiers */
	for (int i = 0; i < N; i++) {
		/* the kernel takes a number that it knows for an old connection */
		p.param.qp_num = 2000 + (uint32_t)i;
		assert_int_equal(rdma_accept(s[i], &p.param), 0);
	}
	for (int i = 0; i < N; i++) {
		e = cm_take(p.c.ch, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
		assert_int_equal(rdma_establish(e->id), 0);
		rdma_ack_cm_event(e);
	}
	for (int i = 0; i < N; i++)
		cm_expect(p.s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	for (int i = 0; i < N; i++) {
		assert_int_equal(rdma_disconnect(c[i]), 0);
		e = cm_take(p.s.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
		assert_ptr_equal(e->id, s[i]);
		rdma_ack_cm_event(e);
		assert_int_equal(rdma_disconnect(s[i]), 0);
	}
	for (int i = 0; i < N; i++)
		assert_int_equal(rdma_destroy_id(s[i]), 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(rdma_destroy_id(c[i]), 0);
	cm_down(&p);
}

static void test_migrate(void **state)
{
	struct rdma_event_channel *other = rdma_create_event_channel();
	struct cm_pair p;

	(void)state;
	assert_non_null(other);
	cm_connect(&p);
	assert_int_equal(rdma_migrate_id(p.s.id, other), 0);
	assert_ptr_equal(p.s.id->channel, other);
	assert_int_equal(rdma_disconnect(p.c.id), 0);
	cm_expect(other, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_false(cm_readable(p.s.ch, 0));
	cm_down(&p);
	rdma_destroy_event_channel(other);
}

static void test_nonblocking(void **state)
{
	struct rdma_cm_event *e;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	assert_int_equal(fcntl(p.c.ch->fd, F_SETFL, fcntl(p.c.ch->fd, F_GETFL) | O_NONBLOCK), 0);
	assert_int_equal(rdma_get_cm_event(p.c.ch, &e), -1);
	assert_int_equal(errno, EAGAIN);
	p.c.id = cm_route(&p, p.c.ch);
	assert_int_equal(rdma_get_cm_event(p.c.ch, &e), -1);
	assert_int_equal(errno, EAGAIN);
	cm_down(&p);
}

static void test_ports(void **state)
{
	struct sockaddr_storage any;
	struct rdma_cm_id *id;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	assert_int_equal(rdma_create_id(p.c.ch, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&p.addr), -1);
	assert_int_equal(errno, EADDRINUSE);
	any = cm_resolve(p.addr.ss_family == AF_INET ? "0.0.0.0" : "::",
			 ntohs(rdma_get_src_port(p.listener)));
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&any), -1);
	assert_int_equal(errno, EADDRNOTAVAIL); /* cma_check_port() */
	assert_int_equal(rdma_destroy_id(id), 0);
	/* the other port space has ports of its own */
	assert_int_equal(rdma_create_id(p.c.ch, &id, NULL, RDMA_PS_UDP), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&p.addr), 0);
	assert_non_null(id->verbs);
	assert_int_equal(rdma_destroy_id(id), 0);
	cm_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequence),
		cmocka_unit_test(test_server_disconnects),
		cmocka_unit_test(test_both_disconnect),
		cmocka_unit_test(test_peer_destroys),
		cmocka_unit_test(test_reject),
		cmocka_unit_test(test_listener_ends),
		cmocka_unit_test(test_nobody_listens),
		cmocka_unit_test(test_too_much_private_data),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_migrate),
		cmocka_unit_test(test_nonblocking),
		cmocka_unit_test(test_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
