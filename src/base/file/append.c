/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Appends whole lines to a shared file, without knowing what is in a line. */
#include "config.h"
#include "file/append.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/out_path.h"
#include "util/log.h"

#define FIRST_MAX (1u << 20)     /* bytes of a first line that are read */
#define BLOCK 4096
#define TRIES 100

static bool is_stdout(const struct append *a)
{
	return !strcmp(a->path, "-");
}

static int fail(const struct append *a, int rc)
{
	return out_path_fail(rc, a->kind->what, a->path);
}

/* ---- the content of the file */

/* The first line, without its newline; *whole: it ended with one. NULL: no memory. */
static char *read_first(int fd, bool *whole)
{
	char *text = NULL, *newline = NULL, *more;
	size_t len = 0;
	ssize_t n = BLOCK;

	for (; n == BLOCK && !newline && len < FIRST_MAX; len += (size_t)n) {
		more = realloc(text, len + BLOCK + 1);
		if (!more) {
			free(text);
			return NULL;
		}
		text = more;
		n = out_path_read(fd, text + len, BLOCK, (off_t)len);
		n = n < 0 ? 0 : n;
		text[len + (size_t)n] = '\0';
		newline = memchr(text + len, '\n', (size_t)n);
	}
	*whole = newline;
	if (newline)
		*newline = '\0';
	return text;
}

/* Is it the start of a first line written only in part? Then the file has no complete line. */
static bool is_torn_start(const struct append *a, const char *first)
{
	const char *own = a->head ? a->head : a->kind->begins;
	const size_t len = strlen(first), head = strlen(own);

	return !strncmp(first, own, a->head || len < head ? len : head);
}

static bool is_of_kind(const struct append *a, const char *first, bool whole)
{
	const size_t len = strlen(a->kind->begins);

	return !strncmp(first, a->kind->begins, len) || (!whole && is_torn_start(a, first));
}

static int refuse(const struct append *a, bool is_ours, const char *why)
{
	const char *option = is_ours && a->kind->start_over ? a->kind->start_over : "--force";

	return err_set(-EINVAL, "%s: %s; give another file, or %s to start this one over", a->path,
		       why, option);
}

/* For a file that is not empty. */
static int check_first(const struct append *a, const char *first, bool whole)
{
	const bool is_ours = is_of_kind(a, first, whole);
	char text[ERR_TEXT_MAX / 2];
	const char *why;

	if (!is_ours) {
		snprintf(text, sizeof(text), "this is no file of verbench's %s", a->kind->what);
		return refuse(a, false, text);
	}
	if (a->start != APPEND_ADD || (!whole && is_torn_start(a, first)))
		return 0;
	why = a->kind->refuses(a, first, text, sizeof(text));
	return why ? refuse(a, true, why) : 0;
}

/* May lines be added after the content of the file? */
static int check_content(const struct append *a, int fd, off_t size)
{
	char *first;
	bool whole;
	int rc;

	if (!size || a->start == APPEND_FORCE)
		return 0;
	first = read_first(fd, &whole);
	if (!first)
		return fail(a, -ENOMEM);
	rc = check_first(a, first, whole);
	free(first);
	return rc;
}

/* The end of the last whole line. -errno. */
static off_t end_of_lines(int fd, off_t size)
{
	char block[BLOCK];

	while (size > 0) {
		const size_t want = (size_t)(size < BLOCK ? size : BLOCK);
		const ssize_t n = out_path_read(fd, block, want, size - (off_t)want);
		const char *newline;

		if (n != (ssize_t)want)
			return n < 0 ? n : -EIO;
		size -= (off_t)want;
		newline = memrchr(block, '\n', want);
		if (newline)
			return size + (newline - block) + 1;
	}
	return 0;
}

/* Cuts off the text after the last newline, and reduces *size accordingly. */
static int repair(const struct append *a, off_t *size)
{
	const off_t end = end_of_lines(a->fd, *size);

	if (end < 0)
		return fail(a, (int)end);
	if (end == *size)
		return 0;
	if (ftruncate(a->fd, end))
		return fail(a, -errno);
	log_note("%s: its last line was torn (by a crash, or a full disk): %" PRId64 " bytes without an end of line are cut off",
		 a->path, (int64_t)(*size - end));
	*size = end;
	return 0;
}

/* ---- writing */

/* Appends all of text, or nothing of it. */
static int write_at_end(const struct append *a, const char *text, off_t size)
{
	size_t written;
	int rc = out_path_write(a->fd, text, strlen(text), &written);

	if (!rc)
		return 0;
	if (written && ftruncate(a->fd, size))
		return err_set(rc, "write %s to %s: %s; half a line stays in it (%s)", a->kind->what,
			       a->path, out_path_strerror(rc), strerror(errno));
	return fail(a, rc);
}

/* The line after its header, if it needs one. NULL: no memory. */
static char *with_head(const struct append *a, const char *line, bool needs_head)
{
	char *text;

	return asprintf(&text, "%s%s", needs_head && a->head ? a->head : "", line) < 0 ? NULL : text;
}

/* Under the lock: makes the file hold lines of this version, or none. */
static int make_ready(const struct append *a, off_t *size)
{
	struct stat st;
	int rc;

	if (fstat(a->fd, &st))
		return fail(a, -errno);
	*size = st.st_size;
	rc = check_content(a, a->fd, *size);
	if (rc || a->start == APPEND_ADD)
		return rc ? rc : repair(a, size);
	if (*size && ftruncate(a->fd, 0))
		return fail(a, -errno);
	*size = 0;
	return 0;
}

static int add_locked(struct append *a, const char *line)
{
	off_t size = 0;
	char *text;
	int rc = make_ready(a, &size);

	if (rc)
		return rc;
	a->start = APPEND_ADD; /* a program starts a file over only once */
	text = with_head(a, line, !size);
	if (!text)
		return fail(a, -ENOMEM);
	rc = *text ? write_at_end(a, text, size) : 0;
	free(text);
	return rc;
}

/* The path is resolved link by link; a component that has become a link since is not followed. */
static int open_file(struct append *a)
{
	struct out_path f;
	int rc = out_path_find(&f, a->path);

	if (!rc) {
		a->regular = !f.exists || S_ISREG(f.st.st_mode);
		a->fd = !a->regular ? out_path_open_stream(a->path) :
			open(f.path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
		a->open = a->fd >= 0;
		if (!a->open)
			rc = fail(a, a->regular ? -errno : a->fd);
	}
	out_path_free(&f);
	return rc;
}

/* Locks the file now at the path: a resumed run may have replaced it (out_edit()). */
static int lock_current(struct append *a)
{
	const char *what = a->kind->what;

	for (int i = 0; i <= TRIES; i++) {
		int rc = out_lock(a->fd, a->path, what, &a->unlocked);

		if (rc || out_is_current(a->fd, a->path))
			return rc;
		close(a->fd);
		a->open = false;
		rc = open_file(a);
		if (rc)
			return rc;
		if (!a->regular)
			return err_set(-EINVAL, "write %s to %s: it is no longer a regular file",
				       what, a->path);
	}
	return err_set(-EBUSY, "write %s to %s: other programs replace it all the time", what,
		       a->path);
}

static int add_to_file(struct append *a, const char *line)
{
	int rc = lock_current(a);

	if (rc)
		return rc;
	rc = add_locked(a, line);
	out_unlock(a->fd, a->unlocked);
	return rc;
}

static int add_to_stream(struct append *a, const char *line)
{
	char *text = with_head(a, line, !a->begun);
	size_t written;
	int rc;

	if (!text)
		return fail(a, -ENOMEM);
	rc = out_path_write(a->fd, text, strlen(text), &written);
	free(text);
	a->begun |= !rc;
	return rc ? fail(a, rc) : 0;
}

int append_line(struct append *a, const char *line)
{
	int rc = 0;

	if (is_stdout(a))
		a->fd = STDOUT_FILENO;
	else if (!a->open)
		rc = open_file(a);
	if (rc)
		return rc;
	return a->regular ? add_to_file(a, line) : add_to_stream(a, line);
}

/* ---- before the first line */

static int check_regular(const struct append *a, const char *path)
{
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st))
		rc = fail(a, -errno);
	else
		rc = check_content(a, fd, st.st_size);
	if (fd >= 0)
		close(fd);
	return rc;
}

int append_check(const struct append *a)
{
	struct out_path f;
	int rc = out_path_find(&f, a->path);

	if (!rc && !is_stdout(a)) {
		const bool regular = f.exists && S_ISREG(f.st.st_mode);

		rc = out_path_check(&f, !f.exists || regular, false);
		if (!rc && regular)
			rc = check_regular(a, f.path);
	}
	out_path_free(&f);
	return rc;
}

int append_prepare(struct append *a)
{
	struct stat st;

	if (is_stdout(a))
		return append_line(a, "");
	if (a->start == APPEND_ADD || stat(a->path, &st) || !S_ISREG(st.st_mode))
		return 0;
	/* without a line, and so without a header: the first row of a session writes it */
	a->head = NULL;
	return append_line(a, "");
}

int append_close(struct append *a)
{
	int rc = 0;

	if (a->open && close(a->fd) && errno != EINTR)
		rc = fail(a, -errno);
	a->open = false;
	return rc;
}
