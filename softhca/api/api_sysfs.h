/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Files of /sys/class/infiniband/softhcaN, and their folders. */
#ifndef API_SYSFS_H
#define API_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Whether the path is one of these: api_sysfs_is_own(), quick for all other paths. */
bool api_sysfs_has(const char *path);
/*
 * Opens the file or folder if it is one of these: then true, and *fd is a descriptor or -1 with
 * errno.
 */
bool api_sysfs_open(const char *path, int flags, int *fd);
/* The same of access(2), stat(2) or lstat(2), and readlink(2); *rc: their result. */
bool api_sysfs_access(const char *path, int mode, int *rc);
bool api_sysfs_stat(const char *path, bool follow, struct stat *st, int *rc);
bool api_sysfs_readlink(const char *path, char *buf, size_t size, ssize_t *rc);

#endif
