/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A session that waits for others at its meetings: the common start, and what ends it there. */
#include "config.h"
#include "agree/session.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "frame/results.h"
#include "pair.h"
#include "util/clock.h"
#include "util/err.h"
#include "verbs.h"

/* The others, as this session sees them. */
struct others {
	struct results results;
	struct pair_thread *server;
	struct session *session;
	enum session_meeting fail_at; /* with rc */
	int rc;
	uint64_t agreed_ticks, agreed_ns, ready_ns;
	uint32_t met[3];              /* by enum session_meeting */
	uint64_t left_ns[3];          /* the least time that the session had */
	uint32_t endpoints;           /* that the session has told of */
	struct event_sink next;
};

static struct others *others_of(void *arg)
{
	void *at = (char *)arg - offsetof(struct others, results);

	return at;
}

/* The common start is when the plan was agreed, as if the others had been there before. */
static int meet(void *arg, enum session_meeting where, uint64_t until_ns, uint64_t *ticks)
{
	struct others *o = others_of(arg);
	const uint64_t now = clock_ns();

	o->met[where]++;
	o->left_ns[where] = until_ns - now;
	if (where == MEETING_AGREED) {
		o->agreed_ticks = clock_ticks();
		o->agreed_ns = clock_ns();
	}
	o->ready_ns = where == MEETING_READY ? now : o->ready_ns;
	*ticks = o->agreed_ticks;
	return o->rc && where == o->fail_at ? err_set(o->rc, "pair b: no cable") : 0;
}

static int count_endpoint(void *arg, const struct event *event)
{
	struct others *o = arg;

	if (event->kind != EVENT_ENDPOINT)
		return event_tell(&o->next, event);
	assert_int_equal(event->endpoint->own->n_qps, 1);
	o->endpoints++;
	return 0;
}

static void begin(struct others *o, struct pair *p)
{
	struct session_host host;

	*o = (struct others){ .results = { .cfg = &p->client.cfg } };
	host = results_host(&o->results);
	pair_args(p, "send_bw", "");
	p->client.cfg.json = p->server.cfg.json = NULL;
	o->server = pair_start(p, SIDE_SERVER);
	if (session_open(&o->session, &p->client.cfg, &host))
		fail_msg("%s", err_text());
}

static int run(struct others *o, struct pair *p, const char *args, enum session_end *end)
{
	struct session_host host = results_host(&o->results);
	int rc;

	host.meet = meet;
	o->next = host.events;
	host.events = (struct event_sink){ count_endpoint, o };
	pair_client_args(p, args);
	p->client.cfg.json = NULL;
	assert_int_equal(results_begin(&o->results), 0);
	rc = session_run(o->session, &p->client.cfg, &host, end);
	results_end(&o->results);
	return rc;
}

static void finish(struct others *o, struct pair *p, uint32_t rows)
{
	assert_int_equal(session_close(o->session), 0);
	pair_join(o->server);
	assert_int_equal(pair_rows(&p->client), rows);
	assert_int_equal(verbs_open_objects(), 0);
}

/* Every point meets twice, and its window begins after the common start. */
static void test_common_start(void **state)
{
	struct pair *p = *state;
	enum session_end end;
	struct others o;

	begin(&o, p);
	assert_int_equal(run(&o, p, "send_bw -s 64 -n 100 --threads 2", &end), 0);
	assert_int_equal(end, SESSION_MEASURED);
	assert_int_equal(o.met[MEETING_AGREED], 1);
	assert_int_equal(o.met[MEETING_READY], 1);
	assert_int_equal(o.met[MEETING_GO], 1);
	assert_int_equal(o.endpoints, 2); /* of each thread */
	/* before the server gives up, which is after an hour, and 20 ms for the QP */
	for (int i = 0; i < 3; i++)
		assert_true(o.left_ns[i] && o.left_ns[i] < 2700100000000ull);
	finish(&o, p, 1);
	assert_true(pair_u64(&p->client, 0, "start_ns") >= o.ready_ns - o.agreed_ns);
	assert_int_equal(pair_u64(&p->client, 0, "start_slack_ns"), 0);
}

/* Of a plan with several points, and of the run before the first one. */
static void test_each_point(void **state)
{
	struct pair *p = *state;
	enum session_end end;
	struct others o;

	begin(&o, p);
	assert_int_equal(run(&o, p, "write_bw -a -n 2", &end), 0);
	assert_int_equal(o.met[MEETING_AGREED], 1);
	assert_int_equal(o.met[MEETING_READY], 23);
	assert_int_equal(o.met[MEETING_GO], 23);
	finish(&o, p, 23);
}

/* Another pair is refused: this plan is, too, and the next one runs. */
static void test_refused(void **state)
{
	struct pair *p = *state;
	enum session_end end;
	struct others o;

	begin(&o, p);
	o.rc = -EINVAL;
	o.fail_at = MEETING_AGREED;
	assert_int_equal(run(&o, p, "send_bw -n 100", &end), -EINVAL);
	assert_int_equal(end, SESSION_REFUSED);
	assert_int_equal(o.met[MEETING_READY], 0);
	assert_string_equal(err_text(), "pair b: no cable");
	o.rc = 0;
	assert_int_equal(run(&o, p, "send_bw -n 100", &end), 0);
	assert_int_equal(end, SESSION_MEASURED);
	finish(&o, p, 1);
	assert_int_equal(p->server.end, SESSION_REFUSED);
	assert_string_equal(pair_cell(&p->server, 0, "status"), "ok");
}

/* Another pair fails: the server learns why, and nothing hangs. */
static void test_failed(void **state)
{
	static const enum session_meeting at[] = { MEETING_AGREED, MEETING_READY, MEETING_GO };
	struct pair *p = *state;
	enum session_end end;
	struct others o;

	for (size_t i = 0; i < 3; i++) {
		begin(&o, p);
		o.rc = -ECANCELED;
		o.fail_at = at[i];
		assert_int_equal(run(&o, p, "send_bw -b -n 100 --threads 2", &end), -ECANCELED);
		assert_int_equal(end, SESSION_FAILED);
		/* both directions */
		finish(&o, p, at[i] == MEETING_AGREED ? 0 : 2);
		assert_int_equal(p->server.end, SESSION_FAILED);
		pair_assert_has(p->err, "pair b: no cable");
		if (at[i] != MEETING_AGREED)
			assert_string_equal(pair_cell(&p->client, 0, "reason"), "pair b: no cable");
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_common_start), TEST(test_each_point), TEST(test_refused),
		TEST(test_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
