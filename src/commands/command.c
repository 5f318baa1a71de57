/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what every subcommand does before it runs, and the exit status of a session. Called by the
 * files of the subcommands. Must not know a subcommand.
 */
#include "config.h"
#include "commands/command.h"

#include <stdio.h>

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

/* 1 when --help or --version was printed. */
static int read_options(const struct command *cmd, const struct command_line *line,
			struct cfg *cfg)
{
	int rc;

	*cfg = (struct cfg){ .test = cmd->test };
	rc = options_parse(cfg, cmd->options, line->argc, line->argv);
	if (rc)
		return rc;
	if (cfg->version)
		printf("%s %s\n", PACKAGE_NAME, PACKAGE_VERSION);
	else if (cfg->help)
		print_help(cmd);
	else
		return plan_rules(cfg);
	return 1;
}

bool command_parse(const struct command *cmd, const struct command_line *line, struct cfg *cfg,
		   int *status)
{
	int rc = read_options(cmd, line, cfg);

	if (!rc && cfg->soft)
		rc = preload_enter(line->all);
	*status = rc < 0 ? COMMAND_REFUSED : COMMAND_OK;
	if (rc < 0)
		log_error("%s", err_text());
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
