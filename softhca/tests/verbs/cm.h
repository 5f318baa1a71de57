/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Both sides of rdma_cm in one process, for tests of librdmacm on any device: the emulated HCA, or
 * the one with the address CM_ADDRESS. Each event is taken, compared and acknowledged once.
 */
#ifndef CM_H
#define CM_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>

#include "../t.h"

#define CM_BUF 4096
#define CM_WAIT_MS (T_GUARD_S * 1000)

struct cm_side {
	struct rdma_event_channel *ch;
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t buf[CM_BUF];
};

struct cm_pair {
	enum rdma_port_space ps;
	struct rdma_cm_id *listener; /* on the channel of s */
	struct cm_side s, c;         /* server, client */
	struct rdma_conn_param param;
	struct sockaddr_storage addr;
};

static inline const char *cm_address(void)
{
	return getenv("CM_ADDRESS") ? getenv("CM_ADDRESS") : "127.0.0.1";
}

/* The port is at the same place in IPv4 and IPv6 addresses. */
static inline void cm_set_port(struct sockaddr_storage *addr, uint16_t port)
{
	uint16_t net = htons(port);

	memcpy((uint8_t *)addr + offsetof(struct sockaddr_in, sin_port), &net, sizeof(net));
}

static inline struct sockaddr_storage cm_resolve(const char *address, uint16_t port)
{
	struct addrinfo hint = { .ai_flags = AI_NUMERICHOST }, *ai;
	struct sockaddr_storage addr = { .ss_family = AF_UNSPEC };

	assert_int_equal(getaddrinfo(address, NULL, &hint, &ai), 0);
	memcpy(&addr, ai->ai_addr, ai->ai_addrlen);
	freeaddrinfo(ai);
	cm_set_port(&addr, port);
	return addr;
}

static inline bool cm_readable(struct rdma_event_channel *ch, int ms)
{
	struct pollfd at = { .fd = ch->fd, .events = POLLIN };

	return poll(&at, 1, ms) == 1;
}

/* The next event, which must be this one; the caller acknowledges it. */
static inline struct rdma_cm_event *cm_take(struct rdma_event_channel *ch,
					    enum rdma_cm_event_type type, int status)
{
	struct rdma_cm_event *e = NULL;

	if (!cm_readable(ch, CM_WAIT_MS))
		fail_msg("no event, not %s", rdma_event_str(type));
	assert_int_equal(rdma_get_cm_event(ch, &e), 0);
	if (e->event != type || e->status != status)
		fail_msg("%s %d, not %s %d", rdma_event_str(e->event), e->status,
			 rdma_event_str(type), status);
	return e;
}

static inline void cm_expect(struct rdma_event_channel *ch, enum rdma_cm_event_type type,
			     int status)
{
	assert_int_equal(rdma_ack_cm_event(cm_take(ch, type, status)), 0);
}

static inline void cm_make_qp(struct cm_side *s, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type, .cap = { 16, 16, 1, 1, 0 }, .sq_sig_all = 1,
	};

	s->cq = ibv_create_cq(s->id->verbs, 64, NULL, NULL, 0);
	assert_non_null(s->cq);
	attr.send_cq = attr.recv_cq = s->cq;
	assert_int_equal(rdma_create_qp(s->id, NULL, &attr), 0);
	s->mr = ibv_reg_mr(s->id->pd, s->buf, CM_BUF, IBV_ACCESS_LOCAL_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
	assert_non_null(s->mr);
}

/* The listener, and the client with its route. */
static inline void cm_up(struct cm_pair *p, enum rdma_port_space ps)
{
	memset(p, 0, sizeof(*p));
	p->ps = ps;
	p->param = (struct rdma_conn_param) {
		.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
		.rnr_retry_count = 7,
	};
	p->addr = cm_resolve(cm_address(), 0);
	p->s.ch = rdma_create_event_channel();
	p->c.ch = rdma_create_event_channel();
	assert_non_null(p->s.ch);
	assert_non_null(p->c.ch);
	assert_int_equal(rdma_create_id(p->s.ch, &p->listener, &p->s, ps), 0);
	assert_int_equal(rdma_bind_addr(p->listener, (struct sockaddr *)&p->addr), 0);
	assert_int_equal(rdma_listen(p->listener, 8), 0);
	cm_set_port(&p->addr, ntohs(rdma_get_src_port(p->listener)));
	assert_int_not_equal(rdma_get_src_port(p->listener), 0);
}

/* A client, as far as its route. */
static inline struct rdma_cm_id *cm_route(struct cm_pair *p, struct rdma_event_channel *ch)
{
	struct rdma_cm_id *id;

	assert_int_equal(rdma_create_id(ch, &id, &p->c, p->ps), 0);
	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&p->addr, 2000), 0);
	cm_expect(ch, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_int_equal(rdma_resolve_route(id, 2000), 0);
	cm_expect(ch, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	return id;
}

/* The client asks for a connection with the private data "ask", and the server has the request. */
static inline void cm_ask(struct cm_pair *p)
{
	struct rdma_conn_param param = p->param;
	struct rdma_cm_event *e;

	if (!p->c.id)
		p->c.id = cm_route(p, p->c.ch);
	if (!p->c.cq)
		cm_make_qp(&p->c, p->ps == RDMA_PS_UDP ? IBV_QPT_UD : IBV_QPT_RC);
	param.private_data = "ask";
	param.private_data_len = 4;
	assert_int_equal(rdma_connect(p->c.id, &param), 0);
	e = cm_take(p->s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	assert_ptr_equal(e->listen_id, p->listener);
	p->s.id = e->id;
	assert_int_equal(rdma_ack_cm_event(e), 0);
}

static inline void cm_answer(struct cm_pair *p)
{
	struct rdma_conn_param param = p->param;

	if (!p->s.cq)
		cm_make_qp(&p->s, p->ps == RDMA_PS_UDP ? IBV_QPT_UD : IBV_QPT_RC);
	param.qp_num = p->s.id->qp->qp_num;
	param.private_data = "answer";
	param.private_data_len = 7;
	assert_int_equal(rdma_accept(p->s.id, &param), 0);
}

static inline void cm_connect(struct cm_pair *p)
{
	cm_up(p, RDMA_PS_TCP);
	cm_ask(p);
	cm_answer(p);
	cm_expect(p->c.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	cm_expect(p->s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
}

static inline void cm_down_side(struct cm_side *s)
{
	if (s->id && s->id->qp)
		rdma_destroy_qp(s->id);
	if (s->cq)
		assert_int_equal(ibv_destroy_cq(s->cq), 0);
	if (s->mr)
		assert_int_equal(ibv_dereg_mr(s->mr), 0);
	if (s->id)
		assert_int_equal(rdma_destroy_id(s->id), 0);
	s->id = NULL;
	s->cq = NULL;
	s->mr = NULL;
}

static inline void cm_down(struct cm_pair *p)
{
	cm_down_side(&p->c);
	cm_down_side(&p->s);
	assert_int_equal(rdma_destroy_id(p->listener), 0);
	rdma_destroy_event_channel(p->c.ch);
	rdma_destroy_event_channel(p->s.ch);
}

static inline void cm_recv(struct cm_side *s)
{
	assert_int_equal(rdma_post_recv(s->id, NULL, s->buf, CM_BUF, s->mr), 0);
}

/* One message each way. */
static inline void cm_talk(struct cm_pair *p)
{
	struct cm_side *sides[] = { &p->c, &p->s };

	for (int i = 0; i < 2; i++) {
		struct cm_side *from = sides[i], *to = sides[!i];

		memset(to->buf, 0, CM_BUF);
		memset(from->buf, 0x51 + i, 100);
		cm_recv(to);
		assert_int_equal(rdma_post_send(from->id, NULL, from->buf, 100, from->mr, 0), 0);
		t_expect(from->cq, IBV_WC_SUCCESS);
		t_expect(to->cq, IBV_WC_SUCCESS);
		assert_memory_equal(to->buf, from->buf, 100);
	}
}

#endif
