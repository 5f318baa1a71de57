/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command run, and what a test with lists does. Called by folder commands. */
#include "config.h"
#include "run/run_sweep.h"

#include <string.h>

#include "command/results.h"
#include "run/run_scenarios.h"

bool run_prints(const struct cfg *cfg)
{
	const char *const paths[] = {
#define FORMAT(name, text) cfg->name,
#define FORMAT_STDOUT(name)
#include "config/formats.def"
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (paths[i] && !strcmp(paths[i], "-"))
			return false;
	return true;
}

static int measure(struct run *run)
{
	int status = command_start();

	if (status)
		return status;
	if (!results_check(&run->cfg))
		return COMMAND_REFUSED;
	if (run_prints(&run->cfg) && !run->cfg.quiet)
		run_scenarios_print(run);
	status = run_cells(run);
	if (status == COMMAND_OK && run_prints(&run->cfg) && !run->cfg.quiet && !run->scenario)
		run_scenarios_print_reports(run);
	return status;
}

static int show(const struct run *run)
{
	if (run->cfg.scenarios && !run->n_scenarios)
		return run_scenarios_list();
	run_scenarios_print(run);
	return run->cfg.scenarios ? COMMAND_OK : run_dry(run);
}

int run_it(struct run *run)
{
	return run->cfg.dry_run || run->cfg.scenarios ? show(run) : measure(run);
}

int run_command(const struct command *cmd, const struct command_line *line)
{
	struct run run = { .name = cmd->name };
	int status;

	if (run_read(&run, cmd, line, &status))
		status = run_it(&run);
	run_free(&run);
	return status;
}

bool run_is_sweep(const struct command_line *line)
{
	return axes_make_sweep(line->argc, line->argv);
}
