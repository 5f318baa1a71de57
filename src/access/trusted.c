/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the check of files that must be the user's; see trusted.h. Called by key.c and by serve. */
#include "config.h"
#include "access/trusted.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/err.h"

int trusted_check(int fd, const struct trusted *t)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(-errno, "%s%s: %s", t->label, t->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(-EACCES, "%s%s: not a regular file", t->label, t->path);
	if (st.st_uid && st.st_uid != geteuid())
		return err_set(-EACCES, "%s%s: the file belongs to user %u; it must belong to the user who runs the program (%u) or to root",
			       t->label, t->path, st.st_uid, geteuid());
	if (st.st_mode & t->none)
		return err_set(-EACCES, "%s%s: mode %04o lets others than its owner %s: chmod %s %s%s",
			       t->label, t->path, st.st_mode & 07777, t->harm, t->chmod, t->path,
			       t->advice);
	return 0;
}
