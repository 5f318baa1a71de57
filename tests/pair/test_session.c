/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Sessions that go well: every legal kind of every test, the numbers of the loops, sizes,
 * durations, and what is clamped. Counts are exact, payloads verified, figures recomputed from
 * the integers of their row, and both sides' rows say the same.
 */
#include "config.h"
#include "agree/session.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "options/kind.h"
#include "row/row.h"
#include "pair.h"
#include "verbs.h"

/* What both sides know alike, whoever counted. */
static const char *const shared_keys[] = {
	"schema",
	"test",
	"transport",
	"opcode",
	"completion",
	"pattern",
	"direction",
	"size_bytes",
	"qps",
	"depth",
	"recv_depth",
	"post_list",
	"signal_interval",
	"inline_bytes",
	"footprint_bytes",
	"walk",
	"walk_buffers",
	"mtu_bytes",
	"outstanding",
	"qp_timeout",
	"retry",
	"rnr_retry",
	"min_rnr_timer",
	"sl",
	"tclass",
	"bidir",
	"sent_messages",
	"received_messages",
	"messages",
	"bytes",
	"lost",
	"duplicated",
	"out_of_order",
	"lat_kind",
	"lat_samples",
	"lat_min_ns",
	"lat_p50_ns",
	"lat_max_ns",
	"lat_mean_ns",
	"status",
	"reason",
};

/* What one side calls its own the other calls its peer's. */
static const char *const mirrored_keys[][2] = {
	{ "host", "peer_host" }, { "device", "peer_device" },	    { "port", "peer_port" },
	{ "locks", "peer_locks" }, { "gid", "peer_gid" },	 { "gid_index", "peer_gid_index" },
	{ "page_bytes", "peer_page_bytes" },
};

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-8 * fabs(b);
}

static void check_figures(const struct pair_side *s, uint32_t row)
{
	double messages, counted, bytes, ns;

	assert_string_equal(pair_cell(s, row, "status"), "ok");
	assert_string_equal(pair_cell(s, row, "reason"), "");
	messages = pair_f64(s, row, "messages");
	bytes = pair_f64(s, row, "bytes");
	ns = pair_f64(s, row, "window_ns");
	assert_true(ns > 0);
	assert_true(near(bytes, messages * pair_f64(s, row, "size_bytes")));
	/* a receiver that gets its processor late has seen few arrivals, or none */
	counted = pair_f64(s, row, "window_messages");
	assert_true(strcmp(pair_cell(s, row, "counted_by"), "receiver") ? counted == messages :
									  counted <= messages);
	if (!counted) {
		assert_string_equal(pair_cell(s, row, "bandwidth_gbit_s"), "");
		pair_assert_has(pair_cell(s, row, "warning_codes"), "no_gap");
		return;
	}
	bytes = counted * pair_f64(s, row, "size_bytes");
	assert_true(near(pair_f64(s, row, "bandwidth_gbit_s"), bytes * 8 / ns));
	assert_true(near(pair_f64(s, row, "bandwidth_mib_s"), bytes / 1048576 / (ns / 1e9)));
	assert_true(near(pair_f64(s, row, "message_rate_per_s"), counted / (ns / 1e9)));
}

static void check_latency(const struct pair_side *s, uint32_t row)
{
	/* over UC and UD an answer that is late, on a busy machine, counts as lost */
	assert_int_equal(pair_u64(s, row, "lat_samples") +
				 (pair_cell(s, row, "lost")[0] ? pair_u64(s, row, "lost") : 0),
			 pair_u64(s, row, "sent_messages"));
	assert_true(pair_f64(s, row, "lat_min_ns") <= pair_f64(s, row, "lat_mean_ns"));
	assert_true(pair_f64(s, row, "lat_mean_ns") <= pair_f64(s, row, "lat_max_ns"));
}

static void check_agreement(const struct pair *p, uint32_t row)
{
	for (size_t i = 0; i < sizeof(shared_keys) / sizeof(shared_keys[0]); i++) {
		const char *key = shared_keys[i];

		if (strcmp(pair_cell(&p->client, row, key), pair_cell(&p->server, row, key)))
			fail_msg("row %u, %s: client \"%s\", server \"%s\"", row, key,
				 pair_cell(&p->client, row, key), pair_cell(&p->server, row, key));
	}
	for (size_t i = 0; i < sizeof(mirrored_keys) / sizeof(mirrored_keys[0]); i++) {
		const char *own = mirrored_keys[i][0], *peers = mirrored_keys[i][1];

		assert_string_equal(pair_cell(&p->client, row, own),
				    pair_cell(&p->server, row, peers));
		assert_string_equal(pair_cell(&p->server, row, own),
				    pair_cell(&p->client, row, peers));
	}
}

static bool takes_recv(const struct pair_side *s, uint32_t row)
{
	const char *op = pair_cell(s, row, "opcode");

	return strncmp(op, "send", 4) == 0 || strcmp(op, "write_imm") == 0;
}

/* count: of messages, of all QPs; 0: as many as the time allowed. */
static void check_ok(const struct pair *p, uint32_t rows, uint64_t count)
{
	const struct pair_side *const sides[] = { &p->client, &p->server };

	pair_assert_ended(p, 0, 0, rows);
	assert_string_equal(pair_error(&p->client), "");
	assert_string_equal(pair_error(&p->server), "");
	assert_int_equal(p->admitted, 1);
	for (uint32_t row = 0; row < rows; row++) {
		const bool lat = pair_cell(&p->client, row, "lat_kind")[0];

		check_agreement(p, row);
		for (int i = 0; i < 2; i++) {
			check_figures(sides[i], row);
			if (lat)
				check_latency(sides[i], row);
			if (count) {
				assert_int_equal(pair_u64(sides[i], row, "messages"), count);
				assert_int_equal(pair_u64(sides[i], row, "sent_messages"), count);
			}
			if (takes_recv(sides[i], row) && !lat)
				assert_int_equal(pair_u64(sides[i], row, "received_messages"),
						 pair_u64(sides[i], row, "sent_messages"));
			if (takes_recv(sides[i], row) && !lat)
				assert_int_equal(pair_u64(sides[i], row, "lost"), 0);
		}
	}
}

/* Somebody has looked at payloads. */
static void check_verified(const struct pair *p, uint32_t row)
{
	assert_true(pair_u64(&p->client, row, "verified_messages") +
			    pair_u64(&p->server, row, "verified_messages") >
		    0);
}

static void run_ok(struct pair *p, const char *args, uint32_t rows, uint64_t count)
{
	print_message("  %s\n", args);
	pair_args(p, args, "");
	pair_run(p);
	check_ok(p, rows, count);
	assert_int_equal(verbs_open_objects(), 0);
}

static void run_kind(struct pair *p, enum test test, struct kind k)
{
	const bool bw = !kind_test_is_lat(test), atomic = kind_is_atomic(k.op);
	char args[256];

	snprintf(args, sizeof(args), "%s -c %s --completion %s%s%s%s -n %u --verify",
		 kind_test_names[test], kind_transport_names[k.tp], kind_completion_names[k.cm],
		 kind_has_imm(k.op) ? " --imm" : "", k.op == OP_CMP_SWAP ? " -A cmp_swap" : "",
		 atomic ? "" : " -s 777", bw ? 1237 : 37);
	run_ok(p, args, 1, bw ? 1237 : 37);
	assert_string_equal(pair_cell(&p->client, 0, "opcode"), kind_opcode_names[k.op]);
	assert_string_equal(pair_cell(&p->client, 0, "completion"), kind_completion_names[k.cm]);
	check_verified(p, 0);
	assert_true(verbs_device(SIDE_CLIENT)->messages >= (bw ? 1237 : 37));
}

static void test_every_kind(void **state)
{
	struct pair *p = *state;
	uint32_t n = 0;

	for (enum test test = 0; test < TEST_COUNT; test++)
		/* tests/soft/test_xrc_dc.py has XRC */
		for (enum transport tp = 0; tp < TP_XRC; tp++)
			for (enum opcode op = 0; op < OP_COUNT; op++)
				for (enum completion cm = 0; cm < CM_COUNT; cm++) {
					const struct kind k = { .tp = tp, .op = op, .cm = cm };

					/* its device has none: tests/soft/test_annex_19.py */
					if (kind_refusal(test, k) || kind_needs_wr(op))
						continue;
					run_kind(p, test, k);
					n++;
				}
	/* 13 cells, bandwidth and latency, three completions; plain write_lat only by polling */
	assert_int_equal(n, 3 * 13 * 2 - 4);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *args;
		uint32_t rows;
		uint64_t count;
	} runs[] = {
		{ "send_bw --verify -s 1001 -n 1 ", 1, 1 },
		{ "send_bw --verify -s 1001 -n 501 -q 3 -l 4 -Q 8", 1, 1503 },
		{ "send_bw --verify -s 64 -n 999 -t 16 -l 16 -Q 4 -r 32 -e", 1, 999 },
		{ "send_bw --verify -s 1 -n 300 -t 1 -r 1", 1, 300 },
		{ "send_bw --verify -s 100 -n 700 -c UC -q 2 -l 8 --imm", 1, 1400 },
		{ "send_bw --verify -s 100 -n 700 -c UD -q 3 -r 7", 1, 2100 },
		{ "send_bw --verify -s 100 -n 700 -c UD -b -e -q 2", 2, 1400 },
		{ "send_bw --verify -s 100 -n 701 -b -q 2 -l 4", 2, 1402 },
		{ "send_bw --verify -s 100 -n 701 -b --imm -c UC", 2, 701 },
		{ "send_bw --verify -s 32 -n 501 -I 32 -Q 1", 1, 501 },
		{ "write_bw --verify -s 1001 -n 501 -q 3 -l 4 -Q 8", 1, 1503 },
		{ "write_bw --verify -s 1001 -n 501 -b -q 3 -e", 2, 1503 },
		{ "write_bw --verify -s 100 -n 701 -b --imm -e", 2, 701 },
		{ "write_bw --verify -s 100 -n 701 -c UC -t 3 -Q 3", 1, 701 },
		{ "read_bw --verify -s 1001 -n 501 -q 3 -l 4 -Q 8 -o 3", 1, 1503 },
		{ "read_bw --verify -s 1001 -n 501 -b -e", 2, 501 },
		{ "atomic_bw --verify -n 501 -q 3 -l 4 -Q 8", 1, 1503 },
		{ "atomic_bw --verify -n 501 -b -A cmp_swap -t 7", 2, 501 },
		{ "send_lat --verify -s 13 -n 501 -I 0 -r 2", 1, 501 },
		{ "write_lat --verify -s 2 -n 501", 1, 501 },
		{ "read_lat --verify -s 4097 -n 51", 1, 51 },
		/* several turns of rings longer than the depth, and walks that do not fit */
		{ "send_bw --verify -s 1001 -n 2000 -t 8 -r 12 -q 2 -l 2 --footprint 100001", 1,
		  4000 },
		{ "send_bw --verify -s 99 -n 900 -c UD -t 8 -r 12 --footprint 9001 --walk random",
		  1, 900 },
		{ "send_bw --verify -s 99 -n 900 -b -r 12 -q 2 --footprint 9001 --walk random", 2,
		  1800 },
		{ "write_bw --verify -s 4097 -n 900 -t 7 -b --footprint 300k --walk random", 2,
		  900 },
		{ "write_bw --verify -s 77 -n 900 -t 7 -c UC --walk same", 1, 900 },
		{ "read_bw --verify -s 5000 -n 900 -q 3 --footprint 3M --walk random", 1, 2700 },
		{ "read_bw --verify -s 5000 -n 90 --walk same", 1, 90 },
		{ "atomic_bw --verify -n 1501 -q 3 -l 4 -Q 8 --footprint 24k --walk random", 1,
		  4503 },
		{ "atomic_bw --verify -n 1501 -A cmp_swap --footprint 16k --walk random", 1, 1501 },
		{ "atomic_bw --verify -n 501 -A cmp_swap --walk same", 1, 501 },
		{ "atomic_lat --verify -n 501 --footprint 1000 -A cmp_swap", 1, 501 },
		{ "send_lat --verify -s 13 -n 501 -r 5 --footprint 7777 --walk random", 1, 501 },
		{ "write_lat --verify -s 130 -n 501 --imm --footprint 9999 --walk random", 1, 501 },
	};
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		run_ok(p, runs[i].args, runs[i].rows, runs[i].count);
		check_verified(p, 0);
	}
}

static void test_directions(void **state)
{
	struct pair *p = *state;

	run_ok(p, "read_bw -b -n 20", 2, 20);
	assert_string_equal(pair_cell(&p->client, 0, "direction"), "to_client");
	assert_string_equal(pair_cell(&p->client, 1, "direction"), "to_server");
	run_ok(p, "send_bw -b -n 20", 2, 20);
	assert_string_equal(pair_cell(&p->server, 0, "direction"), "to_server");
	assert_string_equal(pair_cell(&p->server, 1, "direction"), "to_client");
	run_ok(p, "send_lat -n 20", 1, 20);
	assert_string_equal(pair_cell(&p->server, 0, "direction"), "both");
	assert_string_equal(pair_cell(&p->server, 0, "lat_kind"), "half_rtt");
	run_ok(p, "read_lat -n 20", 1, 20);
	assert_string_equal(pair_cell(&p->server, 0, "lat_kind"), "completion");
}

/* A side without a loop has no counts of one, and over RC nobody counts waiting for credit. */
static void test_not_measured(void **state)
{
	static const char *const absent[] = { "polls", "events", "cpu_ns", "voluntary_switches",
					      "credit_stalls" };
	static const char *const cost[] = { "cpu_ns", "cpu_ns_per_msg" };
	struct pair *p = *state;
	char peer[32];

	run_ok(p, "write_bw -n 20", 1, 20);
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		assert_string_equal(pair_cell(&p->server, 0, absent[i]), "");
	assert_string_not_equal(pair_cell(&p->client, 0, "cpu_ns"), "");
	/* each side has the cost of both; the passive side has none */
	assert_string_equal(pair_cell(&p->client, 0, "peer_cpu_ns"), "");
	assert_string_equal(pair_cell(&p->client, 0, "peer_cpu_ns_per_msg"), "");
	for (size_t i = 0; i < sizeof(cost) / sizeof(cost[0]); i++) {
		snprintf(peer, sizeof(peer), "peer_%s", cost[i]);
		assert_string_equal(pair_cell(&p->server, 0, peer),
				    pair_cell(&p->client, 0, cost[i]));
	}
	run_ok(p, "send_bw -n 20", 1, 20);
	assert_string_equal(pair_cell(&p->client, 0, "credit_stalls"), "");
	assert_string_not_equal(pair_cell(&p->server, 0, "polls"), "");
	run_ok(p, "send_bw -c UD -n 20", 1, 20);
	assert_string_equal(pair_cell(&p->client, 0, "credit_stalls"), "0");
}

static void test_all_sizes(void **state)
{
	struct pair *p = *state;

	run_ok(p, "send_bw -c UD -a -n 5 --verify", 12, 5);
	assert_int_equal(pair_u64(&p->server, 11, "size_bytes"), 4096);
	run_ok(p, "write_bw -a -n 2 -t 2 --verify", 23, 2);
	for (uint32_t i = 0; i < 23; i++)
		assert_int_equal(pair_u64(&p->client, i, "size_bytes"), 2u << i);
}

/* Messages before the window run on the queue pairs of each point, and are in no count of a row. */
static void test_warm_up(void **state)
{
	static const struct {
		const char *args;
		uint64_t n, warm;
	} runs[] = {
		{ "write_bw -n 20 --warm-up 300", 20, 300 },
		{ "write_bw -n 20 -q 3 --warm-up 0", 60, 0 },
		{ "read_bw -n 20 --footprint 512K -s 64k --warm-up 128", 20, 128 },
		{ "read_lat -n 20 -q 2 --warm-up 7", 40, 14 },
		{ "send_bw -n 7 -q 2 --post-list 4 -e --warm-up 33", 14, 66 },
		{ "send_bw -n 100 -c UD --imm --warm-up 50", 100, 50 },
		{ "send_bw -n 100 -q 3 --srq --warm-up 50", 300, 150 },
		{ "send_bw -n 100 -c UC -q 2 -e --warm-up 50", 200, 100 },
		{ "send_lat -n 33 -e --warm-up 40", 33, 40 },
		{ "send_lat -n 33 -c UD -q 2 --warm-up 40", 66, 80 },
		{ "write_lat -n 33 --warm-up 40", 33, 40 },
		{ "atomic_bw -n 10 --threads 2 --warm-up 20", 20, 40 },
	};
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		uint64_t warm;

		verbs_device(SIDE_CLIENT)->messages = verbs_device(SIDE_CLIENT)->moving_qps = 0;
		run_ok(p, runs[i].args, 1, runs[i].n);
		print_message("%s\n", runs[i].args);
		/* the warm-up has none of its own, the proof of the path over UC and UD has one */
		assert_int_equal(verbs_device(SIDE_CLIENT)->moving_qps,
				 pair_u64(&p->client, 0, "qps") + !!strstr(runs[i].args, "-c U"));
		warm = pair_u64(&p->client, 0, "warm_up_messages");
		/* the time limit may end it */
		assert_in_range(warm, runs[i].warm != 0, runs[i].warm);
		assert_int_equal(pair_u64(&p->server, 0, "warm_up_messages"), warm);
		assert_int_equal(verbs_device(SIDE_CLIENT)->messages, warm + runs[i].n);
	}
}

static void test_duration(void **state)
{
	static const char *const args[] = { "send_bw -c UC -D 1 --verify -s 512 -q 2",
					    "send_lat -D 1 -e" };
	struct pair *p = *state;

	for (size_t i = 0; i < 2; i++) {
		run_ok(p, args[i], 1, 0);
		assert_true(pair_u64(&p->client, 0, "messages") > 10);
		/* one thread with several QPs: only these are compared */
		assert_int_equal(!pair_cell(&p->server, 0, "qp_fairness")[0], i == 1);
		assert_string_equal(pair_cell(&p->server, 0, "thread_fairness"), "");
		/* the last request may be late on a busy machine, but the first cannot be early */
		assert_true(pair_f64(&p->client, 0, "window_ns") > 0.5e9);
	}
}

static void assert_noted(const struct pair_side *s, const char *part)
{
	const json_t *notes = json_object_get(json_object_get(s->json, "run"), "notes");
	const json_t *note;
	size_t i;

	json_array_foreach(notes, i, note) if (strstr(json_string_value(note), part)) return;
	fail_msg("no note says \"%s\"", part);
}

static void test_clamps(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_SERVER)->mtu = IBV_MTU_1024;
	verbs_device(SIDE_CLIENT)->attr.max_qp_init_rd_atom = 7;
	verbs_device(SIDE_SERVER)->attr.max_qp_rd_atom = 5;
	run_ok(p, "read_bw -n 50 --verify", 1, 50);
	assert_int_equal(pair_u64(&p->client, 0, "mtu_bytes"), 1024);
	assert_int_equal(pair_u64(&p->client, 0, "outstanding"), 5);
	assert_noted(&p->client,
		     "MTU 1024: the smaller of client pair0 (4096) and server pair1 (1024)");
	assert_noted(&p->server, "MTU 1024: the smaller");
	assert_noted(&p->server, "outstanding 5");

	verbs_device(SIDE_SERVER)->max_inline_bytes = 60;
	run_ok(p, "send_lat -n 50 -s 61 --verify", 1, 50);
	assert_int_equal(pair_u64(&p->server, 0, "inline_bytes"), 0);
	run_ok(p, "send_lat -n 50 -s 60 --verify", 1, 50);
	assert_int_equal(pair_u64(&p->server, 0, "inline_bytes"), 60);
	assert_noted(&p->client, "inline to 60 bytes: pair1 grants 60");

	verbs_device(SIDE_SERVER)->attr.max_qp_wr = 80;
	run_ok(p, "send_bw -n 500 --verify -s 100", 1, 500);
	assert_int_equal(pair_u64(&p->client, 0, "depth"), 128);
	assert_int_equal(pair_u64(&p->client, 0, "recv_depth"), 80);
	assert_noted(&p->server, "recv-depth 80 instead of 512");
	run_ok(p, "send_bw -b -n 500 --verify -s 100", 2, 500);
	assert_int_equal(pair_u64(&p->client, 0, "depth"), 64);
	assert_int_equal(pair_u64(&p->client, 0, "recv_depth"), 64);
	assert_noted(&p->server, "depth 64 instead of 128");
	verbs_device(SIDE_SERVER)->attr.max_qp_wr = 4096;
	run_ok(p, "send_bw -n 50 -c UD", 1, 50);
	assert_int_equal(pair_u64(&p->client, 0, "size_bytes"), 1024);
}

/* What a thread watches the last byte of is not written in any order. */
static void test_relaxed_ordering(void **state)
{
	struct pair *p = *state;

	run_ok(p, "write_bw -n 100 --verify", 1, 100);
	assert_int_equal(pair_u64(&p->client, 0, "relaxed_ordering"), 1);
	assert_int_equal(pair_u64(&p->client, 0, "peer_relaxed_ordering"), 1);
	/* a millisecond, unless the machine has no time for the threads */
	if (pair_u64(&p->client, 0, "window_ns") < ROW_SHORT_NS) {
		pair_assert_has(pair_cell(&p->client, 0, "warning_codes"), "short_window");
		pair_assert_has(pair_cell(&p->client, 0, "warnings"), "less than 50 ms");
	}
	run_ok(p, "write_lat -n 100 --verify", 1, 100);
	assert_int_equal(pair_u64(&p->client, 0, "relaxed_ordering"), 0);
	assert_int_equal(pair_u64(&p->server, 0, "relaxed_ordering"), 0);
	assert_true(pair_f64(&p->client, 0, "clock_step_ns") > 0);
	run_ok(p, "write_bw -n 100 --verify --relaxed-ordering off", 1, 100);
	assert_int_equal(pair_u64(&p->client, 0, "relaxed_ordering"), 0);
}

/* The side that sends no payload is not asked for inline data, nor for the depth. */
static void test_unlike_queues(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_SERVER)->max_inline_bytes = 0;
	verbs_device(SIDE_SERVER)->attr.max_qp_wr = 20;
	run_ok(p, "write_bw -n 200 --verify -s 64 -I 64 -t 100", 1, 200);
	assert_int_equal(pair_u64(&p->client, 0, "inline_bytes"), 64);
	verbs_device(SIDE_SERVER)->attr.max_qp_wr = 100;
	run_ok(p, "send_bw -n 200 --verify -s 64 -I 64 -t 200", 1, 200);
	assert_int_equal(pair_u64(&p->client, 0, "recv_depth"), 100);
}

/* A queue in blocks, as of mlx5: auto takes what is granted, and the row says what that is. */
static void test_queue_in_blocks(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_CLIENT)->in_blocks = true;
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 256;
	run_ok(p, "write_bw -n 200 --verify -s 64", 1, 200);
	assert_int_equal(pair_u64(&p->client, 0, "depth"), 256 * 64 / 192);
	assert_noted(&p->client, "depth 85 instead of 128");
	run_ok(p, "write_bw -n 200 --verify -s 64 -I 64", 1, 200);
	assert_int_equal(pair_u64(&p->client, 0, "depth"), 64);
	assert_int_equal(pair_u64(&p->client, 0, "inline_bytes"), 64);
	run_ok(p, "write_lat -n 200 --verify -s 100", 1, 200);
	assert_int_equal(pair_u64(&p->client, 0, "inline_bytes"), 0);
	run_ok(p, "write_lat -n 200 --verify -s 76", 1, 200);
	assert_int_equal(pair_u64(&p->client, 0, "inline_bytes"), 76);
}

/* Each side finds its own entry of the partition, and prefers full membership. */
static void test_pkey(void **state)
{
	struct pair *p = *state;
	json_int_t own, peer, pkey;

	verbs_device(SIDE_CLIENT)->pkeys[1] = 0x0456;
	verbs_device(SIDE_CLIENT)->pkeys[2] = 0x8456;
	verbs_device(SIDE_SERVER)->pkeys[3] = 0x0456;
	run_ok(p, "write_bw --pkey 0x456 -n 10", 1, 10);
	assert_int_equal(json_unpack(p->client.json, "{s:{s:{s:I},s:{s:I},s:{s:I}}}", "run", "self",
				     "pkey_index", &own, "peer", "pkey_index", &peer, "plan",
				     "pkey", &pkey), 0);
	assert_int_equal(own, 2);
	assert_int_equal(peer, 3);
	assert_int_equal(pkey, 0x8456);
	/* each side its own entry */
	pair_args(p, "write_bw --pkey-index 2 -n 10", "--pkey-index 3");
	pair_run(p);
	pair_assert_ended(p, 0, 0, 1);
	assert_int_equal(json_unpack(p->client.json, "{s:{s:{s:I},s:{s:I}}}", "run", "self",
				     "pkey_index", &own, "peer", "pkey_index", &peer), 0);
	assert_int_equal(own, 2);
	assert_int_equal(peer, 3);
}

/* The pair that fits is not the first of either table. */
static void test_paths(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT),
			    *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	client->gids[0].text = "fe80::1";
	client->gids[1].text = "::ffff:10.1.0.1";
	client->gids[1].type = IBV_GID_TYPE_ROCE_V1;
	client->gids[3].text = "::ffff:10.1.0.1";
	client->gids[3].type = IBV_GID_TYPE_ROCE_V2;
	server->gids[0].text = "2001:db8::2";
	server->gids[2].text = "::ffff:10.1.0.2";
	server->gids[2].type = IBV_GID_TYPE_ROCE_V2;
	run_ok(p, "write_bw -n 20", 1, 20);
	assert_int_equal(pair_u64(&p->client, 0, "gid_index"), 3);
	assert_int_equal(pair_u64(&p->client, 0, "peer_gid_index"), 2);

	verbs_reset();
	client->link_layer = server->link_layer = IBV_LINK_LAYER_INFINIBAND;
	client->gids[0].type = server->gids[0].type = IBV_GID_TYPE_IB;
	run_ok(p, "send_bw -n 20 -c UD", 1, 20);
	run_ok(p, "read_bw -n 20", 1, 20);
	assert_string_equal(pair_cell(&p->server, 0, "link_layer"), "InfiniBand");
}

/* Over UC and UD what is lost is a column, not a failure. */
static void test_losses(void **state)
{
	static const char *const args[] = { "send_bw -c UC --imm -n 100 -s 64",
					    "send_bw -c UD -n 100 -s 64" };
	struct pair *p = *state;

	for (size_t i = 0; i < 2; i++) {
		struct verbs_device *client = verbs_device(SIDE_CLIENT);

		client->messages = 0;
		client->fault = (struct verbs_fault){ .what = VERBS_LOSE, .message = 40 };
		pair_args(p, args[i], "");
		pair_run(p);
		pair_assert_ended(p, 0, 0, 1);
		check_agreement(p, 0);
		check_figures(&p->client, 0);
		assert_int_equal(pair_u64(&p->client, 0, "sent_messages"), 100);
		assert_int_equal(pair_u64(&p->client, 0, "messages"), 99);
		assert_int_equal(pair_u64(&p->client, 0, "lost"), 1);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_kind), TEST(test_numbers), TEST(test_directions),
		TEST(test_not_measured), TEST(test_all_sizes), TEST(test_warm_up),
		TEST(test_duration), TEST(test_clamps), TEST(test_pkey), TEST(test_paths),
		TEST(test_relaxed_ordering), TEST(test_unlike_queues), TEST(test_queue_in_blocks),
		TEST(test_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
