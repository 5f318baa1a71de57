/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command version: what a report of a fault needs to know about build and machine. Also
 * called for --version. Opens no device.
 */
#include "config.h"
#include "command/version.h"

#include <commit.h>
#include <hwloc.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "command/preload.h"
#include "verbs/versions.h"

#define COLUMNS 80
#define LABEL 14
#define LIST_BYTES 2048

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

static void print_kernel(void)
{
	struct utsname u;

	if (!uname(&u))
		printf("%-*s%s %s %s\n", LABEL, "kernel", u.sysname, u.release, u.machine);
}

/* The words of text, wrapped to COLUMNS. */
static void print_list(const char *label, const char *text)
{
	int col = printf("%-*s", LABEL, label);

	while (*text) {
		const int len = (int)strcspn(text, " ");

		if (col > LABEL && col + 1 + len > COLUMNS)
			col = printf("\n%*s", LABEL, "") - 1;
		col += printf("%s%.*s", col > LABEL ? " " : "", len, text);
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_providers(void)
{
	char text[LIST_BYTES];

	versions_providers(text, sizeof(text), 1);
	print_list("providers", text[0] ? text : "none in " VERSIONS_DRIVERS);
	if (versions_providers(text, sizeof(text), 0)[0])
		print_list("no library of", text);
}

void version_print(void)
{
	char path[PATH_MAX];

	printf("%s %s, commit %s\n", PACKAGE_NAME, PACKAGE_VERSION, VERBENCH_COMMIT);
	print_core("libibverbs", BUILT_IBVERBS);
	print_core("librdmacm", BUILT_RDMACM);
	print_hwloc();
	printf("%-*s%s\n", LABEL, "jansson", BUILT_JANSSON);
	print_kernel();
	print_providers();
	printf("%-*s%s\n", LABEL, "emulated HCA", preload_find(path) ? "not found" : path);
}
