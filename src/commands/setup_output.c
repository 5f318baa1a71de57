/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the files of the rows of setup; see setup_output.h. Called by commands. */
#include "config.h"
#include "commands/setup_output.h"

#include <string.h>

#include "json/json_build.h"
#include "report/format_cells.h"
#include "format/output.h"
#include "setup/setup_row.h"
#include "util/err.h"
#include "util/screen.h"
#include "util/text.h"

/* A new format with an option needs its place in this file. */
enum {
	FORMATS_KNOWN = 3,
	FORMATS_ALL = 0
#define FORMAT(name, text) + 1
#define FORMAT_STDOUT(name)
#include "config/formats.def"
};

_Static_assert(FORMATS_ALL == FORMATS_KNOWN, "setup_output.c does not write all formats");

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static struct lines_file csv_file(const struct cfg *cfg)
{
	return (struct lines_file){
		.path = cfg->csv, .table = &setup_row_table, .schema = SETUP_ROW_SCHEMA,
		.as = LINES_CSV,
		.start = cfg->force ? APPEND_FORCE : cfg->csv_new ? APPEND_ANEW : APPEND_ADD,
	};
}

static struct lines_file jsonl_file(const struct cfg *cfg)
{
	return (struct lines_file){
		.path = cfg->jsonl, .table = &setup_row_table, .schema = SETUP_ROW_SCHEMA,
		.as = LINES_JSON, .start = cfg->force ? APPEND_FORCE : APPEND_ADD,
	};
}

static struct format_json_file json_file(const struct cfg *cfg)
{
	return (struct format_json_file){ .path = cfg->json, .force = cfg->force };
}

int setup_output_check(const struct cfg *cfg)
{
	const struct lines_file csv = csv_file(cfg), jsonl = jsonl_file(cfg);
	const struct format_json_file json = json_file(cfg);
	int rc = output_check_same(cfg);

	if (!rc && cfg->csv)
		rc = lines_check(&csv);
	if (!rc && cfg->jsonl)
		rc = lines_check(&jsonl);
	if (!rc && cfg->json)
		rc = format_json_file_check(&json);
	return rc;
}

/* An old document does not say "ok" while this run can still fail, or be killed. */
static int open_json(struct setup_output *out, const struct cfg *cfg)
{
	json_t *running = format_json_file_doc(SETUP_ROW_SCHEMA, "running", NULL);
	int rc;

	out->json = json_file(cfg);
	out->doc = format_json_file_doc(SETUP_ROW_SCHEMA, "ok", NULL);
	out->has_json = out->doc;
	rc = out->doc ? format_json_file_mark(&out->json, running) :
			err_set(-ENOMEM, "no memory for the JSON document");
	json_decref(running);
	return rc;
}

int setup_output_open(struct setup_output *out, const struct cfg *cfg)
{
	const struct lines_file csv = csv_file(cfg), jsonl = jsonl_file(cfg);
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->has_csv = cfg->csv;
	out->has_jsonl = cfg->jsonl;
	out->screen = (struct format_screen){
		.width = cfg->wide ? SCREEN_UNLIMITED : screen_columns(),
		.verbose = cfg->verbose,
	};
	if (cfg->csv)
		rc = lines_open(&out->csv, &csv);
	if (!rc && cfg->jsonl)
		rc = lines_open(&out->jsonl, &jsonl);
	if (!rc && cfg->json)
		rc = open_json(out, cfg);
	if (!is_stdout(cfg->csv) && !is_stdout(cfg->json) && !is_stdout(cfg->jsonl))
		out->table = stdout;
	return rc;
}

static void take_start(void *arg, const struct setup_start *start)
{
	struct setup_output *out = arg;
	json_t *run;

	if (out->table)
		setup_table_start(out, start);
	if (!out->has_json)
		return;
	run = json_object();
	json_build_set(&run, "plan", plan_encode(start->plan));
	json_build_set(&run, "self", limits_encode(start->self));
	json_build_set(&run, "peer", limits_encode(start->peer));
	json_build_set(&out->doc, "run", run);
}

static void take_row(void *arg, const struct setup_row *row)
{
	struct setup_output *out = arg;

	if (out->table)
		setup_table_row(out, row);
	if (out->has_csv)
		lines_add(&out->csv, row, false);
	if (out->has_jsonl)
		lines_add(&out->jsonl, row, false);
	if (!out->has_json)
		return;
	json_build_add_to(&out->doc, "rows", format_cells_json(&setup_row_table, row));
	/* that a device cannot do something is a result */
	if (strcmp(row->status, setup_status_names[SETUP_UNSUPPORTED]))
		format_json_file_status(&out->doc, row->status);
}

struct setup_sink setup_output_sink(struct setup_output *out)
{
	return (struct setup_sink){ .start = take_start, .row = take_row, .arg = out };
}

void setup_output_error(struct setup_output *out, const char *status, const char *text)
{
	char clean[ERR_TEXT_MAX];

	if (!out->has_json)
		return;
	json_build_set(&out->doc, "status", json_string(status));
	json_build_set(&out->doc, "error", json_string(text_clean(text, clean, sizeof(clean))));
}

int setup_output_close(struct setup_output *out)
{
	int first = out->has_csv ? lines_close(&out->csv) : 0, rc;

	rc = out->has_jsonl ? lines_close(&out->jsonl) : 0;
	first = first ? first : rc;
	rc = out->has_json ? format_json_file_write(&out->json, out->doc) : 0;
	json_decref(out->doc);
	out->doc = NULL;
	return first ? first : rc;
}
