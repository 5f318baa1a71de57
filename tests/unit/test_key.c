/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Files of keys: what is made, and what is refused. */
#include "config.h"
#include "wire/key.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/err.h"

static char dir[] = "/tmp/test_key.XXXXXX";

static int enter(void **state)
{
	(void)state;
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	unlink("a");
	unlink("b");
	return chdir("/") || rmdir(dir);
}

static void write_file(const char *text, mode_t mode)
{
	FILE *f;

	unlink("b");
	f = fopen("b", "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod("b", mode), 0);
}

static void assert_refused(int code, const char *part)
{
	struct key key;

	assert_int_equal(key_read(&key, "b"), code);
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

static void test_make(void **state)
{
	static const uint8_t zeros[KEY_BYTES];
	const mode_t mask = umask(0777);
	struct key a, b;
	struct stat st;

	(void)state;
	assert_int_equal(key_make("a"), 0);
	assert_int_equal(key_make("b"), 0);
	umask(mask);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_size, 2 * KEY_BYTES + 1);
	assert_int_equal(key_read(&a, "a"), 0);
	assert_int_equal(key_read(&b, "b"), 0);
	assert_memory_not_equal(a.bytes, b.bytes, KEY_BYTES);
	assert_memory_not_equal(a.bytes, zeros, KEY_BYTES);
	/* one that exists stays */
	assert_int_equal(key_make("a"), -EEXIST);
	assert_int_equal(key_read(&b, "a"), 0);
	assert_memory_equal(a.bytes, b.bytes, KEY_BYTES);
	key_forget(&b);
	assert_memory_equal(b.bytes, zeros, KEY_BYTES);
	assert_int_equal(key_make("no/such/folder"), -ENOENT);
}

static void test_what_others_know(void **state)
{
	(void)state;
	write_file("", 0644);
	assert_refused(-EACCES, "mode 0644 lets others than its owner at the key: chmod 600 b");
	write_file("", 0620);
	assert_refused(-EACCES, "mode 0620");
	write_file("", 0601);
	assert_refused(-EACCES, "mode 0601");
	unlink("b");
	assert_int_equal(symlink("a", "b"), 0);
	assert_refused(-ELOOP, "symbolic link");
	unlink("b");
	assert_int_equal(mkfifo("b", 0600), 0);
	assert_refused(-EACCES, "not a regular file");
	unlink("b");
	assert_refused(-ENOENT, "No such file");
	if (geteuid())
		return;
	write_file("", 0600);
	assert_int_equal(chown("b", 1234, -1), 0);
	assert_refused(-EACCES, "belongs to user 1234");
}

#define DIGITS_62 "00112233445566778899aabbccddeeff00112233445566778899aabbccddee"

static void test_what_is_no_key(void **state)
{
	struct key key;

	(void)state;
	write_file("", 0600);
	assert_refused(-EINVAL, "0 hexadecimal digits; a key has 64");
	write_file(DIGITS_62 "f\n", 0600);
	assert_refused(-EINVAL, "63 hexadecimal digits");
	write_file(DIGITS_62 "fff\n", 0600);
	assert_refused(-EINVAL, "more than a key");
	write_file(DIGITS_62 "ff x", 0600);
	assert_refused(-EINVAL, "more than a key");
	write_file(DIGITS_62 "FF\n", 0600);
	assert_refused(-EINVAL, "62 hexadecimal digits");
	write_file(DIGITS_62 "ff\r\n", 0400);
	assert_int_equal(key_read(&key, "b"), 0);
	assert_int_equal(key.bytes[1], 0x11);
	assert_int_equal(key.bytes[KEY_BYTES - 1], 0xff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_make),
		cmocka_unit_test(test_what_others_know),
		cmocka_unit_test(test_what_is_no_key),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
