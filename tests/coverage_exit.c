/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Only in builds with --enable-coverage, whose linker calls this function in place of _exit(2): the
 * process of a session ends by it, and clang writes its counters only at exit(3).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int __llvm_profile_write_file(void);
const char *__llvm_profile_get_filename(void);
void __llvm_profile_set_filename(const char *file);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));

/*
 * A server kills the process that has looked for a device as soon as it has the answer, while that
 * one writes. Half a first file would stay, and every later process of its number would complain
 * about it on standard error; so it gets its name when it is whole. Counters that are there are
 * written over, each in its place.
 */
static void write_first(const char *file)
{
	char beside[PATH_MAX];

	snprintf(beside, sizeof(beside), "%s.%d", file, (int)getpid());
	__llvm_profile_set_filename(beside);
	__llvm_profile_write_file();
	(void)!link(beside, file); /* another process may have been first */
	unlink(beside);
}

void __wrap__exit(int status)
{
	const char *const file = __llvm_profile_get_filename();

	if (access(file, F_OK))
		write_first(file);
	else
		__llvm_profile_write_file();
	__real__exit(status);
}
