/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Lists of flow labels. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "decide/flow_label.h"
#include "util/err.h"

static void accepted(void **state)
{
	static const uint32_t labels[] = { 0, 1048575, 0xfffff, 0xa };
	static const char list[] = "0,1048575,0xFFfff,0Xa";

	(void)state;
	assert_int_equal(flow_label_check(NULL), 0);
	assert_int_equal(flow_label_check(list), 0);
	assert_int_equal(flow_label_count(list), 4);
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(flow_label_of(list, i), labels[i % 4]);
	assert_int_equal(flow_label_count(""), 0);
	assert_int_equal(flow_label_of("", 3), 0);
	/* not octal */
	assert_int_equal(flow_label_of("010", 0), 10);
}

static void refused(void **state)
{
	static const char *const lists[] = {
		"", ",", "1,", ",1", "1,,2", "1048576", "0x100000", "0x", "0xg", "-1", "+1", " 1",
		"1 ", "1;2", "a", "99999999999999999999999", "1,2x",
	};
	char longest[FLOW_LABEL_TEXT + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(flow_label_check(lists[i]), -EINVAL);
		assert_non_null(strstr(err_text(), "allowed: 0..0xfffff"));
	}
	memset(longest, '0', sizeof(longest));
	longest[FLOW_LABEL_TEXT] = '\0';
	assert_int_equal(flow_label_check(longest), -EINVAL);
	assert_string_equal(err_text(), "--flow-label: the list has more than 255 characters");
	longest[FLOW_LABEL_TEXT - 1] = '\0';
	assert_int_equal(flow_label_check(longest), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
