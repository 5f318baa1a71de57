/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the files of the rows of setup; see setup_output.h. Called by commands. */
#include "config.h"
#include "commands/setup_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/format_cells.h"
#include "report/row.h"
#include "util/err.h"
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

static int open_csv(struct setup_output *out, const char *path)
{
	int rc;

	out->csv.what = "CSV";
	rc = format_file_open(&out->csv, path, "we");
	if (rc)
		return rc;
	format_cells_csv_names(out->csv.out, &setup_row_table);
	format_file_flush(&out->csv);
	return 0;
}

static int open_jsonl(struct setup_output *out, const char *path)
{
	out->jsonl.what = "JSON Lines";
	return format_file_open(&out->jsonl, path, "ae");
}

static int open_json(struct setup_output *out, const char *path)
{
	out->doc = json_pack("{s:i, s:s, s:n, s:n, s:[]}", "schema", SETUP_ROW_SCHEMA,
			     "tool_version", PACKAGE_VERSION, "error", "run", "rows");
	if (!out->doc)
		return err_set(-ENOMEM, "no memory for the JSON document");
	return format_json_file_open(&out->json, path, false);
}

int setup_output_open(struct setup_output *out, const struct cfg *cfg)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (cfg->csv)
		rc = open_csv(out, cfg->csv);
	if (!rc && cfg->jsonl)
		rc = open_jsonl(out, cfg->jsonl);
	if (!rc && cfg->json)
		rc = open_json(out, cfg->json);
	if (!is_stdout(cfg->csv) && !is_stdout(cfg->json) && !is_stdout(cfg->jsonl))
		out->table = stdout;
	return rc;
}

static void take_start(void *arg, const struct setup_start *start)
{
	struct setup_output *out = arg;
	json_t *run;

	if (out->table)
		setup_table_start(out->table, start);
	if (!out->doc)
		return;
	run = json_object();
	json_object_set_new(run, "plan", plan_encode(start->plan));
	json_object_set_new(run, "self", limits_encode(start->self));
	json_object_set_new(run, "peer", limits_encode(start->peer));
	json_object_set_new(out->doc, "run", run);
}

static void write_line(struct format_file *f, const json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(ROW_JSON_DIGITS));

	if (text)
		fprintf(f->out, "%s\n", text);
	else
		f->err = f->err ? f->err : -ENOMEM;
	format_file_flush(f);
	free(text);
}

static void take_row(void *arg, const struct setup_row *row)
{
	struct setup_output *out = arg;
	json_t *json = out->doc || out->jsonl.out ? format_cells_json(&setup_row_table, row) : NULL;

	if (out->table)
		setup_table_row(out->table, row, out->measurement);
	if (out->csv.out) {
		format_cells_csv(out->csv.out, &setup_row_table, row);
		format_file_flush(&out->csv);
	}
	if (out->jsonl.out)
		write_line(&out->jsonl, json);
	if (out->doc)
		json_array_append(json_object_get(out->doc, "rows"), json);
	json_decref(json);
}

struct setup_sink setup_output_sink(struct setup_output *out)
{
	return (struct setup_sink){ .start = take_start, .row = take_row, .arg = out };
}

void setup_output_error(struct setup_output *out, const char *text)
{
	char clean[ERR_TEXT_MAX];

	if (out->doc)
		json_object_set_new(out->doc, "error",
				    json_string(text_clean(text, clean, sizeof(clean))));
}

int setup_output_close(struct setup_output *out)
{
	int first = 0, rc;

	if (out->csv.out)
		first = format_file_close(&out->csv);
	rc = out->jsonl.out ? format_file_close(&out->jsonl) : 0;
	first = first ? first : rc;
	rc = out->json.out ? format_json_file_write(&out->json, out->doc) : 0;
	json_decref(out->doc);
	out->doc = NULL;
	return first ? first : rc;
}
