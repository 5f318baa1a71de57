/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The messages of a session: structs to JSON objects and back. Unknown members are ignored; a
 * missing or ill-typed one is -EBADMSG with a sentence naming message and member. Decoders check
 * every range and length before use: the peer is not trusted. docs/protocol.md gives order and
 * members.
 */
#ifndef PROTO_H
#define PROTO_H

#include <jansson.h>

#include "rdma/ep.h"
#include "plan/plan.h"
#include "loop/result.h"

#define PROTO_VERSION 2

/* hello, both ways, first: version, features, tool version, host name. */
struct proto_hello {
	uint32_t version;
	char tool_version[PLAN_NAME];
	char host[PLAN_NAME];
	/* features both sides have are used; so far none is optional: an empty list */
};

json_t *proto_hello(void);
/* -EPROTO with a sentence saying which side must be upgraded when versions differ. */
int proto_read_hello(struct proto_hello *hello, const json_t *msg)
	__attribute__((warn_unused_result));

/* limits: server to client after the plan; also a member of the client's agree. */
json_t *proto_limits(const struct limits *limits);
int proto_read_limits(struct limits *limits, const json_t *obj) __attribute__((warn_unused_result));

/* The resolved plan, every number of it, no notes: compared on the server, echoed in the result. */
json_t *proto_plan(const struct plan *plan);

/* -EPROTO with a sentence naming the first number in which the peer's plan is not this one. */
int proto_same_plan(const struct plan *plan, const json_t *peers)
	__attribute__((warn_unused_result));

/* endpoint: per point. n_qps is checked against expected; addr->qps is allocated (ep_addr_free). */
json_t *proto_endpoint(const struct ep_addr *addr);
int proto_read_endpoint(struct ep_addr *addr, const json_t *msg, uint32_t n_qps)
	__attribute__((warn_unused_result));

/* done: per point, this side's result. */
json_t *proto_done(const struct result *result);
int proto_read_done(struct result *result, const json_t *msg) __attribute__((warn_unused_result));

/* A message that is nothing but its type: ready, go, bye, heartbeat, ... */
json_t *proto_plain(const char *type);

#endif
