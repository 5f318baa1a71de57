/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The messages: the tables they consist of, and the few fields without a table. Does not touch the
 * connection, and checks type and range of every value of a peer before use. docs/dev/protocol.md
 * gives order and meaning of the messages.
 */
#include "config.h"
#include "wire/proto.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/json_build.h"
#include "limits/gid.h"
#include "limits/gid_text.h"
#include "place/machine.h"
#include "util/err.h"

#define QPN_MAX 0xffffffu /* 24 bits on the wire: IBA vol. 1, 9.2 */
#define PSN_MAX 0xffffffu
#define CM_TOKEN_MAX 0xffffffffffffu

/* A field that is never absent. */
#define ROW(s, f) FIELD_OF(s, f), .flags = FIELD_WIRE, .absent = FIELD_NEVER

static const struct field hello_rows[] = {
	{ ROW(struct proto_hello, version),
	  .help = "version of the protocol; a side refuses another one, and its error message says which side must be upgraded" },
	{ ROW(struct proto_hello, tool_version), .help = "version of verbench" },
	{ ROW(struct proto_hello, host), .help = "host name" },
};

static const struct field_table hello_table = { "hello", hello_rows, FIELD_COUNT(hello_rows) };

static const struct field endpoint_rows[] = {
	{ ROW(struct ep_addr, lid), .max = 0xffff, .help = "LID of the port" },
	{ ROW(struct ep_addr, alt_lid), .max = 0xffff, .help = "LID of the alternate port" },
	{ FIELD_OF(struct ep_addr, qkey), .flags = FIELD_WIRE,
	  .help = "UD: Q_Key; null: 0xffffffff" },
	{ ROW(struct ep_addr, dc_key), .max = EP_DC_KEY_MAX,
	  .help = "DC: the access key of its DCTs; else 0" },
	{ FIELD_OF(struct ep_addr, rkey), .flags = FIELD_WIRE,
	  .help = "R_Key of the buffers, 0 unless the opcode is one-sided, and if there are several regions (rkeys); null: 0xffffffff" },
	{ ROW(struct ep_addr, cm_address),
	  .help = "of the server: the IP address on which it listens by rdma_cm; empty: it does not" },
	{ ROW(struct ep_addr, cm_port), .max = 0xffff,
	  .help = "of the server: the port of rdma_cm; 0: none" },
	{ ROW(struct ep_addr, cm_token), .max = CM_TOKEN_MAX,
	  .help = "of the server: the number that connection requests must have; 0: none" },
	{ ROW(struct ep_addr, proof_qpn), .max = QPN_MAX,
	  .help = "UC, UD, of the first thread: the QP that proves the address; else 0" },
	{ ROW(struct ep_addr, proof_qkey), .max = INT32_MAX, .help = "its Q_Key" },
};

static const struct field_table endpoint_table = {
	"endpoint", endpoint_rows, FIELD_COUNT(endpoint_rows)
};

static const struct field qp_rows[] = {
	{ ROW(struct ep_qp_id, qpn), .max = QPN_MAX, .help = "QP number" },
	{ ROW(struct ep_qp_id, psn), .max = PSN_MAX, .help = "first packet sequence number" },
	{ ROW(struct ep_qp_id, recv_qpn), .max = QPN_MAX,
	  .help = "XRC, DC: number of the QP that receives; else 0" },
	{ ROW(struct ep_qp_id, srqn), .max = QPN_MAX,
	  .help = "XRC: number of the SRQ that it has; else 0" },
	{ FIELD_OF(struct ep_qp_id, rkey), .flags = FIELD_WIRE,
	  .help = "R_Key of its memory window; else 0; null: 0xffffffff" },
};

static const struct field_table qp_table = { "endpoint's QP", qp_rows, FIELD_COUNT(qp_rows) };

static const struct field file_rows[] = {
	{ ROW(struct copy_file, size_bytes), .unit = "bytes", .help = "length of the file" },
	{ ROW(struct copy_file, mode), .max = 0777,
	  .help = "permission bits; the umask of the server takes some away" },
	{ ROW(struct copy_file, overwrite), .help = "a file of that name is replaced" },
};

static const struct field_table file_table = { "file", file_rows, FIELD_COUNT(file_rows) };

static const struct field interval_rows[] = {
	{ ROW(struct proto_interval, number), .help = "of the interval, from 0" },
	{ FIELD_OF(struct proto_interval, rest), .flags = FIELD_WIRE,
	  .help = "the last one, which ends with the point" },
};

static const struct field_table interval_table = {
	"interval", interval_rows, FIELD_COUNT(interval_rows)
};

const char *proto_type(const json_t *msg)
{
	return json_string_value(json_object_get(msg, "type"));
}

json_t *proto_plain(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

json_t *proto_hello(void)
{
	struct proto_hello hello = {
		.version = PROTO_VERSION,
		.tool_version = PACKAGE_VERSION,
	};
	json_t *msg;

	if (gethostname(hello.host, sizeof(hello.host) - 1))
		snprintf(hello.host, sizeof(hello.host), "(unknown)");
	msg = field_encode(proto_plain("hello"), &hello_table, &hello, FIELD_WIRE);
	json_build_set(&msg, "features", json_array());
	return msg;
}

int proto_read_hello(struct proto_hello *hello, const json_t *msg)
{
	const json_t *field = json_object_get(msg, "version");
	const json_int_t version = json_integer_value(field);
	struct proto_hello read;
	int rc;

	/* first, because another version may have other fields */
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
	json_t *msg = limits_encode(limits);

	json_build_set(&msg, "type", json_string("limits"));
	return msg;
}

json_t *proto_endpoint(const struct ep_addr *addr)
{
	json_t *msg = field_encode(proto_plain("endpoint"), &endpoint_table, addr, FIELD_WIRE);
	json_t *qps = json_array(), *rkeys = json_array();
	char text[GID_TEXT_MAX];

	json_build_set(&msg, "gid", json_string(gid_text(addr->gid, text, sizeof(text))));
	json_build_set(&msg, "alt_gid", json_string(gid_text(addr->alt_gid, text, sizeof(text))));
	json_build_set(&msg, "buf_addr", json_sprintf("0x%016" PRIx64, addr->buf_addr));
	for (uint32_t i = 0; i < addr->n_qps; i++)
		json_build_add(&qps, field_encode(json_object(), &qp_table, &addr->qps[i],
						  FIELD_WIRE));
	json_build_set(&msg, "qps", qps);
	for (uint32_t i = 0; i < addr->n_rkeys; i++)
		json_build_add(&rkeys, json_integer(addr->rkeys[i]));
	json_build_set(&msg, "rkeys", rkeys);
	return msg;
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

/* addr->n_rkeys are wanted. */
static int read_rkeys(struct ep_addr *addr, const json_t *msg)
{
	const json_t *rkeys = json_object_get(msg, "rkeys");

	if (!json_is_array(rkeys) || json_array_size(rkeys) != addr->n_rkeys)
		return err_set(-EBADMSG, "the peer's endpoint: field \"rkeys\" has %zu elements, the plan %u",
			       json_array_size(rkeys), addr->n_rkeys);
	addr->rkeys = calloc(addr->n_rkeys ? addr->n_rkeys : 1, sizeof(*addr->rkeys));
	if (!addr->rkeys)
		return err_set(-ENOMEM, "no memory for the keys of %u regions", addr->n_rkeys);
	for (uint32_t i = 0; i < addr->n_rkeys; i++) {
		const json_t *rkey = json_array_get(rkeys, i);
		const json_int_t value = json_integer_value(rkey);

		if (!json_is_integer(rkey) || value < 0 || value > UINT32_MAX)
			return err_set(-EBADMSG, "the peer's endpoint: field \"rkeys\" has an element that is not an R_Key");
		addr->rkeys[i] = (uint32_t)value;
	}
	return 0;
}

int proto_read_endpoint(struct ep_addr *addr, const json_t *msg, uint32_t n_qps, uint32_t n_rkeys)
{
	const json_t *qps = json_object_get(msg, "qps");
	struct ep_addr read = { .n_qps = n_qps, .n_rkeys = n_rkeys };
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
	if (!rc)
		rc = read_rkeys(&read, msg);
	if (rc)
		ep_addr_free(&read);
	else
		*addr = read;
	return rc;
}

json_t *proto_file(const struct copy_file *file)
{
	json_t *json = field_encode(json_object(), &file_table, file, FIELD_WIRE);

	json_build_set(&json, "name", json_string(file->name));
	return json;
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

int proto_read_done(struct result *result, const json_t *msg)
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

json_t *proto_interval(const struct proto_interval *interval)
{
	json_t *msg = field_encode(proto_plain("interval"), &result_table, &interval->result,
				   FIELD_WIRE);

	return field_encode(msg, &interval_table, interval, FIELD_WIRE);
}

int proto_read_interval(struct proto_interval *interval, const json_t *msg)
{
	int rc = field_decode(&interval_table, interval, msg);

	return rc ? rc : proto_read_done(&interval->result, msg);
}
