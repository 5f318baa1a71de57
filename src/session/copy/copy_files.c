/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns both files of a copy: the source, the way from the server's directory to the target, and the
 * target until it has its name. The name of the target comes from the peer.
 */
#include "config.h"
#include "copy/copy_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/err.h"
#include "util/libc.h"

#define DIR_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)
#define BLOCK_BYTES 65536u /* zeros of this length become a hole */
#define HINT_BYTES (8u << 20)

/* ---- the source */

/* Files of /proc and /sys have more bytes than their size says: a copy would lack them. */
static int check_size(const struct source *s)
{
	char byte;
	const ssize_t n = pread(s->fd, &byte, 1, s->stat.st_size);

	if (n < 0)
		return err_set(-errno, "cannot read %s: %s", s->path, strerror(errno));
	return n ? err_set(-EINVAL, "%s has more bytes than its size (%" PRIu64 ") says, as files of /proc have: copy what \"cat\" prints of it",
			   s->path, (uint64_t)s->stat.st_size) : 0;
}

int copy_source_open(struct source *s, const char *path)
{
	int rc;

	s->path = path;
	/* without O_NONBLOCK the open of a FIFO would wait for a writer */
	s->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (s->fd < 0)
		return err_set(-errno, "cannot open %s: %s", path, strerror(errno));
	if (fstat(s->fd, &s->stat))
		rc = err_set(-errno, "cannot query %s: %s", path, strerror(errno));
	else if (!S_ISREG(s->stat.st_mode))
		rc = err_set(-EINVAL, "%s is %s: only a regular file can be copied", path,
			     S_ISDIR(s->stat.st_mode) ? "a directory" : "no regular file");
	else
		rc = check_size(s);
	if (rc)
		copy_source_close(s);
	return rc;
}

int copy_source_read(const struct source *s, uint64_t off, void *buf, size_t len)
{
	size_t have = 0;

	while (have < len) {
		const ssize_t n = pread(s->fd, (char *)buf + have, len - have,
					(off_t)(off + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(-errno, "cannot read %s at %" PRIu64 ": %s", s->path,
				       off + have, strerror(errno));
		if (!n)
			return err_set(-EIO, "%s has shrunk while it was read: from %" PRIu64 " to %" PRIu64 " bytes",
				       s->path, (uint64_t)s->stat.st_size, off + have);
		have += (size_t)n;
	}
	return 0;
}

int copy_source_check(const struct source *s)
{
	struct stat now;

	if (fstat(s->fd, &now))
		return err_set(-errno, "cannot query %s: %s", s->path, strerror(errno));
	if (now.st_size != s->stat.st_size)
		return err_set(-EIO, "%s has changed while it was read: from %" PRIu64 " to %" PRIu64 " bytes",
			       s->path, (uint64_t)s->stat.st_size, (uint64_t)now.st_size);
	if (now.st_mtim.tv_sec != s->stat.st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != s->stat.st_mtim.tv_nsec)
		return err_set(-EIO, "%s was written to while it was read", s->path);
	return 0;
}

void copy_source_close(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* ---- the way to the target: all that is refused before a byte is sent */

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

int copy_check_name(const char *name)
{
	if (!is_plain(name))
		return err_set(-EINVAL, "the name of the copy has control characters");
	if (!name[0] || strlen(name) >= COPY_NAME_MAX)
		return err_set(-EINVAL, "the name of the copy has %zu bytes; allowed: 1..%u",
			       strlen(name), COPY_NAME_MAX - 1);
	if (name[0] == '/')
		return err_set(-EINVAL, "\"%s\": the name of the copy is relative to the directory of --copy-to",
			       name);
	for (const char *part = name; part; part = strchr(part, '/')) {
		size_t len;

		part += *part == '/';
		len = strcspn(part, "/");
		if (!len || !strncmp(part, ".", len) || (len == 2 && !strncmp(part, "..", 2)))
			return err_set(-EINVAL, "\"%s\": no part of the name of the copy may be empty, \".\" or \"..\"",
				       name);
		if (len > NAME_MAX)
			return err_set(-EINVAL, "\"%.32s...\": a part of the name of the copy has %zu bytes; allowed: 1..%d",
				       name, len, NAME_MAX);
	}
	return 0;
}

int copy_target_check_dir(const char *dir)
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

static int make_temporary(struct target *t)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), 0) < 0)
		return err_set(-errno, "cannot get random bytes: %s", strerror(errno));
	snprintf(t->temporary, sizeof(t->temporary), ".verbench-%016" PRIx64, random);
	return 0;
}

/* counted: others must see it. */
static int open_file(struct target *t, bool counted)
{
	if (!counted)
		open_nameless(t);
	if (t->fd < 0) {
		if (make_temporary(t))
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

void copy_target_close(struct target *t)
{
	if (t->temporary[0] && t->dir >= 0)
		(void)!unlinkat(t->dir, t->temporary, 0);
	if (t->fd >= 0)
		close(t->fd);
	if (t->dir >= 0)
		close(t->dir);
	*t = (struct target)TARGET_CLOSED;
}

int copy_target_open(struct target *t, const char *dir, const struct copy_quota *most,
		     const struct copy_file *file)
{
	int rc, quota = -1;

	*t = (struct target)TARGET_CLOSED;
	t->file = file;
	rc = walk(t, dir);
	if (!rc)
		rc = check_existing(t);
	if (!rc)
		rc = check_room(t);
	if (!rc && most) {
		quota = copy_quota_enter(dir, most, file->size_bytes);
		rc = quota < 0 ? quota : 0;
	}
	if (!rc)
		rc = open_file(t, most);
	if (quota >= 0)
		close(quota);
	if (rc)
		copy_target_close(t);
	return rc;
}

/* ---- the open target */

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, len - 1);
}

static int write_all(struct target *t, uint64_t off, const uint8_t *bytes, size_t len)
{
	size_t written = 0;

	while (written < len) {
		const ssize_t n = pwrite(t->fd, bytes + written, len - written,
					 (off_t)(off + written));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(-errno, "cannot write \"%s\" at %" PRIu64 ": %s",
				       t->file->name, off + written, strerror(errno));
		written += (size_t)n;
	}
	return 0;
}

/* Starts to write to the disk, so that fsync() finds little to do. Errors come there, too. */
static void hint(struct target *t, uint64_t end)
{
	if (end - t->hinted < HINT_BYTES)
		return;
	(void)!sync_file_range(t->fd, (off_t)t->hinted, (off_t)(end - t->hinted),
			       SYNC_FILE_RANGE_WRITE);
	t->hinted = end;
}

int copy_target_write(struct target *t, uint64_t off, const uint8_t *bytes, size_t len)
{
	int rc = 0;

	for (size_t done = 0; done < len && !rc;) {
		const size_t n = len - done < BLOCK_BYTES ? len - done : BLOCK_BYTES;

		if (!is_zero(bytes + done, n))
			rc = write_all(t, off + done, bytes + done, n);
		done += n;
	}
	if (!rc)
		hint(t, off + len);
	return rc;
}

/* Gives the file without a name a temporary one. */
static int name_it(struct target *t, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->fd);
	return linkat(AT_FDCWD, path, t->dir, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

static int replace(struct target *t)
{
	int rc = 0;

	if (!t->temporary[0]) {
		rc = make_temporary(t);
		if (!rc)
			rc = name_it(t, t->temporary);
		if (rc) {
			t->temporary[0] = '\0';
			return rc;
		}
	}
	if (renameat(t->dir, t->temporary, t->dir, t->base))
		return -errno;
	t->temporary[0] = '\0';
	return rc;
}

/* A link is never made over a file that exists. */
static int add(struct target *t)
{
	if (!t->temporary[0])
		return name_it(t, t->base);
	/* unlike link(2), on every file system */
	if (!renameat2(t->dir, t->temporary, t->dir, t->base, RENAME_NOREPLACE))
		t->temporary[0] = '\0';
	else if (errno != EINVAL || linkat(t->dir, t->temporary, t->dir, t->base, 0))
		return -errno;
	return 0;
}

/* The name is on the disk only with its directory. That may be unreadable: then it comes later. */
static int sync_dir(const struct target *t)
{
	const int fd = openat(t->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return 0;
	if (fsync(fd) && errno != EINVAL)
		rc = -errno;
	close(fd);
	return rc;
}

int copy_target_commit(struct target *t)
{
	const char *name = t->file->name;
	int rc = fsync(t->fd) ? -errno : 0;

	if (rc)
		return err_set(rc, "\"%s\" cannot be brought to the disk: %s", name, strerror(-rc));
	rc = t->file->overwrite ? replace(t) : add(t);
	if (rc == -EEXIST)
		return err_set(rc, "\"%s\" was created by somebody else meanwhile", name);
	if (rc)
		return err_set(rc, "the complete file cannot be named \"%s\": %s", name,
			       strerror(-rc));
	rc = sync_dir(t);
	return rc ? err_set(rc, "the file is complete, but its name \"%s\" may not be on the disk: %s",
			    name, strerror(-rc)) : 0;
}
