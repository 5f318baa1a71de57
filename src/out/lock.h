/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The lock of a file of results among programs: flock(2) on the file itself; append.h says what it
 * is worth on NFS.
 */
#ifndef OUT_LOCK_H
#define OUT_LOCK_H

#include <stdbool.h>

/*
 * Waits for the lock, up to 2 s. what: "CSV". *none: the file system has no locks; a note said so,
 * once. -errno with an error message.
 */
int lock_take(int fd, const char *path, const char *what, bool *none)
	__attribute__((warn_unused_result));
void lock_release(int fd, bool none);

/* Is the file of fd the one at path? Not if another program has replaced or removed it. */
bool lock_is_current(int fd, const char *path);

#endif
