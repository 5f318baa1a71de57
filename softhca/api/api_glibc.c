/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Names that only glibc gives the functions of api_file.c, api_path.c, api_sysfs.c and
 * api_sysfs_dir.c: for large files, which all files are; for programs that are built with
 * _FORTIFY_SOURCE; and of binaries made with glibc before 2.33.
 */
/* with it the headers declare some of them */
#undef _FORTIFY_SOURCE
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "api/api.h"

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "files are large by default");
_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "files are large by default");

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
char *__realpath_chk(const char *path, char *resolved, size_t size);
int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);

API int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	API_OPEN_MODE(flags, mode);
	return open(path, flags | O_LARGEFILE, mode);
}

API int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	API_OPEN_MODE(flags, mode);
	return openat(dir, path, flags | O_LARGEFILE, mode);
}

API FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

API int fstat64(int fd, struct stat64 *st)
{
	return fstat(fd, (struct stat *)(void *)st);
}

API int stat64(const char *path, struct stat64 *st)
{
	return stat(path, (struct stat *)(void *)st);
}

API int lstat64(const char *path, struct stat64 *st)
{
	return lstat(path, (struct stat *)(void *)st);
}

API int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
	return fstatat(dir, path, (struct stat *)(void *)st, flags);
}

API int scandir64(const char *path, struct dirent64 ***list,
		  int (*wanted)(const struct dirent64 *),
		  int (*order)(const struct dirent64 **, const struct dirent64 **))
{
	return scandir(path, (struct dirent ***)(void *)list,
		       (int (*)(const struct dirent *))(void *)wanted,
		       (int (*)(const struct dirent **, const struct dirent **))(void *)order);
}

API int __open_2(const char *path, int flags)
{
	return open(path, flags, 0);
}

API int __open64_2(const char *path, int flags)
{
	return open64(path, flags, 0);
}

API int __openat_2(int dir, const char *path, int flags)
{
	return openat(dir, path, flags, 0);
}

API int __openat64_2(int dir, const char *path, int flags)
{
	return openat64(dir, path, flags, 0);
}

API char *__realpath_chk(const char *path, char *resolved, size_t size)
{
	(void)size;
	return realpath(path, resolved);
}

API int __xstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat(path, st);
}

API int __xstat64(int version, const char *path, struct stat64 *st)
{
	(void)version;
	return stat64(path, st);
}

API int __lxstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return lstat(path, st);
}

API int __lxstat64(int version, const char *path, struct stat64 *st)
{
	(void)version;
	return lstat64(path, st);
}
