/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder report: makes rows from the results of both sides. It knows no sockets, no devices and no
 * files.
 *
 * This header: one result, which is one line of CSV and one JSON object. row.def is the list of its
 * columns: struct, table, CSV, JSON, the schema document and the reader are made from it. A value
 * that was not measured is absent (util/field.h): an empty cell in CSV, null in JSON, "-" in the
 * table.
 */
#ifndef ROW_H
#define ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <jansson.h>

#include "report/warning_codes.h"
#include "util/field.h"

#define ROW_SCHEMA 1
#define ROW_NONE UINT64_MAX
#define ROW_NAME 64
#define ROW_TEXT 512

#define COLUMN(type, f, source, ...) FIELD_DECLARE(type, f)
#define COLUMN_TEXT(n, f, source, ...) FIELD_DECLARE_TEXT(n, f)
struct row {
#include "report/row.def"
};

extern const struct field_table row_table;

/* Of the column kind. */
extern const char *const row_kind_result, *const row_kind_interval, *const row_kind_total;

bool row_is_interval(const struct row *row);

#define ROW_WHY (ROW_NAME + 2 + ROW_TEXT)

/* A window of bandwidth that is shorter has the warning short_window. */
#define ROW_SHORT_NS 50000000u
#define ROW_SHORT_TEXT "less than 50 ms"

/*
 * Why the row is not ok, for people: "failed: REASON", or the reason alone if it begins with the
 * status ("interrupted on the client"). Returns text.
 */
const char *row_why(const struct row *row, char text[ROW_WHY]);

/* Everything absent, schema and tool version set. */
void row_init(struct row *row);

/*
 * With bytes = window_messages*size_bytes: bandwidth_gbit_s = bytes*8/window_ns, bandwidth_mib_s =
 * bytes/2^20/(window_ns/1e9), message_rate_per_s = window_messages/(window_ns/1e9); absent when the
 * window is (ROW_NONE or 0), and where there are messages but none in it.
 */
void row_rates(struct row *row);

/*
 * The row as a JSON object: numbers have the same digits as in CSV if they are written with
 * JSON_REAL_PRECISION(ROW_JSON_DIGITS). New reference; NULL: no memory.
 */
json_t *row_json(const struct row *row);

/*
 * A decimal of up to 15 significant digits passes unchanged through a double and "%.15g" (C11
 * 5.2.4.2.2, DBL_DIG), so numbers that are cut to FIELD_DIGITS in text read the same as in CSV.
 */
#define ROW_JSON_DIGITS 15

/* The keys of the JSON document of a run, with what they mean: "rows", "points.index". */
struct row_key {
	const char *key, *meaning;
};

extern const struct row_key row_document[];
extern const size_t row_n_document;

/* The document of the columns, Markdown: docs/schema.md is its output. */
void row_schema(FILE *out);

#endif
