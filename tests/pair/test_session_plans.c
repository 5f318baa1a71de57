/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Several plans in one session: rows of each on both sides, plans that are refused or not ok
 * between plans that are, and sessions that end between two plans.
 */
#include "config.h"
#include "agree/session.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "frame/results.h"
#include "pair.h"
#include "util/err.h"
#include "util/signals.h"
#include "verbs.h"

#define FAILED 1
#define STALL " --stall-timeout 900ms"

/* A session whose client is this thread. */
struct play {
	struct pair *pair;
	struct pair_thread *server;
	struct session *session;
	struct results results;
};

/* Plans are added to one CSV file; one JSON file holds one plan only. */
static void use_csv_only(struct pair *p)
{
	p->client.cfg.json = NULL;
	p->server.cfg.json = NULL;
}

static void begin(struct play *play, struct pair *p, const char *server)
{
	struct session_host host;

	*play = (struct play){ .pair = p, .results = { .cfg = &p->client.cfg } };
	host = results_host(&play->results);
	pair_args(p, "send_bw", server);
	use_csv_only(p);
	play->server = pair_start(p, SIDE_SERVER);
	if (session_open(&play->session, &p->client.cfg, &host))
		fail_msg("%s", err_text());
}

/* Runs one plan; the error message is in err_text(). */
static int try_plan(struct play *play, const char *args, enum session_end *end)
{
	const struct session_host host = results_host(&play->results);
	int rc;

	pair_client_args(play->pair, args);
	use_csv_only(play->pair);
	assert_int_equal(results_begin(&play->results), 0);
	rc = session_run(play->session, &play->pair->client.cfg, &host, end);
	results_end(&play->results);
	return rc;
}

static void run_ok(struct play *play, const char *args)
{
	enum session_end end;

	if (try_plan(play, args, &end))
		fail_msg("%s: %s", args, err_text());
	assert_int_equal(end, SESSION_MEASURED);
}

static void run_refused(struct play *play, const char *args, int rc, const char *reason)
{
	enum session_end end;

	assert_int_equal(try_plan(play, args, &end), rc);
	pair_assert_has(err_text(), reason);
	assert_int_equal(end, SESSION_REFUSED);
}

/* Ends the session; the server ends so, and both sides have so many rows. */
static void finish(struct play *play, enum session_end end, uint32_t rows)
{
	struct pair *p = play->pair;

	if (session_close(play->session))
		fail_msg("%s", err_text());
	pair_join(play->server);
	if (p->server.end != end || pair_rows(&p->client) != rows || pair_rows(&p->server) != rows)
		fail_msg("server %d, rows %u and %u; expected %d, %u\n%s", (int)p->server.end,
			 pair_rows(&p->client), pair_rows(&p->server), (int)end, rows, p->err);
	assert_int_equal(p->admitted, 1);
	assert_int_equal(verbs_open_objects(), 0);
}

static void check_row(const struct pair *p, uint32_t row, const char *test, const char *transport,
		      uint64_t messages)
{
	const struct pair_side *const sides[] = { &p->client, &p->server };

	for (int i = 0; i < 2; i++) {
		assert_string_equal(pair_cell(sides[i], row, "test"), test);
		assert_string_equal(pair_cell(sides[i], row, "transport"), transport);
		assert_string_equal(pair_cell(sides[i], row, "status"), "ok");
		assert_int_equal(pair_u64(sides[i], row, "messages"), messages);
	}
}

static void test_plans(void **state)
{
	struct pair *p = *state;
	struct play play;

	begin(&play, p, "");
	run_ok(&play, "send_bw -n 100 -s 64 -q 2 --verify");
	run_ok(&play, "write_lat -n 50 -s 8");
	run_ok(&play, "read_bw -a -n 2 -q 3 --verify");
	run_ok(&play, "send_bw -c UD -n 30 --threads 2 -e");
	run_ok(&play, "atomic_bw -n 40 -b");
	finish(&play, SESSION_MEASURED, 1 + 1 + 23 + 1 + 2);
	assert_int_equal(verbs_device(SIDE_CLIENT)->opened, 1);
	assert_int_equal(verbs_device(SIDE_SERVER)->opened, 1);
	check_row(p, 0, "send_bw", "RC", 200);
	assert_int_equal(pair_u64(&p->server, 0, "qps"), 2);
	check_row(p, 1, "write_lat", "RC", 50);
	for (uint32_t i = 0; i < 23; i++) {
		check_row(p, 2 + i, "read_bw", "RC", 6);
		assert_int_equal(pair_u64(&p->server, 2 + i, "size_bytes"), 2u << i);
	}
	check_row(p, 25, "send_bw", "UD", 60);
	assert_string_equal(pair_cell(&p->server, 25, "completion"), "event");
	check_row(p, 26, "atomic_bw", "RC", 40);
}

/* What a plan needs of the device is found anew, and a device with an event is opened again. */
static void test_device_between_plans(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT),
			    *server = verbs_device(SIDE_SERVER);
	const enum ibv_event_type event = IBV_EVENT_PORT_ERR;
	struct pair *p = *state;
	struct play play;

	server->max_inline_bytes = 60;
	begin(&play, p, "");
	run_ok(&play, "write_bw -n 10 -s 32");
	run_ok(&play, "send_lat -n 10 -s 32");
	run_refused(&play, "write_lat -n 10 -s 8 -I 61", -EINVAL, "-I (--inline) 61: pair1 of ");
	assert_int_equal(client->opened, 1);
	assert_int_equal(server->opened, 1);

	client->state = IBV_PORT_DOWN;
	assert_int_equal(try_plan(&play, "write_bw -n 10", &(enum session_end){ 0 }), -ENETDOWN);
	pair_assert_has(err_text(), "no active port of pair0");
	client->state = IBV_PORT_ACTIVE;
	finish(&play, SESSION_FAILED, 2);
	assert_int_equal(pair_u64(&p->client, 0, "inline_bytes"), 0);
	assert_int_equal(pair_u64(&p->client, 1, "inline_bytes"), 32);

	/* an event that comes between two plans is not an error of the next plan */
	client->opened = 0;
	begin(&play, p, "");
	run_ok(&play, "write_bw -n 10");
	assert_int_equal(write(client->async_fd, &event, sizeof(event)), sizeof(event));
	run_ok(&play, "write_bw -n 10");
	finish(&play, SESSION_MEASURED, 2);
	assert_int_equal(client->opened, 2);
}

/* Either side refuses; the session goes on, and its end is not "measured". */
static void test_refused_plans(void **state)
{
	struct pair *p = *state;
	struct play play;

	verbs_device(SIDE_SERVER)->mtu = IBV_MTU_1024;
	begin(&play, p, "");
	run_refused(&play, "write_bw -m 2048", -EINVAL, "-m (--mtu) 2048: the active MTU of pair1");
	run_ok(&play, "write_bw -m 1024 -n 10");
	run_refused(&play, "write_bw --peer-pin far", -EPERM,
		    "refuses: --peer-pin far: pair1 is not in the topology of the machine");
	run_refused(&play, "write_bw -d pair7", -EINVAL, "no RDMA device is called pair7");
	run_ok(&play, "send_lat -n 20");
	finish(&play, SESSION_REFUSED, 2);
	check_row(p, 0, "write_bw", "RC", 10);
	check_row(p, 1, "send_lat", "RC", 20);
	/* the server logs every refusal, its own and the client's */
	pair_assert_has(p->err, "refuses: -m (--mtu) 2048");
	pair_assert_has(p->err, "--peer-pin far");
	pair_assert_has(p->err, "refuses: no RDMA device is called pair7");
}

/* Wrong data is a result: both sides have it, and the next plan runs. */
static void test_plan_not_ok(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT);
	enum session_end end;
	struct pair *p = *state;
	struct play play;

	begin(&play, p, "");
	client->fault = (struct verbs_fault){ .what = VERBS_FLIP, .message = 99, .byte = 3 };
	assert_int_equal(try_plan(&play, "send_bw -n 100 -s 64 --verify", &end), 0);
	assert_int_equal(end, SESSION_FAILED);
	client->fault = (struct verbs_fault){ .what = VERBS_NO_FAULT };
	run_ok(&play, "send_bw -n 50 -s 64 --verify");
	finish(&play, SESSION_FAILED, 2);
	assert_string_equal(pair_cell(&p->client, 0, "status"), "failed");
	assert_string_equal(pair_cell(&p->server, 0, "status"), "failed");
	check_row(p, 1, "send_bw", "RC", 50);
}

/* An error ends the session: no further plan. */
static void test_plan_fails(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT);
	enum session_end end;
	struct pair *p = *state;
	struct play play;

	begin(&play, p, "");
	run_ok(&play, "write_bw -n 10");
	client->messages = 0;
	client->fault = (struct verbs_fault){ .what = VERBS_STATUS,
					      .message = 20,
					      .status = IBV_WC_RETRY_EXC_ERR };
	assert_int_equal(try_plan(&play, "write_bw -n 100", &end), -EIO);
	assert_int_equal(end, SESSION_FAILED);
	pair_assert_has(err_text(), "on the client, write of message 20 failed");
	assert_int_equal(try_plan(&play, "write_bw -n 10", &end), -ENOTCONN);
	assert_int_equal(end, SESSION_FAILED);
	finish(&play, SESSION_FAILED, 2);
	pair_assert_has(p->err, "reports: on the client, write of message 20 failed");
}

static void stop_client(void *arg)
{
	(void)arg;
	raise(SIGINT);
}

static void stop_server(void *arg)
{
	const uint64_t one = 1;
	struct pair *p = arg;

	if (write(p->signals_fd, &one, sizeof(one)) < 0)
		abort();
}

/* After a stop of either user no further plan is sent. */
static void test_stopped(void **state)
{
	void (*const stops[])(void *arg) = { stop_client, stop_server };
	struct verbs_device *client = verbs_device(SIDE_CLIENT);
	enum session_end end;
	struct pair *p = *state;
	struct play play;

	for (int i = 0; i < 2; i++) {
		begin(&play, p, "");
		client->messages = 0;
		client->fault = (struct verbs_fault){
			.what = VERBS_CALL, .message = 200, .call = stops[i], .arg = p
		};
		assert_int_equal(try_plan(&play, "write_bw -D 3600 -s 64", &end), 0);
		assert_int_equal(end, SESSION_FAILED);
		assert_int_equal(try_plan(&play, "write_bw -n 10", &end), -EINTR);
		assert_int_equal(end, SESSION_FAILED);
		finish(&play, SESSION_FAILED, 1);
		assert_string_equal(pair_cell(&p->server, 0, "status"), "interrupted");
		assert_int_equal(signals_init(), 0);
	}
}

/* ---- between two plans */

/* The server ends by itself, before the client sends anything. */
static void end_server(struct play *play, const char *reason)
{
	struct pair *p = play->pair;
	enum session_end end;
	int rc;

	pair_join(play->server);
	assert_int_equal(p->server.end, SESSION_FAILED);
	assert_int_equal(p->server.status, FAILED);
	pair_assert_has(p->err, reason);
	rc = try_plan(play, "write_bw -n 10", &end);
	/* -EINTR: the abort says that its user ended it */
	assert_true(rc == -ECONNABORTED || rc == -ECONNRESET || rc == -EINTR);
	assert_int_equal(end, SESSION_FAILED);
	assert_int_equal(session_close(play->session), 0);
	unlink(p->client.csv_path);
	assert_int_equal(verbs_open_objects(), 0);
}

static void test_client_gone(void **state)
{
	struct pair *p = *state;
	struct play play;

	begin(&play, p, "");
	run_ok(&play, "write_bw -n 10");
	shutdown(p->ctl.fd, SHUT_RDWR);
	end_server(&play, " is gone (");
	assert_int_equal(p->server.csv.n_rows, 1);

	begin(&play, p, "");
	run_refused(&play, "write_bw -d pair7", -EINVAL, "pair7");
	shutdown(p->ctl.fd, SHUT_RDWR);
	end_server(&play, " is gone (");
	assert_int_equal(p->server.csv.n_rows, 0);
}

static void test_client_silent(void **state)
{
	struct pair *p = *state;
	struct play play;

	begin(&play, p, "");
	run_ok(&play, "write_bw -n 10" STALL);
	end_server(&play, "within 900 ms while waiting for a message");

	begin(&play, p, "");
	run_refused(&play, "write_bw -d pair7" STALL, -EINVAL, "pair7");
	end_server(&play, "within 900 ms while waiting for a message");
}

static void test_server_stopped(void **state)
{
	struct pair *p = *state;
	struct play play;

	begin(&play, p, "");
	run_ok(&play, "write_bw -n 10");
	stop_server(p);
	end_server(&play, "interrupted while waiting for a message");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_plans),	  TEST(test_device_between_plans),
		TEST(test_refused_plans), TEST(test_plan_not_ok),
		TEST(test_plan_fails),	  TEST(test_stopped),
		TEST(test_client_gone),	  TEST(test_client_silent),
		TEST(test_server_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
