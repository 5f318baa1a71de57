/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Examines, locks and writes a results file, without knowing its format. */
#include "config.h"
#include "file/out_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/standard.h"

#define LINKS_MAX 40 /* as the kernel: path_resolution(7) */
#define WAIT_MS 2000 /* for a server: less than a peer's usual stall timeout */
#define LOCK_NS 2000000000u      /* less than the shortest usual stall timeout: the peer waits */
#define LOCK_PAUSE_MS 1

const char *out_path_strerror(int rc)
{
	if (rc == -ENXIO)
		return "no program reads from this pipe";
	if (rc == -EXDEV)
		return "it is a link that another user has put there";
	if (rc == -EPIPE)
		return "the program that reads from this pipe has ended";
	if (rc == -ETIMEDOUT)
		return "nobody reads what was written there before";
	return strerror(-rc);
}

int out_path_fail(int rc, const char *what, const char *path)
{
	return err_set(rc, "write %s to %s: %s", what, path, out_path_strerror(rc));
}

static int fail(const char *path, int rc)
{
	return err_set(rc, "cannot write to %s: %s", strcmp(path, "-") ? path : "standard output",
		       out_path_strerror(rc));
}

static void set_name(struct out_path *f)
{
	const char *slash = strrchr(f->path, '/');

	f->name = slash ? slash + 1 : f->path;
}

/*
 * In a directory that others may write to, anyone can put a link where a result is expected, to a
 * file of the user who measures. The kernel refuses some of these links
 * (/proc/sys/fs/protected_symlinks), but not on every machine.
 */
static bool is_of_another_user(const struct stat *link)
{
	return link->st_uid != geteuid() && link->st_uid != 0;
}

/* The target of a link: a relative one starts at the directory of the link. */
static int follow(struct out_path *f)
{
	char target[PATH_MAX], *path;
	const ssize_t n = readlink(f->path, target, sizeof(target) - 1);
	const size_t dir = (size_t)(f->name - f->path);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	if (asprintf(&path, "%.*s%s", target[0] == '/' ? 0 : (int)dir, f->path, target) < 0)
		return -ENOMEM;
	free(f->path);
	f->path = path;
	set_name(f);
	return 0;
}

/* The directory that the file is in, for the caller to free. NULL: no memory. */
static char *dir_of(const struct out_path *f)
{
	return f->name == f->path ? strdup(".") : strndup(f->path, (size_t)(f->name - f->path));
}

static int stat_dir(struct out_path *f)
{
	char *dir = dir_of(f);
	int rc;

	if (!dir)
		return -ENOMEM;
	rc = stat(dir, &f->st) ? -errno : 0;
	free(dir);
	return rc;
}

static int resolve(struct out_path *f)
{
	struct stat st;
	int rc = 0;

	for (int links = 0; !rc && !lstat(f->path, &st) && S_ISLNK(st.st_mode); links++) {
		if (is_of_another_user(&st))
			return -EXDEV;
		rc = links == LINKS_MAX ? -ELOOP : follow(f);
	}
	if (rc)
		return rc;
	if (!stat(f->path, &f->st)) {
		f->exists = true;
		return S_ISDIR(f->st.st_mode) ? -EISDIR : 0;
	}
	if (errno != ENOENT)
		return -errno;
	rc = stat_dir(f);
	return rc || f->name[0] ? rc : -ENOENT;
}

/*
 * /dev/stdout and /proc/self/fd/N are links whose text cannot be followed to a pipe or to a file
 * that was removed, but stat(2) can.
 */
static bool is_open_file(struct out_path *f, const char *path)
{
	struct stat link;

	f->exists = !stat(path, &f->st) && !S_ISREG(f->st.st_mode) && !S_ISDIR(f->st.st_mode) &&
		    (lstat(path, &link) || !S_ISLNK(link.st_mode) || !is_of_another_user(&link));
	return f->exists;
}

int out_path_find(struct out_path *f, const char *path)
{
	int rc = 0;

	*f = (struct out_path){ .path = strdup(path) };
	if (!f->path)
		return err_set(-ENOMEM, "no memory for a path");
	set_name(f);
	if (!strcmp(path, "-")) {
		f->exists = true;
		rc = fstat(STDOUT_FILENO, &f->st) ? -errno : 0;
	} else if (!is_open_file(f, path)) {
		rc = resolve(f);
	}
	if (rc == -ENOENT)
		return err_set(rc, "cannot write to %s: its directory does not exist", path);
	return rc ? fail(path, rc) : 0;
}

void out_path_free(struct out_path *f)
{
	free(f->path);
	*f = (struct out_path){ .path = NULL };
}

bool out_path_same(const struct out_path *a, const struct out_path *b)
{
	if (a->exists != b->exists || a->st.st_dev != b->st.st_dev || a->st.st_ino != b->st.st_ino)
		return false;
	if (a->exists)
		return !S_ISCHR(a->st.st_mode);
	return !strcmp(a->name, b->name);
}

static int check_dir(const struct out_path *f)
{
	char *dir = dir_of(f);
	int rc = 0;

	if (!dir)
		return err_set(-ENOMEM, "no memory for a path");
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS))
		rc = err_set(-errno, "cannot create %s in its directory: %s", f->path,
			     strerror(errno));
	free(dir);
	return rc;
}

int out_path_check(const struct out_path *f, bool read, bool replace)
{
	const int mode = read ? R_OK | W_OK : W_OK;

	if (!strcmp(f->path, "-"))
		return 0;
	if (f->exists && faccessat(AT_FDCWD, f->path, mode, AT_EACCESS))
		return fail(f->path, -errno);
	return !f->exists || (replace && S_ISREG(f->st.st_mode)) ? check_dir(f) : 0;
}

int out_path_open_stream(const char *path)
{
	int fd, flags;

	if (!strcmp(path, "-"))
		return STDOUT_FILENO;
	fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (log_serves())
		return fd;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0) {
		flags = -errno;
		close(fd);
		return flags;
	}
	return fd;
}

ssize_t out_path_read(int fd, char *text, size_t size, off_t at)
{
	size_t len = 0;
	ssize_t n = 1;

	while (n && len < size) {
		n = pread(fd, text + len, size - len, at + (off_t)len);
		if (n < 0 && errno != EINTR)
			return -errno;
		len += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)len;
}

int out_path_write(int fd, const char *text, size_t len, size_t *written)
{
	int rc = fd == STDOUT_FILENO && fflush(stdout) ? -errno : 0;
	size_t at = 0;

	while (at < len && !rc) {
		const ssize_t n = log_serves() ? standard_write(fd, text + at, len - at) :
						 write(fd, text + at, len - at);
		const int error = n >= 0 ? 0 : log_serves() ? (int)-n : errno;

		if (n > 0)
			at += (size_t)n;
		else if (error == EAGAIN && log_serves())
			rc = standard_wait(fd, WAIT_MS);
		else if (error != EINTR)
			rc = -error;
	}
	*written = at;
	return rc;
}

/* ---- the lock */

static bool has_no_locks(int err)
{
	return err == ENOLCK || err == ENOSYS || err == EOPNOTSUPP;
}

static void note_none(const char *path, bool *none)
{
	if (!*none)
		log_note("%s: this file system has no locks (%s): lines that other programs add at the same time may be lost",
			 path, strerror(errno));
	*none = true;
}

int out_lock(int fd, const char *path, const char *what, bool *none)
{
	const uint64_t end_ns = clock_ns() + LOCK_NS;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (has_no_locks(errno)) {
			note_none(path, none);
			return 0;
		}
		if (errno != EWOULDBLOCK && errno != EINTR)
			return out_path_fail(-errno, what, path);
		if (clock_ns() > end_ns)
			return err_set(-EBUSY, "write %s to %s: another program has held its lock for more than 2 s",
				       what, path);
		poll(NULL, 0, LOCK_PAUSE_MS);
	}
	return 0;
}

void out_unlock(int fd, bool none)
{
	/* fails only without a lock */
	if (!none && flock(fd, LOCK_UN))
		return;
}

bool out_is_current(int fd, const char *path)
{
	struct stat own, there;

	return !fstat(fd, &own) && !stat(path, &there) && own.st_dev == there.st_dev &&
	       own.st_ino == there.st_ino;
}
