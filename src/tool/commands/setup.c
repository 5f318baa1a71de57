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

#include "frame/results.h"
#include "objects/measure.h"
#include "util/err.h"

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
		return err_option(-EINVAL, "-n (--messages)",
				  "\"%" PRIu64 "\": out of range for setup; allowed: 1..%u or auto",
				  cfg->messages, SETUP_MAX_OPERATIONS);
	return measure_select(&selected, cfg->only);
}

static const struct format_rows setup_rows = {
	.table = &setup_row_table,
	.schema = SETUP_ROW_SCHEMA,
	.shows = FORMAT_SHOWS_SETUP,
	/* that a device cannot do something is a result */
	.harmless = "unsupported",
};

static int take(void *arg, const struct event *event)
{
	return output_take(&((struct results *)arg)->output, event);
}

/* The plan is that of one QP; it transfers nothing. */
static int measure(struct results *results, struct session *session, enum session_end *end)
{
	const struct cfg *cfg = results->cfg;
	const struct event_sink events = { take, results };
	const struct setup_options options = {
		.operations = cfg->messages,
		/* one QP is the default of the tests */
		.qps = cfg->given.qps ? cfg->qps : SETUP_QPS,
		.only = cfg->only,
	};
	const struct session_setup setup = { .options = &options, .events = &events };
	struct cfg test = *cfg;
	int rc;

	test.qps = 1;
	test.messages = CFG_AUTO64;
	rc = session_setup(session, &test, &setup, end);
	results->started = results->begun = *end != SESSION_REFUSED;
	return rc;
}

int setup_command(const struct command *cmd, const struct command_line *line)
{
	struct results results = { .measure = measure };
	struct cfg cfg;
	int status, rc;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	cfg.rows = &setup_rows;
	results.cfg = &cfg;
	rc = check(&cfg);
	if (!rc)
		rc = output_check(&cfg);
	if (rc) {
		results_refused(&cfg, rc);
		return COMMAND_REFUSED;
	}
	status = command_start();
	if (status)
		return status;
	return results_client(&results);
}
