/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Files of /sys/class/infiniband/softhcaN. */
#ifndef API_SYSFS_H
#define API_SYSFS_H

#include <stdbool.h>

/*
 * Opens the file if the path is that of an emulated device: then true, and *fd is a descriptor or
 * -1 with errno.
 */
bool api_sysfs_open(const char *path, int flags, int *fd);

#endif
