/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* serve.c without a device: it ends, and says why. */
#include "config.h"
#include "serve/serve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "options/options.h"
#include "util/signals.h"
#include "verbs.h"

#define GUARD_S 300

/* Returns the exit status of a server that does not get as far as a client. err: what it says. */
static int fail_to_serve(enum serve_for how_many, const char *device, char *err, size_t size)
{
	struct cfg cfg;
	int fd[2], wstatus;
	ssize_t n;
	pid_t pid;

	alarm(GUARD_S);
	memset(&cfg, 0, sizeof(cfg));
	assert_int_equal(field_defaults(&options_table, &cfg), 0);
	cfg.tcp_port = 0;
	cfg.device = device;
	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fd[1], STDERR_FILENO);
		close(fd[1]);
		_exit(signals_init() ? 99 : serve_run(&cfg, how_many, NULL));
	}
	close(fd[1]);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	n = read(fd[0], err, size - 1);
	err[n > 0 ? n : 0] = '\0';
	close(fd[0]);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

/* At once, with the reason, and after nobody was asked to come. */
static void assert_fails(const char *device, const char *part)
{
	for (enum serve_for how_many = SERVE_ONE_CLIENT; how_many <= SERVE_MANY; how_many++) {
		char err[1024];

		assert_int_equal(fail_to_serve(how_many, device, err, sizeof(err)), 1);
		if (!strstr(err, part) || strstr(err, "waiting for a client"))
			fail_msg("\"%s\" is not in \"%s\"", part, err);
	}
}

static void test_no_device(void **state)
{
	struct verbs_device *const own = verbs_device(SIDE_SERVER);

	(void)state;
	assert_fails("none-such", "no RDMA device is called none-such");
	own->state = IBV_PORT_DOWN;
	assert_fails("pair1", "no active port of pair1");
	own->state = IBV_PORT_ACTIVE;
	own->absent = verbs_device(SIDE_CLIENT)->absent = true;
	assert_fails(NULL, "no RDMA device found");
	own->absent = verbs_device(SIDE_CLIENT)->absent = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_device),
	};

	verbs_reset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
