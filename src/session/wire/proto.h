/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The messages of a session: structs to JSON objects and back, by the field tables. Unknown fields
 * are ignored; a missing or ill-typed one is -EBADMSG with an error message that names struct and
 * field. Decoders check every range and length before use: the peer is not trusted.
 * docs/dev/protocol.md gives their order.
 */
#ifndef PROTO_H
#define PROTO_H

#include <stdio.h>
#include <jansson.h>

#include "copy/copy.h"
#include "endpoint/ep.h"
#include "decide/plan.h"
#include "worker/result.h"

#define PROTO_VERSION 19

/* hello, both ways, first: version, features, tool version, host name. */
struct proto_hello {
	uint32_t version;
	char tool_version[PLAN_NAME];
	char host[PLAN_NAME];
	/* features supported by both sides are used; none exists so far: an empty list */
};

json_t *proto_hello(void);
/* -EPROTO with an error message that says which side must be upgraded when versions differ. */
int proto_read_hello(struct proto_hello *hello, const json_t *msg)
	__attribute__((warn_unused_result));

/* limits: server to client after the plan. limits_decode() reads it. */
json_t *proto_limits(const struct limits *limits);

/* endpoint: per point. n_qps and n_rkeys must match; addr is allocated (ep_addr_free). */
json_t *proto_endpoint(const struct ep_addr *addr);
int proto_read_endpoint(struct ep_addr *addr, const json_t *msg, uint32_t n_qps, uint32_t n_rkeys)
	__attribute__((warn_unused_result));

/* done: per point, this side's result. */
json_t *proto_done(const struct result *result);
int proto_read_done(struct result *result, const json_t *msg) __attribute__((warn_unused_result));

/* interval: the result of this side since the previous one; the last one is the rest. */
struct proto_interval {
	uint64_t number;
	bool rest;
	struct result result;
};

json_t *proto_interval(const struct proto_interval *interval);
int proto_read_interval(struct proto_interval *interval, const json_t *msg)
	__attribute__((warn_unused_result));

/* copy: the file that the client wants to send; the name is UTF-8 (RFC 8259), else NULL. */
json_t *proto_file(const struct copy_file *file);
int proto_read_file(struct copy_file *file, const json_t *json) __attribute__((warn_unused_result));

/* The type of a message, which every received one has. */
const char *proto_type(const json_t *msg);

/* A message without fields other than its type: ready, go, bye, heartbeat, ... */
json_t *proto_plain(const char *type);

#endif
