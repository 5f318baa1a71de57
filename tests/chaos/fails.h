/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the preloaded libraries share that let one call fail (cm_fails.c, server_fails.c). Each case
 * is a line of the file CHAOS_CALLS; that of number CHAOS_FAILS (from 0; not set: none) fails, and
 * has " fails" behind its name. With CHAOS_CASE only the cases that are this line have numbers.
 */
#ifndef FAILS_H
#define FAILS_H

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_the_case(const char *name)
{
	static _Atomic unsigned long counted;
	const char *at = getenv("CHAOS_FAILS"), *only = getenv("CHAOS_CASE");

	if (!at || (only && strcmp(only, name)))
		return false;
	return counted++ == strtoul(at, NULL, 10);
}

/* By syscall(2): the functions of libc may be what fails. */
static bool fails(const char *name)
{
	const char *path = getenv("CHAOS_CALLS");
	const bool failing = is_the_case(name);
	const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
	const long fd = path ? syscall(SYS_openat, AT_FDCWD, path, flags, 0600) : -1;
	char line[96];
	const int n = snprintf(line, sizeof(line), "%s%s\n", name, failing ? " fails" : "");

	if (fd < 0 || syscall(SYS_write, fd, line, n) != n)
		abort(); /* the case would count as one that passed */
	syscall(SYS_close, fd);
	return failing;
}

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

#endif
