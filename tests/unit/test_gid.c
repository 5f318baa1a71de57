/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * gid: pairs chosen from tables as real hosts have them, pinned indices, refusals and their
 * error messages.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <cmocka.h>

#include "util/err.h"
#include "limits/gid.h"
#include "options/cfg.h"
#include "limits/gid_text.h"

static struct limits side(const char *host)
{
	struct limits l = { .port = 1, .ethernet = true, .gid_index = CFG_AUTO };

	snprintf(l.host, sizeof(l.host), "%s", host);
	snprintf(l.device, sizeof(l.device), "dev_%s", host);
	snprintf(l.netdev, sizeof(l.netdev), "eth9");
	return l;
}

static void add(struct limits *l, uint32_t index, enum gid_type type, const char *text)
{
	struct plan_gid *gid = &l->gids[l->n_gids++];

	gid->index = index;
	gid->type = type;
	assert_int_equal(inet_pton(AF_INET6, text, gid->raw), 1);
}

/* As mlx5 lists one IPv4 address: v1 and v2 of the link-local GID, then of the address. */
static void add_mlx5(struct limits *l, const char *local, const char *v4)
{
	add(l, 0, GID_ROCE_V1, local);
	add(l, 1, GID_ROCE_V2, local);
	add(l, 2, GID_ROCE_V1, v4);
	add(l, 3, GID_ROCE_V2, v4);
}

static void assert_pair(const struct gid_pair *pair, uint32_t client, uint32_t server)
{
	assert_int_equal(pair->client, client);
	assert_int_equal(pair->server, server);
}

static void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" lacks \"%s\"", err_text(), part);
}

static void different_indices(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add_mlx5(&c, "fe80::1", "::ffff:10.0.0.1");
	/* irdma: v2 only, the address first */
	add(&s, 1, GID_ROCE_V2, "::ffff:10.0.0.2");
	add(&s, 0, GID_ROCE_V2, "fe80::2");
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 3, 1);
	assert_string_equal(pair.reason, "RoCE v2, IPv4, addresses share their first 30 bits");
}

static void longest_prefix(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add(&c, 1, GID_ROCE_V2, "::ffff:10.1.0.1");
	add(&c, 2, GID_ROCE_V2, "::ffff:192.168.7.1");
	add(&c, 3, GID_ROCE_V2, "::ffff:192.168.8.1");
	add(&s, 5, GID_ROCE_V2, "::ffff:172.16.0.2");
	add(&s, 6, GID_ROCE_V2, "::ffff:192.168.8.2");
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 3, 6);
}

/* 127 bits of IPv6 in common are neighbours; 96 mapped bits and 1 more are not. */
static void mapping_is_no_prefix(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add(&c, 0, GID_ROCE_V2, "::ffff:10.0.0.1");
	add(&c, 1, GID_ROCE_V2, "fd77::1");
	add(&s, 0, GID_ROCE_V2, "::ffff:100.64.0.9");
	add(&s, 1, GID_ROCE_V2, "fd77::2");
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 1, 1);
	assert_string_equal(pair.reason, "RoCE v2, IPv6, addresses share their first 126 bits");
}

static void v2_and_routable_first(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add(&c, 0, GID_ROCE_V2, "fe80::1");
	add(&c, 1, GID_ROCE_V1, "::ffff:10.0.0.1");
	add(&s, 0, GID_ROCE_V1, "::ffff:10.0.0.2");
	add(&s, 1, GID_ROCE_V2, "fe80::2");
	/* v2 although only link-local */
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 0, 1);
	assert_non_null(strstr(pair.reason, "link-local"));
	/* 169.254/16 is link-local too: loses against a routable pair that shares less */
	add(&c, 4, GID_ROCE_V2, "::ffff:169.254.3.1");
	add(&s, 4, GID_ROCE_V2, "::ffff:169.254.3.2");
	add(&c, 5, GID_ROCE_V2, "2001:db8::1");
	add(&s, 5, GID_ROCE_V2, "3fff::1");
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 5, 5);
}

/* The same address on two hosts (each its own bridge, say) would be loopback on both. */
static void same_address(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add(&c, 0, GID_ROCE_V2, "::ffff:172.17.0.1");
	add(&c, 1, GID_ROCE_V2, "fe80::1");
	add(&s, 0, GID_ROCE_V2, "::ffff:172.17.0.1");
	add(&s, 1, GID_ROCE_V2, "fe80::2");
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 1, 1);
	/* one host: its own address is what reaches it */
	assert_int_equal(gid_choose(&pair, &c, &c), 0);
	assert_pair(&pair, 0, 0);
	assert_string_equal(pair.reason, "RoCE v2, IPv4, the same address on both sides");
}

static void pinned(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add_mlx5(&c, "fe80::1", "::ffff:10.0.0.1");
	add_mlx5(&s, "fe80::2", "::ffff:10.0.0.2");
	c.gid_index = 0;
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 0, 0);
	assert_non_null(strstr(pair.reason, "the client's set by the user"));
	s.gid_index = 1;
	assert_int_equal(gid_choose(&pair, &c, &s), -EINVAL);
	assert_says("[0] RoCE v1 fe80::1");
	assert_says("[1] RoCE v2 fe80::2");
	assert_says(": types differ; ");
	s.gid_index = 3;
	assert_int_equal(gid_choose(&pair, &c, &s), -EINVAL);
	assert_says(": types differ, IPv4 against IPv6, link-local against routable; ");
	s.gid_index = 1;
	c.gid_index = 3;
	assert_int_equal(gid_choose(&pair, &c, &s), -EINVAL);
	assert_says("[3] RoCE v2 ::ffff:10.0.0.1");
	assert_says(": IPv4 against IPv6, link-local against routable; ");
	assert_null(strstr(err_text(), "types differ"));
	s.gid_index = 9;
	assert_int_equal(gid_choose(&pair, &c, &s), -EINVAL);
	assert_says("server: GID index 9 of dev_b port 1");
}

static void nearest_is_named(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add(&c, 0, GID_ROCE_V1, "fe80::1");
	add(&c, 1, GID_ROCE_V2, "fd00::1");
	add(&s, 7, GID_ROCE_V2, "::ffff:10.0.0.2");
	assert_int_equal(gid_choose(&pair, &c, &s), -EINVAL);
	assert_says("client dev_a port 1 [1] RoCE v2 fd00::1");
	assert_says("server dev_b port 1 [7] RoCE v2 ::ffff:10.0.0.2: IPv4 against IPv6");
}

static void no_gid(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add(&c, 0, GID_ROCE_V2, "fe80::1");
	assert_int_equal(gid_choose(&pair, &c, &s), -EINVAL);
	assert_says("server: dev_b port 1 (eth9) has no GID: its network interface has no address; see: ip -br addr; "
		    "remedy: ip addr add ADDRESS/LENGTH dev NETDEV");
}

static void infiniband(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add(&c, 0, GID_IB, "fe80::1");
	add(&c, 1, GID_IB, "fec0::1");
	add(&s, 0, GID_IB, "fec0::2");
	c.ethernet = false;
	assert_int_equal(gid_choose(&pair, &c, &s), -EINVAL);
	assert_says("InfiniBand, of dev_b of ");
	s.ethernet = false;
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 0, 0);
	c.gid_index = 1;
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 1, 0);
	assert_string_equal(pair.reason, "InfiniBand, indices 1 and 0, the client's set by the user");
}

/* A MAC may begin like a link-local address, and a GID of iWARP is a MAC. */
static void iwarp(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	c.transport_type = s.transport_type = LIMITS_IWARP;
	add(&c, 0, GID_IB, "fe9a:1122:3344::");
	add(&s, 0, GID_IB, "5254:11:2233::");
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 0, 0);
	assert_string_equal(pair.reason, "iWARP, indices 0 and 0");
}

static void unspecified(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	c.ethernet = s.ethernet = false;
	c.link_unspecified = true;
	add(&c, 0, GID_IB, "fe80::1");
	add(&s, 0, GID_IB, "fe80::2");
	assert_int_equal(gid_choose(&pair, &c, &s), -EINVAL);
	assert_says("unspecified, of dev_b of ");
	s.link_unspecified = true;
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 0, 0);
}

/* A container sees the entries of all network namespaces of the machine. */
static void own_namespace_first(void **state)
{
	struct limits c = side("a"), s = side("b");
	struct gid_pair pair;

	(void)state;
	add(&c, 1, GID_ROCE_V2, "::ffff:10.0.0.1");
	add(&c, 2, GID_ROCE_V2, "::ffff:10.9.0.1");
	add(&s, 1, GID_ROCE_V2, "::ffff:10.0.0.2");
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 1, 1);
	c.gids[0].elsewhere = true;
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 2, 1);
	/* the user knows better, and there may be no other */
	c.gid_index = 1;
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 1, 1);
}

/* Fresh machines are all called "localhost"; containers of one machine are not called alike. */
static void hosts_by_boot(void **state)
{
	struct limits c = side("localhost"), s = side("localhost");
	struct gid_pair pair;

	(void)state;
	add(&c, 0, GID_ROCE_V2, "::ffff:172.17.0.1");
	add(&c, 1, GID_ROCE_V2, "fe80::1");
	add(&s, 0, GID_ROCE_V2, "::ffff:172.17.0.1");
	add(&s, 1, GID_ROCE_V2, "fe80::2");
	strcpy(c.boot_id, "11111111-1111");
	strcpy(s.boot_id, "22222222-2222");
	assert_false(limits_one_host(&c, &s));
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 1, 1);
	strcpy(s.boot_id, c.boot_id);
	strcpy(s.host, "container");
	assert_true(limits_one_host(&c, &s));
	assert_int_equal(gid_choose(&pair, &c, &s), 0);
	assert_pair(&pair, 0, 0);
	s.boot_id[0] = '\0';
	assert_false(limits_one_host(&c, &s));
}

/* What a port of the peer's subnet is worth; how many bits more are alike says nothing. */
static void rails(void **state)
{
	struct limits near = side("a"), far = side("a"), s = side("b");
	struct gid_pair first, second;

	(void)state;
	add(&near, 3, GID_ROCE_V2, "::ffff:10.0.1.1");
	add(&far, 3, GID_ROCE_V2, "::ffff:10.0.2.1");
	add(&s, 3, GID_ROCE_V2, "::ffff:10.0.1.2");
	assert_int_equal(gid_choose(&first, &near, &s), 0);
	assert_int_equal(gid_choose(&second, &far, &s), 0);
	assert_true(first.rank > second.rank);
	inet_pton(AF_INET6, "::ffff:10.0.1.3", far.gids[0].raw);
	assert_int_equal(gid_choose(&second, &far, &s), 0);
	assert_int_equal(first.rank, second.rank);
}

/* The default prefix of a subnet counts as much as one that was given to it. */
static void rails_of_infiniband(void **state)
{
	struct limits near = side("a"), far = side("a"), s = side("b");
	struct gid_pair first, second;

	(void)state;
	near.ethernet = far.ethernet = s.ethernet = false;
	add(&near, 0, GID_IB, "fe80::1");
	add(&far, 0, GID_IB, "fec0:0:0:7::1");
	add(&s, 0, GID_IB, "fe80::2");
	assert_int_equal(gid_choose(&first, &near, &s), 0);
	assert_int_equal(gid_choose(&second, &far, &s), 0);
	assert_true(first.rank > second.rank);
}

static void text(void **state)
{
	struct limits l = side("a");
	char t[GID_TEXT_MAX];

	(void)state;
	add(&l, 0, GID_ROCE_V2, "::ffff:10.0.0.1");
	add(&l, 3, GID_ROCE_V2, "fd77::1");
	assert_string_equal(gid_text(l.gids[0].raw, t, sizeof(t)), "::ffff:10.0.0.1");
	assert_string_equal(gid_text_address(l.gids[0].raw, t, sizeof(t)), "10.0.0.1");
	assert_string_equal(gid_text_address(l.gids[1].raw, t, sizeof(t)), "fd77::1");
	assert_ptr_equal(gid_find(&l, 3), &l.gids[1]);
	assert_null(gid_find(&l, 1));
	assert_string_equal(gid_text_types[GID_ROCE_V2], "RoCE v2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(different_indices),
		cmocka_unit_test(longest_prefix),
		cmocka_unit_test(mapping_is_no_prefix),
		cmocka_unit_test(v2_and_routable_first),
		cmocka_unit_test(same_address),
		cmocka_unit_test(pinned),
		cmocka_unit_test(nearest_is_named),
		cmocka_unit_test(no_gid),
		cmocka_unit_test(infiniband),
		cmocka_unit_test(iwarp),
		cmocka_unit_test(unspecified),
		cmocka_unit_test(own_namespace_first),
		cmocka_unit_test(hosts_by_boot),
		cmocka_unit_test(rails),
		cmocka_unit_test(rails_of_infiniband),
		cmocka_unit_test(text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
