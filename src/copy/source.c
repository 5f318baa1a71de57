/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the source of a copy: see source.h. Called by commands (open, close) and transfer_send.c. */
#include "config.h"
#include "copy/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"

int source_open(struct source *s, const char *path)
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
		return 0;
	source_close(s);
	return rc;
}

int source_read(const struct source *s, uint64_t off, void *buf, size_t len)
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

int source_check(const struct source *s)
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

void source_close(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
