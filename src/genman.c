/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Prints documents that are made from tables. A program of the build, not installed; the Makefile
 * calls it:
 *
 *	genman man                 the section OPTIONS of the man page
 *	genman schema              docs/schema.md
 *	genman protocol <FILE      docs/protocol.md: FILE with its tables made again
 *	genman perftest <FILE      docs/from-perftest.md: the same
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "config/options.h"
#include "config/perftest.h"
#include "report/row.h"
#include "control/proto.h"
#include "setup/setup_row.h"
#include "util/err.h"

static int man(void)
{
	options_man(stdout);
	return 0;
}

static int schema(void)
{
	row_schema(stdout);
	setup_row_schema(stdout);
	return 0;
}

static int protocol(void)
{
	return proto_doc(stdout, stdin);
}

static int perftest(void)
{
	return perftest_doc(stdout, stdin);
}

static const struct {
	const char *name;
	int (*print)(void);
} documents[] = {
	{ "man", man },
	{ "schema", schema },
	{ "protocol", protocol },
	{ "perftest", perftest },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(documents) / sizeof(documents[0]); i++) {
		if (strcmp(argv[1], documents[i].name))
			continue;
		if (documents[i].print()) {
			fprintf(stderr, "genman: %s\n", err_text());
			return 1;
		}
		return ferror(stdout) || fclose(stdout) ? 1 : 0;
	}
	fputs("usage: genman man|schema|protocol|perftest\n", stderr);
	return 2;
}
