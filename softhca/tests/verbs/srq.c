/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Shared receive queues, on any device: two QPs of each transport with one queue, the limit event,
 * resize.
 */
#include "config.h"
#include "../t.h"

#include <errno.h>
#include <poll.h>

static struct ibv_srq *create(struct pair *p, uint32_t max_wr)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = max_wr, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(p->pd, &init);

	assert_non_null(srq);
	return srq;
}

/* a and b send to each other, and both receive from the queue of a. */
static void up(struct pair *p, enum ibv_qp_type type)
{
	*p = t_defaults(type);
	t_open(p);
	p->a.srq = p->b.srq = create(p, 32);
	t_side(p, &p->a, NULL);
	t_side(p, &p->b, NULL);
	t_connect(p);
}

static void down(struct pair *p)
{
	assert_int_not_equal(ibv_destroy_srq(p->a.srq), 0); /* QPs use it */
	p->b.srq = NULL;
	assert_int_equal(ibv_destroy_qp(p->b.qp), 0);
	p->b.qp = NULL;
	t_down(p);
}

static void post(struct pair *p, struct side *from, struct side *to, struct ibv_ah *ah)
{
	struct ibv_sge sge = { (uintptr_t)from->buf, 100, from->mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;

	if (ah) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = to->qp->qp_num;
		wr.wr.ud.remote_qkey = 0x11;
	}
	assert_int_equal(ibv_post_send(from->qp, &wr, &bad), 0);
	(void)p;
}

/* Counts the arrivals in a CQ until it has had n completions. */
static int arrivals(struct side *s, int n)
{
	int came = 0;

	for (int i = 0; i < n; i++) {
		const struct ibv_wc wc = t_wait(s->cq);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.qp_num, s->qp->qp_num);
		came += !!(wc.opcode & IBV_WC_RECV);
	}
	return came;
}

static void test_shared(void **state)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

	(void)state;
	for (int t = 0; t < 3; t++) {
		struct pair p;
		struct ibv_ah *ah = NULL;
		struct ibv_ah_attr path;
		struct ibv_recv_wr rr = { 0 }, *bad;

		up(&p, types[t]);
		path = t_path(&p);
		if (types[t] == IBV_QPT_UD)
			ah = ibv_create_ah(p.pd, &path);
		assert_int_not_equal(ibv_post_recv(p.b.qp, &rr, &bad), 0); /* it has no own queue */
		for (uint32_t i = 0; i < 9; i++)
			assert_int_equal(t_recv(&p.a, i * 256, 256), 0);
		for (int i = 0; i < 9; i++)
			post(&p, i % 3 ? &p.a : &p.b, i % 3 ? &p.b : &p.a, ah);
		assert_int_equal(arrivals(&p.a, 6 + 3), 3);
		assert_int_equal(arrivals(&p.b, 3 + 6), 6);
		if (ah)
			assert_int_equal(ibv_destroy_ah(ah), 0);
		down(&p);
	}
}

/* One event per limit: then it is 0, and has to be set again. */
static void test_limit(void **state)
{
	struct ibv_srq_attr attr = { .srq_limit = 4 };
	struct ibv_async_event event;
	struct pollfd fd;
	struct pair p;

	(void)state;
	up(&p, IBV_QPT_RC);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(t_recv(&p.a, i * 256, 256), 0);
	assert_int_equal(ibv_modify_srq(p.a.srq, &attr, IBV_SRQ_LIMIT), 0);
	fd = (struct pollfd){ .fd = p.ctx->async_fd, .events = POLLIN };
	for (int i = 0; i < 6; i++) {
		post(&p, &p.a, &p.b, NULL);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
		t_expect(p.b.cq, IBV_WC_SUCCESS);
		if (i == 2)
			assert_int_equal(poll(&fd, 1, 0), 0);
	}
	t_readable(fd.fd);
	assert_int_equal(ibv_get_async_event(p.ctx, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
	assert_ptr_equal(event.element.srq, p.a.srq);
	ibv_ack_async_event(&event);
	assert_int_equal(poll(&fd, 1, 10), 0);
	assert_int_equal(ibv_query_srq(p.a.srq, &attr), 0);
	assert_int_equal(attr.srq_limit, 0);
	down(&p);
}

static void test_resize(void **state)
{
	struct ibv_srq_attr attr = { .max_wr = 200 };
	struct pair p;

	(void)state;
	up(&p, IBV_QPT_RC);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(t_recv(&p.a, i * 256, 256), 0);
	assert_int_equal(ibv_modify_srq(p.a.srq, &attr, IBV_SRQ_MAX_WR), 0);
	assert_int_equal(ibv_query_srq(p.a.srq, &attr), 0);
	assert_true(attr.max_wr >= 200);
	for (uint32_t i = 20; i < 150; i++)
		assert_int_equal(t_recv(&p.a, i * 256, 256), 0);
	for (uint32_t i = 0; i < 150; i++) {
		post(&p, &p.a, &p.b, NULL);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
		assert_int_equal(t_wait(p.b.cq).wr_id, i * 256);
	}
	down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_resize),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
