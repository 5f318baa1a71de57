/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Finds libraries of rdma-core and providers by their files; see versions.h. Must not open a
 * device: the version is asked for where none works.
 */
#include "config.h"
#include "verbs/versions.h"

#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 256

struct search {
	const char *library;
	char path[PATH_MAX]; /* "" not found */
};

static int see(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	const char *slash = strrchr(info->dlpi_name, '/');
	const size_t len = strlen(s->library);

	(void)size;
	if (!slash || strncmp(slash + 1, s->library, len) || strncmp(slash + 1 + len, ".so", 3))
		return 0;
	/* libibverbs.so.1 is a link to libibverbs.so.1.14.44.0 */
	return realpath(info->dlpi_name, s->path) ? 1 : 0;
}

static const char *path_of(const char *library, struct search *s)
{
	*s = (struct search){ .library = library };
	dl_iterate_phdr(see, s);
	return s->path;
}

const char *versions_loaded(const char *library, char text[VERSIONS_TEXT])
{
	struct search s;
	const char *version = strstr(path_of(library, &s), ".so.");

	snprintf(text, VERSIONS_TEXT, "%.*s", VERSIONS_TEXT - 1, version ? version + 4 : "");
	return text;
}

/* CMakeLists.txt of rdma-core: a library's version is its ABI's, then that of the package. */
const char *versions_core(const char *version)
{
	for (int i = 0; i < 2; i++) {
		const char *dot = strchr(version, '.');

		if (!dot)
			return "";
		version = dot + 1;
	}
	return strchr(version, '.') ? version : "";
}

/*
 * The file of a provider is libNAME-rdmavABI.so in the folder libibverbs beside libibverbs
 * (libibverbs/dynamic_driver.c of rdma-core), or the path that the name is.
 */
static bool has_library(const char *name)
{
	char pattern[PATH_MAX + LINE_BYTES];
	struct search s;
	char *slash = strrchr(path_of("libibverbs", &s), '/');
	glob_t found;
	bool is;

	if (name[0] == '/')
		return !access(name, R_OK);
	if (!slash)
		return false;
	*slash = '\0';
	snprintf(pattern, sizeof(pattern), "%s/libibverbs/lib%s-rdmav*.so", s.path, name);
	is = !glob(pattern, 0, NULL, &found);
	globfree(&found);
	return is;
}

/* Lines are "driver NAME"; '#' begins a comment. */
static size_t add_file(const char *path, char *text, size_t size, size_t len, bool have)
{
	char line[LINE_BYTES], name[LINE_BYTES];
	FILE *in = fopen(path, "re");

	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, " driver %255s", name) != 1 || has_library(name) != have)
			continue;
		if (len < size)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "",
						name);
	}
	if (in)
		fclose(in);
	return len;
}

const char *versions_providers(char *text, size_t size, int have)
{
	glob_t found;
	size_t len = 0;

	text[0] = '\0';
	if (!glob(VERSIONS_DRIVERS "/*.driver", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			len = add_file(found.gl_pathv[i], text, size, len, have);
	globfree(&found);
	return text;
}
