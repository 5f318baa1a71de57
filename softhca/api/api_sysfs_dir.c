/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libc by which programs list the folders of /sys/class/infiniband, and open files
 * from them: they get the copy of api_sysfs_tree.h. A folder that a program has opened, or has
 * changed to, is one of the copy, so what it does there needs nothing from here. All other paths go
 * to libc; like there, openat() and chdir() may then be called by a signal handler.
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/api.h"
#include "api/api_sysfs.h"
#include "api/api_sysfs_files.h"
#include "api/api_sysfs_tree.h"
#include "base/hca.h"

/* The function of libc with this name. */
static void *next_of(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Where the path is for libc; NULL, with errno: it cannot be given. */
static const char *moved(const char *path, char real[PATH_MAX])
{
	if (!api_sysfs_has(path))
		return path;
	return api_sysfs_tree_path(path, real) ? real : NULL;
}

API DIR *opendir(const char *path)
{
	__typeof__(&opendir) next;
	char real[PATH_MAX];

	*(void **)&next = next_of("opendir");
	path = moved(path, real);
	return path ? next(path) : NULL;
}

API int scandir(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
		int (*order)(const struct dirent **, const struct dirent **))
{
	__typeof__(&scandir) next;
	char real[PATH_MAX];

	*(void **)&next = next_of("scandir");
	path = moved(path, real);
	return path ? next(path, list, wanted, order) : -1;
}

API int chdir(const char *path)
{
	char real[PATH_MAX];

	path = moved(path, real);
	if (!path)
		return -1;
	return hca.fixed.libc.chdir ? hca.fixed.libc.chdir(path) : (int)syscall(SYS_chdir, path);
}

/* The path itself: only device/driver is a link, to a folder that is not there. */
API char *realpath(const char *path, char *resolved)
{
	__typeof__(&realpath) next;
	char text[SYSFS_TEXT];
	size_t len;

	*(void **)&next = next_of("realpath");
	if (!api_sysfs_has(path))
		return next(path, resolved);
	if (api_sysfs_find(path, text) == SYSFS_NOTHING) {
		errno = ENOENT;
		return NULL;
	}
	len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (!resolved && !(resolved = malloc(len + 1)))
		return NULL;
	memmove(resolved, path, len);
	resolved[len] = '\0';
	return resolved;
}

API int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	int fd;

	API_OPEN_MODE(flags, mode);
	if (api_sysfs_open(path, flags, &fd))
		return fd;
	if (hca.fixed.libc.openat)
		return hca.fixed.libc.openat(dir, path, flags, mode);
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}
