/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The folders of /sys/class/infiniband as a copy in /dev/shm, or else in /tmp, for programs that
 * list them. It is made when the first folder is opened, belongs to this process, and is removed
 * when the process ends. A process that cannot make it does not try again. Its files have the texts
 * of that moment; files that are opened by their path have those of now (api_sysfs.c).
 */
#ifndef API_SYSFS_TREE_H
#define API_SYSFS_TREE_H

#include <limits.h>
#include <stdbool.h>

/*
 * Where the copy has this path, which is one of api_sysfs_is_own(). False: there is no copy, with
 * errno.
 */
bool api_sysfs_tree_path(const char *path, char real[PATH_MAX]);

#endif
