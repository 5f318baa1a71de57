/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command setup: one session with a server, and the rows of its measurements. Must not
 * know how an operation is measured.
 */
#include "config.h"
#include "commands/commands.h"

#include <errno.h>
#include <inttypes.h>

#include "session/session.h"
#include "setup/measure.h"
#include "command/results.h"
#include "commands/setup_output.h"
#include "util/err.h"
#include "util/log.h"

void setup_help(FILE *out)
{
	fprintf(out, "\nMeasurements (--only):\n");
	for (uint32_t i = 0; i < measure_n; i++)
		fprintf(out, "  %-5s %s\n", measure_table[i].name, measure_table[i].help);
}

/* What is wrong with the options is said before anything is opened. */
static int check(const struct cfg *cfg)
{
	uint32_t selected;

	if (cfg->given.messages && cfg->messages != CFG_AUTO64 &&
	    cfg->messages > SETUP_MAX_OPERATIONS)
		return err_set(-EINVAL, "-n (--messages) \"%" PRIu64 "\": out of range for setup; allowed: 1..%u or auto",
			       cfg->messages, SETUP_MAX_OPERATIONS);
	return measure_select(&selected, cfg->only);
}

/* With the error message of this thread. */
static void fail(const struct cfg *cfg, struct setup_output *output, const char *status)
{
	command_error(cfg);
	setup_output_error(output, status, err_text());
}

/* *end is SESSION_FAILED on every error but a refusal. */
static int measure(const struct cfg *cfg, struct setup_output *output, enum session_end *end)
{
	const struct setup_sink sink = setup_output_sink(output);
	const struct setup_wish wish = {
		.operations = cfg->messages,
		/* one QP is the default of the tests */
		.qps = cfg->given.qps ? cfg->qps : SETUP_QPS,
		.only = cfg->only,
	};
	const struct session_sink opening = { .waiting = results_waiting };
	const struct session_setup setup = { .wish = &wish, .sink = &sink };
	struct cfg test = *cfg;
	struct session *session;
	int rc = session_open(&session, cfg, &opening);

	/* the plan is that of one QP; it transfers nothing */
	test.qps = 1;
	test.messages = CFG_AUTO64;
	*end = SESSION_FAILED;
	if (!rc)
		rc = session_setup(session, &test, &setup, end);
	if (rc)
		fail(cfg, output, rc == -EINTR ? "interrupted" :
			     *end == SESSION_REFUSED ? "refused" : "failed");
	if (session_close(session) && !rc) {
		fail(cfg, output, "failed");
		*end = SESSION_FAILED;
	}
	return rc;
}

static int run(const struct cfg *cfg)
{
	struct setup_output output;
	enum session_end end = SESSION_FAILED;
	int rc = setup_output_open(&output, cfg);

	if (rc)
		command_error(cfg);
	else
		rc = measure(cfg, &output, &end);
	if (setup_output_close(&output)) {
		command_error(cfg);
		end = SESSION_FAILED;
	}
	return command_exit(rc && end == SESSION_MEASURED ? SESSION_FAILED : end);
}

int setup_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	int status, rc;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	rc = check(&cfg);
	if (!rc)
		rc = setup_output_check(&cfg);
	if (rc) {
		results_refused(&cfg, rc);
		return COMMAND_REFUSED;
	}
	status = command_start();
	if (status)
		return status;
	return run(&cfg);
}
