/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * One side of the session played by hand against the real other: wrong versions, plans, endpoints
 * and messages, leaving, and silence. The real side ends within its time-outs, says what was
 * wrong, and leaves nothing open.
 */
#include "config.h"
#include "decide/plan.h"
#include "agree/session.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
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
#include "util/signals.h"
#include "verbs.h"
#include "player.h"
#include "victim.h"

#define FAILED 1
#define REFUSED 2
#define SHORT " --connect-timeout 400ms --stall-timeout 400ms"

static void begin(struct player *pl, struct pair *p, const char *args)
{
	memset(pl, 0, sizeof(*pl));
	pl->pair = p;
	pair_args(p, args, SHORT);
	p->client.status = 0;
	pl->thread = pair_start(p, SIDE_SERVER);
	pair_connect(p, &pl->ctl);
}

static void end(struct player *pl, int status, uint32_t rows, const char *error)
{
	struct pair *p = pl->pair;

	ctl_close(&pl->ctl);
	pair_join(pl->thread);
	if (p->server.status != status || p->server.csv.n_rows != rows)
		fail_msg("server %d, %u rows; expected %d, %u\n%s", p->server.status,
			 p->server.csv.n_rows, status, rows, p->err);
	if (error) {
		pair_assert_has(pair_error(&p->server), error);
		pair_assert_has(p->err, error);
	}
	assert_int_equal(verbs_open_objects(), 0);
}

static void end_no_client(struct player *pl)
{
	end(pl, FAILED, 0, NULL);
	assert_int_equal(pl->pair->server.end, SESSION_NO_CLIENT);
	assert_int_equal(pl->pair->admitted, 0);
}

static void test_no_client(void **state)
{
	struct pair *p = *state;
	struct player pl;

	begin(&pl, p, "write_bw");
	say(&pl, json_pack("{s:s,s:i}", "type", "hello", "version", 99));
	json_decref(hear(&pl, "hello"));
	hear_reason(&pl, "upgrade this side");
	end_no_client(&pl);

	begin(&pl, p, "write_bw");
	say_hello(&pl);
	end_no_client(&pl);

	begin(&pl, p, "write_bw");
	hear_reason(&pl, "while waiting for hello");
	end_no_client(&pl);
}

static void test_bad_plan(void **state)
{
	struct pair *p = *state;
	struct player pl;
	json_t *msg, *options;

	begin(&pl, p, "write_bw");
	say_hello(&pl);
	options = options_to_json(&p->client.cfg);
	json_object_set_new(options, "test", json_string("sing_bw"));
	say(&pl, json_pack("{s:s,s:o}", "type", "plan", "options", options));
	hear_reason(&pl, "sing_bw");
	say(&pl, proto_plain("bye"));
	end(&pl, REFUSED, 0, "sing_bw");
	assert_int_equal(p->admitted, 1);

	/* which plan is one of a check, and not shown: as the options are read, in any case */
	begin(&pl, p, "write_bw");
	say_hello(&pl);
	options = options_to_json(&p->client.cfg);
	json_object_set_new(options, "check_by", json_string("NONE"));
	say(&pl, json_pack("{s:s,s:o}", "type", "plan", "options", options));
	json_decref(hear(&pl, "limits"));
	end(&pl, FAILED, 0, " is gone (");

	begin(&pl, p, "write_bw");
	say_plan(&pl);
	msg = make_agree(&pl);
	json_object_set_new(json_object_get(msg, "plan"), "depth", json_integer(127));
	say(&pl, msg);
	hear_reason(&pl, "depth");
	end(&pl, FAILED, 0, "depth");

	begin(&pl, p, "write_bw");
	say_plan(&pl);
	msg = make_agree(&pl);
	json_object_set_new(json_object_get(msg, "limits"), "active_mtu_bytes", json_integer(512));
	say(&pl, msg);
	hear_reason(&pl, "mtu_bytes");
	end(&pl, FAILED, 0, "mtu_bytes");
}

static void test_leaving(void **state)
{
	struct pair *p = *state;
	struct player pl;

	begin(&pl, p, "write_bw");
	say_plan(&pl);
	end(&pl, FAILED, 0, " is gone (");

	begin(&pl, p, "write_bw");
	say_plan(&pl);
	hear_reason(&pl, "while waiting for agree");
	end(&pl, FAILED, 0, "no answer from the peer");

	begin(&pl, p, "write_bw");
	agree(&pl);
	end(&pl, FAILED, 0, " is gone (");

	/* a farewell before anything was measured is no success */
	begin(&pl, p, "write_bw");
	agree(&pl);
	say(&pl, proto_plain("bye"));
	end(&pl, FAILED, 0, "ended the plan after 0 of 1 points");

	begin(&pl, p, "send_bw");
	begin_point(&pl);
	end(&pl, FAILED, 1, " is gone (");
	assert_string_equal(pair_cell(&p->server, 0, "status"), "incomplete");
}

static void test_bad_messages(void **state)
{
	struct pair *p = *state;
	struct player pl;
	json_t *msg;

	begin(&pl, p, "send_bw");
	agree(&pl);
	say(&pl, proto_plain("ready"));
	hear_reason(&pl, "sent 'ready' instead of the start of a point");
	end(&pl, FAILED, 0, "instead of the start of a point");

	begin(&pl, p, "send_bw");
	agree(&pl);
	msg = make_endpoint();
	json_object_set_new(msg, "qps", json_array());
	say(&pl, msg);
	hear_reason(&pl, "\"qps\" has 0 elements, the plan 1");
	end(&pl, FAILED, 1, "\"qps\" has 0 elements");

	begin(&pl, p, "send_bw");
	agree(&pl);
	msg = make_endpoint();
	json_object_set_new(msg, "gid", json_string("::ffff:10.9.9.9"));
	say(&pl, msg);
	hear_reason(&pl, "address resolution of GID ::ffff:10.9.9.9 failed");
	end(&pl, FAILED, 1, "address resolution");

	begin(&pl, p, "send_bw");
	begin_point(&pl);
	say(&pl, proto_plain("agreed"));
	hear_reason(&pl, "sent 'agreed' while a point was running");
	end(&pl, FAILED, 1, "while a point was running");

	begin(&pl, p, "send_bw");
	begin_point(&pl);
	say(&pl, json_pack("{s:s,s:i,s:[]}", "type", "sent", "sent", 5, "per_qp"));
	hear_reason(&pl, "malformed 'sent'");
	end(&pl, FAILED, 1, "malformed 'sent'");

	begin(&pl, p, "send_bw");
	begin_point(&pl);
	say(&pl, proto_plain("done"));
	hear_reason(&pl, "'done'");
	end(&pl, FAILED, 1, "'done'");
}

static void refuse_plan(struct player *pl, struct pair *p)
{
	begin(pl, p, "write_bw");
	say_hello(pl);
	say(pl, json_pack("{s:s,s:{s:s}}", "type", "plan", "options", "test", "sing_bw"));
	assert_int_equal(ctl_recv(&pl->ctl, NULL, &(json_t *){ NULL }, PATIENCE_MS), -EPERM);
}

/* What may follow a plan: a plan or bye, and after a stop of the user no plan. */
static void test_after_plan(void **state)
{
	struct pair *p = *state;
	struct result result;
	struct player pl;

	refuse_plan(&pl, p);
	say(&pl, proto_plain("ready\33[2J"));
	hear_reason(&pl, "sent 'ready [2J' after a plan was refused");
	end(&pl, FAILED, 0, "sing_bw");
	pair_assert_has(p->err, "sent 'ready [2J' after a plan was refused");

	begin(&pl, p, "write_bw");
	agree(&pl);
	say(&pl, proto_plain("plan"));
	hear_reason(&pl, "ended the plan after 0 of 1 points");
	end(&pl, FAILED, 0, "ended the plan after 0 of 1 points");

	begin(&pl, p, "write_bw");
	begin_point(&pl);
	say(&pl, proto_plain("stop"));
	say(&pl, json_pack("{s:s,s:i,s:[i]}", "type", "sent", "sent", 5, "per_qp", 5));
	result_clear(&result);
	say(&pl, proto_done(&result));
	json_decref(hear(&pl, "done"));
	say(&pl, proto_plain("plan"));
	hear_reason(&pl, "was interrupted; it takes no further plan");
	end(&pl, FAILED, 1, NULL);
	pair_assert_has(p->err, "was interrupted; it takes no further plan");
}

/* The server's warm-up has ended, and that of the client is stopped by a user: so is the point. */
static void test_stop_after_warm_up(void **state)
{
	struct pair *p = *state;
	struct result result;
	struct player pl;

	begin(&pl, p, "write_bw --warm-up 5");
	begin_point(&pl);
	say(&pl, json_pack("{s:s,s:i,s:[i]}", "type", "sent", "sent", 5, "per_qp", 5));
	json_decref(hear(&pl, "warm"));
	say(&pl, proto_plain("stop"));
	say(&pl, proto_plain("ready"));
	json_decref(hear(&pl, "go"));
	say(&pl, json_pack("{s:s,s:i,s:[i]}", "type", "sent", "sent", 0, "per_qp", 0));
	result_clear(&result);
	say(&pl, proto_done(&result));
	json_decref(hear(&pl, "done"));
	say(&pl, proto_plain("bye"));
	end(&pl, FAILED, 1, NULL);
	assert_string_equal(pair_cell(&p->server, 0, "status"), "interrupted");

	begin(&pl, p, "write_bw --warm-up 5");
	begin_point(&pl);
	say(&pl, json_pack("{s:s,s:i,s:[i]}", "type", "sent", "sent", 5, "per_qp", 5));
	json_decref(hear(&pl, "warm"));
	say(&pl, proto_plain("done"));
	hear_reason(&pl, "sent 'done' after its warm-up");
	end(&pl, FAILED, 1, "sent 'done' after its warm-up");
}

static void test_silence(void **state)
{
	static const char *const args[] = { "send_bw" SHORT, "read_bw" SHORT, "write_lat" SHORT };
	struct pair *p = *state;
	struct player pl;

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		begin(&pl, p, args[i]);
		begin_point(&pl);
		hear_reason(&pl, " for 400 ms");
		end(&pl, FAILED, 1, " for 400 ms");
		assert_string_equal(pair_cell(&p->server, 0, "status"), "incomplete");
	}
	begin(&pl, p, "send_bw" SHORT);
	agree(&pl);
	hear_reason(&pl, "while waiting for a message");
	end(&pl, FAILED, 0, "no answer from the peer");
}

/* ---- a server played by hand */

static void test_bad_server(void **state)
{
	struct pair *p = *state;
	struct player pl;
	json_t *msg;

	player_begin_client(&pl, p, "write_bw");
	ctl_abort(&pl.ctl, err_set(-ECONNRESET, "16 sessions already"));
	player_end_client(&pl, FAILED, "16 sessions already");

	player_begin_client(&pl, p, "write_bw");
	say(&pl, json_pack("{s:s,s:i}", "type", "hello", "version", 0));
	hear_reason(&pl, "upgrade the peer");
	player_end_client(&pl, FAILED, "upgrade the peer");

	player_begin_client(&pl, p, "write_bw");
	say(&pl, proto_hello());
	json_decref(hear(&pl, "plan"));
	say(&pl, proto_plain("limits"));
	hear_reason(&pl, "limits: field");
	player_end_client(&pl, FAILED, "limits: field");

	player_begin_client(&pl, p, "write_bw --connect-timeout 300ms");
	say(&pl, proto_hello());
	json_decref(hear(&pl, "plan"));
	hear_reason(&pl, "while waiting for limits");
	player_end_client(&pl, FAILED, "while waiting for limits");

	/* the user's stop comes while the client waits */
	player_begin_client(&pl, p, "write_bw");
	say(&pl, proto_hello());
	msg = hear(&pl, "plan");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(msg, "options"), "test")),
		"write_bw");
	json_decref(msg);
	raise(SIGINT);
	hear_reason(&pl, "interrupted while waiting for limits");
	player_end_client(&pl, FAILED, "interrupted while waiting for limits");
	assert_int_equal(signals_init(), 0);
}

/* As far as the first messages, which nobody hears: --ah first. */
static void begin_heard(struct player *pl, struct pair *p)
{
	player_agree_client(pl, p, "send_bw -c UD --ah first");
	json_decref(hear(pl, "endpoint"));
	say(pl, make_endpoint());
}

/* ---- addresses that the peer does not have */

enum attack { ATTACK_SILENT, ATTACK_READY, ATTACK_GUESS, ATTACK_ELSEWHERE };

/* A client that names the address of somebody else, who does not listen to the server. */
static void attack(struct pair *p, const char *args, enum attack how, const char *error)
{
	struct victim v;
	struct player pl;
	json_t *endpoint;

	begin(&pl, p, args);
	agree(&pl);
	open_victim(&v, "pair0");
	say(&pl, make_stolen(&v, how == ATTACK_ELSEWHERE));
	endpoint = hear(&pl, "endpoint");
	if (how == ATTACK_READY)
		say(&pl, proto_plain("ready"));
	if (how == ATTACK_GUESS)
		say(&pl, json_pack("{s:s,s:i}", "type", "proof", "number", 1));
	if (how == ATTACK_ELSEWHERE)
		send_from_victim(&v, endpoint);
	json_decref(endpoint);
	hear_reason(&pl, error);
	assert_int_equal(came_to_victim(&v), 0);
	close_victim(&v);
	end(&pl, FAILED, 3, error);
}

static void test_foreign_address(void **state)
{
	static const char *const args[] = { "send_bw -c UD --both" SHORT,
					    "write_bw -c UC --both" SHORT };
	static const char *const errors[] = {
		[ATTACK_SILENT] = "nothing arrived from the address of the peer",
		[ATTACK_READY] = "while addresses were proved",
		[ATTACK_GUESS] = "does not know what was sent to the address",
		[ATTACK_ELSEWHERE] = "but the peer named",
	};

	/* GID 1 is at the same port, and not where its datagram comes from */
	verbs_device(SIDE_CLIENT)->gids[1].text = "::ffff:10.0.0.9";
	verbs_device(SIDE_CLIENT)->gids[1].type = IBV_GID_TYPE_ROCE_V2;
	for (size_t i = 0; i < 2; i++)
		for (enum attack how = ATTACK_SILENT; how <= ATTACK_ELSEWHERE; how++)
			attack(*state, args[i], how, errors[how]);
}

static void test_bad_heard(void **state)
{
	static const struct {
		const char *msg, *error;
	} cases[] = {
		{ "{\"type\": \"heard\", \"qps\": [1]}", "a QP is not a number below 1" },
		{ "{\"type\": \"heard\", \"qps\": [-1]}", "a QP is not a number below 1" },
		{ "{\"type\": \"heard\", \"qps\": [\"0\"]}", "a QP is not a number below 1" },
		{ "{\"type\": \"heard\"}", "field \"qps\" is missing or not an array" },
		{ "{\"type\": \"go\"}", "sent 'go' while the first messages were sent" },
	};
	struct pair *p = *state;
	struct player pl;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin_heard(&pl, p);
		say(&pl, json_loads(cases[i].msg, 0, NULL));
		hear_reason(&pl, cases[i].error);
		player_end_client(&pl, FAILED, cases[i].error);
	}
	/* that nothing was heard is no news */
	begin_heard(&pl, p);
	say(&pl, json_pack("{s:s,s:[]}", "type", "heard", "qps"));
	say(&pl, json_pack("{s:s,s:[i,i]}", "type", "heard", "qps", 0, 0));
	json_decref(hear(&pl, "greeted"));
	ctl_abort(&pl.ctl, err_set(-ECONNRESET, "enough"));
	player_end_client(&pl, FAILED, "enough");
}

/* Who hears nothing is not flooded: each round of first messages waits longer than the last one. */
static void test_unheard(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT);
	struct player pl;

	/* none is lost, but they are counted */
	client->fault = (struct verbs_fault){ .what = VERBS_LOSE, .empty = true,
					      .message = UINT64_MAX };
	player_agree_client(&pl, *state, "send_bw -c UD --ah first --stall-timeout 400ms");
	json_decref(hear(&pl, "endpoint"));
	say(&pl, make_endpoint());
	hear_reason(&pl, "got no first message of 1 QPs within 400 ms");
	/* after 50, 100, 200 ms: as many as fit at most */
	assert_in_range(client->empty_messages, 1, 5);
	player_end_client(&pl, FAILED, "got no first message of 1 QPs within 400 ms");
}

/* Heartbeats, until the other side leaves; what it says then. */
static void beat_until(struct player *pl, const char *part)
{
	json_t *msg = NULL;
	int rc = -ETIMEDOUT;

	for (int i = 0; i < 1200 && rc == -ETIMEDOUT; i++) {
		/* it may be gone */
		if (ctl_send(&pl->ctl, proto_plain("heartbeat"), PATIENCE_MS))
			break;
		while (!(rc = ctl_recv(&pl->ctl, NULL, &msg, 100)))
			json_decref(msg);
	}
	pair_assert_has(err_text(), part);
}

/* As far as the proof of addresses: the client is believed. Returns its endpoint. */
static json_t *begin_proof(struct player *pl, struct pair *p, const char *args, struct victim *v)
{
	json_t *endpoint;

	player_agree_client(pl, p, args);
	endpoint = hear(pl, "endpoint");
	open_victim(v, "pair1");
	say(pl, make_stolen(v, 0));
	say(pl, json_pack("{s:s,s:I}", "type", "proof", "number", (json_int_t)await_number(v)));
	return endpoint;
}

/* A client that is believed, and has heard nothing, is told why it will hear nothing. */
static void test_gone_in_proof(void **state)
{
	struct pair *p = *state;
	struct player pl;
	struct victim v;

	json_decref(begin_proof(&pl, p, "write_bw -c UC -b -n 10 --stall-timeout 400ms", &v));
	ctl_abort(&pl.ctl, err_set(-EIO, "enough"));
	close_victim(&v);
	player_end_client(&pl, FAILED, "reports: enough");
}

/* As far as the loops of the client. */
static void begin_loops(struct player *pl, struct pair *p, const char *args)
{
	struct victim v;
	json_t *endpoint = begin_proof(pl, p, args, &v);

	send_from_victim(&v, endpoint);
	json_decref(endpoint);
	json_decref(hear(pl, "proof"));
	json_decref(hear(pl, "ready"));
	close_victim(&v);
	say(pl, proto_plain("go"));
}

/* Both sides send, and this one never says that it has. */
static void test_heartbeats_of_server(void **state)
{
	struct pair *p = *state;
	struct player pl;

	begin_loops(&pl, p, "write_bw -c UC -b -n 10 --stall-timeout 400ms");
	beat_until(&pl, "does not end the point");
	player_end_client(&pl, FAILED, "does not end the point");

	begin_loops(&pl, p, "write_bw -c UC -b -D 100ms --stall-timeout 400ms");
	beat_until(&pl, "does not end the point");
	player_end_client(&pl, FAILED, "does not end the point");

	/* also when the user has stopped it */
	begin_loops(&pl, p, "write_bw -c UC -b -D 1h --stall-timeout 400ms");
	await_loops(&pl);
	raise(SIGINT);
	beat_until(&pl, "does not end the point");
	player_end_client(&pl, FAILED, "does not end the point");
	assert_int_equal(signals_init(), 0);
}

/* A plan of a short time, whose messages never come: over UD they could all be lost. */
static void test_heartbeats_of_client(void **state)
{
	struct pair *p = *state;
	struct player pl;
	struct victim v;
	json_t *endpoint;

	begin(&pl, p, "send_bw -c UD -D 100ms" SHORT);
	agree(&pl);
	open_victim(&v, "pair0");
	say(&pl, make_stolen(&v, 0));
	endpoint = hear(&pl, "endpoint");
	send_from_victim(&v, endpoint);
	json_decref(endpoint);
	json_decref(hear(&pl, "proof"));
	say(&pl, json_pack("{s:s,s:I}", "type", "proof", "number", (json_int_t)await_number(&v)));
	say(&pl, proto_plain("ready"));
	json_decref(hear(&pl, "go"));
	close_victim(&v);
	beat_until(&pl, "does not end the point");
	end(&pl, FAILED, 1, "does not end the point");

	/* of no end, but stopped */
	begin(&pl, p, "write_bw" SHORT);
	begin_point(&pl);
	say(&pl, proto_plain("stop"));
	beat_until(&pl, "does not end the point");
	end(&pl, FAILED, 1, "does not end the point");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup_timed, pair_teardown_timed)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_no_client),	 TEST(test_bad_plan),	TEST(test_leaving),
		TEST(test_bad_messages), TEST(test_after_plan), TEST(test_stop_after_warm_up),
		TEST(test_silence),
		TEST(test_bad_server),	 TEST(test_bad_heard),	TEST(test_unheard),
		TEST(test_foreign_address), TEST(test_gone_in_proof),
		TEST(test_heartbeats_of_server), TEST(test_heartbeats_of_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
