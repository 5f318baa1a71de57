/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room row: makes rows from the results of both sides. It knows no sockets, no devices and no
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

#include "device/counters.h"
#include "options/kind.h"
#include "place/affinity_report.h"
#include "util/field.h"
#include "worker/result.h"

#define ROW_SCHEMA 1
#define ROW_NONE UINT64_MAX
#define ROW_NAME 64
#define ROW_TEXT 512
#define ROW_RUN 128 /* enough for what mesh_run says */

/*
 * The codes of warnings: a word for each kind of warning, which does not change when its sentence
 * does. Bits: those of enum affinity_warning, and of the report itself.
 */
#define WARNING_CODES_MISSED_EVENTS (1u << AFFINITY_WARNINGS)
#define WARNING_CODES_SHORT_WINDOW (2u << AFFINITY_WARNINGS)
#define WARNING_CODES_ABOVE_LINK (4u << AFFINITY_WARNINGS)
#define WARNING_CODES_NO_GAP (8u << AFFINITY_WARNINGS)
#define WARNING_CODES_PARTLY_SHARED (16u << AFFINITY_WARNINGS)
#define WARNING_CODES_RETRANSMISSIONS (32u << AFFINITY_WARNINGS)
#define WARNING_CODES_SATURATED (64u << AFFINITY_WARNINGS)
#define WARNING_CODES_UNSTEADY (128u << AFFINITY_WARNINGS)
#define WARNING_CODES_ALL ((256u << AFFINITY_WARNINGS) - 1)

#define WARNING_CODES_TEXT 192 /* enough for all of them */

enum row_kind {
	ROW_KIND_RESULT, ROW_KIND_INTERVAL, ROW_KIND_TOTAL, ROW_KIND_KNEE, ROW_KIND_BACKGROUND,
	ROW_KIND_VICTIM
};
extern const char *const row_kind_names[];

enum row_direction { ROW_TO_SERVER, ROW_TO_CLIENT, ROW_BOTH_WAYS };
enum row_counted_by { ROW_BY_SENDER, ROW_BY_RECEIVER, ROW_BY_BOTH };
enum row_limiter {
	LIMITER_LINK, LIMITER_PCIE, LIMITER_LOSS, LIMITER_RNR, LIMITER_CPU_SHARE, LIMITER_ONE_CORE,
	LIMITER_FAR_MEMORY
};
extern const char *const row_limiter_names[];

enum row_lat_kind { ROW_LAT_HALF_RTT, ROW_LAT_COMPLETION };

#define COLUMN(type, f, source, ...) FIELD_DECLARE(type, f)
#define COLUMN_TEXT(n, f, source, ...) FIELD_DECLARE_TEXT(n, f)
struct row {
#include "row/row.def"
};

extern const struct field_table row_table;

/* The column at that offset if it is a text or an enum: as in files, "" if it is absent. */
const char *row_text(const struct row *row, size_t off);
#define ROW_TEXT_OF(r, f) row_text(r, offsetof(struct row, f))

static inline bool row_is_interval(const struct row *row)
{
	return row->kind == ROW_KIND_INTERVAL;
}

/*
 * What a row is about: message_rate_per_s of a stream, else lat_p50_ns. NAN: it does not have it.
 */
double row_main_figure(const struct row *row);

/* A probe that ran beside bulk traffic (--background)? */
static inline bool row_is_beside(const struct row *row)
{
	return row->background_qps != ROW_NONE && row->background_qps;
}

/* Of a probe of --background "alone" or "beside", else "". */
const char *row_beside(const struct row *row);

#define ROW_WHY (ROW_NAME + 2 + ROW_TEXT)

/* A window of bandwidth that is shorter has the warning short_window. */
#define ROW_SHORT_NS 50000000u
#define ROW_SHORT_TEXT "less than 50 ms"

/*
 * Why the row is not ok, for people: "failed: REASON", or the reason alone if it begins with the
 * status ("interrupted on the client"). Returns text.
 */
const char *row_why(const struct row *row, char text[ROW_WHY]);

/* "displaced preempted": the words of these bits, "" without any. Returns text. */
const char *row_warning_codes(unsigned int codes, char *text, size_t size);
bool row_is_warning_code(const char *word);

/* Everything absent, schema and tool version set. */
void row_init(struct row *row);

/*
 * With bytes = window_bytes, or without it window_messages*size_bytes:
 * bandwidth_gbit_s = bytes*8/window_ns, bandwidth_mib_s = bytes/2^20/(window_ns/1e9),
 * message_rate_per_s = window_messages/(window_ns/1e9); absent when the window is (ROW_NONE or 0),
 * and where there are messages but none in it.
 */
void row_rates(struct row *row);

/* ---- CSV and JSON of any table of columns; obj is the struct of the table */

/* One cell, quoted where RFC 4180 says so. */
void row_csv_text(FILE *out, const char *text);
/* The same of a text that may be of the peer: marked if a spreadsheet would execute it. */
void row_csv_foreign(FILE *out, const char *text);

/* The line of the names, and the line of a row, each with a bare newline at its end. */
void row_csv_names(FILE *out, const struct field_table *table);
void row_csv(FILE *out, const struct field_table *table, const void *obj);

/*
 * The row as a JSON object: numbers have the same digits as in CSV if they are written with
 * JSON_REAL_PRECISION(ROW_JSON_DIGITS). New reference; NULL: no memory.
 */
json_t *row_json(const struct field_table *table, const void *obj);

/*
 * A decimal of up to 15 significant digits passes unchanged through a double and "%.15g" (C11
 * 5.2.4.2.2, DBL_DIG), so numbers that are cut to FIELD_DIGITS in text read the same as in CSV.
 */
#define ROW_JSON_DIGITS 15

/* ---- documents */

/* The keys of the JSON document of a run, with what they mean: "rows", "points.index". */
struct row_key {
	const char *key, *meaning;
};

extern const struct row_key row_document[];
extern const size_t row_n_document;

#endif
