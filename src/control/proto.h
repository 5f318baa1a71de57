/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The messages of a session: structs to JSON objects and back, by the tables of fields. Unknown
 * fields are ignored; a missing or ill-typed one is -EBADMSG with an error message that names
 * struct and field. Decoders check every range and length before use: the peer is not trusted.
 * docs/protocol.md gives order and fields.
 */
#ifndef PROTO_H
#define PROTO_H

#include <stdio.h>
#include <jansson.h>

#include "copy/copy.h"
#include "ep/ep.h"
#include "plan/plan.h"
#include "worker/result.h"

#define PROTO_VERSION 9

/* hello, both ways, first: version, features, tool version, host name. */
struct proto_hello {
	uint32_t version;
	char tool_version[PLAN_NAME];
	char host[PLAN_NAME];
	/* features that both sides have are used; none is optional so far: an empty list */
};

json_t *proto_hello(void);
/* -EPROTO with an error message that says which side must be upgraded when versions differ. */
int proto_read_hello(struct proto_hello *hello, const json_t *msg)
	__attribute__((warn_unused_result));

/* limits: server to client after the plan. limits_decode() reads it. */
json_t *proto_limits(const struct limits *limits);

/* endpoint: per point. n_qps is checked against expected; addr->qps is allocated (ep_addr_free). */
json_t *proto_endpoint(const struct ep_addr *addr);
int proto_read_endpoint(struct ep_addr *addr, const json_t *msg, uint32_t n_qps)
	__attribute__((warn_unused_result));

/* done: per point, this side's result. */
json_t *proto_done(const struct result *result);
int proto_read_done(struct result *result, const json_t *msg) __attribute__((warn_unused_result));

/* interval: what this side has measured since the one before; the last one is the rest. */
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

/* A message that is nothing but its type: ready, go, bye, heartbeat, ... */
json_t *proto_plain(const char *type);

/* The tables of all messages, by the names that docs/protocol.md uses; the last has no name. */
struct proto_part {
	const char *name;
	const struct field_table *table;
};

extern const struct proto_part proto_parts[];

/*
 * Copies a document and makes the tables in it: the lines between "<!-- fields: NAME -->" and
 * "<!-- end -->" are replaced by field_doc() of the part of that name. -EBADMSG with an error
 * message for an unknown name or a missing end; -errno when out fails.
 */
int proto_doc(FILE *out, FILE *in) __attribute__((warn_unused_result));

#endif
