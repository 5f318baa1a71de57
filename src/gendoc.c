/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Prints documents and scripts that are made from tables. A program of the build, not installed;
 * the Makefile calls it:
 *
 *	gendoc man FOLDER PAGE     a man page from its template in FOLDER
 *	gendoc bash <FILE          completion in bash: FILE with its tables
 *	gendoc zsh <FILE           the same for zsh
 *	gendoc schema              docs/schema.md
 *	gendoc protocol <FILE      docs/protocol.md: FILE with its tables made again
 *	gendoc perftest <FILE      docs/from-perftest.md: the same
 *	gendoc remedies <FILE      docs/troubleshooting.md: the same
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "config/perftest.h"
#include "control/proto.h"
#include "manual/manual.h"
#include "remedy/remedy.h"
#include "report/row.h"
#include "setup/setup_row.h"
#include "util/err.h"

static int man(char *const *arguments)
{
	return manual_page(stdout, arguments[0], arguments[1]);
}

static int bash(char *const *arguments)
{
	(void)arguments;
	return manual_bash(stdout, stdin);
}

static int zsh(char *const *arguments)
{
	(void)arguments;
	return manual_zsh(stdout, stdin);
}

static int schema(char *const *arguments)
{
	(void)arguments;
	row_schema(stdout);
	setup_row_schema(stdout);
	return 0;
}

static int protocol(char *const *arguments)
{
	(void)arguments;
	return proto_doc(stdout, stdin);
}

static int perftest(char *const *arguments)
{
	(void)arguments;
	return perftest_doc(stdout, stdin);
}

static int remedies(char *const *arguments)
{
	(void)arguments;
	return remedy_doc(stdout, stdin);
}

static const struct {
	const char *name;
	int arguments;
	int (*print)(char *const *arguments);
} documents[] = {
	{ "man", 2, man },
	{ "bash", 0, bash },
	{ "zsh", 0, zsh },
	{ "schema", 0, schema },
	{ "protocol", 0, protocol },
	{ "perftest", 0, perftest },
	{ "remedies", 0, remedies },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(documents) / sizeof(documents[0]); i++) {
		if (strcmp(argv[1], documents[i].name) || argc != 2 + documents[i].arguments)
			continue;
		if (documents[i].print(argv + 2)) {
			fprintf(stderr, "gendoc: %s\n", err_text());
			return 1;
		}
		return ferror(stdout) || fclose(stdout) ? 1 : 0;
	}
	fputs("usage: gendoc man FOLDER PAGE | bash | zsh | schema | protocol | perftest | remedies\n", stderr);
	return 2;
}
