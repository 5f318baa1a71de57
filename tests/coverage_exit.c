/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Only in builds with --enable-coverage, whose linker calls this function in place of _exit(2): the
 * process of a session ends by it, and clang writes its counters only at exit(3).
 */
#include <stdlib.h>
#include <unistd.h>

int __llvm_profile_write_file(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));

void __wrap__exit(int status)
{
	__llvm_profile_write_file();
	__real__exit(status);
}
