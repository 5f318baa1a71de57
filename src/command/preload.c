/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns --soft: the emulated HCA is preloaded into this program. Called by command.c before anything
 * is opened. The dynamic linker reads LD_PRELOAD only at the start, so the program starts again.
 */
#include "config.h"
#include "command/preload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"

#define LIBRARY "libvb-softhca.so"

/* Beside the program in a build tree, in lib/verbench beside its bin, else where configured. */
int preload_find(char *path)
{
	static const char *const places[] = { "", "/../lib/verbench" };
	char self[PATH_MAX / 2];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	for (size_t i = 0; len > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		self[len] = '\0';
		snprintf(path, PATH_MAX, "%.*s%s/" LIBRARY, (int)(strrchr(self, '/') - self), self,
			 places[i]);
		if (!access(path, R_OK))
			return 0;
	}
	snprintf(path, PATH_MAX, "%s", SOFTHCA_LIBRARY);
	if (!access(path, R_OK))
		return 0;
	return err_set(-ENOENT, "--soft: cannot find the emulated HCA next to the program or at %s",
		       path);
}

int preload_enter(char **argv)
{
	const char *loaded = getenv("LD_PRELOAD");
	char path[PATH_MAX], preload[2 * PATH_MAX];
	int rc;

	if (loaded && strstr(loaded, LIBRARY))
		return 0;
	rc = preload_find(path);
	if (rc)
		return rc;
	/* last: another preloaded library (the runtime of a sanitizer) may have to be the first */
	snprintf(preload, sizeof(preload), "%s%s%s", loaded ? loaded : "", loaded ? ":" : "", path);
	if (setenv("LD_PRELOAD", preload, 1))
		return err_set(-errno, "--soft: set LD_PRELOAD: %s", strerror(errno));
	execv("/proc/self/exe", argv);
	return err_set(-errno, "--soft: start the program again: %s", strerror(errno));
}
