/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The steps before the points: hello, hello, then plan, limits, agree, agreed for each plan.
 * Measures nothing.
 */
#include "config.h"
#include "agree/agree.h"

#include <errno.h>
#include <string.h>

#include "causes/remedy.h"
#include "cm/cm.h"
#include "cm/cm_address.h"
#include "place/affinity.h"
#include "options/options.h"
#include "file/json_build.h"
#include "decide/plan.h"
#include "device/dev.h"
#include "wire/proto.h"
#include "util/err.h"
#include "util/text.h"

static const char *const types[] = {
	[AGREE_TEST] = "plan",
	[AGREE_SETUP] = "setup",
	[AGREE_COPY] = "copy",
	[AGREE_FACTS] = "check",
};

enum agree_for agree_asks(const char *type)
{
	enum agree_for what = AGREE_FACTS;

	while (what && strcmp(type, types[what]) != 0)
		what--;
	return what;
}

const struct limits *agree_limits(const struct agree *a, enum side side)
{
	return side == a->side ? &a->own->dev.limits : &a->peer;
}

int agree_unexpected(const struct agree *a, const json_t *msg, const char *when)
{
	char type[33];

	text_clean(proto_type(msg), type, sizeof(type));
	return err_set(-EBADMSG, "the peer %s sent '%s' %s", a->ctl->peer, type, when);
}

int agree_exchange(struct agree *a, json_t *own, const char *type, json_t **msg,
		   uint32_t timeout_ms)
{
	int rc = a->side == SIDE_CLIENT ? ctl_send(a->ctl, json_incref(own), timeout_ms) : 0;

	if (!rc)
		rc = ctl_recv(a->ctl, type, msg, timeout_ms);
	if (!rc && a->side == SIDE_SERVER)
		rc = ctl_send(a->ctl, json_incref(own), timeout_ms);
	json_decref(own);
	return rc;
}

int agree_hello(struct agree *a)
{
	struct proto_hello hello;
	json_t *msg = NULL;
	const struct remedy_words words = { .port = a->local->tcp_port };
	int rc = agree_exchange(a, proto_hello(), "hello", &msg, a->local->connect_timeout_ms);

	if (rc == -ETIMEDOUT && a->side == SIDE_CLIENT)
		remedy_advise(rc, REMEDY_NO_HELLO, &words);
	if (rc == -ECONNRESET && a->side == SIDE_CLIENT)
		remedy_advise(rc, REMEDY_NOT_TAKEN, &words);
	if (!rc)
		rc = proto_read_hello(&hello, msg);
	json_decref(msg);
	return rc;
}

/*
 * Is the open device the requested one, and still usable? Properties that do not depend on the test
 * are queried again.
 */
static bool is_still_good(struct dev *dev, const struct dev_request *request)
{
	enum ibv_event_type event;

	if (!dev->ctx ||
	    (request->cfg->device && !dev_is_called(dev->ctx->device, request->cfg->device)) ||
	    (request->cfg->ib_port != CFG_AUTO && request->cfg->ib_port != dev->limits.port))
		return false;
	/* an event between two plans must not fail the next one */
	return !dev_async(dev, &event) && !port_ask(dev, dev->limits.port, request) &&
	       dev->port_attr.state == IBV_PORT_ACTIVE;
}

/* A device stays open for the next plan, unless that plan names another device or port. */
int agree_device(struct agree *a)
{
	const struct dev_request request = {
		.cfg = &a->test,
		.side = a->side,
		.local_gid = a->ctl->local_gid,
		.peer = a->side == SIDE_CLIENT ? &a->peer : NULL,
	};
	const struct cfg *cfg = &a->test;
	int rc;

	if (is_still_good(&a->own->dev, &request)) {
		rc = dev_probe(&a->own->dev, request.cfg, request.side);
	} else {
		dev_close(&a->own->dev);
		rc = dev_open(&a->own->dev, &request);
	}
	a->own->dev.budget = a->budget;
	/* verbs' -EPERM is an error of this side, while -EPERM here is the refusal of the peer */
	if (rc == -EPERM)
		rc = -EACCES;
	/* nothing of rdma_cm is touched unless it is asked for */
	if (!rc)
		a->own->dev.limits.rdma_cm =
			(cfg->rdma_cm || (cfg->mcast && cfg->mcast_join != MCAST_JOIN_VERBS)) &&
			cm_is_there();
	if (!rc && a->side == SIDE_SERVER)
		rc = owner_limits(&a->own->dev.limits, a->local);
	return rc;
}

/* rdma_cm connects IP addresses: a port without one is refused before anything is created. */
static int check_address(const struct agree *a)
{
	const bool joins = plan_is_mcast(&a->plan) && a->plan.path.mcast_join == MCAST_JOIN_CM;
	struct sockaddr_storage own;

	if ((a->plan.path.connect != CONNECT_RDMA_CM && !joins) ||
	    !cm_address_own(&own, &a->own->dev, plan_gid_index(&a->plan, a->side)))
		return 0;
	return -EINVAL;
}

/* The receivers of a group share one plan, so it must fit all of them. */
static int resolve(struct agree *a)
{
	struct limits server = *agree_limits(a, SIDE_SERVER);
	int rc;

	memset(&a->plan, 0, sizeof(a->plan));
	if (a->has_group)
		limits_join(&server, &a->group);
	rc = plan_resolve(&a->plan, &a->test, agree_limits(a, SIDE_CLIENT), &server);
	if (!rc)
		rc = check_address(a);
	return rc || !a->file ? rc : copy_check_plan(&a->plan);
}

int agree_ask(struct agree *a)
{
	json_t *ask = json_pack("{s:s,s:o}", "type", types[a->what], "options",
				options_to_json(&a->test));

	if (a->file && json_object_set_new(ask, "file", proto_file(a->file))) {
		json_decref(ask);
		return err_set(-EINVAL, "the name of the copy is not UTF-8");
	}
	if (a->test.neighbours[SIDE_CLIENT])
		json_build_set(&ask, "neighbours",
			       json_pack("{s:s, s:s}", kind_side_names[SIDE_CLIENT],
					 a->test.neighbours[SIDE_CLIENT],
					 kind_side_names[SIDE_SERVER],
					 a->test.neighbours[SIDE_SERVER]));
	return ctl_send(a->ctl, ask, a->local->connect_timeout_ms);
}

/* The devices of concurrent sessions, as sent by the client: borrowed from the message. */
static int read_neighbours(struct agree *a, const json_t *plan_msg)
{
	const json_t *msg = json_object_get(plan_msg, "neighbours");
	struct neighbours all;
	int rc = 0;

	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER && !rc; side++) {
		const json_t *text = json_object_get(msg, kind_side_names[side]);

		if ((msg && !json_is_object(msg)) || (text && !json_is_string(text)))
			return err_set(-EINVAL, "neighbours: expected an object of texts");
		a->test.neighbours[side] = json_string_value(text);
		rc = affinity_neighbours_parse(&all, a->test.neighbours[side]);
	}
	return rc;
}

static int await_limits(struct agree *a)
{
	const uint32_t timeout_ms = a->local->connect_timeout_ms;
	json_t *msg = NULL;
	/* it may still destroy the QPs of the last plan */
	int rc = ctl_recv_from_living(a->ctl, "limits", &msg, timeout_ms,
				      timeout_ms + PLAN_QP_MS * plan_total_qps(&a->plan));

	if (!rc)
		rc = limits_decode(&a->peer, msg);
	json_decref(msg);
	return rc;
}

/* With each receiver alone, so that a refusal names the receiver concerned. */
static int resolve_each(struct agree *a, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++) {
		a[i].has_group = false;
		rc = resolve(&a[i]);
		if (rc && n > 1)
			rc = err_wrap(rc, "receiver %s", a[i].name);
	}
	return rc;
}

/*
 * One plan for all receivers of a group. Only the GIDs differ; the sender's GID is the one that
 * reaches the first receiver.
 */
static int resolve_group(struct agree *a, uint32_t n)
{
	struct limits *sender = &a->own->dev.limits;
	int rc = resolve_each(a, n);

	sender->gid_index = rc ? sender->gid_index : a->plan.path.client_gid;
	for (uint32_t i = 0; i < n && !rc; i++) {
		a[i].group = a->peer;
		a[i].has_group = true;
		for (uint32_t k = 1; k < n; k++)
			limits_join(&a[i].group, &a[k].peer);
		rc = resolve(&a[i]);
	}
	for (uint32_t i = 1; i < n && !rc; i++) {
		struct plan one = a[i].plan;
		json_t *first = plan_encode(&a->plan);

		one.path.server_gid = a->plan.path.server_gid;
		rc = first ? plan_compare(&one, first) : err_set(-ENOMEM, "no memory for the plan");
		json_decref(first);
		if (rc)
			rc = err_wrap(-EINVAL, "receivers %s and %s cannot have one plan",
				      a->name, a[i].name);
	}
	return rc;
}

static int offer_plan(struct agree *a)
{
	json_t *msg = json_pack("{s:s,s:o,s:o}", "type", "agree", "limits",
				limits_encode(&a->own->dev.limits), "plan", plan_encode(&a->plan));

	if (a->has_group)
		json_build_set(&msg, "group", limits_encode(&a->group));
	return ctl_send(a->ctl, msg, a->local->connect_timeout_ms);
}

static int await_agreed(struct agree *a)
{
	return ctl_recv(a->ctl, "agreed", NULL, a->local->connect_timeout_ms);
}

/* Calls for each peer in turn; records a refusal. */
static int for_each_peer(struct agree *a, uint32_t n, int (*call)(struct agree *a))
{
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++) {
		rc = call(&a[i]);
		a[i].refused = rc == -EPERM;
	}
	return rc;
}

/* ---- the placement of threads and memory of each side */

struct owner_place agree_place(const struct agree *a, enum side side)
{
	if (side == SIDE_SERVER)
		return owner_place(&a->test, agree_limits(a, SIDE_SERVER));
	return (struct owner_place){ .pin = a->test.pin, .mem = a->test.mem,
				     .pin_label = "--pin", .mem_label = "--mem" };
}

static struct affinity_side affinity_side_of(const struct agree *a, enum side side)
{
	const struct owner_place place = agree_place(a, side);

	return (struct affinity_side){
		.request = {
			.pin = place.pin,
			.mem = place.mem,
			.pin_label = place.pin_label,
			.mem_label = place.mem_label,
			.threads = a->test.threads,
			.events = cfg_completion(&a->test, side) != CM_POLL,
		},
		.device = agree_limits(a, side)->device,
		.netdev = agree_limits(a, side)->netdev,
		.neighbours = a->test.neighbours[side],
	};
}

/* An emulated device is near no CPU, so unbound threads are not worth a note. */
static void note_affinity(struct agree *a)
{
	const struct affinity_plan *affinity = &a->own->affinity;
	const struct topo_place *first = affinity_place(affinity, 0);
	const bool bound = first && first->cpu != TOPO_NONE;

	if (bound || a->own->dev.limits.emulated)
		plan_note(&a->plan, "%s", affinity->note);
	else
		plan_note_figures(&a->plan, "%s", affinity->note);
}

/* Notes the places in the plan. On one host the client chooses its CPUs before the server. */
static int choose_places(struct agree *a)
{
	const struct affinity_side client = affinity_side_of(a, SIDE_CLIENT);
	const bool one_host = limits_one_host(&a->own->dev.limits, &a->peer);
	const struct affinity_request request = {
		.own = affinity_side_of(a, a->side),
		.peer = a->side == SIDE_SERVER && one_host ? &client : NULL,
	};
	int rc = affinity_open(&a->own->affinity, &request);

	if (!rc && a->own->affinity.note[0])
		note_affinity(a);
	return rc;
}

/* ---- the two sides */

int agree_client(struct agree *a, uint32_t n)
{
	int rc;

	for (uint32_t i = 0; i < n; i++) {
		a[i].test = *a[i].local;
		a[i].refused = false;
	}
	/* a server waits only briefly for its plan: ask all before waiting for any limits */
	rc = for_each_peer(a, n, agree_ask);
	if (!rc)
		rc = for_each_peer(a, n, await_limits);
	if (!rc)
		rc = agree_device(a);
	if (!rc)
		rc = a->test.mcast ? resolve_group(a, n) : resolve_each(a, n);
	if (!rc)
		rc = choose_places(a);
	if (!rc)
		rc = for_each_peer(a, n, offer_plan);
	return rc ? rc : for_each_peer(a, n, await_agreed);
}

int agree_read(struct agree *a, const json_t *msg)
{
	int rc;

	a->test = *a->local;
	rc = options_from_json(&a->test, json_object_get(msg, "options"));
	if (!rc)
		rc = read_neighbours(a, msg);
	if (!rc)
		rc = plan_rules(&a->test);
	if (!rc)
		rc = owner_test(&a->test, a->local);
	return rc ? rc : owner_device(&a->test, a->local);
}

static int serve_plan(struct agree *a, const json_t *plan_msg)
{
	const uint32_t timeout_ms = a->local->connect_timeout_ms;
	json_t *msg = NULL;
	int rc = agree_read(a, plan_msg);

	if (!rc)
		rc = agree_device(a);
	if (!rc)
		rc = ctl_send(a->ctl, proto_limits(&a->own->dev.limits), timeout_ms);
	if (!rc)
		rc = ctl_recv(a->ctl, "agree", &msg, timeout_ms);
	if (!rc)
		rc = limits_decode(&a->peer, json_object_get(msg, "limits"));
	a->has_group = a->test.mcast;
	if (!rc && a->has_group)
		rc = limits_decode(&a->group, json_object_get(msg, "group"));
	if (!rc)
		rc = resolve(a);
	if (!rc)
		rc = plan_compare(&a->plan, json_object_get(msg, "plan"));
	if (!rc)
		rc = owner_plan(&a->plan, a->local);
	if (!rc && a->what == AGREE_TEST)
		rc = owner_expects(&a->plan, a->local, &a->test);
	if (!rc)
		rc = choose_places(a);
	json_decref(msg);
	return rc ? rc : ctl_send(a->ctl, proto_plain("agreed"), timeout_ms);
}

int agree_server(struct agree *a, const json_t *plan_msg)
{
	const int rc = serve_plan(a, plan_msg);

	a->refused = rc == -EPERM;
	return rc;
}

void agree_end(struct agree_own *own)
{
	affinity_end(&own->affinity);
}

void agree_close(struct agree_own *own)
{
	affinity_close(&own->affinity);
	dev_close(&own->dev);
}
