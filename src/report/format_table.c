/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the rows of the table that people read in a terminal: results and footnotes. The lines above
 * them are format_head.c's. Called by output.c. Scripts read CSV or JSON; nothing here is meant for
 * them. Must not compute results, only scale them.
 */
#include "config.h"
#include "report/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/format_head.h"
#include "util/err.h"
#include "util/histogram.h"
#include "util/text.h"

#define CELL_TEXT 64
/* Sizes are at most 2^31 bytes: 10 digits. Latencies stay aligned up to 999999.999 us. */
#define BYTES_WIDTH 10
#define COUNT_WIDTH 12
#define RATE_WIDTH 12
#define LAT_WIDTH 10

/* Which results a table has: by the plan. lossy: messages may be lost and are counted. */
struct table {
	FILE *out;
	bool started, spaced;
	bool lat, lossy, bidir;
	int receiver_width; /* of the names of the receivers of a group; 0: no such column */
	uint32_t lines;     /* rows printed */
	FILE *notes;        /* footnotes, gathered in text until the end */
	char *text;
	size_t text_len;
	uint32_t n_notes;
};

struct lat_column {
	const char *name;
	size_t off;
	uint64_t num, den;    /* the quantile, 0/1: needs no minimum of samples */
};

static const struct lat_column lat_columns[] = {
	{ "min", offsetof(struct row, lat_min_ns), 0, 1 },
	{ "p50", offsetof(struct row, lat_p50_ns), 50, 100 },
	{ "p90", offsetof(struct row, lat_p90_ns), 90, 100 },
	{ "p99", offsetof(struct row, lat_p99_ns), 99, 100 },
	{ "p99.9", offsetof(struct row, lat_p99_9_ns), 999, 1000 },
	{ "p99.99", offsetof(struct row, lat_p99_99_ns), 9999, 10000 },
	{ "max", offsetof(struct row, lat_max_ns), 0, 1 },
	{ "mean", offsetof(struct row, lat_mean_ns), 0, 1 },
	{ "stdev", offsetof(struct row, lat_stdev_ns), 0, 1 },
};

#define N_LAT (sizeof(lat_columns) / sizeof(lat_columns[0]))

static double lat_ns(const struct row *row, const struct lat_column *column)
{
	const void *at = (const char *)row + column->off;

	return *(const double *)at;
}

static void put(FILE *out, int width, const char *text)
{
	fprintf(out, " %*s", width - 1, text);
}

static void put_u64(FILE *out, int width, uint64_t v)
{
	char text[CELL_TEXT] = "-";

	if (v != ROW_NONE)
		snprintf(text, sizeof(text), "%" PRIu64, v);
	put(out, width, text);
}

/* A figure has an exponent if the fixed decimals leave less than two digits of it. */
static void put_f64(FILE *out, int width, int decimals, double v)
{
	char text[CELL_TEXT] = "-";

	if (v > 0 && v < pow(10, 1 - decimals))
		snprintf(text, sizeof(text), "%.2e", v);
	else if (isfinite(v))
		snprintf(text, sizeof(text), "%.*f", decimals, v);
	put(out, width, text);
}

static void print_columns(const struct table *t, const struct plan *plan)
{
	FILE *out = t->out;

	if (t->lat)
		fprintf(out, "latency in us; one sample is %s\n",
			plan->work.pattern == PATTERN_PINGPONG ? "half a round trip (half_rtt)" :
			"one request, from its post to its completion (completion)");
	put(out, BYTES_WIDTH + 1, "bytes");
	if (t->bidir)
		fprintf(out, "  %-9s  %-10s", "direction", "counted_by");
	if (t->receiver_width)
		fprintf(out, "  %-*s", t->receiver_width, "receiver");
	put(out, COUNT_WIDTH, t->lat ? "samples" : "messages");
	if (t->lossy && !t->lat) {
		put(out, COUNT_WIDTH, "sent");
		put(out, COUNT_WIDTH, "received");
	}
	if (t->lossy)
		put(out, COUNT_WIDTH, "lost");
	if (t->lat) {
		for (size_t i = 0; i < N_LAT; i++)
			put(out, LAT_WIDTH + 1, lat_columns[i].name);
	} else {
		put(out, RATE_WIDTH, "Gbit/s");
		put(out, RATE_WIDTH, "MiB/s");
		put(out, RATE_WIDTH, "Mmsg/s");
	}
	putc('\n', out);
}

static int open_table(void **state, const char *path, unsigned int how)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return err_set(-ENOMEM, "no memory for the table");
	t->spaced = how & FORMAT_SHARED;
	t->out = strcmp(path, "-") ? fopen(path, t->spaced ? "ae" : "we") : stdout;
	if (!t->out) {
		const int rc = err_set(-errno, "cannot open %s for the table: %s", path,
				     strerror(errno));

		free(t);
		return rc;
	}
	*state = t;
	return 0;
}

/* As the row has them: a name of more characters is cut there. */
static int width_of_receivers(const struct format_run *run)
{
	size_t width = run->n_receivers ? strlen("receiver") : 0;

	for (uint32_t i = 0; i < run->n_receivers; i++) {
		const size_t len = strnlen(run->receivers[i].name, ROW_NAME - 1);

		width = len > width ? len : width;
	}
	return (int)width;
}

static void start_table(void *state, const struct format_run *run)
{
	const struct plan *plan = run->plan;
	const bool stream = plan->work.pattern == PATTERN_STREAM;
	struct table *t = state;

	t->started = true;
	t->lat = !stream;
	t->lossy = kind_is_lossy(plan->work.kind.tp) &&
		   (!stream || kind_takes_recv(plan->work.kind.op));
	t->bidir = plan->work.bidir;
	t->receiver_width = width_of_receivers(run);
	t->notes = open_memstream(&t->text, &t->text_len);
	format_head(t->out, run);
	print_columns(t, plan);
	fflush(t->out);
}

/*
 * Gathers a footnote and puts its mark behind the row. The same text is not repeated: it is found
 * by its end of line.
 */
static void __attribute__((format(printf, 2, 3)))
footnote(struct table *t, const char *fmt, ...)
{
	char text[ROW_TEXT + CELL_TEXT], line[ROW_TEXT + CELL_TEXT + 3];
	const char *found = NULL;
	uint32_t mark = 1;
	va_list ap;

	if (!t->notes)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), "] %s\n", text);
	fflush(t->notes);
	if (t->text)
		found = strstr(t->text, line);
	for (const char *c = t->text; found && c < found; c++)
		mark += *c == '\n';
	if (!found) {
		mark = ++t->n_notes;
		fprintf(t->notes, "[%" PRIu32 "%s", mark, line);
	}
	fprintf(t->out, " [%" PRIu32 "]", mark);
}

/* The same text for every row that lacks a percentile, so that it is one footnote. */
static void footnote_samples(struct table *t, const struct row *row)
{
	char text[ROW_TEXT];
	bool lacks = false;
	size_t len = 0;

	for (size_t i = 0; i < N_LAT; i++) {
		const struct lat_column *c = &lat_columns[i];

		if (!c->num)
			continue;
		lacks |= !isfinite(lat_ns(row, c));
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %" PRIu64,
					len ? ", " : "", c->name,
					histogram_samples_needed(c->num, c->den));
	}
	if (lacks)
		footnote(t, "-: too few samples; needed for %s", text);
}

static void print_results(struct table *t, const struct row *row)
{
	FILE *out = t->out;

	put_u64(out, COUNT_WIDTH, t->lat ? row->lat_samples : row->messages);
	if (t->lossy && !t->lat) {
		put_u64(out, COUNT_WIDTH, row->sent_messages);
		put_u64(out, COUNT_WIDTH, row->received_messages);
	}
	if (t->lossy)
		put_u64(out, COUNT_WIDTH, row->lost);
	if (t->lat) {
		for (size_t i = 0; i < N_LAT; i++)
			put_f64(out, LAT_WIDTH + 1, 3, lat_ns(row, &lat_columns[i]) / 1e3);
	} else {
		put_f64(out, RATE_WIDTH, 4, row->bandwidth_gbit_s);
		put_f64(out, RATE_WIDTH, 3, row->bandwidth_mib_s);
		put_f64(out, RATE_WIDTH, 6, row->message_rate_per_s / 1e6);
	}
}

static void row_table_line(void *state, const struct row *row)
{
	struct table *t = state;
	const char *ok = result_status_names[RESULT_OK];
	char text[ROW_TEXT];

	if (!t->started)
		return;
	put_u64(t->out, BYTES_WIDTH + 1, row->size_bytes);
	if (t->bidir)
		fprintf(t->out, "  %-9s  %-10s", row->direction, row->counted_by);
	if (t->receiver_width)
		fprintf(t->out, "  %-*s", t->receiver_width,
			text_clean(row->receiver, text, sizeof(row->receiver)));
	print_results(t, row);
	if (strcmp(row->status, ok)) {
		fprintf(t->out, " %s", text_clean(row->status, text, sizeof(row->status)));
		footnote(t, "%s", text_clean(row->reason, text, sizeof(text)));
	}
	if (t->lat && row->lat_samples && row->lat_samples != ROW_NONE)
		footnote_samples(t, row);
	if (t->lossy && row->lost && row->lost != ROW_NONE)
		footnote(t, "%s", t->lat ?
			 "lost: round trips that timed out; they are in no other figure" :
			 "lost: sent and never received; the rates are of what was received");
	if (row->duplicated && row->duplicated != ROW_NONE)
		footnote(t, "%" PRIu64 " messages received more than once", row->duplicated);
	if (row->warnings[0])
		footnote(t, "%s", text_clean(row->warnings, text, sizeof(text)));
	putc('\n', t->out);
	t->lines++;
	fflush(t->out);
}

static void print_end(struct table *t)
{
	FILE *out = t->out;

	if (t->notes)
		fclose(t->notes);
	if (t->n_notes)
		fprintf(out, "\n%s", t->text);
	if (!t->lines)
		fputs("nothing was measured\n", out);
	if (t->spaced)
		putc('\n', out);
}

/* Who reads the table sees what is missing: an error of the terminal is no error of the run. */
static int close_table(void *state)
{
	struct table *t = state;

	if (t->started)
		print_end(t);
	fflush(t->out);
	if (t->out != stdout)
		fclose(t->out);
	free(t->text);
	free(t);
	return 0;
}

const struct format format_table = {
	.open = open_table, .start = start_table, .row = row_table_line, .close = close_table,
};
