/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Where C libraries differ: glibc, and musl 1.2.3. */
#ifndef LIBC_H
#define LIBC_H

#include <stdbool.h>
#include <stdio.h>

#ifndef HAVE_RENAMEAT2
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>
#define renameat2(...) syscall(SYS_renameat2, __VA_ARGS__)
#endif

/*
 * The standard streams of the GNU C library are variables (its manual, "Standard Streams"). Those of
 * others are not: false, and nothing is changed.
 */
#ifdef __GLIBC__
#define libc_set_stream(standard, stream) ((standard) = (stream), true)
#else
#define libc_set_stream(standard, stream) false
#endif

#endif
