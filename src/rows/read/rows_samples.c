/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Files of samples (row/row_samples.h): each point becomes a row. Its figures are made of the
 * samples themselves, so its percentiles are samples, not middles of buckets. No value is trusted.
 */
#include "config.h"
#include "read/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/input.h"
#include "row/row.h"
#include "row/row_samples.h"
#include "util/err.h"
#include "util/histogram.h"
#include "util/log.h"
#include "util/text.h"

#define NUMBERS 4       /* of a line, behind what all lines of a point have in common */
#define PS_PER_NS 1000
#define MOST_NS ((double)HISTOGRAM_LARGEST / PS_PER_NS)
#define MOST_SAMPLES (UINT64_C(1) << 32)

/* The point whose lines are read. */
struct point {
	char *common;           /* of its lines, owned */
	size_t common_len;
	uint64_t measured, n, got;
	uint64_t *ps[2];        /* n of each; of a closed loop only the first; owned */
	bool open;              /* an open loop: response and service time */
};

/* The columns of a time: first a figure for each of result_lat.def that rows have. */
struct figures {
	enum rows_column samples, min, p50, p90, p95, p99, p99_9, p99_99, max, mean, stdev;
};

#define NONE ROWS_COLUMNS
static const struct figures latency = {
	ROWS_lat_samples, ROWS_lat_min_ns, ROWS_lat_p50_ns, ROWS_lat_p90_ns, ROWS_lat_p95_ns,
	ROWS_lat_p99_ns, ROWS_lat_p99_9_ns, ROWS_lat_p99_99_ns, ROWS_lat_max_ns, ROWS_lat_mean_ns,
	ROWS_lat_stdev_ns,
};
static const struct figures response = {
	NONE, NONE, ROWS_response_p50_ns, NONE, NONE, ROWS_response_p99_ns, ROWS_response_p99_9_ns,
	ROWS_response_p99_99_ns, ROWS_response_max_ns, ROWS_response_mean_ns, NONE,
};
static const struct figures service = {
	NONE, NONE, ROWS_service_p50_ns, NONE, NONE, ROWS_service_p99_ns, ROWS_service_p99_9_ns,
	ROWS_service_p99_99_ns, ROWS_service_max_ns, ROWS_service_mean_ns, NONE,
};

bool rows_is_samples(const char *line)
{
	return !strncmp(line, ROW_SAMPLES_BEGINS, strlen(ROW_SAMPLES_BEGINS));
}

/* ---- the figures of a point */

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Nearest rank, of sorted samples; absent as histogram_quantile(). */
static int add_quantile(struct rows_load *load, const struct point *p, const uint64_t *ps,
			enum rows_column column, const uint64_t quantile[2])
{
	const uint64_t num = quantile[0], den = quantile[1];
	const uint64_t rank = (p->n * num + den - 1) / den;

	if (p->n < histogram_samples_needed(num, den))
		return 0;
	return rows_add_number(load, column, (double)ps[rank - 1] / PS_PER_NS);
}

static double mean_of(const uint64_t *ps, uint64_t n)
{
	long double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += ps[i];
	return (double)(sum / n / PS_PER_NS);
}

static double stdev_of(const uint64_t *ps, uint64_t n, double mean)
{
	long double sum = 0;

	for (uint64_t i = 0; i < n; i++) {
		const double off = (double)ps[i] / PS_PER_NS - mean;

		sum += off * off;
	}
	return n > 1 ? sqrt((double)(sum / (n - 1))) : NAN;
}

/* Sorts the samples. */
static int add_figures(struct rows_load *load, const struct point *p, uint64_t *ps,
		       const struct figures *f)
{
	const struct {
		enum rows_column column;
		uint64_t quantile[2];
	} quantiles[] = {
		{ f->p50, { 1, 2 } }, { f->p90, { 9, 10 } }, { f->p95, { 19, 20 } },
		{ f->p99, { 99, 100 } }, { f->p99_9, { 999, 1000 } },
		{ f->p99_99, { 9999, 10000 } },
	};
	const double mean = mean_of(ps, p->n);
	int rc;

	qsort(ps, p->n, sizeof(*ps), by_value);
	rc = rows_add_number(load, f->samples, (double)p->n);
	if (!rc)
		rc = rows_add_number(load, f->min, (double)ps[0] / PS_PER_NS);
	if (!rc)
		rc = rows_add_number(load, f->max, (double)ps[p->n - 1] / PS_PER_NS);
	if (!rc)
		rc = rows_add_number(load, f->mean, mean);
	if (!rc)
		rc = rows_add_number(load, f->stdev, stdev_of(ps, p->n, mean));
	for (size_t i = 0; i < FIELD_COUNT(quantiles) && !rc; i++)
		rc = add_quantile(load, p, ps, quantiles[i].column, quantiles[i].quantile);
	return rc;
}

/* Of the last row; the samples are sorted. */
static int add_histogram(struct rows *rows, const struct point *p)
{
	struct rows_histogram *h;
	uint32_t n = 0;

	for (uint64_t i = 0; i < p->n; i++)
		n += !i || histogram_index(p->ps[0][i]) != histogram_index(p->ps[0][i - 1]);
	h = rows_new_histogram(rows, n);
	if (!h)
		return -ENOMEM;
	h->min_ns = (double)p->ps[0][0] / PS_PER_NS;
	h->max_ns = (double)p->ps[0][p->n - 1] / PS_PER_NS;
	n = 0;
	for (uint64_t i = 0; i < p->n; i++) {
		const uint32_t index = (uint32_t)histogram_index(p->ps[0][i]);

		if (i && index != h->buckets[n].index)
			n++;
		h->buckets[n].index = index;
		h->buckets[n].samples++;
	}
	return 0;
}

/* ---- points */

static void free_point(struct rows_load *load, struct point *p)
{
	for (int i = 0; i < 2 && p->ps[i]; i++) {
		load->rows->budget.used -= p->n * sizeof(*p->ps[i]);
		free(p->ps[i]);
	}
	free(p->common);
	*p = (struct point){ .common = NULL };
}

static int end_point(struct rows_load *load, struct point *p)
{
	const size_t rows = load->rows->n;
	int rc = add_figures(load, p, p->ps[0], p->open ? &response : &latency);

	if (!rc && p->open)
		rc = add_figures(load, p, p->ps[1], &service);
	if (!rc)
		rc = rows_add_row(load);
	if (!rc && load->rows->n > rows && !p->open && load->query->histograms)
		rc = add_histogram(load->rows, p);
	if (!rc && p->n < p->measured)
		log_note("%s: it has the first %" PRIu64 " of %" PRIu64 " samples of the point that ends in line %zu",
			 load->in->path, p->n, p->measured, load->in->line);
	free_point(load, p);
	return rc;
}

/* A whole number from 1 on. */
static int scan_count(const char *text, uint64_t *count)
{
	double number;

	if (text_scan_number(text, &number) || !(number >= 1) || number > MOST_SAMPLES ||
	    number != floor(number))
		return err_set(-EBADMSG, "the number of samples is no whole number from 1 on");
	*count = (uint64_t)number;
	return 0;
}

/* What the lines of a point have in common: its columns, in cells of the file, and two numbers. */
static int add_common(struct rows_load *load, struct point *p, char *text)
{
	static const enum rows_column columns[] = {
#define COLUMN(name) ROWS_##name,
		ROWS_schema, ROW_SAMPLES_COLUMNS(COLUMN)
#undef COLUMN
	};
	struct input_cells csv = { text, text + strlen(text) };
	char schema[16], *cell;
	int rc = 0;

	snprintf(schema, sizeof(schema), "%d", ROW_SCHEMA);
	for (size_t i = 0; i < FIELD_COUNT(columns) && !rc; i++) {
		if (input_cell(&csv, &cell) != ',')
			return err_set(-EBADMSG, "a quote is not closed, or a cell is missing");
		/* of the first one, read_samples() has checked that it is of this version */
		rc = rows_add_value(load, columns[i], i ? text_unmark(cell) : schema);
		csv.at++;
	}
	if (rc)
		return rc;
	if (input_cell(&csv, &cell) != ',')
		return err_set(-EBADMSG, "a cell is missing");
	rc = scan_count(cell, &p->measured);
	csv.at++;
	if (rc)
		return rc;
	if (input_cell(&csv, &cell) != '\n')
		return err_set(-EBADMSG, "a cell is missing, or there are too many");
	rc = scan_count(cell, &p->n);
	return rc || p->n <= p->measured ? rc :
	       err_set(-EBADMSG, "samples is more than measured");
}

/* A line: what is common ends before *sample, whose cells follow. */
struct line {
	char *common;
	size_t common_len;
	char *cells[NUMBERS];
};

/* The cells of the numbers have no quotes. */
static int cut_line(struct line *l, char *line, size_t len)
{
	char *end = line + len - 1;

	if (end > line && end[-1] == '\r')
		end--;
	*end = '\0';
	for (int i = NUMBERS - 1; i >= 0; i--) {
		char *comma = memrchr(line, ',', (size_t)(end - line));

		if (!comma)
			return err_set(-EBADMSG, "the line has too few cells");
		l->cells[i] = comma + 1;
		*comma = '\0';
		end = comma;
	}
	l->common = line;
	l->common_len = (size_t)(end - line);
	return 0;
}

static int begin_point(struct rows_load *load, struct point *p, const struct line *l)
{
	char *text;
	int rc;

	p->common = strndup(l->common, l->common_len);
	/* input_cell() wants the end of a line */
	if (!p->common || asprintf(&text, "%s\n", p->common) < 0)
		return err_set(-ENOMEM, "no memory for a line");
	p->common_len = l->common_len;
	p->open = !l->cells[1][0];
	rc = add_common(load, p, text);
	free(text);
	for (int i = 0; i < (p->open ? 2 : 1) && !rc; i++) {
		rc = words_budget_take(&load->rows->budget, p->n * sizeof(*p->ps[i]));
		if (rc)
			return rc;
		p->ps[i] = malloc(p->n * sizeof(*p->ps[i]));
		if (!p->ps[i]) {
			load->rows->budget.used -= p->n * sizeof(*p->ps[i]);
			return err_set(-ENOMEM, "no memory for %" PRIu64 " samples", p->n);
		}
	}
	return rc;
}

static int read_ns(const char *text, uint64_t *ps)
{
	double ns;

	if (text_scan_number(text, &ns) || !(ns >= 0 && ns <= MOST_NS))
		return err_set(-EBADMSG, "a time is no number of ns from 0 on");
	*ps = (uint64_t)(ns * PS_PER_NS + 0.5);
	return 0;
}

static int read_line(struct rows_load *load, struct point *p, char *line, size_t len)
{
	struct line l = { .common = NULL };
	double number;
	int rc = cut_line(&l, line, len);

	if (!rc && !p->common)
		rc = begin_point(load, p, &l);
	if (rc)
		return rc;
	if (l.common_len != p->common_len || memcmp(l.common, p->common, l.common_len) ||
	    text_scan_number(l.cells[0], &number) || number != (double)p->got)
		return err_set(-EBADMSG, "sample %" PRIu64 " of %" PRIu64 " of a point is missing here",
			       p->got, p->n);
	if (p->open ? l.cells[1][0] : l.cells[2][0] || l.cells[3][0])
		return err_set(-EBADMSG, "a sample has latency_ns, or response_ns and service_ns");
	rc = read_ns(l.cells[p->open ? 2 : 1], &p->ps[0][p->got]);
	if (!rc && p->open)
		rc = read_ns(l.cells[3], &p->ps[1][p->got]);
	if (!rc && ++p->got == p->n)
		rc = end_point(load, p);
	return rc;
}

/* Spreadsheets end lines in another way. */
static bool is_head(const char *line)
{
	const size_t len = strlen(ROW_SAMPLES_HEAD) - 1;

	return !strncmp(line, ROW_SAMPLES_HEAD, len) && line[len + strspn(line + len, "\r")] == '\n';
}

static int read_points(struct rows_load *load, struct point *p)
{
	size_t len;
	char *line;
	int rc = 0;

	while (!rc && (line = input_line(load->in, &len))) {
		if (memchr(line, '\0', len))
			return err_set(-EBADMSG, "it has a NUL byte");
		if (line[len - 1] != '\n') {
			rows_note_torn(load);
			return 0;
		}
		if (!is_head(line))
			rc = read_line(load, p, line, len);
	}
	return rc || !p->common || load->in->rc ? rc :
	       err_set(-EBADMSG, "the last point has %" PRIu64 " of its %" PRIu64 " samples", p->got,
		       p->n);
}

int rows_read_samples(struct rows_load *load, const char *line)
{
	struct point point = { .common = NULL };
	int rc;

	if (load->take)
		return err_set(-EBADMSG, "a file of samples, not of results");
	if (!is_head(line))
		return err_set(-EBADMSG, "its samples are of another version of verbench");
	rc = read_points(load, &point);
	free_point(load, &point);
	return rc;
}
