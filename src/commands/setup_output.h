/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Where the rows of setup go: the table, CSV, JSON and JSON Lines, as the options ask. */
#ifndef SETUP_OUTPUT_H
#define SETUP_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "config/cfg.h"
#include "format/format.h"
#include "format/format_json_file.h"
#include "format/lines.h"
#include "setup/measure.h"

struct setup_output {
	FILE *table;               /* NULL: another format has standard output */
	char measurement[SETUP_ROW_NAME]; /* of the last row of the table */
	struct format_screen screen;
	bool has_csv, has_json, has_jsonl; /* asked for */
	struct lines csv, jsonl;
	struct format_json_file json;
	json_t *doc;               /* format_json_file_doc(); NULL: not asked for, or no memory */
};

/*
 * Before anything runs: as output_check(). -errno with an error message. Touches nothing.
 */
int setup_output_check(const struct cfg *cfg) __attribute__((warn_unused_result));

/* -errno with an error message; setup_output_close() is due all the same. */
int setup_output_open(struct setup_output *out, const struct cfg *cfg)
	__attribute__((warn_unused_result));

struct setup_sink setup_output_sink(struct setup_output *out);

/* How and why the run failed, for the JSON document. */
void setup_output_error(struct setup_output *out, const char *status, const char *text);

/* -errno with an error message: something was not written. */
int setup_output_close(struct setup_output *out) __attribute__((warn_unused_result));

/* ---- the table for people: setup_table.c */

void setup_table_start(const struct setup_output *out, const struct setup_start *start);

/* out->measurement: of the row before, "" none; updated. */
void setup_table_row(struct setup_output *out, const struct setup_row *row);

#endif
