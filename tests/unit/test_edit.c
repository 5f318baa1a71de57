/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * out/edit: lines are taken out of a file while others add to it: none is lost. A file that cannot
 * be replaced keeps every byte, and nothing is left beside it.
 */
#include "config.h"

#include <errno.h>
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "file/append.h"
#include "file/out_path.h"
#include "util/err.h"
#include "text_file.h"

#define LINES 2000

static char dir[] = "/tmp/test_edit.XXXXXX";

static const char *file(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/rows", dir);
	return path;
}

/* The file has this content, and its directory has nothing else. */
static void assert_only(const char *want)
{
	char *text = get(file());
	DIR *d = opendir(dir);
	int n = 0;

	assert_string_equal(text, want);
	free(text);
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	assert_int_equal(n, 3); /* with . and .. */
}

static const char *refuses(const struct append *a, const char *first, char *text, size_t size)
{
	(void)a;
	(void)text;
	(void)size;
	return strcmp(first, "schema,n") ? "it is another one" : NULL;
}

static const struct append_kind kind = {
	.what = "lines", .begins = "schema,", .refuses = refuses,
};

/* Takes out the lines that begin with "-"; counts them. */
static int take_out(void *arg, char *text, size_t *len)
{
	int *taken = arg;
	char *to = text, *end = text + *len;

	for (char *at = text, *next; at < end; at = next) {
		char *newline = memchr(at, '\n', (size_t)(end - at));

		next = newline ? newline + 1 : end;
		if (*at == '-') {
			(*taken)++;
			continue;
		}
		memmove(to, at, (size_t)(next - at));
		to += next - at;
	}
	*len = (size_t)(to - text);
	return to < end;
}

static int change_nothing(void *arg, char *text, size_t *len)
{
	(void)len;
	memset(text, 'x', 3);
	return *(int *)arg;
}

static void lines_are_taken_out(void **state)
{
	int taken = 0;
	const struct out_edit e = { "lines", file(), take_out, &taken };
	struct stat st;

	(void)state;
	put(file(), "schema,n\n1,1\n-1,2\n1,3\n-1,4");
	assert_int_equal(chmod(file(), 0640), 0);
	assert_int_equal(out_edit(&e), 0);
	assert_int_equal(taken, 2);
	assert_only("schema,n\n1,1\n1,3\n");
	assert_int_equal(stat(file(), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void what_is_not_changed_stays(void **state)
{
	int rc = 0;
	const struct out_edit e = { "lines", file(), change_nothing, &rc };
	struct stat before, after;

	(void)state;
	put(file(), "schema,n\n1,1\n");
	assert_int_equal(stat(file(), &before), 0);
	assert_int_equal(out_edit(&e), 0);
	rc = -EINVAL;
	assert_int_equal(out_edit(&e), -EINVAL);
	assert_int_equal(stat(file(), &after), 0);
	assert_int_equal(after.st_ino, before.st_ino);
	assert_only("schema,n\n1,1\n");
}

/* A limit of the size of files does what a full disk does. */
static void a_full_disk_changes_nothing(void **state)
{
	const struct rlimit small = { .rlim_cur = 10, .rlim_max = RLIM_INFINITY };
	int taken = 0;
	const struct out_edit e = { "lines", file(), take_out, &taken };
	struct rlimit before;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	put(file(), "schema,n\n1,1\n-1,2\n");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(out_edit(&e), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(err_text(), file()));
	assert_only("schema,n\n1,1\n-1,2\n");
}

static void write_lines(void)
{
	struct append a = { .kind = &kind, .path = file(), .head = "schema,n\n" };
	char line[32];

	for (int i = 0; i < LINES; i++) {
		snprintf(line, sizeof(line), "%s1,%d\n", i % 3 ? "" : "-", i);
		if (append_line(&a, line))
			_exit(1);
	}
	_exit(append_close(&a) ? 2 : 0);
}

/* The file is replaced under the hands of a program that has it open. */
static void no_line_of_another_program_is_lost(void **state)
{
	int taken = 0, wstatus, n = 0;
	const struct out_edit e = { "lines", file(), take_out, &taken };
	char *text;
	pid_t pid;

	(void)state;
	put(file(), "schema,n\n");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		write_lines();
	while (!waitpid(pid, &wstatus, WNOHANG))
		if (out_edit(&e))
			fail_msg("%s", err_text());
	assert_int_equal(wstatus, 0);
	assert_int_equal(out_edit(&e), 0);
	text = get(file());
	for (const char *at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
		n += n % 3 == 0;
		assert_int_equal(strtol(at + 2, NULL, 10), n++);
	}
	free(text);
	assert_int_equal(n, LINES);
	assert_int_equal(taken, (LINES + 2) / 3);
}

static int make_dir(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(file());
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_taken_out),
		cmocka_unit_test(what_is_not_changed_stays),
		cmocka_unit_test(a_full_disk_changes_nothing),
		cmocka_unit_test(no_line_of_another_program_is_lost),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
