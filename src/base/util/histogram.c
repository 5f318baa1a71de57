/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Quantiles and moments of a histogram. Recording is inline in histogram.h. Knows no units. */
#include "config.h"
#include "util/histogram.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* Samples that must lie beyond a quantile to print it. */
#define SAMPLES_BEYOND 10

void histogram_reset(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

/*
 * Bucket m of exponent e holds the values with 2 * v + 1 from (512 + m) * 2^(e - 9) up to the next
 * bucket. Below exponent 10 that is one odd number or none.
 */
uint64_t histogram_bucket_low(uint32_t index)
{
	const uint32_t e = index / HISTOGRAM_SUB;
	const uint64_t m = HISTOGRAM_SUB + index % HISTOGRAM_SUB;

	if (e > HISTOGRAM_SUB_BITS)
		return m << (e - HISTOGRAM_SUB_BITS - 1);
	return (m + (UINT64_C(1) << (HISTOGRAM_SUB_BITS - e)) - 1) >> (HISTOGRAM_SUB_BITS - e + 1);
}

uint64_t histogram_bucket_width(uint32_t index)
{
	const uint32_t e = index / HISTOGRAM_SUB;
	const uint64_t m = HISTOGRAM_SUB + index % HISTOGRAM_SUB;

	if (e > HISTOGRAM_SUB_BITS)
		return UINT64_C(1) << (e - HISTOGRAM_SUB_BITS - 1);
	return (m & ((UINT64_C(2) << (HISTOGRAM_SUB_BITS - e)) - 1)) ==
	       UINT64_C(1) << (HISTOGRAM_SUB_BITS - e);
}

uint64_t histogram_samples_needed(uint64_t num, uint64_t den)
{
	assert(num < den);
	return (SAMPLES_BEYOND * den + (den - num) - 1) / (den - num);
}

/* The value of a rank, from 1: the middle of its bucket. */
static double value_at(const struct histogram *h, uint64_t rank)
{
	uint64_t seen = 0;
	uint32_t i = 0;
	double v;

	while ((seen += h->bucket[i]) < rank)
		i++;
	v = (double)histogram_bucket_low(i) + (double)(histogram_bucket_width(i) - 1) / 2;
	return fmin(fmax(v, (double)h->min), (double)h->max);
}

int histogram_quantile(const struct histogram *h, uint64_t num, uint64_t den, double *value)
{
	const uint64_t n = histogram_count(h);
	const unsigned __int128 scaled = (unsigned __int128)n * num;
	const uint64_t rank = (uint64_t)((scaled + den - 1) / den);

	if (n < histogram_samples_needed(num, den))
		return -ENODATA;
	*value = value_at(h, rank ? rank : 1);
	return 0;
}

/*
 * The smallest k with P(X <= k) >= level, X binomial. What is more than 10 standard deviations
 * from the mean has no weight.
 */
static uint64_t binomial_quantile(double n, double p, double level)
{
	const double reach = 10 * sqrt(n * p * (1 - p)) + 10;
	const double last = fmin(n, ceil(n * p + reach));
	double k = fmax(0, floor(n * p - reach)), sum = 0;

	for (; k < last; k++) {
		sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
			   (n - k) * log1p(-p));
		if (sum >= level)
			break;
	}
	return (uint64_t)k;
}

int histogram_quantile_bounds(const struct histogram *h, uint64_t num, uint64_t den,
			      double bounds[2])
{
	const uint64_t n = histogram_count(h);
	const double beyond = (double)(den - num) / (double)den;
	uint64_t least, most;

	if (n < histogram_samples_needed(num, den))
		return -ENODATA;
	/* counted from above, where they are few */
	least = binomial_quantile((double)n, beyond, 0.025);
	most = binomial_quantile((double)n, beyond, 0.975);
	bounds[0] = value_at(h, most < n ? n - most : 1);
	bounds[1] = value_at(h, least ? n - least + 1 : n);
	return 0;
}

uint64_t histogram_count(const struct histogram *h)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		n += h->bucket[i];
	return n;
}

static uint64_t look(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

void histogram_look(struct histogram *copy, const struct histogram *h)
{
	histogram_reset(copy);
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		copy->bucket[i] = look(&h->bucket[i]);
	/* after the buckets: they hold no value beyond these */
	copy->min = look(&h->min);
	copy->max = look(&h->max);
}

static uint64_t within(uint64_t v, uint64_t min, uint64_t max)
{
	return v < min ? min : v > max ? max : v;
}

void histogram_since(struct histogram *since, const struct histogram *now,
		     const struct histogram *before)
{
	histogram_reset(since);
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		const uint64_t n = now->bucket[i] - before->bucket[i];
		uint64_t low, middle, high;

		if (!n)
			continue;
		low = within(histogram_bucket_low(i), now->min, now->max);
		high = within(histogram_bucket_low(i) + histogram_bucket_width(i) - 1, now->min,
			      now->max);
		middle = low + (high - low) / 2;
		since->bucket[i] = n;
		since->min = low < since->min ? low : since->min;
		since->max = high;
		since->sum += n * middle;
		since->sum_sq += (unsigned __int128)n * middle * middle;
	}
}

void histogram_settle(struct histogram *h)
{
	h->min = UINT64_MAX;
	h->max = h->sum = 0;
	h->sum_sq = 0;
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		const uint64_t n = h->bucket[i];
		const uint64_t middle = histogram_bucket_low(i) + histogram_bucket_width(i) / 2;

		if (!n)
			continue;
		h->min = middle < h->min ? middle : h->min;
		h->max = middle;
		h->sum += n * middle;
		h->sum_sq += (unsigned __int128)n * middle * middle;
	}
}

void histogram_add(struct histogram *sum, const struct histogram *one)
{
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum->bucket[i] += one->bucket[i];
}

uint64_t histogram_count_above(const struct histogram *h, uint64_t v)
{
	const uint64_t most = v < HISTOGRAM_LARGEST ? v : HISTOGRAM_LARGEST;
	uint64_t n = 0;

	for (uint64_t i = histogram_index(most) + 1; i < HISTOGRAM_BUCKETS; i++)
		n += h->bucket[i];
	return n;
}

static uint64_t scaled_value(double v, double scale)
{
	return (uint64_t)fmin(v * scale + 0.5, (double)HISTOGRAM_LARGEST);
}

void histogram_scaled(struct histogram *scaled, const struct histogram *h, double scale)
{
	histogram_reset(scaled);
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		const uint64_t n = h->bucket[i];
		double middle = (double)histogram_bucket_low(i) +
				(double)(histogram_bucket_width(i) - 1) / 2;
		uint64_t v;

		if (!n)
			continue;
		middle = fmin(fmax(middle, (double)h->min), (double)h->max);
		v = scaled_value(middle, scale);
		scaled->bucket[histogram_index(v)] += n;
		scaled->sum += n * v;
		scaled->sum_sq += (unsigned __int128)n * v * v;
	}
	if (h->min == UINT64_MAX)
		return;
	scaled->min = scaled_value((double)h->min, scale);
	scaled->max = scaled_value((double)h->max, scale);
}

double histogram_mean(const struct histogram *h)
{
	return (double)((long double)h->sum / (long double)histogram_count(h));
}

/*
 * sum_sq/n - mean^2 cancels badly when the spread is small relative to the mean. So the squares are
 * first taken about the integer part m of the mean, exactly, in integers: with sum = n*m + r,
 *   sum((v - m)^2) = sum_sq - m * (sum + r),
 * which holds modulo 2^128 and whose true value fits. Floating point then computes only
 *   sum((v - mean)^2) = that - r^2 / n.
 */
double histogram_stdev(const struct histogram *h)
{
	const uint64_t n = histogram_count(h);
	unsigned __int128 m, r, squares;
	long double about_mean;

	if (n < 2)
		return 0;
	m = h->sum / n;
	r = h->sum % n;
	squares = h->sum_sq - m * ((unsigned __int128)h->sum + r);
	about_mean = (long double)squares - (long double)r * (long double)r / (long double)n;
	return (double)sqrtl(fmaxl(about_mean, 0) / (long double)(n - 1));
}
