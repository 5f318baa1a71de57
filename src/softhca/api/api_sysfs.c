/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libc by which programs read /sys/class/infiniband/softhcaN; see
 * api_sysfs_files.h. A file that is opened is a memfd with its text. All other paths go to libc,
 * and so does whatever is not listed here, such as opendir().
 */
#include "config.h"
#include "api/api_sysfs.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api.h"
#include "api/api_sysfs_files.h"
#include "base/pages.h"

static bool is_own(const char *path)
{
	/* most paths are others: no setting is read for them */
	return path && !strncmp(path, DEVICE_SYSFS "softhca", strlen(DEVICE_SYSFS "softhca")) &&
	       api_sysfs_is_own(path);
}

bool api_sysfs_open(const char *path, int flags, int *fd)
{
	char text[SYSFS_TEXT];

	if (!is_own(path))
		return false;
	*fd = -1;
	errno = ENOENT;
	if (api_sysfs_find(path, text) != SYSFS_FILE)
		return true;
	errno = EACCES;
	if ((flags & O_ACCMODE) != O_RDONLY)
		return true;
	*fd = pages_file(text, strlen(text), flags & O_CLOEXEC);
	return true;
}

static FILE *open_stream(const char *path, const char *mode, const char *name)
{
	FILE *(*next)(const char *, const char *);
	int fd;

	if (api_sysfs_open(path, *mode == 'r' && !strchr(mode, '+') ?
			   O_RDONLY | (strchr(mode, 'e') ? O_CLOEXEC : 0) : O_RDWR, &fd))
		return fd < 0 ? NULL : fdopen(fd, "r");
	*(void **)&next = dlsym(RTLD_NEXT, name);
	return next ? next(path, mode) : NULL;
}

API FILE *fopen(const char *path, const char *mode)
{
	return open_stream(path, mode, "fopen");
}

API FILE *fopen64(const char *path, const char *mode)
{
	return open_stream(path, mode, "fopen64");
}

API ssize_t readlink(const char *path, char *buf, size_t size)
{
	char text[SYSFS_TEXT];
	size_t len;

	if (!is_own(path))
		return readlinkat(AT_FDCWD, path, buf, size);
	switch (api_sysfs_find(path, text)) {
	case SYSFS_LINK:
		len = strlen(text) < size ? strlen(text) : size;
		memcpy(buf, text, len);
		return (ssize_t)len;
	case SYSFS_NOTHING:
		errno = ENOENT;
		return -1;
	default:
		errno = EINVAL;
		return -1;
	}
}

bool api_sysfs_access(const char *path, int mode, int *rc)
{
	char text[SYSFS_TEXT];

	if (!is_own(path))
		return false;
	errno = api_sysfs_find(path, text) == SYSFS_NOTHING ? ENOENT : mode & W_OK ? EACCES : 0;
	*rc = errno ? -1 : 0;
	return true;
}

bool api_sysfs_stat(const char *path, struct stat *st, int *rc)
{
	char text[SYSFS_TEXT];
	enum sysfs_kind kind;

	if (!is_own(path))
		return false;
	kind = api_sysfs_find(path, text);
	*rc = kind == SYSFS_NOTHING ? -1 : 0;
	if (*rc)
		errno = ENOENT;
	else
		*st = (struct stat) {
			.st_mode = kind == SYSFS_FILE ? S_IFREG | 0444 : S_IFDIR | 0755,
			.st_nlink = 1, .st_size = 4096, .st_blksize = 4096,
		};
	return true;
}
