/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Schedules from files. */
#include "config.h"
#include "schedule/schedule.h"

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

static const char *const names[] = { "n3", "n1:18600", "fe80::2", "1", "m" };

static char path[] = "/tmp/schedule-XXXXXX";

/* Ranks only, or names. */
static int load(struct schedule **s, const char *text, const char *const *list)
{
	const struct schedule_ask ask = { .kind = SCHEDULE_FILE, .n = 5, .file = path,
					  .names = list };

	put(path, text);
	return schedule_open(s, &ask);
}

static struct schedule *loaded(const char *text, const char *const *list)
{
	struct schedule *s;

	if (load(&s, text, list))
		fail_msg("%s", err_text());
	return s;
}

static void test_ranks(void **state)
{
	struct schedule *s = loaded("# round, from, to\n"
				    "3 4 0\n"
				    "3\t0 1:0  # both send and receive\n"
				    "\n"
				    "  3 1:0 4\r\n"
				    "7 0 4\n"
				    "4294967294 1 0\n"
				    "4294967294 0 3", NULL);
	static const uint32_t want[3][5] = {
		{ 1, 4, SCHEDULE_NONE, SCHEDULE_NONE, 0 },
		{ 4, SCHEDULE_NONE, SCHEDULE_NONE, SCHEDULE_NONE, SCHEDULE_NONE },
		{ 3, 0, SCHEDULE_NONE, SCHEDULE_NONE, SCHEDULE_NONE },
	};

	(void)state;
	assert_int_equal(schedule_rounds(s), 3);
	assert_int_equal(schedule_pairs(s), 6);
	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t node = 0; node < 5; node++)
			assert_int_equal(schedule_target(s, round, node), want[round][node]);
	assert_int_equal(schedule_target(s, 3, 0), SCHEDULE_NONE);
	schedule_close(s);
}

/* A name comes before a rank of the same text, and may have a colon. */
static void test_names(void **state)
{
	struct schedule *s = loaded("0 n3 n1:18600\n"
				    "0 fe80::2:0 1\n"
				    "0 n1:18600:0 m:0\n"
				    "1 0 4\n", names);

	(void)state;
	assert_int_equal(schedule_target(s, 0, 0), 1);
	assert_int_equal(schedule_target(s, 0, 2), 3);
	assert_int_equal(schedule_target(s, 0, 1), 4);
	assert_int_equal(schedule_target(s, 1, 0), 4);
	schedule_close(s);
}

static struct schedule *with_rails(const char *text, enum rails rails)
{
	const struct schedule_ask ask = { .kind = SCHEDULE_FILE, .n = 5, .file = path,
					  .rails = rails, .n_rails = 2 };
	struct schedule *s;

	put(path, text);
	if (schedule_open(&s, &ask))
		fail_msg("%s", err_text());
	return s;
}

static void check_rails(const struct schedule *s, uint32_t round, uint32_t node, uint32_t from,
			uint32_t to)
{
	assert_int_equal(schedule_rails(s, round, node, 0).from, from);
	assert_int_equal(schedule_rails(s, round, node, 0).to, to);
}

/* A line is one pair then, whatever --rails says; without a rail it is that of rail 0. */
static void test_rails(void **state)
{
	struct schedule *s;

	(void)state;
	for (enum rails rails = RAILS_SAME; rails <= RAILS_ALL; rails++) {
		s = with_rails("0 0:1 1:1\n0 1 2:1\n0 3 4\n2 0:0 1:1\n2 4:1 3\n3 0 1:0\n", rails);
		assert_int_equal(schedule_rounds(s), 3);
		assert_int_equal(schedule_pairs(s), 6);
		assert_int_equal(schedule_target(s, 0, 0), 1);
		check_rails(s, 0, 0, 1, 1);
		check_rails(s, 0, 1, 0, 1);
		check_rails(s, 0, 3, 0, 0);
		check_rails(s, 1, 0, 0, 1);
		check_rails(s, 1, 4, 1, 0);
		check_rails(s, 2, 0, 0, 0);
		schedule_close(s);
	}
	/* no line has a rail: all are measured */
	s = with_rails("0 0 1\n1 2 3\n", RAILS_SAME);
	assert_int_equal(schedule_rounds(s), 4);
	check_rails(s, 1, 0, 1, 1);
	check_rails(s, 2, 2, 0, 0);
	schedule_close(s);
}

static void test_refused_rails(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "0 1:2 2\n", ":1: node \"1\" has the rail \"2\"; allowed: 0..1" },
		{ "0 1 2:x\n", ":1: node \"2\" has the rail \"x\"; allowed: 0..1" },
		{ "0 1:1 2:1\n1 1:1 2:1\n", ":2: node 1 sends to node 2 in line 1, too" },
		{ "0 1:1 2\n0 1:0 3\n", ":2: node 1 sends twice in round 0" },
	};
	struct schedule_ask ask = { .kind = SCHEDULE_FILE, .n = 5, .file = path,
				    .rails = RAILS_SAME, .n_rails = 2 };
	struct schedule *s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put(path, cases[i].text);
		assert_int_equal(schedule_open(&s, &ask), -EINVAL);
		if (!strstr(err_text(), cases[i].why))
			fail_msg("\"%s\" does not say \"%s\"", err_text(), cases[i].why);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", ": no line \"ROUND A B\"" },
		{ "# 0 1 2\n", ": no line \"ROUND A B\"" },
		{ "0 1 2\n\n0 3\n", ":3: expected ROUND A[:RAIL] B[:RAIL]" },
		{ "0 1 2 3\n", ":1: expected ROUND A[:RAIL] B[:RAIL]" },
		{ "0 1 # 2\n", ":1: expected ROUND" },
		{ "x 1 2\n", ":1: round \"x\"; allowed: 0..4294967294" },
		{ "-1 1 2\n", ":1: round \"-1\"" },
		{ "4294967295 1 2\n", ":1: round \"4294967295\"" },
		{ "99999999999999999999 1 2\n", ":1: round \"999" },
		{ "1 1 2\n0 2 1\n", ":2: round 0 follows round 1" },
		{ "0 1 2\n0 1 3\n", ":2: node 1 sends twice in round 0" },
		{ "0 1 2\n0 3 2\n", ":2: node 2 receives twice in round 0" },
		{ "0 1 2\n1 2 1\n9 1 2\n", ":3: node 1 sends to node 2 in line 1, too" },
		{ "0 1 1\n", ":1: node 1 is measured with itself" },
		{ "0 1 5\n", ":1: \"5\" is no node; allowed: 0..4" },
		{ "0 n1 2\n", ":1: \"n1\" is no node; allowed: 0..4" },
		{ "0 n1:0 2\n", ":1: \"n1:0\" is no node" },
		{ "0 1:1 2\n", ":1: node \"1\" has the rail \"1\"; allowed: 0 without --rails" },
		{ "0 1:x 2\n", ":1: node \"1\" has the rail \"x\"; allowed: 0" },
		{ "0 1: 2\n", ":1: node \"1\" has the rail \"\"; allowed: 0" },
	};
	struct schedule *s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (load(&s, cases[i].text, NULL) != -EINVAL)
			fail_msg("\"%s\" is taken", cases[i].text);
		assert_null(s);
		if (strncmp(err_text(), path, strlen(path)) || !strstr(err_text(), cases[i].why))
			fail_msg("\"%s\" does not say \"%s\"", err_text(), cases[i].why);
	}
	assert_int_equal(load(&s, "0 n3 n2\n", names), -EINVAL);
	assert_non_null(strstr(err_text(), "0..4 or a name of the list of nodes"));
}

static void test_no_file(void **state)
{
	const struct schedule_ask ask = { .kind = SCHEDULE_FILE, .n = 5,
					  .file = "/nonexistent/rounds" };
	struct schedule *s;

	(void)state;
	assert_int_equal(schedule_open(&s, &ask), -ENOENT);
	assert_null(s);
	assert_non_null(strstr(err_text(), "/nonexistent/rounds"));
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
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_rails),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_refused_rails),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
