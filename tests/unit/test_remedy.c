/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The remedies, what is put in for their words, and why there is no device (device/dev.h).
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "device/dev.h"
#include "causes/remedy.h"
#include "util/err.h"

static void each_has_cause_command_and_remedy(void **state)
{
	(void)state;
	for (int i = 0; i < REMEDY_COUNT; i++) {
		const char *text = remedy_text((enum remedy)i);
		const char *see = strstr(text, "; see: "), *mend = strstr(text, "; remedy: ");

		assert_true(see && mend && text < see && see + 7 < mend && mend[10]);
		/* nothing is cut */
		assert_int_equal(remedy_error(-EIO, (enum remedy)i, NULL, "it"), -EIO);
		assert_memory_equal(err_text(), "it: ", 4);
		assert_string_equal(err_text() + 4, text);
		assert_string_equal(err_cause(), remedy_name((enum remedy)i));
		/* it is the end of a message of at most ERR_TEXT_MAX bytes */
		assert_true(strlen(text) < ERR_TEXT_MAX - 150);
		assert_null(strchr(text, '\n'));
	}
}

static bool lacks(const char *text, const char *word)
{
	return !strstr(text, word);
}

static void what_is_known_stands_for_the_words(void **state)
{
	const struct remedy_words port = { .port = 4711 };
	const struct remedy_words all = { .host = "node7", .address = "10.1.2.3", .port = 4711 };

	(void)state;
	for (int i = 0; i < REMEDY_COUNT; i++) {
		remedy_error(-EIO, (enum remedy)i, &all, "it");
		assert_true(lacks(err_text(), "HOST") && lacks(err_text(), "PORT") &&
			    lacks(err_text(), "ADDRESS"));
	}
	remedy_error(-EIO, REMEDY_PORT_IN_USE, &port, "it");
	assert_non_null(strstr(err_keep().see, "'sport = :4711'"));
	remedy_error(-EIO, REMEDY_NO_ANSWER, &port, "it");
	assert_non_null(strstr(err_keep().see, "ping HOST; "));
	remedy_error(-EIO, REMEDY_NO_ANSWER, &all, "it");
	assert_non_null(strstr(err_keep().see, "ping node7; "));
	assert_non_null(strstr(err_keep().advice, "--add-port=4711/tcp"));
	remedy_error(-EIO, REMEDY_NO_ROUTE, &all, "it");
	assert_non_null(strstr(err_keep().see, "route get 10.1.2.3; "));
}

/* A value that is too long is cut, as every message is. */
static void a_long_value_is_cut(void **state)
{
	char host[ERR_TEXT_MAX];
	const struct remedy_words words = { .host = host };

	(void)state;
	memset(host, 'h', sizeof(host) - 1);
	host[sizeof(host) - 1] = '\0';
	remedy_error(-EIO, REMEDY_NO_NAME, &words, "it");
	assert_int_equal(strlen(err_keep().see), ERR_SEE_MAX - 1);
}

/* Who serves his own host only is no cause where this host is asked. */
static void both_causes_of_a_refusal_are_named(void **state)
{
	(void)state;
	assert_non_null(strstr(remedy_text(REMEDY_NO_SERVER), "its own host only"));
	assert_non_null(strstr(remedy_text(REMEDY_NO_SERVER), "--allow"));
	assert_null(strstr(remedy_text(REMEDY_NO_SERVER_HERE), "--allow"));
}

static void make(const char *root, const char *path)
{
	char all[PATH_MAX];

	snprintf(all, sizeof(all), "%s%s", root, path);
	for (char *slash = all + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		assert_true(!mkdir(all, 0755) || errno == EEXIST);
		*slash = '/';
	}
	assert_int_equal(mkdir(all, 0755), 0);
}

static void assert_none(const char *root, enum remedy cause)
{
	assert_int_equal(dev_none_found(root), -ENODEV);
	assert_non_null(strstr(err_text(), "no RDMA device found: "));
	assert_non_null(strstr(err_text(), remedy_text(cause)));
}

static void why_no_device_is_found(void **state)
{
	char root[] = "/tmp/test_remedy.XXXXXX", command[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_none(root, REMEDY_NO_DEVICE);
	make(root, "/sys/class/infiniband/mlx5_0");
	assert_none(root, REMEDY_NO_UVERBS);
	/* a file of the class, not a device */
	make(root, "/sys/class/infiniband_verbs/abi_version");
	assert_none(root, REMEDY_NO_UVERBS);
	make(root, "/sys/class/infiniband_verbs/uverbs0");
	assert_none(root, REMEDY_CONTAINER);
	make(root, "/dev/infiniband/rdma_cm");
	assert_none(root, REMEDY_CONTAINER);
	make(root, "/dev/infiniband/uverbs0");
	assert_none(root, REMEDY_NO_PROVIDER);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0); /* NOLINT: a name of mkdtemp() */
}

static void why_a_device_does_not_open(void **state)
{
	static const struct {
		int code;
		const char *says;
		bool emulated;
	} cases[] = {
		{ -EPERM, "\"softhca:\" it has printed why", true },
		{ -EUSERS, "\"softhca:\" it has printed why", true },
		{ -EAGAIN, "cannot open device mlx5_0: Resource temporarily unavailable", true },
		{ -ENOENT, "cannot open device mlx5_0: No such file or directory", true },
		{ -EACCES, "this user may not open", false },
		{ -EPERM, "this user may not open", false },
		{ -ENOENT, "--device /dev/infiniband", false },
		{ -EAGAIN, "rdma.max", false },
		{ -EIO, "cannot open device mlx5_0: Input/output error", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *file = cases[i].emulated ? "softhca0" : "uverbs0";

		assert_int_equal(dev_none_open("/nowhere", cases[i].code, "mlx5_0", file),
				 cases[i].code);
		assert_non_null(strstr(err_text(), "cannot open device mlx5_0: "));
		if (!strstr(err_text(), cases[i].says))
			fail_msg("\"%s\" is not in \"%s\"", cases[i].says, err_text());
		/* no cause, no remedy */
		if (!strncmp(cases[i].says, "cannot", 6))
			assert_string_equal(err_text(), cases[i].says);
	}
}

/* What a user who is not root may not open; root may open all files. */
static int open_as_nobody(const char *root)
{
	const pid_t child = fork();
	int status = 1;

	if (!child) {
		const bool same = (geteuid() || !setresuid(65534, 65534, 65534)) &&
				  dev_none_open(root, -ENOENT, "mlx5_0", "uverbs0") == -ENOENT;

		_exit(!same				? 3 :
		      !strcmp(err_cause(), "RIGHTS")	? 1 :
		      !strcmp(err_cause(), "CONTAINER") ? 2 :
							  4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void files_that_may_not_be_opened_are_found(void **state)
{
	char root[] = "/tmp/verbench-remedy-XXXXXX", path[128];
	int fd;

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_int_equal(chmod(root, 0755), 0);
	snprintf(path, sizeof(path), "%s/dev", root);
	assert_int_equal(mkdir(path, 0755), 0);
	strcat(path, "/infiniband");
	assert_int_equal(mkdir(path, 0755), 0);
	/* not there: the container has not got it */
	assert_int_equal(open_as_nobody(root), 2);
	strcat(path, "/uverbs0");
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(open_as_nobody(root), 1);
	/* one that may be opened explains nothing */
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(open_as_nobody(root), 2);
	assert_int_equal(unlink(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_cause_command_and_remedy),
		cmocka_unit_test(what_is_known_stands_for_the_words),
		cmocka_unit_test(a_long_value_is_cut),
		cmocka_unit_test(both_causes_of_a_refusal_are_named),
		cmocka_unit_test(why_no_device_is_found),
		cmocka_unit_test(why_a_device_does_not_open),
		cmocka_unit_test(files_that_may_not_be_opened_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
