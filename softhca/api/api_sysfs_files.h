/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the kernel would have of the devices in /sys/class/infiniband: each text is made when it is
 * read. api_sysfs.c gives it to programs; api_sysfs_tree.c makes files of it for those that list
 * folders.
 */
#ifndef API_SYSFS_FILES_H
#define API_SYSFS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/device.h"

#define SYSFS_CLASS "/sys/class/infiniband"
#define SYSFS_TEXT 512

enum sysfs_kind { SYSFS_NOTHING, SYSFS_FILE, SYSFS_LINK, SYSFS_FOLDER };

/* Whether the path is that of an emulated device, below it, or the folder of all devices. */
bool api_sysfs_is_own(const char *path);
/* The content of a file, or the target of a link. Valid if api_sysfs_is_own(). */
enum sysfs_kind api_sysfs_find(const char *path, char text[SYSFS_TEXT]);

/* api_sysfs_counters.c */

#define SYSFS_COUNTER 64
/*
 * The counters of a port, by their path below it: "counters/port_xmit_data"; NULL: no more. Returns
 * name.
 */
const char *api_sysfs_counter_name(uint32_t dev, uint32_t i, char name[SYSFS_COUNTER]);
/* The content of one of them; path: below the port. */
enum sysfs_kind api_sysfs_counter(uint32_t dev, uint32_t port, const char *path,
				  char text[SYSFS_TEXT]);

/* The number of the interrupt of a completion vector. */
uint32_t api_sysfs_irq(uint32_t dev, uint32_t vector);

#endif
