/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The histograms of latency of JSON documents, beside the rows: see rows.h. A document has them in
 * its points, which stand in the order of their rows. No value is trusted.
 */
#include "config.h"
#include "read/rows.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/histogram.h"
#include "util/must.h"

#define LOOK_AHEAD 64u    /* points of runs that failed, which have no row with latency */
#define MOST_SAMPLES 0x1p53
#define ROUNDED 5e-15     /* relative: a bound has ROW_JSON_DIGITS */
#define MOST_PS (0x1p52 * (1 + ROUNDED))

/* ---- whose point it is */

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
	const char *p = json_string_value(json_object_get(a, key));
	const char *q = json_string_value(json_object_get(b, key));

	return p && q ? !strcmp(p, q) : p == q;
}

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A row has FIELD_DIGITS of the value, a histogram has whole ps. */
static bool is_near(double ns, double in_histogram)
{
	return fabs(ns - in_histogram) <= 0.001 + ns * 1e-8;
}

static bool is_of(const json_t *point, const json_t *row)
{
	const json_t *h = json_object_get(point, "histogram");

	return h && number(h, "samples") == number(row, "lat_samples") &&
	       number(point, "size_bytes") == number(row, "size_bytes") &&
	       is_near(number(row, "lat_min_ns"), number(h, "min_ns")) &&
	       is_near(number(row, "lat_max_ns"), number(h, "max_ns")) &&
	       same_text(point, row, "cell") && same_text(point, row, "scenario");
}

/* The histogram of the next row of the document; NULL: it has none. */
static const json_t *find(struct rows_load *load, const json_t *row)
{
	const size_t n = json_array_size(load->points);

	if (isnan(number(row, "lat_samples")))
		return NULL;
	while (load->point < n &&
	       !json_object_get(json_array_get(load->points, load->point), "histogram"))
		load->point++;
	for (size_t i = load->point; i < n && i - load->point < LOOK_AHEAD; i++) {
		const json_t *point = json_array_get(load->points, i);

		if (!is_of(point, row))
			continue;
		load->point = i + 1;
		return json_object_get(point, "histogram");
	}
	return NULL;
}

/* ---- its buckets */

/* The bucket with these bounds, in ps; HISTOGRAM_BUCKETS: none has them. */
static uint32_t bucket_at(double low, double high)
{
	double by_low, by_high;
	uint32_t i;

	if (!(low >= 0 && high > low && high <= MOST_PS))
		return HISTOGRAM_BUCKETS;
	/* the middle is in it, also if the bounds are rounded */
	i = (uint32_t)histogram_index((uint64_t)((low + high) / 2));
	by_low = fabs(low - (double)histogram_bucket_low(i));
	by_high = fabs(high - (double)(histogram_bucket_low(i) + histogram_bucket_width(i)));
	return by_low <= 0.1 + low * ROUNDED && by_high <= 0.1 + high * ROUNDED ?
	       i : HISTOGRAM_BUCKETS;
}

/* The bounds and the samples of a bucket. */
static int read_bucket(struct rows_bucket *b, const json_t *list)
{
	double v[3];

	if (json_array_size(list) != 3)
		return err_set(-EBADMSG, "it is not [from, below, samples]");
	for (size_t i = 0; i < 3; i++) {
		if (!json_is_number(json_array_get(list, i)))
			return err_set(-EBADMSG, "it has a value that is no number");
		v[i] = json_number_value(json_array_get(list, i));
	}
	b->index = bucket_at(v[0] * 1000, v[1] * 1000);
	if (b->index == HISTOGRAM_BUCKETS)
		return err_set(-EBADMSG, "no bucket is from %.15g ns to %.15g ns", v[0], v[1]);
	if (!(v[2] >= 1 && v[2] <= MOST_SAMPLES && v[2] == floor(v[2])))
		return err_set(-EBADMSG, "its samples are %.15g, not a whole number from 1 on", v[2]);
	b->samples = (uint64_t)v[2];
	return 0;
}

/* All buckets; left: the samples that they must have. */
static int read_buckets(struct rows_histogram *h, const json_t *buckets, double left)
{
	for (uint32_t i = 0; i < h->n; i++) {
		struct rows_bucket *b = &h->buckets[i];
		int rc = read_bucket(b, json_array_get(buckets, i));

		if (!rc && i && b->index <= b[-1].index)
			rc = err_set(-EBADMSG, "it does not follow the one before it");
		if (rc)
			return err_wrap(rc, "histogram, bucket %u", i + 1);
		left -= (double)b->samples;
		if (left < 0)
			break;
	}
	if (left)
		return err_set(-EBADMSG, "histogram: its buckets have %s samples than it says",
			       left < 0 ? "more" : "fewer");
	return 0;
}

struct rows_histogram *rows_new_histogram(struct rows *rows, uint32_t n)
{
	struct rows_histogram *h;

	if (words_budget_take(&rows->budget, sizeof(*h) + n * sizeof(*h->buckets)))
		return NULL;
	rows->histograms = must_realloc(rows->histograms, rows->n_histograms + 1, sizeof(*h));
	h = &rows->histograms[rows->n_histograms++];
	*h = (struct rows_histogram){ .row = rows->n - 1, .n = n };
	h->buckets = must_calloc(n, sizeof(*h->buckets));
	return h;
}

int rows_add_histogram(struct rows_load *load, const json_t *row, bool is_kept)
{
	const json_t *json = find(load, row), *buckets = json_object_get(json, "buckets");
	const size_t n = json_array_size(buckets);
	struct rows_histogram *h;

	if (!json || !is_kept)
		return 0;
	if (!n || n > HISTOGRAM_BUCKETS)
		return err_set(-EBADMSG, "histogram: buckets is no array of 1 to %u buckets",
			       HISTOGRAM_BUCKETS);
	h = rows_new_histogram(load->rows, (uint32_t)n);
	if (!h)
		return -ENOMEM;
	h->min_ns = number(json, "min_ns");
	h->max_ns = number(json, "max_ns");
	if (!(h->min_ns >= 0 && h->max_ns >= h->min_ns && h->max_ns * 1000 <= MOST_PS))
		return err_set(-EBADMSG, "histogram: its extremes are %.15g and %.15g ns",
			       h->min_ns, h->max_ns);
	return read_buckets(h, buckets, number(json, "samples"));
}

/* ---- for readers */

static int by_row(const void *key, const void *element)
{
	const size_t row = *(const size_t *)key, at = ((const struct rows_histogram *)element)->row;

	return row < at ? -1 : row > at;
}

const struct rows_histogram *rows_histogram(const struct rows *rows, size_t row)
{
	if (!rows->n_histograms)
		return NULL;
	return bsearch(&row, rows->histograms, rows->n_histograms, sizeof(*rows->histograms),
		       by_row);
}

void rows_histogram_add(struct histogram *sum, const struct rows_histogram *one)
{
	const uint64_t min = (uint64_t)(one->min_ns * 1000 + 0.5);
	const uint64_t max = (uint64_t)(one->max_ns * 1000 + 0.5);

	for (uint32_t i = 0; i < one->n; i++)
		sum->bucket[one->buckets[i].index] += one->buckets[i].samples;
	sum->min = min < sum->min ? min : sum->min;
	sum->max = max > sum->max ? max : sum->max;
}

void rows_histogram_free(struct rows *rows)
{
	for (size_t i = 0; i < rows->n_histograms; i++)
		free(rows->histograms[i].buckets);
	free(rows->histograms);
}
