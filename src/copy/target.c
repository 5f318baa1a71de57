/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the open target: writes, the name at the end, the removal. Called by transfer_receive.c. */
#include "config.h"
#include "copy/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"

#define BLOCK_BYTES 65536u /* zeros of this length become a hole */
#define HINT_BYTES (8u << 20)

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

int target_write(struct target *t, uint64_t off, const uint8_t *bytes, size_t len)
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
		rc = target_temporary(t);
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

int target_commit(struct target *t)
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

void target_close(struct target *t)
{
	if (t->temporary[0] && t->dir >= 0)
		(void)!unlinkat(t->dir, t->temporary, 0);
	if (t->fd >= 0)
		close(t->fd);
	if (t->dir >= 0)
		close(t->dir);
	*t = (struct target)TARGET_CLOSED;
}
