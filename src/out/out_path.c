/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what is known of a file of results by its path; see out_path.h. Called by append.c and
 * report. Must not know a format.
 */
#include "config.h"
#include "out/out_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"
#include "util/log.h"
#include "standard/standard.h"

#define LINKS_MAX 40 /* as the kernel: path_resolution(7) */
#define WAIT_MS 2000 /* of a server: less than a peer's stall timeout usually is */

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
 * In a directory that others may write to, anybody can put a link where a result is expected, to
 * a file of the user who measures. The kernel refuses some of these links
 * (/proc/sys/fs/protected_symlinks), and not on every machine.
 */
static bool is_of_stranger(const struct stat *link)
{
	return link->st_uid != geteuid() && link->st_uid != 0;
}

/* The target of a link, as a path from here: a relative one starts at the directory of the link. */
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

/* The directory that the file is in. */
static int stat_dir(struct out_path *f)
{
	char *dir;
	int rc;

	if (f->name == f->path)
		return stat(".", &f->st) ? -errno : 0;
	dir = strndup(f->path, (size_t)(f->name - f->path));
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
		if (is_of_stranger(&st))
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
 * /dev/stdout and /proc/self/fd/N are links that cannot be followed by their text to a pipe or to a
 * file that was removed: stat(2) knows what they are.
 */
static bool is_open_file(struct out_path *f, const char *path)
{
	struct stat link;

	f->exists = !stat(path, &f->st) && !S_ISREG(f->st.st_mode) && !S_ISDIR(f->st.st_mode) &&
		    (lstat(path, &link) || !S_ISLNK(link.st_mode) || !is_of_stranger(&link));
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
	char *dir = f->name == f->path ? strdup(".") :
					 strndup(f->path, (size_t)(f->name - f->path));
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
	const int fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
	int flags;

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

int out_path_write(int fd, const char *text, size_t len, size_t *written)
{
	size_t at = 0;
	int rc = 0;

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
