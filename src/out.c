/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Hands rows to the formatters that are open; see out.h. */
#include "config.h"

#include "out.h"

#include <errno.h>
#include <string.h>

#include "err.h"

static bool to_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

int out_open(struct out *out, const struct cfg *cfg)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->spaced = cfg->adds;
	out->table_wanted = !to_stdout(cfg->csv) && !to_stdout(cfg->json);
	if (cfg->csv)
		rc = cfg->adds ? fmt_csv_add(&out->csv, cfg->csv) :
				 fmt_csv_open(&out->csv, cfg->csv);
	if (!rc && cfg->json)
		rc = cfg->adds ? fmt_json_add(&out->json, cfg->json) :
				 fmt_json_open(&out->json, cfg->json);
	return rc;
}

int out_prepare(const struct cfg *cfg)
{
	struct fmt_csv csv = { 0 };
	FILE *json;
	int rc = 0;

	if (cfg->csv)
		rc = fmt_csv_open(&csv, cfg->csv);
	if (!rc)
		rc = fmt_csv_close(&csv);
	if (rc || !cfg->json || to_stdout(cfg->json))
		return rc;
	json = fopen(cfg->json, "we");
	if (!json)
		return err_set(-errno, "open %s for JSON: %s", cfg->json, strerror(errno));
	fclose(json);
	return 0;
}

void out_start(struct out *out, const struct fmt_run *run)
{
	if (out->table_wanted)
		fmt_table_start(&out->table, stdout, run);
	fmt_json_start(&out->json, run);
}

void out_point(struct out *out, const struct point *point, const struct result_detail *detail)
{
	fmt_json_point(&out->json, point, detail);
}

void out_row(struct out *out, const struct row *row)
{
	fmt_table_row(&out->table, row);
	fmt_csv_row(&out->csv, row);
	fmt_json_row(&out->json, row);
}

int out_close(struct out *out, const char *error)
{
	const bool has_table = out->table.out;
	int csv, json;

	fmt_table_end(&out->table);
	if (out->spaced && has_table) {
		putchar('\n');
		fflush(stdout);
	}
	if (error)
		fmt_json_error(&out->json, error);
	csv = fmt_csv_close(&out->csv);
	json = fmt_json_close(&out->json);
	return csv ? csv : json;
}
