/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where results go: the table, CSV and JSON that the options ask for, opened before anything runs.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "config/cfg.h"
#include "report/format.h"

struct output {
	bool table_wanted;  /* not when CSV or JSON goes to standard output */
	bool spaced;        /* an empty line after it: other sessions' tables follow */
	struct format_table table;
	struct format_csv csv;
	struct format_json json;
};

/*
 * For a server of many: the files emptied and the CSV's header written before the first session;
 * cfg->adds then makes each session add to them. -errno with a sentence.
 */
int output_prepare(const struct cfg *cfg) __attribute__((warn_unused_result));

int output_open(struct output *out, const struct cfg *cfg) __attribute__((warn_unused_result));
void output_start(struct output *out, const struct format_run *run);
/* Before its rows. */
void output_point(struct output *out, const struct point *point,
		  const struct result_detail *detail);
void output_row(struct output *out, const struct row *row);

/*
 * error: why the run failed, NULL when it did not. -errno with a sentence: results could not be
 * written.
 */
int output_close(struct output *out, const char *error) __attribute__((warn_unused_result));

#endif
