/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * One side of a session that a test plays by hand: what it says and hears. For tests with cmocka,
 * whose headers stand before this one.
 */
#ifndef PLAYER_H
#define PLAYER_H

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "wire/ctl.h"
#include "wire/proto.h"
#include "limits/limits.h"
#include "pair.h"
#include "decide/plan.h"
#include "device/dev.h"
#include "options/options.h"
#include "util/err.h"
#include "verbs.h"

#define PATIENCE_MS 100000u

/* A client played by hand: as far as it has come. */
struct player {
	struct pair *pair;
	struct pair_thread *thread;
	struct ctl ctl;
	struct limits own, server;
	struct plan plan;
};

static inline void say(struct player *pl, json_t *msg)
{
	assert_int_equal(ctl_send(&pl->ctl, msg, PATIENCE_MS), 0);
}

static inline json_t *hear(struct player *pl, const char *type)
{
	json_t *msg = NULL;

	if (ctl_recv(&pl->ctl, type, &msg, PATIENCE_MS))
		fail_msg("%s", err_text());
	return msg;
}

/* ---- a client played by hand, as far as a running point */

static inline void say_hello(struct player *pl)
{
	say(pl, proto_hello());
	json_decref(hear(pl, "hello"));
}

static inline void say_plan(struct player *pl)
{
	json_t *msg;

	say_hello(pl);
	say(pl,
	    json_pack("{s:s,s:o}", "type", "plan", "options",
		      options_to_json(&pl->pair->client.cfg)));
	msg = hear(pl, "limits");
	assert_int_equal(limits_decode(&pl->server, msg), 0);
	json_decref(msg);
}

static inline json_t *make_agree(struct player *pl)
{
	struct dev dev;
	struct cfg cfg = pl->pair->client.cfg;
	const struct dev_request request = { .cfg = &cfg };

	cfg.device = "pair0";
	assert_int_equal(dev_open(&dev, &request), 0);
	pl->own = dev.limits;
	dev_close(&dev);
	if (plan_resolve(&pl->plan, &pl->pair->client.cfg, &pl->own, &pl->server))
		fail_msg("%s", err_text());
	return json_pack("{s:s,s:o,s:o}", "type", "agree", "limits", proto_limits(&pl->own), "plan",
			 plan_encode(&pl->plan));
}

static inline void agree(struct player *pl)
{
	say_plan(pl);
	say(pl, make_agree(pl));
	json_decref(hear(pl, "agreed"));
}

static inline json_t *make_endpoint(void)
{
	struct ep_qp_id qp = { .qpn = 0x99, .psn = 7 };
	struct ep_addr addr = { .n_qps = 1, .qps = &qp };

	memcpy(addr.gid, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16);
	return proto_endpoint(&addr);
}

/* As far as a running point: the server's loop runs, and nothing will come. */
static inline void begin_point(struct player *pl)
{
	agree(pl);
	say(pl, make_endpoint());
	json_decref(hear(pl, "endpoint"));
	say(pl, proto_plain("ready"));
	json_decref(hear(pl, "go"));
}

/* ---- */

/* What the other says before it leaves. */
static inline void hear_reason(struct player *pl, const char *part)
{
	json_t *msg = NULL;
	int rc;

	/* heartbeats and its own messages may come first */
	while (!(rc = ctl_recv(&pl->ctl, NULL, &msg, PATIENCE_MS)))
		json_decref(msg);
	/* -EINTR: the abort says that its user ended it */
	assert_true(rc == -ECONNABORTED || rc == -EPERM || rc == -EINTR);
	pair_assert_has(err_text(), part);
}

/* The client has got "go": its next heartbeat is of the monitor of its loops. */
static inline void await_loops(struct player *pl)
{
	struct pollfd p = { .fd = pl->ctl.fd, .events = POLLIN };
	json_t *msg;
	int rc;

	do {
		say(pl, proto_plain("heartbeat"));
		poll(&p, 1, 50);
		rc = ctl_try_recv(&pl->ctl, &msg);
		assert_true(rc >= 0);
	} while (!rc);
	assert_string_equal(json_string_value(json_object_get(msg, "type")), "heartbeat");
	json_decref(msg);
}

/* The other side is a client, which is told "hello". */
static inline void player_begin_client(struct player *pl, struct pair *p, const char *args)
{
	memset(pl, 0, sizeof(*pl));
	pl->pair = p;
	pair_args(p, args, "");
	pl->thread = pair_start(p, SIDE_CLIENT);
	pair_accept(p, &pl->ctl);
	json_decref(hear(pl, "hello"));
}

/* A client, as far as its endpoint, which is the next that it says. */
static inline void player_agree_client(struct player *pl, struct pair *p, const char *args)
{
	struct dev dev;
	const struct dev_request request = { .cfg = &p->server.cfg };
	json_t *limits;

	player_begin_client(pl, p, args);
	say(pl, proto_hello());
	json_decref(hear(pl, "plan"));
	p->server.cfg.device = "pair1";
	assert_int_equal(dev_open(&dev, &request), 0);
	limits = proto_limits(&dev.limits);
	dev_close(&dev);
	json_object_set_new(limits, "type", json_string("limits"));
	say(pl, limits);
	json_decref(hear(pl, "agree"));
	say(pl, proto_plain("agreed"));
}

static inline void player_end_client(struct player *pl, int status, const char *error)
{
	struct pair *p = pl->pair;

	ctl_close(&pl->ctl);
	pair_join(pl->thread);
	if (p->client.status != status)
		fail_msg("client %d; expected %d\n%s", p->client.status, status, p->err);
	pair_assert_has(pair_error(&p->client), error);
	assert_int_equal(verbs_open_objects(), 0);
}

#endif
