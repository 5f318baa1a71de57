/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Connections by rdma_cm over a librdmacm in memory, which gives the events of each test: the right
 * sequence, every other event in every state, rejects, silence, foreign requests. Each event must
 * be acknowledged once, and each id destroyed once.
 */
#include "config.h"

#include "cm_memory.h"

/* ---- the client */

static void client_connects(void **state)
{
	(void)state;
	open_side(SIDE_CLIENT, TP_RC);
	start();
	push_all(RDMA_CM_EVENT_ADDR_RESOLVED);
	push_all(RDMA_CM_EVENT_ROUTE_RESOLVED);
	push_all(RDMA_CM_EVENT_CONNECT_RESPONSE);
	assert_int_equal(go_on(), 1);
	assert_int_equal(fake.established, 4);
	assert_int_equal(fake.acked, 12);
	/* the last request names thread 1, QP 1, and the server's token */
	assert_int_equal(ntohl(fake.request.magic), CM_LINKS_MAGIC);
	assert_int_equal(ntohl(fake.request.thread), 1);
	assert_int_equal(ntohl(fake.request.qp), 1);
	assert_int_equal(ntohl(fake.request.token_high), 0xab);
	assert_int_equal(ntohl(fake.request.token_low), 0xcdef0123);
	assert_int_equal(fake.param.qp_num, 103);
	assert_int_equal(fake.param.rnr_retry_count, 5);
	/* the peer by rdma_cm, the timers by the plan */
	assert_int_equal(fake.rtr.dest_qp_num, 77);
	assert_int_equal(fake.rtr.rq_psn, 55);
	assert_int_equal(fake.rtr.path_mtu, IBV_MTU_1024);
	assert_int_equal(fake.rtr.min_rnr_timer, 12);
	assert_int_equal(fake.rts.sq_psn, 66);
	assert_int_equal(fake.rts.timeout, 14);
	assert_int_equal(fake.rts.retry_cnt, 6);
	assert_int_equal(fake.rts.rnr_retry, 5);
	cm_links_disconnect(&side->links);
	assert_int_equal(fake.disconnects, 4);
	assert_int_equal(fake.acked, 16);
	close_side();
}

static void reads_ask_for_what_the_plan_has(void **state)
{
	(void)state;
	open_side(SIDE_CLIENT, TP_RC);
	side->plan.work.kind.op = OP_READ;
	side->plan.work.outstanding = 9;
	start();
	push_all(RDMA_CM_EVENT_ADDR_RESOLVED);
	push_all(RDMA_CM_EVENT_ROUTE_RESOLVED);
	push_all(RDMA_CM_EVENT_CONNECT_RESPONSE);
	assert_int_equal(go_on(), 1);
	assert_int_equal(fake.param.responder_resources, 9);
	assert_int_equal(fake.param.initiator_depth, 9);
	assert_int_equal(fake.rtr.max_dest_rd_atomic, 9);
	assert_int_equal(fake.rts.max_rd_atomic, 9);
	close_side();
}

/* The QP's address, number and Q_Key are those that were looked up; one AH for a thread. */
static void datagrams_are_looked_up(void **state)
{
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ESTABLISHED };

	(void)state;
	open_side(SIDE_CLIENT, TP_UD);
	start();
	assert_int_equal(fake.last->ps, RDMA_PS_UDP);
	push_all(RDMA_CM_EVENT_ADDR_RESOLVED);
	push_all(RDMA_CM_EVENT_ROUTE_RESOLVED);
	event.param.ud.qkey = 0x1234567;
	event.param.ud.ah_attr.is_global = 1;
	event.param.ud.ah_attr.grh.sgid_index = 3;
	for (uint32_t i = 0; i < side->links.n; i++) {
		event.param.ud.qp_num = 500 + i;
		push(side->links.links[i].id, event);
	}
	assert_int_equal(go_on(), 1);
	assert_int_equal(fake.ahs, THREADS);
	assert_int_equal(side->peers[1].qkey, 0x1234567);
	assert_int_equal(side->ids[3].qpn, 503);
	assert_int_equal(fake.rtr.qp_state, 0); /* not moved here */
	close_side();
}

/* What is expected in a state; -1: nothing else is. */
static bool expected(int state, int type)
{
	return (state == 0 && type == RDMA_CM_EVENT_ADDR_RESOLVED) ||
	       (state == 1 && type == RDMA_CM_EVENT_ROUTE_RESOLVED) ||
	       (state == 2 && (type == RDMA_CM_EVENT_CONNECT_RESPONSE ||
			       type == RDMA_CM_EVENT_ESTABLISHED));
}

/* Every event in every state, and with a status: it ends the session, by its name and status. */
static void unexpected_events_are_named(void **state)
{
	static const enum rdma_cm_event_type before[] = { RDMA_CM_EVENT_ADDR_RESOLVED,
							   RDMA_CM_EVENT_ROUTE_RESOLVED };

	(void)state;
	for (int at = 0; at < 3; at++) {
		for (int type = 0; type <= RDMA_CM_EVENT_TIMEWAIT_EXIT; type++) {
			int status = expected(at, type) ? -EIO : 0;

			open_side(SIDE_CLIENT, TP_RC);
			start();
			for (int i = 0; i < at; i++)
				push_type(side->links.links[0].id, before[i], 0);
			push_type(side->links.links[0].id, type, status);
			assert_true(go_on() < 0);
			assert_non_null(strstr(err_text(), rdma_event_str(type)));
			assert_non_null(strstr(err_text(), status ? "status -5" : "status 0"));
			assert_non_null(strstr(err_text(), "QP 0 of thread 0 to 10.0.0.2 port 4711"));
			assert_int_equal(fake.acked, at + 1);
			close_side();
		}
	}
}

static void a_reject_shows_the_reason(void **state)
{
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_REJECTED, .status = 28 };

	(void)state;
	open_side(SIDE_CLIENT, TP_RC);
	start();
	push_type(side->links.links[0].id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	push_type(side->links.links[0].id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	event.param.conn.private_data = "verbench: unknown token";
	event.param.conn.private_data_len = 24;
	push(side->links.links[0].id, event);
	assert_int_equal(go_on(), -ECONNREFUSED);
	assert_non_null(strstr(err_text(), "it says: verbench: unknown token"));
	close_side();
}

static void silence_ends_at_the_deadline(void **state)
{
	(void)state;
	open_side(SIDE_CLIENT, TP_RC);
	start();
	push_all(RDMA_CM_EVENT_ADDR_RESOLVED);
	push_all(RDMA_CM_EVENT_ROUTE_RESOLVED);
	go_on_to_end();
	assert_non_null(strstr(err_text(), "the peer does not answer; 0 of 4 queue pairs"));
	close_side();
}

/* A server with one UD QP for all: a link for each QP of the plan would lie beyond its QPs. */
static void sides_with_other_counts_are_refused(void **state)
{
	struct cm_links links;

	(void)state;
	open_side(SIDE_SERVER, TP_UD);
	side->plan.work.kind.sharing = SHARING_ONE_QP;
	assert_int_equal(cm_links_open(&links, &side->plan, &side->dev, SIDE_SERVER), -EINVAL);
	assert_non_null(strstr(err_text(), "the server has 1 queue pairs per thread and its peer 2"));
	cm_links_close(&links);
	side->plan.work.kind.sharing = SHARING_NONE;
	close_side();
}

static void another_device_is_refused(void **state)
{
	(void)state;
	open_side(SIDE_CLIENT, TP_RC);
	start();
	side->links.links[0].id->port_num = 2;
	push_type(side->links.links[0].id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_int_equal(go_on(), -ENODEV);
	assert_non_null(strstr(err_text(), "rdma_cm finds dev0 port 2 for address 10.0.0.1"));
	close_side();
}

static void another_gid_is_refused(void **state)
{
	(void)state;
	open_side(SIDE_CLIENT, TP_RC);
	start();
	fake.sgid_index = 1;
	push_all(RDMA_CM_EVENT_ADDR_RESOLVED);
	push_all(RDMA_CM_EVENT_ROUTE_RESOLVED);
	push_all(RDMA_CM_EVENT_CONNECT_RESPONSE);
	assert_int_equal(go_on(), -ENODEV);
	assert_non_null(strstr(err_text(), "rdma_cm takes GID index 1 of dev0, the plan has 3"));
	close_side();
}

/* Something else has come: the caller looks at it, and goes on. */
static void a_readable_fd_ends_the_wait(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	open_side(SIDE_CLIENT, TP_RC);
	side->wait.fds[1] = fds[0];
	assert_int_equal(go_on(), 0);
	side->wait.fds[1] = -1;
	push_all(RDMA_CM_EVENT_ADDR_RESOLVED);
	push_all(RDMA_CM_EVENT_ROUTE_RESOLVED);
	push_all(RDMA_CM_EVENT_CONNECT_RESPONSE);
	assert_int_equal(go_on(), 1);
	close(fds[0]);
	close(fds[1]);
	close_side();
}

static void addresses_of_the_peer_are_checked(void **state)
{
	(void)state;
	open_side(SIDE_CLIENT, TP_RC);
	strcpy(side->peers[0].cm_address, "node2");
	assert_int_equal(go_on(), -EBADMSG);
	strcpy(side->peers[0].cm_address, "10.0.0.2");
	side->peers[0].cm_port = 0;
	assert_int_equal(go_on(), -EBADMSG);
	close_side();
}

static void any_event_ends_the_test(void **state)
{
	(void)state;
	open_side(SIDE_CLIENT, TP_RC);
	assert_int_equal(cm_links_check(&side->links), 0);
	start();
	push_type(side->links.links[0].id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	assert_int_equal(cm_links_check(&side->links), -ENODEV);
	assert_non_null(strstr(err_text(), "RDMA_CM_EVENT_DEVICE_REMOVAL"));
	close_side();
}

/* ---- the server */

static struct rdma_cm_id *ask(uint32_t thread, uint32_t qp, uint64_t token, uint8_t len)
{
	static struct cm_links_request requests[MAX];
	struct cm_links_request *r = &requests[fake.n];
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_CONNECT_REQUEST,
				       .listen_id = side->links.local.bound };
	struct rdma_cm_id *id;

	*r = (struct cm_links_request){ .magic = htonl(CM_LINKS_MAGIC), .thread = htonl(thread),
					.qp = htonl(qp),
					.token_high = htonl((uint32_t)(token >> 32)),
					.token_low = htonl((uint32_t)token) };
	rdma_create_id(&fake.channel, &id, NULL, RDMA_PS_TCP);
	event.param.conn.private_data = r;
	event.param.conn.private_data_len = len;
	push(id, event);
	return id;
}

static void server_accepts(void **state)
{
	struct ep_addr own = { .n_qps = 0 };

	(void)state;
	open_side(SIDE_SERVER, TP_RC);
	cm_local_publish(&side->links.local, &own);
	assert_string_equal(own.cm_address, "10.0.0.1");
	assert_int_equal(own.cm_port, 4711);
	assert_true(own.cm_token == side->links.local.token && own.cm_token);
	/* in any order; the CM pads the private data */
	for (uint32_t i = 4; i-- > 0;) {
		struct rdma_cm_id *id = ask(i / 2, i % 2, own.cm_token, sizeof(fake.request));

		push_type(id, RDMA_CM_EVENT_ESTABLISHED, 0);
	}
	assert_int_equal(go_on(), 1);
	assert_int_equal(fake.accepted, 4);
	assert_int_equal(fake.param.qp_num, 100);
	assert_int_equal(fake.rtr.min_rnr_timer, 12);
	close_side();
}

/* Requests of others are rejected with the reason, and the run goes on. */
static void foreign_requests_are_rejected(void **state)
{
	const struct {
		uint32_t thread, qp;
		uint64_t wrong;
		uint8_t len;
		const char *reason;
	} cases[] = {
		{ 0, 0, 1, sizeof(fake.request), "verbench: unknown token" },
		{ 0, 2, 0, sizeof(fake.request), "verbench: the plan has no such thread and QP" },
		{ 2, 0, 0, sizeof(fake.request), "verbench: the plan has no such thread and QP" },
		{ 0, 0, 0, 4, "verbench: this is not a request of verbench" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_side(SIDE_SERVER, TP_RC);
		ask(cases[i].thread, cases[i].qp, side->links.local.token ^ cases[i].wrong,
		    cases[i].len);
		go_on_to_end();
		assert_non_null(strstr(err_text(), "nothing has come from the peer"));
		assert_ptr_equal(strstr(fake.rejected, cases[i].reason), fake.rejected);
		assert_int_equal(fake.ids, 1); /* the listener */
		close_side();
	}
}

static void a_second_request_for_a_qp_is_rejected(void **state)
{
	(void)state;
	open_side(SIDE_SERVER, TP_RC);
	ask(0, 1, side->links.local.token, sizeof(fake.request));
	ask(0, 1, side->links.local.token, sizeof(fake.request));
	go_on_to_end();
	assert_string_equal(fake.rejected, "verbench: this QP is connected already");
	assert_int_equal(fake.accepted, 1);
	close_side();
}

/* A datagram service answers: there is nothing to wait for after that. */
static void datagrams_are_answered(void **state)
{
	(void)state;
	open_side(SIDE_SERVER, TP_UD);
	for (uint32_t i = 0; i < 4; i++)
		ask(i / 2, i % 2, side->links.local.token, sizeof(fake.request));
	assert_int_equal(go_on(), 1);
	assert_int_equal(fake.accepted, 4);
	cm_links_disconnect(&side->links);
	assert_int_equal(fake.disconnects, 0);
	close_side();
}

/* Of the listener and of an accepted id: everything but what is expected there. */
static void unexpected_events_of_a_server_are_named(void **state)
{
	(void)state;
	for (int type = 0; type <= RDMA_CM_EVENT_TIMEWAIT_EXIT; type++) {
		for (int accepted = 0; accepted < 2; accepted++) {
			int status = type == RDMA_CM_EVENT_ESTABLISHED ||
				     type == RDMA_CM_EVENT_CONNECT_REQUEST ? -EIO : 0;
			struct rdma_cm_id *id;

			open_side(SIDE_SERVER, TP_RC);
			id = accepted ? ask(0, 0, side->links.local.token, sizeof(fake.request)) :
					side->links.local.bound;
			push_type(id, type, status);
			assert_true(go_on() < 0);
			assert_non_null(strstr(err_text(), rdma_event_str(type)));
			close_side();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(client_connects),
		cmocka_unit_test(reads_ask_for_what_the_plan_has),
		cmocka_unit_test(datagrams_are_looked_up),
		cmocka_unit_test(unexpected_events_are_named),
		cmocka_unit_test(a_reject_shows_the_reason),
		cmocka_unit_test(silence_ends_at_the_deadline),
		cmocka_unit_test(sides_with_other_counts_are_refused),
		cmocka_unit_test(another_device_is_refused),
		cmocka_unit_test(another_gid_is_refused),
		cmocka_unit_test(a_readable_fd_ends_the_wait),
		cmocka_unit_test(addresses_of_the_peer_are_checked),
		cmocka_unit_test(any_event_ends_the_test),
		cmocka_unit_test(server_accepts),
		cmocka_unit_test(foreign_requests_are_rejected),
		cmocka_unit_test(a_second_request_for_a_qp_is_rejected),
		cmocka_unit_test(datagrams_are_answered),
		cmocka_unit_test(unexpected_events_of_a_server_are_named),
	};

	clock_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
