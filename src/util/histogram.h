/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Log-linear histogram of unsigned 64-bit values: 512 sub-buckets per power of two, so a bucket is
 * at most 1/512 (0.2 %) of its value wide; values below 1024 are exact. Exact min, max, sum and
 * sum of squares beside it. Fixed size, recording never allocates. Knows no units and no verbs.
 * After: Gil Tene, HdrHistogram (log-linear bucketing).
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 9
#define HISTOGRAM_SUB (1u << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB)

/*
 * Exact while sum < 2^64 and n * max^2 < 2^128. Samples of one thread that do not overlap add up to
 * its running time at most: 2^64 ticks are centuries.
 */
struct histogram {
	uint64_t min, max, sum;
	unsigned __int128 sum_sq;
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* Needed before the first record: a zeroed struct is not an empty histogram (min). */
void histogram_reset(struct histogram *h);

/*
 * Index of the bucket that holds v. Below 2 * HISTOGRAM_SUB the shift is 0 and the index is v.
 * Above, the leading bit of v >> shift is always bit HISTOGRAM_SUB_BITS, so that adding shift
 * blocks of HISTOGRAM_SUB leaves no gap and no overlap.
 */
static inline uint64_t histogram_index(uint64_t v)
{
	uint32_t shift = (63 ^ (uint32_t)__builtin_clzll(v | HISTOGRAM_SUB)) - HISTOGRAM_SUB_BITS;

	return (uint64_t)(shift * HISTOGRAM_SUB) + (v >> shift);
}

/* The inverse: the bucket's lowest value, and how many values it holds. */
uint64_t histogram_bucket_low(uint32_t index);
uint64_t histogram_bucket_width(uint32_t index);

/* Hot: no call, no division; a new extreme, the only branch that depends on v, is rare. */
static inline void histogram_record(struct histogram *h, uint64_t v)
{
	if (__builtin_expect(v < h->min, 0))
		h->min = v;
	if (__builtin_expect(v > h->max, 0))
		h->max = v;
	h->sum += v;
	h->sum_sq += (unsigned __int128)v * v;
	h->bucket[histogram_index(v)]++;
}

/*
 * The value at quantile num/den (nearest rank: the ceil(n*num/den)-th smallest; reported as the
 * middle of its bucket, kept within [min, max]). num < den. -ENODATA when n <
 * histogram_samples_needed(): *value is unchanged, and there is no error message, because an absent
 * figure is an ordinary result.
 */
int histogram_quantile(const struct histogram *h, uint64_t num, uint64_t den, double *value)
	__attribute__((warn_unused_result));

/*
 * Samples behind a quantile for it to be printed: 10 beyond it, i.e. 10 * den / (den - num),
 * rounded up. p50: 20, p99.99: 100000. num < den.
 */
uint64_t histogram_samples_needed(uint64_t num, uint64_t den);

/* Number of values, counted from the buckets, so that recording one needs no counter. */
uint64_t histogram_count(const struct histogram *h);

double histogram_mean(const struct histogram *h);  /* of one value at least */
/* Sample standard deviation (n - 1); 0 of fewer than two values. */
double histogram_stdev(const struct histogram *h);

#endif
