/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the replacement of a file; see replace.h. Called by edit.c, report and run. */
#include "config.h"
#include "out/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/out_path.h"

#define TRIES 100

/* Those of the file that is replaced; a new one has those of the umask. */
static int copy_mode(int fd, const char *path)
{
	struct stat st;

	return !stat(path, &st) && fchmod(fd, st.st_mode & 07777) ? -errno : 0;
}

static int sync_file(int fd)
{
	/* some file systems cannot, and say so */
	return fsync(fd) && errno != EINVAL && errno != ENOSYS ? -errno : 0;
}

/* Closes fd. */
static int write_temp(int fd, const char *path, const char *text, size_t len)
{
	size_t written;
	int rc = out_path_write(fd, text, len, &written);

	if (!rc)
		rc = copy_mode(fd, path);
	if (!rc)
		rc = sync_file(fd);
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

/* A name that nobody can know before, beside path: what is there is never opened, nor removed. */
static int create_temp(const char *path, char **temp)
{
	uint64_t random;
	int fd = -1;

	for (int i = 0; fd < 0 && i < TRIES; i++) {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -errno;
		if (asprintf(temp, "%s.%016" PRIx64 ".tmp", path, random) < 0)
			return -ENOMEM;
		fd = open(*temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		fd = -errno;
		free(*temp);
		*temp = NULL;
		if (fd != -EEXIST)
			return fd;
		fd = -1;
	}
	return -EEXIST;
}

int replace_file(const char *path, const char *text, size_t len)
{
	char *temp = NULL;
	const int fd = create_temp(path, &temp);
	int rc = fd < 0 ? fd : write_temp(fd, path, text, len);

	if (!rc && rename(temp, path))
		rc = -errno;
	if (rc && temp)
		unlink(temp);
	free(temp);
	return rc;
}
