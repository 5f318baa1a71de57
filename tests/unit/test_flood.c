/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* flood.c: who is left out, how long, and who is not. */
#include "config.h"
#include "access/access.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <cmocka.h>

#define SECOND 1000000000ull
#define START (1000 * SECOND)

static struct floods s;

static int clear(void **state)
{
	(void)state;
	memset(&s, 0, sizeof(s));
	return 0;
}

static enum flood_is take(const char *address, uint64_t now_ns, uint32_t *seconds)
{
	uint8_t gid[16] = { [10] = 0xff, [11] = 0xff };
	uint32_t unused;

	if (inet_pton(AF_INET, address, gid + 12) != 1)
		assert_int_equal(inet_pton(AF_INET6, address, gid), 1);
	return flood_take(&s, gid, now_ns, seconds ? seconds : &unused);
}

/* Takes all tokens of an address. */
static void flood(const char *address, uint64_t now_ns, uint32_t tokens)
{
	for (uint32_t i = 0; i < tokens; i++)
		assert_int_equal(take(address, now_ns, NULL), FLOOD_NONE);
}

static void test_flood(void **state)
{
	static const uint32_t expected[] = { 5, 10, 20, 40, 60, 60 };
	uint64_t now_ns = START;
	uint32_t seconds, tokens = FLOOD_TOKENS;

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		flood("192.0.2.1", now_ns, tokens);
		assert_int_equal(take("192.0.2.1", now_ns, &seconds), FLOOD_BEGINS);
		assert_int_equal(seconds, expected[i]);
		assert_true(s.changed);
		s.changed = false;
		assert_int_equal(take("192.0.2.1", now_ns, NULL), FLOOD_BLOCKED);
		/* the others are served */
		assert_int_equal(take("192.0.2.2", now_ns, NULL), FLOOD_NONE);
		assert_int_equal(flood_expire(&s, now_ns), now_ns + seconds * SECOND);
		assert_false(s.changed);
		now_ns += seconds * SECOND;
		assert_int_equal(flood_expire(&s, now_ns), UINT64_MAX);
		assert_true(s.changed);
		tokens = FLOOD_TOKENS / 4;
	}
	/* it behaved for long: the first time again */
	flood("192.0.2.1", now_ns + 301 * SECOND, FLOOD_TOKENS);
	assert_int_equal(take("192.0.2.1", now_ns + 301 * SECOND, &seconds),
			 FLOOD_BEGINS);
	assert_int_equal(seconds, 5);
}

static void test_clients_do_not_flood(void **state)
{
	uint8_t gid[16] = { [10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 1 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(take("192.0.2.1", START, NULL), FLOOD_NONE);
		flood_give(&s, gid);
	}
	/* two a second are no flood */
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(take("192.0.2.3", START + i * SECOND / 2, NULL),
				 FLOOD_NONE);
}

static void test_own_host(void **state)
{
	(void)state;
	flood("127.0.0.1", START, 1000);
	flood("::1", START, 1000);
	flood("127.0.0.2", START, FLOOD_TOKENS);
	assert_int_equal(take("127.0.0.2", START, NULL), FLOOD_BEGINS);
}

static void test_ipv6_by_network(void **state)
{
	(void)state;
	flood("2001:db8::1", START, FLOOD_TOKENS / 2);
	flood("2001:db8::2", START, FLOOD_TOKENS / 2);
	assert_int_equal(take("2001:db8::3", START, NULL), FLOOD_BEGINS);
	assert_int_equal(take("2001:db8:0:1::3", START, NULL), FLOOD_NONE);
}

/* More addresses than rows: the oldest is forgotten, one that is left out is not. */
static void test_many_addresses(void **state)
{
	char text[32];

	(void)state;
	flood("192.0.2.1", START, FLOOD_TOKENS);
	assert_int_equal(take("192.0.2.1", START, NULL), FLOOD_BEGINS);
	for (uint32_t i = 0; i < 4 * FLOOD_MAX; i++) {
		snprintf(text, sizeof(text), "198.51.%u.%u", i / 250, i % 250);
		assert_int_equal(take(text, START + i, NULL), FLOOD_NONE);
	}
	assert_int_equal(take("192.0.2.1", START + 1000, NULL), FLOOD_BLOCKED);
	assert_int_equal(s.n, FLOOD_MAX);
}

/* Who floods from many networks leaves nobody else out. */
static void test_all_rows_left_out(void **state)
{
	char text[32];

	(void)state;
	for (uint32_t i = 0; i < FLOOD_MAX; i++) {
		snprintf(text, sizeof(text), "2001:db8:0:%x::1", i);
		flood(text, START, FLOOD_TOKENS);
		assert_int_equal(take(text, START, NULL), FLOOD_BEGINS);
	}
	for (uint32_t i = 0; i < 2 * FLOOD_TOKENS; i++)
		assert_int_equal(take("192.0.2.1", START + i, NULL), FLOOD_NONE);
	assert_int_equal(take("2001:db8:0:1::2", START, NULL), FLOOD_BLOCKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_flood, clear),
		cmocka_unit_test_setup(test_clients_do_not_flood, clear),
		cmocka_unit_test_setup(test_own_host, clear),
		cmocka_unit_test_setup(test_ipv6_by_network, clear),
		cmocka_unit_test_setup(test_many_addresses, clear),
		cmocka_unit_test_setup(test_all_rows_left_out, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
