/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command check: its options, outputs and exit status, and its JSON: verbench-check(1).
 */
#include "config.h"
#include "check/check.h"

#include <stdlib.h>
#include <string.h>

#include "frame/results.h"
#include "options/label.h"
#include "file/json_build.h"
#include "row/row.h"
#include "util/err.h"
#include "util/log.h"

static const struct format_rows check_rows = {
	.table = &check_cell_table,
	.schema = CHECK_SCHEMA,
	/* that a device cannot do something is a result */
	.harmless = "not_offered",
	.shows = FORMAT_SHOWS_NOTHING,
};

#define COLUMN(f, ...) { FIELD_OF(struct finding, f), .flags = FIELD_COLUMN, __VA_ARGS__ }

static const struct field finding_columns[] = {
	COLUMN(code),
	COLUMN(side),
	COLUMN(host, .absent = FIELD_NEVER),
	COLUMN(device, .absent = FIELD_NEVER),
	COLUMN(text, .absent = FIELD_NEVER),
	COLUMN(remedy, .absent = FIELD_NEVER),
};

static const struct field_table finding_table = {
	.what = "finding", .rows = finding_columns, .n = FIELD_COUNT(finding_columns),
};

void check_tell(struct check *check, const char *key, json_t *value)
{
	const struct event_part part = { key, value };

	output_take(&check->output, &(struct event){ EVENT_PART, .part = &part });
	json_decref(value);
}

void check_tell_findings(struct check *check, const char *key, const struct findings *findings)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < findings->n; i++)
		json_build_add(&all, row_json(&finding_table, &findings->list[i]));
	check_tell(check, key, all);
}

void check_stop(struct check *check, const char *status)
{
	check->status = status;
	snprintf(check->error, sizeof(check->error), "%s", label_error(check->cfg));
}

static json_t *side_json(const struct session_facts *facts, enum side side)
{
	if (!facts->known[side])
		return json_null();
	return json_pack("{s:o,s:o}", "limits", limits_encode(&facts->limits[side]), "machine",
			 field_encode(json_object(), &machine_table, &facts->machine[side],
				      FIELD_WIRE));
}

static void tell(struct check *check)
{
	json_t *counts = json_object();

	for (int i = 0; i < CHECK_STATUSES; i++)
		json_build_set(&counts, check_status_names[i], json_integer(check->counts[i]));
	check_tell(check, "run",
		   json_pack("{s:s,s:o,s:o,s:f}", "command", "check", "client",
			     side_json(&check->facts, SIDE_CLIENT), "server",
			     side_json(&check->facts, SIDE_SERVER), "seconds", check->seconds));
	check_tell(check, "counts", counts);
	for (uint32_t i = 0; i < check->n_cells; i++)
		output_take(&check->output,
			    &(struct event){ EVENT_ROW, .record = &check->cells[i] });
	check_tell_findings(check, "warnings", &check->warnings);
}

static void check_pair(struct check *check)
{
	check_list(check);
	check_run(check);
	if (output_for_people(check->cfg))
		check_print(stdout, check);
	tell(check);
}

/* Prints what ended the check early. Returns the exit status. */
static int end(struct check *check)
{
	const struct event_end how = { check->status, check->error[0] ? check->error : NULL };

	fflush(stdout);
	if (how.error)
		log_error("%s", how.error);
	if (output_close(&check->output, &how)) {
		command_error(check->cfg);
		return COMMAND_FAILED;
	}
	if (!strcmp(check->status, "refused"))
		return COMMAND_REFUSED;
	return strcmp(check->status, "ok") ? COMMAND_FAILED : COMMAND_OK;
}

int check_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	struct check check = { .cfg = &cfg };
	int status;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	cfg.rows = &check_rows;
	if (!results_check(&cfg))
		return COMMAND_REFUSED;
	status = command_start();
	if (status)
		return status;
	if (output_open(&check.output, &cfg))
		check_stop(&check, "failed");
	else if (cfg.host)
		check_pair(&check);
	else
		check_local(&check);
	status = end(&check);
	free(check.cells);
	free(check.warnings.list);
	return status;
}
