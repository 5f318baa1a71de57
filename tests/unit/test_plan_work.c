/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Plans from options and limits: depths, reads and atomics, inline, locks, APIs, threads; what auto
 * chooses, and the error message of every refusal.
 */
#include "config.h"

#include "plan_ends.h"
#include "decide/plan.h"

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
	/* 32767 / 100, less 16 for credits where a side sends these beside its messages */
	resolved(&plan, &e, TEST_SEND_BW, "-q 100");
	assert_int_equal(plan.work.depth, 128);
	assert_int_equal(plan.work.recv_depth, 327);
	assert_true(noted(&plan, "recv-depth 327 instead of 512"));
	resolved(&plan, &e, TEST_SEND_BW, "-b -q 100");
	assert_int_equal(plan.work.recv_depth, 311);
	resolved(&plan, &e, TEST_WRITE_BW, "-q 1000");
	assert_int_equal(plan.work.depth, 32);
	assert_int_equal(plan.work.signal_interval, 8);
	assert_true(noted(&plan, "depth 32 instead of 128"));
	resolved(&plan, &e, TEST_SEND_BW, "-b -q 100 -t 311 -r 311");
	refused(&e, TEST_SEND_BW, "-b -q 100 -t 312", "-t (--depth) 312 on 100 QPs: dev1 of alpha "
		"holds 32768 requests per queue and 32767 completions, less 16 per QP for credits: "
		"room for 311; lower --depth or --qps");
	/* each side by what it does: the sender has room for its credits only */
	e.server.max_recv_wr = 200;
	e.client.max_recv_wr = 16;
	resolved(&plan, &e, TEST_SEND_BW, "-r 200");
	refused(&e, TEST_SEND_BW, "-r 201", "-r (--recv-depth) 201 on 1 QPs: dev2 of beta holds "
		"200 receives per queue and 32767 completions: room for 200; "
		"lower --recv-depth or --qps");
	e.client.max_recv_wr = 32768;
	refused(&e, TEST_SEND_BW, "-b -r 185", "-r (--recv-depth) 185 on 1 QPs: dev2 of beta "
		"holds 200 receives per queue and 32767 completions, less 16 per QP for credits: "
		"room for 184; lower --recv-depth or --qps");
	/* the target of writes posts nothing */
	e.server.max_send_wr = 64;
	resolved(&plan, &e, TEST_WRITE_BW, "-t 16384");
	refused(&e, TEST_WRITE_BW, "-b -t 65", "-t (--depth) 65 on 1 QPs: dev2 of beta holds 64 "
		"requests per queue and 32767 completions: room for 64; lower --depth or --qps");
	refused(&e, TEST_WRITE_BW, "-b -t 65 -I 64 -s 64 --sge 2", "-t (--depth) 65 on 1 QPs: "
		"dev2 of beta holds 64 requests per queue with 64 bytes inline and 2 elements each "
		"and 32767 completions: room for 64; lower --depth or --qps");
	refused(&e, TEST_WRITE_BW, "-b -t 65 -I 64 -s 64", "-t (--depth) 65 on 1 QPs: "
		"dev2 of beta holds 64 requests per queue with 64 bytes inline each "
		"and 32767 completions: room for 64; lower --depth or --qps");
	refused(&e, TEST_WRITE_BW, "-b -t 65 -s 64 --sge 2", "-t (--depth) 65 on 1 QPs: "
		"dev2 of beta holds 64 requests per queue with 2 elements each "
		"and 32767 completions: room for 64; lower --depth or --qps");
	/* each QP has a queue of its own, unless one does the work of all */
	resolved(&plan, &e, TEST_WRITE_BW, "-b -q 10 -t 64");
	refused(&e, TEST_SEND_BW, "-q 1001", "-q (--qps) 1001: dev1 of alpha has 1000 QPs");
	e.server.max_send_wr = 0;
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, ""), -EINVAL);
	e.server.max_cqe = 0;
	assert_int_equal(resolve(&plan, &e, TEST_SEND_LAT, ""), -EINVAL);
}

/* A device that refuses unsignalled requests; the side that posts none does not matter. */
static void test_signals(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	snprintf(e.server.driver, sizeof(e.server.driver), "efa");
	e.server.signals_all = true;
	resolved(&plan, &e, TEST_SEND_BW, "-c UD");
	assert_int_equal(plan.work.signal_interval, 32);
	resolved(&plan, &e, TEST_SEND_BW, "-c UD -b -l 4");
	assert_int_equal(plan.work.signal_interval, 1);
	assert_true(noted(&plan, "signal interval 1: a device refuses requests that are not"));
	resolved(&plan, &e, TEST_SEND_LAT, "");
	assert_int_equal(plan.work.signal_interval, 1);
	refused(&e, TEST_SEND_BW, "-c UD -b -Q 8", "-Q (--signal-interval) 8: dev2 of beta (driver "
		"efa) refuses requests that are not signalled; allowed: 1");
}

static void test_relaxed_ordering(void **state)
{
	static const struct {
		enum test test;
		const char *line;
		bool on;
	} all[] = {
		{ TEST_WRITE_BW, "", true }, { TEST_SEND_BW, "-c UD", true },
		{ TEST_READ_LAT, "", true }, { TEST_SEND_LAT, "", true },
		{ TEST_WRITE_LAT, "--imm", true }, { TEST_WRITE_BW, "--relaxed-ordering off", false },
		/* the last byte is watched */
		{ TEST_WRITE_LAT, "", false }, { TEST_SEND_LAT, "-c UD", false },
		{ TEST_WRITE_BW, "--relaxed-ordering on", true },
	};
	struct ends e = ends();
	struct plan plan;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		resolved(&plan, &e, all[i].test, all[i].line);
		if (plan.work.relaxed_ordering != all[i].on)
			fail_msg("%s %s", kind_test_names[all[i].test], all[i].line);
	}
	e.client.max_dm_bytes = e.server.max_dm_bytes = 1u << 30;
	resolved(&plan, &e, TEST_WRITE_BW, "--buffers device");
	assert_false(plan.work.relaxed_ordering);
}

/* A device that takes inline messages and does not send them inline. */
static void test_inline_ignored(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	snprintf(e.client.driver, sizeof(e.client.driver), "mana");
	e.client.inline_ignored = true;
	e.client.max_inline_bytes = 0;
	resolved(&plan, &e, TEST_WRITE_LAT, "");
	assert_int_equal(plan.work.inline_bytes, 0);
	resolved(&plan, &e, TEST_WRITE_BW, "-I 0");
	refused(&e, TEST_WRITE_BW, "-I 64 -s 64", "-I (--inline) 64: dev1 of alpha (driver mana) "
		"takes inline messages, but fetches them from memory all the same; "
		"allowed: 0, auto");
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
	refused(&e, TEST_READ_BW, "-o 9",
		"-o (--outstanding) 9: dev2 of beta, the target, accepts at most 8 (max_qp_rd_atom)");
	refused(&e, TEST_READ_BW, "-o 17", "-o (--outstanding) 17: dev1 of alpha starts at most 16 "
		"(max_qp_init_rd_atom)");
	refused(&e, TEST_READ_BW, "-b -o 5", "-o (--outstanding) 5: dev1 of alpha, the target, "
		"accepts at most 4 (max_qp_rd_atom)");
	e.client.max_init_rd_atomic = e.server.max_rd_atomic = 1000;
	resolved(&plan, &e, TEST_READ_BW, "");
	assert_int_equal(plan.work.outstanding, 255);
	e.client.atomics = false;
	resolved(&plan, &e, TEST_ATOMIC_BW, "");
	refused(&e, TEST_ATOMIC_BW, "-b", "atomic_bw: dev1 of alpha, the target, has no atomics");
	e.server.atomics = false;
	refused(&e, TEST_ATOMIC_LAT, "", "atomic_lat: dev2 of beta, the target, has no atomics");
}

static void test_transport(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	refused(&e, TEST_SEND_BW, "-c XRC", "-c (--transport) XRC: dev1 of alpha has no XRC "
		"(IBV_DEVICE_XRC); what works: verbench check");
	e.client.xrc = true;
	refused(&e, TEST_READ_LAT, "-c XRC", "-c (--transport) XRC: dev2 of beta has no XRC "
		"(IBV_DEVICE_XRC); what works: verbench check");
	e.server.xrc = true;
	e.client.max_srqs = e.server.max_srqs = 1;
	resolved(&plan, &e, TEST_READ_LAT, "-c XRC -u 9");
	assert_int_equal(plan.work.kind.tp, TP_XRC);
	assert_int_equal(plan.path.qp_timeout, 9);
}

/* Why there is no DC on a side, and how its requests are posted where there is. */
static void test_dc(void **state)
{
	static const struct {
		enum limits_dc dc;
		const char *text;
	} none[] = {
		{ LIMITS_DC_NOT_BUILT,
		  "-c (--transport) DC: the verbench of beta was built without libmlx5 "
		  "(configure --with-mlx5dv); what works: verbench check" },
		{ LIMITS_DC_NO_LIBRARY, "-c (--transport) DC: beta has no libmlx5.so.1 "
					"(Debian: ibverbs-providers); what works: verbench check" },
		{ LIMITS_DC_NO_MLX5,
		  "-c (--transport) DC: mlx5dv_is_supported() of libmlx5 says no to dev2 of beta (driver siw), "
		  "so it has no DC; what works: verbench check" },
		{ LIMITS_DC_UNKNOWN,
		  "-c (--transport) DC: mlx5dv_is_supported() of libmlx5 says no to dev2 of beta (driver siw), "
		  "so it has no DC; what works: verbench check" },
	};
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.dc = LIMITS_DC_YES;
	e.client.post_wr = e.server.post_wr = true;
	e.client.max_srqs = e.server.max_srqs = 8;
	snprintf(e.server.driver, sizeof(e.server.driver), "siw");
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		e.server.dc = none[i].dc;
		refused(&e, TEST_SEND_BW, "-c DC", none[i].text);
	}
	e.server.dc = LIMITS_DC_YES;
	resolved(&plan, &e, TEST_WRITE_BW, "-c DC");
	assert_int_equal(plan.work.kind.tp, TP_DC);
	assert_int_equal(plan.work.post_api, APIS_POST_WR);
	resolved(&plan, &e, TEST_READ_LAT, "-c DC --post-api wr -u 9");
	assert_int_equal(plan.path.qp_timeout, 9);
	e.server.max_srqs = 4;
	refused(&e, TEST_SEND_BW, "-c DC -q 3 --threads 2", "--threads 2: dev2 of beta has 4 shared "
		"receive queues, and each thread takes 3; allowed: 1..1");
	e.client.dc = LIMITS_DC_NO_MLX5;
	refused(&e, TEST_SEND_BW, "-c DC",
		"-c (--transport) DC: mlx5dv_is_supported() of libmlx5 says no to dev1 of alpha (driver "
		"unknown), so it has no DC; what works: verbench check");
	e.client.emulated = e.server.emulated = true;
	refused(&e, TEST_SEND_BW, "-c DC",
		"-c (--transport) DC: mlx5dv_is_supported() of libmlx5 says no to dev1 of alpha (driver "
		"unknown), so it has no DC (the emulated HCA has it with SOFTHCA_MLX5DV=1, not in the "
		"zero-cost mode); what works: verbench check");
}

static void test_migration(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_int_equal(plan.path.migrate_after, UINT32_MAX);
	refused(&e, TEST_SEND_BW, "--migrate-after 5",
		"--migrate-after: dev1 of alpha has no path migration (IBV_DEVICE_AUTO_PATH_MIG)");
	e.client.apm = e.server.apm = true;
	e.client.alt_port = 2;
	refused(&e, TEST_SEND_BW, "--migrate-after 5", "--migrate-after: dev2 of beta has no "
		"other active port that --alternate-port allows; port 1 is in use");
	e.server.alt_port = 3;
	resolved(&plan, &e, TEST_SEND_BW, "--migrate-after 5");
	assert_int_equal(plan.path.migrate_after, 5);
	strcpy(e.server.driver, "rxe");
	e.server.apm_stored = true;
	refused(&e, TEST_SEND_BW, "--migrate-after 5", "--migrate-after: dev2 of beta (driver rxe) "
		"says that it has path migration but only stores its state");
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
		"-I (--inline) 200: dev2 of beta grants at most 100");
	refused(&e, TEST_SEND_LAT, "-s 200 -I 200",
		"-I (--inline) 200: dev2 of beta grants at most 100");
	refused(&e, TEST_SEND_BW, "-I 64",
		"-I (--inline) 64 has no effect on messages of 65536 bytes: all messages are larger");
	resolved(&plan, &e, TEST_SEND_LAT, "-I 0");
	assert_int_equal(plan.work.inline_bytes, 0);
}

static void test_caps(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.server.max_point_ms = 60000;
	resolved(&plan, &e, TEST_WRITE_BW, "-D 60");
	refused(&e, TEST_WRITE_BW, "-D 61", "--max-point-time 60s of the server's owner: the test asks for -D (--duration) 61");
	resolved(&plan, &e, TEST_WRITE_BW, "-D forever --interval 1500ms");
	assert_true(plan.points[0].forever && plan.points[0].duration_ns == 60000000000);
	assert_true(plan.work.interval_ns == 1500000000);
	e.server.max_point_ms = UINT32_MAX;
	resolved(&plan, &e, TEST_WRITE_BW, "-D forever");
	assert_true(plan.points[0].duration_ns > 0 && plan.points[0].duration_ns < INT64_MAX);
	assert_int_equal(plan.work.interval_ns, 0);
	e.server.allowed_qps = 6;
	resolved(&plan, &e, TEST_WRITE_BW, "--threads 2 -q 3");
	refused(&e, TEST_WRITE_BW, "-q 7", "--max-qps 6 of the server's owner: the test asks for 7 queue pairs");
	e.server.allowed_qps = UINT32_MAX;
	e.server.max_total_bytes = 1000;
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "-s 1M"), -EINVAL);
	assert_non_null(strstr(err_text(), "--max-memory 1000 of the server's owner: the test asks "
			       "for "));
}

/* What the queues of a thread cost: entries are a power of two, a request has a head. */
static void test_queue_bytes(void **state)
{
	struct plan_needs n = { .send_wr = 100, .send_sges = 2, .inline_bytes = 64, .recv_wr = 50,
				.recv_sges = 3, .send_cqe = 300, .recv_cqe = 150 };

	(void)state;
	assert_true(plan_needs_bytes(&n, 3) ==
		    3 * (128 * (64 + 2 * 16 + 64) + 64 * 3 * 16) + (512 + 256) * 64);
	n.recv_wr = 0;
	n.srq_wr = 150;
	assert_true(plan_needs_bytes(&n, 3) ==
		    3 * 128 * (64 + 2 * 16 + 64) + 256 * (3 * 16 + 16) + (512 + 256) * 64);
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
	resolved(&plan, &e, TEST_SEND_BW, "--threads 10 -q 100");
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
	refused(&e, TEST_READ_BW, "--threads 4", "--max-threads 2 of the server's owner: the test asks for --threads 4");
	e.server.max_threads = UINT32_MAX;
	e.server.max_total_bytes = 100 << 20;
	/* 128 buffers for sending and as many for writes to land in: 16 MiB a thread */
	resolved(&plan, &e, TEST_WRITE_BW, "--threads 6");
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--threads 7"), -EINVAL);
	assert_non_null(strstr(err_text(), "--max-memory 104857600 of the server's owner: "));
}

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
	refused(&e, TEST_WRITE_LAT, "--locks off",
		"--locks off: dev2 of beta has no thread "
		"domains (ibv_alloc_td, ibv_alloc_parent_domain); auto leaves out the locks that it can");
	e.client.unlocked = LOCKS_OFF_QP;
	refused(&e, TEST_WRITE_BW, "--locks off", "--locks off: dev1 of alpha has no CQs for one "
		"thread (ibv_create_cq_ex), or its provider locks them in ibv_poll_cq all the same "
		"(some do not with --poll-api extended); auto leaves out the locks that it can");
	resolved(&plan, &e, TEST_WRITE_BW, "--locks on");
}

/* Depth, receive depth, signal interval, messages, footprint, buffer order. */
static void check_like(enum test test, const char *line, const uint64_t *expected)
{
	struct ends e = ends();
	struct plan plan;

	e.client.max_inline_bytes = e.server.max_inline_bytes = 256;
	resolved(&plan, &e, test, line);
	print_message("  %s %s\n", kind_test_names[test], line);
	assert_int_equal(plan.work.depth, expected[0]);
	assert_int_equal(plan.work.recv_depth, expected[1]);
	assert_int_equal(plan.work.signal_interval, expected[2]);
	assert_int_equal(plan.points[0].messages, expected[3]);
	assert_int_equal(plan.points[0].footprint_bytes, expected[4]);
	assert_int_equal(plan.work.walk, expected[5]);
	assert_int_equal(plan.work.like, LIKE_PERFTEST);
	assert_int_equal(plan.work.locks, LOCKS_ON);
	assert_int_equal(plan.work.hugepages, HUGEPAGES_OFF);
	assert_int_equal(plan.points[0].warm_up, 0);
}

/* What stock prints of itself for the same options. */
static void test_like(void **state)
{
	static const struct {
		enum test test;
		const char *line;
		uint64_t expected[6];
	} runs[] = {
		{ TEST_WRITE_BW, "", { 128, 0, 1, 5000, 65536, WALK_SEQ } },
		{ TEST_WRITE_BW, "-s 8192", { 128, 0, 100, 5000, 8192, WALK_SEQ } },
		{ TEST_WRITE_BW, "-s 64 -t 32", { 32, 0, 32, 5000, 4096, WALK_SEQ } },
		{ TEST_WRITE_BW, "-s 64 -q 4", { 128, 0, 100, 5000, 16384, WALK_SEQ } },
		{ TEST_WRITE_BW, "-a", { 128, 0, 100, 5000, 4096, WALK_SEQ } },
		{ TEST_WRITE_BW, "-l 16 -s 64", { 128, 0, 16, 5000, 4096, WALK_SEQ } },
		{ TEST_SEND_BW, "", { 128, 512, 1, 1000, 65536, WALK_SEQ } },
		{ TEST_SEND_BW, "-e", { 128, 512, 100, 1000, 65536, WALK_SEQ } },
		{ TEST_SEND_BW, "-n 64 -s 64", { 64, 64, 64, 64, 4096, WALK_SEQ } },
		{ TEST_SEND_BW, "-c UD -s 4k", { 128, 1000, 100, 1000, 8192, WALK_SEQ } },
		{ TEST_SEND_BW, "-c UC -n 20000", { 128, 16000, 1, 20000, 65536, WALK_SEQ } },
		{ TEST_SEND_BW, "-D 5", { 128, 512, 1, 0, 65536, WALK_SEQ } },
		{ TEST_READ_BW, "-s 4k", { 128, 0, 100, 1000, 4096, WALK_SEQ } },
		{ TEST_ATOMIC_BW, "", { 128, 0, 100, 1000, 4096, WALK_SEQ } },
		{ TEST_READ_LAT, "", { 1, 0, 1, 1000, 64, WALK_SAME } },
		/* what is given wins */
		{ TEST_WRITE_BW, "-t 64 -Q 16 -n 7000 --footprint 1M",
		  { 64, 0, 16, 7000, 1 << 20, WALK_SEQ } },
		{ TEST_SEND_BW, "-r 200 --walk same", { 128, 200, 1, 1000, 65536, WALK_SAME } },
	};
	struct ends e = ends();
	struct plan plan;
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		snprintf(line, sizeof(line), "--like perftest %s", runs[i].line);
		check_like(runs[i].test, line, runs[i].expected);
	}
	e.client.max_inline_bytes = e.server.max_inline_bytes = 256;
	resolved(&plan, &e, TEST_SEND_LAT, "--like perftest -a");
	assert_int_equal(plan.work.inline_bytes, 236);
	resolved(&plan, &e, TEST_SEND_LAT, "--like perftest -a -c UD");
	assert_int_equal(plan.work.inline_bytes, 188);
	resolved(&plan, &e, TEST_WRITE_LAT, "--like perftest -a");
	assert_int_equal(plan.work.inline_bytes, 220);
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_int_equal(plan.work.like, LIKE_NONE);
	assert_int_equal(plan.points[0].footprint_bytes, 8 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_outstanding),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_relaxed_ordering),
		cmocka_unit_test(test_inline_ignored),
		cmocka_unit_test(test_transport), cmocka_unit_test(test_dc),
		cmocka_unit_test(test_migration),
		cmocka_unit_test(test_inline),
		cmocka_unit_test(test_caps),
		cmocka_unit_test(test_queue_bytes),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_apis),
		cmocka_unit_test(test_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
