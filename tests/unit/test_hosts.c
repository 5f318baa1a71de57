/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* config/hosts: names and addresses with and without a port, and back. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "options/hosts.h"
#include "util/err.h"

static void takes(const char *text, const char *host, uint32_t port, const char *back)
{
	struct hosts_one one;
	char out[HOSTS_TEXT];

	assert_int_equal(hosts_parse(&one, text, 18515), 0);
	assert_string_equal(one.host, host);
	assert_int_equal(one.port, port);
	assert_string_equal(hosts_text(&one, out), back);
}

static void names_and_addresses(void **state)
{
	(void)state;
	takes("node2", "node2", 18515, "node2:18515");
	takes("node2:18600", "node2", 18600, "node2:18600");
	takes("10.0.0.2:1", "10.0.0.2", 1, "10.0.0.2:1");
	takes("10.0.0.2:65535", "10.0.0.2", 65535, "10.0.0.2:65535");
}

static void ipv6_with_and_without_brackets(void **state)
{
	(void)state;
	takes("fe80::1", "fe80::1", 18515, "[fe80::1]:18515");
	takes("::1", "::1", 18515, "[::1]:18515");
	takes("[fe80::1%eth0]", "fe80::1%eth0", 18515, "[fe80::1%eth0]:18515");
	takes("[fe80::1]:18600", "fe80::1", 18600, "[fe80::1]:18600");
}

static void no_host(void **state)
{
	static const char *const texts[] = {
		"", ":18600", "[]", "[]:1", "[fe80::1", "[fe80::1]x", "[fe80::1]18600", "node2:",
		"node2:0", "node2:65536", "node2:99999999999", "node2:1x", "node2:-1", "node2: 1",
	};
	struct hosts_one one;
	char longest[HOSTS_NAME + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (hosts_parse(&one, texts[i], 18515) != -EINVAL)
			fail_msg("\"%s\" is taken as a host", texts[i]);
	memset(longest, 'a', HOSTS_NAME);
	longest[HOSTS_NAME] = '\0';
	assert_int_equal(hosts_parse(&one, longest, 18515), -EINVAL);
	longest[HOSTS_NAME - 1] = '\0';
	assert_int_equal(hosts_parse(&one, longest, 18515), 0);
}

static void one_server_has_one_port(void **state)
{
	(void)state;
	assert_int_equal(hosts_check("node2", 0), 0);
	assert_int_equal(hosts_check("node2", 18600), 0);
	assert_int_equal(hosts_check("node2:18600", 0), 0);
	assert_int_equal(hosts_check("[fe80::1]:18600", 18600), 0);
	assert_int_equal(hosts_check("node2:", 0), -EINVAL);
	assert_int_equal(hosts_check("node2:18600", 18601), -EINVAL);
	assert_string_equal(err_text(), "host \"node2:18600\" and -p (--port) 18601: "
			    "two different ports for one server");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_addresses),
		cmocka_unit_test(ipv6_with_and_without_brackets),
		cmocka_unit_test(no_host),
		cmocka_unit_test(one_server_has_one_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
