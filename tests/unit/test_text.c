/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* text.c: nothing of a peer, a device or a file commands a terminal. */
#include "config.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void assert_shown(const char *text, const char *as)
{
	char line[64];

	strcpy(line, text);
	text_shown(line, strlen(line));
	assert_string_equal(line, as);
}

static void test_control_bytes(void **state)
{
	(void)state;
	assert_shown("a\033[2Jb\x7f\n", "a?[2Jb??");
	/* CSI, as one byte and as UTF-8 */
	assert_shown("a\x9b" "2Jb", "a?2Jb");
	assert_shown("a\xc2\x9b" "2Jb", "a??2Jb");
	assert_shown("\xc2\x80\xc2\x9f\xc2\xa0", "????\xc2\xa0");
	for (unsigned char c = 0x80; c < 0xa0; c++) {
		char line[] = { 'x', (char)c, 'y', (char)0xc2, (char)c, '\0' };

		text_shown(line, sizeof(line) - 1);
		assert_string_equal(line, "x?y??");
	}
}

static void test_characters_stay(void **state)
{
	static const char text[] = "Gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80";

	(void)state;
	assert_shown(text, text);
	assert_shown("", "");
}

static void test_what_is_not_utf8(void **state)
{
	(void)state;
	assert_shown("a\xc3", "a?");
	assert_shown("\xc3" "b", "?b");
	assert_shown("\xe2\x82", "??");
	/* longer than needed: C1 in three bytes, ESC in two */
	assert_shown("\xe0\x82\x9b", "???");
	assert_shown("\xc0\x9b", "??");
	assert_shown("\xed\xa0\x80\xf5\x80\x80\x80", "???????");
	assert_shown("\xff\xfe", "??");
}

static void test_characters_that_change_others(void **state)
{
	/* from right to left, an isolate, a zero-width space, a soft hyphen, a tag, a new line */
	static const char *const wrong[] = {
		"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8b", "\xc2\xad", "\xf3\xa0\x81\x81",
		"\xe2\x80\xa8", "\xef\xbb\xbf", "\xd8\x9c",
	};
	char line[16], as[16];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(line, sizeof(line), "a%sb", wrong[i]);
		assert_int_equal(text_visible(line, strlen(line)), 1);
		snprintf(as, sizeof(as), "a%.*sb", (int)strlen(wrong[i]), "????");
		assert_shown(line, as);
	}
	/* their neighbours: a hyphen, an arrow, Arabic */
	assert_shown("\xe2\x80\x90 \xe2\x86\x90 \xd8\x9b", "\xe2\x80\x90 \xe2\x86\x90 \xd8\x9b");
}

static void test_clean(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(text_clean("a\x9b\xc2\x9b\033\x7f z", text, sizeof(text)), "a???   z");
}

static void test_bytes(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(text_of_bytes(0, text, sizeof(text)), "0 bytes");
	assert_string_equal(text_of_bytes(1023, text, sizeof(text)), "1023 bytes");
	assert_string_equal(text_of_bytes(1024, text, sizeof(text)), "1 KiB");
	assert_string_equal(text_of_bytes(UINT64_C(3) << 29, text, sizeof(text)), "1.5 GiB");
	assert_string_equal(text_of_bytes(UINT64_C(1) << 60, text, sizeof(text)), "1.049e+06 TiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_bytes),
		cmocka_unit_test(test_characters_stay),
		cmocka_unit_test(test_what_is_not_utf8),
		cmocka_unit_test(test_characters_that_change_others),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
