/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * point/monitor of a side that has no loop and two peers: silence, what they may not say, a stop
 * that all hear of, events of the device. The peers are sockets; they speak when the monitor waits.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
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
#include "point/monitor.h"
#include "util/err.h"

#define PEERS 2u
#define PATIENCE_MS 100000u
#define SHORT_MS 300u

static struct {
	struct ctl ctls[PEERS], theirs[PEERS];
	struct ctl *list[PEERS];
	struct peers peers;
	struct plan plan;
	struct point point;
	struct dev dev;
	struct ibv_context ctx;
	struct workers workers;
	struct disturb disturb;
	struct cm_links cm;
	struct session_host host;
	struct monitor monitor;
	void (*waits)(uint32_t n); /* the monitor waits for its peers, the nth time */
	uint32_t n_waits;
	enum ibv_event_type event;
} f;

/* In place of the C library's: of the monitor's own calls, which have all connections. */
int poll(struct pollfd *fds, nfds_t n, int ms)
{
	const struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	if (f.waits && n > PEERS)
		f.waits(f.n_waits++);
	return ppoll(fds, n, ms < 0 ? NULL : &wait, NULL);
}

int ibv_get_async_event(struct ibv_context *ctx, struct ibv_async_event *event)
{
	uint64_t one;

	*event = (struct ibv_async_event){ .event_type = f.event };
	return read(ctx->async_fd, &one, sizeof(one)) == sizeof(one) ? 0 : -1;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
}

static void say(uint32_t peer, const char *type)
{
	assert_int_equal(ctl_send(&f.theirs[peer], proto_plain(type), PATIENCE_MS), 0);
}

static int open_side(void **state)
{
	const struct ctl closed = CTL_CLOSED;

	(void)state;
	memset(&f, 0, sizeof(f));
	for (uint32_t i = 0; i < PEERS; i++) {
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
		f.ctls[i] = f.theirs[i] = closed;
		f.ctls[i].fd = fds[0];
		f.theirs[i].fd = fds[1];
		snprintf(f.ctls[i].peer, sizeof(f.ctls[i].peer), "node%u", i + 2);
		f.list[i] = &f.ctls[i];
	}
	f.peers = (struct peers){ .ctl = f.list, .n = PEERS };
	f.plan = (struct plan){ .work = { .kind = { .tp = TP_RC, .op = OP_WRITE }, .qps = 1,
					  .threads = 1 },
				.path.migrate_after = UINT32_MAX,
				.stall_timeout_ms = PATIENCE_MS };
	f.point = (struct point){ .size_bytes = 64, .server_size_bytes = 64, .messages = 10 };
	f.ctx.async_fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
	f.dev.ctx = &f.ctx;
	snprintf(f.dev.limits.device, sizeof(f.dev.limits.device), "dev0");
	f.monitor = (struct monitor){ .to = &f.peers, .dev = &f.dev, .cm = &f.cm, .plan = &f.plan,
				      .point = &f.point, .side = SIDE_SERVER,
				      .disturb = &f.disturb, .workers = &f.workers,
				      .peer_initiates = true, .host = &f.host };
	return 0;
}

static int close_side(void **state)
{
	(void)state;
	monitor_close(&f.monitor);
	close(f.ctx.async_fd);
	for (uint32_t i = 0; i < PEERS; i++) {
		ctl_close(&f.ctls[i]);
		ctl_close(&f.theirs[i]);
	}
	return 0;
}

static void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

/* The messages of a peer so far. */
static uint32_t heard(uint32_t peer, const char *type)
{
	json_t *msg;
	uint32_t n = 0;

	while (ctl_try_recv(&f.theirs[peer], &msg) > 0) {
		n += !strcmp(json_string_value(json_object_get(msg, "type")), type);
		json_decref(msg);
	}
	return n;
}

static void the_first_lives(uint32_t n)
{
	(void)n;
	say(0, "heartbeat");
}

static void the_second_lives(uint32_t n)
{
	(void)n;
	say(1, "heartbeat");
}

static void who_is_silent_is_named(void **state)
{
	static void (*const lives[PEERS])(uint32_t) = { the_second_lives, the_first_lives };
	static const char *const silent[PEERS] = { "node2", "node3" };

	(void)state;
	f.plan.stall_timeout_ms = SHORT_MS;
	for (uint32_t i = 0; i < PEERS; i++) {
		struct monitor m = f.monitor;
		char text[64];

		f.waits = lives[i];
		snprintf(text, sizeof(text), "no message from the peer %s for 300 ms", silent[i]);
		assert_int_equal(monitor_point(&m), -ETIMEDOUT);
		assert_says(text);
		/* they know that this side lives */
		assert_true(heard(0, "heartbeat") > 0);
		assert_true(heard(1, "heartbeat") > 0);
		monitor_close(&m);
	}
}

static void the_first_has_sent(uint32_t n)
{
	(void)n;
	assert_int_equal(ctl_send(&f.theirs[0], json_pack("{s:s,s:i,s:[i]}", "type", "sent",
							  "sent", 10, "per_qp", 10),
				  PATIENCE_MS), 0);
	f.waits = NULL;
}

static void the_end_of_the_peer_is_the_end(void **state)
{
	(void)state;
	f.waits = the_first_has_sent;
	assert_int_equal(monitor_point(&f.monitor), 0);
	assert_int_equal(f.monitor.peer_sent[0], 10);
	assert_false(f.monitor.interrupted);
}

static void the_second_says_too_much(uint32_t n)
{
	(void)n;
	say(1, "go");
	f.waits = NULL;
}

static void who_says_something_else_is_named(void **state)
{
	(void)state;
	f.waits = the_second_says_too_much;
	assert_int_equal(monitor_point(&f.monitor), -EBADMSG);
	assert_says("the peer node3 sent 'go' while a point was running");
}

static void the_second_stops(uint32_t n)
{
	if (n == 0)
		say(1, "stop");
	else
		the_first_has_sent(n);
}

/* A stop of one is told to the others, not to itself. */
static void a_stop_is_passed_on(void **state)
{
	(void)state;
	f.waits = the_second_stops;
	assert_int_equal(monitor_point(&f.monitor), 0);
	assert_true(f.monitor.interrupted);
	assert_string_equal(f.monitor.interruption, "interrupted by the peer");
	assert_int_equal(heard(0, "stop"), 1);
	assert_int_equal(heard(1, "stop"), 0);
}

/* The first has sent all, and does not read any more. */
static void the_second_stops_and_the_first_is_deaf(uint32_t n)
{
	uint8_t bytes[4096] = { 0 };

	while (send(f.ctls[0].fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	the_first_has_sent(n);
	say(1, "stop");
}

static void who_cannot_be_told_of_a_stop_is_named(void **state)
{
	(void)state;
	f.plan.stall_timeout_ms = SHORT_MS;
	f.waits = the_second_stops_and_the_first_is_deaf;
	assert_int_equal(monitor_point(&f.monitor), -ETIMEDOUT);
	assert_says("the peer node2 takes no more data");
	assert_true(f.monitor.interrupted);
}

static void the_user_stops(uint32_t n)
{
	if (n)
		the_first_has_sent(n);
}

static void a_stop_of_the_user_is_told_to_all(void **state)
{
	const int fd = eventfd(1, 0);

	(void)state;
	f.ctls[0].signals_fd = fd;
	f.waits = the_user_stops;
	assert_int_equal(monitor_point(&f.monitor), 0);
	assert_string_equal(f.monitor.interruption, "interrupted on the server");
	assert_int_equal(heard(0, "stop"), 1);
	assert_int_equal(heard(1, "stop"), 1);
	assert_int_equal(f.ctls[0].signals_fd, -1); /* results are still exchanged */
	close(fd);
}

static void the_device_fails(uint32_t n)
{
	const uint64_t one = 1;

	(void)n;
	assert_int_equal(write(f.ctx.async_fd, &one, sizeof(one)), sizeof(one));
	f.waits = NULL;
}

static void a_serious_event_ends_the_point(void **state)
{
	(void)state;
	f.event = IBV_EVENT_DEVICE_FATAL;
	f.waits = the_device_fails;
	assert_int_equal(monitor_point(&f.monitor), -EIO);
	assert_says("event of device dev0 on the server: ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_side, close_side)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_is_silent_is_named),
		TEST(the_end_of_the_peer_is_the_end),
		TEST(who_says_something_else_is_named),
		TEST(a_stop_is_passed_on),
		TEST(who_cannot_be_told_of_a_stop_is_named),
		TEST(a_stop_of_the_user_is_told_to_all),
		TEST(a_serious_event_ends_the_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
