/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Cases that need settings of the emulated HCA. A process reads its settings once, so each case
 * runs in another process. A program runs all its cases, or the one case that its argument names.
 */
#ifndef T_ENV_H
#define T_ENV_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t.h"

#define T_SETTINGS 3

struct t_case {
	const char *name;
	CMUnitTestFunction run;
	const char *settings[T_SETTINGS]; /* "SOFTHCA_MODE=null" */
};

/* t_down() for a pair with a completion channel. */
static inline void t_down_channel(struct pair *p, struct ibv_comp_channel *ch)
{
	t_down_side(&p->a);
	t_down_side(&p->b);
	assert_int_equal(ibv_destroy_comp_channel(ch), 0);
	assert_int_equal(ibv_dealloc_pd(p->pd), 0);
	assert_int_equal(ibv_close_device(p->ctx), 0);
}

/* Runs the case in this process, on a new fabric: stalls count from the start of the fabric. */
static inline int t_case_here(const struct t_case *c)
{
	char fabric[32];
	const struct CMUnitTest test[] = { { c->name, c->run, NULL, NULL, NULL } };

	snprintf(fabric, sizeof(fabric), "case%d", (int)getpid());
	if (setenv("SOFTHCA_FABRIC", fabric, 1))
		return 1;
	return cmocka_run_group_tests_name(c->name, test, NULL, NULL);
}

static inline int t_case_apart(const struct t_case *c, const char *program)
{
	int status;
	pid_t pid;

	for (int i = 0; i < T_SETTINGS && c->settings[i]; i++)
		if (putenv((char *)(uintptr_t)c->settings[i]))
			return 1;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", program, c->name, (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < T_SETTINGS && c->settings[i]; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(c->settings[i], "="),
			 c->settings[i]);
		unsetenv(name);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	/* cmocka may not have reported it */
	printf("not ok %s: %s %d\n", c->name, WIFSIGNALED(status) ? "signal" : "exit",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return 1;
}

static inline int t_cases(const struct t_case *cases, size_t n, int argc, char **argv)
{
	int failed = 0;

	for (size_t i = 0; i < n; i++) {
		if (argc < 2)
			failed |= t_case_apart(&cases[i], argv[0]);
		else if (!strcmp(argv[1], cases[i].name))
			return t_case_here(&cases[i]);
	}
	return argc < 2 ? failed : 2;
}

#endif
