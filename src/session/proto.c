/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the messages: the tables of their members (one row each, for both directions) and what
 * tables cannot say. Called by session. Must not touch the connection, nor use a peer's value
 * before its type and range were checked. docs/protocol.md is the same in words.
 */
#include "config.h"
#include "session/proto.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/ctl.h"
#include "util/err.h"
#include "plan/gid.h"
#include "session/member.h"

#define QPN_MAX 0xffffffu /* 24 bits on the wire: IBA vol. 1, 9.2 */
#define PSN_MAX 0xffffffu

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct member hello_members[] = {
	{ "version", MEMBER_FIELD(proto_hello, version) },
	{ "tool_version", MEMBER_FIELD(proto_hello, tool_version) },
	{ "host", MEMBER_FIELD(proto_hello, host) },
};

static const struct member limits_members[] = {
	{ "host", MEMBER_FIELD(limits, host) },
	{ "device", MEMBER_FIELD(limits, device) },
	{ "driver", MEMBER_FIELD(limits, driver) },
	{ "firmware", MEMBER_FIELD(limits, firmware) },
	{ "netdev", MEMBER_FIELD(limits, netdev) },
	{ "port", MEMBER_FIELD(limits, port), .max = 255 },
	{ "ethernet", MEMBER_FIELD(limits, ethernet) },
	{ "emulated", MEMBER_FIELD(limits, emulated) },
	{ "rate_mbit_s", MEMBER_FIELD(limits, rate_mbit_s) },
	{ "lid", MEMBER_FIELD(limits, lid), .max = 0xffff },
	{ "pkey_index", MEMBER_FIELD(limits, pkey_index), .max = 0xffff },
	{ "pkey", MEMBER_FIELD(limits, pkey), .max = 0xffff },
	{ "active_mtu_bytes", MEMBER_FIELD(limits, active_mtu_bytes), .max = 4096 },
	{ "max_msg_bytes", MEMBER_FIELD(limits, max_msg_bytes) },
	{ "max_qps", MEMBER_FIELD(limits, max_qps) },
	{ "max_wr", MEMBER_FIELD(limits, max_wr) },
	{ "max_cqe", MEMBER_FIELD(limits, max_cqe) },
	{ "max_cqs", MEMBER_FIELD(limits, max_cqs) },
	{ "max_mrs", MEMBER_FIELD(limits, max_mrs) },
	{ "max_pds", MEMBER_FIELD(limits, max_pds) },
	{ "max_rd_atomic", MEMBER_FIELD(limits, max_rd_atomic) },
	{ "max_init_rd_atomic", MEMBER_FIELD(limits, max_init_rd_atomic) },
	{ "max_inline_bytes", MEMBER_FIELD(limits, max_inline_bytes) },
	{ "atomics", MEMBER_FIELD(limits, atomics) },
	{ "locks", MEMBER_FIELD(limits, unlocked), .names = locks_names,
	  .n_names = LOCKS_OFF_ALL + 1 },
	{ "post_wr", MEMBER_FIELD(limits, post_wr) },
	{ "poll_extended", MEMBER_FIELD(limits, poll_extended) },
	{ "max_total_bytes", MEMBER_FIELD(limits, max_total_bytes) },
	{ "max_threads", MEMBER_FIELD(limits, max_threads) },
	{ "max_seconds", MEMBER_FIELD(limits, max_seconds) },
	{ "hugepage_bytes", MEMBER_FIELD(limits, hugepage_bytes) },
	{ "hugepages_free", MEMBER_FIELD(limits, hugepages_free) },
	{ "gid_index", MEMBER_FIELD(limits, gid_index) },
};

static const struct member gid_members[] = {
	{ "index", MEMBER_FIELD(plan_gid, index) },
	{ "type", MEMBER_FIELD(plan_gid, type), .names = gid_type_names,
	  .n_names = GID_TYPE_COUNT },
};

static const struct member plan_members[] = {
	{ "test", MEMBER_FIELD(plan, work.test), .names = kind_test_names, .n_names = TEST_COUNT },
	{ "pattern", MEMBER_FIELD(plan, work.pattern), .names = kind_pattern_names,
	  .n_names = PATTERN_PROBE + 1 },
	{ "transport", MEMBER_FIELD(plan, work.kind.tp), .names = kind_transport_names,
	  .n_names = TP_COUNT },
	{ "opcode", MEMBER_FIELD(plan, work.kind.op), .names = kind_opcode_names,
	  .n_names = OP_COUNT },
	{ "completion", MEMBER_FIELD(plan, work.kind.cm), .names = kind_completion_names,
	  .n_names = CM_COUNT },
	{ "bidir", MEMBER_FIELD(plan, work.bidir) },
	{ "verify", MEMBER_FIELD(plan, work.verify) },
	{ "locks", MEMBER_FIELD(plan, work.locks), .names = locks_wish_names,
	  .n_names = LOCKS_OFF + 1 },
	{ "post_api", MEMBER_FIELD(plan, work.post_api), .names = apis_post_names,
	  .n_names = APIS_POST_AUTO },
	{ "poll_api", MEMBER_FIELD(plan, work.poll_api), .names = apis_poll_names,
	  .n_names = APIS_POLL_EXTENDED + 1 },
	{ "threads", MEMBER_FIELD(plan, work.threads) },
	{ "qps", MEMBER_FIELD(plan, work.qps) },
	{ "depth", MEMBER_FIELD(plan, work.depth) },
	{ "recv_depth", MEMBER_FIELD(plan, work.recv_depth) },
	{ "post_list", MEMBER_FIELD(plan, work.post_list) },
	{ "signal_interval", MEMBER_FIELD(plan, work.signal_interval) },
	{ "spin_us", MEMBER_FIELD(plan, work.spin_us) },
	{ "walk", MEMBER_FIELD(plan, work.walk), .names = walk_names, .n_names = WALK_COUNT },
	{ "hugepages", MEMBER_FIELD(plan, work.hugepages), .names = hugepages_names,
	  .n_names = HUGEPAGES_COUNT },
	{ "inline_bytes", MEMBER_FIELD(plan, work.inline_bytes) },
	{ "mtu_bytes", MEMBER_FIELD(plan, path.mtu_bytes) },
	{ "outstanding", MEMBER_FIELD(plan, work.outstanding) },
	{ "qp_timeout", MEMBER_FIELD(plan, path.qp_timeout) },
	{ "retry", MEMBER_FIELD(plan, path.retry) },
	{ "rnr_retry", MEMBER_FIELD(plan, path.rnr_retry) },
	{ "min_rnr_timer", MEMBER_FIELD(plan, path.min_rnr_timer) },
	{ "pkey", MEMBER_FIELD(plan, path.pkey) },
	{ "sl", MEMBER_FIELD(plan, path.sl) },
	{ "tclass", MEMBER_FIELD(plan, path.tclass) },
	{ "client_gid", MEMBER_FIELD(plan, path.client_gid) },
	{ "server_gid", MEMBER_FIELD(plan, path.server_gid) },
	{ "global_route", MEMBER_FIELD(plan, path.global_route) },
	{ "stall_timeout_ms", MEMBER_FIELD(plan, stall_timeout_ms) },
};

static const struct member point_members[] = {
	{ "index", MEMBER_FIELD(point, index) },
	{ "size_bytes", MEMBER_FIELD(point, size_bytes) },
	{ "messages", MEMBER_FIELD(point, messages) },
	{ "duration_ns", MEMBER_FIELD(point, duration_ns) },
	{ "footprint_bytes", MEMBER_FIELD(point, footprint_bytes) },
};

static const struct member endpoint_members[] = {
	{ "lid", MEMBER_FIELD(ep_addr, lid), .max = 0xffff },
	{ "qkey", MEMBER_FIELD(ep_addr, qkey) },
	{ "rkey", MEMBER_FIELD(ep_addr, rkey) },
};

static const struct member qp_members[] = {
	{ "qpn", MEMBER_FIELD(ep_qp_id, qpn), .max = QPN_MAX },
	{ "psn", MEMBER_FIELD(ep_qp_id, psn), .max = PSN_MAX },
};

static const struct member done_members[] = {
	{ "status", MEMBER_FIELD(result, status), .names = result_status_names,
	  .n_names = RESULT_SKIPPED + 1 },
	{ "reason", MEMBER_FIELD(result, reason) },
	{ "sent", MEMBER_FIELD(result, sent) },
	{ "tx_window_ns", MEMBER_FIELD(result, tx_window_ns) },
	{ "received", MEMBER_FIELD(result, received) },
	{ "rx_window_ns", MEMBER_FIELD(result, rx_window_ns) },
	{ "lost", MEMBER_FIELD(result, lost) },
	{ "duplicated", MEMBER_FIELD(result, duplicated) },
	{ "out_of_order", MEMBER_FIELD(result, out_of_order) },
	{ "locks", MEMBER_FIELD(result, locks), .names = locks_names,
	  .n_names = LOCKS_OFF_ALL + 1 },
	{ "polls", MEMBER_FIELD(result, polls) },
	{ "empty_polls", MEMBER_FIELD(result, empty_polls) },
	{ "events", MEMBER_FIELD(result, events) },
	{ "spurious_events", MEMBER_FIELD(result, spurious_events) },
	{ "credit_stalls", MEMBER_FIELD(result, credit_stalls) },
	{ "verified", MEMBER_FIELD(result, verified) },
	{ "page_bytes", MEMBER_FIELD(result, page_bytes) },
	{ "samples", MEMBER_FIELD(result, lat.samples) },
	{ "min_ns", MEMBER_FIELD(result, lat.min_ns) },
	{ "p50_ns", MEMBER_FIELD(result, lat.p50_ns) },
	{ "p90_ns", MEMBER_FIELD(result, lat.p90_ns) },
	{ "p99_ns", MEMBER_FIELD(result, lat.p99_ns) },
	{ "p99_9_ns", MEMBER_FIELD(result, lat.p99_9_ns) },
	{ "p99_99_ns", MEMBER_FIELD(result, lat.p99_99_ns) },
	{ "max_ns", MEMBER_FIELD(result, lat.max_ns) },
	{ "mean_ns", MEMBER_FIELD(result, lat.mean_ns) },
	{ "stdev_ns", MEMBER_FIELD(result, lat.stdev_ns) },
	{ "qp_sent_min", MEMBER_FIELD(result, qp_sent.min) },
	{ "qp_sent_max", MEMBER_FIELD(result, qp_sent.max) },
	{ "qp_sent_fairness", MEMBER_FIELD(result, qp_sent.index) },
	{ "qp_received_min", MEMBER_FIELD(result, qp_received.min) },
	{ "qp_received_max", MEMBER_FIELD(result, qp_received.max) },
	{ "qp_received_fairness", MEMBER_FIELD(result, qp_received.index) },
	{ "thread_tx_min", MEMBER_FIELD(result, thread_tx.min) },
	{ "thread_tx_max", MEMBER_FIELD(result, thread_tx.max) },
	{ "thread_tx_fairness", MEMBER_FIELD(result, thread_tx.index) },
	{ "thread_rx_min", MEMBER_FIELD(result, thread_rx.min) },
	{ "thread_rx_max", MEMBER_FIELD(result, thread_rx.max) },
	{ "thread_rx_fairness", MEMBER_FIELD(result, thread_rx.index) },
	{ "cpu_ns", MEMBER_FIELD(result, cpu_ns) },
	{ "voluntary_switches", MEMBER_FIELD(result, voluntary_switches) },
	{ "involuntary_switches", MEMBER_FIELD(result, involuntary_switches) },
};

static const struct member affinity_members[] = {
	{ "cpus", MEMBER_FIELD(result_affinity, cpus) },
	{ "nodes", MEMBER_FIELD(result_affinity, nodes) },
	{ "mem_nodes", MEMBER_FIELD(result_affinity, mem_nodes) },
	{ "hca_node", MEMBER_FIELD(result_affinity, hca_node) },
	{ "distance", MEMBER_FIELD(result_affinity, distance) },
	{ "mem_distance", MEMBER_FIELD(result_affinity, mem_distance) },
	{ "placement", MEMBER_FIELD(result_affinity, placement), .names = topo_near_names,
	  .n_names = TOPO_FAR + 1 },
	{ "warnings", MEMBER_FIELD(result_affinity, warnings) },
};

static const struct member_table hello_table = { "hello", hello_members, COUNT(hello_members) };
static const struct member_table limits_table = { "limits", limits_members, COUNT(limits_members) };
static const struct member_table gid_table = { "limits gid", gid_members, COUNT(gid_members) };
static const struct member_table plan_table = { "plan", plan_members, COUNT(plan_members) };
static const struct member_table point_table = { "plan point", point_members,
						 COUNT(point_members) };
static const struct member_table endpoint_table = { "endpoint", endpoint_members,
					     COUNT(endpoint_members) };
static const struct member_table qp_table = { "endpoint qp", qp_members, COUNT(qp_members) };
static const struct member_table done_table = { "done", done_members, COUNT(done_members) };
static const struct member_table affinity_table = { "done affinity", affinity_members,
						    COUNT(affinity_members) };

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
	json_t *msg = proto_plain("hello");

	if (gethostname(hello.host, sizeof(hello.host) - 1))
		snprintf(hello.host, sizeof(hello.host), "(unknown)");
	if (json_object_set_new(msg, "features", json_array())) {
		json_decref(msg);
		return NULL;
	}
	return member_encode(msg, &hello_table, &hello);
}

int proto_read_hello(struct proto_hello *hello, const json_t *msg)
{
	const json_t *member = json_object_get(msg, "version");
	const json_int_t version = json_integer_value(member);
	struct proto_hello read;
	int rc;

	/* first, as another version may have other members */
	if (json_is_integer(member) && version != PROTO_VERSION)
		return err_set(-EPROTO, "the peer speaks version %" JSON_INTEGER_FORMAT " of the "
			       "protocol, this side version %d (verbench %s): upgrade %s", version,
			       PROTO_VERSION, PACKAGE_VERSION,
			       version < PROTO_VERSION ? "the peer" : "this side");
	rc = member_decode(&read, &hello_table, msg);
	if (!rc)
		*hello = read;
	return rc;
}

/* obj is released on failure, as by member_encode(). */
static json_t *add(json_t *obj, const char *name, json_t *value)
{
	if (!obj) {
		json_decref(value);
		return NULL;
	}
	if (json_object_set_new(obj, name, value)) {
		json_decref(obj);
		return NULL;
	}
	return obj;
}

static json_t *gid_value(const uint8_t raw[16])
{
	char text[GID_TEXT_MAX];

	return json_string(inet_ntop(AF_INET6, raw, text, sizeof(text)));
}

static int read_gid(uint8_t raw[16], const char *message, const json_t *obj)
{
	const char *text = json_string_value(json_object_get(obj, "gid"));

	if (!text || inet_pton(AF_INET6, text, raw) != 1)
		return err_set(-EBADMSG, "the peer's %s message: member \"gid\" is missing or not "
			       "written as an IPv6 address", message);
	return 0;
}

json_t *proto_limits(const struct limits *limits)
{
	json_t *gids = json_array();

	for (uint32_t i = 0; i < limits->n_gids; i++) {
		const struct plan_gid *gid = &limits->gids[i];
		json_t *obj = add(json_object(), "gid", gid_value(gid->raw));

		if (json_array_append_new(gids, member_encode(obj, &gid_table, gid))) {
			json_decref(gids);
			return NULL;
		}
	}
	return add(member_encode(proto_plain("limits"), &limits_table, limits), "gids", gids);
}

int proto_read_limits(struct limits *limits, const json_t *obj)
{
	const json_t *gids = json_object_get(obj, "gids");
	struct limits read = { .n_gids = 0 };
	int rc;

	rc = member_decode(&read, &limits_table, obj);
	if (rc)
		return rc;
	if (!json_is_array(gids) || json_array_size(gids) > PLAN_MAX_GIDS)
		return err_set(-EBADMSG, "the peer's limits message: member \"gids\" is not an "
			       "array of at most %u", PLAN_MAX_GIDS);
	for (; read.n_gids < json_array_size(gids); read.n_gids++) {
		struct plan_gid *gid = &read.gids[read.n_gids];
		const json_t *one = json_array_get(gids, read.n_gids);

		rc = member_decode(gid, &gid_table, one);
		if (!rc)
			rc = read_gid(gid->raw, "limits", one);
		if (rc)
			return rc;
	}
	*limits = read;
	return 0;
}

json_t *proto_plan(const struct plan *plan)
{
	json_t *points = json_array();

	for (uint32_t i = 0; i < plan->n_points; i++)
		if (json_array_append_new(points, member_encode(json_object(), &point_table,
								&plan->points[i]))) {
			json_decref(points);
			return NULL;
		}
	return add(member_encode(json_object(), &plan_table, plan), "points", points);
}

int proto_same_plan(const struct plan *plan, const json_t *peers)
{
	const json_t *theirs = json_object_get(peers, "points"), *ours;
	json_t *own = proto_plan(plan);
	int rc;

	if (!own)
		return err_set(-ENOMEM, "no memory for the plan");
	ours = json_object_get(own, "points");
	rc = member_compare(&plan_table, own, peers);
	if (!rc && json_array_size(ours) != json_array_size(theirs))
		rc = err_set(-EPROTO, "the two sides disagree on the plan: %zu points here, %zu "
			     "at the peer", json_array_size(ours), json_array_size(theirs));
	for (size_t i = 0; !rc && i < json_array_size(ours); i++)
		rc = member_compare(&point_table, json_array_get(ours, i),
				    json_array_get(theirs, i));
	json_decref(own);
	return rc;
}

json_t *proto_endpoint(const struct ep_addr *addr)
{
	json_t *msg = member_encode(proto_plain("endpoint"), &endpoint_table, addr);
	json_t *qps = json_array();
	char buf_addr[24];

	for (uint32_t i = 0; i < addr->n_qps; i++)
		if (json_array_append_new(qps, member_encode(json_object(), &qp_table,
							     &addr->qps[i]))) {
			json_decref(qps);
			qps = NULL;
			break;
		}
	snprintf(buf_addr, sizeof(buf_addr), "0x%016" PRIx64, addr->buf_addr);
	msg = add(msg, "gid", gid_value(addr->gid));
	msg = add(msg, "buf_addr", json_string(buf_addr));
	return add(msg, "qps", qps);
}

/* "0x" and 16 hexadecimal digits: an address may need all 64 bits. */
static int read_buf_addr(uint64_t *buf_addr, const json_t *msg)
{
	const char *text = json_string_value(json_object_get(msg, "buf_addr"));

	if (!text || strlen(text) != 18 || strncmp(text, "0x", 2) ||
	    strspn(text + 2, "0123456789abcdef") != 16)
		return err_set(-EBADMSG, "the peer's endpoint message: member \"buf_addr\" is "
			       "missing or not 0x and 16 hexadecimal digits");
	*buf_addr = strtoull(text, NULL, 16);
	return 0;
}

int proto_read_endpoint(struct ep_addr *addr, const json_t *msg, uint32_t n_qps)
{
	const json_t *qps = json_object_get(msg, "qps");
	struct ep_addr read = { .n_qps = n_qps };
	int rc;

	rc = member_decode(&read, &endpoint_table, msg);
	if (!rc)
		rc = read_gid(read.gid, "endpoint", msg);
	if (!rc)
		rc = read_buf_addr(&read.buf_addr, msg);
	if (rc)
		return rc;
	if (!json_is_array(qps) || json_array_size(qps) != n_qps)
		return err_set(-EBADMSG, "the peer's endpoint message: member \"qps\" has %zu "
			       "elements, the plan %u", json_array_size(qps), n_qps);
	read.qps = calloc(n_qps ? n_qps : 1, sizeof(*read.qps));
	if (!read.qps)
		return err_set(-ENOMEM, "no memory for the addresses of %u QPs", n_qps);
	for (uint32_t i = 0; !rc && i < n_qps; i++)
		rc = member_decode(&read.qps[i], &qp_table, json_array_get(qps, i));
	if (rc)
		free(read.qps);
	else
		*addr = read;
	return rc;
}

json_t *proto_done(const struct result *result)
{
	return add(member_encode(proto_plain("done"), &done_table, result), "affinity",
		   member_encode(json_object(), &affinity_table, &result->affinity));
}

int proto_read_done(struct result *result, const json_t *msg)
{
	const json_t *affinity = json_object_get(msg, "affinity");
	struct result read;
	int rc;

	memset(&read, 0, sizeof(read));
	read.affinity.hca_node = read.affinity.distance = read.affinity.mem_distance = TOPO_NONE;
	rc = member_decode(&read, &done_table, msg);
	/* a peer that does not know of it has no place that is known */
	if (!rc && affinity)
		rc = member_decode(&read.affinity, &affinity_table, affinity);
	if (!rc && read.duplicated != UINT64_MAX && read.duplicated > read.received)
		rc = err_set(-EBADMSG, "the peer's done message: more messages are duplicated than "
			     "received");
	if (!rc)
		*result = read;
	return rc;
}
