/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Writes a whole file under its path, without knowing its content. */
#include "config.h"
#include "file/out_path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/err.h"

#define TRIES 100
#define BEGINS_MAX 256

/* Copies the permissions of the replaced file; a new file has those of the umask. */
static int copy_mode(int fd, const char *path)
{
	struct stat st;

	return !stat(path, &st) && fchmod(fd, st.st_mode & 07777) ? -errno : 0;
}

static int sync_file(int fd)
{
	/* some file systems do not support it and say so */
	return fsync(fd) && errno != EINVAL && errno != ENOSYS ? -errno : 0;
}

/* Closes fd. like: whose permissions the file gets; NULL: it has its own. */
static int write_temp(int fd, const char *like, const char *text, size_t len)
{
	size_t written;
	int rc = out_path_write(fd, text, len, &written);

	if (!rc && like)
		rc = copy_mode(fd, like);
	if (!rc)
		rc = sync_file(fd);
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

/* A name beside path that nobody can predict: an existing file is never opened or removed. */
static int create_temp(const char *path, char **temp, mode_t mode)
{
	uint64_t random;
	int fd, tries = 0;

	do {
		free(*temp);
		*temp = NULL;
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -errno;
		if (asprintf(temp, "%s.%016" PRIx64 ".tmp", path, random) < 0) {
			*temp = NULL;
			return -ENOMEM;
		}
		fd = open(*temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	} while (fd < 0 && errno == EEXIST && ++tries < TRIES);
	if (fd >= 0)
		return fd;
	fd = -errno;
	free(*temp);
	*temp = NULL;
	return fd;
}

static int replace(const char *path, const char *text, size_t len, bool private)
{
	char *temp = NULL;
	const int fd = create_temp(path, &temp, private ? 0600 : 0666);
	int rc = fd < 0 ? fd : write_temp(fd, private ? NULL : path, text, len);

	if (!rc && rename(temp, path))
		rc = -errno;
	if (rc && temp)
		unlink(temp);
	free(temp);
	return rc;
}

int out_replace_file(const char *path, const char *text, size_t len)
{
	return replace(path, text, len, false);
}

int out_replace_private(const char *path, const char *text, size_t len)
{
	return replace(path, text, len, true);
}

static int write_stream(const char *path, const char *text, size_t len)
{
	const int fd = out_path_open_stream(path);
	size_t written;
	int rc = fd < 0 ? fd : out_path_write(fd, text, len, &written);

	if (fd > STDOUT_FILENO)
		close(fd);
	return rc;
}

int out_replace(const char *path, const char *text, size_t len)
{
	struct out_path file;
	int rc = out_path_find(&file, path);

	if (!rc)
		rc = file.exists && (!strcmp(path, "-") || !S_ISREG(file.st.st_mode)) ?
			     write_stream(path, text, len) : out_replace_file(file.path, text, len);
	out_path_free(&file);
	return rc;
}

/* For a regular file. */
static int check_begin(const char *path, const struct out_replace_kind *kind)
{
	char text[BEGINS_MAX];
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		return err_set(-errno, "cannot open %s: %s", path, strerror(errno));
	n = fread(text, 1, kind->len < sizeof(text) ? kind->len : sizeof(text), file);
	fclose(file);
	if (n == kind->len && !memcmp(text, kind->begins, n))
		return 0;
	return err_set(-EINVAL, "%s: this is no %s; give another file, or --force to replace it", path,
		       kind->what);
}

int out_replace_check(const char *path, const struct out_replace_kind *kind, bool force)
{
	struct out_path file;
	int rc = out_path_find(&file, path);
	const bool is_old = !rc && strcmp(path, "-") && file.exists && S_ISREG(file.st.st_mode);

	if (!rc)
		rc = out_path_check(&file, is_old && !force, true);
	if (!rc && is_old && !force && file.st.st_size)
		rc = check_begin(path, kind);
	out_path_free(&file);
	return rc;
}

/* ---- removing lines */

/* Under the lock. path has no links. */
static int change(const struct out_edit *e, int fd, const char *path)
{
	struct stat st;
	char *text = fstat(fd, &st) ? NULL : malloc((size_t)st.st_size + 1);
	ssize_t n;
	size_t len;
	int rc;

	if (!text)
		return out_path_fail(-errno, e->what, e->path);
	n = out_path_read(fd, text, (size_t)st.st_size, 0);
	if (n < 0) {
		free(text);
		return out_path_fail((int)n, e->what, e->path);
	}
	len = (size_t)n;
	text[len] = '\0';
	rc = e->change(e->arg, text, &len);
	if (rc > 0) {
		rc = out_replace_file(path, text, len);
		rc = rc ? out_path_fail(rc, e->what, e->path) : 0;
	}
	free(text);
	return rc;
}

static int edit_path(const struct out_edit *e, const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	bool none = false;
	int rc;

	if (fd < 0)
		return out_path_fail(-errno, e->what, e->path);
	rc = out_lock(fd, path, e->what, &none);
	if (!rc) {
		rc = out_is_current(fd, path) ? change(e, fd, path) :
			err_set(-EBUSY, "%s: another program has just replaced it", e->path);
		out_unlock(fd, none);
	}
	close(fd);
	return rc;
}

int out_edit(const struct out_edit *e)
{
	struct out_path file;
	int rc = out_path_find(&file, e->path);

	if (!rc)
		rc = edit_path(e, file.path);
	out_path_free(&file);
	return rc;
}
