/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * config/mcast: groups in range and out of it, and their MGIDs as the kernel maps them. The vectors
 * are worked by hand from cma_iboe_set_mgid(), cma_set_mgid() (drivers/infiniband/core/cma.c) and
 * ip_ib_mc_map() (include/net/ip.h; RFC 4391, section 4). loop/group: whose messages count.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "limits/gid_text.h"
#include "options/mcast.h"
#include "loop/calls.h"
#include "decide/plan.h"
#include "plan_ends.h"
#include "util/err.h"

static const char *mgid(const char *group, enum mcast_link link, uint32_t pkey)
{
	static char text[GID_TEXT_MAX];
	struct mcast_group g;
	uint8_t raw[16];

	assert_int_equal(mcast_parse(&g, group), 0);
	mcast_mgid(raw, &g, link, pkey);
	return gid_text(raw, text, sizeof(text));
}

static void roce_v2_maps_ipv4(void **state)
{
	(void)state;
	assert_string_equal(mgid("239.1.2.3", MCAST_ROCE_V2, 0xffff), "::ffff:239.1.2.3");
	assert_string_equal(mgid("224.0.1.0", MCAST_ROCE_V2, 0xffff), "::ffff:224.0.1.0");
	assert_string_equal(mgid("239.255.255.255", MCAST_ROCE_V2, 0), "::ffff:239.255.255.255");
}

static void roce_v1_has_a_prefix(void **state)
{
	(void)state;
	assert_string_equal(mgid("239.1.2.3", MCAST_ROCE_V1, 0xffff), "ff0e::ffff:ef01:203");
}

/* The lower 28 bits, the P_Key as a full member, and the signature of rdma_cm. */
static void infiniband_has_28_bits_and_the_pkey(void **state)
{
	(void)state;
	assert_string_equal(mgid("239.1.2.3", MCAST_INFINIBAND, 0xffff), "ff12:4001:ffff::f01:203");
	assert_string_equal(mgid("224.0.1.7", MCAST_INFINIBAND, 0x1234), "ff12:4001:9234::107");
}

static void an_mgid_is_itself(void **state)
{
	(void)state;
	assert_string_equal(mgid("ff0e::1:2", MCAST_ROCE_V2, 0xffff), "ff0e::1:2");
	assert_string_equal(mgid("ff12:401b:ffff::5", MCAST_INFINIBAND, 0x8001), "ff12:401b:ffff::5");
}

static void no_group(void **state)
{
	static const char *const texts[] = {
		"", "group", "223.255.255.255", "240.0.0.0", "224.0.0.1", "224.0.0.255", "10.0.0.1",
		"239.1.2", "239.1.2.3.4", "239.1.2.3 ", "fe80::1", "::ffff:239.1.2.3", "fe0e::1",
	};
	struct mcast_group g;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (mcast_parse(&g, texts[i]) != -EINVAL)
			fail_msg("\"%s\" is taken as a group", texts[i]);
}

/* Only numbers that decide the plan, never what belongs to one receiver. */
static void receivers_join_their_limits(void **state)
{
	struct limits a = limits("a", 1), b = limits("b", 2);

	(void)state;
	a.active_mtu_bytes = 4096;
	b.active_mtu_bytes = 1024;
	a.max_wr = 64;
	b.max_wr = 128;
	a.max_cqe = 100;
	b.max_cqe = 50;
	limits_join(&a, &b);
	assert_int_equal(a.active_mtu_bytes, 1024);
	assert_int_equal(a.max_wr, 64);
	assert_int_equal(a.max_cqe, 50);
	assert_string_equal(a.host, "a");
	assert_int_equal(a.gids[0].raw[15], 1);
}

/* What a CQ gives: more is there than the poll says, left by an earlier one. */
static int poll_four(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq;
	assert_true(n > 4);
	for (uint32_t i = 0; i < 5; i++)
		wc[i] = (struct ibv_wc){ .wr_id = i, .src_qp = i == 1 ? 9 : 7 };
	return 4;
}

/* Other programs may send to the group. */
static void messages_of_others_are_left_out(void **state)
{
	struct ibv_wc wc[8];
	struct ibv_cq cq = { 0 };
	struct recv_queue rq = { .refill_at = 100 };
	struct worker w = { .fixed = { .rqs = &rq, .rcq = &cq, .poll_came = poll_four } };

	(void)state;
	group_filter(&w, 7);
	assert_int_equal(w.fixed.poll_came(&cq, 8, wc), 3);
	assert_int_equal(wc[0].wr_id, 0);
	assert_int_equal(wc[1].wr_id, 2);
	assert_int_equal(wc[2].wr_id, 3);
	assert_int_equal(rq.taken, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roce_v2_maps_ipv4),
		cmocka_unit_test(roce_v1_has_a_prefix),
		cmocka_unit_test(infiniband_has_28_bits_and_the_pkey),
		cmocka_unit_test(an_mgid_is_itself),
		cmocka_unit_test(no_group),
		cmocka_unit_test(receivers_join_their_limits),
		cmocka_unit_test(messages_of_others_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
