/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Queues of the emulated HCA within one process: CQs, SRQs, draining, and their events. */
#include "config.h"
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

static void test_events(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_comp_channel *ch;
	struct ibv_send_wr wr;
	struct ibv_cq *cq;
	struct pollfd fd;
	void *arg;

	(void)state;
	t_open(&p);
	ch = ibv_create_comp_channel(p.ctx);
	t_side(&p, &p.a, NULL);
	t_side(&p, &p.b, ch);
	t_connect(&p);
	fd = (struct pollfd) { .fd = ch->fd, .events = POLLIN };
	fcntl(ch->fd, F_SETFL, O_NONBLOCK);
	assert_int_equal(ibv_get_cq_event(ch, &cq, &arg), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(ibv_destroy_comp_channel(ch), EBUSY);
	assert_int_equal(ibv_req_notify_cq(p.b.cq, 1), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(t_recv(&p.b, 0, 8), 0);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	assert_int_equal(poll(&fd, 1, 10), 0); /* not solicited */
	wr.send_flags |= IBV_SEND_SOLICITED;
	wr.sg_list = NULL;
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_readable(fd.fd);
	assert_int_equal(ibv_get_cq_event(ch, &cq, &arg), 0);
	assert_ptr_equal(cq, p.b.cq);
	wr.sg_list = NULL;
	assert_int_equal(t_post(&p, &wr, 8), 0);
	assert_int_equal(poll(&fd, 1, 10), 0); /* one event for each arming */
	ibv_ack_cq_events(cq, 1);
	t_down_side(&p.b);
	assert_int_equal(ibv_destroy_comp_channel(ch), 0);
	t_down_side(&p.a);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

static void test_srq(void **state)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 2 } };
	struct ibv_srq_attr attr = { .srq_limit = 3 };
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_async_event ev;
	struct ibv_send_wr wr;

	(void)state;
	t_open(&p);
	p.b.srq = ibv_create_srq(p.pd, &init);
	assert_non_null(p.b.srq);
	t_side(&p, &p.a, NULL);
	t_side(&p, &p.b, NULL);
	t_connect(&p);
	assert_int_equal(ibv_destroy_srq(p.b.srq), EBUSY);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(t_recv(&p.b, i * 64, 64), 0);
	assert_int_equal(t_recv(&p.b, 0, 64), ENOMEM);
	attr.max_wr = 8;
	assert_int_equal(ibv_modify_srq(p.b.srq, &attr, IBV_SRQ_MAX_WR), EINVAL);
	attr.max_wr = 40;
	assert_int_equal(ibv_modify_srq(p.b.srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), 0);
	assert_int_equal(ibv_query_srq(p.b.srq, &attr), 0);
	assert_int_equal(attr.max_wr, 40);
	assert_int_equal(attr.srq_limit, 3);
	attr.srq_limit = 40; /* as mlx5: fewer than the limit would always be there */
	assert_int_equal(ibv_modify_srq(p.b.srq, &attr, IBV_SRQ_LIMIT), EINVAL);
	for (uint32_t i = 0; i < 14; i++) {
		wr = t_wr(&p, IBV_WR_SEND, 0);
		assert_int_equal(t_post(&p, &wr, 10), 0);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
		assert_int_equal(t_wait(p.b.cq).wr_id, i * 64);
	}
	assert_int_equal(ibv_get_async_event(p.ctx, &ev), 0);
	assert_int_equal(ev.event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
	assert_ptr_equal(ev.element.srq, p.b.srq);
	ibv_ack_async_event(&ev);
	assert_int_equal(ibv_query_srq(p.b.srq, &attr), 0);
	assert_int_equal(attr.srq_limit, 0);
	t_down(&p);
}

static void test_cq(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_async_event ev;
	struct ibv_send_wr wr;

	(void)state;
	p.cqe = 4;
	t_up(&p);
	for (int i = 0; i < 3; i++) {
		wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
		wr.wr_id = (uint64_t)i;
		assert_int_equal(t_post(&p, &wr, 8), 0);
	}
	assert_int_equal(ibv_resize_cq(p.a.cq, 2), EINVAL);
	assert_int_equal(ibv_resize_cq(p.a.cq, 9), 0);
	assert_int_equal(p.a.cq->cqe, 9);
	for (int i = 0; i < 3; i++)
		assert_int_equal(t_wait(p.a.cq).wr_id, i);
	assert_int_equal(ibv_resize_cq(p.a.cq, 2), 0);
	for (int i = 0; i < 3; i++) {
		wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
		assert_int_equal(t_post(&p, &wr, 8), 0);
	}
	assert_int_equal(ibv_get_async_event(p.ctx, &ev), 0);
	assert_int_equal(ev.event_type, IBV_EVENT_CQ_ERR);
	ibv_ack_async_event(&ev);
	t_expect(p.a.cq, IBV_WC_SUCCESS); /* polling also handles the error */
	assert_int_equal(ibv_get_async_event(p.ctx, &ev), 0);
	assert_int_equal(ev.event_type, IBV_EVENT_QP_FATAL);
	ibv_ack_async_event(&ev);
	assert_int_equal(t_state(p.a.qp), IBV_QPS_ERR);
	t_down(&p);
}

static void test_drain(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_async_event ev;
	struct ibv_send_wr wr;

	(void)state;
	t_up(&p);
	assert_int_equal(ibv_modify_qp(p.a.qp, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	assert_int_equal(ibv_get_async_event(p.ctx, &ev), 0);
	assert_int_equal(ev.event_type, IBV_EVENT_SQ_DRAINED);
	ibv_ack_async_event(&ev);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_none(p.a.cq);
	a.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(p.a.qp, &a, IBV_QP_STATE), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_down(&p);
}

/* The events of an object end with it. Those of others stay; here they came before. */
static void test_forget_async(void **state)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_async_event ev;
	struct pollfd fd;

	(void)state;
	t_up(&p);
	fd = (struct pollfd) { .fd = p.ctx->async_fd, .events = POLLIN };
	assert_int_equal(ibv_modify_qp(p.b.qp, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	assert_int_equal(ibv_modify_qp(p.a.qp, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	assert_int_equal(ibv_destroy_qp(p.a.qp), 0);
	p.a.qp = NULL;
	t_readable(fd.fd);
	assert_int_equal(ibv_get_async_event(p.ctx, &ev), 0);
	assert_int_equal(ev.event_type, IBV_EVENT_SQ_DRAINED);
	assert_ptr_equal(ev.element.qp, p.b.qp);
	ibv_ack_async_event(&ev);
	assert_int_equal(poll(&fd, 1, 10), 0);
	t_down(&p);
}

static void test_forget_cq(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_comp_channel *ch;
	struct ibv_send_wr wr;
	struct ibv_cq *cq;
	struct pollfd fd;
	void *arg;

	(void)state;
	t_open(&p);
	ch = ibv_create_comp_channel(p.ctx);
	t_side(&p, &p.a, ch);
	t_side(&p, &p.b, ch);
	t_connect(&p);
	fd = (struct pollfd) { .fd = ch->fd, .events = POLLIN };
	assert_int_equal(ibv_req_notify_cq(p.a.cq, 0), 0);
	assert_int_equal(ibv_req_notify_cq(p.b.cq, 0), 0);
	assert_int_equal(t_recv(&p.b, 0, 8), 0);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	t_down_side(&p.a);
	t_readable(fd.fd);
	assert_int_equal(ibv_get_cq_event(ch, &cq, &arg), 0);
	assert_ptr_equal(cq, p.b.cq);
	ibv_ack_cq_events(cq, 1);
	assert_int_equal(poll(&fd, 1, 10), 0);
	t_down_side(&p.b);
	assert_int_equal(ibv_destroy_comp_channel(ch), 0);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

/* libfabric's fi_cq_test does it: all the CQs that the device has, each with a thousand entries. */
static void test_all_cqs(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_device_attr attr;
	struct ibv_cq **cq;

	(void)state;
	t_open(&p);
	assert_int_equal(ibv_query_device(p.ctx, &attr), 0);
	cq = calloc((size_t)attr.max_cq, sizeof(struct ibv_cq *));
	assert_non_null(cq);
	for (int i = 0; i < attr.max_cq; i++) {
		cq[i] = ibv_create_cq(p.ctx, 1024, NULL, NULL, 0);
		if (!cq[i])
			fail_msg("CQ %d of %d: %s", i, attr.max_cq, strerror(errno));
	}
	assert_null(ibv_create_cq(p.ctx, 1024, NULL, NULL, 0));
	assert_int_equal(errno, ENOMEM);
	for (int i = 0; i < attr.max_cq; i++)
		assert_int_equal(ibv_destroy_cq(cq[i]), 0);
	free(cq);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_srq),
		cmocka_unit_test(test_cq),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_forget_async),
		cmocka_unit_test(test_forget_cq),
		cmocka_unit_test(test_all_cqs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
