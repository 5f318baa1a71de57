/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Files of /sys/class/infiniband/softhcaN. */
#ifndef API_SYSFS_H
#define API_SYSFS_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Opens the file if the path is that of an emulated device: then true, and *fd is a descriptor or
 * -1 with errno.
 */
bool api_sysfs_open(const char *path, int flags, int *fd);
/* The same of access(2) and stat(2); *rc: their result. */
bool api_sysfs_access(const char *path, int mode, int *rc);
bool api_sysfs_stat(const char *path, struct stat *st, int *rc);

#endif
