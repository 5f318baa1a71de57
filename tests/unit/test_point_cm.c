/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * point/point_connect: QPs that are connected by rdma_cm in memory, while messages of the peer
 * come. What happens happens when the side waits for it.
 */
#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "wire/proto.h"
#include "point/point.h"
#include "cm_memory.h"

#define PATIENCE_MS 100000u

static struct {
	struct ctl own, theirs;
	struct ctl *list[1];
	struct peers peers;
	struct point point;
	struct point_in in;
	struct point_thread threads[THREADS];
	struct point_state state;
	const char *says[4]; /* by the peer, each time that this side waits; then it is connected */
	uint32_t waits;
	bool ready;
} f;

static void connect_all(void)
{
	push_all(RDMA_CM_EVENT_ADDR_RESOLVED);
	push_all(RDMA_CM_EVENT_ROUTE_RESOLVED);
	push_all(RDMA_CM_EVENT_CONNECT_RESPONSE);
}

/* In place of the C library's: of those who wait for rdma_cm and have time. */
int poll(struct pollfd *fds, nfds_t n, int ms)
{
	const struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	if (n == 3 && ms > 0 && f.waits <= 4) {
		const char *says = f.waits < 4 ? f.says[f.waits] : NULL;

		f.waits = says ? f.waits + 1 : 5;
		if (says)
			assert_int_equal(ctl_send(&f.theirs, proto_plain(says), PATIENCE_MS), 0);
		else
			connect_all();
	}
	return ppoll(fds, n, ms < 0 ? NULL : &wait, NULL);
}

static void open_point(enum side which)
{
	const struct ctl closed = CTL_CLOSED;
	int fds[2];

	memset(&f, 0, sizeof(f));
	open_side(SIDE_CLIENT, TP_RC);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	f.own = f.theirs = closed;
	f.own.fd = fds[0];
	f.theirs.fd = fds[1];
	snprintf(f.own.peer, sizeof(f.own.peer), "node2");
	f.list[0] = &f.own;
	f.peers = (struct peers){ .ctl = f.list, .n = 1 };
	f.point = (struct point){ .size_bytes = 64, .server_size_bytes = 64 };
	side->plan.stall_timeout_ms = 1000;
	side->plan.work.depth = side->plan.work.post_list = side->plan.work.signal_interval = 1;
	f.in = (struct point_in){ .peers = &f.peers, .dev = &side->dev, .plan = &side->plan,
				  .point = &f.point, .side = which };
	f.state = (struct point_state){ .in = &f.in, .threads = f.threads, .cm = side->links };
}

static void close_point(void)
{
	side->links = f.state.cm;
	close_side();
	ctl_close(&f.own);
	ctl_close(&f.theirs);
}

static void assert_ends(int rc, const char *text)
{
	assert_int_equal(point_cm_connect(&f.state, &f.ready), rc);
	if (rc && !strstr(err_text(), text))
		fail_msg("\"%s\" is not in \"%s\"", text, err_text());
	close_point();
}

static void heartbeats_may_come_meanwhile(void **state)
{
	(void)state;
	open_point(SIDE_CLIENT);
	f.says[0] = f.says[1] = "heartbeat";
	assert_ends(0, NULL);
	assert_false(f.ready);
	assert_int_equal(fake.established, THREADS * QPS);
}

/* It takes another way than the last message of rdma_cm. */
static void the_client_may_be_ready_before_the_server(void **state)
{
	(void)state;
	open_point(SIDE_SERVER);
	f.says[0] = "ready";
	f.says[1] = "heartbeat";
	assert_ends(0, NULL);
	assert_true(f.ready);
}

static void what_may_not_come_meanwhile(void **state)
{
	static const char text[] = "' while connecting to the peer by rdma_cm";

	(void)state;
	open_point(SIDE_SERVER);
	f.says[0] = f.says[1] = "ready";
	assert_ends(-EBADMSG, text);
	open_point(SIDE_CLIENT);
	f.says[0] = "ready";
	assert_ends(-EBADMSG, text);
	assert_false(f.ready);
	open_point(SIDE_SERVER);
	f.says[0] = "done";
	assert_ends(-EBADMSG, text);
}

static void the_user_stops_it(void **state)
{
	const int fd = eventfd(1, 0);

	(void)state;
	open_point(SIDE_CLIENT);
	f.own.signals_fd = fd;
	f.waits = 5; /* nothing happens */
	assert_ends(-EINTR, "interrupted while connecting to the peer by rdma_cm");
	close(fd);
}

/* Each thread has its QPs, and a server says where it listens. */
static void threads_are_given_to_rdma_cm(void **state)
{
	(void)state;
	for (int which = SIDE_CLIENT; which <= SIDE_SERVER; which++) {
		open_point((enum side)which);
		cm_links_close(&f.state.cm);
		for (uint32_t i = 0; i < THREADS; i++)
			f.threads[i].ep = side->eps[i];
		assert_int_equal(point_cm_open(&f.state), 0);
		for (uint32_t i = 0; i < THREADS; i++) {
			assert_ptr_equal(f.state.cm.pairs[i].ep, &f.threads[i].ep);
			assert_ptr_equal(f.state.cm.pairs[i].peer, &f.threads[i].peer);
			assert_int_equal(f.threads[i].ep.addr.cm_port,
					 which == SIDE_SERVER ? 4711 : 0);
		}
		close_point();
	}
}

static void a_plan_without_it_does_nothing(void **state)
{
	(void)state;
	open_point(SIDE_CLIENT);
	side->plan.path.connect = CONNECT_TCP;
	f.ready = true;
	assert_int_equal(point_cm_open(&f.state), 0);
	assert_ends(0, NULL);
	assert_int_equal(f.waits + fake.requests, 0);
	assert_false(f.ready);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heartbeats_may_come_meanwhile),
		cmocka_unit_test(the_client_may_be_ready_before_the_server),
		cmocka_unit_test(what_may_not_come_meanwhile),
		cmocka_unit_test(the_user_stops_it),
		cmocka_unit_test(threads_are_given_to_rdma_cm),
		cmocka_unit_test(a_plan_without_it_does_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
