/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* serve_limits.c: which sessions count as those of one host. */
#include "config.h"
#include "serve/serve_limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <cmocka.h>

#define SESSIONS 16u

/* A server with one session of each address, as many as are admitted; two of a host at most. */
static uint32_t count_admitted(const char *const *addresses, uint32_t n)
{
	const struct cfg cfg = {
		.max_sessions = SESSIONS, .max_sessions_per_host = 2, .max_session_rate = 100000,
	};
	struct serve_process children[SESSIONS] = { { .pid = 0 } };
	struct serve s = { .cfg = &cfg, .children = children };
	uint32_t admitted = 0;
	char why[256];

	for (uint32_t i = 0; i < n; i++) {
		struct serve_process *c = &children[s.n++];

		if (inet_pton(AF_INET6, addresses[i], c->address) != 1)
			fail_msg("%s", addresses[i]);
		if (!serve_limits_admit(&s, c, why, sizeof(why)))
			continue;
		c->state = SERVE_CHILD_CLIENT;
		admitted++;
	}
	return admitted;
}

/* A host chooses the last 64 bits of its address as it likes, also of one of a link. */
static void test_addresses_of_one_host(void **state)
{
	static const char *const global[] = { "2001:db8::1", "2001:db8::2", "2001:db8::8000:0:0:1" };
	static const char *const local[] = { "fe80::1", "fe80::2", "fe80::8000:0:0:1" };
	static const char *const ipv4[] = { "::ffff:192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.1" };

	(void)state;
	assert_int_equal(count_admitted(global, 3), 2);
	assert_int_equal(count_admitted(local, 3), 2);
	assert_int_equal(count_admitted(ipv4, 3), 2);
}

static void test_addresses_of_several_hosts(void **state)
{
	static const char *const global[] = { "2001:db8::1", "2001:db8:0:1::1", "2001:db8:1::1" };
	static const char *const ipv4[] = { "::ffff:192.0.2.1", "::ffff:192.0.2.2", "::ffff:192.0.2.3" };

	(void)state;
	assert_int_equal(count_admitted(global, 3), 3);
	assert_int_equal(count_admitted(ipv4, 3), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_of_one_host),
		cmocka_unit_test(test_addresses_of_several_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
