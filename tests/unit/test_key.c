/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Files of keys and directories of them: what is made, what is read, and what is refused. */
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

static int empty(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s/*", dir);
	return system(command);
}

static int leave(void **state)
{
	return empty(state) || chdir("/") || rmdir(dir);
}

/* The one key of a file. */
static int read_one(struct key *key, const char *path)
{
	struct keys keys;
	const int rc = key_read(&keys, &(struct key_place){ .path = path });

	if (rc) {
		assert_null(keys.rows);
		return rc;
	}
	assert_int_equal(keys.n, 1);
	*key = keys.rows[0];
	key_forget(&keys);
	assert_null(keys.rows);
	return 0;
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

	assert_int_equal(read_one(&key, "b"), code);
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
	assert_int_equal(read_one(&a, "a"), 0);
	assert_int_equal(read_one(&b, "b"), 0);
	assert_memory_not_equal(a.bytes, b.bytes, KEY_BYTES);
	assert_memory_not_equal(a.bytes, zeros, KEY_BYTES);
	/* one that exists stays */
	assert_int_equal(key_make("a"), -EEXIST);
	assert_int_equal(read_one(&b, "a"), 0);
	assert_memory_equal(a.bytes, b.bytes, KEY_BYTES);
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
	assert_int_equal(read_one(&key, "b"), 0);
	assert_int_equal(key.bytes[1], 0x11);
	assert_int_equal(key.bytes[KEY_BYTES - 1], 0xff);
}

/* The directory "d" of a server. also: who else may own it. */
static int read_directory(struct keys *keys, uid_t also)
{
	return key_read(keys, &(struct key_place){ .path = "d", .many = true, .also = also });
}

static void assert_directory_refused(int code, const char *part)
{
	struct keys keys;

	assert_int_equal(read_directory(&keys, 0), code);
	assert_null(keys.rows);
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

static void make_directory(void)
{
	assert_int_equal(mkdir("d", 0755), 0);
	assert_int_equal(key_make("d/alice"), 0);
	assert_int_equal(key_make("d/bob-2.key"), 0);
}

static void assert_named(const struct keys *keys, const char *path, const char *name)
{
	const struct key *found;
	struct key want;

	assert_int_equal(read_one(&want, path), 0);
	assert_string_equal(want.name, "");
	found = key_find(keys, want.id);
	assert_non_null(found);
	assert_string_equal(found->name, name);
	assert_memory_equal(found->bytes, want.bytes, KEY_BYTES);
}

/* HMAC-SHA-256 of "verbench key identity" and a byte 1, as another implementation computes it. */
static void test_identity(void **state)
{
	static const uint8_t id[KEY_ID_BYTES] = {
		0x7b, 0xff, 0x87, 0xfc, 0xce, 0xc2, 0x3c, 0x03, 0x2c, 0xe9, 0xfe,
		0xcd, 0xb8, 0x10, 0xa0, 0x4e, 0x5f, 0x48, 0x58, 0x29, 0x91, 0x9b,
		0x7a, 0x6a, 0x6c, 0x14, 0xfd, 0xe7, 0x42, 0x1d, 0x6f, 0x7e,
	};
	struct key key;

	(void)state;
	write_file("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n", 0600);
	assert_int_equal(read_one(&key, "b"), 0);
	assert_memory_equal(key.id, id, sizeof(id));
}

static void test_directory(void **state)
{
	char longest[KEY_NAME_SIZE], path[KEY_NAME_SIZE + 2];
	struct keys keys;
	struct key other;

	(void)state;
	make_directory();
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	snprintf(path, sizeof(path), "d/%s", longest);
	assert_int_equal(key_make(path), 0);
	/* what an editor leaves is no key */
	assert_int_equal(symlink("nowhere", "d/.hidden"), 0);
	assert_int_equal(read_directory(&keys, 0), 0);
	assert_int_equal(keys.n, 3);
	assert_named(&keys, "d/alice", "alice");
	assert_named(&keys, "d/bob-2.key", "bob-2.key");
	assert_named(&keys, path, longest);
	assert_int_equal(key_make("a"), 0);
	assert_int_equal(read_one(&other, "a"), 0);
	assert_null(key_find(&keys, other.id));
	key_forget(&keys);
	assert_null(key_find(&keys, other.id));
}

static void test_who_may_have_a_directory(void **state)
{
	struct keys keys;

	(void)state;
	make_directory();
	assert_int_equal(key_read(&keys, &(struct key_place){ .path = "d" }), -EISDIR);
	assert_int_equal(chmod("d", 0775), 0);
	assert_directory_refused(-EACCES, "--key d: mode 0775 lets others than its owner add keys: chmod go-w d");
	assert_int_equal(chmod("d", 0757), 0);
	assert_directory_refused(-EACCES, "mode 0757");
	assert_int_equal(chmod("d", 0700), 0);
	if (geteuid())
		return;
	assert_int_equal(chown("d", 1234, -1), 0);
	assert_directory_refused(-EACCES, "--key d belongs to user 1234");
	assert_int_equal(chown("d/alice", 1234, -1), 0);
	assert_int_equal(read_directory(&keys, 1234), 0);
	key_forget(&keys);
	assert_int_equal(chown("d/alice", 1235, -1), 0);
	assert_int_equal(read_directory(&keys, 1234), -EACCES);
	assert_non_null(strstr(err_text(), "--key d/alice belongs to user 1235"));
}

static void test_what_is_no_name(void **state)
{
	char path[KEY_NAME_SIZE + 3] = "d/";

	(void)state;
	make_directory();
	assert_int_equal(key_make("d/carol x"), 0);
	assert_directory_refused(-EINVAL, "the file name \"carol x\" cannot be the name of a key; allowed: 1 to 64 ");
	assert_int_equal(rename("d/carol x", "d/carol~"), 0);
	assert_directory_refused(-EINVAL, "\"carol~\"");
	memset(path + 2, 'x', KEY_NAME_SIZE);
	assert_int_equal(rename("d/carol~", path), 0);
	assert_directory_refused(-EINVAL, "xxx\" cannot be the name");
}

static void test_what_is_no_directory_of_keys(void **state)
{
	(void)state;
	assert_directory_refused(-ENOENT, "--key d: No such file");
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(key_make("d/.hidden"), 0);
	assert_directory_refused(-EINVAL, "--key d: no key is in the directory");
	assert_int_equal(key_make("d/alice"), 0);
	assert_int_equal(link("d/alice", "d/bob"), 0);
	assert_directory_refused(-EINVAL, "have the same key");
	assert_int_equal(unlink("d/bob"), 0);
	assert_int_equal(symlink("alice", "d/bob"), 0);
	assert_directory_refused(-ELOOP, "--key d/bob: a symbolic link");
	assert_int_equal(unlink("d/bob"), 0);
	assert_int_equal(mkdir("d/bob", 0700), 0);
	assert_directory_refused(-EACCES, "--key d/bob: not a regular file");
	assert_int_equal(rmdir("d/bob"), 0);
	assert_int_equal(chmod("d/alice", 0640), 0);
	assert_directory_refused(-EACCES, "--key d/alice: mode 0640");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_make, empty),
		cmocka_unit_test_teardown(test_what_others_know, empty),
		cmocka_unit_test_teardown(test_what_is_no_key, empty),
		cmocka_unit_test_teardown(test_identity, empty),
		cmocka_unit_test_teardown(test_directory, empty),
		cmocka_unit_test_teardown(test_who_may_have_a_directory, empty),
		cmocka_unit_test_teardown(test_what_is_no_name, empty),
		cmocka_unit_test_teardown(test_what_is_no_directory_of_keys, empty),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
