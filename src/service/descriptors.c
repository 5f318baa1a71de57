/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns RLIMIT_NOFILE; see descriptors.h. Called by serve. */
#include "config.h"
#include "service/descriptors.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/select.h>

#include "util/err.h"
#include "util/minmax.h"

/* getrlimit(2) and setrlimit(2) of what is allowed have no error here. */
static struct rlimit limits(void)
{
	struct rlimit files = { .rlim_cur = FD_SETSIZE, .rlim_max = FD_SETSIZE };

	(void)!getrlimit(RLIMIT_NOFILE, &files);
	return files;
}

static void set(struct rlimit files, rlim_t soft)
{
	files.rlim_cur = soft;
	(void)!setrlimit(RLIMIT_NOFILE, &files);
}

rlim_t descriptors_usual(void)
{
	const struct rlimit files = limits();

	return max_u64(files.rlim_cur, min_u64(FD_SETSIZE, files.rlim_max));
}

int descriptors_raise(uint32_t needed, const char *what)
{
	const struct rlimit files = limits();

	if (files.rlim_max < needed)
		return err_set(-EINVAL, "%s needs %u descriptors, and the hard limit is %" PRIu64 ": raise that (ulimit -n, LimitNOFILE= of a unit)",
			       what, needed, (uint64_t)files.rlim_max);
	if (files.rlim_cur < needed)
		set(files, needed);
	return 0;
}

void descriptors_restore(rlim_t usual)
{
	const struct rlimit files = limits();

	set(files, min_u64(usual, files.rlim_max));
}
