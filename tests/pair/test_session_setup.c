/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The client of setup played by hand against the real server: requests in order and out of order,
 * leaving, silence. The server ends within its time-outs, says what was wrong, and leaves nothing
 * of verbs open.
 */
#include "config.h"
#include "decide/plan.h"
#include "agree/session.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"
#include "options/options.h"
#include "pair.h"
#include "wire/proto.h"
#include "verbs.h"

#define FAILED 1
#define PATIENCE_MS 100000u
#define ARGS "send_bw --stall-timeout "

struct player {
	struct pair *pair;
	struct pair_thread *thread;
	struct ctl ctl;
};

static void say(struct player *pl, json_t *msg)
{
	assert_int_equal(ctl_send(&pl->ctl, msg, PATIENCE_MS), 0);
}

static json_t *hear(struct player *pl, const char *type)
{
	json_t *msg = NULL;

	if (ctl_recv(&pl->ctl, type, &msg, PATIENCE_MS))
		fail_msg("%s", err_text());
	return msg;
}

static void hear_reason(struct player *pl, const char *part)
{
	json_t *msg = NULL;

	assert_int_equal(ctl_recv(&pl->ctl, NULL, &msg, PATIENCE_MS), -ECONNABORTED);
	pair_assert_has(err_text(), part);
}

/* The client's part of the agreement, from the server's limits. */
static json_t *make_agree(struct player *pl, const json_t *limits_msg)
{
	struct cfg cfg = pl->pair->client.cfg;
	const struct dev_request request = { .cfg = &cfg };
	struct limits server;
	struct plan plan;
	struct dev dev;
	json_t *msg;

	assert_int_equal(limits_decode(&server, limits_msg), 0);
	cfg.device = "pair0";
	assert_int_equal(dev_open(&dev, &request), 0);
	memset(&plan, 0, sizeof(plan));
	if (plan_resolve(&plan, &pl->pair->client.cfg, &dev.limits, &server))
		fail_msg("%s", err_text());
	msg = json_pack("{s:s,s:o,s:o}", "type", "agree", "limits", proto_limits(&dev.limits),
			"plan", plan_encode(&plan));
	dev_close(&dev);
	return msg;
}

/* As far as the first request. */
static void begin_with(struct player *pl, struct pair *p, const char *args, const char *server)
{
	json_t *msg;

	memset(pl, 0, sizeof(*pl));
	pl->pair = p;
	pair_args(p, args, server);
	p->client.status = 0;
	pl->thread = pair_start(p, SIDE_SERVER);
	pair_connect(p, &pl->ctl);
	say(pl, proto_hello());
	json_decref(hear(pl, "hello"));
	say(pl, json_pack("{s:s,s:o}", "type", "setup", "options",
			  options_to_json(&p->client.cfg)));
	msg = hear(pl, "limits");
	say(pl, make_agree(pl, msg));
	json_decref(msg);
	json_decref(hear(pl, "agreed"));
}

static void begin(struct player *pl, struct pair *p, const char *args)
{
	begin_with(pl, p, args, "");
}

static json_t *make_endpoint(uint32_t n)
{
	struct ep_qp_id qps[] = { { .qpn = 0x99, .psn = 7 }, { .qpn = 0x9a, .psn = 8 } };
	struct ep_addr addr = { .n_qps = n, .qps = qps };

	memcpy(addr.gid, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16);
	return proto_endpoint(&addr);
}

static void end(struct player *pl, int status, const char *error)
{
	struct pair *p = pl->pair;

	ctl_close(&pl->ctl);
	pair_join(pl->thread);
	if (p->server.status != status)
		fail_msg("server %d, expected %d\n%s", p->server.status, status, p->err);
	if (error)
		pair_assert_has(p->err, error);
	assert_int_equal(verbs_open_objects(), 0);
}

static void makes_and_destroys_qps(void **state)
{
	struct player pl;
	json_t *msg;

	begin(&pl, *state, "send_bw");
	for (uint32_t n = 1; n <= 2; n++) {
		say(&pl, make_endpoint(n));
		msg = hear(&pl, "endpoint");
		assert_int_equal(json_array_size(json_object_get(msg, "qps")), n);
		json_decref(msg);
		say(&pl, proto_plain("alive"));
		say(&pl, proto_plain("disconnect"));
		json_decref(hear(&pl, "disconnected"));
	}
	say(&pl, proto_plain("bye"));
	end(&pl, 0, NULL);
}

/* made: two QPs exist before the request. */
static void refuse(struct pair *p, bool made, json_t *request, const char *reason)
{
	struct player pl;

	begin(&pl, p, "send_bw");
	if (made) {
		say(&pl, make_endpoint(2));
		json_decref(hear(&pl, "endpoint"));
	}
	say(&pl, request);
	hear_reason(&pl, reason);
	end(&pl, FAILED, reason);
}

static void refuses_what_is_out_of_order(void **state)
{
	refuse(*state, false, make_endpoint(0), "asks for 0 QPs; allowed: 1..");
	refuse(*state, true, make_endpoint(1), "asks for QPs while 2 exist");
	refuse(*state, false, json_pack("{s:s,s:i}", "type", "invalidate", "rkey", 1),
	       "there is no QP");
	refuse(*state, true, proto_plain("invalidate"), "field \"rkey\"");
	refuse(*state, true, json_pack("{s:s,s:i}", "type", "invalidate", "rkey", -1),
	       "field \"rkey\"");
	refuse(*state, true, proto_plain("ready"), "sent 'ready' in a plan of setup");
	refuse(*state, false, proto_plain("endpoint"), "endpoint: field");
}

static void the_owner_allows_less(void **state)
{
	static const char reason[] =
		"--max-qps 1 of the server's owner: the test asks for 2 queue pairs";
	struct player pl;

	begin_with(&pl, *state, "send_bw", "--max-qps 1");
	for (int i = 0; i < 3; i++) {
		say(&pl, make_endpoint(1));
		json_decref(hear(&pl, "endpoint"));
		say(&pl, proto_plain("disconnect"));
		json_decref(hear(&pl, "disconnected"));
	}
	say(&pl, make_endpoint(2));
	hear_reason(&pl, reason);
	end(&pl, FAILED, reason);
}

static void another_plan_may_follow(void **state)
{
	struct player pl;
	json_t *msg;

	begin(&pl, *state, "send_bw");
	say(&pl, make_endpoint(2));
	json_decref(hear(&pl, "endpoint"));
	say(&pl, json_pack("{s:s,s:o}", "type", "setup", "options",
			   options_to_json(&pl.pair->client.cfg)));
	msg = hear(&pl, "limits");
	say(&pl, make_agree(&pl, msg));
	json_decref(msg);
	json_decref(hear(&pl, "agreed"));
	say(&pl, make_endpoint(1));
	json_decref(hear(&pl, "endpoint"));
	say(&pl, proto_plain("bye"));
	end(&pl, 0, NULL);
}

static void a_client_that_leaves_is_an_error(void **state)
{
	struct player pl;

	begin(&pl, *state, "send_bw");
	say(&pl, make_endpoint(2));
	json_decref(hear(&pl, "endpoint"));
	end(&pl, FAILED, "connection closed");
}

static void a_silent_client_is_an_error(void **state)
{
	struct player pl;

	begin(&pl, *state, ARGS "300ms");
	say(&pl, make_endpoint(2));
	json_decref(hear(&pl, "endpoint"));
	hear_reason(&pl, "within 300 ms");
	end(&pl, FAILED, "within 300 ms");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(makes_and_destroys_qps),
		TEST(refuses_what_is_out_of_order),
		TEST(the_owner_allows_less),
		TEST(another_plan_may_follow),
		TEST(a_client_that_leaves_is_an_error),
		TEST(a_silent_client_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
