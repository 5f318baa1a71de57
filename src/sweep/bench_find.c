/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns where scenarios are; see bench_file.h. Called by run, analysis and bench_file.c. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/bench_file.h"
#include "util/err.h"

#define SUFFIX ".bench"

static bool ends_in(const char *text, const char *suffix)
{
	const size_t len = strlen(text), n = strlen(suffix);

	return len > n && !strcmp(text + len - n, suffix);
}

/* Beside the program in a build tree, in share beside its bin, else where configured. */
static const char *folder(char path[PATH_MAX])
{
	static const char *const places[] = { "", "/../share/" PACKAGE_TARNAME };
	const char *own = getenv(BENCH_ENV);
	char self[PATH_MAX / 2];
	ssize_t len;

	if (own && *own)
		return own;
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	for (size_t i = 0; len > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		self[len] = '\0';
		snprintf(path, PATH_MAX, "%.*s%s/bench", (int)(strrchr(self, '/') - self), self,
			 places[i]);
		if (!access(path, R_OK | X_OK))
			return path;
	}
	return BENCH_FOLDER;
}

int bench_find(const char *name, char **path)
{
	char text[PATH_MAX];
	const char *dir;
	int n;

	*path = NULL;
	if (strchr(name, '/') || ends_in(name, SUFFIX)) {
		*path = strdup(name);
		return *path ? 0 : err_set(-ENOMEM, "no memory for a path");
	}
	dir = folder(text);
	n = asprintf(path, "%s/%s" SUFFIX, dir, name);
	if (n < 0) {
		*path = NULL;
		return err_set(-ENOMEM, "no memory for a path");
	}
	if (!access(*path, F_OK))
		return 0;
	free(*path);
	*path = NULL;
	return err_set(-ENOENT, "\"%s\" is no scenario: there is no %s" SUFFIX " in %s; \"verbench run --list\" lists them",
		       name, name, dir);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int bench_names(struct list *names)
{
	char text[PATH_MAX];
	const char *dir = folder(text);
	DIR *d = opendir(dir);
	struct dirent *entry;
	int rc = 0;

	*names = (struct list){ .n = 0 };
	if (!d)
		return err_set(-errno, "cannot read the scenarios in %s: %s", dir, strerror(errno));
	while (!rc && (entry = readdir(d))) {
		if (!ends_in(entry->d_name, SUFFIX))
			continue;
		entry->d_name[strlen(entry->d_name) - strlen(SUFFIX)] = '\0';
		rc = list_add(names, entry->d_name);
	}
	closedir(d);
	if (rc)
		list_free(names);
	else if (names->n)
		qsort(names->words, names->n, sizeof(*names->words), compare);
	return rc;
}
