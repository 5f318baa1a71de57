/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the commands send_bw, send_lat, ...: with a host the client of one plan, without one a
 * server for one client. Must not know how a plan is measured.
 */
#include "config.h"
#include "commands/test.h"

#include <string.h>

#include "commands/commands.h"
#include "command/results.h"
#include "run/run_sweep.h"
#include "serve/serve.h"
#include "config/label.h"
#include "util/err.h"
#include "util/log.h"

/* A session of one plan. */
static enum session_end measure(const struct cfg *cfg, struct results *results)
{
	const struct session_sink sink = results_sink(results);
	enum session_end end = SESSION_FAILED;
	struct session *session;
	int rc = session_open(&session, cfg, &sink), closed;

	if (!rc)
		rc = session_run(session, cfg, &sink, &end);
	if (rc)
		results_error(results, rc, err_text());
	closed = session_close(session);
	if (closed && !rc) {
		results_error(results, closed, err_text());
		end = SESSION_FAILED;
	}
	return end;
}

int test_client(const struct cfg *cfg)
{
	struct results results = { .cfg = cfg };
	enum session_end end = SESSION_FAILED;
	int rc;

	if (!results_check(cfg))
		return COMMAND_REFUSED;
	rc = results_begin(&results);
	if (rc)
		results_error(&results, rc, err_text());
	else
		end = measure(cfg, &results);
	results_end(&results);
	return results_exit(&results, end);
}

/* "--json node1" takes the host for a file, and the test is then a server that waits. */
static void note_files(const struct cfg *cfg)
{
	const struct {
		enum cfg_row row;
		const char *path;
	} files[] = {
#define FORMAT(name, text) { CFG_ROW_##name, cfg->name },
#define FORMAT_STDOUT(name)
#include "config/formats.def"
	};
	char label[LABEL_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (files[i].path && strcmp(files[i].path, "-"))
			log_note("no host is given, so this is the server; %s writes to the file \"%s\"",
				 label_row(cfg, files[i].row, label), files[i].path);
	}
}

int test_run(const struct cfg *cfg)
{
	const int status = command_start();

	if (status)
		return status;
	if (!cfg->host)
		note_files(cfg);
	return cfg->host ? test_client(cfg) : serve_run(cfg, SERVE_ONE_CLIENT);
}

int test_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	int status;

	if (run_is_sweep(line))
		return run_command(cmd, line);
	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	return test_run(&cfg);
}
