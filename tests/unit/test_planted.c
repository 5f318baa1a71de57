/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * out/append, out/replace: another user plants a link at the moment between the look at a path and
 * the open of it (CWE-367), or guesses the name of a new file. open(2) and getrandom(2) of the
 * sources are wrapped: they plant the link, and make the name known.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "file/append.h"
#include "file/out_path.h"
#include "util/err.h"
#include "text_file.h"

#define HEAD "schema,a,b\n"

static char dir[] = "/tmp/test_planted.XXXXXX";
static char path[64], victim[64];
static bool plant;         /* at the next open of path */
static uint64_t guessed;   /* the next numbers that getrandom gives, from this one on; 0: any */

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);
ssize_t __real_getrandom(void *buffer, size_t size, unsigned int flags);
ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned int flags);

int __wrap_open(const char *name, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	if (plant && !strcmp(name, path)) {
		plant = false;
		assert_true(!unlink(path) || errno == ENOENT);
		assert_int_equal(symlink(victim, path), 0);
	}
	return __real_open(name, flags, mode);
}

ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned int flags)
{
	if (!guessed || size != sizeof(guessed))
		return __real_getrandom(buffer, size, flags);
	memcpy(buffer, &guessed, size);
	guessed++;
	return (ssize_t)size;
}

static const char *refuses_nothing(const struct append *a, const char *first, char *text,
				   size_t size)
{
	(void)a;
	(void)first;
	(void)text;
	(void)size;
	return NULL;
}

static const struct append_kind kind = { .what = "test lines", .begins = "schema,",
					 .refuses = refuses_nothing };

static void assert_content(const char *name, const char *want)
{
	char *text = get(name);

	assert_string_equal(text, want);
	free(text);
}

static void a_link_that_comes_late_gets_no_line(void **state)
{
	struct append a = { .kind = &kind, .path = path, .head = HEAD };

	(void)state;
	put(victim, "");
	for (int exists = 0; exists < 2; exists++) {
		if (exists)
			put(path, HEAD);
		plant = true;
		assert_int_equal(append_line(&a, "1,2,3\n"), -ELOOP);
		assert_false(plant);
		assert_non_null(strstr(err_text(), path));
		assert_content(victim, "");
		assert_int_equal(append_close(&a), 0);
		assert_int_equal(unlink(path), 0);
	}
}

/* What is in the file of somebody else is not looked at: no message tells of it. */
static void a_link_that_comes_late_is_not_read(void **state)
{
	const struct append a = { .kind = &kind, .path = path, .head = HEAD };

	(void)state;
	put(victim, "precious\n");
	put(path, HEAD);
	plant = true;
	assert_int_equal(append_check(&a), -ELOOP);
	assert_false(plant);
	assert_content(victim, "precious\n");
	assert_int_equal(unlink(path), 0);
}

/* The file that has the guessed name keeps its content and its name; the next name is taken. */
static void a_name_that_was_guessed_is_not_opened(void **state)
{
	char name[96];

	(void)state;
	put(victim, "precious");
	for (int link = 0; link < 2; link++) {
		snprintf(name, sizeof(name), "%s.0000000000001000.tmp", path);
		if (link)
			assert_int_equal(symlink(victim, name), 0);
		else
			put(name, "precious");
		guessed = 0x1000;
		assert_int_equal(out_replace_file(path, "{}\n", 3), 0);
		assert_int_equal(guessed, 0x1002);
		guessed = 0;
		assert_content(name, "precious");
		assert_content(victim, "precious");
		assert_content(path, "{}\n");
		assert_int_equal(unlink(name), 0);
	}
}

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/rows.csv", dir);
	snprintf(victim, sizeof(victim), "%s/victim", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	unlink(victim);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_that_comes_late_gets_no_line),
		cmocka_unit_test(a_link_that_comes_late_is_not_read),
		cmocka_unit_test(a_name_that_was_guessed_is_not_opened),
	};

	return cmocka_run_group_tests_name("planted", tests, make_dir, remove_dir);
}
