/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Ranges of addresses: what is one, and which addresses are in it. */
#include "config.h"
#include "access/access.h"

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

static void read_gid(uint8_t gid[16], const char *text)
{
	memset(gid, 0, 16);
	gid[10] = gid[11] = 0xff;
	if (inet_pton(AF_INET, text, gid + 12) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, gid), 1);
}

static void test_have(void **state)
{
	static const struct {
		const char *list, *address;
		bool have;
	} cases[] = {
		{ "10.1.0.0/16", "10.1.255.255", true },
		{ "10.1.0.0/16", "10.2.0.0", false },
		{ "10.1.128.0/17", "10.1.128.0", true },
		{ "10.1.128.0/17", "10.1.127.255", false },
		{ "192.0.2.7", "192.0.2.7", true },
		{ "192.0.2.7", "192.0.2.6", false },
		{ "192.0.2.8/31", "192.0.2.9", true },
		{ "192.0.2.8/31", "192.0.2.10", false },
		{ "0.0.0.0/0", "255.1.2.3", true },
		{ "0.0.0.0/0", "2001:db8::1", false },
		{ "fe80::/10", "fe80::1", true },
		{ "fe80::/10", "febf::1", true },
		{ "fe80::/10", "fec0::1", false },
		{ "2001:db8::1", "2001:db8::1", true },
		{ "2001:db8::1", "2001:db8::2", false },
		{ "::/0", "2001:db8::1", true },
		/* an IPv4 host is in no range of IPv6, except one of mapped addresses */
		{ "::/0", "10.0.0.1", false },
		{ "::ffff:10.0.0.0/104", "10.9.9.9", true },
		{ "::ffff:10.0.0.0/104", "11.0.0.1", false },
		{ "10.0.0.0/8,fd00::/8", "fd12::1", true },
		{ "10.0.0.0/8,fd00::/8", "10.0.0.1", true },
		{ "10.0.0.0/8,fd00::/8", "11.0.0.1", false },
		{ "any", "203.0.113.9", true },
		{ "any", "2001:db8::9", true },
		{ "10.0.0.1,any", "::1", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ranges ranges;
		uint8_t gid[16];

		read_gid(gid, cases[i].address);
		if (ranges_parse(&ranges, "--allow", cases[i].list))
			fail_msg("%s", err_text());
		if (ranges_have(&ranges, gid) != cases[i].have)
			fail_msg("%s: %s is %s it", cases[i].list, cases[i].address,
				 cases[i].have ? "not in" : "in");
	}
}

static void test_refused(void **state)
{
	static const char *const wrong[] = {
		"", ",", "10.0.0.0/8,", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x",
		"10.0.0.0/0008", "fd00::/129", "10.0.0", "host", "fe80::1%eth0", " 10.0.0.1",
		"10.0.0.1/8", "fd00::1/64", "::ffff:10.0.0.1/104", "0.0.0.1/0", "ANY",
		"1111111111111111111111111111111111111111111111111111111111111111111111111",
	};
	struct ranges ranges;
	char many[RANGES_MAX * 9 + 16] = "10.0.0.1";

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (ranges_parse(&ranges, "--allow", wrong[i]) != -EINVAL)
			fail_msg("\"%s\" is taken", wrong[i]);
	assert_int_equal(ranges_parse(&ranges, "--allow", "10.0.3.1/23"), -EINVAL);
	assert_non_null(strstr(err_text(), "the range is 10.0.2.0/23"));
	for (uint32_t i = 1; i < RANGES_MAX; i++)
		strcat(many, ",10.0.0.1");
	assert_int_equal(ranges_parse(&ranges, "--allow", many), 0);
	strcat(many, ",10.0.0.1");
	assert_int_equal(ranges_parse(&ranges, "--allow", many), -EINVAL);
}

static void test_loopback(void **state)
{
	uint8_t gid[16];

	(void)state;
	read_gid(gid, "127.3.2.1");
	assert_true(ranges_loopback(gid));
	read_gid(gid, "::1");
	assert_true(ranges_loopback(gid));
	read_gid(gid, "128.0.0.1");
	assert_false(ranges_loopback(gid));
	read_gid(gid, "::2");
	assert_false(ranges_loopback(gid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_have),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
