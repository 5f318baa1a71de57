/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Cases that need settings of the emulated HCA: each runs in a process of its own, as settings are
 * read once. Without arguments a program runs all of its cases, with one that case alone.
 */
#ifndef T_ENV_H
#define T_ENV_H

#include <errno.h>
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

static inline int t_case_here(const struct t_case *c)
{
	const struct CMUnitTest test[] = { { c->name, c->run, NULL, NULL, NULL } };

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
	if (WIFSIGNALED(status)) /* cmocka could not say so itself */
		printf("not ok %s: signal %d\n", c->name, WTERMSIG(status));
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
