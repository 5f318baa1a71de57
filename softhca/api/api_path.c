/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libc by which programs ask what a path is: they look at the files of devices
 * (api_sysfs.h), and whether they may use a device. UCX takes only devices whose file in
 * /dev/infiniband they can read and write (src/uct/ib/base/ib_md.c, uct_ib_device_is_accessible()).
 * All other paths go to libc.
 */
#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "api/api.h"
#include "api/api_libc.h"
#include "api/api_sysfs.h"
#include "base/hca.h"
#include "objects/device.h"

#define FOLDER "/dev/infiniband/"
#define UVERBS_MAJOR 231

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

/* As libc does it; the names there are those that programs call. */
static int ask(int dir, const char *path, struct stat *st, int flags)
{
	return (int)syscall(SYS_newfstatat, dir, path, st, flags);
}

static int stat_of(int dir, const char *path, struct stat *st, int flags)
{
	const int i = device_of(path);
	int rc;

	if (api_sysfs_stat(path, !(flags & AT_SYMLINK_NOFOLLOW), st, &rc))
		return rc;
	if (i < 0)
		return ask(dir, path, st, flags);
	*st = (struct stat) {
		.st_mode = S_IFCHR | 0666,
		.st_nlink = 1,
		.st_rdev = makedev(UVERBS_MAJOR, (unsigned int)i),
	};
	return 0;
}

API int stat(const char *path, struct stat *st)
{
	return stat_of(AT_FDCWD, path, st, 0);
}

API int lstat(const char *path, struct stat *st)
{
	return stat_of(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

API int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return stat_of(dir, path, st, flags);
}

/* Only what these files have. */
static void widen(struct statx *to, const struct stat *st)
{
	*to = (struct statx) {
		.stx_mask = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_INO | STATX_SIZE,
		.stx_blksize = (uint32_t)st->st_blksize,
		.stx_nlink = (uint32_t)st->st_nlink,
		.stx_mode = (uint16_t)st->st_mode,
		.stx_ino = st->st_ino,
		.stx_size = (uint64_t)st->st_size,
	};
}

API int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *stx)
{
	struct stat st;
	int rc;

	if (!api_sysfs_stat(path, !(flags & AT_SYMLINK_NOFOLLOW), &st, &rc))
		return (int)syscall(SYS_statx, dir, path, flags, mask, stx);
	if (!rc)
		widen(stx, &st);
	return rc;
}

API int access(const char *path, int mode)
{
	int rc;

	if (api_sysfs_access(path, mode, &rc))
		return rc;
	return device_of(path) < 0 ? (int)syscall(SYS_faccessat, AT_FDCWD, path, mode) : 0;
}

/* AT_EACCESS: libc compares modes itself in older kernels, so that is left to it. */
API int faccessat(int dir, const char *path, int mode, int flags)
{
	__typeof__(&faccessat) next;
	int rc;

	if (api_sysfs_access(path, mode, &rc))
		return rc;
	*(void **)&next = dlsym(RTLD_NEXT, "faccessat");
	return next(dir, path, mode, flags);
}

API ssize_t readlink(const char *path, char *buf, size_t size)
{
	ssize_t rc;

	return api_sysfs_readlink(path, buf, size, &rc) ?
	       rc : syscall(SYS_readlinkat, AT_FDCWD, path, buf, size);
}

API ssize_t readlinkat(int dir, const char *path, char *buf, size_t size)
{
	ssize_t rc;

	return api_sysfs_readlink(path, buf, size, &rc) ?
	       rc : syscall(SYS_readlinkat, dir, path, buf, size);
}
