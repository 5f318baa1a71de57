/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command compare-completion: the scenario "completion", and below it the table and the
 * answer of beside.c.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/results.h"
#include "run/beside.h"
#include "run/run_sweep.h"
#include "util/err.h"
#include "util/must.h"
#include "util/text.h"

#define SCENARIO "completion"

/* ---- its own defaults: those of the scenario */

/* A list with several values, and of a test that has another one also that. */
static void add_default(char **text, const struct axes *run, enum cfg_row row)
{
	const struct axis *axis = cells_axis(run, row), *tests = cells_axis(run, CFG_ROW_tests);
	char *list = NULL;

	if (!axis)
		return;
	for (uint32_t i = 0; i < axis->values.n; i++)
		must_appendf(&list, "%s%s", i ? "," : "", axis->values.words[i]);
	if (*text && row == CFG_ROW_tests)
		must_appendf(text, ",%s", list);
	else if (!*text)
		must_appendf(text, "%s", list);
	else if (strcmp(*text, list))
		must_appendf(text, "; %s of %s", list, tests->values.words[0]);
	free(list);
}

void run_completion_defaults(char *defaults[])
{
	struct bench bench;
	char *path;

	if (bench_find(SCENARIO, &path)) {
		err_clear();
		return;
	}
	if (bench_read(&bench, path)) {
		err_clear();
		free(path);
		return;
	}
	for (size_t row = 0; row < CFG_OPTIONS; row++)
		for (uint32_t i = 0; i < bench.n_runs; i++)
			add_default(&defaults[row], &bench.runs[i], (enum cfg_row)row);
	must_appendf(&defaults[CFG_ROW_rounds], "%u", bench.rounds);
	bench_free(&bench);
	free(path);
}

/* ---- the command */

int run_completion_command(const struct command *cmd, const struct command_line *line)
{
	struct beside rows;
	struct run run = {
		.name = cmd->name, .scenario = SCENARIO, .row = beside_take,
		.row_arg = &rows,
	};
	int status;

	beside_begin(&rows);
	if (run_read(&run, cmd, line, &status)) {
		run.cfg.no_table = true;
		status = run_it(&run);
	}
	if (output_for_people(&run.cfg))
		beside_print(stdout, &rows, screen_columns());
	beside_free(&rows);
	run_free(&run);
	return status;
}
