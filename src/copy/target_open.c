/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way to the target: the walk from the server's directory to the file, and what is refused
 * before a byte is sent. Called by the session of the server. The name comes from the peer.
 */
#include "config.h"
#include "copy/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/err.h"

#define DIR_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

int target_check_dir(const char *dir)
{
	const int fd = open(dir, DIR_FLAGS);
	int rc = fd < 0 ? -errno : 0;

	if (!rc && faccessat(fd, ".", W_OK | X_OK, 0))
		rc = -errno;
	if (fd >= 0)
		close(fd);
	return rc ? err_set(rc, "--copy-to %s: %s", dir, strerror(-rc)) : 0;
}

/* Every part is opened by itself, so that no link leads out of it: open(2), O_NOFOLLOW. */
static int enter(struct target *t, const char *part, size_t len)
{
	char name[NAME_MAX + 1];
	int next, err;

	snprintf(name, sizeof(name), "%.*s", (int)len, part);
	next = openat(t->dir, name, DIR_FLAGS | O_NOFOLLOW);
	err = errno;
	if (next < 0)
		return err_set(-EINVAL, "\"%s\": cannot enter the directory \"%s\" below --copy-to: %s",
			       t->file->name, name,
			       err == ELOOP || err == ENOTDIR ? "it is a link, or no directory" :
								strerror(err));
	close(t->dir);
	t->dir = next;
	return 0;
}

static int walk(struct target *t, const char *dir)
{
	const char *part = t->file->name, *slash;
	int rc = copy_check_name(part);

	if (rc)
		return rc;
	t->dir = open(dir, DIR_FLAGS);
	if (t->dir < 0)
		return err_set(-EINVAL, "the server cannot open its directory for copies: %s",
			       strerror(errno));
	while (!rc && (slash = strchr(part, '/'))) {
		rc = enter(t, part, (size_t)(slash - part));
		part = slash + 1;
	}
	snprintf(t->base, sizeof(t->base), "%.*s", NAME_MAX, part);
	return rc;
}

static int check_existing(const struct target *t)
{
	const char *name = t->file->name;
	struct stat st;

	if (fstatat(t->dir, t->base, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : err_set(-EINVAL, "\"%s\": %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(-EINVAL, "\"%s\" exists and is %s: only a regular file is replaced",
			       name, S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
	if (!t->file->overwrite)
		return err_set(-EINVAL, "\"%s\" exists; --overwrite replaces it", name);
	return 0;
}

static int check_room(const struct target *t)
{
	struct statvfs fs;
	uint64_t free_bytes;

	if (t->file->size_bytes > INT64_MAX)
		return err_set(-EINVAL, "\"%s\": no file has %" PRIu64 " bytes", t->file->name,
			       t->file->size_bytes);
	if (fstatvfs(t->dir, &fs))
		return err_set(-EINVAL, "\"%s\": cannot query the file system: %s", t->file->name,
			       strerror(errno));
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (t->file->size_bytes <= free_bytes)
		return 0;
	return err_set(-EINVAL, "\"%s\": no space for %" PRIu64 " bytes: %" PRIu64 " are free",
		       t->file->name, t->file->size_bytes, free_bytes);
}

/* A file without a name gets one by linkat(2) from /proc/self/fd, so without /proc it cannot. */
static void open_nameless(struct target *t)
{
	struct stat st;

	if (!stat("/proc/self/fd", &st))
		t->fd = openat(t->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, t->file->mode);
}

int target_temporary(struct target *t)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), 0) < 0)
		return err_set(-errno, "cannot get random bytes: %s", strerror(errno));
	snprintf(t->temporary, sizeof(t->temporary), ".verbench-%016" PRIx64, random);
	return 0;
}

static int open_file(struct target *t)
{
	open_nameless(t);
	if (t->fd < 0) {
		if (target_temporary(t))
			return -EINVAL;
		t->fd = openat(t->dir, t->temporary,
			       O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, t->file->mode);
	}
	if (t->fd < 0) {
		t->temporary[0] = '\0';
		return err_set(-EINVAL, "\"%s\": cannot create the file: %s", t->file->name,
			       strerror(errno));
	}
	/* holes for blocks of zeros, and an early error when a file may not be so large */
	if (ftruncate(t->fd, (off_t)t->file->size_bytes))
		return err_set(-EINVAL, "\"%s\": cannot have %" PRIu64 " bytes: %s", t->file->name,
			       t->file->size_bytes, strerror(errno));
	return 0;
}

int target_open(struct target *t, const char *dir, const struct copy_file *file)
{
	int rc;

	*t = (struct target)TARGET_CLOSED;
	t->file = file;
	rc = walk(t, dir);
	if (!rc)
		rc = check_existing(t);
	if (!rc)
		rc = check_room(t);
	if (!rc)
		rc = open_file(t);
	if (rc)
		target_close(t);
	return rc;
}
