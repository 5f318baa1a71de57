/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the change of a file under its lock; see edit.h. Called by run. */
#include "config.h"
#include "out/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/lock.h"
#include "out/out_path.h"
#include "out/replace.h"
#include "util/err.h"

static int fail(const struct edit *e, int rc)
{
	return err_set(rc, "write %s to %s: %s", e->what, e->path, out_path_strerror(rc));
}

/* All of it, with a '\0' behind it; NULL: errno. */
static char *read_all(int fd, size_t *len)
{
	struct stat st;
	char *text;
	ssize_t n = 1;

	if (fstat(fd, &st))
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	for (*len = 0; text && n && *len < (size_t)st.st_size; *len += n > 0 ? (size_t)n : 0) {
		n = pread(fd, text + *len, (size_t)st.st_size - *len, (off_t)*len);
		if (n < 0 && errno != EINTR) {
			free(text);
			return NULL;
		}
	}
	if (text)
		text[*len] = '\0';
	return text;
}

/* Under the lock. path: without links. */
static int change(const struct edit *e, int fd, const char *path)
{
	size_t len;
	char *text = read_all(fd, &len);
	int rc;

	if (!text)
		return fail(e, -errno);
	rc = e->change(e->arg, text, &len);
	if (rc > 0) {
		rc = replace_file(path, text, len);
		rc = rc ? fail(e, rc) : 0;
	}
	free(text);
	return rc;
}

static int edit_path(const struct edit *e, const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	bool none = false;
	int rc;

	if (fd < 0)
		return fail(e, -errno);
	rc = lock_take(fd, path, e->what, &none);
	if (!rc) {
		rc = lock_is_current(fd, path) ? change(e, fd, path) :
			err_set(-EBUSY, "%s: another program has just replaced it", e->path);
		lock_release(fd, none);
	}
	close(fd);
	return rc;
}

int edit_file(const struct edit *e)
{
	struct out_path file;
	int rc = out_path_find(&file, e->path);

	if (!rc)
		rc = edit_path(e, file.path);
	out_path_free(&file);
	return rc;
}
