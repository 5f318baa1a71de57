/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The columns of a row and what follows from them alone: an empty row, its rates, its line of CSV
 * and object of JSON, the schema document. Where a value comes from is in row_build.c.
 */
#include "config.h"
#include "row/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/counters.h"
#include "util/text.h"

const char *const row_kind_names[] = {
	[ROW_KIND_RESULT] = "result", [ROW_KIND_INTERVAL] = "interval", [ROW_KIND_TOTAL] = "total",
	[ROW_KIND_KNEE] = "knee", [ROW_KIND_BACKGROUND] = "background",
	[ROW_KIND_VICTIM] = "victim", NULL
};

static const char *const row_direction_names[] = {
	[ROW_TO_SERVER] = "to_server", [ROW_TO_CLIENT] = "to_client", [ROW_BOTH_WAYS] = "both", NULL
};

static const char *const row_counted_by_names[] = {
	[ROW_BY_SENDER] = "sender", [ROW_BY_RECEIVER] = "receiver", [ROW_BY_BOTH] = "both", NULL
};

static const char *const row_lat_kind_names[] = {
	[ROW_LAT_HALF_RTT] = "half_rtt", [ROW_LAT_COMPLETION] = "completion", NULL
};

const char *const row_limiter_names[] = {
	[LIMITER_LINK] = "link", [LIMITER_PCIE] = "pcie", [LIMITER_LOSS] = "loss",
	[LIMITER_RNR] = "rnr", [LIMITER_CPU_SHARE] = "cpu_share", [LIMITER_ONE_CORE] = "one_core",
	[LIMITER_FAR_MEMORY] = "far_memory", NULL
};

#define COLUMN(type, f, source, ...) \
	{ FIELD_OF(struct row, f), .flags = FIELD_COLUMN, __VA_ARGS__ },
#define COLUMN_TEXT(n, f, source, ...) COLUMN(char, f, source, __VA_ARGS__)
static const struct field columns[] = {
#include "row/row.def"
};

const struct field_table row_table = {
	.what = "row", .rows = columns, .n = FIELD_COUNT(columns),
};

double row_main_figure(const struct row *row)
{
	return row->pattern == PATTERN_STREAM ? row->message_rate_per_s : row->lat_p50_ns;
}

const char *row_text(const struct row *row, size_t off)
{
	size_t base;

	return field_text(field_at(&row_table, off, &base), row);
}

void row_init(struct row *row)
{
	memset(row, 0, sizeof(*row));
	field_clear(&row_table, row);
	row->schema = ROW_SCHEMA;
	snprintf(row->tool_version, sizeof(row->tool_version), "%s", PACKAGE_VERSION);
}

const char *row_beside(const struct row *row)
{
	if (row->background_qps == ROW_NONE)
		return "";
	return row_is_beside(row) ? "beside" : "alone";
}

const char *row_why(const struct row *row, char text[ROW_WHY])
{
	const char *status = ROW_TEXT_OF(row, status);
	char reason[ROW_TEXT];
	bool said;

	text_clean(row->reason, reason, sizeof(reason));
	said = !strncmp(reason, status, strlen(status));
	snprintf(text, ROW_WHY, "%s%s%s", said ? "" : status, said ? "" : ": ", reason);
	return text;
}

/* In long double, so that the printed digits are those of the exact quotient. */
void row_rates(struct row *row)
{
	long double window_ns = row->window_ns;

	row->bandwidth_gbit_s = NAN;
	row->bandwidth_mib_s = NAN;
	row->message_rate_per_s = NAN;
	if (!row->window_ns || row->window_ns == ROW_NONE || row->window_messages == ROW_NONE ||
	    (!row->window_messages && row->messages))
		return;
	if (row->size_bytes != ROW_NONE) {
		const long double bytes = row->window_bytes != ROW_NONE ? row->window_bytes :
			(long double)row->window_messages * row->size_bytes;

		row->bandwidth_gbit_s = (double)(bytes * 8 / window_ns);
		row->bandwidth_mib_s = (double)(bytes * 1e9L / (1048576 * window_ns));
	}
	row->message_rate_per_s = (double)(row->window_messages * 1e9L / window_ns);
}

/* ---- CSV and JSON of any table of columns */

void row_csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

void row_csv_foreign(FILE *out, const char *text)
{
	char *marked;

	if (!text_is_formula(text) || asprintf(&marked, "%c%s", TEXT_CSV_MARK, text) < 0) {
		row_csv_text(out, text_is_formula(text) ? "" : text);
		return;
	}
	row_csv_text(out, marked);
	free(marked);
}

void row_csv_names(FILE *out, const struct field_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		if (i)
			putc(',', out);
		row_csv_text(out, table->rows[i].name);
	}
	putc('\n', out);
}

void row_csv(FILE *out, const struct field_table *table, const void *obj)
{
	char text[FIELD_TEXT_MAX];

	for (size_t i = 0; i < table->n; i++) {
		const struct field *row = &table->rows[i];

		if (i)
			putc(',', out);
		field_format(row, obj, text, sizeof(text));
		if (row->type == FIELD_TEXT)
			row_csv_foreign(out, text);
		else
			row_csv_text(out, text);
	}
	putc('\n', out);
}

/* What follows the last valid pair is left out. */
static json_t *pairs(const char *list)
{
	json_t *object = json_object();
	struct counters_item item;

	while (object && (list = counters_next(list, &item)))
		if (json_object_set_new(object, item.name, json_integer((json_int_t)item.delta))) {
			json_decref(object);
			object = NULL;
		}
	return object;
}

static json_t *cell(const struct field *column, const void *obj)
{
	char text[FIELD_TEXT_MAX];

	if (column->pairs && !field_is_absent(column, obj))
		return pairs(field_format(column, obj, text, sizeof(text)));
	if (column->type != FIELD_F64 || field_is_absent(column, obj))
		return field_json(column, obj);
	return json_real(strtod(field_format(column, obj, text, sizeof(text)), NULL));
}

json_t *row_json(const struct field_table *table, const void *obj)
{
	json_t *json = json_object();

	for (size_t i = 0; json && i < table->n; i++)
		if (json_object_set_new(json, table->rows[i].name, cell(&table->rows[i], obj))) {
			json_decref(json);
			json = NULL;
		}
	return json;
}

/* ---- documents */

const struct row_key row_document[] = {
	{ "schema", "version of the columns of `rows`" },
	{ "tool_version", "version of verbench that measured" },
	{ "status", "of the run: `ok`; `incomplete`; `interrupted` by a signal on one side; `failed`; `refused`: the options cannot be run, and nothing was measured; `running`: it has not ended, or was killed" },
	{ "error", "why the run failed or was refused; null: the rows have their reasons" },
	{ "run", "null: the two sides did not agree on a plan" },
	{ "run.side", "the side that wrote the document: `client` or `server`" },
	{ "run.options", "every option of the test by its long name with `_` for `-`, as it was given or its default; a time ends in its unit (`duration_ms`, `stall_timeout_ms`, `spin_us`)" },
	{ "run.plan", "what was chosen: keys have the names of columns or options, but those of *agree* in `docs/dev/protocol.md`; of setup: the plan of its queue pairs" },
	{ "run.notes", "what was chosen and why, in words" },
	{ "run.self", "limits of this side: the keys of limits in verbench-check(1)" },
	{ "run.peer", "limits of the other side; of several receivers: of the first" },
	{ "cells", "of a sweep: one object per cell that both sides agreed on, in the order of measuring; `run` is that of the first one" },
	{ "cells.cell", "the cell, as the column of its rows; `cells.scenario` likewise" },
	{ "cells.plan", "of the cell, with `cells.side`, `cells.options` and `cells.notes`, as in `run`" },
	{ "cells.self", "only if it is not that of `run`; `cells.peer` likewise" },
	{ "rows", "the rows, in the order of the columns" },
	{ "intervals", "the rows of the intervals, as those of `rows`; with `--interval`" },
	{ "points", "one object per size, in the order of the sizes; setup has none" },
	{ "points.index", "number of the size, from 0" },
	{ "points.size_bytes", "the size" },
	{ "points.histogram", "latency, on the side that took the samples: all of them; `samples` is their number, `min_ns` and `max_ns` the extremes" },
	{ "points.histogram.buckets", "those that have samples, ascending: a list of lists of the lower bound in ns, the upper bound, which is in the next bucket, and the number of samples. The bounds are the same in all files, 512 buckets per power of two of picoseconds, so histograms are merged by adding the samples of equal bounds. The percentile p is in the bucket with the sample number p * `samples`, rounded up, counted from 1; its middle is within 0.2 %" },
	{ "points.cell", "of a sweep: the cell; `points.scenario` likewise" },
};

const size_t row_n_document = FIELD_COUNT(row_document);
