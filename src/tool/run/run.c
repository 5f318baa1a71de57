/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command run, and a test with lists, but for the measuring: how the words of a command
 * line become cells, and --dry-run.
 */
#include "config.h"
#include "run/run_sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/results.h"
#include "options/label.h"
#include "decide/plan.h"
#include "stats/repeats.h"
#include "util/err.h"
#include "util/must.h"
#include "util/text.h"

/* ---- the command line */

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
		       err_set(-EINVAL, "lists and options of sweeps need a HOST: the client sends the options of a test to the server");
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
static int check_compared(const struct run *run)
{
	const struct axes *axes = &run->axes;

	if (run->cfg.bidir)
		return err_set(-EINVAL, "%s measures one direction: leave --both out", run->name);
	for (uint32_t i = 0; i < axes->n; i++) {
		const enum cfg_row row = axes->of[i].row;
		char label[LABEL_MAX];
		const uint32_t n = axes->of[i].values.n;

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

static int refuse_scenario(const char *name)
{
	struct nearest n;

	for (enum test test = 0; test < TEST_COUNT; test++) {
		if (!strcmp(name, kind_test_names[test]))
			return err_set(-EINVAL, "\"%s\" is no scenario, but a test: --test %s", name,
				       name);
	}
	return err_set(-EINVAL, "\"%s\" is no scenario%s", name,
		       bench_meant(&n, name, "; \"verbench run --list\" lists them"));
}

/* The only operand is taken for the host, or is a misspelt scenario. */
static int refuse_none(const struct run *run)
{
	struct nearest n;

	if (run->n_hosts && bench_meant(&n, run->hosts[0], NULL))
		return refuse_scenario(run->hosts[0]);
	return err_set(-EINVAL, "run needs a scenario (\"verbench run --list\"), or --test");
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
		return err_option(-EINVAL, "-d (--device)", "%s: only one device is allowed",
				  cfg->device);
	if (run->scenario)
		return run_scenarios_load(run, &run->scenario, 1);
	if (!names && !cfg->tests && !cfg->scenarios && run->n_hosts > 1)
		return refuse_scenario(run->hosts[0]);
	if (!names && !cfg->tests && !cfg->scenarios)
		return refuse_none(run);
	return run_scenarios_load(run, (const char *const *)cfg->hosts, names);
}

/* The interval of a median needs repeats. */
static int check_rounds(const struct run *run)
{
	/* of several scenarios, each may have a number of its own */
	if (!run->cfg.confident || run->n_scenarios > 1 || run->cfg.rounds >= REPEATS_MEDIAN)
		return 0;
	return err_set(-EINVAL, "--confident: with --rounds %u no interval is known; at least %u are needed",
		       run->cfg.rounds, REPEATS_MEDIAN);
}

/* Why no row of any cell has samples; NULL: one has. */
static const char *lacks_samples(const struct run *run)
{
	const char *lacks = NULL;
	struct cell cell;

	if (run->cfg.background)
		return "with --background: a row beside bulk traffic has no samples";
	if (run->pairs.n > 1)
		return "with several pairs: their rows have no samples";
	for (uint32_t i = 0; i < run->cells.n; i++) {
		cells_get(&run->cells, i, &cell);
		free(cell.text);
		lacks = plan_lacks_samples(cell.cfg.test);
		if (!lacks)
			break;
	}
	return lacks;
}

/* What the parts are, and the order of their cells. */
static int make_cells(struct run *run)
{
	int rc;

	cells_begin(&run->cells, &run->cfg);
	rc = run->n_scenarios ? run_scenarios_cells(run, &run->axes) :
				cells_add(&run->cells, NULL, &run->axes);

	if (!rc)
		rc = capacity_read(run);
	if (!rc)
		rc = search_read(run);
	if (!rc)
		rc = until_read(&run->until, &run->cfg);
	if (!rc)
		rc = check_rounds(run);
	if (!rc)
		rc = plan_formats_fill(&run->cfg, lacks_samples(run));
	if (!rc)
		rc = cells_repeat(&run->cells, run->cfg.rounds);
	if (!rc && run->cfg.shuffle != CFG_AUTO)
		cells_shuffle(&run->cells, run->cfg.shuffle, run->cfg.until);
	return rc;
}

/* --background: the only pair becomes a probe and the bulk traffic beside it. */
static int take_background(struct run *run)
{
	const struct cfg *cfg = &run->cfg;
	const struct {
		bool given;
		const char *what, *why;
	} others[] = {
		{ run->scenario, run->name, "it compares other rows" },
		{ cfg->mcast, "--mcast", "a group has one sender" },
		{ cfg->find_knee_us != CFG_AUTO, "--find-knee", "the search chooses the rates" },
		{ cfg->resume, "--resume", "a cell has rows of two sessions" },
		{ run->pairs.n > 1 || run->n_hosts > 1, "several hosts or devices",
		  "a probe is of one pair" },
	};
	int rc = cfg->background ? background_parse(&run->background, cfg->background) : 0;

	if (rc || !cfg->background)
		return rc;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return err_set(-EINVAL, "%s and --background exclude each other: %s",
				       others[i].what, others[i].why);
	if (run->pairs.n)
		pairs_list_beside(&run->pairs, &run->background);
	return 0;
}

bool run_read(struct run *run, const struct command *cmd, const struct command_line *line,
	      int *status)
{
	const struct options_lists lists = cells_lists(&run->axes);
	struct command_line copy = { line->argc, NULL, line->all, &lists };
	struct command own = *cmd;
	int rc;

	run->name = cmd->name;
	run->typed = line;
	run->argv = must_calloc((size_t)line->argc + 1, sizeof(*run->argv));
	memcpy(run->argv, line->argv, (size_t)line->argc * sizeof(*run->argv));
	copy.argv = run->argv;
	own.options = OPTIONS_RUN;
	if (!command_parse(&own, &copy, &run->cfg, status))
		return false;
	if (cmd->options == OPTIONS_TEST)
		cells_add_test(&run->axes, cmd->test);
	run->hosts = run->cfg.hosts;
	run->n_hosts = run->cfg.n_hosts;
	rc = take_operands(run, cmd);
	if (!rc)
		rc = take_resume(&run->cfg);
	run->cfg.host = run->n_hosts ? run->hosts[0] : NULL;
	run->cfg.sweep = true;
	/* the operands of a multicast group are its receivers */
	if (!rc && (cmd->options == OPTIONS_RUN || run->cfg.background) && run->n_hosts &&
	    !run->cfg.mcast)
		rc = pairs_list_read(&run->pairs, &run->cfg, run->hosts, run->n_hosts);
	if (!rc)
		rc = take_background(run);
	if (!rc && run->scenario)
		rc = check_compared(run);
	if (!rc && !run->cfg.scenarios)
		rc = make_cells(run);
	if (!rc)
		return true;
	results_refused(&run->cfg, rc);
	*status = COMMAND_REFUSED;
	return false;
}

void run_free(struct run *run)
{
	free(run->capacities);
	series_free(&run->until.figures);
	cells_free(&run->cells);
	cells_axes_free(&run->axes);
	run_scenarios_free(run);
	pairs_list_free(&run->pairs);
	free(run->argv);
}

int run_cell(const struct run *run, uint32_t i, struct cell *cell)
{
	/* without hosts, and before those of pairs, a word stands for the host */
	const bool given = run->n_hosts && !run->pairs.n;
	struct cfg *cfg = &cell->cfg;
	int rc;

	cells_get(&run->cells, i, cell);
	rc = options_take_hosts(cfg, given ? (int)run->n_hosts : 1, given ? run->hosts : run->argv);
	if (!rc && run->pairs.n)
		pairs_list_cfg(&run->pairs, 0, cfg);
	if (!rc)
		rc = capacity_convert(run, cell);
	if (!rc)
		rc = plan_rules(cfg);
	cfg->background = run->cfg.background;
	cfg->dump_samples = run->cfg.dump_samples;
	if (!rc && cfg->background)
		rc = background_check(&run->background, cfg);
	if (!rc && cfg->duration_ms == CFG_FOREVER && run->cells.n > 1)
		rc = err_option(-EINVAL, "-D (--duration)",
				"forever: this is one of %u cells, and it does not end",
				run->cells.n);
	return rc;
}

/* ---- what is done with it */

static int measure(struct run *run)
{
	const bool prints = output_for_people(&run->cfg) && !run->cfg.quiet;
	int status = command_start();

	if (status)
		return status;
	if (!results_check(&run->cfg))
		return COMMAND_REFUSED;
	if (prints)
		run_scenarios_print(run);
	status = run_cells(run);
	if (status == COMMAND_OK && prints && !run->scenario)
		run_scenarios_print_reports(run);
	return status;
}

/* ---- --dry-run: opens no device, connects to no host, and changes no file */

/* What all cells together are. */
struct sum {
	uint32_t cells, points, skipped;
	double ns;
	bool exact; /* by the time of the points, not by a number of messages */
};

static void print_cell(const struct run *run, uint32_t i, struct sum *sum)
{
	struct cell cell;

	if (run_cell(run, i, &cell)) {
		printf("%s\n    skipped: %s\n", cell.text, label_error(&cell.cfg));
		sum->skipped++;
	} else {
		printf("%s\n", cell.text);
		sum->cells++;
		sum->points += run_time_points(&cell.cfg);
		sum->ns += run_time_ns(&cell.cfg);
		sum->exact &= cell.cfg.duration_ms != CFG_AUTO ||
			      cell.cfg.messages == CFG_AUTO64;
	}
	free(cell.text);
}

static int dry_run(const struct run *run)
{
	struct sum sum = { .exact = true };
	struct resume resume = { .fd = -1 };
	int rc = run->cfg.resume ? resume_open(&resume, run) : 0;
	char time[32];

	if (rc)
		command_error(&run->cfg);
	for (uint32_t i = 0; i < run->cells.n && !rc; i++)
		if (!resume_has(&resume, i))
			print_cell(run, i, &sum);
	resume_close(&resume);
	if (rc)
		return COMMAND_REFUSED;
	printf("%" PRIu32 " cell%s, %" PRIu32 " point%s, %s%s", sum.cells, text_plural(sum.cells),
	       sum.points, text_plural(sum.points), sum.exact ? "" : "about ",
	       run_show_time(sum.ns, time, sizeof(time)));
	if (!sum.exact)
		printf(" (a guess: how long --messages take depends on the devices)");
	if (sum.skipped)
		printf("; %" PRIu32 " skipped", sum.skipped);
	if (run->search.on)
		printf("; then the trials of --find-knee, 15 to 60 of up to %g s",
		       run->search.full_ms / 1e3);
	if (run->cfg.until)
		printf("; at most: --until may end it after %" PRIu32 " of %" PRIu32 " rounds",
		       run->until.rounds, run->cfg.rounds);
	putchar('\n');
	return COMMAND_OK;
}

/* ---- */

int run_it(struct run *run)
{
	if (!run->cfg.dry_run && !run->cfg.scenarios)
		return measure(run);
	if (run->cfg.scenarios && !run->n_scenarios)
		return run_scenarios_list();
	run_scenarios_print(run);
	return run->cfg.scenarios ? COMMAND_OK : dry_run(run);
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
	return cells_are_asked(line->argc, line->argv);
}
