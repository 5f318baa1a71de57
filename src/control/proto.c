/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the messages: which tables they are made of, and the few fields that no table describes.
 * Called by the files of session and point. Must not touch the connection, nor use a value of a
 * peer before its type and range are checked. docs/protocol.md has the same in words.
 */
#include "config.h"
#include "control/proto.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limits/gid.h"
#include "limits/gid_text.h"
#include "host/machine.h"
#include "util/err.h"

#define QPN_MAX 0xffffffu /* 24 bits on the wire: IBA vol. 1, 9.2 */
#define PSN_MAX 0xffffffu
#define CM_TOKEN_MAX 0xffffffffffffu

static const struct field hello_rows[] = {
	{ FIELD_OF(struct proto_hello, version), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .help = "version of the protocol; a side refuses another one, and its error message says which side must be upgraded" },
	{ FIELD_OF(struct proto_hello, tool_version), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .help = "version of verbench" },
	{ FIELD_OF(struct proto_hello, host), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .help = "host name" },
};

static const struct field_table hello_table = {
	.what = "hello", .rows = hello_rows, .n = FIELD_COUNT(hello_rows),
};

static const struct field endpoint_rows[] = {
	{ FIELD_OF(struct ep_addr, lid), .flags = FIELD_WIRE, .absent = FIELD_NEVER, .max = 0xffff,
	  .help = "LID of the port" },
	{ FIELD_OF(struct ep_addr, alt_lid), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = 0xffff, .help = "LID of the alternate port" },
	{ FIELD_OF(struct ep_addr, qkey), .flags = FIELD_WIRE,
	  .help = "UD: Q_Key; null: 0xffffffff" },
	{ FIELD_OF(struct ep_addr, dc_key), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = EP_DC_KEY_MAX, .help = "DC: the access key of its DCTs; else 0" },
	{ FIELD_OF(struct ep_addr, rkey), .flags = FIELD_WIRE,
	  .help = "R_Key of the buffers, 0 unless the opcode is one-sided; null: 0xffffffff" },
	{ FIELD_OF(struct ep_addr, cm_address), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .help = "of the server: the IP address on which it listens by rdma_cm; empty: it does not" },
	{ FIELD_OF(struct ep_addr, cm_port), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = 0xffff, .help = "of the server: the port of rdma_cm; 0: none" },
	{ FIELD_OF(struct ep_addr, cm_token), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = CM_TOKEN_MAX,
	  .help = "of the server: the number that connection requests must have; 0: none" },
	{ FIELD_OF(struct ep_addr, proof_qpn), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = QPN_MAX,
	  .help = "UC, UD, of the first thread: the QP that proves the address; else 0" },
	{ FIELD_OF(struct ep_addr, proof_qkey), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = INT32_MAX, .help = "its Q_Key" },
};

static const struct field_table endpoint_table = {
	.what = "endpoint", .rows = endpoint_rows, .n = FIELD_COUNT(endpoint_rows),
};

static const struct field qp_rows[] = {
	{ FIELD_OF(struct ep_qp_id, qpn), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = QPN_MAX, .help = "QP number" },
	{ FIELD_OF(struct ep_qp_id, psn), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = PSN_MAX, .help = "first packet sequence number" },
	{ FIELD_OF(struct ep_qp_id, recv_qpn), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = QPN_MAX, .help = "XRC, DC: number of the QP that receives; else 0" },
	{ FIELD_OF(struct ep_qp_id, srqn), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = QPN_MAX, .help = "XRC: number of the SRQ that it has; else 0" },
	{ FIELD_OF(struct ep_qp_id, rkey), .flags = FIELD_WIRE,
	  .help = "R_Key of its memory window, 0 without; null: 0xffffffff" },
};

static const struct field_table qp_table = {
	.what = "endpoint's QP", .rows = qp_rows, .n = FIELD_COUNT(qp_rows),
};

static const struct field file_rows[] = {
	{ FIELD_OF(struct copy_file, size_bytes), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .unit = "bytes", .help = "length of the file" },
	{ FIELD_OF(struct copy_file, mode), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .max = 0777, .help = "permission bits; the umask of the server takes some away" },
	{ FIELD_OF(struct copy_file, overwrite), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .help = "a file of that name is replaced" },
};

static const struct field_table file_table = {
	.what = "file", .rows = file_rows, .n = FIELD_COUNT(file_rows),
};

static const struct field interval_rows[] = {
	{ FIELD_OF(struct proto_interval, number), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .help = "of the interval, from 0" },
	{ FIELD_OF(struct proto_interval, rest), .flags = FIELD_WIRE,
	  .help = "the last one, which ends with the point" },
};

static const struct field_table interval_table = {
	.what = "interval", .rows = interval_rows, .n = FIELD_COUNT(interval_rows),
};

const struct proto_part proto_parts[] = {
	{ "hello", &hello_table },
	{ "limits", &limits_table },
	{ "gid", &limits_gid_table },
	{ "machine", &machine_table },
	{ "plan", &plan_table },
	{ "point", &plan_point_table },
	{ "endpoint", &endpoint_table },
	{ "qp", &qp_table },
	{ "interval", &interval_table },
	{ "done", &result_table },
	{ "file", &file_table },
	{ NULL, NULL },
};

json_t *proto_plain(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

/* json is released on failure, as by field_encode(). */
static json_t *add(json_t *json, const char *name, json_t *value)
{
	if (!json) {
		json_decref(value);
		return NULL;
	}
	if (json_object_set_new(json, name, value)) {
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *proto_hello(void)
{
	struct proto_hello hello = {
		.version = PROTO_VERSION,
		.tool_version = PACKAGE_VERSION,
	};

	if (gethostname(hello.host, sizeof(hello.host) - 1))
		snprintf(hello.host, sizeof(hello.host), "(unknown)");
	return field_encode(add(proto_plain("hello"), "features", json_array()), &hello_table,
			    &hello, FIELD_WIRE);
}

int proto_read_hello(struct proto_hello *hello, const json_t *msg)
{
	const json_t *field = json_object_get(msg, "version");
	const json_int_t version = json_integer_value(field);
	struct proto_hello read;
	int rc;

	/* first, as another version may have other fields */
	if (json_is_integer(field) && version != PROTO_VERSION)
		return err_set(-EPROTO,
			       "the peer has version %" JSON_INTEGER_FORMAT " of the protocol, this side version %d (verbench %s): upgrade %s",
			       version, PROTO_VERSION, PACKAGE_VERSION,
			       version < PROTO_VERSION ? "the peer" : "this side");
	rc = field_decode(&hello_table, &read, msg);
	if (!rc)
		*hello = read;
	return rc;
}

json_t *proto_limits(const struct limits *limits)
{
	return add(limits_encode(limits), "type", json_string("limits"));
}

static json_t *encode_qps(const struct ep_addr *addr)
{
	json_t *qps = json_array();

	for (uint32_t i = 0; i < addr->n_qps; i++)
		if (json_array_append_new(qps, field_encode(json_object(), &qp_table,
							    &addr->qps[i], FIELD_WIRE))) {
			json_decref(qps);
			return NULL;
		}
	return qps;
}

json_t *proto_endpoint(const struct ep_addr *addr)
{
	json_t *msg = field_encode(proto_plain("endpoint"), &endpoint_table, addr, FIELD_WIRE);
	char gid[GID_TEXT_MAX], alt_gid[GID_TEXT_MAX], buf_addr[24];

	snprintf(buf_addr, sizeof(buf_addr), "0x%016" PRIx64, addr->buf_addr);
	msg = add(msg, "gid", json_string(gid_text(addr->gid, gid, sizeof(gid))));
	msg = add(msg, "alt_gid", json_string(gid_text(addr->alt_gid, alt_gid, sizeof(alt_gid))));
	msg = add(msg, "buf_addr", json_string(buf_addr));
	return add(msg, "qps", encode_qps(addr));
}

static int read_gid(uint8_t raw[16], const json_t *msg, const char *field)
{
	const char *text = json_string_value(json_object_get(msg, field));

	if (!text || inet_pton(AF_INET6, text, raw) != 1)
		return err_set(-EBADMSG, "the peer's endpoint: field \"%s\" is missing or not an IPv6 address",
			       field);
	return 0;
}

/* "0x" and 16 hexadecimal digits: an address may need all 64 bits. */
static int read_buf_addr(uint64_t *buf_addr, const json_t *msg)
{
	const char *text = json_string_value(json_object_get(msg, "buf_addr"));

	if (!text || strlen(text) != 18 || strncmp(text, "0x", 2) ||
	    strspn(text + 2, "0123456789abcdef") != 16)
		return err_set(-EBADMSG, "the peer's endpoint: field \"buf_addr\" is missing or not 0x and 16 hexadecimal digits");
	*buf_addr = strtoull(text, NULL, 16);
	return 0;
}

int proto_read_endpoint(struct ep_addr *addr, const json_t *msg, uint32_t n_qps)
{
	const json_t *qps = json_object_get(msg, "qps");
	struct ep_addr read = { .n_qps = n_qps };
	int rc;

	rc = field_decode(&endpoint_table, &read, msg);
	if (!rc)
		rc = read_gid(read.gid, msg, "gid");
	if (!rc)
		rc = read_gid(read.alt_gid, msg, "alt_gid");
	if (!rc)
		rc = read_buf_addr(&read.buf_addr, msg);
	if (rc)
		return rc;
	if (!json_is_array(qps) || json_array_size(qps) != n_qps)
		return err_set(-EBADMSG, "the peer's endpoint: field \"qps\" has %zu elements, the plan %u",
			       json_array_size(qps), n_qps);
	read.qps = calloc(n_qps ? n_qps : 1, sizeof(*read.qps));
	if (!read.qps)
		return err_set(-ENOMEM, "no memory for the addresses of %u QPs", n_qps);
	for (uint32_t i = 0; !rc && i < n_qps; i++)
		rc = field_decode(&qp_table, &read.qps[i], json_array_get(qps, i));
	if (rc)
		free(read.qps);
	else
		*addr = read;
	return rc;
}

json_t *proto_file(const struct copy_file *file)
{
	json_t *name = json_string(file->name);

	return name ? add(field_encode(json_object(), &file_table, file, FIELD_WIRE), "name", name) :
		      NULL;
}

int proto_read_file(struct copy_file *file, const json_t *json)
{
	const char *name = json_string_value(json_object_get(json, "name"));
	struct copy_file read = { 0 };
	int rc = field_decode(&file_table, &read, json);

	if (rc)
		return rc;
	if (!name || strlen(name) >= sizeof(read.name))
		return err_set(-EBADMSG, "the peer's file: field \"name\" is missing or longer than %zu bytes",
			       sizeof(read.name) - 1);
	snprintf(read.name, sizeof(read.name), "%s", name);
	*file = read;
	return 0;
}

json_t *proto_done(const struct result *result)
{
	return field_encode(proto_plain("done"), &result_table, result, FIELD_WIRE);
}

static int read_result(struct result *result, const json_t *msg)
{
	struct result read;
	int rc;

	result_clear(&read);
	rc = field_decode(&result_table, &read, msg);
	if (!rc && read.duplicated != UINT64_MAX && read.duplicated > read.received)
		rc = err_set(-EBADMSG, "the peer's result: more messages are duplicated than received");
	if (!rc)
		*result = read;
	return rc;
}

int proto_read_done(struct result *result, const json_t *msg)
{
	return read_result(result, msg);
}

json_t *proto_interval(const struct proto_interval *interval)
{
	json_t *msg = field_encode(proto_plain("interval"), &result_table, &interval->result,
				   FIELD_WIRE);

	return field_encode(msg, &interval_table, interval, FIELD_WIRE);
}

int proto_read_interval(struct proto_interval *interval, const json_t *msg)
{
	int rc = field_decode(&interval_table, interval, msg);

	return rc ? rc : read_result(&interval->result, msg);
}
