/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the start of the program with the emulated HCA, and its versions: what a report of a fault
 * needs to know about build and machine. Opens no device. See command.h.
 */
#include "config.h"
#include "frame/command.h"

#include <commit.h>
#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/err.h"
#include "util/text.h"
#include "verbs/versions.h"

#define LIBRARY "libvb-softhca.so"
#define COLUMNS 80
#define LABEL 14
#define LIST_BYTES 2048

/* ---- --soft: the dynamic linker reads LD_PRELOAD only at the start of a program */

/*
 * Beside the program in a build tree, in lib/verbench beside its bin, else where configured. path
 * has PATH_MAX bytes. 0; -ENOENT with an error message.
 */
static int find_soft(char *path)
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

/*
 * The linker splits LD_PRELOAD at blanks too: a library whose path has one is preloaded by its
 * name, and found in LD_LIBRARY_PATH. Shortens path to what LD_PRELOAD needs. 0; -errno with an
 * error message.
 */
static int leave_blanks(char *path)
{
	const char *others = getenv("LD_LIBRARY_PATH");
	char *name = strrchr(path, '/'), search[2 * PATH_MAX];
	int n;

	if (!strchr(path, ' '))
		return 0;
	*name = '\0';
	n = snprintf(search, sizeof(search), "%s%s%s", path, others && *others ? ":" : "",
		     others ? others : "");
	if (n < 0 || (size_t)n >= sizeof(search))
		return err_set(-ENAMETOOLONG, "--soft: LD_LIBRARY_PATH with %s is longer than %zu bytes",
			       path, sizeof(search) - 1);
	memmove(path, name + 1, strlen(name + 1) + 1);
	return setenv("LD_LIBRARY_PATH", search, 1) ?
		       err_set(-errno, "--soft: set LD_LIBRARY_PATH: %s", strerror(errno)) : 0;
}

int program_enter_soft(char **argv)
{
	const char *loaded = getenv("LD_PRELOAD");
	char path[PATH_MAX], preload[2 * PATH_MAX];
	int rc;

	if (loaded && strstr(loaded, LIBRARY))
		return 0;
	rc = find_soft(path);
	if (rc)
		return rc;
	rc = leave_blanks(path);
	if (rc)
		return rc;
	/* last: another preloaded library (the runtime of a sanitizer) may have to be the first */
	snprintf(preload, sizeof(preload), "%s%s%s", loaded ? loaded : "", loaded ? ":" : "", path);
	if (setenv("LD_PRELOAD", preload, 1))
		return err_set(-errno, "--soft: set LD_PRELOAD: %s", strerror(errno));
	execv("/proc/self/exe", argv);
	return err_set(-errno, "--soft: start the program again: %s", strerror(errno));
}

/* ---- versions */

/* What is loaded, and what the program was built with if that is another version. */
static void print_core(const char *library, const char *built)
{
	char version[VERSIONS_TEXT];
	const bool loaded = *versions_loaded(library, version);
	const char *shown = loaded ? version : built;
	const char *core = versions_core(shown);

	printf("%-*s%s", LABEL, library, shown);
	if (*core)
		printf(" (rdma-core %s)", core);
	if (!loaded)
		printf(", at build");
	else if (strcmp(version, built))
		printf(", built with %s", built);
	putchar('\n');
}

static void print_hwloc(void)
{
	const unsigned at_run = hwloc_get_api_version(), at_build = HWLOC_API_VERSION;

	printf("%-*s%s", LABEL, "hwloc", BUILT_HWLOC);
	if (at_run != at_build)
		printf(", at build; now one with interface %u.%u.%u", at_run >> 16,
		       at_run >> 8 & 0xff, at_run & 0xff);
	putchar('\n');
}

static void print_list(const char *label, const char *text)
{
	printf("%-*s", LABEL, label);
	screen_wrap(stdout, text, (struct screen_place){ LABEL, LABEL, COLUMNS });
}

static void print_providers(void)
{
	char text[LIST_BYTES];

	versions_providers(text, sizeof(text), 1);
	print_list("providers", text[0] ? text : "none in " VERSIONS_DRIVERS);
	if (versions_providers(text, sizeof(text), 0)[0])
		print_list("no library of", text);
}

void program_version(void)
{
	char path[PATH_MAX];
	struct utsname u;

	printf("%s %s, commit %s\n", PACKAGE_NAME, PACKAGE_VERSION, VERBENCH_COMMIT);
	print_core("libibverbs", BUILT_IBVERBS);
	print_core("librdmacm", BUILT_RDMACM);
	print_hwloc();
	printf("%-*s%s\n", LABEL, "jansson", BUILT_JANSSON);
	if (!uname(&u))
		printf("%-*s%s %s %s\n", LABEL, "kernel", u.sysname, u.release, u.machine);
	print_providers();
	printf("%-*s%s\n", LABEL, "emulated HCA", find_soft(path) ? "not found" : path);
}
