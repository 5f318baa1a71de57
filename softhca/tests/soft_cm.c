/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * librdmacm on the emulated HCA: deadlines, full queues, and processes that end. What must be so on
 * each device is in softhca/tests/verbs/cm*.c.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs/cm.h"
#include "t_env.h"

static void test_no_answer(void **state)
{
	struct rdma_cm_event *e;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	p.c.id = cm_route(&p, p.c.ch);
	cm_make_qp(&p.c, IBV_QPT_RC);
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	/* the request is there, but the client is not */
	e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	p.s.id = e->id;
	rdma_ack_cm_event(e);
	p.param.qp_num = 7;
	assert_int_equal(rdma_accept(p.s.id, &p.param), -1);
	assert_int_equal(errno, EINVAL);
	cm_down(&p);
}

/* As cm_answer(). False: the client has given up, because this process got no processor. */
static bool answer(struct cm_pair *p)
{
	cm_make_qp(&p->s, IBV_QPT_RC);
	p->param.qp_num = p->s.id->qp->qp_num;
	if (!rdma_accept(p->s.id, &p->param))
		return true;
	assert_int_equal(errno, EINVAL);
	return false;
}

/* A client has asked, and the server has answered in time. */
static void ask_and_answer(struct cm_pair *p)
{
	cm_up(p, RDMA_PS_TCP);
	cm_ask(p);
	while (!answer(p)) {
		cm_down(p);
		cm_up(p, RDMA_PS_TCP);
		cm_ask(p);
	}
}

/* False: that side has waited too long for the other, because this process got no processor. */
static bool is_established(struct rdma_event_channel *ch)
{
	enum rdma_cm_event_type type;
	struct rdma_cm_event *e;

	assert_true(cm_readable(ch, CM_WAIT_MS));
	assert_int_equal(rdma_get_cm_event(ch, &e), 0);
	type = e->event;
	assert_int_equal(rdma_ack_cm_event(e), 0);
	assert_true(type == RDMA_CM_EVENT_ESTABLISHED || type == RDMA_CM_EVENT_UNREACHABLE);
	return type == RDMA_CM_EVENT_ESTABLISHED;
}

static void test_no_answer_to_reply(void **state)
{
	struct cm_pair p;

	(void)state;
	ask_and_answer(&p);
	cm_expect(p.s.ch, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	cm_down(&p);
}

static void test_no_answer_to_disconnect(void **state)
{
	struct cm_pair p;

	(void)state;
	ask_and_answer(&p);
	while (!is_established(p.c.ch) || !is_established(p.s.ch)) {
		cm_down(&p);
		ask_and_answer(&p);
	}
	assert_int_equal(rdma_disconnect(p.c.id), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_DISCONNECTED, -ETIMEDOUT);
	cm_expect(p.s.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	cm_down(&p);
}

static void test_no_answer_datagram(void **state)
{
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_UDP);
	p.c.id = cm_route(&p, p.c.ch);
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	cm_expect(p.c.ch, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	cm_down(&p);
}

/* The client is gone before the server accepts: no event, as the kernel has none. */
static void test_early_end(void **state)
{
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	cm_ask(&p);
	cm_down_side(&p.c);
	assert_false(cm_readable(p.s.ch, 0));
	p.param.qp_num = 7;
	assert_int_equal(rdma_accept(p.s.id, &p.param), -1);
	assert_int_equal(errno, EINVAL);
	assert_false(cm_readable(p.s.ch, 0));
	cm_down(&p);
}

/* More clients than the listener takes at once: those that wait are not refused. */
static void test_backlog(void **state)
{
	enum { N = 12 };
	struct rdma_cm_id *c[N], *s[N];
	struct rdma_cm_event *e;
	struct cm_pair p;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	assert_int_equal(rdma_destroy_id(p.listener), 0);
	assert_int_equal(rdma_create_id(p.s.ch, &p.listener, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(p.listener, (struct sockaddr *)&p.addr), 0);
	assert_int_equal(rdma_listen(p.listener, 1), 0);
	p.param.qp_num = 7;
	for (int i = 0; i < N; i++) {
		c[i] = cm_route(&p, p.c.ch);
		assert_int_equal(rdma_connect(c[i], &p.param), 0);
	}
	assert_int_equal(fcntl(p.c.ch->fd, F_SETFL, O_NONBLOCK), 0);
	for (int i = 0; i < N; i++) {
		/* lets the clients try again: their channel wakes them */
		while (!cm_readable(p.s.ch, 0)) {
			assert_true(cm_readable(p.c.ch, CM_WAIT_MS));
			assert_int_equal(rdma_get_cm_event(p.c.ch, &e), -1);
			assert_int_equal(errno, EAGAIN);
		}
		e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
		s[i] = e->id;
		rdma_ack_cm_event(e);
	}
	for (int i = 0; i < N; i++) {
		assert_int_equal(rdma_reject(s[i], NULL, 0), 0);
		assert_int_equal(rdma_destroy_id(s[i]), 0);
		cm_expect(p.c.ch, RDMA_CM_EVENT_REJECTED, 28);
	}
	for (int i = 0; i < N; i++)
		assert_int_equal(rdma_destroy_id(c[i]), 0);
	cm_down(&p);
}

static void test_refused(void **state)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct sockaddr_storage addr = cm_resolve("127.0.0.1", 0);
	struct ibv_path_data path = { .flags = 0 };
	struct rdma_cm_id *id;
	uint8_t timeout = 32;

	(void)state;
	assert_int_equal(rdma_create_id(ch, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_set_option(id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &path,
					 sizeof(path)), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout,
					 1), -1);
	assert_int_equal(errno, EINVAL);
	/* each call before its turn */
	assert_int_equal(rdma_listen(id, 1), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&addr), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&addr, 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rdma_destroy_id(id), 0);
	/* a port space that RoCE does not have */
	assert_int_equal(rdma_create_id(ch, &id, NULL, RDMA_PS_IPOIB), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&addr), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
}

/* The timeout of a QP is that of the kernel on RoCE, 0.5 s, or what the program sets. */
static void test_ack_timeout(void **state)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTS };
	uint8_t timeout = 14;
	struct cm_pair p;
	int mask;

	(void)state;
	cm_up(&p, RDMA_PS_TCP);
	p.c.id = cm_route(&p, p.c.ch);
	assert_int_equal(rdma_set_option(p.c.id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT,
					 &timeout, 1), 0);
	cm_ask(&p);
	cm_answer(&p);
	cm_expect(p.c.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	cm_expect(p.s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_int_equal(rdma_init_qp_attr(p.c.id, &a, &mask), 0);
	assert_int_equal(a.timeout, 14);
	a.qp_state = IBV_QPS_RTS;
	assert_int_equal(rdma_init_qp_attr(p.s.id, &a, &mask), 0);
	assert_int_equal(a.timeout, 17);
	cm_down(&p);
}

/* A child that connects, and does nothing more. It gets the port through the pipe. */
static void be_client(int from, int to)
{
	struct cm_pair p = { .ps = RDMA_PS_TCP, .param.qp_num = 7 };
	struct rdma_cm_event *e;
	uint16_t port;

	if (read(from, &port, sizeof(port)) != sizeof(port))
		_exit(2);
	p.addr = cm_resolve("127.0.0.1", port);
	p.c.ch = rdma_create_event_channel();
	p.c.id = cm_route(&p, p.c.ch);
	if (rdma_connect(p.c.id, &p.param) || rdma_get_cm_event(p.c.ch, &e) ||
	    e->event != RDMA_CM_EVENT_CONNECT_RESPONSE || rdma_establish(p.c.id))
		_exit(3);
	if (write(to, "x", 1) == 1)
		pause();
	_exit(4);
}

static void test_killed(void **state)
{
	struct rdma_cm_event *e;
	struct cm_pair p;
	int to[2], from[2];
	uint16_t port;
	pid_t pid;
	char x;

	(void)state;
	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	if (!pid)
		be_client(to[0], from[1]);
	close(from[1]);
	cm_up(&p, RDMA_PS_TCP);
	port = ntohs(rdma_get_src_port(p.listener));
	assert_int_equal(write(to[1], &port, sizeof(port)), sizeof(port));
	e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	p.s.id = e->id;
	rdma_ack_cm_event(e);
	p.param.qp_num = 7;
	assert_int_equal(rdma_accept(p.s.id, &p.param), 0);
	cm_expect(p.s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_int_equal(read(from[0], &x, 1), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	cm_expect(p.s.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	cm_down(&p);
}

/* A child of fork() has no channel, and does not keep those of its parent open. */
static void test_fork(void **state)
{
	struct rdma_cm_event *e;
	struct cm_pair p;
	int to[2], status;
	pid_t pid;
	char x;

	(void)state;
	cm_connect(&p);
	assert_int_equal(pipe(to), 0);
	pid = fork();
	if (!pid) {
		/* a write to what was a channel is no command: it is to an epoll descriptor */
		if (rdma_get_cm_event(p.c.ch, &e) != -1 || errno != EINVAL)
			_exit(2);
		close(to[1]);
		_exit(read(to[0], &x, 1) ? 3 : 0);
	}
	cm_talk(&p);
	cm_down_side(&p.c);
	cm_expect(p.s.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	close(to[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	cm_down(&p);
}

int main(int argc, char **argv)
{
	static const char quick[] = "SOFTHCA_CM_TIMEOUT=100ms";
	static const struct t_case cases[] = {
		{ "cm: no answer to a request", test_no_answer, { quick } },
		{ "cm: no answer to a reply", test_no_answer_to_reply, { quick } },
		{ "cm: no answer to a disconnect", test_no_answer_to_disconnect, { quick } },
		{ "cm: no answer to a request of UD", test_no_answer_datagram, { quick } },
		{ "cm: the client ends before the server accepts", test_early_end, { NULL } },
		{ "cm: more clients than the backlog", test_backlog, { NULL } },
		{ "cm: what is refused", test_refused, { NULL } },
		{ "cm: the timeout of the QP", test_ack_timeout, { NULL } },
		{ "cm: a killed client", test_killed, { NULL } },
		{ "cm: fork", test_fork, { NULL } },
	};

	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
