/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * proto.c, limits.c, plan_fields.c: what is encoded comes back the same, what is wrong is refused
 * by name, and no frame, however mutated, does harm (run it under ASan). The tables are well
 * formed, and docs/protocol.md is made from them.
 */
#include "config.h"
#include "session/proto.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/ctl.h"
#include "util/err.h"

#define FUZZ_CASES 20000u
#define FUZZ_BYTES 16384u

static struct limits sample_limits(void)
{
	struct limits l = {
		.host = "node-a", .device = "mlx5_0", .driver = "mlx5_core", .firmware = "20.1",
		.port = 1, .ethernet = true, .rate_mbit_s = 100000, .lid = 7,
		.pkey_index = 2, .pkey = 0x8123,
		.active_mtu_bytes = 4096, .max_msg_bytes = 1u << 31, .max_qps = 1024,
		.max_wr = 32768, .max_cqe = 4194303, .max_rd_atomic = 16,
		.max_init_rd_atomic = 15, .max_inline_bytes = 220, .atomics = true,
		.max_cqs = 99, .max_mrs = UINT32_MAX, .max_pds = 77, .unlocked = LOCKS_OFF_QP,
		.post_wr = true,
		.max_threads = 55, .max_total_bytes = UINT64_MAX, .max_seconds = UINT32_MAX,
		.hugepage_bytes = 2 << 20, .hugepages_free = 17, .gid_index = CFG_AUTO,
		.n_gids = 2,
	};

	l.gids[0] = (struct plan_gid){ 0, GID_ROCE_V1, { 0xfe, 0x80, [15] = 1 } };
	l.gids[1] = (struct plan_gid){ 3, GID_ROCE_V2, { [10] = 0xff, 0xff, 10, 0, 0, 1 } };
	return l;
}

static struct plan sample_plan(void)
{
	struct plan p = {
		.work.test = TEST_READ_LAT,
		.work.pattern = PATTERN_PROBE,
		.work.kind = { TP_RC, OP_READ, CM_EVENT },
		.work.verify = true,
		.work.threads = 2,
		.work.qps = 3,
		.work.depth = 128,
		.work.post_list = 4,
		.work.signal_interval = 16,
		.work.walk = WALK_RANDOM,
		.work.hugepages = HUGEPAGES_OFF,
		.path.mtu_bytes = 1024,
		.work.outstanding = 16,
		.path.qp_timeout = 14,
		.path.retry = 7,
		.path.rnr_retry = 6,
		.path.min_rnr_timer = 12,
		.path.client_gid = 3,
		.path.server_gid = 1,
		.path.global_route = true,
		.stall_timeout_ms = 5000,
		.n_points = 2,
	};

	p.points[0] = (struct point){ 0, 64, 1000, 0, 65536 };
	p.points[1] = (struct point){ 1, 1u << 20, 0, 2000000000, 8 << 20 };
	return p;
}

static struct result sample_result(void)
{
	struct result r = {
		.status = RESULT_INCOMPLETE, .reason = "stopped", .sent = 123456789012345,
		.tx_window_ns = 999999999, .received = 1, .rx_window_ns = 2, .lost = 3,
		.duplicated = UINT64_MAX, .out_of_order = 4, .polls = 5, .empty_polls = 6,
		.events = 7, .spurious_events = 8, .credit_stalls = 9, .verified = UINT64_MAX,
		.page_bytes = 4096, .cpu_ns = 10, .voluntary_switches = 11,
		.involuntary_switches = 12,
		.lat = { .samples = 100, .min_ns = 1.1, .p50_ns = 2.25, .p90_ns = 1.0 / 3,
			 .p99_ns = 1e12, .p99_9_ns = NAN, .p99_99_ns = NAN, .max_ns = 7,
			 .mean_ns = 2.5, .stdev_ns = 0 },
		.locks = LOCKS_OFF_CQ, .qp_sent = { 1, 3, 0.9 }, .qp_received = fairness_none,
		.thread_tx = { 1e6, 2e6, 0.8 }, .thread_rx = fairness_none,
		.affinity = { .cpus = "0-3,8", .nodes = "0", .mem_nodes = "1", .hca_node = 1,
			  .distance = 21, .mem_distance = UINT32_MAX, .placement = TOPO_FAR,
			  .warnings = "w" },
	};

	return r;
}

static struct ep_addr sample_addr(struct ep_qp_id *qps, uint32_t n)
{
	struct ep_addr a = {
		.lid = 0xffff, .gid = { 0x20, 1, 0xd, 0xb8, [15] = 9 }, .qkey = UINT32_MAX,
		.buf_addr = UINT64_MAX - 4095, .rkey = 0x80000001, .n_qps = n, .qps = qps,
	};

	for (uint32_t i = 0; i < n; i++)
		qps[i] = (struct ep_qp_id){ 0xffffff - i, i };
	return a;
}

/* By way of text, as it goes over the wire. */
static json_t *wire(json_t *msg)
{
	char *text;
	json_t *back;

	assert_non_null(msg);
	text = json_dumps(msg, JSON_COMPACT);
	assert_non_null(text);
	json_decref(msg);
	back = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(back);
	return back;
}

static void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

static void test_hello(void **state)
{
	json_t *msg = wire(proto_hello());
	struct proto_hello hello;

	(void)state;
	assert_string_equal(json_string_value(json_object_get(msg, "type")), "hello");
	assert_true(json_is_array(json_object_get(msg, "features")));
	json_object_set_new(msg, "from_the_future", json_integer(1));
	assert_int_equal(proto_read_hello(&hello, msg), 0);
	assert_int_equal(hello.version, PROTO_VERSION);
	assert_string_equal(hello.tool_version, PACKAGE_VERSION);
	assert_true(hello.host[0] != '\0');

	json_object_set_new(msg, "version", json_integer(PROTO_VERSION + 1));
	json_object_del(msg, "host");
	assert_int_equal(proto_read_hello(&hello, msg), -EPROTO);
	assert_says("upgrade this side");
	json_object_set_new(msg, "version", json_integer(0));
	assert_int_equal(proto_read_hello(&hello, msg), -EPROTO);
	assert_says("upgrade the peer");
	json_object_set_new(msg, "version", json_string("1"));
	assert_int_equal(proto_read_hello(&hello, msg), -EBADMSG);
	json_decref(msg);
}

static void test_limits(void **state)
{
	const struct limits in = sample_limits();
	json_t *msg = wire(proto_limits(&in));
	struct limits out;

	(void)state;
	assert_true(json_is_null(json_object_get(msg, "max_total_bytes")));
	assert_true(json_is_null(json_object_get(msg, "gid_index")));
	memset(&out, 0xa5, sizeof(out));
	assert_int_equal(limits_decode(&out, msg), 0);
	assert_string_equal(out.host, in.host);
	assert_string_equal(out.device, in.device);
	assert_string_equal(out.driver, in.driver);
	assert_string_equal(out.firmware, in.firmware);
	assert_string_equal(out.netdev, "");
	assert_int_equal(out.port, in.port);
	assert_true(out.ethernet && !out.emulated && out.atomics);
	assert_int_equal(out.rate_mbit_s, in.rate_mbit_s);
	assert_int_equal(out.lid, in.lid);
	assert_int_equal(out.active_mtu_bytes, in.active_mtu_bytes);
	assert_int_equal(out.max_msg_bytes, in.max_msg_bytes);
	assert_int_equal(out.max_qps, in.max_qps);
	assert_int_equal(out.max_wr, in.max_wr);
	assert_int_equal(out.max_cqe, in.max_cqe);
	assert_int_equal(out.max_rd_atomic, in.max_rd_atomic);
	assert_int_equal(out.max_init_rd_atomic, in.max_init_rd_atomic);
	assert_int_equal(out.max_inline_bytes, in.max_inline_bytes);
	assert_int_equal(out.max_cqs, 99);
	assert_int_equal(out.max_pds, 77);
	assert_true(out.max_mrs == UINT32_MAX && out.max_threads == 55);
	assert_int_equal(out.unlocked, LOCKS_OFF_QP);
	assert_true(out.post_wr && !out.poll_extended);
	assert_true(out.max_total_bytes == UINT64_MAX);
	assert_true(out.max_seconds == UINT32_MAX && out.gid_index == CFG_AUTO);
	assert_int_equal(out.n_gids, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(out.gids[i].index, in.gids[i].index);
		assert_int_equal(out.gids[i].type, in.gids[i].type);
		assert_memory_equal(out.gids[i].raw, in.gids[i].raw, 16);
	}
	json_decref(msg);
}

/* Every field of the message in turn: missing, and of each JSON type and odd value. */
static void assert_every_field_checked(json_t *msg, int (*read)(const json_t *msg))
{
	static const char *const odd[] = { "-1", "18446744073709551616.0", "1.5", "[]", "{}",
					   "4294967296", "true", "\"\\n\"", "null", "-0.5" };
	json_t *copy = json_deep_copy(msg), *value;
	const char *name;

	json_object_foreach(copy, name, value) {
		uint32_t refused = 0;

		if (!strcmp(name, "type") || !strcmp(name, "features"))
			continue;
		json_object_del(msg, name);
		assert_int_equal(read(msg), -EBADMSG);
		assert_says(name);
		for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
			json_object_set_new(msg, name, json_loads(odd[i], JSON_DECODE_ANY, NULL));
			refused += read(msg) != 0;
		}
		/* a number from 0 on may be any of 1.5, 2^32, 2^64, null; anything else fewer */
		assert_true(refused >= 6);
		json_object_set(msg, name, value);
		assert_int_equal(read(msg), 0);
	}
	json_decref(copy);
	json_decref(msg);
}

static int read_hello(const json_t *msg)
{
	struct proto_hello hello;

	return proto_read_hello(&hello, msg) == -EPROTO ? -EBADMSG : proto_read_hello(&hello, msg);
}

static int read_limits(const json_t *msg)
{
	struct limits limits;

	return limits_decode(&limits, msg);
}

static int read_endpoint(const json_t *msg)
{
	struct ep_addr addr;
	int rc = proto_read_endpoint(&addr, msg, 2);

	if (!rc)
		free(addr.qps);
	return rc;
}

static int read_done(const json_t *msg)
{
	struct result result;

	return proto_read_done(&result, msg);
}

/* A part of done. */
static int read_part(const char *name, const json_t *part)
{
	const struct result result = sample_result();
	json_t *msg = wire(proto_done(&result));
	int rc;

	json_object_set_new(msg, name, json_deep_copy(part));
	rc = read_done(msg);
	json_decref(msg);
	return rc;
}

static int read_affinity(const json_t *affinity)
{
	return read_part("affinity", affinity);
}

static int read_latency(const json_t *lat)
{
	return read_part("lat", lat);
}

static void test_wrong_fields(void **state)
{
	const struct limits limits = sample_limits();
	const struct result result = sample_result();
	struct ep_qp_id qps[2];
	const struct ep_addr addr = sample_addr(qps, 2);
	json_t *msg;

	(void)state;
	assert_every_field_checked(wire(proto_hello()), read_hello);
	assert_every_field_checked(wire(proto_limits(&limits)), read_limits);
	assert_every_field_checked(wire(proto_endpoint(&addr)), read_endpoint);
	msg = wire(proto_done(&result));
	assert_every_field_checked(json_deep_copy(json_object_get(msg, "affinity")), read_affinity);
	assert_every_field_checked(json_deep_copy(json_object_get(msg, "lat")), read_latency);
	assert_every_field_checked(msg, read_done);
}

static void test_limits_refused(void **state)
{
	const struct limits in = sample_limits();
	json_t *msg = wire(proto_limits(&in)), *gids = json_object_get(msg, "gids");
	char text[PLAN_NAME + 1];
	struct limits out;

	(void)state;
	memset(text, 'x', PLAN_NAME);
	text[PLAN_NAME] = '\0';
	json_object_set_new(msg, "host", json_string(text));
	assert_int_equal(limits_decode(&out, msg), -EBADMSG);
	assert_string_equal(err_text(), "the peer's limits: field \"host\" is not a text of at "
					"most 63 bytes");
	json_object_set_new(msg, "host", json_string("a\x1b[2Jb"));
	assert_int_equal(limits_decode(&out, msg), 0);
	assert_string_equal(out.host, "a [2Jb");
	json_object_set_new(msg, "port", json_integer(256));
	assert_int_equal(limits_decode(&out, msg), -EBADMSG);
	assert_says("\"port\" is not an integer of 0 to 255");
	json_object_set_new(msg, "port", json_integer(1));
	json_object_set_new(json_array_get(gids, 1), "type", json_string("RoCE v9"));
	assert_int_equal(limits_decode(&out, msg), -EBADMSG);
	json_object_set_new(json_array_get(gids, 1), "type", json_string("RoCE v2"));
	json_object_set_new(json_array_get(gids, 1), "gid", json_string("fe80::1%eth0"));
	assert_int_equal(limits_decode(&out, msg), -EBADMSG);
	json_object_set_new(json_array_get(gids, 1), "gid", json_string("fe80::1"));
	while (json_array_size(gids) < PLAN_MAX_GIDS)
		json_array_append(gids, json_array_get(gids, 0));
	assert_int_equal(limits_decode(&out, msg), 0);
	assert_int_equal(out.n_gids, PLAN_MAX_GIDS);
	json_array_append(gids, json_array_get(gids, 0));
	assert_int_equal(limits_decode(&out, msg), -EBADMSG);
	json_decref(msg);
}

static void test_plan(void **state)
{
	struct plan plan = sample_plan();
	json_t *msg = wire(plan_encode(&plan)), *name, *copy;
	const char *key;

	(void)state;
	assert_string_equal(json_string_value(json_object_get(msg, "test")), "read_lat");
	assert_int_equal(json_array_size(json_object_get(msg, "points")), 2);
	assert_int_equal(plan_compare(&plan, msg), 0);
	plan.points[1].size_bytes++;
	assert_int_equal(plan_compare(&plan, msg), -EPROTO);
	assert_string_equal(err_text(), "the two sides disagree on the plan point: size_bytes is "
					"1048577 here, 1048576 at the peer");
	plan.n_points = 1;
	assert_int_equal(plan_compare(&plan, msg), -EPROTO);
	assert_says("1 points here, 2 at the peer");
	plan = sample_plan();
	plan.work.depth = 64;
	assert_int_equal(plan_compare(&plan, msg), -EPROTO);
	assert_says("depth is 64 here, 128 at the peer");
	plan = sample_plan();
	copy = json_deep_copy(msg);
	json_object_foreach(copy, key, name) {
		json_object_set_new(msg, key, json_object());
		assert_int_equal(plan_compare(&plan, msg), -EPROTO);
		json_object_set(msg, key, name);
	}
	assert_int_equal(plan_compare(&plan, msg), 0);
	json_decref(copy);
	json_decref(msg);
}

static void test_endpoint(void **state)
{
	struct ep_qp_id qps[2];
	const struct ep_addr in = sample_addr(qps, 2);
	json_t *msg = wire(proto_endpoint(&in));
	struct ep_addr out;

	(void)state;
	assert_int_equal(proto_read_endpoint(&out, msg, 2), 0);
	assert_int_equal(out.lid, in.lid);
	assert_memory_equal(out.gid, in.gid, 16);
	assert_true(out.qkey == in.qkey && out.buf_addr == in.buf_addr && out.rkey == in.rkey);
	assert_int_equal(out.n_qps, 2);
	assert_memory_equal(out.qps, qps, sizeof(qps));
	free(out.qps);
	assert_int_equal(proto_read_endpoint(&out, msg, 3), -EBADMSG);
	assert_says("has 2 elements, the plan 3");
	json_object_set_new(json_array_get(json_object_get(msg, "qps"), 1), "qpn",
			    json_integer(0x1000000));
	assert_int_equal(proto_read_endpoint(&out, msg, 2), -EBADMSG);
	assert_says("\"qpn\" is not an integer of 0 to 16777215");
	json_decref(msg);
}

static void test_done(void **state)
{
	struct result in = sample_result();
	json_t *msg = wire(proto_done(&in));
	struct result out;

	(void)state;
	assert_true(json_is_null(json_object_get(json_object_get(msg, "lat"), "p99_9_ns")));
	assert_null(json_object_get(msg, "lost_events"));
	assert_int_equal(proto_read_done(&out, msg), 0);
	assert_int_equal(out.status, in.status);
	assert_string_equal(out.reason, in.reason);
	in.lost_events = 0; /* does not travel */
	assert_memory_equal(&out.sent, &in.sent,
			    offsetof(struct result, lat) - offsetof(struct result, sent));
	assert_int_equal(out.lat.samples, 100);
	assert_true(out.lat.min_ns == 1.1 && out.lat.p50_ns == 2.25 && out.lat.p90_ns == 1.0 / 3);
	assert_true(out.lat.p99_ns == 1e12 && isnan(out.lat.p99_9_ns) && isnan(out.lat.p99_99_ns));
	assert_true(out.lat.max_ns == 7 && out.lat.mean_ns == 2.5 && out.lat.stdev_ns == 0);
	assert_int_equal(out.locks, LOCKS_OFF_CQ);
	assert_memory_equal(&out.qp_sent, &in.qp_sent, sizeof(in.qp_sent));
	assert_memory_equal(&out.thread_tx, &in.thread_tx, sizeof(in.thread_tx));
	assert_true(isnan(out.qp_received.max) && isnan(out.thread_rx.index));
	assert_string_equal(out.affinity.cpus, "0-3,8");
	assert_string_equal(out.affinity.nodes, "0");
	assert_string_equal(out.affinity.mem_nodes, "1");
	assert_int_equal(out.affinity.hca_node, 1);
	assert_int_equal(out.affinity.distance, 21);
	assert_int_equal(out.affinity.mem_distance, UINT32_MAX);
	assert_int_equal(out.affinity.placement, TOPO_FAR);
	assert_string_equal(out.affinity.warnings, "w");
	assert_int_equal(out.cpu_ns, 10);
	assert_int_equal(out.voluntary_switches, 11);
	json_object_set_new(msg, "affinity", json_object());
	assert_int_equal(proto_read_done(&out, msg), -EBADMSG);
	assert_says("\"cpus\"");
	assert_int_equal(out.involuntary_switches, 12);
	json_object_del(msg, "affinity");
	assert_int_equal(proto_read_done(&out, msg), -EBADMSG);
	assert_says("\"affinity\" is missing");
	json_decref(msg);
}

/* xorshift64*: the same cases on every machine. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static size_t mutate(char *text, size_t len, uint64_t *seed)
{
	static const char *const bits[] = { "null", "-1", "1e999", "[", "]", "{", "}", "\"", ",",
					    "\\u0000", "99999999999999999999", "0.5", ":", "true" };

	for (uint64_t n = next(seed) % 4; n > 0; n--) {
		const size_t at = next(seed) % len;
		const char *bit = bits[next(seed) % (sizeof(bits) / sizeof(bits[0]))];
		const size_t span = next(seed) % 24, from = next(seed) % len;

		switch (next(seed) % 4) {
		case 0:
			text[at] = (char)next(seed);
			break;
		case 1:
			if (at + strlen(bit) < len)
				memcpy(text + at, bit, strlen(bit));
			break;
		case 2: /* a piece of it elsewhere: whole members get doubled or swapped */
			if (at + span < len && from + span < len)
				memmove(text + at, text + from, span);
			break;
		default: /* a number or a text becomes another of the same length */
			text[at] = "0123456789\" -"[next(seed) % 13];
		}
	}
	return len;
}

static void decode_all(const json_t *msg)
{
	struct plan plan = sample_plan();

	(void)!read_hello(msg);
	(void)!read_limits(msg);
	(void)!read_endpoint(msg);
	(void)!read_done(msg);
	(void)!plan_compare(&plan, msg);
}

static void test_mutated_frames(void **state)
{
	const struct limits limits = sample_limits();
	const struct plan plan = sample_plan();
	const struct result result = sample_result();
	struct ep_qp_id qps[2];
	const struct ep_addr addr = sample_addr(qps, 2);
	json_t *msgs[] = { proto_hello(), proto_limits(&limits), plan_encode(&plan),
			   proto_endpoint(&addr), proto_done(&result) };
	uint64_t seed = 20261120, understood = 0;
	char text[FUZZ_BYTES + 4];

	(void)state;
	json_object_set_new(msgs[2], "type", json_string("agree"));
	for (uint32_t i = 0; i < FUZZ_CASES; i++) {
		size_t len = json_dumpb(msgs[i % 5], text + 4, FUZZ_BYTES, JSON_COMPACT);
		struct ctl ctl = CTL_CLOSED;
		uint32_t claimed;
		json_t *msg;
		int fd[2];

		assert_in_range(len, 1, FUZZ_BYTES);
		len = mutate(text + 4, len, &seed);
		claimed = (uint32_t)(next(&seed) % 16 ? len : len - 1 + next(&seed) % 4);
		for (int b = 0; b < 4; b++)
			text[b] = (char)(claimed >> (24 - 8 * b));
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
		assert_int_equal(send(fd[1], text, len + 4, 0), len + 4);
		close(fd[1]);
		ctl.fd = fd[0];
		if (ctl_try_recv(&ctl, &msg) == 1) {
			understood++;
			decode_all(msg);
			json_decref(msg);
		} else {
			assert_true(err_text()[0] != '\0');
		}
		ctl_close(&ctl);
	}
	/* neither all nor none: the mutations reach the decoders, and the parser */
	assert_in_range(understood, FUZZ_CASES / 4, FUZZ_CASES - FUZZ_CASES / 10);
	for (size_t i = 0; i < 5; i++)
		json_decref(msgs[i]);
}

/* Names are unique, a struct has a table, and every field that travels is explained. */
static void check_table(const struct field_table *table)
{
	assert_true(table->what[0] && table->n);
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];

		assert_true(f->name[0] && f->size);
		assert_int_equal(f->type == FIELD_STRUCT, f->table != NULL);
		assert_true((f->help && f->help[0]) || f->flags & FIELD_FLAT);
		assert_null(f->help ? strchr(f->help, '|') : NULL); /* breaks the document */
		assert_true(!f->names || f->type == FIELD_U32);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(f->name, table->rows[j].name);
		if (f->table)
			check_table(f->table);
	}
}

static void test_tables(void **state)
{
	(void)state;
	for (const struct proto_part *part = proto_parts; part->name; part++)
		check_table(part->table);
}

/* The tables of docs/protocol.md are those of the program: "make docs" writes them. */
static void test_document(void **state)
{
	const char *top = getenv("srcdir");
	char path[4096], *made = NULL, *kept;
	size_t size = 0;
	FILE *doc, *out = open_memstream(&made, &size);

	(void)state;
	snprintf(path, sizeof(path), "%s/docs/protocol.md", top ? top : ".");
	doc = fopen(path, "r");
	assert_true(out && doc);
	assert_int_equal(proto_doc(out, doc), 0);
	fclose(out);
	for (const struct proto_part *part = proto_parts; part->name; part++) {
		char begin[64];

		snprintf(begin, sizeof(begin), "\n<!-- fields: %s -->\n", part->name);
		assert_non_null(strstr(made, begin));
	}
	rewind(doc);
	kept = calloc(1, size + 2);
	assert_non_null(kept);
	assert_int_equal(fread(kept, 1, size + 1, doc), size);
	fclose(doc);
	assert_string_equal(kept, made);
	free(kept);
	free(made);
}

static void check_bad_document(const char *text, const char *says)
{
	char copy[128], *made = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&made, &size), *in;

	snprintf(copy, sizeof(copy), "%s", text);
	in = fmemopen(copy, strlen(copy), "r");
	assert_true(out && in);
	assert_int_equal(proto_doc(out, in), -EBADMSG);
	assert_says(says);
	fclose(in);
	fclose(out);
	free(made);
}

static void test_bad_documents(void **state)
{
	(void)state;
	check_bad_document("a\n<!-- fields: other -->\nb\n<!-- end -->\n", "other");
	check_bad_document("a\n<!-- fields: hello -->\nb\n", "no end of the table of hello");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_wrong_fields),
		cmocka_unit_test(test_limits_refused),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_endpoint),
		cmocka_unit_test(test_done),
		cmocka_unit_test(test_mutated_frames),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_bad_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
