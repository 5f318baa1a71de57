/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the kernel would have of the devices in /sys/class/infiniband: see api_sysfs.c. Nothing
 * is a file; each text is made when it is read.
 */
#ifndef API_SYSFS_FILES_H
#define API_SYSFS_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "objects/device.h"

#define SYSFS_TEXT 512

enum sysfs_kind { SYSFS_NOTHING, SYSFS_FILE, SYSFS_LINK, SYSFS_FOLDER };

/* Whether the path is that of an emulated device or below it. */
bool api_sysfs_is_own(const char *path);
/* The content of a file, or the target of a link. Valid if api_sysfs_is_own(). */
enum sysfs_kind api_sysfs_find(const char *path, char text[SYSFS_TEXT]);

#endif
