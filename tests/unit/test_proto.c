/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * proto.c, limits.c, plan.c: what is encoded comes back the same, and what is wrong is
 * refused by name.
 */
#include "config.h"
#include "wire/proto.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "place/machine.h"
#include "proto_samples.h"

/* Names are unique, a struct has a table, and every field that travels is explained. */
static void check_table(const struct field_table *t)
{
	assert_true(t->what[0] && t->n);
	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];

		assert_true(f->name[0] && f->size);
		assert_int_equal(f->type == FIELD_STRUCT, f->table != NULL);
		assert_true((f->help && f->help[0]) || f->flags & FIELD_FLAT);
		assert_true(!f->names || f->type == FIELD_U32);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(f->name, t->rows[j].name);
		if (f->table)
			check_table(f->table);
	}
}

static void test_tables(void **state)
{
	(void)state;
	check_table(&limits_table);
	check_table(&machine_table);
	check_table(&plan_table);
	check_table(&plan_point_table);
	check_table(&result_table);
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
	assert_string_equal(out.boot_id, in.boot_id);
	assert_string_equal(out.kernel, in.kernel);
	assert_string_equal(out.cpu_model, in.cpu_model);
	assert_string_equal(out.governor, in.governor);
	assert_string_equal(out.device, in.device);
	assert_string_equal(out.driver, in.driver);
	assert_string_equal(out.firmware, in.firmware);
	assert_string_equal(out.netdev, "");
	assert_int_equal(out.port, in.port);
	assert_true(out.ethernet && !out.emulated && out.atomics);
	assert_true(out.grh_required && !out.link_unspecified && !out.signals_all);
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
	assert_true(out.max_point_ms == UINT32_MAX && out.gid_index == CFG_AUTO);
	assert_int_equal(out.n_gids, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(out.gids[i].index, in.gids[i].index);
		assert_int_equal(out.gids[i].type, in.gids[i].type);
		assert_int_equal(out.gids[i].elsewhere, in.gids[i].elsewhere);
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
	assert_int_equal(proto_read_endpoint(&out, msg, 2, 3), 0);
	assert_int_equal(out.lid, in.lid);
	assert_memory_equal(out.gid, in.gid, 16);
	assert_true(out.dc_key == in.dc_key);
	assert_true(out.qkey == in.qkey && out.buf_addr == in.buf_addr && out.rkey == in.rkey);
	assert_int_equal(out.n_qps, 2);
	assert_memory_equal(out.qps, qps, sizeof(qps));
	assert_int_equal(out.n_rkeys, 3);
	assert_memory_equal(out.rkeys, in.rkeys, 3 * sizeof(*in.rkeys));
	ep_addr_free(&out);
	assert_int_equal(proto_read_endpoint(&out, msg, 3, 3), -EBADMSG);
	assert_says("has 2 elements, the plan 3");
	assert_int_equal(proto_read_endpoint(&out, msg, 2, 2), -EBADMSG);
	assert_says("\"rkeys\" has 3 elements, the plan 2");
	json_array_set_new(json_object_get(msg, "rkeys"), 2, json_integer(UINT32_MAX + 1ll));
	assert_int_equal(proto_read_endpoint(&out, msg, 2, 3), -EBADMSG);
	assert_says("an element that is not an R_Key");
	json_object_set_new(json_array_get(json_object_get(msg, "qps"), 1), "qpn",
			    json_integer(0x1000000));
	assert_int_equal(proto_read_endpoint(&out, msg, 2, 3), -EBADMSG);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_wrong_fields),
		cmocka_unit_test(test_limits_refused),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_endpoint),
		cmocka_unit_test(test_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
