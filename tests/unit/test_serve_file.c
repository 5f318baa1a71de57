/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* serve_file.c: whose configuration file a server takes. */
#include "config.h"
#include "serve/serve_file.h"

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

#include "options/options.h"
#include "util/err.h"

static char dir[] = "/tmp/test_serve_file.XXXXXX";

static int enter(void **state)
{
	FILE *f;

	(void)state;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	f = fopen("conf", "w");
	return !f || fputs("max-qps = 4\n", f) < 0 || fclose(f) || symlink("conf", "link");
}

static int leave(void **state)
{
	(void)state;
	unlink("link");
	unlink("conf");
	return chdir("/") || rmdir(dir);
}

/* Returns the result; 0: the setting of the file is in force. */
static int read_config(const char *path)
{
	struct serve_file file = { .n = 0 };
	struct cfg cfg;
	int rc;

	memset(&cfg, 0, sizeof(cfg));
	assert_int_equal(field_defaults(&options_table, &cfg), 0);
	cfg.config = path;
	rc = serve_file_read(&file, &cfg);
	if (!rc)
		assert_int_equal(cfg.max_qps, 4);
	else
		assert_int_not_equal(cfg.max_qps, 4);
	serve_file_free(&file);
	return rc;
}

static void test_modes(void **state)
{
	static const mode_t right[] = { 0600, 0644, 0444, 0640 };
	static const mode_t wrong[] = { 0666, 0664, 0646, 0622 };

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		assert_int_equal(chmod("conf", right[i]), 0);
		assert_int_equal(read_config("conf"), 0);
		/* a ConfigMap is a link */
		assert_int_equal(read_config("link"), 0);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(chmod("conf", wrong[i]), 0);
		assert_int_equal(read_config("conf"), -EACCES);
		assert_non_null(strstr(err_text(), "chmod go-w conf"));
		assert_int_equal(read_config("link"), -EACCES);
	}
}

static void test_owner(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(chmod("conf", 0600), 0);
	assert_int_equal(chown("conf", 65534, 0), 0);
	assert_int_equal(read_config("conf"), -EACCES);
	assert_non_null(strstr(err_text(), "belongs to user 65534"));
	assert_int_equal(chown("conf", 0, 0), 0);
	assert_int_equal(read_config("conf"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_owner),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
