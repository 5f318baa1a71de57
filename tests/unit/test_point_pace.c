/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * point/point_connect: what the peer and the user hear while many QPs are made, and when. What time
 * it is is set by hand.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "wire/proto.h"
#include "point/point.h"
#include "util/err.h"

#define MS UINT64_C(1000000)
#define THREADS 2u
#define QPS 3u
#define PATIENCE_MS 100000u

static struct {
	struct ctl own, theirs;
	struct ctl *list[1];
	struct peers peers;
	struct plan plan;
	struct session_host host;
	struct point_in in;
	struct point_thread threads[THREADS];
	struct point_state state;
	struct event_making told;
	uint32_t n_told, alive;
} f;

static int take(void *arg, const struct event *event)
{
	assert_ptr_equal(arg, &f);
	assert_int_equal(event->kind, EVENT_MAKING);
	f.told = *event->making;
	f.n_told++;
	return 0;
}

static void count_alive(void *arg)
{
	(void)arg;
	f.alive++;
}

static int open_side(void **state)
{
	const struct ctl closed = CTL_CLOSED;
	int fds[2];

	(void)state;
	memset(&f, 0, sizeof(f));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	f.own = f.theirs = closed;
	f.own.fd = fds[0];
	f.own.alive = count_alive;
	f.theirs.fd = fds[1];
	f.list[0] = &f.own;
	f.peers = (struct peers){ .ctl = f.list, .n = 1 };
	f.plan = (struct plan){ .work = { .kind = { .tp = TP_RC, .op = OP_SEND }, .qps = QPS,
					  .threads = THREADS },
				.stall_timeout_ms = 60000 };
	f.host = (struct session_host){ .events = { take, &f } };
	f.in = (struct point_in){ .peers = &f.peers, .plan = &f.plan, .host = &f.host,
				  .side = SIDE_CLIENT };
	f.state = (struct point_state){ .in = &f.in, .threads = f.threads };
	return 0;
}

static int close_side(void **state)
{
	(void)state;
	ctl_close(&f.own);
	ctl_close(&f.theirs);
	return 0;
}

static void begin(enum point_making what)
{
	point_making_begin(&f.state, what);
}

/* One more QP, when the interval is over or not. */
static int tick(bool due)
{
	f.state.next_tick_ns = due ? 0 : UINT64_MAX;
	return f.state.pace.tick(f.state.pace.arg);
}

static uint32_t heartbeats(void)
{
	json_t *msg;
	uint32_t n = 0;
	int rc;

	while ((rc = ctl_try_recv(&f.theirs, &msg)) > 0) {
		assert_string_equal(json_string_value(json_object_get(msg, "type")), "heartbeat");
		json_decref(msg);
		n++;
	}
	assert_true(rc == 0 || rc == -ECONNRESET);
	return n;
}

static void assert_next_in(uint64_t interval_ns, uint64_t since_ns)
{
	assert_in_range(f.state.next_tick_ns, since_ns + interval_ns, clock_ns() + interval_ns);
}

/* Twice a second, or four times while the peer waits for one. */
static void an_interval_is_over_before_anything_is_told(void **state)
{
	uint64_t since_ns = clock_ns();

	(void)state;
	begin(POINT_MAKING_MADE);
	assert_next_in(500 * MS, since_ns);
	assert_int_equal(tick(false), 0);
	assert_int_equal(f.n_told + f.alive + heartbeats(), 0);
	since_ns = clock_ns();
	assert_int_equal(tick(true), 0);
	assert_next_in(500 * MS, since_ns);
	f.plan.stall_timeout_ms = 400;
	since_ns = clock_ns();
	begin(POINT_MAKING_MADE);
	assert_next_in(100 * MS, since_ns);
}

static void peer_and_user_are_told(void **state)
{
	(void)state;
	begin(POINT_MAKING_MADE);
	point_making_peer(&f.state);
	assert_int_equal(f.n_told, 0); /* it took no time */
	assert_int_equal(tick(false), 0);
	assert_int_equal(tick(true), 0);
	assert_int_equal(heartbeats(), 1);
	assert_int_equal(f.alive, 1);
	assert_int_equal(f.n_told, 1);
	assert_string_equal(f.told.what, "made");
	assert_int_equal(f.told.done, 2);
	assert_int_equal(f.told.of, THREADS * QPS);
	point_making_peer(&f.state);
	assert_int_equal(f.n_told, 2);
	assert_null(f.told.what);
	assert_int_equal(f.told.of, THREADS * QPS);
	/* nobody wants to know */
	f.host.events.take = NULL;
	assert_int_equal(tick(true), 0);
	point_making_peer(&f.state);
	assert_int_equal(heartbeats(), 1);
	assert_int_equal(f.n_told, 2);
}

/* Transports of two halves make each, and connect them together. */
static void what_is_counted(void **state)
{
	struct ibv_qp qp, *some[QPS] = { &qp, &qp };

	(void)state;
	begin(POINT_MAKING_CONNECTED);
	assert_int_equal(f.state.making.of, THREADS * QPS);
	f.plan.work.kind.tp = TP_XRC;
	begin(POINT_MAKING_MADE);
	assert_int_equal(f.state.making.of, 2 * THREADS * QPS);
	begin(POINT_MAKING_CONNECTED);
	assert_int_equal(f.state.making.of, THREADS * QPS);
	/* after an error, those that there are */
	f.threads[0].ep = f.threads[1].ep = (struct ep){ .qps = some, .n_qps = QPS };
	begin(POINT_MAKING_DESTROYED);
	assert_int_equal(f.state.making.of, THREADS * 2);
	f.state.threads = NULL;
	begin(POINT_MAKING_DESTROYED);
	assert_int_equal(f.state.making.of, 0);
}

static void who_gets_no_heartbeat(void **state)
{
	(void)state;
	begin(POINT_MAKING_MADE);
	f.state.failed = true; /* it has heard why */
	assert_int_equal(tick(true), 0);
	f.state.failed = false;
	snprintf(f.plan.path.mcast, sizeof(f.plan.path.mcast), "239.1.2.3");
	assert_int_equal(tick(true), 0);
	f.plan.path.mcast[0] = '\0';
	assert_int_equal(heartbeats(), 0);
	assert_int_equal(f.n_told, 2);
	/* one that has gone: its last message is still to be read */
	assert_int_equal(ctl_send(&f.theirs, proto_plain("bye"), PATIENCE_MS), 0);
	ctl_close(&f.theirs);
	assert_int_equal(tick(true), 0);
}

static void the_user_stops_it_but_not_the_end(void **state)
{
	(void)state;
	f.own.signals_fd = eventfd(1, 0);
	begin(POINT_MAKING_MADE);
	assert_int_equal(tick(true), -EINTR);
	assert_string_equal(err_text(), "interrupted: 1 of 6 queue pairs were made");
	assert_int_equal(heartbeats(), 0);
	begin(POINT_MAKING_DESTROYED);
	assert_int_equal(tick(true), 0);
	assert_int_equal(heartbeats(), 1);
	close(f.own.signals_fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_side, close_side)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_interval_is_over_before_anything_is_told),
		TEST(peer_and_user_are_told),
		TEST(what_is_counted),
		TEST(who_gets_no_heartbeat),
		TEST(the_user_stops_it_but_not_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
