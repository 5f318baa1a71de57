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

/* Of programs that are built with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
char *__realpath_chk(const char *path, char *resolved, size_t size);

typedef int filter(const struct dirent *entry);
typedef int compare(const struct dirent **a, const struct dirent **b);

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

static int scan(const char *name, const char *path, struct dirent ***list, filter *wanted,
		compare *order)
{
	int (*next)(const char *, struct dirent ***, filter *, compare *);
	char real[PATH_MAX];

	*(void **)&next = next_of(name);
	path = moved(path, real);
	return path ? next(path, list, wanted, order) : -1;
}

API int scandir(const char *path, struct dirent ***list, filter *wanted, compare *order)
{
	return scan("scandir", path, list, wanted, order);
}

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "files are large by default");

API int scandir64(const char *path, struct dirent64 ***list,
		  int (*wanted)(const struct dirent64 *),
		  int (*order)(const struct dirent64 **, const struct dirent64 **))
{
	return scan("scandir64", path, (struct dirent ***)(void *)list, (filter *)(void *)wanted,
		    (compare *)(void *)order);
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

API char *__realpath_chk(const char *path, char *resolved, size_t size)
{
	(void)size;
	return realpath(path, resolved);
}

static int open_from(int dir, const char *path, int flags, mode_t mode)
{
	int fd;

	if (api_sysfs_open(path, flags, &fd))
		return fd;
	if (hca.fixed.libc.openat)
		return hca.fixed.libc.openat(dir, path, flags, mode);
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

API int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	API_OPEN_MODE(flags, mode);
	return open_from(dir, path, flags, mode);
}

API int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	API_OPEN_MODE(flags, mode);
	return open_from(dir, path, flags | O_LARGEFILE, mode);
}

API int __openat_2(int dir, const char *path, int flags)
{
	return open_from(dir, path, flags, 0);
}

API int __openat64_2(int dir, const char *path, int flags)
{
	return open_from(dir, path, flags | O_LARGEFILE, 0);
}

API int __open_2(const char *path, int flags)
{
	return open(path, flags, 0);
}

API int __open64_2(const char *path, int flags)
{
	return open64(path, flags, 0);
}
