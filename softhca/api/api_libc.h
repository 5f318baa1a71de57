/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* statx(), which musl 1.2.3 does not declare. */
#ifndef API_LIBC_H
#define API_LIBC_H

#include <sys/stat.h>

#ifndef STATX_TYPE
#include <linux/stat.h>
int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *stx);
#endif

#endif
