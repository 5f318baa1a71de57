/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Lists of nodes, from texts and files. */
#include "config.h"
#include "schedule/node_list.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <cmocka.h>

#include "text_file.h"
#include "util/err.h"

/* All names, with a blank between. */
static void check(const struct node_list *list, const char *want)
{
	char all[2048] = "";

	for (uint32_t i = 0; i < list->n; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "",
			 list->names[i]);
	assert_string_equal(all, want);
}

static void test_lists(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "n1", "n1" },
		{ "n1,n2", "n1 n2" },
		{ "b, a\n\n c \r\n", "b a c" },
		{ "n[3]", "n3" },
		{ "n[0-3,7],m1", "n0 n1 n2 n3 n7 m1" },
		{ "node[008-011]", "node008 node009 node010 node011" },
		{ "n[9-11]", "n9 n10 n11" },
		{ "n[09-11]", "n09 n10 n11" },
		{ "n[99-100]", "n99 n100" },
		{ "n[1,01]", "n1 n01" },
		{ "r[1-2]n[01,3-4]x", "r1n01x r1n3x r1n4x r2n01x r2n3x r2n4x" },
		{ "[1-2][3-4]", "13 14 23 24" },
		{ "n[1-2]:18600", "n1:18600 n2:18600" },
		{ "10.0.0.[1-3]", "10.0.0.1 10.0.0.2 10.0.0.3" },
		{ "[fe80::1]:18600,fe80::2,[fe80::3%eth0]", "[fe80::1]:18600 fe80::2 [fe80::3%eth0]" },
		{ "n[999999998-999999999]", "n999999998 n999999999" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct node_list list;
		const int rc = node_list_parse(&list, "--hosts", cases[i].text);

		if (rc)
			fail_msg("%s: %s", cases[i].text, err_text());
		check(&list, cases[i].want);
		node_list_free(&list);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "--hosts: no node is named" },
		{ "\n \n", "--hosts: no node is named" },
		{ "n1,", "--hosts: a name is empty" },
		{ ",n1", "a name is empty" },
		{ "n1,,n2", "a name is empty" },
		{ "n[]", "\"n[]\", character 3: expected a number" },
		{ "n[1", "\"n[1\", character 3: expected" },
		{ "n[1,", "\"n[1,\", character 5: expected" },
		{ "n[1-]", "character 3: expected" },
		{ "n[-3]", "character 3: expected" },
		{ "n[1,x]", "character 5: expected" },
		{ "n[1-2-3]", "character 3: expected" },
		{ "n[1-4:2]", "character 3: expected" },
		{ "n[[1]]", "character 3: expected" },
		{ "n[3-1]", "character 3: expected" },
		{ "n[1-010]", "character 3: expected" },
		{ "n[00-1]", "character 3: expected" },
		{ "n[1000000000]", "character 3: expected" },
		{ "n[18446744073709551617]", "character 3: expected" },
		{ "n1]", "character 3: ] without [" },
		{ "n 1", "character 2: allowed: letters" },
		{ "n1;reboot", "character 3: allowed: letters" },
		{ "n\xc3\xa4", "character 2: allowed: letters" },
		{ "-oProxyCommand=x", "character 1: a name does not begin with -" },
		{ "n[0-999999999]", "\"n[0-999999999]\": too many nodes; allowed: 1..65536" },
		{ "n[0-65536]", "too many nodes" },
		{ "n[0-65535],m", "\"m\": too many nodes" },
		{ "n[1-9999]n[1-9999]n[1-9999]n[1-9999]n[1-9999]", "too many nodes" },
		{ "a[1][1][1][1][1][1][1][1][1]", "character 26: more than 8 brackets" },
		{ "n1:0", "the port is \"0\"; allowed: 1..65535" },
		{ "[fe80::1", "expected [ADDRESS]" },
		{ ":18600", "the host is empty" },
		{ "n1,n2,n1", "--hosts: node \"n1\" is named twice" },
		{ "n1,n2,n2", "node \"n2\" is named twice" },
		{ "n[1-5],n[5-9]", "node \"n5\" is named twice" },
	};
	struct node_list list;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (node_list_parse(&list, "--hosts", cases[i].text) != -EINVAL)
			fail_msg("\"%s\" is taken", cases[i].text);
		assert_int_equal(list.n, 0);
		assert_null(list.names);
		if (strncmp(err_text(), "--hosts: ", 9) || !strstr(err_text(), cases[i].why))
			fail_msg("\"%s\" does not say \"%s\"", err_text(), cases[i].why);
	}
}

static void test_length(void **state)
{
	struct node_list list;
	char text[300];

	(void)state;
	memset(text, 'a', sizeof(text));
	strcpy(text + 255, "");
	assert_int_equal(node_list_parse(&list, "--hosts", text), 0);
	node_list_free(&list);
	strcpy(text + 255, ":18600");
	assert_int_equal(node_list_parse(&list, "--hosts", text), 0);
	node_list_free(&list);
	strcpy(text + 255, "a");
	assert_int_equal(node_list_parse(&list, "--hosts", text), -EINVAL);
	strcpy(text + 250, "[1-3]");
	assert_int_equal(node_list_parse(&list, "--hosts", text), 0);
	node_list_free(&list);
	strcpy(text + 255, "[100000-100001]");
	assert_int_equal(node_list_parse(&list, "--hosts", text), -EINVAL);
	memset(text, 'a', sizeof(text));
	strcpy(text + 265, "[1-3]");
	assert_int_equal(node_list_parse(&list, "--hosts", text), -EINVAL);
	assert_non_null(strstr(err_text(), "too long; allowed: 1..255"));
	/* with its first 265 characters it would be an address */
	memcpy(text, "[:", 2);
	strcpy(text + 258, "]:18600000");
	assert_int_equal(node_list_parse(&list, "--hosts", text), -EINVAL);
	assert_non_null(strstr(err_text(), "too long; allowed: 1..255"));
}

static void test_largest(void **state)
{
	struct node_list list;

	(void)state;
	assert_int_equal(node_list_parse(&list, "--hosts", "n[0-65534],m"), 0);
	assert_int_equal(list.n, MESH_NODES_MAX);
	assert_string_equal(list.names[65534], "n65534");
	assert_string_equal(list.names[65535], "m");
	node_list_free(&list);
	node_list_free(&list);
}

/* ---- files */

static char path[] = "/tmp/nodes-XXXXXX";

static void test_file(void **state)
{
	struct node_list list;

	(void)state;
	put(path, "# the rack\n\nn[1-2], n3 # and more\r\n  [fe80::1]\n#\nm");
	assert_int_equal(node_list_read(&list, path), 0);
	check(&list, "n1 n2 n3 [fe80::1] m");
	node_list_free(&list);
}

static void test_file_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "# n1\n", ": no node is named" },
		{ "n1\n\nn2 slots=4\n", ":3: \"n2 slots=4\", character 3: allowed: letters" },
		{ "n1,\nn2\n", ":1: a name is empty" },
		{ "n1\nn2\nn1\n", ": node \"n1\" is named twice" },
		{ "n1\nn[0-65535]\n", ":2: \"n[0-65535]\": too many nodes" },
		{ "n1\x1b[2J\n", ":1: byte 0x1b" },
	};
	struct node_list list;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put(path, cases[i].text);
		assert_int_equal(node_list_read(&list, path), -EINVAL);
		assert_int_equal(list.n, 0);
		if (strncmp(err_text(), path, strlen(path)) || !strstr(err_text(), cases[i].why))
			fail_msg("\"%s\" does not say \"%s\"", err_text(), cases[i].why);
	}
	assert_int_equal(node_list_read(&list, "/nonexistent/nodes"), -ENOENT);
	assert_null(list.names);
}

static int make_file(void **state)
{
	const int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_file_refused),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
