/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The synchronous API of librdmacm: endpoints, in which each call waits for its events. The client
 * is a thread: it must not use the assertions of cmocka, so it returns the line that failed.
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>

#include "cm.h"

#define MSG 32

struct client {
	uint16_t port;
	bool rejected; /* what it expects */
	int line;      /* 0: all is well */
};

#define CHECK(condition) \
	do { \
		if (!(condition) && !c->line) \
			c->line = __LINE__; \
	} while (0)

static struct rdma_addrinfo *resolve(uint16_t port, int flags)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP, .ai_flags = flags }, *res;
	char service[8];

	snprintf(service, sizeof(service), "%u", port);
	return rdma_getaddrinfo(cm_address(), service, &hints, &res) ? NULL : res;
}

static struct ibv_qp_init_attr qp_attr(struct ibv_srq *srq)
{
	return (struct ibv_qp_init_attr) {
		.qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 }, .sq_sig_all = 1, .srq = srq,
	};
}

/* The connection with the private data "ask", a message to the server, one back, the end. */
static void talk(struct client *c, struct rdma_cm_id *id)
{
	struct rdma_conn_param param = { .private_data = "ask", .private_data_len = 4 };
	char out[MSG] = "to the server", in[MSG] = "";
	struct ibv_mr *mr_out = rdma_reg_msgs(id, out, MSG), *mr_in = rdma_reg_msgs(id, in, MSG);
	struct ibv_wc wc;
	int rc;

	CHECK(mr_out && mr_in);
	CHECK(!rdma_post_recv(id, NULL, in, MSG, mr_in));
	rc = rdma_connect(id, &param);
	CHECK(c->rejected ? rc == -1 && errno == ECONNREFUSED : rc == 0);
	if (c->rejected) {
		CHECK(id->event->event == RDMA_CM_EVENT_REJECTED);
		CHECK(!strcmp(id->event->param.conn.private_data, "no room"));
	} else if (!c->line) {
		CHECK(id->event->event == RDMA_CM_EVENT_ESTABLISHED);
		CHECK(!rdma_post_send(id, NULL, out, MSG, mr_out, 0));
		CHECK(rdma_get_send_comp(id, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
		CHECK(rdma_get_recv_comp(id, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
		CHECK(!strcmp(in, "to the client"));
		CHECK(!rdma_disconnect(id));
	}
	rdma_dereg_mr(mr_out);
	rdma_dereg_mr(mr_in);
}

static void *run_client(void *arg)
{
	struct ibv_qp_init_attr attr = qp_attr(NULL);
	struct client *c = arg;
	struct rdma_addrinfo *res = resolve(c->port, 0);
	struct rdma_cm_id *id = NULL;

	CHECK(res && !rdma_create_ep(&id, res, NULL, &attr));
	if (res)
		rdma_freeaddrinfo(res);
	if (!id)
		return NULL;
	talk(c, id);
	rdma_destroy_ep(id);
	return NULL;
}

static struct rdma_cm_id *listen_ep(void)
{
	struct rdma_addrinfo *res = resolve(0, RAI_PASSIVE);
	struct rdma_cm_id *listener;

	assert_non_null(res);
	assert_int_equal(rdma_create_ep(&listener, res, NULL, NULL), 0);
	rdma_freeaddrinfo(res);
	assert_int_equal(rdma_listen(listener, 0), 0);
	return listener;
}

/* Waits for a request; no call of the synchronous API has a deadline. */
static struct rdma_cm_id *get_request(struct rdma_cm_id *listener)
{
	struct rdma_cm_id *id;

	assert_true(cm_readable(listener->channel, CM_WAIT_MS));
	assert_int_equal(rdma_get_request(listener, &id), 0);
	assert_string_equal(id->event->param.conn.private_data, "ask");
	return id;
}

static void end(struct client *c, pthread_t thread)
{
	pthread_join(thread, NULL);
	if (c->line)
		fail_msg("client, line %d", c->line);
}

/* The server takes the connection to a channel of its own before or after it has accepted. */
static void serve(bool srq, bool migrate)
{
	struct rdma_cm_id *listener = listen_ep(), *id;
	struct client c = { .port = ntohs(rdma_get_src_port(listener)) };
	struct rdma_event_channel *other = NULL;
	char out[MSG] = "to the client", in[MSG] = "";
	struct ibv_qp_init_attr attr;
	struct ibv_mr *mr_out, *mr_in;
	pthread_t thread;
	struct ibv_wc wc;

	assert_int_equal(pthread_create(&thread, NULL, run_client, &c), 0);
	id = get_request(listener);
	if (srq) {
		struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };

		assert_int_equal(rdma_create_srq(id, NULL, &init), 0);
	}
	attr = qp_attr(id->srq);
	assert_int_equal(rdma_create_qp(id, NULL, &attr), 0);
	mr_out = rdma_reg_msgs(id, out, MSG);
	mr_in = rdma_reg_msgs(id, in, MSG);
	assert_int_equal(rdma_post_recv(id, NULL, in, MSG, mr_in), 0);
	assert_int_equal(rdma_accept(id, NULL), 0);
	if (migrate) {
		other = rdma_create_event_channel();
		assert_int_equal(rdma_migrate_id(id, other), 0);
	}
	assert_int_equal(rdma_get_recv_comp(id, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_string_equal(in, "to the server");
	assert_int_equal(rdma_post_send(id, NULL, out, MSG, mr_out, 0), 0);
	assert_int_equal(rdma_get_send_comp(id, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	if (migrate)
		cm_expect(other, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(rdma_disconnect(id), 0);
	end(&c, thread);
	rdma_dereg_mr(mr_out);
	rdma_dereg_mr(mr_in);
	rdma_destroy_ep(id);
	rdma_destroy_ep(listener);
	if (other)
		rdma_destroy_event_channel(other);
}

static void test_endpoints(void **state)
{
	(void)state;
	serve(false, false);
}

static void test_srq(void **state)
{
	(void)state;
	serve(true, false);
}

static void test_migrate(void **state)
{
	(void)state;
	serve(false, true);
}

static void test_reject(void **state)
{
	struct rdma_cm_id *listener = listen_ep(), *id;
	struct client c = { .port = ntohs(rdma_get_src_port(listener)), .rejected = true };
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, run_client, &c), 0);
	id = get_request(listener);
	assert_int_equal(rdma_reject(id, "no room", 8), 0);
	end(&c, thread);
	rdma_destroy_ep(id);
	rdma_destroy_ep(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_endpoints),
		cmocka_unit_test(test_srq),
		cmocka_unit_test(test_migrate),
		cmocka_unit_test(test_reject),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
