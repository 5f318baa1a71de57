/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what every subcommand does before it runs, with --help and --version, and the exit status of
 * a session. Must not know a subcommand.
 */
#include "config.h"
#include "frame/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "causes/remedy.h"
#include "topo/topo.h"
#include "options/label.h"
#include "decide/plan.h"
#include "read/condition.h"
#include "write/output.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"
#include "util/must.h"

const char *command_operand(const struct command_line *line, int i)
{
	return i < line->argc ? line->argv[i] : NULL;
}

void command_usage(const struct command *cmd)
{
	printf("Usage: verbench %s\n%s\n", cmd->name, cmd->help);
}

void command_help(const struct command *cmd, bool all)
{
	char *defaults[CFG_OPTIONS] = { NULL };

	for (const char *c = cmd->usage; *c; c++) {
		if (*c == '@')
			fputs(cmd->name, stdout);
		else
			putchar(*c);
	}
	if (cmd->more_help)
		cmd->more_help(stdout);
	if (cmd->defaults)
		cmd->defaults(defaults);
	options_help(stdout, cmd->options, cmd->test, all, defaults);
	for (size_t i = 0; i < CFG_OPTIONS; i++)
		free(defaults[i]);
}

void command_error(const struct cfg *cfg)
{
	log_error("%s", label_error(cfg));
}

/* A line for each wrong option; without one, the error message of this thread. */
static void print_faults(const struct cfg *cfg, const struct options_faults *faults)
{
	const char *text = faults->wrong.text;

	for (size_t i = 0; i < faults->wrong.n; i++, text += strlen(text) + 1)
		log_error("%s", text);
	if (!faults->wrong.n)
		command_error(cfg);
}

static void print_needless(const struct options_faults *faults)
{
	const char *text = faults->needless.text;

	for (size_t i = 0; i < faults->needless.n; i++, text += strlen(text) + 1)
		log_note("%s", text);
}

static int check_expect(const struct cfg *cfg)
{
	struct condition_rules rules;
	int rc = cfg->expect ? condition_rules_parse(&rules, EXPECT_LABEL, cfg->expect) : 0;

	if (cfg->confident && !cfg->expect)
		return err_set(-EINVAL, "--confident is about the rules of --expect, which is not given");
	if (cfg->expect && !rc)
		condition_rules_free(&rules);
	return rc;
}

/* Those between options; those of --expect are of a run, report reads its own. */
static int check_rules(const struct command *cmd, const struct cfg *cfg)
{
	int rc = 0;

	if (cmd->options == OPTIONS_REPORT)
		return 0;
	/* the words of a sweep are of many plans, each of which has the rules for itself */
	if (cmd->options == OPTIONS_SERVE)
		rc = plan_rules_server(cfg);
	else if (cmd->options != OPTIONS_RUN && cmd->options != OPTIONS_MESH)
		rc = plan_rules(cfg);
	return rc ? rc : check_expect(cfg);
}

/* 1 when --help or --version was printed. */
static int read_options(const struct command *cmd, const struct command_line *line,
			struct cfg *cfg, struct options_faults *faults)
{
	const struct options_line words = { line->argc, line->argv, line->lists };
	int rc;

	*cfg = (struct cfg){ .test = cmd->test };
	rc = options_parse_all(cfg, cmd->options, &words, faults);
	if (rc)
		return rc;
	if (cfg->version)
		program_version();
	else if (cfg->help || cfg->help_all)
		command_help(cmd, cfg->help_all);
	else
		return check_rules(cmd, cfg);
	return 1;
}

/* A document of an earlier run must not say that this one went well. */
static void tell_document(const struct cfg *cfg, const struct options_faults *faults)
{
	char error[ERR_TEXT_MAX];

	if (!cfg->json)
		return;
	snprintf(error, sizeof(error), "%.*s", ERR_TEXT_MAX - 1,
		 faults->wrong.n ? faults->wrong.text : label_error(cfg));
	/* what is no document of a run is not replaced */
	if (format_json_refused(cfg->json, error))
		err_clear();
}

bool command_parse(const struct command *cmd, const struct command_line *line, struct cfg *cfg,
		   int *status)
{
	struct options_faults faults = { .wrong.n = 0 };
	int rc = read_options(cmd, line, cfg, &faults);

	if (!rc && cfg->soft)
		rc = program_enter_soft(line->all);
	*status = rc < 0 ? COMMAND_REFUSED : COMMAND_OK;
	if (rc <= 0 && !cfg->quiet)
		print_needless(&faults);
	if (rc < 0) {
		print_faults(cfg, &faults);
		tell_document(cfg, &faults);
	}
	return !rc;
}

_Static_assert(COMMAND_FAILED == MUST_EXIT, "one status");

int command_start(void)
{
	clock_init();
	if (!topo_check() && !remedy_limit(signals_init()))
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

int command_expected(enum expect_result result)
{
	switch (result) {
	case EXPECT_FAILED:
		return COMMAND_UNEXPECTED;
	case EXPECT_UNSURE:
		return COMMAND_UNSURE;
	default:
		return COMMAND_OK;
	}
}
