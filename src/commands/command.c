/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what every subcommand does before it runs, and the exit status of a session. Called by the
 * files of the subcommands. Must not know a subcommand.
 */
#include "config.h"
#include "commands/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands/preload.h"
#include "plan/plan_rules.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"

static void print_help(const struct command *cmd)
{
	for (const char *c = cmd->usage; *c; c++) {
		if (*c == '@')
			fputs(cmd->name, stdout);
		else
			putchar(*c);
	}
	if (cmd->more_help)
		cmd->more_help(stdout);
	options_help(stdout, cmd->options, cmd->test);
}

static int print_error(void)
{
	log_error("%s", err_text());
	return -EINVAL;
}

/* A line for each wrong option. */
static int print_faults(const struct options_faults *faults)
{
	const char *text = faults->text;

	for (size_t i = 0; i < faults->n; i++, text += strlen(text) + 1)
		log_error("%s", text);
	return -EINVAL;
}

/* 1 when --help or --version was printed. Errors are printed. */
static int read_options(const struct command *cmd, const struct command_line *line,
			struct cfg *cfg)
{
	struct options_faults faults;

	*cfg = (struct cfg){ .test = cmd->test };
	if (options_parse_all(cfg, cmd->options, line->argc, line->argv, &faults))
		return print_faults(&faults);
	if (cfg->version)
		printf("%s %s\n", PACKAGE_NAME, PACKAGE_VERSION);
	else if (cfg->help)
		print_help(cmd);
	else if (cmd->options == OPTIONS_SERVE ? plan_rules_server(cfg) : plan_rules(cfg))
		return print_error();
	else
		return 0;
	return 1;
}

bool command_parse(const struct command *cmd, const struct command_line *line, struct cfg *cfg,
		   int *status)
{
	int rc = read_options(cmd, line, cfg);

	if (!rc && cfg->soft && preload_enter(line->all))
		rc = print_error();
	*status = rc < 0 ? COMMAND_REFUSED : COMMAND_OK;
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
