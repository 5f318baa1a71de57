/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Plans from options and limits: path, points and buffers; what auto chooses, and the error message
 * of every refusal.
 */
#include "config.h"

#include "plan_ends.h"

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
	/* by time, after a warm-up */
	assert_int_equal(plan.points[0].messages, 0);
	assert_int_equal(plan.points[0].duration_ns, 1000000000);
	assert_int_equal(plan.points[0].warm_up, 128);
	assert_int_equal(plan.stall_timeout_ms, 5000);
	assert_true(noted(&plan, "MTU 1024: the smaller of client dev1 (4096) and server dev2 "
			  "(1024)"));
	assert_true(noted(&plan, "signal interval 32"));
	assert_true(noted(&plan, "GID 3 of client and 3 of server: "));
	assert_false(noted(&plan, "--hop-limit: on RoCE"));
	resolved(&plan, &e, TEST_WRITE_BW, "--hop-limit 64");
	assert_true(noted(&plan, "--hop-limit: on RoCE"));
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
	assert_int_equal(plan.points[0].messages, 0);
	assert_int_equal(plan.points[0].duration_ns, 1000000000);
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
	assert_int_equal(plan.n_points, 23);
	for (uint32_t i = 0; i < plan.n_points; i++) {
		assert_int_equal(plan.points[i].index, i);
		assert_int_equal(plan.points[i].size_bytes, 2u << i);
		assert_int_equal(plan.points[i].messages, 7);
	}
	assert_false(noted(&plan, "sizes end"));
	/* a byte for each piece */
	resolved(&plan, &e, TEST_WRITE_BW, "-a --sge 4");
	assert_int_equal(plan.points[0].size_bytes, 4);
	resolved(&plan, &e, TEST_WRITE_BW, "-a --sge 5");
	assert_int_equal(plan.points[0].size_bytes, 8);
	resolved(&plan, &e, TEST_SEND_BW, "-c UD -a");
	assert_int_equal(plan.n_points, 12);
	assert_true(noted(&plan, "sizes end at 4096: one MTU"));
	resolved(&plan, &e, TEST_SEND_BW, "-c UD -m 512");
	assert_int_equal(plan.points[0].size_bytes, 512);
	assert_int_equal(plan.path.mtu_bytes, 512);
	assert_true(noted(&plan, "size 512: one MTU"));
	resolved(&plan, &e, TEST_SEND_BW, "-c UD -s 4k");
	e.server.max_msg_bytes = 3000;
	resolved(&plan, &e, TEST_SEND_BW, "-a");
	assert_int_equal(plan.n_points, 11);
	assert_true(noted(&plan, "sizes end at 3000: the longest message"));
	/* each buffer once, and as many messages as are under way */
	assert_int_equal(plan.points[0].warm_up, 128);
	e.server.max_msg_bytes = 4;
	resolved(&plan, &e, TEST_SEND_BW, "-a");
	assert_int_equal(plan.n_points, 2);
	assert_int_equal(plan.points[1].warm_up, 128);
	e.server.max_msg_bytes = 2;
	resolved(&plan, &e, TEST_SEND_BW, "-a");
	assert_int_equal(plan.n_points, 1);
	assert_int_equal(plan.points[0].warm_up, 128);
	resolved(&plan, &e, TEST_SEND_BW, "-s 1 --warm-up 5");
	assert_int_equal(plan.points[0].warm_up, 5);
	e.server.max_msg_bytes = 8;
	resolved(&plan, &e, TEST_SEND_BW, "-a -t 300 --post-list 1 -Q 1 --footprint 64");
	assert_int_equal(plan.points[0].warm_up, 300);
	resolved(&plan, &e, TEST_SEND_BW, "-a -t 4 --footprint 64k");
	assert_int_equal(plan.points[0].warm_up, 1024);
	resolved(&plan, &e, TEST_SEND_BW, "-a -n 20");
	assert_int_equal(plan.points[1].warm_up, 20);
	resolved(&plan, &e, TEST_SEND_BW, "-a --verify");
	assert_int_equal(plan.points[1].warm_up, 0);
	e.server.max_msg_bytes = 3000;
	refused(&e, TEST_SEND_BW, "-s 4k", "-s (--size) 4096: the longest message is 1073741824 "
		"bytes for dev1 of alpha and 3000 for dev2 of beta");
	refused(&e, TEST_SEND_BW, "-b -a --peer-size 4k", "--peer-size 4096: the longest message is "
		"1073741824 bytes for dev1 of alpha and 3000 for dev2 of beta");
	refused(&e, TEST_SEND_BW, "-b -c UD -s 64 --peer-size 4097", "--peer-size 4097 over UD: a "
		"datagram is one packet, at most the MTU of 4096 bytes");
	refused(&e, TEST_SEND_BW, "-c UD -s 4097", "-s (--size) 4097 over UD: a datagram is one "
		"packet, at most the MTU of 4096 bytes");
	e.client.max_msg_bytes = 0;
	refused(&e, TEST_SEND_BW, "-a", "the ports allow no message at all");
	/* a port that does not say */
	e = ends();
	e.client.max_msg_bytes = UINT32_MAX;
	resolved(&plan, &e, TEST_SEND_BW, "-s 1073741824");
	assert_true(noted(&plan, "dev1 of alpha does not say its longest message (max_msg_sz 0): 2147483648 bytes, as InfiniBand allows"));
	e.server.max_msg_bytes = UINT32_MAX;
	resolved(&plan, &e, TEST_SEND_BW, "-a");
	assert_int_equal(plan.points[plan.n_points - 1].size_bytes, 8 << 20);
	resolved(&plan, &e, TEST_SEND_BW, "-s 2147483648");
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
		"-m (--mtu) 2048: the active MTU of dev2 of beta is 1024: the MTU of RDMA follows that of the interface; 4096 needs 4200 bytes there; see: ip -br link; verbench list; remedy: ip link set NETDEV mtu 9000, on both hosts and the switch; or leave -m out");
	e.server.active_mtu_bytes = 1500;
	refused(&e, TEST_SEND_BW, "",
		"dev2 of beta reports an MTU of 1500 bytes, which is not a valid path MTU");
	e.server.ethernet = false;
	e.server.emulated = true;
	refused(&e, TEST_SEND_BW, "", "dev2 of beta, the server, is emulated and dev1 of alpha is not: "
		"they cannot reach each other; start both sides with --soft, or none");
	e.server.emulated = false;
	refused(&e, TEST_SEND_BW, "", "link layer of dev1 of alpha: Ethernet, of dev2 of beta: "
		"InfiniBand; they cannot reach each other");
}

static void test_mcast(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	/* who only sends is no member */
	e.client.max_mcast_grps = 0;
	resolved(&plan, &e, TEST_SEND_BW, "-c UD --mcast 239.1.2.3");
	e.server.max_mcast_grps = 0;
	refused(&e, TEST_SEND_BW, "-c UD --mcast 239.1.2.3",
		"--mcast: dev2 of beta has no multicast (max_mcast_grp 0)");
}

static void test_pkeys(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.pkey = 0x0123;
	e.server.pkey = 0x8123;
	resolved(&plan, &e, TEST_SEND_BW, "");
	e.server.pkey = 0x0123;
	refused(&e, TEST_SEND_BW, "", "P_Key 0x0123 of dev1 of alpha and 0x0123 of dev2 of beta: both "
		"are limited members of the partition, and one must be a full member");
	e.server.pkey = 0xffff;
	refused(&e, TEST_SEND_BW, "", "P_Key 0x0123 of dev1 of alpha and 0xffff of dev2 of beta: they "
		"are different partitions; choose one that both have by --pkey (verbench list shows them)");
	e.server.pkey = 0;
	resolved(&plan, &e, TEST_SEND_BW, "");
	/* which one it is is said where it was asked for */
	e = ends();
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_false(noted(&plan, "P_Key"));
	resolved(&plan, &e, TEST_SEND_BW, "--pkey 0xffff");
	assert_true(noted(&plan, "P_Key 0x"));
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

/* A LID is enough, but not for every port. */
static void test_global_route(void **state)
{
	static const uint8_t prefix[8] = { 0xfe, 0xc0, [7] = 9 };
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.ethernet = e.server.ethernet = false;
	e.client.gids[0] = (struct plan_gid){ .type = GID_IB, .raw = { 0xfe, 0x80, [15] = 1 } };
	e.server.gids[0] = (struct plan_gid){ .type = GID_IB, .raw = { 0xfe, 0x80, [15] = 2 } };
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_false(plan.path.global_route);
	e.server.grh_required = true;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_true(plan.path.global_route);
	assert_true(noted(&plan, "GRH: dev2 needs it (IBV_QPF_GRH_REQUIRED)"));
	e.server.grh_required = false;
	memcpy(e.server.gids[0].raw, prefix, sizeof(prefix));
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_true(plan.path.global_route);
	assert_true(noted(&plan, "GRH: the subnet prefixes differ"));
	memcpy(e.client.gids[0].raw, prefix, sizeof(prefix));
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_false(plan.path.global_route);
	e.client.link_unspecified = e.server.link_unspecified = true;
	resolved(&plan, &e, TEST_SEND_BW, "-c UD");
	assert_true(plan.path.global_route);
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
	/* a ring and queues are counted, too */
	e.server.max_total_bytes = (8ull << 30) + (1 << 20);
	resolved(&plan, &e, TEST_WRITE_BW, "--footprint 4G");
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--footprint 8G"), -EINVAL);
	assert_non_null(strstr(err_text(), "; lower --size, --depth, --recv-depth, --qps or "
			       "--footprint"));
	/* of each thread */
	resolved(&plan, &e, TEST_WRITE_BW, "--footprint 1G --threads 4");
	assert_int_equal(plan.points[0].footprint_bytes, 1 << 30);
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--footprint 1G --threads 5"), -EINVAL);
	assert_non_null(strstr(err_text(), "--max-memory 8590983168 of the server's owner: the "
			       "test asks for 107"));
}

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

/* Each thread registers its own; pages that are mapped on demand are not locked. */
static void test_memlock(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.odp = e.server.odp = true;
	e.server.memlock_bytes = 8 << 20; /* both halves */
	resolved(&plan, &e, TEST_WRITE_BW, "--footprint 4M --threads 1");
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--footprint 4M --threads 2"), -EINVAL);
	assert_string_equal(err_cause(), "MEMLOCK");
	assert_non_null(strstr(err_text(), "16777216 bytes of test memory on beta are more than the 8388608 that it may lock"));
	resolved(&plan, &e, TEST_WRITE_BW, "--footprint 4M --threads 2 --buffers odp");
	/* what a peer addresses is ordinary memory */
	e.client.null_mr = e.server.null_mr = true;
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--footprint 16M --buffers null"), -EINVAL);
	assert_string_equal(err_cause(), "MEMLOCK");
	e.server.memlock_bytes = UINT64_MAX;
	e.client.memlock_bytes = 0;
	assert_int_equal(resolve(&plan, &e, TEST_SEND_LAT, ""), -EINVAL);
	assert_string_equal(err_cause(), "MEMLOCK");
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
		"--hugepages on: 16777216 bytes of test memory on alpha need 8 hugepages of 2048 kB, but only 7 are free (/proc/meminfo); increase vm.nr_hugepages by 1 (sysctl), or use --hugepages auto");
	resolved(&plan, &e, TEST_WRITE_BW, "-s 64 --hugepages on");
	/* every thread maps its own: 128 KiB each fill a hugepage each */
	e.server.hugepages_free = 7;
	resolved(&plan, &e, TEST_WRITE_BW, "-s 64 --hugepages on --threads 7");
	refused(&e, TEST_WRITE_BW, "-s 64 --hugepages on --threads 8",
		"--hugepages on: 16777216 bytes of test memory on alpha need 8 hugepages of 2048 kB, but only 7 are free (/proc/meminfo); increase vm.nr_hugepages by 1 (sysctl), or use --hugepages auto");
	e.server.hugepage_bytes = 0;
	refused(&e, TEST_WRITE_BW, "-s 64 --hugepages on",
		"--hugepages on: the kernel of beta has no hugepages (no Hugepagesize in /proc/meminfo); use --hugepages auto");
	/* both sides on one host draw on the same pool */
	e.server = e.client;
	e.client.hugepages_free = e.server.hugepages_free = 15;
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--hugepages on"), -EINVAL);
	assert_non_null(strstr(err_text(), "on alpha need 16 hugepages of 2048 kB, but only 15 are free"));
	resolved(&plan, &e, TEST_WRITE_BW, "");
	assert_int_equal(plan.work.hugepages, HUGEPAGES_AUTO);
	assert_false(noted(&plan, "hugepages off"));
	resolved(&plan, &e, TEST_WRITE_BW, "--hugepages off");
	assert_false(noted(&plan, "hugepages off"));
	e.client.emulated = e.server.emulated = true;
	resolved(&plan, &e, TEST_WRITE_BW, "");
	assert_int_equal(plan.work.hugepages, HUGEPAGES_OFF);
	assert_true(noted(&plan, "hugepages off: the emulated HCA"));
}

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
		cmocka_unit_test(test_auto_bw),
		cmocka_unit_test(test_auto_lat),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_mcast),
		cmocka_unit_test(test_pkeys),
		cmocka_unit_test(test_infiniband),
		cmocka_unit_test(test_global_route),
		cmocka_unit_test(test_footprint),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_memlock),
		cmocka_unit_test(test_hugepages),
		cmocka_unit_test(test_pure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
