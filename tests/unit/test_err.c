/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* err.c: one error message per thread, cut, never lost to its own arguments. */
#include "config.h"
#include "util/err.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_set_returns_the_code(void **state)
{
	(void)state;
	assert_int_equal(err_set(-ENOMEM, "need %u bytes", 12u), -ENOMEM);
	assert_string_equal(err_text(), "need 12 bytes");
	err_clear();
	assert_string_equal(err_text(), "");
}

static void test_long_text_is_cut(void **state)
{
	char text[2 * ERR_TEXT_MAX];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(err_set(-EINVAL, "%s", text), -EINVAL);
	assert_int_equal(strlen(err_text()), ERR_TEXT_MAX - 1);
}

static void test_own_text_as_argument(void **state)
{
	(void)state;
	(void)err_set(-EIO, "the cause");
	(void)err_set(-EIO, "point 3: %s", err_text());
	assert_string_equal(err_text(), "point 3: the cause");
}

static void test_wrapped_error_keeps_its_cause(void **state)
{
	char text[2 * ERR_TEXT_MAX];
	struct err kept;

	(void)state;
	assert_int_equal(err_set_cause(-EIO, "NO_SM", "port %d has no LID", 1), -EIO);
	assert_string_equal(err_text(), "port 1 has no LID");
	assert_string_equal(err_cause(), "NO_SM");
	assert_int_equal(err_wrap(-EINVAL, "point %d", 3), -EINVAL);
	assert_string_equal(err_text(), "point 3: port 1 has no LID");
	assert_string_equal(err_cause(), "NO_SM");
	kept = err_keep();
	/* a new error has no cause, whatever its text */
	(void)err_set(-EIO, "another error: %s", err_text());
	assert_string_equal(err_cause(), "");
	err_restore(&kept);
	assert_string_equal(err_text(), "point 3: port 1 has no LID");
	assert_string_equal(err_cause(), "NO_SM");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)err_set_cause(-EIO, "a name that is far too long for a cause", "%s", text);
	assert_int_equal(strlen(err_cause()), ERR_CAUSE_MAX - 1);
	(void)err_wrap(-EIO, "%s", text);
	assert_int_equal(strlen(err_text()), ERR_TEXT_MAX - 1);
	assert_int_equal(strlen(err_cause()), ERR_CAUSE_MAX - 1);
	/* no place is behind the end */
	err_restore(&(struct err){ .text = "the peer: it", .said = 10, .bare = 10 });
	for (int i = 0; i < 3; i++)
		(void)err_wrap(-EIO, "%s", text);
	kept = err_keep();
	assert_true(kept.said < ERR_TEXT_MAX - 1 && kept.bare < ERR_TEXT_MAX - 1);
	err_clear();
	assert_string_equal(err_cause(), "");
}

static void test_advice_is_apart(void **state)
{
	(void)state;
	(void)err_set(-EINVAL, "no %s", "UC");
	assert_int_equal(err_advise(-EINVAL, "allowed: %s", "RC"), -EINVAL);
	(void)err_wrap(-EINVAL, "pair 1");
	assert_string_equal(err_text(), "pair 1: no UC; allowed: RC");
	assert_string_equal(err_keep().text, "pair 1: no UC");
	assert_string_equal(err_keep().advice, "allowed: RC");
	(void)err_set(-EINVAL, "else");
	assert_string_equal(err_text(), "else");
}

static void *other_thread(void *arg)
{
	char *before = arg;

	strcpy(before, err_text());
	(void)err_set(-EIO, "of the other");
	return NULL;
}

static void test_threads_are_apart(void **state)
{
	char before[ERR_TEXT_MAX] = "unset";
	pthread_t thread;

	(void)state;
	(void)err_set(-EIO, "of the first");
	assert_int_equal(pthread_create(&thread, NULL, other_thread, before), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_string_equal(before, "");
	assert_string_equal(err_text(), "of the first");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_returns_the_code),
		cmocka_unit_test(test_long_text_is_cut),
		cmocka_unit_test(test_own_text_as_argument),
		cmocka_unit_test(test_wrapped_error_keeps_its_cause),
		cmocka_unit_test(test_advice_is_apart),
		cmocka_unit_test(test_threads_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
