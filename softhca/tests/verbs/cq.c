/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Completion queues, on any device: events and their acknowledgement, solicited events, shared and
 * resized CQs.
 */
#include "config.h"
#include "../t.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

struct evented {
	struct pair p;
	struct ibv_comp_channel *ch;
};

/* Completions of b raise events. */
static void up(struct evented *e, enum ibv_qp_type type)
{
	e->p = t_defaults(type);
	t_open(&e->p);
	e->ch = ibv_create_comp_channel(e->p.ctx);
	assert_non_null(e->ch);
	assert_int_equal(fcntl(e->ch->fd, F_SETFL, O_NONBLOCK), 0);
	t_side(&e->p, &e->p.a, NULL);
	t_side(&e->p, &e->p.b, e->ch);
	t_connect(&e->p);
}

static void down(struct evented *e)
{
	t_down_side(&e->p.b);
	assert_int_equal(ibv_destroy_comp_channel(e->ch), 0);
	t_down_side(&e->p.a);
	assert_int_equal(ibv_dealloc_pd(e->p.pd), 0);
	assert_int_equal(ibv_close_device(e->p.ctx), 0);
}

static bool event_within(struct evented *e, int ms)
{
	struct pollfd fd = { .fd = e->ch->fd, .events = POLLIN };

	return poll(&fd, 1, ms) == 1;
}

static void take_event(struct evented *e)
{
	struct ibv_cq *cq;
	void *context = &cq;

	t_readable(e->ch->fd);
	assert_int_equal(ibv_get_cq_event(e->ch, &cq, &context), 0);
	assert_ptr_equal(cq, e->p.b.cq);
	assert_null(context); /* the one that the CQ was created with */
}

static void send(struct evented *e, unsigned int flags)
{
	struct ibv_send_wr wr = t_wr(&e->p, IBV_WR_SEND, 0);

	assert_int_equal(t_recv(&e->p.b, 0, 64), 0);
	wr.send_flags |= flags;
	assert_int_equal(t_post(&e->p, &wr, 8), 0);
	t_expect(e->p.a.cq, IBV_WC_SUCCESS);
}

/* One event per arming, and none for a completion that is there when the CQ is armed. */
static void test_one_shot(void **state)
{
	struct evented e;

	(void)state;
	up(&e, IBV_QPT_RC);
	assert_int_equal(ibv_req_notify_cq(e.p.b.cq, 0), 0);
	send(&e, 0);
	take_event(&e);
	t_expect(e.p.b.cq, IBV_WC_SUCCESS);
	send(&e, 0); /* not armed */
	t_expect(e.p.b.cq, IBV_WC_SUCCESS);
	assert_false(event_within(&e, 20));
	assert_int_equal(ibv_req_notify_cq(e.p.b.cq, 0), 0);
	send(&e, 0);
	take_event(&e);
	t_expect(e.p.b.cq, IBV_WC_SUCCESS);
	t_none(e.p.b.cq);
	ibv_ack_cq_events(e.p.b.cq, 2); /* all at the end: else the CQ cannot be destroyed */
	down(&e);
}

/*
 * Poll until empty, arm, poll again, sleep: no completion is missed, however often one comes
 * between the last poll and the arming. An event with an empty CQ is no error.
 */
static void test_arm_race(void **state)
{
	struct evented e;
	unsigned int events = 0;
	struct ibv_wc wc;

	(void)state;
	up(&e, IBV_QPT_RC);
	for (int i = 0; i < 2000; i++) {
		bool got = false;

		if (i % 2)
			send(&e, 0); /* before the arming */
		assert_int_equal(ibv_req_notify_cq(e.p.b.cq, 0), 0);
		if (!(i % 2))
			send(&e, 0);
		while (!got) {
			int n = ibv_poll_cq(e.p.b.cq, 1, &wc);

			assert_true(n >= 0);
			got = n == 1;
			if (!got) {
				take_event(&e);
				events++;
			}
		}
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		while (event_within(&e, 0)) {
			take_event(&e);
			events++;
		}
	}
	ibv_ack_cq_events(e.p.b.cq, events);
	down(&e);
}

static void test_solicited(void **state)
{
	struct evented e;

	(void)state;
	up(&e, IBV_QPT_RC);
	assert_int_equal(ibv_req_notify_cq(e.p.b.cq, 1), 0);
	for (int i = 0; i < 3; i++)
		send(&e, 0);
	assert_false(event_within(&e, 20));
	send(&e, IBV_SEND_SOLICITED);
	take_event(&e);
	ibv_ack_cq_events(e.p.b.cq, 1);
	for (int i = 0; i < 4; i++)
		t_expect(e.p.b.cq, IBV_WC_SUCCESS);
	down(&e);
}

/* Resizing while completions wait loses none of them; too small a size is refused. */
static void test_resize(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;

	(void)state;
	p.cqe = 64;
	t_up(&p);
	for (uint32_t round = 0; round < 20; round++) {
		for (uint64_t i = 0; i < 8; i++) {
			wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
			wr.wr_id = round * 8 + i;
			assert_int_equal(t_post(&p, &wr, 8), 0);
			if (i == 3)
				assert_int_equal(ibv_resize_cq(p.a.cq, round % 2 ? 512 : 32), 0);
		}
		assert_true(p.a.cq->cqe >= (round % 2 ? 512 : 32));
		for (uint64_t i = 0; i < 8; i++) {
			struct ibv_wc wc = t_wait(p.a.cq);

			assert_int_equal(wc.status, IBV_WC_SUCCESS);
			assert_int_equal(wc.wr_id, round * 8 + i);
		}
	}
	assert_int_not_equal(ibv_resize_cq(p.a.cq, 1 << 30), 0);
	t_down(&p);
}

/* Several QPs have one CQ for both of their queues: qp_num and wr_id tell them apart. */
static void test_shared(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 8, 8, 1, 1, 0 } };
	struct ibv_qp *qps[2], *first;
	int sends[2] = { 0 }, receives[2] = { 0 };

	(void)state;
	t_up(&p);
	init.send_cq = init.recv_cq = p.a.cq;
	for (int i = 0; i < 2; i++) {
		qps[i] = ibv_create_qp(p.pd, &init);
		assert_non_null(qps[i]);
	}
	first = p.a.qp;
	for (int i = 0; i < 2; i++) {
		p.a.qp = qps[i];
		assert_int_equal(t_init(&p, &p.a), 0);
		assert_int_equal(t_rtr(&p, &p.a, qps[!i]->qp_num), 0);
		assert_int_equal(t_rts(&p, &p.a), 0);
	}
	for (int i = 0; i < 4; i++) {
		struct ibv_send_wr wr = t_wr(&p, IBV_WR_SEND_WITH_IMM, 0);

		p.a.qp = qps[!(i % 2)];
		assert_int_equal(t_recv(&p.a, 1024, 64), 0);
		p.a.qp = qps[i % 2];
		wr.imm_data = (uint32_t)i;
		assert_int_equal(t_post(&p, &wr, 8), 0);
	}
	for (int i = 0; i < 8; i++) {
		struct ibv_wc wc = t_wait(p.a.cq);
		const int from = wc.qp_num == qps[1]->qp_num;

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.qp_num, qps[from]->qp_num);
		if (wc.opcode & IBV_WC_RECV) {
			assert_int_equal(wc.imm_data & 1, !from); /* sent by the other one */
			receives[from]++;
		} else {
			sends[from]++;
		}
		assert_int_equal(wc.wr_id, wc.opcode & IBV_WC_RECV ? 1024 : 77);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sends[i], 2);
		assert_int_equal(receives[i], 2);
		assert_int_equal(ibv_destroy_qp(qps[i]), 0);
	}
	p.a.qp = first;
	t_down(&p);
}

/* A CQ that is too small raises an event; nobody waits for ever. */
static void test_overrun(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_async_event event;
	struct pollfd fd;

	(void)state;
	p.cqe = 1;
	t_up(&p);
	for (int i = 0; i < p.a.cq->cqe + 2; i++) {
		struct ibv_send_wr wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);

		assert_int_equal(t_post(&p, &wr, 8), 0);
	}
	fd = (struct pollfd){ .fd = p.ctx->async_fd, .events = POLLIN };
	t_readable(fd.fd);
	assert_int_equal(ibv_get_async_event(p.ctx, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_CQ_ERR);
	assert_ptr_equal(event.element.cq, p.a.cq);
	ibv_ack_async_event(&event);
	/* the emulated HCA fails the QPs of the CQ as well (IBA vol. 1, 10.10.2) */
	if (p.emulated) {
		t_expect(p.a.cq, IBV_WC_SUCCESS);
		assert_int_equal(ibv_get_async_event(p.ctx, &event), 0);
		assert_int_equal(event.event_type, IBV_EVENT_QP_FATAL);
		ibv_ack_async_event(&event);
	}
	t_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_shot),
		cmocka_unit_test(test_arm_race),
		cmocka_unit_test(test_solicited),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
