/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Path migration on the emulated HCA with two ports, within one process: on request, when a port
 * goes down, and what cannot migrate.
 */
#include "config.h"
#include "t.h"
#include "t_env.h"

#include <errno.h>
#include <poll.h>

#define ALTERNATE (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)

static struct ibv_qp_attr attr_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	return attr;
}

static struct ibv_qp_attr alternate(struct pair *p)
{
	struct ibv_qp_attr a = {
		.path_mig_state = IBV_MIG_REARM, .alt_port_num = 2, .alt_timeout = 9,
		.alt_ah_attr = { .is_global = 1, .port_num = 2, .grh = { .sgid_index = 1 } },
	};

	assert_int_equal(ibv_query_gid(p->ctx, 2, 1, &a.alt_ah_attr.grh.dgid), 0);
	return a;
}

static void rearm(struct pair *p, struct ibv_qp *qp)
{
	struct ibv_qp_attr a = alternate(p);

	assert_int_equal(ibv_modify_qp(qp, &a, ALTERNATE), 0);
	assert_int_equal(attr_of(qp).path_mig_state, IBV_MIG_REARM);
}

static int request(struct ibv_qp *qp, enum ibv_mig_state state)
{
	struct ibv_qp_attr a = { .path_mig_state = state };

	return ibv_modify_qp(qp, &a, IBV_QP_PATH_MIG_STATE);
}

static void transfer(struct pair *p)
{
	struct ibv_send_wr wr = t_wr(p, IBV_WR_RDMA_WRITE, 0);

	assert_int_equal(t_post(p, &wr, 8), 0);
	t_expect(p->a.cq, IBV_WC_SUCCESS);
}

static struct ibv_qp *expect_event(struct pair *p, enum ibv_event_type type)
{
	struct ibv_async_event ev;

	t_readable(p->ctx->async_fd);
	assert_int_equal(ibv_get_async_event(p->ctx, &ev), 0);
	assert_int_equal(ev.event_type, type);
	ibv_ack_async_event(&ev);
	return ev.element.qp;
}

static void expect_no_event(struct pair *p)
{
	struct pollfd fd = { .fd = p->ctx->async_fd, .events = POLLIN };

	assert_int_equal(poll(&fd, 1, 0), 0);
}

static void expect_path(struct ibv_qp *qp, uint8_t port, enum ibv_mig_state state)
{
	const struct ibv_qp_attr a = attr_of(qp);

	assert_int_equal(a.port_num, port);
	assert_int_equal(a.ah_attr.port_num, port);
	assert_int_equal(a.path_mig_state, state);
}

static void up(struct pair *p)
{
	*p = t_defaults(IBV_QPT_RC);
	t_up(p);
}

static void test_ports(void **state)
{
	struct ibv_device_attr dev;
	union ibv_gid one, two;
	struct ibv_port_attr port;
	struct pair p;

	(void)state;
	up(&p);
	assert_int_equal(ibv_query_device(p.ctx, &dev), 0);
	assert_int_equal(dev.phys_port_cnt, 2);
	assert_true(dev.device_cap_flags & IBV_DEVICE_AUTO_PATH_MIG);
	assert_int_equal(ibv_query_port(p.ctx, 2, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
	assert_int_not_equal(ibv_query_port(p.ctx, 3, &port), 0);
	assert_int_equal(ibv_query_gid(p.ctx, 1, 0, &one), 0);
	assert_int_equal(ibv_query_gid(p.ctx, 2, 0, &two), 0);
	assert_memory_not_equal(&one, &two, sizeof(one));
	t_down(&p);
}

/* Both are armed after the first message, once both have asked. */
static void test_arm(void **state)
{
	struct pair p;

	(void)state;
	up(&p);
	expect_path(p.a.qp, 1, IBV_MIG_MIGRATED);
	rearm(&p, p.a.qp);
	transfer(&p);
	expect_path(p.a.qp, 1, IBV_MIG_REARM);
	rearm(&p, p.b.qp);
	expect_path(p.b.qp, 1, IBV_MIG_REARM);
	transfer(&p);
	expect_path(p.a.qp, 1, IBV_MIG_ARMED);
	expect_path(p.b.qp, 1, IBV_MIG_ARMED);
	expect_no_event(&p);
	t_down(&p);
}

static void arm(struct pair *p)
{
	rearm(p, p->a.qp);
	rearm(p, p->b.qp);
	transfer(p);
	expect_path(p->a.qp, 1, IBV_MIG_ARMED);
}

/* The side that is asked migrates at once, the other one with the next message. */
static void test_on_request(void **state)
{
	struct pair p;

	(void)state;
	up(&p);
	arm(&p);
	assert_int_equal(request(p.a.qp, IBV_MIG_MIGRATED), 0);
	assert_ptr_equal(expect_event(&p, IBV_EVENT_PATH_MIG), p.a.qp);
	expect_path(p.a.qp, 2, IBV_MIG_MIGRATED);
	assert_int_equal(attr_of(p.a.qp).timeout, 9);
	expect_path(p.b.qp, 1, IBV_MIG_ARMED);
	transfer(&p);
	assert_ptr_equal(expect_event(&p, IBV_EVENT_PATH_MIG), p.b.qp);
	expect_path(p.b.qp, 2, IBV_MIG_MIGRATED);
	transfer(&p);
	expect_no_event(&p);
	t_down(&p);
}

/* A side that has no message to send cannot tell the other: that one's message finds the way. */
static void test_the_other_side_sends(void **state)
{
	struct ibv_send_wr wr;
	struct pair p;

	(void)state;
	up(&p);
	arm(&p);
	assert_int_equal(request(p.b.qp, IBV_MIG_MIGRATED), 0);
	assert_ptr_equal(expect_event(&p, IBV_EVENT_PATH_MIG), p.b.qp);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS); /* after its retries */
	assert_ptr_equal(expect_event(&p, IBV_EVENT_PATH_MIG), p.a.qp);
	expect_path(p.a.qp, 2, IBV_MIG_MIGRATED);
	t_down(&p);
}

/* And back again: the first path is the alternate one now. */
static void test_twice(void **state)
{
	struct ibv_qp_attr a;
	struct pair p;

	(void)state;
	up(&p);
	arm(&p);
	a = attr_of(p.a.qp);
	assert_int_equal(request(p.a.qp, IBV_MIG_REARM), 0);
	transfer(&p);
	expect_path(p.a.qp, 1, IBV_MIG_ARMED);
	assert_int_equal(request(p.a.qp, IBV_MIG_MIGRATED), 0);
	transfer(&p);
	expect_event(&p, IBV_EVENT_PATH_MIG);
	expect_event(&p, IBV_EVENT_PATH_MIG);
	assert_int_equal(request(p.a.qp, IBV_MIG_REARM), EINVAL); /* no path is loaded */
	a.alt_ah_attr = a.ah_attr;
	a.alt_port_num = 1;
	a.path_mig_state = IBV_MIG_REARM;
	assert_int_equal(ibv_modify_qp(p.a.qp, &a, ALTERNATE), 0);
	assert_int_equal(ibv_modify_qp(p.b.qp, &a, ALTERNATE), 0);
	transfer(&p);
	expect_path(p.a.qp, 2, IBV_MIG_ARMED);
	assert_int_equal(request(p.b.qp, IBV_MIG_MIGRATED), 0);
	assert_int_equal(request(p.a.qp, IBV_MIG_MIGRATED), 0);
	transfer(&p);
	expect_path(p.a.qp, 1, IBV_MIG_MIGRATED);
	expect_path(p.b.qp, 1, IBV_MIG_MIGRATED);
	t_down(&p);
}

static void test_not_armed(void **state)
{
	struct ibv_send_wr wr;
	struct pair p;

	(void)state;
	up(&p);
	arm(&p);
	assert_int_equal(request(p.a.qp, IBV_MIG_MIGRATED), 0);
	expect_event(&p, IBV_EVENT_PATH_MIG);
	assert_int_equal(request(p.b.qp, IBV_MIG_REARM), 0); /* not armed any more */
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	assert_ptr_equal(expect_event(&p, IBV_EVENT_PATH_MIG_ERR), p.b.qp);
	t_expect(p.a.cq, IBV_WC_RETRY_EXC_ERR);
	expect_no_event(&p); /* once */
	t_down(&p);
}

static void test_refusals(void **state)
{
	struct ibv_qp_attr a;
	struct pair p;

	(void)state;
	up(&p);
	assert_int_equal(request(p.a.qp, IBV_MIG_REARM), EINVAL);
	assert_int_equal(request(p.a.qp, IBV_MIG_ARMED), EINVAL);
	assert_int_equal(request(p.a.qp, IBV_MIG_MIGRATED), 0);
	a = alternate(&p);
	a.alt_port_num = 3;
	assert_int_equal(ibv_modify_qp(p.a.qp, &a, ALTERNATE), EINVAL);
	a.alt_port_num = 1; /* not the port of its address */
	assert_int_equal(ibv_modify_qp(p.a.qp, &a, ALTERNATE), EINVAL);
	a = alternate(&p);
	a.path_mig_state = IBV_MIG_ARMED;
	assert_int_equal(ibv_modify_qp(p.a.qp, &a, ALTERNATE), EINVAL);
	expect_path(p.a.qp, 1, IBV_MIG_MIGRATED);
	expect_no_event(&p);
	t_down(&p);
}

static enum ibv_port_state port_state(struct pair *p, uint8_t port)
{
	struct ibv_port_attr attr;

	assert_int_equal(ibv_query_port(p->ctx, port, &attr), 0);
	return attr.state;
}

static void await_down(struct pair *p)
{
	expect_event(p, IBV_EVENT_PORT_ERR);
	assert_int_equal(port_state(p, 1), IBV_PORT_DOWN);
	assert_int_equal(port_state(p, 2), IBV_PORT_ACTIVE);
}

/*
 * Armed before the port goes down. The time of the fault counts from the opening of the device: a
 * process that gets no processor for so long opens it again.
 */
static void up_and_arm(struct pair *p)
{
	struct ibv_send_wr wr;
	enum ibv_wc_status status;

	for (;;) {
		up(p);
		rearm(p, p->a.qp);
		rearm(p, p->b.qp);
		wr = t_wr(p, IBV_WR_RDMA_WRITE, 0);
		assert_int_equal(t_post(p, &wr, 8), 0);
		status = t_wait(p->a.cq).status;
		if (port_state(p, 1) == IBV_PORT_ACTIVE)
			break;
		t_down(p);
	}
	assert_int_equal(status, IBV_WC_SUCCESS);
	expect_path(p->a.qp, 1, IBV_MIG_ARMED);
}

/* Requests in flight when the port goes down complete over the other one. */
static void test_port_down(void **state)
{
	struct ibv_send_wr wr;
	struct pair p;

	(void)state;
	up_and_arm(&p);
	await_down(&p);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	expect_event(&p, IBV_EVENT_PATH_MIG);
	expect_event(&p, IBV_EVENT_PATH_MIG);
	expect_path(p.a.qp, 2, IBV_MIG_MIGRATED);
	expect_path(p.b.qp, 2, IBV_MIG_MIGRATED);
	t_down(&p);
}

/* Without an alternate path the retries end. */
static void test_port_down_unarmed(void **state)
{
	struct ibv_send_wr wr;
	struct pair p;

	(void)state;
	up(&p);
	await_down(&p);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_RETRY_EXC_ERR);
	t_down(&p);
}

#define TWO_PORTS "SOFTHCA_PORTS=2"
#define SOON "SOFTHCA_FAULTS=port-down:1@150ms+100s"

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "apm: a device has two ports", test_ports, { TWO_PORTS } },
		{ "apm: both sides arm", test_arm, { TWO_PORTS } },
		{ "apm: on request", test_on_request, { TWO_PORTS } },
		{ "apm: on request, over a link", test_on_request,
		  { TWO_PORTS, "SOFTHCA_LINK=bandwidth=10G,delay=100us" } },
		{ "apm: the side that did not ask sends", test_the_other_side_sends,
		  { TWO_PORTS } },
		{ "apm: there and back", test_twice, { TWO_PORTS } },
		{ "apm: the peer is not armed", test_not_armed, { TWO_PORTS } },
		{ "apm: what is refused", test_refusals, { TWO_PORTS } },
		{ "apm: a port goes down", test_port_down, { TWO_PORTS, SOON } },
		{ "apm: a port goes down, over a link", test_port_down,
		  { TWO_PORTS, SOON, "SOFTHCA_LINK=bandwidth=10G,delay=100us" } },
		{ "apm: a port goes down, nothing is armed", test_port_down_unarmed,
		  { TWO_PORTS, SOON } },
	};

	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
