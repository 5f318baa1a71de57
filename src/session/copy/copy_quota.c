/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Whether the directory of a server has room for one more file. What is there is counted each time:
 * so it also holds after a restart, and for several servers.
 */
#include "config.h"
#include "copy/copy_files.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "util/err.h"

/* Stops when there are more files than may be: the number of them is no limit of its time. */
static int count(struct copy_quota *used, const char *dir, const struct copy_quota *most)
{
	char *path = strdup(dir), *const paths[] = { path, NULL };
	FTS *tree = path ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
	const FTSENT *entry;

	*used = (struct copy_quota){ .files = 0 };
	errno = 0;
	while (tree && used->files < most->files && (entry = fts_read(tree))) {
		if (entry->fts_info != FTS_F)
			continue;
		used->files++;
		used->bytes += (uint64_t)entry->fts_statp->st_size;
	}
	free(path);
	if (!tree)
		return err_set(-EINVAL, "the server cannot count what is in its directory for copies: %s",
			       strerror(errno ? errno : ENOMEM));
	fts_close(tree);
	return 0;
}

static int check(const char *dir, const struct copy_quota *most, uint64_t bytes)
{
	struct copy_quota used;
	int rc = count(&used, dir, most);

	if (rc)
		return rc;
	if (used.files >= most->files)
		return err_set_cause(-EINVAL, "owner", "--max-copy-files %" PRIu64 " of the server's owner: so many files are in its directory; one must be removed there",
				     most->files);
	if (used.bytes <= most->bytes && bytes <= most->bytes - used.bytes)
		return 0;
	return err_set_cause(-EINVAL, "owner", "--max-copy-bytes %" PRIu64 " of the server's owner: the files in its directory have %" PRIu64 ", and this one has %" PRIu64,
			     most->bytes, used.bytes, bytes);
}

int copy_quota_enter(const char *dir, const struct copy_quota *most, uint64_t bytes)
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || flock(fd, LOCK_EX))
		rc = err_set(-EINVAL, "the server cannot lock its directory for copies: %s",
			     strerror(errno));
	if (!rc)
		rc = check(dir, most, bytes);
	if (!rc)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}
