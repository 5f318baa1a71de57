/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Plans from options and hand-made limits: what auto chooses, and every refusal's sentence. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"
#include "config/opts.h"
#include "plan/plan.h"

/* Two ends, to be spoilt by each test. */
struct ends {
	struct limits client, server;
};

static struct limits limits(const char *host, uint8_t last)
{
	struct limits lim = {
		.port = 1, .ethernet = true, .active_mtu_bytes = 4096, .max_msg_bytes = 1u << 30,
		.max_qps = 1000, .max_wr = 32768, .max_cqe = 32767, .max_cqs = 512,
		.max_mrs = 512, .max_pds = 512, .max_threads = UINT32_MAX, .max_rd_atomic = 16,
		.max_init_rd_atomic = 16, .max_inline_bytes = 220, .atomics = true,
		.max_total_bytes = UINT64_MAX, .max_seconds = UINT32_MAX, .gid_index = CFG_AUTO,
		.n_gids = 1,
		.gids = { { .index = 3, .type = GID_ROCE_V2,
			    .raw = { [10] = 0xff, 0xff, 10, 0, 0, last } } },
	};

	snprintf(lim.host, sizeof(lim.host), "%s", host);
	snprintf(lim.device, sizeof(lim.device), "dev%u", last);
	return lim;
}

static struct ends ends(void)
{
	return (struct ends){ .client = limits("alpha", 1), .server = limits("beta", 2) };
}

static int resolve(struct plan *plan, const struct ends *e, enum test test, const char *line)
{
	static char copy[256], program[] = "prog", host[] = "host";
	struct cfg cfg = { .test = test };
	char *argv[32];
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	argv[argc++] = program;
	argv[argc++] = host;
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	err_clear();
	if (opts_parse(&cfg, OPTS_TEST, argc, argv))
		fail_msg("%s: %s", line, err_text());
	return plan_resolve(plan, &cfg, &e->client, &e->server);
}

static void resolved(struct plan *plan, const struct ends *e, enum test test, const char *line)
{
	if (resolve(plan, e, test, line))
		fail_msg("%s: %s", line, err_text());
}

static void refused(const struct ends *e, enum test test, const char *line, const char *sentence)
{
	struct plan plan;

	assert_int_equal(resolve(&plan, e, test, line), -EINVAL);
	assert_string_equal(err_text(), sentence);
}

static bool noted(const struct plan *plan, const char *text)
{
	for (uint32_t i = 0; i < plan->n_notes; i++) {
		if (strstr(plan->notes[i], text))
			return true;
	}
	return false;
}

static void test_auto_bw(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.server.active_mtu_bytes = 1024;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_int_equal(plan.work.pattern, PATTERN_STREAM);
	assert_int_equal(plan.work.depth, 128);
	assert_int_equal(plan.work.recv_depth, 512);
	assert_int_equal(plan.work.signal_interval, 32);
	assert_int_equal(plan.work.post_list, 1);
	assert_int_equal(plan.work.inline_bytes, 0);
	assert_int_equal(plan.work.outstanding, 0);
	assert_int_equal(plan.path.mtu_bytes, 1024);
	assert_int_equal(plan.path.client_gid, 3);
	assert_true(plan.path.global_route);
	assert_int_equal(plan.n_points, 1);
	assert_int_equal(plan.points[0].size_bytes, 65536);
	assert_int_equal(plan.points[0].messages, 5000);
	assert_int_equal(plan.points[0].duration_ns, 0);
	assert_int_equal(plan.stall_timeout_ms, 5000);
	assert_true(noted(&plan, "MTU 1024: the smaller of client dev1 (4096) and server dev2 "
			  "(1024)"));
	assert_true(noted(&plan, "signal interval 32"));
	assert_true(noted(&plan, "GID 3 of client and 3 of server: "));
	resolved(&plan, &e, TEST_WRITE_BW, "-D 3");
	assert_int_equal(plan.work.recv_depth, 0);
	assert_int_equal(plan.points[0].messages, 0);
	assert_true(plan.points[0].duration_ns == 3000000000);
}

static void test_auto_lat(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_SEND_LAT, "");
	assert_int_equal(plan.work.pattern, PATTERN_PINGPONG);
	assert_int_equal(plan.work.depth, 1);
	assert_int_equal(plan.work.recv_depth, 64);
	assert_int_equal(plan.work.signal_interval, 32);
	assert_int_equal(plan.work.inline_bytes, 2);
	assert_int_equal(plan.points[0].size_bytes, 2);
	assert_int_equal(plan.points[0].messages, 1000);
	resolved(&plan, &e, TEST_SEND_LAT, "-q 5");
	assert_int_equal(plan.work.signal_interval, 4); /* 5 QPs have 20 rounds, of 32 at most */
	resolved(&plan, &e, TEST_SEND_LAT, "-r 7");
	assert_int_equal(plan.work.signal_interval, 2); /* half of the receives */
	resolved(&plan, &e, TEST_SEND_LAT, "-c UD");
	assert_int_equal(plan.work.signal_interval, 1);
	resolved(&plan, &e, TEST_SEND_LAT, "-s 221");
	assert_int_equal(plan.work.inline_bytes, 0);
	e.server.max_inline_bytes = 64;
	resolved(&plan, &e, TEST_WRITE_LAT, "-a");
	assert_int_equal(plan.work.inline_bytes, 64);
	assert_int_equal(plan.work.recv_depth, 0);
	assert_true(noted(&plan, "inline to 64 bytes: dev2 grants 64"));
	resolved(&plan, &e, TEST_READ_LAT, "");
	assert_int_equal(plan.work.outstanding, 1);
	assert_int_equal(plan.work.inline_bytes, 0);
	resolved(&plan, &e, TEST_ATOMIC_LAT, "");
	assert_int_equal(plan.points[0].size_bytes, 8);
}

static void test_sizes(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_WRITE_BW, "-a -n 7");
	assert_int_equal(plan.n_points, 24);
	for (uint32_t i = 0; i < plan.n_points; i++) {
		assert_int_equal(plan.points[i].index, i);
		assert_int_equal(plan.points[i].size_bytes, 1u << i);
		assert_int_equal(plan.points[i].messages, 7);
	}
	assert_false(noted(&plan, "sizes end"));
	resolved(&plan, &e, TEST_SEND_BW, "-c UD -a");
	assert_int_equal(plan.n_points, 13);
	assert_true(noted(&plan, "sizes end at 4096: one MTU"));
	resolved(&plan, &e, TEST_SEND_BW, "-c UD -m 512");
	assert_int_equal(plan.points[0].size_bytes, 512);
	assert_int_equal(plan.path.mtu_bytes, 512);
	assert_true(noted(&plan, "size 512: one MTU"));
	resolved(&plan, &e, TEST_SEND_BW, "-c UD -s 4k");
	e.server.max_msg_bytes = 3000;
	resolved(&plan, &e, TEST_SEND_BW, "-a");
	assert_int_equal(plan.n_points, 12);
	assert_true(noted(&plan, "sizes end at 3000: the longest message"));
	refused(&e, TEST_SEND_BW, "-s 4k", "-s (--size) 4096: the longest message is 1073741824 "
		"bytes for dev1 of alpha and 3000 for dev2 of beta");
	refused(&e, TEST_SEND_BW, "-c UD -s 4097", "-s (--size) 4097 over UD: a datagram is one "
		"packet, at most the MTU of 4096 bytes");
	e.client.max_msg_bytes = 0;
	refused(&e, TEST_SEND_BW, "-a", "the ports allow no message at all");
}

/* What plan_loops() promises, for every combination that it accepts; and auto always fits. */
static void test_loops(void **state)
{
	static const uint32_t tries[] = { 1, 2, 3, 4, 7, 16, 31, 32, 100, 128, 129, 300, CFG_AUTO };
	const size_t n = sizeof(tries) / sizeof(tries[0]);
	const struct plan_room room = PLAN_NO_ROOM_LIMIT;
	struct cfg cfg = { .test = TEST_SEND_BW, .qps = 1, .recv_depth = CFG_AUTO };
	int accepted = 0;

	(void)state;
	for (size_t i = 0; i < n * n * n; i++) {
		struct plan p;
		uint32_t l = tries[i % n];
		int rc;

		if (l == CFG_AUTO)
			continue;
		cfg.post_list = l;
		cfg.signal_interval = tries[i / n % n];
		cfg.depth = tries[i / n / n];
		rc = plan_loops(&p, &cfg, &room);
		if (cfg.signal_interval == CFG_AUTO && (cfg.depth == CFG_AUTO || cfg.depth >= l))
			assert_int_equal(rc, 0);
		if (rc)
			continue;
		accepted++;
		assert_int_equal(p.work.post_list, l);
		assert_true(cfg.depth == CFG_AUTO || p.work.depth == cfg.depth);
		assert_true(p.work.depth >= l && p.work.recv_depth >= l);
		assert_in_range(p.work.signal_interval, 1, p.work.depth);
		assert_true(l % p.work.signal_interval == 0 || p.work.signal_interval % l == 0);
		assert_true(cfg.signal_interval == CFG_AUTO ||
			    p.work.signal_interval == cfg.signal_interval);
	}
	assert_true(accepted > 300);
}

static void test_queues(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	/* 32767 / 100 - 16 */
	resolved(&plan, &e, TEST_SEND_BW, "-q 100");
	assert_int_equal(plan.work.depth, 128);
	assert_int_equal(plan.work.recv_depth, 311);
	assert_true(noted(&plan, "recv-depth 311 instead of 512"));
	resolved(&plan, &e, TEST_WRITE_BW, "-q 1000");
	assert_int_equal(plan.work.depth, 16);
	assert_int_equal(plan.work.signal_interval, 4);
	assert_true(noted(&plan, "depth 16 instead of 128"));
	resolved(&plan, &e, TEST_SEND_BW, "-q 100 -t 311 -r 311");
	refused(&e, TEST_SEND_BW, "-q 100 -t 312", "-t (--depth) 312 on 100 QPs: dev1 of alpha "
		"holds 32768 requests per queue and 32767 completions, less 16 per QP for credits: "
		"room for 311; lower -t or -q");
	e.server.max_wr = 200;
	refused(&e, TEST_SEND_BW, "-r 185", "-r (--recv-depth) 185 on 1 QPs: dev2 of beta holds "
		"200 receives per queue and 32767 completions, less 16 per QP for credits: room "
		"for 184; lower -r or -q");
	refused(&e, TEST_SEND_BW, "-q 1001", "-q (--qps) 1001: dev1 of alpha has 1000 QPs");
	e.server.max_wr = 0;
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, ""), -EINVAL);
	e.server.max_cqe = 0;
	assert_int_equal(resolve(&plan, &e, TEST_SEND_LAT, ""), -EINVAL);
}

static void test_path(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.pkey = 0x8123;
	e.server.pkey = 0x0123;
	resolved(&plan, &e, TEST_SEND_BW, "-m 256 -S 7 --tclass 96");
	assert_int_equal(plan.path.pkey, 0x8123);
	assert_int_equal(plan.path.mtu_bytes, 256);
	assert_int_equal(plan.path.sl, 7);
	assert_int_equal(plan.path.tclass, 96);
	assert_false(noted(&plan, "MTU"));
	refused(&e, TEST_SEND_BW, "-S 8", "-S (--sl) 8: on Ethernet it is a priority; allowed: "
		"0..7");
	e.server.active_mtu_bytes = 1024;
	refused(&e, TEST_SEND_BW, "-m 2048",
		"-m (--mtu) 2048: the active MTU of dev2 of beta is 1024");
	e.server.active_mtu_bytes = 1500;
	refused(&e, TEST_SEND_BW, "",
		"dev2 of beta reports an MTU of 1500 bytes, which no path can have");
	e.server.ethernet = false;
	refused(&e, TEST_SEND_BW, "", "dev1 of alpha is on Ethernet, dev2 of beta on InfiniBand: "
		"they cannot reach each other");
}

static void test_infiniband(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.ethernet = e.server.ethernet = false;
	e.client.gids[0] = (struct plan_gid){ .type = GID_IB, .raw = { 0xfe, 0x80, [15] = 1 } };
	e.server.gids[0] = (struct plan_gid){ .type = GID_IB, .raw = { 0xfe, 0x80, [15] = 2 } };
	resolved(&plan, &e, TEST_SEND_BW, "-S 15");
	assert_false(plan.path.global_route);
	resolved(&plan, &e, TEST_SEND_BW, "--tclass 1");
	assert_true(plan.path.global_route);
	e.server.gid_index = 0;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_true(plan.path.global_route);
}

static void test_outstanding(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.server.max_rd_atomic = 8;
	e.client.max_rd_atomic = 4;
	resolved(&plan, &e, TEST_READ_BW, "");
	assert_int_equal(plan.work.outstanding, 8);
	resolved(&plan, &e, TEST_READ_BW, "-b");
	assert_int_equal(plan.work.outstanding, 4);
	resolved(&plan, &e, TEST_ATOMIC_BW, "-o 8");
	assert_int_equal(plan.work.outstanding, 8);
	refused(&e, TEST_READ_BW, "-o 9", "-o (--outstanding) 9: dev2 of beta, the target, takes 8 "
		"at most (max_qp_rd_atom)");
	refused(&e, TEST_READ_BW, "-o 17", "-o (--outstanding) 17: dev1 of alpha starts 16 at most "
		"(max_qp_init_rd_atom)");
	refused(&e, TEST_READ_BW, "-b -o 5", "-o (--outstanding) 5: dev1 of alpha, the target, "
		"takes 4 at most (max_qp_rd_atom)");
	e.client.max_init_rd_atomic = e.server.max_rd_atomic = 1000;
	resolved(&plan, &e, TEST_READ_BW, "");
	assert_int_equal(plan.work.outstanding, 255);
	e.client.atomics = false;
	resolved(&plan, &e, TEST_ATOMIC_BW, "");
	refused(&e, TEST_ATOMIC_BW, "-b", "atomic_bw: dev1 of alpha, the target, has no atomics");
	e.server.atomics = false;
	refused(&e, TEST_ATOMIC_LAT, "", "atomic_lat: dev2 of beta, the target, has no atomics");
}

static void test_inline(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.server.max_inline_bytes = 100;
	resolved(&plan, &e, TEST_SEND_BW, "-s 200 -I 200");
	assert_int_equal(plan.work.inline_bytes, 200);
	refused(&e, TEST_SEND_BW, "-s 200 -I 200 -b",
		"-I (--inline) 200: dev2 of beta grants 100 at most");
	refused(&e, TEST_SEND_LAT, "-s 200 -I 200",
		"-I (--inline) 200: dev2 of beta grants 100 at most");
	refused(&e, TEST_SEND_BW, "-I 64",
		"-I (--inline) 64 has no effect on messages of 65536 bytes: none is that small");
	resolved(&plan, &e, TEST_SEND_LAT, "-I 0");
	assert_int_equal(plan.work.inline_bytes, 0);
}

static void test_caps(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.server.max_seconds = 60;
	resolved(&plan, &e, TEST_WRITE_BW, "-D 60");
	refused(&e, TEST_WRITE_BW, "-D 61", "-D (--duration) 61: beta allows 60 seconds");
	e.server.max_total_bytes = 1000;
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "-s 1M"), -EINVAL);
	assert_non_null(strstr(err_text(), " bytes of test memory for messages of 1048576 bytes on "
			       "1 QPs: beta allows 1000; lower "));
}

static void test_threads(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_int_equal(plan.work.threads, 1);
	/* queues are each thread's own: only QPs and objects are counted together */
	resolved(&plan, &e, TEST_SEND_BW, "--threads 10 -q 60");
	assert_int_equal(plan.work.threads, 10);
	assert_int_equal(plan.work.qps, 60);
	assert_int_equal(plan_total_qps(&plan), 600);
	assert_int_equal(plan.work.recv_depth, 512);
	refused(&e, TEST_SEND_BW, "--threads 11 -q 100",
		"--threads 11 with -q (--qps) 100 each: dev1 of alpha has 1000 QPs");
	e.server.max_cqs = 15;
	resolved(&plan, &e, TEST_SEND_BW, "--threads 7");
	refused(&e, TEST_SEND_BW, "--threads 8", "--threads 8: dev2 of beta has 15 completion "
		"queues, and each thread takes 2; allowed: 1..7");
	resolved(&plan, &e, TEST_READ_BW, "--threads 15");
	refused(&e, TEST_READ_BW, "--threads 16", "--threads 16: dev2 of beta has 15 completion "
		"queues, and each thread takes 1; allowed: 1..15");
	e.client.max_mrs = 3;
	refused(&e, TEST_READ_BW, "--threads 4", "--threads 4: dev1 of alpha has 3 memory "
		"regions, and each thread takes 1; allowed: 1..3");
	e.client.max_mrs = UINT32_MAX;
	e.server.max_threads = 2;
	refused(&e, TEST_READ_BW, "--threads 4", "--threads 4: beta allows 2");
	e.server.max_threads = UINT32_MAX;
	e.server.max_total_bytes = 100 << 20;
	/* 128 buffers for sending and as many for writes to land in: 16 MiB a thread */
	resolved(&plan, &e, TEST_WRITE_BW, "--threads 6");
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--threads 7"), -EINVAL);
	assert_non_null(strstr(err_text(), " of 65536 bytes on 7 QPs: beta allows 104857600; "));
}

/* A side that has no loop posts and polls nothing. */
static void test_apis(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	refused(&e, TEST_WRITE_BW, "--post-api wr", "--post-api wr: dev1 of alpha makes no QPs for "
		"ibv_wr_* (ibv_create_qp_ex); allowed: send, auto");
	e.client.post_wr = true;
	resolved(&plan, &e, TEST_WRITE_BW, "--post-api wr");
	assert_int_equal(plan.work.post_api, APIS_POST_WR);
	refused(&e, TEST_SEND_BW, "--post-api wr", "--post-api wr: dev2 of beta makes no QPs for "
		"ibv_wr_* (ibv_create_qp_ex); allowed: send, auto");
	resolved(&plan, &e, TEST_SEND_BW, "--post-api auto");
	assert_int_equal(plan.work.post_api, APIS_POST_SEND);
	refused(&e, TEST_WRITE_BW, "--poll-api extended", "--poll-api extended: dev1 of alpha "
		"makes no CQs for ibv_start_poll (ibv_create_cq_ex); allowed: classic");
	e.client.poll_extended = e.server.poll_extended = true;
	resolved(&plan, &e, TEST_SEND_LAT, "--poll-api extended");
}

static void test_locks(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.unlocked = LOCKS_OFF_ALL;
	e.server.unlocked = LOCKS_OFF_CQ;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_int_equal(plan.work.locks, LOCKS_AUTO);
	resolved(&plan, &e, TEST_WRITE_BW, "--locks off");
	assert_int_equal(plan.work.locks, LOCKS_OFF);
	refused(&e, TEST_WRITE_LAT, "--locks off", "--locks off: dev2 of beta has no thread "
		"domains (ibv_alloc_td, ibv_alloc_parent_domain); auto leaves out what it can");
	e.client.unlocked = LOCKS_OFF_QP;
	refused(&e, TEST_WRITE_BW, "--locks off", "--locks off: dev1 of alpha has no CQs for one "
		"thread (ibv_create_cq_ex); auto leaves out what it can");
	resolved(&plan, &e, TEST_WRITE_BW, "--locks on");
}

static void test_footprint(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_WRITE_BW, "");
	assert_int_equal(plan.work.walk, WALK_SEQ);
	assert_int_equal(plan.work.hugepages, HUGEPAGES_AUTO);
	assert_int_equal(plan.points[0].footprint_bytes, 8 << 20);
	assert_true(noted(&plan, "footprint 8388608 bytes: "));
	resolved(&plan, &e, TEST_WRITE_BW, "-a");
	assert_int_equal(plan.points[0].footprint_bytes, 8 << 10);
	assert_int_equal(plan.points[16].footprint_bytes, 8 << 20);
	assert_true(noted(&plan, "footprint 8192 to 8388608 bytes: "));
	resolved(&plan, &e, TEST_READ_BW, "-a --footprint 32M --walk random --hugepages off");
	assert_int_equal(plan.work.walk, WALK_RANDOM);
	assert_int_equal(plan.work.hugepages, HUGEPAGES_OFF);
	for (uint32_t i = 0; i < plan.n_points; i++)
		assert_int_equal(plan.points[i].footprint_bytes, 32 << 20);
	assert_false(noted(&plan, "footprint"));
	resolved(&plan, &e, TEST_SEND_BW, "-s 100 -q 3 --walk same");
	assert_int_equal(plan.points[0].footprint_bytes, 3 * 128);
	resolved(&plan, &e, TEST_WRITE_BW, "-s 65535 -q 8 --footprint 512k");
	refused(&e, TEST_WRITE_BW, "-s 65535 -q 8 --footprint 511k",
		"--footprint 523264 does not hold a message of 65535 bytes for each of 8 QPs: "
		"524288 at least");
	refused(&e, TEST_SEND_BW, "-c UD -s 4096 --footprint 4k",
		"--footprint 4096 does not hold a message of 4096 bytes for each of 1 QPs: "
		"8192 at least");
	e.server.max_total_bytes = 8ull << 30;
	resolved(&plan, &e, TEST_WRITE_BW, "--footprint 4G");
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--footprint 8G"), -EINVAL);
	assert_non_null(strstr(err_text(), ": beta allows 8589934592; lower -s, -t, -r, -q or "
			       "--footprint"));
	/* of each thread */
	resolved(&plan, &e, TEST_WRITE_BW, "--footprint 1G --threads 4");
	assert_int_equal(plan.points[0].footprint_bytes, 1 << 30);
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--footprint 1G --threads 5"), -EINVAL);
	assert_non_null(strstr(err_text(), "10737418240 bytes of test memory for messages of 65536 "
			       "bytes on 5 QPs: beta allows 8589934592; "));
}

/* Where the loop writes into the payload, it knows one buffer. */
static void test_walk(void **state)
{
	static const struct {
		enum test test;
		const char *line;
		bool same;
	} lines[] = {
		{ TEST_WRITE_LAT, "", true },	      { TEST_WRITE_LAT, "--imm", false },
		{ TEST_WRITE_LAT, "-c UC", true },    { TEST_SEND_LAT, "", false },
		{ TEST_SEND_LAT, "-c UC", true },     { TEST_SEND_LAT, "-c UD --imm", false },
		{ TEST_READ_LAT, "", false },	      { TEST_ATOMIC_LAT, "", false },
		{ TEST_WRITE_LAT, "--walk same", true }, { TEST_SEND_BW, "-c UD", false },
		{ TEST_READ_LAT, "--walk same", true },
	};
	struct ends e = ends();
	struct plan plan;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		resolved(&plan, &e, lines[i].test, lines[i].line);
		assert_int_equal(plan.work.walk, lines[i].same ? WALK_SAME : WALK_SEQ);
	}
	resolved(&plan, &e, TEST_WRITE_LAT, "");
	assert_true(noted(&plan, "walk same: the last byte of one buffer counts the rounds"));
}

static void test_hugepages(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.hugepage_bytes = 2 << 20;
	e.client.hugepages_free = 8;
	e.server.hugepage_bytes = 1 << 30;
	e.server.hugepages_free = 1;
	resolved(&plan, &e, TEST_WRITE_BW, "--hugepages on");
	assert_int_equal(plan.work.hugepages, HUGEPAGES_ON);
	e.client.hugepages_free = 7;
	refused(&e, TEST_WRITE_BW, "-a --footprint 8M --hugepages on",
		"--hugepages on: 16777216 bytes of test memory on alpha take 8 hugepages of 2048 "
		"kB, 7 are free there (/proc/meminfo); raise vm.nr_hugepages by 1 (sysctl), or use "
		"--hugepages auto");
	resolved(&plan, &e, TEST_WRITE_BW, "-s 64 --hugepages on");
	/* every thread maps its own: 128 KiB each fill a hugepage each */
	e.server.hugepages_free = 7;
	resolved(&plan, &e, TEST_WRITE_BW, "-s 64 --hugepages on --threads 7");
	refused(&e, TEST_WRITE_BW, "-s 64 --hugepages on --threads 8",
		"--hugepages on: 16777216 bytes of test memory on alpha take 8 hugepages of 2048 "
		"kB, 7 are free there (/proc/meminfo); raise vm.nr_hugepages by 1 (sysctl), or use "
		"--hugepages auto");
	e.server.hugepage_bytes = 0;
	refused(&e, TEST_WRITE_BW, "-s 64 --hugepages on",
		"--hugepages on: the kernel of beta has none (no Hugepagesize in /proc/meminfo); "
		"use --hugepages auto");
	/* both sides on one host draw on the same pool */
	e.server = e.client;
	e.client.hugepages_free = e.server.hugepages_free = 15;
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--hugepages on"), -EINVAL);
	assert_non_null(strstr(err_text(), "on alpha take 16 hugepages of 2048 kB, 15 are free"));
	resolved(&plan, &e, TEST_WRITE_BW, "");
	assert_int_equal(plan.work.hugepages, HUGEPAGES_AUTO);
	e.client.emulated = true;
	resolved(&plan, &e, TEST_WRITE_BW, "");
	assert_int_equal(plan.work.hugepages, HUGEPAGES_OFF);
	assert_true(noted(&plan, "hugepages off: the emulated HCA"));
}

/* Both sides resolve the same input: nothing else may flow in. */
static void test_pure(void **state)
{
	struct ends e = ends();
	struct plan a, b;

	(void)state;
	memset(&a, 0xff, sizeof(a));
	memset(&b, 0x11, sizeof(b));
	resolved(&a, &e, TEST_READ_BW, "-a -b");
	resolved(&b, &e, TEST_READ_BW, "-a -b");
	assert_memory_equal(&a, &b, sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_auto_bw),  cmocka_unit_test(test_auto_lat),
		cmocka_unit_test(test_sizes),    cmocka_unit_test(test_loops),
		cmocka_unit_test(test_queues),   cmocka_unit_test(test_path),
		cmocka_unit_test(test_infiniband), cmocka_unit_test(test_outstanding),
		cmocka_unit_test(test_inline),   cmocka_unit_test(test_caps),
		cmocka_unit_test(test_threads),  cmocka_unit_test(test_apis),
		cmocka_unit_test(test_locks),
		cmocka_unit_test(test_footprint), cmocka_unit_test(test_walk),
		cmocka_unit_test(test_hugepages), cmocka_unit_test(test_pure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
