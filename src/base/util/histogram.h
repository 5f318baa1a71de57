/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Log-linear histogram of unsigned integers: 512 sub-buckets per power of two, so a bucket is at
 * most 1/512 (0.2 %) of its value wide; values below 1024 are exact. Min, max, sum and sum of
 * squares are kept exactly. Fixed size, recording never allocates. Knows no units and no verbs.
 * After: Gil Tene, HdrHistogram (log-linear bucketing).
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>
#include <string.h>

#define HISTOGRAM_SUB_BITS 9
#define HISTOGRAM_SUB (1u << HISTOGRAM_SUB_BITS)
/* A larger value is recorded as this one: ticks of 17 days at 3 GHz. A double holds 2 * v + 1. */
#define HISTOGRAM_LARGEST ((UINT64_C(1) << 52) - 1)
#define HISTOGRAM_BUCKETS (53 * HISTOGRAM_SUB)

/*
 * Exact while sum < 2^64 and n * max^2 < 2^128. Samples of one thread that do not overlap add up to
 * at most its running time: 2^64 ticks are centuries.
 */
struct histogram {
	uint64_t min, max, sum;
	unsigned __int128 sum_sq;
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* Needed before the first record: a zeroed struct is not an empty histogram (min). */
void histogram_reset(struct histogram *h);

/*
 * Index of the bucket that holds v <= HISTOGRAM_LARGEST: the exponent and the first bits of the
 * mantissa of 2 * v + 1, adjacent in IEEE 754 binary64 (52 bits of mantissa, exponents from 1023
 * on). v itself could be 0, which has no exponent. Buckets below 1024 hold at most one value.
 */
static inline uint64_t histogram_index(uint64_t v)
{
	const double d = (double)(int64_t)(2 * v + 1);
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return (bits >> (52 - HISTOGRAM_SUB_BITS)) - (UINT64_C(1023) << HISTOGRAM_SUB_BITS);
}

/* The inverse: the bucket's lowest value, and the number of values it holds. */
uint64_t histogram_bucket_low(uint32_t index);
uint64_t histogram_bucket_width(uint32_t index);

/*
 * Hot: no call, which gcc 14 would make in the large functions of the loops, and no division; the
 * only branch that depends on v, a new extreme, is rare.
 */
static inline __attribute__((always_inline)) void histogram_record(struct histogram *h, uint64_t v)
{
	if (__builtin_expect(v < h->min, 0))
		h->min = v;
	if (__builtin_expect(v > h->max, 0)) {
		v = v > HISTOGRAM_LARGEST ? HISTOGRAM_LARGEST : v;
		h->max = v;
	}
	h->sum += v;
	h->sum_sq += (unsigned __int128)v * v;
	h->bucket[histogram_index(v)]++;
}

/*
 * Only the bucket, in five instructions: the extremes and sums are then those that
 * histogram_settle() makes of the middles of the buckets. v <= HISTOGRAM_LARGEST.
 */
static inline __attribute__((always_inline)) void histogram_count_value(struct histogram *h,
									uint64_t v)
{
	h->bucket[histogram_index(v)]++;
}

/* Extremes and sums from the buckets: a value is the middle of its bucket. */
void histogram_settle(struct histogram *h);

/* Adds the buckets of another one: afterwards histogram_settle(). */
void histogram_add(struct histogram *sum, const struct histogram *one);

/* Values above v, to the width of a bucket. */
uint64_t histogram_count_above(const struct histogram *h, uint64_t v);

/*
 * The value at quantile num/den (nearest rank: the ceil(n*num/den)-th smallest; reported as the
 * middle of its bucket, kept within [min, max]). num < den. -ENODATA when n <
 * histogram_samples_needed(): *value is unchanged, and there is no error message, because an absent
 * figure is an ordinary result.
 */
int histogram_quantile(const struct histogram *h, uint64_t num, uint64_t den, double *value)
	__attribute__((warn_unused_result));

/*
 * Where the quantile of what the n values are a sample of lies with 95 %: the values of two ranks
 * of these n, between which it is in at least 95 % of all samples of independent values, whatever
 * their distribution; how many are below it is binomial (H. A. David, H. N. Nagaraja, "Order
 * Statistics", 2003, 7.1). -ENODATA as histogram_quantile(); bounds is unchanged then. num < den.
 */
int histogram_quantile_bounds(const struct histogram *h, uint64_t num, uint64_t den,
			      double bounds[2]) __attribute__((warn_unused_result));

/*
 * Samples needed to print a quantile: 10 beyond it, i.e. 10 * den / (den - num), rounded up. p50:
 * 20, p99.99: 100000. num < den.
 */
uint64_t histogram_samples_needed(uint64_t num, uint64_t den);

/* Number of values, counted from the buckets, so that recording needs no counter. */
uint64_t histogram_count(const struct histogram *h);

/*
 * The values recorded into now since before, which is an earlier copy of it, or reset. Values may
 * be recorded into now meanwhile: each is in this difference or in the next one. All but the counts
 * follow from the buckets: a value is the middle of its bucket, within the extremes of now.
 */
void histogram_since(struct histogram *since, const struct histogram *now,
		     const struct histogram *before);

/*
 * The values of h multiplied by scale > 0, in the buckets of the products: the middle of each
 * bucket is, so they are within 0.2 %; the extremes are exact. What is above HISTOGRAM_LARGEST
 * becomes it.
 */
void histogram_scaled(struct histogram *scaled, const struct histogram *h, double scale);

/* A copy while values are recorded: only of the buckets and the extremes. */
void histogram_look(struct histogram *copy, const struct histogram *h);

double histogram_mean(const struct histogram *h);  /* needs at least one value */
/* Sample standard deviation (n - 1); 0 for fewer than two values. */
double histogram_stdev(const struct histogram *h);

#endif
