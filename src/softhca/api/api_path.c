/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libc by which programs look whether they may use a device; see api.h. UCX takes
 * only devices whose file in /dev/infiniband they can read and write (src/uct/ib/base/ib_md.c,
 * uct_ib_device_is_accessible()). All other paths go to libc.
 */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "api/api.h"
#include "api/api_sysfs.h"
#include "base/hca.h"
#include "objects/device.h"

#define FOLDER "/dev/infiniband/"
#define UVERBS_MAJOR 231

/* Of binaries made with glibc before 2.33. */
int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);

/* The number of the device whose file that is; -1: none. */
static int device_of(const char *path)
{
	if (!path || strncmp(path, FOLDER, strlen(FOLDER)))
		return -1;
	for (uint32_t i = 0; i < hca_settings()->devices; i++)
		if (!strcmp(path + strlen(FOLDER), device_at(i)->dev_name))
			return (int)i;
	return -1;
}

API int stat(const char *path, struct stat *st)
{
	const int i = device_of(path);
	int rc;

	if (api_sysfs_stat(path, st, &rc))
		return rc;
	if (i < 0)
		return fstatat(AT_FDCWD, path, st, 0);
	*st = (struct stat) {
		.st_mode = S_IFCHR | 0666,
		.st_nlink = 1,
		.st_rdev = makedev(UVERBS_MAJOR, (unsigned int)i),
	};
	return 0;
}

API int stat64(const char *path, struct stat64 *st)
{
	return stat(path, (struct stat *)(void *)st);
}

API int __xstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat(path, st);
}

API int __xstat64(int version, const char *path, struct stat64 *st)
{
	(void)version;
	return stat(path, (struct stat *)(void *)st);
}

API int access(const char *path, int mode)
{
	int rc;

	if (api_sysfs_access(path, mode, &rc))
		return rc;
	return device_of(path) < 0 ? faccessat(AT_FDCWD, path, mode, 0) : 0;
}
