/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A sample of each message, with an unusual value in each field, and what reads them back: for the
 * tests of the protocol.
 */
#ifndef PROTO_SAMPLES_H
#define PROTO_SAMPLES_H

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "wire/proto.h"
#include "util/err.h"

static inline struct limits sample_limits(void)
{
	struct limits l = {
		.host = "node-a", .boot_id = "6a7c-1", .kernel = "6.1.0-9", .cpu_model = "Some CPU",
		.device = "mlx5_0", .driver = "mlx5_core", .firmware = "20.1",
		.port = 1, .ethernet = true, .grh_required = true, .rate_mbit_s = 100000, .lid = 7,
		.pkey_index = 2, .pkey = 0x8123,
		.active_mtu_bytes = 4096, .max_msg_bytes = 1u << 31, .max_qps = 1024,
		.max_wr = 32768, .max_cqe = 4194303, .max_rd_atomic = 16,
		.max_init_rd_atomic = 15, .max_inline_bytes = 220, .atomics = true,
		.paced_transports = 5, .min_pace_kbit_s = 3, .max_pace_kbit_s = 4000000000,
		.max_cqs = 99, .max_mrs = UINT32_MAX, .max_pds = 77, .unlocked = LOCKS_OFF_QP,
		.post_wr = true, .gpu = "a GPU",
		.gpu_missing = "no dmabuf",
		.max_threads = 55, .max_total_bytes = UINT64_MAX, .max_point_ms = UINT32_MAX,
		.memlock_bytes = 64 << 20,
		.allowed_qps = UINT32_MAX,
		.hugepage_bytes = 2 << 20, .hugepages_free = 17, .cpus = "0-3,8", .n_cpus = 5,
		.host_cpus = 16, .load = 3, .governor = "powersave", .gid_index = CFG_AUTO,
		.n_gids = 2,
	};

	l.gids[0] = (struct plan_gid){ .type = GID_ROCE_V1, .elsewhere = true,
					.raw = { 0xfe, 0x80, [15] = 1 } };
	l.gids[1] = (struct plan_gid){ .index = 3, .type = GID_ROCE_V2,
					.raw = { [10] = 0xff, 0xff, 10, 0, 0, 1 } };
	return l;
}

static inline struct plan sample_plan(void)
{
	struct plan p = {
		.work.test = TEST_READ_LAT,
		.work.pattern = PATTERN_PROBE,
		.work.kind = { .tp = TP_RC, .op = OP_READ, .cm = CM_EVENT },
		.work.server_completion = CM_HYBRID,
		.work.verify = true,
		.work.threads = 2,
		.work.qps = 3,
		.work.depth = 128,
		.work.post_list = 4,
		.work.signal_interval = 16,
		.work.walk = WALK_RANDOM,
		.work.hugepages = HUGEPAGES_OFF,
		.work.gpu = 5,
		.work.server_buffers = BUFFERS_CUDA,
		.work.server_gpu = 6,
		.path.mtu_bytes = 1024,
		.work.outstanding = 16,
		.path.qp_timeout = 14,
		.path.retry = 7,
		.path.rnr_retry = 6,
		.path.min_rnr_timer = 12,
		.path.client_gid = 3,
		.path.server_gid = 1,
		.path.global_route = true,
		.path.hop_limit = 64,
		.path.flow_label = "1,0x2",
		.stall_timeout_ms = 5000,
		.n_points = 2,
	};

	p.points[0] = (struct point){ 0, 64, 4096, 1000, 0, 65536, 128, false };
	p.points[1] = (struct point){ 1, 1u << 20, 4096, 0, 2000000000, 8 << 20, 0, true };
	return p;
}

static inline struct result sample_result(void)
{
	struct result r = {
		.status = RESULT_INCOMPLETE, .reason = "stopped", .sent = 123456789012345,
		.tx_window_ns = 999999999, .received = 1, .rx_window_ns = 2, .lost = 3,
		.duplicated = UINT64_MAX, .out_of_order = 4, .polls = 5, .empty_polls = 6,
		.events = 7, .spurious_events = 8, .credit_stalls = 9, .verified = UINT64_MAX,
		.buffers_by = "dmabuf", .gpu = "0000:1b:00.0 NVIDIA H200",
		.page_bytes = 4096, .cpu_ns = 10, .voluntary_switches = 11,
		.involuntary_switches = 12,
		.lat = { .samples = 100, .min_ns = 1.1, .p50_ns = 2.25, .p90_ns = 1.0 / 3,
			 .p99_ns = 1e12, .p99_within_low_ns = 9e11,
			 .p99_within_high_ns = NAN, .p99_9_ns = NAN, .p99_99_ns = NAN, .max_ns = 7,
			 .mean_ns = 2.5, .stdev_ns = 0 },
		.locks = LOCKS_OFF_CQ, .qp_sent = { 1, 3, 0.9, 2 }, .qp_received = fairness_none,
		.thread_tx = { 1e6, 2e6, 0.8, 0 }, .thread_rx = fairness_none,
		.tx_slices = { 40, 1, 112.5, 87.5, 0.75, 3, 2 }, .rx_slices = steady_none,
		.affinity = { .cpus = "0-3,8", .nodes = "0", .mem_nodes = "1", .hca_node = 1,
			  .distance = 21, .mem_distance = UINT32_MAX, .placement = TOPO_FAR,
			  .warnings = "w", .warned = 5 },
	};

	return r;
}

static inline struct ep_addr sample_addr(struct ep_qp_id *qps, uint32_t n)
{
	static uint32_t rkeys[] = { 1, UINT32_MAX, 0 };
	struct ep_addr a = {
		.lid = 0xffff, .gid = { 0x20, 1, 0xd, 0xb8, [15] = 9 }, .qkey = UINT32_MAX,
		.buf_addr = UINT64_MAX - 4095, .rkey = 0x80000001, .n_qps = n, .qps = qps,
		.n_rkeys = 3, .rkeys = rkeys,
		.dc_key = EP_DC_KEY_MAX,
	};

	for (uint32_t i = 0; i < n; i++)
		qps[i] = (struct ep_qp_id){ .qpn = 0xffffff - i, .psn = i, .rkey = i << 8,
					    .recv_qpn = 0x800000 + i, .srqn = 0xfffff0 + i };
	return a;
}

/* By way of text, as it goes over the wire. */
static inline json_t *wire(json_t *msg)
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

static inline void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

static inline int read_hello(const json_t *msg)
{
	struct proto_hello hello;

	return proto_read_hello(&hello, msg) == -EPROTO ? -EBADMSG : proto_read_hello(&hello, msg);
}

static inline int read_limits(const json_t *msg)
{
	struct limits limits;

	return limits_decode(&limits, msg);
}

static inline int read_endpoint(const json_t *msg)
{
	struct ep_addr addr;
	int rc = proto_read_endpoint(&addr, msg, 2, 3);

	if (!rc)
		ep_addr_free(&addr);
	return rc;
}

static inline int read_done(const json_t *msg)
{
	struct result result;

	return proto_read_done(&result, msg);
}

#endif
