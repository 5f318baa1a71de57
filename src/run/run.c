/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command run, and what a test with lists does. Called by folder commands. */
#include "config.h"
#include "run/run_sweep.h"

#include "command/results.h"

static int measure(struct run *run)
{
	const int status = command_start();

	if (status)
		return status;
	return results_check(&run->cfg) ? run_cells(run) : COMMAND_REFUSED;
}

int run_command(const struct command *cmd, const struct command_line *line)
{
	struct run run = { .name = cmd->name };
	int status;

	if (run_read(&run, cmd, line, &status))
		status = run.cfg.dry_run ? run_dry(&run) : measure(&run);
	run_free(&run);
	return status;
}

bool run_is_sweep(const struct command_line *line)
{
	return axes_are_in(line->argc, line->argv);
}

int run_test(const struct command *cmd, const struct command_line *line)
{
	return run_command(cmd, line);
}
