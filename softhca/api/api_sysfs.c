/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libc by which programs read the files of /sys/class/infiniband/softhcaN; see
 * api_sysfs_files.h. A file that is opened is a memfd with its text of now. api_sysfs_dir.c has the
 * functions for folders. All other paths go to libc.
 */
#include "config.h"
#include "api/api_sysfs.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api.h"
#include "api/api_irq.h"
#include "api/api_sysfs_files.h"
#include "api/api_sysfs_tree.h"
#include "base/hca.h"
#include "base/pages.h"

bool api_sysfs_has(const char *path)
{
	/* most paths are others: no setting is read for them */
	return path && !strncmp(path, SYSFS_CLASS, strlen(SYSFS_CLASS)) && api_sysfs_is_own(path);
}

/* A folder, which the copy has. */
static int open_folder(const char *path, int flags)
{
	char real[PATH_MAX];

	return api_sysfs_tree_path(path, real) ? hca.fixed.libc.open(real, flags) : -1;
}

bool api_sysfs_open(const char *path, int flags, int *fd)
{
	char text[SYSFS_TEXT];
	enum sysfs_kind kind;

	if (api_irq_open(path, flags, fd))
		return true;
	if (!api_sysfs_has(path))
		return false;
	*fd = -1;
	kind = api_sysfs_find(path, text);
	errno = kind == SYSFS_NOTHING ? ENOENT : EACCES;
	if (kind == SYSFS_NOTHING || (flags & O_ACCMODE) != O_RDONLY)
		return true;
	if (kind == SYSFS_FILE && flags & O_DIRECTORY)
		errno = ENOTDIR;
	else if (kind != SYSFS_FILE)
		*fd = open_folder(path, flags);
	else
		*fd = pages_file(text, strlen(text), flags & O_CLOEXEC);
	return true;
}

API FILE *fopen(const char *path, const char *mode)
{
	__typeof__(&fopen) next;
	int fd;

	if (api_sysfs_open(path, *mode == 'r' && !strchr(mode, '+') ?
			   O_RDONLY | (strchr(mode, 'e') ? O_CLOEXEC : 0) : O_RDWR, &fd))
		return fd < 0 ? NULL : fdopen(fd, "r");
	*(void **)&next = dlsym(RTLD_NEXT, "fopen");
	return next ? next(path, mode) : NULL;
}

bool api_sysfs_readlink(const char *path, char *buf, size_t size, ssize_t *rc)
{
	char text[SYSFS_TEXT];

	if (!api_sysfs_has(path))
		return false;
	*rc = -1;
	switch (api_sysfs_find(path, text)) {
	case SYSFS_LINK:
		*rc = (ssize_t)(strlen(text) < size ? strlen(text) : size);
		memcpy(buf, text, (size_t)*rc);
		break;
	case SYSFS_NOTHING:
		errno = ENOENT;
		break;
	default:
		errno = EINVAL;
	}
	return true;
}

bool api_sysfs_access(const char *path, int mode, int *rc)
{
	char text[SYSFS_TEXT];

	if (!api_sysfs_has(path))
		return false;
	errno = api_sysfs_find(path, text) == SYSFS_NOTHING ? ENOENT : mode & W_OK ? EACCES : 0;
	*rc = errno ? -1 : 0;
	return true;
}

/* Programs that walk through folders know each by its number. */
static ino_t number_of(const char *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *path; path++)
		if (*path != '/')
			hash = (hash ^ (uint8_t)*path) * UINT64_C(0x100000001b3);
	return (ino_t)(hash | 1);
}

bool api_sysfs_stat(const char *path, bool follow, struct stat *st, int *rc)
{
	char text[SYSFS_TEXT], real[PATH_MAX];
	enum sysfs_kind kind;

	if (!api_sysfs_has(path))
		return false;
	kind = api_sysfs_find(path, text);
	/* programs compare a folder with the one that they open then */
	if (kind == SYSFS_FOLDER && api_sysfs_tree_path(path, real)) {
		*rc = follow ? stat(real, st) : lstat(real, st);
		return true;
	}
	*rc = kind == SYSFS_NOTHING ? -1 : 0;
	if (*rc)
		errno = ENOENT;
	else
		*st = (struct stat) {
			.st_mode = kind == SYSFS_FILE             ? S_IFREG | 0444 :
				   kind == SYSFS_LINK && !follow ? S_IFLNK | 0777 :
								   S_IFDIR | 0755,
			.st_nlink = 1, .st_size = 4096, .st_blksize = 4096,
			.st_ino = number_of(path),
		};
	return true;
}
