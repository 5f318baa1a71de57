/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the replacement of a file; see replace.h. Called by edit.c, report and run. */
#include "config.h"
#include "out/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/out_path.h"

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

static int write_temp(const char *temp, const char *path, const char *text, size_t len)
{
	const int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	size_t written;
	int rc = fd < 0 ? -errno : out_path_write(fd, text, len, &written);

	if (!rc)
		rc = copy_mode(fd, path);
	if (!rc)
		rc = sync_file(fd);
	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	return rc;
}

int replace_file(const char *path, const char *text, size_t len)
{
	char *temp;
	int rc;

	if (asprintf(&temp, "%s.%ld.tmp", path, (long)getpid()) < 0)
		return -ENOMEM;
	/* of a program that was killed, or a link that somebody has put there */
	unlink(temp);
	rc = write_temp(temp, path, text, len);
	if (!rc && rename(temp, path))
		rc = -errno;
	if (rc)
		unlink(temp);
	free(temp);
	return rc;
}
