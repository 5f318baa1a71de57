/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The directory where processes meet; see place.h. Called by join.c.
 *
 * The name contains only the user: processes of one user meet although their environments differ
 * (sudo, cron, a session of ssh), so $XDG_RUNTIME_DIR is not used. Another user can take a name in
 * /tmp first, but not in /run, and not all that follow without a message that says who it was.
 */
#include "config.h"
#include "meet/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 64 };

static const char *const parents[] = { "/run", "/tmp", "/dev/shm", "/var/tmp" };

enum { PARENTS = sizeof(parents) / sizeof(parents[0]) };

static void path_in(const char *parent, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%s/softhca-%u", parent, (unsigned int)geteuid());
}

/* Whether no other user can remove or rename what is in it. */
static bool is_kept(const char *parent)
{
	struct stat st;

	if (stat(parent, &st) || !S_ISDIR(st.st_mode))
		return false;
	return (!st.st_uid || st.st_uid == geteuid()) &&
	       (!(st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_mode & S_ISVTX);
}

/* Says why the directory is not used, and whose it is. Returns -EPERM. */
static int refuse(const char *path)
{
	struct stat st;
	const char *what;

	if (lstat(path, &st))
		return -errno;
	what = S_ISLNK(st.st_mode) ? "a symbolic link" :
	       !S_ISDIR(st.st_mode) ? "no directory" :
	       st.st_uid != geteuid() ? "a directory" : "open to other users";
	fprintf(stderr,
		"softhca: %s is not used: it is %s of user %u, mode %04o, not a directory of user %u with mode 0700\n",
		path, what, (unsigned int)st.st_uid, (unsigned int)st.st_mode & 07777,
		(unsigned int)geteuid());
	return -EPERM;
}

/* A descriptor of the directory, or -errno; -ENOENT: there is none; -EPERM: it is not used. */
static int look(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP || errno == EACCES ? refuse(path) :
									       -errno;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO)))
		return fd;
	close(fd);
	return refuse(path);
}

static int make(const char *path)
{
	/* another process of this user may be faster */
	if (mkdir(path, S_IRWXU) && errno != EEXIST)
		return -errno;
	return look(path);
}

int place_open(void)
{
	char path[PATH_BYTES];
	bool refused[PARENTS] = { false };
	int fd = -ENOENT;

	/* what is there comes first: otherwise a name that becomes free would part the processes */
	for (size_t i = 0; i < PARENTS && fd < 0; i++) {
		path_in(parents[i], path);
		if (!is_kept(parents[i]))
			continue;
		fd = look(path);
		refused[i] = fd < 0 && fd != -ENOENT;
	}
	for (size_t i = 0; i < PARENTS && fd < 0; i++) {
		path_in(parents[i], path);
		if (is_kept(parents[i]) && !refused[i])
			fd = make(path);
	}
	if (fd < 0)
		fprintf(stderr,
			"softhca: user %u has no directory to meet in: none of /run, /tmp, /dev/shm and /var/tmp takes a softhca-%u\n",
			(unsigned int)geteuid(), (unsigned int)geteuid());
	return fd;
}
