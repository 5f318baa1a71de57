/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Injected faults of the emulated HCA: each one occurs as set, at the set time, and no other. */
#include "config.h"

#include "t_env.h"

#include <fcntl.h>
#include <poll.h>

static struct ibv_wc write_one(struct pair *p)
{
	struct ibv_send_wr wr = t_wr(p, IBV_WR_RDMA_WRITE, 0);

	assert_int_equal(t_post(p, &wr, 8), 0);
	return t_wait(p->a.cq);
}

/* The third of five requests has the set status; the later ones are flushed. */
static void third_fails(enum ibv_qp_type type, enum ibv_wc_status status, enum ibv_qp_state state)
{
	struct pair p = t_defaults(type);

	t_up(&p);
	for (int i = 1; i <= 5; i++) {
		struct ibv_wc wc = write_one(&p);

		assert_int_equal(wc.wr_id, 77);
		assert_int_equal(wc.status, i < 3 ? IBV_WC_SUCCESS :
				 i == 3 ? status : IBV_WC_WR_FLUSH_ERR);
		assert_int_equal(t_state(p.a.qp), i < 3 ? IBV_QPS_RTS : state);
	}
	t_down(&p);
}

static void test_wc_rc(void **state)
{
	(void)state;
	third_fails(IBV_QPT_RC, IBV_WC_REM_ACCESS_ERR, IBV_QPS_ERR);
}

static void test_wc_uc(void **state)
{
	(void)state;
	third_fails(IBV_QPT_UC, IBV_WC_GENERAL_ERR, IBV_QPS_SQE);
}

/* An unsignaled request completes if it is in error. */
static void test_wc_unsignalled(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	for (uint64_t i = 1; i <= 4; i++) {
		wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
		wr.wr_id = i;
		wr.send_flags = 0;
		assert_int_equal(t_post(&p, &wr, 8), 0);
	}
	wc = t_wait(p.a.cq);
	assert_int_equal(wc.status, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(wc.wr_id, 3);
	assert_int_equal(t_wait(p.a.cq).status, IBV_WC_WR_FLUSH_ERR);
	t_none(p.a.cq);
	t_down(&p);
}

/* Calls are counted, not requests. A call that fails posts nothing. */
static void test_post(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr[2], *bad;
	struct ibv_sge sge;

	(void)state;
	t_up(&p);
	sge = (struct ibv_sge) { (uintptr_t)p.a.buf, 8, p.a.mr->lkey };
	for (int call = 1; call <= 4; call++) {
		wr[0] = wr[1] = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
		wr[0].sg_list = wr[1].sg_list = &sge;
		wr[0].next = &wr[1];
		bad = NULL;
		p.a.buf[0] = (uint8_t)call;
		assert_int_equal(ibv_post_send(p.a.qp, wr, &bad), call == 3 ? ENOMEM : 0);
		if (call == 3) {
			assert_ptr_equal(bad, wr);
			assert_int_equal(p.b.buf[0], 2);
		} else {
			assert_int_equal(t_wait(p.a.cq).status, IBV_WC_SUCCESS);
			assert_int_equal(t_wait(p.a.cq).status, IBV_WC_SUCCESS);
			assert_int_equal(p.b.buf[0], call);
		}
		t_none(p.a.cq);
		assert_int_equal(t_state(p.a.qp), IBV_QPS_RTS);
	}
	t_down(&p);
}

static void test_post_recv(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_up(&p);
	assert_int_equal(t_recv(&p.b, 0, 8), 0);
	assert_int_equal(t_recv(&p.b, 0, 8), EIO);
	assert_int_equal(t_recv(&p.b, 0, 8), 0);
	t_down(&p);
}

/* Side a with a non-blocking completion channel. */
static struct ibv_comp_channel *with_events(struct pair *p)
{
	struct ibv_comp_channel *ch;

	t_open(p);
	ch = ibv_create_comp_channel(p->ctx);
	assert_non_null(ch);
	assert_int_equal(fcntl(ch->fd, F_SETFL, fcntl(ch->fd, F_GETFL) | O_NONBLOCK), 0);
	t_side(p, &p->a, ch);
	t_side(p, &p->b, NULL);
	t_connect(p);
	return ch;
}

/* Number of events for one completion of an armed CQ. */
static int events_of_one(struct pair *p, struct ibv_comp_channel *ch)
{
	struct ibv_cq *cq;
	void *context;
	int n = 0;

	assert_int_equal(ibv_req_notify_cq(p->a.cq, 0), 0);
	assert_int_equal(write_one(p).status, IBV_WC_SUCCESS);
	while (!ibv_get_cq_event(ch, &cq, &context)) {
		assert_ptr_equal(cq, p->a.cq);
		n++;
	}
	assert_int_equal(errno, EAGAIN);
	ibv_ack_cq_events(p->a.cq, (unsigned int)n);
	return n;
}

/* The second event is lost and the fourth comes twice. The completions are not changed. */
static void test_events(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_comp_channel *ch = with_events(&p);
	static const int expected[] = { 1, 0, 1, 2, 1, 1 };

	(void)state;
	for (int i = 0; i < 6; i++)
		assert_int_equal(events_of_one(&p, ch), expected[i]);
	t_down_channel(&p, ch);
}

static enum ibv_event_type async_event(struct pair *p)
{
	struct ibv_async_event e;

	t_readable(p->ctx->async_fd);
	assert_int_equal(ibv_get_async_event(p->ctx, &e), 0);
	assert_int_equal(e.element.port_num, 1);
	ibv_ack_async_event(&e);
	return e.event_type;
}

static bool has_event(struct pair *p)
{
	struct pollfd fd = { .fd = p->ctx->async_fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

static enum ibv_port_state port_state(struct pair *p)
{
	struct ibv_port_attr attr;

	assert_int_equal(ibv_query_port(p->ctx, 1, &attr), 0);
	return attr.state;
}

/* Sends a message; the port went down when the device was opened. */
static void up_to_post(struct pair *p)
{
	struct ibv_send_wr wr;

	t_up(p);
	assert_int_equal(async_event(p), IBV_EVENT_PORT_ERR);
	p->a.buf[0] = 1;
	wr = t_wr(p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(p, &wr, 8), 0);
}

/* No message passes while the port is down. RC sends it again when the port is up. */
static void test_port_rc(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	const double end = t_now() + T_GUARD_S;
	struct ibv_wc wc;
	int n = 0;

	(void)state;
	p.timeout = 15; /* 134 ms, eight times: more than 300 ms */
	p.retry = 7;
	up_to_post(&p);
	/* a process that gets no processor for so long opens it again */
	while (port_state(&p) == IBV_PORT_ACTIVE) {
		assert_true(t_now() < end);
		t_down(&p);
		up_to_post(&p);
	}
	for (;;) {
		uint8_t seen = p.b.buf[0];

		n = ibv_poll_cq(p.a.cq, 1, &wc);
		if (port_state(&p) == IBV_PORT_ACTIVE)
			break;
		assert_int_equal(seen, 0);
		assert_int_equal(n, 0);
	}
	assert_int_equal(async_event(&p), IBV_EVENT_PORT_ACTIVE);
	if (!n)
		wc = t_wait(p.a.cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(p.b.buf[0], 1);
	assert_int_equal(t_state(p.a.qp), IBV_QPS_RTS);
	assert_false(has_event(&p));
	t_down(&p);
}

/* The port is down for longer than all retries. */
static void test_port_retries(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_up(&p);
	assert_int_equal(async_event(&p), IBV_EVENT_PORT_ERR);
	assert_int_equal(write_one(&p).status, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(t_state(p.a.qp), IBV_QPS_ERR);
	assert_int_equal(port_state(&p), IBV_PORT_DOWN);
	assert_false(has_event(&p));
	t_down(&p);
}

/* UC: the request completes, and the message is lost. */
static void test_port_uc(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UC);

	(void)state;
	t_up(&p);
	assert_int_equal(async_event(&p), IBV_EVENT_PORT_ERR);
	for (uint8_t i = 1; port_state(&p) == IBV_PORT_DOWN; i++) {
		uint8_t before = p.b.buf[0];

		p.a.buf[0] = i;
		assert_int_equal(write_one(&p).status, IBV_WC_SUCCESS);
		if (port_state(&p) == IBV_PORT_DOWN)
			assert_int_equal(p.b.buf[0], before);
	}
	assert_int_equal(async_event(&p), IBV_EVENT_PORT_ACTIVE);
	p.a.buf[0] = 0xee;
	assert_int_equal(write_one(&p).status, IBV_WC_SUCCESS);
	assert_int_equal(p.b.buf[0], 0xee);
	t_down(&p);
}

static void test_async(void **state)
{
	struct pair p = { 0 };
	double t0 = t_now();

	(void)state;
	t_open(&p);
	assert_int_equal(async_event(&p), IBV_EVENT_LID_CHANGE);
	assert_int_equal(async_event(&p), IBV_EVENT_GID_CHANGE);
	assert_int_equal(async_event(&p), IBV_EVENT_DEVICE_FATAL);
	assert_true(t_now() - t0 >= 0.04);
	assert_false(has_event(&p));
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

/* Times count from the opening of the device. Faults of an earlier opening do not occur. */
static void test_reopen(void **state)
{
	struct pair p = { 0 };
	double t0 = t_now(), opened;

	(void)state;
	do {
		opened = t_now();
		t_open(&p);
		assert_int_equal(ibv_dealloc_pd(p.pd), 0);
		if (opened - t0 < 0.05)
			assert_int_equal(ibv_close_device(p.ctx), 0);
	} while (opened - t0 < 0.05);
	assert_int_equal(async_event(&p), IBV_EVENT_PORT_ERR);
	assert_true(t_now() - opened >= 0.1);
	assert_int_equal(async_event(&p), IBV_EVENT_PORT_ACTIVE);
	assert_true(t_now() - opened >= 0.12);
	assert_false(has_event(&p));
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

/* One port cannot be asked; the other can. */
static void test_query(void **state)
{
	struct ibv_port_attr attr;
	struct pair p = { 0 };

	(void)state;
	t_open(&p);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ibv_query_port(p.ctx, 2, &attr), EINVAL);
		assert_int_equal(ibv_query_port(p.ctx, 1, &attr), 0);
	}
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "fault: status at the third of RC", test_wc_rc,
		  { "SOFTHCA_FAULTS=wc:REM_ACCESS_ERR@3" } },
		{ "fault: status at the third of UC", test_wc_uc,
		  { "SOFTHCA_FAULTS=wc:GENERAL_ERR@3" } },
		{ "fault: status of an unsignalled request", test_wc_unsignalled,
		  { "SOFTHCA_FAULTS=wc:RETRY_EXC_ERR@3" } },
		{ "fault: post of sends", test_post, { "SOFTHCA_FAULTS=post:ENOMEM@3" } },
		{ "fault: post of receives", test_post_recv, { "SOFTHCA_FAULTS=post:EIO@2" } },
		{ "fault: events lost and doubled", test_events,
		  { "SOFTHCA_FAULTS=event-lost@2,event-extra@4" } },
		{ "fault: port down, RC", test_port_rc, { "SOFTHCA_FAULTS=port-down@0ms+300ms" } },
		{ "fault: port down, RC over a link", test_port_rc,
		  { "SOFTHCA_FAULTS=port-down@0ms+300ms", "SOFTHCA_LINK=delay=1ms" } },
		{ "fault: port down for longer than retries", test_port_retries,
		  { "SOFTHCA_FAULTS=port-down@0ms+100s" } },
		{ "fault: port down, UC", test_port_uc, { "SOFTHCA_FAULTS=port-down@0ms+200ms" } },
		{ "fault: async events", test_async,
		  { "SOFTHCA_FAULTS=async:LID_CHANGE@0ms,async:GID_CHANGE@20ms,"
		    "async:DEVICE_FATAL@40ms" } },
		{ "fault: a port that cannot be asked", test_query,
		  { "SOFTHCA_FAULTS=query:EINVAL@2", "SOFTHCA_PORTS=2" } },
		{ "fault: device opened again", test_reopen,
		  { "SOFTHCA_FAULTS=port-down@100ms+20ms" } },
	};

	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
