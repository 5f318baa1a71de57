/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where profiles are: SOFTHCA_PROFILE_DIR; else beside the library, in the build tree; else where
 * they are installed, seen from the library and by the path of configure. See profile.h.
 */
#include "config.h"
#include "config/profile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By the kernel itself: access() of some paths is answered here, and needs the settings. */
static bool is_there(const char *dir, const char *from, const char *name, char *path, size_t size)
{
	return (size_t)snprintf(path, size, "%s%s/%s.conf", dir, from, name) < size &&
	       !syscall(SYS_faccessat, AT_FDCWD, path, R_OK);
}

/* The folder of this library; "" if it is not known. */
static void own_folder(char dir[PATH_MAX])
{
	Dl_info info;

	dir[0] = '\0';
	if (!dladdr((void *)(uintptr_t)profile_find, &info) || !info.dli_fname ||
	    !realpath(info.dli_fname, dir)) {
		dir[0] = '\0';
		return;
	}
	*strrchr(dir, '/') = '\0';
}

static bool in_folders(const char *name, char *path, size_t size)
{
	const char *set = getenv("SOFTHCA_PROFILE_DIR");
	char dir[PATH_MAX];

	if (set && *set)
		return is_there(set, "", name, path, size);
	own_folder(dir);
	if (dir[0] && (is_there(dir, "/profiles", name, path, size) ||
		       is_there(dir, "/../../share/verbench/profiles", name, path, size)))
		return true;
	return is_there(SOFTHCA_PROFILES, "", name, path, size);
}

int profile_find(const char *name, char *path, size_t size)
{
	if (strchr(name, '/')) {
		if ((size_t)snprintf(path, size, "%s", name) < size)
			return 0;
	} else if (in_folders(name, path, size)) {
		return 0;
	}
	fprintf(stderr, "softhca: there is no profile '%s'; softhca --profiles lists them; a file needs a '/' in its path\n",
		name);
	return -ENOENT;
}
