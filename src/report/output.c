/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Hands rows to the formatters that are open; see out.h. */
#include "config.h"

#include "report/output.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"

static bool to_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

int output_open(struct output *out, const struct cfg *cfg)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->spaced = cfg->adds;
	out->table_wanted = !to_stdout(cfg->csv) && !to_stdout(cfg->json);
	if (cfg->csv)
		rc = cfg->adds ? format_csv_add(&out->csv, cfg->csv) :
				 format_csv_open(&out->csv, cfg->csv);
	if (!rc && cfg->json)
		rc = cfg->adds ? format_json_add(&out->json, cfg->json) :
				 format_json_open(&out->json, cfg->json);
	return rc;
}

int output_prepare(const struct cfg *cfg)
{
	struct format_csv csv = { 0 };
	FILE *json;
	int rc = 0;

	if (cfg->csv)
		rc = format_csv_open(&csv, cfg->csv);
	if (!rc)
		rc = format_csv_close(&csv);
	if (rc || !cfg->json || to_stdout(cfg->json))
		return rc;
	json = fopen(cfg->json, "we");
	if (!json)
		return err_set(-errno, "open %s for JSON: %s", cfg->json, strerror(errno));
	fclose(json);
	return 0;
}

void output_start(struct output *out, const struct format_run *run)
{
	if (out->table_wanted)
		format_table_start(&out->table, stdout, run);
	format_json_start(&out->json, run);
}

void output_point(struct output *out, const struct point *point, const struct result_detail *detail)
{
	format_json_point(&out->json, point, detail);
}

void output_row(struct output *out, const struct row *row)
{
	format_table_row(&out->table, row);
	format_csv_row(&out->csv, row);
	format_json_row(&out->json, row);
}

int output_close(struct output *out, const char *error)
{
	const bool has_table = out->table.out;
	int csv, json;

	format_table_end(&out->table);
	if (out->spaced && has_table) {
		putchar('\n');
		fflush(stdout);
	}
	if (error)
		format_json_error(&out->json, error);
	csv = format_csv_close(&out->csv);
	json = format_json_close(&out->json);
	return csv ? csv : json;
}
