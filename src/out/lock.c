/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the lock of a file of results; see lock.h. Called by append.c and edit.c. */
#include "config.h"
#include "out/lock.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define LOCK_NS 2000000000u      /* less than the shortest usual stall timeout: the peer waits */
#define LOCK_PAUSE_MS 1

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

int lock_take(int fd, const char *path, const char *what, bool *none)
{
	const uint64_t end_ns = clock_ns() + LOCK_NS;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (has_no_locks(errno)) {
			note_none(path, none);
			return 0;
		}
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_set(-errno, "write %s to %s: %s", what, path, strerror(errno));
		if (clock_ns() > end_ns)
			return err_set(-EBUSY, "write %s to %s: another program has held its lock for more than 2 s",
				       what, path);
		poll(NULL, 0, LOCK_PAUSE_MS);
	}
	return 0;
}

void lock_release(int fd, bool none)
{
	/* fails only without a lock */
	if (!none && flock(fd, LOCK_UN))
		return;
}

bool lock_is_current(int fd, const char *path)
{
	struct stat own, there;

	return !fstat(fd, &own) && !stat(path, &there) && own.st_dev == there.st_dev &&
	       own.st_ino == there.st_ino;
}
