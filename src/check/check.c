/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command check: its options, outputs and exit status. */
#include "config.h"
#include "check/check.h"

#include <string.h>

#include "command/results.h"
#include "format/format_json_file.h"
#include "util/err.h"
#include "util/log.h"

/* What standard output is for: another format may have it. */
static bool prints(const struct cfg *cfg)
{
	return !cfg->json || strcmp(cfg->json, "-");
}

/* Before anything runs. */
static int prepare(const struct cfg *cfg)
{
	const struct format_json_file file = { .path = cfg->json, .force = cfg->force };

	return cfg->json ? format_json_file_check(&file) : 0;
}

static int mark(const struct cfg *cfg)
{
	const struct format_json_file file = { .path = cfg->json, .force = cfg->force };
	json_t *doc;
	int rc;

	if (!cfg->json)
		return 0;
	doc = format_json_file_doc(CHECK_SCHEMA, "running", NULL);
	rc = format_json_file_mark(&file, doc);
	json_decref(doc);
	return rc;
}

static int exit_status(const struct check *check)
{
	if (!strcmp(check->status, "refused"))
		return COMMAND_REFUSED;
	return strcmp(check->status, "ok") ? COMMAND_FAILED : COMMAND_OK;
}

static int check_pair(const struct cfg *cfg)
{
	struct check check = { .cfg = cfg };
	int rc = check_list(&check), status;

	if (rc) {
		command_error(cfg);
		return COMMAND_FAILED;
	}
	check_run(&check);
	if (prints(cfg))
		check_print(stdout, &check);
	fflush(stdout);
	if (check.error[0])
		log_error("%s", check.error);
	status = exit_status(&check);
	if (cfg->json && check_json(&check)) {
		command_error(cfg);
		status = COMMAND_FAILED;
	}
	check_free(&check);
	return status;
}

int check_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	int status, rc;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	rc = prepare(&cfg);
	if (rc) {
		results_refused(&cfg, rc);
		return COMMAND_REFUSED;
	}
	status = command_start();
	if (status)
		return status;
	if (mark(&cfg)) {
		command_error(&cfg);
		return COMMAND_FAILED;
	}
	return cfg.host ? check_pair(&cfg) : check_local(&cfg);
}
