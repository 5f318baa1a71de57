/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how the words of a command line become cells. Called by run.c. Must not measure. */
#include "config.h"
#include "run/run_sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/results.h"
#include "config/label.h"
#include "plan/plan_rules.h"
#include "run/run_scenarios.h"
#include "run/ways.h"
#include "util/err.h"

/* Where nothing is measured, there may be none. */
static bool needs_host(const struct cfg *cfg)
{
	return !cfg->dry_run && !cfg->scenarios;
}

/* A test takes lists and options of sweeps, but is not the command run. */
static int check_test(const struct run *run)
{
	char label[LABEL_MAX];

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];

		if (run->cfg.given.rows[i] && !options_takes(f, OPTIONS_TEST))
			return err_set(-EINVAL, "%s is not an option of tests, only of run",
				       label_row(&run->cfg, (enum cfg_row)i, label));
	}
	return run->cfg.n_hosts || !needs_host(&run->cfg) ?
		       0 :
		       err_set(-EINVAL, "lists and options of sweeps need a HOST: a server serves what its client asks for");
}

/* What is missing in one file is not what is missing in another. */
static int take_resume(struct cfg *cfg)
{
	const struct {
		bool given;
		const char *name, *why;
	} others[] = {
		{ cfg->csv_new, "--csv-new", "starts the file over" },
		{ cfg->force, "--force", "starts the file over" },
		{ cfg->json, "--json", "has the rows of this run only" },
		{ cfg->jsonl, "--jsonl", "may have these rows already" },
	};

	if (!cfg->resume)
		return 0;
	if (!strcmp(cfg->resume, "-"))
		return err_set(-EINVAL, "--resume needs a FILE: \"-\" is standard output");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return err_set(-EINVAL, "--resume excludes %s, which %s", others[i].name,
				       others[i].why);
	if (cfg->csv && strcmp(cfg->csv, cfg->resume))
		return err_set(-EINVAL, "--resume adds rows to %s, and --csv names %s: only one of them is allowed",
			       cfg->resume, cfg->csv);
	cfg->csv = cfg->resume;
	return 0;
}

/* The table and the sentences name a line by its test and its size. */
static int check_compared(const struct run *run, const struct axes *axes)
{
	if (run->cfg.bidir)
		return err_set(-EINVAL, "%s measures one direction: leave --both out", run->name);
	for (uint32_t i = 0; i < axes->n; i++) {
		const enum cfg_row row = axes->of[i].row;
		char label[LABEL_MAX];
		const uint32_t n = axes->of[i].values.n;

		if (row == CFG_ROW_size_bytes && n > WAYS_SIZES)
			return err_set(-EINVAL, "%s takes up to %d sizes: %u are given", run->name,
				       WAYS_SIZES, n);
		if (n > 1 && row != CFG_ROW_size_bytes && row != CFG_ROW_tests &&
		    row != CFG_ROW_completion)
			return err_set(-EINVAL, "%s takes one value of %s; \"verbench run completion\" takes lists",
				       run->name, label_row(&run->cfg, row, label));
	}
	return 0;
}

static bool is_scenario(const char *name)
{
	char *path;
	const bool found = !bench_find(name, &path);

	if (found)
		free(path);
	err_clear();
	return found;
}

/* Scenarios, and then hosts. */
static int take_operands(struct run *run, const struct command *cmd)
{
	const struct cfg *cfg = &run->cfg;
	uint32_t names = 0;

	if (cmd->options == OPTIONS_TEST)
		return check_test(run);
	while (names < cfg->n_hosts && is_scenario(cfg->hosts[names]))
		names++;
	/* a host may have the name of a scenario */
	if (names && names == cfg->n_hosts && needs_host(cfg) && (names > 1 || cfg->tests))
		names--;
	if (run->scenario)
		names = 0;
	run->hosts = cfg->hosts + names;
	run->n_hosts = cfg->n_hosts - names;
	if (!run->n_hosts && names && needs_host(cfg))
		return err_set(-EINVAL, "\"%s\" is a scenario; run also needs the host of a server (\"verbench serve\")",
			       cfg->hosts[0]);
	if (!run->n_hosts && needs_host(cfg))
		return err_set(-EINVAL, "run needs the host of a server (\"verbench serve\")");
	if (run->scenario && run->n_hosts > 1)
		return err_set(-EINVAL, "\"%s\": only one host is allowed", run->hosts[1]);
	if (run->scenario && cfg->device && strchr(cfg->device, ','))
		return err_set(-EINVAL, "-d (--device) %s: only one device is allowed", cfg->device);
	if (run->scenario)
		return run_scenarios_load(run, &run->scenario, 1);
	if (!names && !cfg->tests && !cfg->scenarios && run->n_hosts > 1)
		return err_set(-EINVAL, "\"%s\" is no scenario; \"verbench run --list\" lists them",
			       run->hosts[0]);
	if (!names && !cfg->tests && !cfg->scenarios)
		return err_set(-EINVAL, "run needs a scenario (\"verbench run --list\"), or --test");
	return run_scenarios_load(run, (const char *const *)cfg->hosts, names);
}

/* What the parts are, and the order of their cells. */
static int make_cells(struct run *run, struct axes *axes)
{
	int rc = run->n_scenarios ? run_scenarios_cells(run, axes) :
				    cells_add(&run->cells, NULL, axes);

	if (!rc)
		rc = cells_repeat(&run->cells, run->cfg.rounds);
	if (!rc && run->cfg.shuffle != CFG_AUTO)
		rc = cells_shuffle(&run->cells, run->cfg.shuffle);
	return rc;
}

/* Of a test: its name is the axis --test. */
static int read_axes(struct run *run, struct axes *axes, const struct command *cmd,
		     const struct command_line *line)
{
	int rc = axes_read(axes, &run->line, line->argc, line->argv);

	if (rc || cmd->options != OPTIONS_TEST || axes_find(axes, CFG_ROW_tests))
		return rc;
	return axes_add(axes, CFG_ROW_tests, kind_test_names[cmd->test]);
}

/*
 * Of a command line with a wrong list: where the error message goes besides the terminal, and how
 * its options were typed. What else may be wrong is not said. Keeps the error message.
 */
static void read_rest(struct run *run, const struct command_line *line, int rc)
{
	char error[ERR_TEXT_MAX];

	snprintf(error, sizeof(error), "%s", err_text());
	if (options_parse(&run->cfg, OPTIONS_RUN, line->argc, line->argv))
		err_clear();
	err_set(rc, "%s", error);
}

bool run_read(struct run *run, const struct command *cmd, const struct command_line *line,
	      int *status)
{
	struct command own = *cmd;
	struct command_line flat = { .all = line->all };
	struct axes axes = { .n = 0 };
	int rc = read_axes(run, &axes, cmd, line);

	run->name = cmd->name;
	run->typed = line;
	own.options = OPTIONS_RUN;
	flat.argc = run->line.argc;
	flat.argv = run->line.argv;
	if (rc)
		read_rest(run, line, rc);
	else if (!command_parse(&own, &flat, &run->cfg, status)) {
		axes_free(&axes);
		return false;
	}
	run->hosts = run->cfg.hosts;
	run->n_hosts = run->cfg.n_hosts;
	if (!rc)
		rc = take_operands(run, cmd);
	if (!rc)
		rc = take_resume(&run->cfg);
	run->cfg.host = run->n_hosts ? run->hosts[0] : NULL;
	run->cfg.sweep = true;
	/* the operands of a multicast group are its receivers */
	if (!rc && cmd->options == OPTIONS_RUN && run->n_hosts && !run->cfg.mcast)
		rc = pairs_list_read(&run->pairs, &run->cfg, run->hosts, run->n_hosts);
	if (!rc && run->scenario)
		rc = check_compared(run, &axes);
	if (!rc && !run->cfg.scenarios)
		rc = make_cells(run, &axes);
	axes_free(&axes);
	if (!rc)
		return true;
	results_refused(&run->cfg, rc);
	*status = COMMAND_REFUSED;
	return false;
}

void run_free(struct run *run)
{
	cells_free(&run->cells);
	run_scenarios_free(run);
	axes_line_free(&run->line);
	pairs_list_free(&run->pairs);
}

/* cell->argv with the hosts behind it; of --dry-run and of pairs one that nobody connects to. */
static int add_hosts(const struct run *run, struct cell *cell)
{
	static const char words[] = "--\0localhost"; /* behind the array */
	const bool given = run->n_hosts && !run->pairs.n;
	const uint32_t n = given ? run->n_hosts : 1;
	const size_t size = sizeof(char *) * ((size_t)cell->argc + n + 2);
	char **argv = realloc(cell->argv, size + sizeof(words));
	char *dashes, *nobody;

	if (!argv)
		return err_set(-ENOMEM, "no memory for a cell");
	cell->argv = argv;
	dashes = memcpy((char *)argv + size, words, sizeof(words));
	nobody = dashes + 3;
	argv[cell->argc] = dashes;
	for (uint32_t i = 0; i < n; i++)
		argv[cell->argc + 1 + (int)i] = given ? run->hosts[i] : nobody;
	argv[cell->argc + 1 + (int)n] = NULL;
	return cell->argc + 1 + (int)n;
}

int run_cell_cfg(const struct run *run, struct cell *cell, struct cfg *cfg)
{
	const int argc = add_hosts(run, cell);
	int rc, test = 0;

	if (argc < 0)
		return argc;
	while (strcmp(kind_test_names[test], cell->argv[0]))
		test++;
	*cfg = (struct cfg){ .test = (enum test)test };
	rc = options_parse(cfg, OPTIONS_TEST, argc, cell->argv);
	if (!rc && run->pairs.n)
		pairs_list_cfg(&run->pairs, 0, cfg);
	if (!rc)
		rc = plan_rules(cfg);
	if (!rc && cfg->duration_ms == CFG_FOREVER && run->cells.n > 1)
		rc = err_set(-EINVAL, "-D (--duration) forever: this is one of %u cells, and it does not end",
			     run->cells.n);
	return rc;
}
