/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what every subcommand does before it runs, with --help and --version, and the exit status
 * of a session. Called by the files of the subcommands. Must not know a subcommand.
 */
#include "config.h"
#include "commands/command.h"

#include <commit.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "commands/preload.h"
#include "config/label.h"
#include "plan/plan_rules.h"
#include "rdma/versions.h"
#include "report/formats.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"

#define COLUMNS 80
#define LABEL 14
#define LIST_BYTES 2048

const char *command_operand(const struct command_line *line, int i)
{
	return i < line->argc ? line->argv[i] : NULL;
}

void command_help(const struct command *cmd, bool all)
{
	for (const char *c = cmd->usage; *c; c++) {
		if (*c == '@')
			fputs(cmd->name, stdout);
		else
			putchar(*c);
	}
	if (cmd->more_help)
		cmd->more_help(stdout);
	options_help(stdout, cmd->options, cmd->test, all);
}

/* ---- the version: what a bug report needs about build and machine; opens no device */

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

void command_version(void)
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

/* ---- options */

void command_error(const struct cfg *cfg)
{
	char text[ERR_TEXT_MAX];

	log_error("%s", label_as_typed(cfg, err_text(), text, sizeof(text)));
}

/* A line for each wrong option; without one, the error message of this thread. */
static void print_faults(const struct cfg *cfg, const struct options_faults *faults)
{
	const char *text = faults->text;

	for (size_t i = 0; i < faults->n; i++, text += strlen(text) + 1)
		log_error("%s", text);
	if (!faults->n)
		command_error(cfg);
}

/* 1 when --help or --version was printed. */
static int read_options(const struct command *cmd, const struct command_line *line,
			struct cfg *cfg, struct options_faults *faults)
{
	int rc;

	*cfg = (struct cfg){ .test = cmd->test };
	rc = options_parse_all(cfg, cmd->options, line->argc, line->argv, faults);
	if (rc)
		return rc;
	if (cfg->version)
		command_version();
	else if (cfg->help || cfg->help_all)
		command_help(cmd, cfg->help_all);
	else
		return cmd->options == OPTIONS_SERVE ? plan_rules_server(cfg) : plan_rules(cfg);
	return 1;
}

/* A document of an earlier run must not say that this one went well. */
static void tell_document(const struct cfg *cfg, const struct options_faults *faults)
{
	char error[ERR_TEXT_MAX];

	if (!cfg->json)
		return;
	label_as_typed(cfg, faults->n ? faults->text : err_text(), error, sizeof(error));
	/* what is no document of a run is not replaced */
	if (format_json_refused(cfg->json, error))
		err_clear();
}

bool command_parse(const struct command *cmd, const struct command_line *line, struct cfg *cfg,
		   int *status)
{
	struct options_faults faults = { .n = 0 };
	int rc = read_options(cmd, line, cfg, &faults);

	if (!rc && cfg->soft)
		rc = preload_enter(line->all);
	*status = rc < 0 ? COMMAND_REFUSED : COMMAND_OK;
	if (rc < 0) {
		print_faults(cfg, &faults);
		tell_document(cfg, &faults);
	}
	return !rc;
}

int command_start(void)
{
	clock_init();
	if (!signals_init())
		return COMMAND_OK;
	log_error("%s", err_text());
	return COMMAND_FAILED;
}

int command_exit(enum session_end end)
{
	switch (end) {
	case SESSION_MEASURED:
		return COMMAND_OK;
	case SESSION_REFUSED:
		return COMMAND_REFUSED;
	default:
		return COMMAND_FAILED;
	}
}
