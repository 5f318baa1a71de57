/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * hist: the buckets tile all 64-bit values without gap or overlap, figures agree with those of a
 * sorted array, the moments are exact where naive formulas cancel, bounds of a quantile hold it as
 * often as they say.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/histogram.h"

#define N 200000

static struct histogram h;

/* xorshift64*, so that a failure can be repeated. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * UINT64_C(2685821657736338717);
}

static void buckets_tile(void **state)
{
	uint64_t expect = 0;

	(void)state;
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low = histogram_bucket_low(i), width = histogram_bucket_width(i);

		assert_int_equal(low, expect);
		if (low < 1024)
			assert_in_range(width, 0, 1);
		if (!width)
			continue;
		assert_int_equal(histogram_index(low), i);
		assert_int_equal(histogram_index(low + (width - 1)), i);
		if (low < 1024)
			assert_int_equal(width, 1);
		else
			assert_true(width <= low / 512);
		expect = low + width;
	}
	assert_int_equal(expect, HISTOGRAM_LARGEST + 1);
}

static void zero_and_max(void **state)
{
	double v;

	(void)state;
	histogram_reset(&h);
	for (int i = 0; i < 20; i++)
		histogram_record(&h, 0);
	assert_int_equal(h.min, 0);
	assert_int_equal(h.max, 0);
	assert_int_equal(histogram_quantile(&h, 1, 2, &v), 0);
	assert_true(v == 0 && histogram_mean(&h) == 0 && histogram_stdev(&h) == 0);
	histogram_record(&h, UINT64_MAX);
	assert_true(h.max == HISTOGRAM_LARGEST && h.bucket[HISTOGRAM_BUCKETS - 1] == 1);
	histogram_record(&h, HISTOGRAM_LARGEST + 1);
	histogram_record(&h, HISTOGRAM_LARGEST);
	assert_true(h.max == HISTOGRAM_LARGEST && h.bucket[HISTOGRAM_BUCKETS - 1] == 3);
	assert_int_equal(histogram_count(&h), 23);
}

static int cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void quantiles_of_random(void **state)
{
	static const uint64_t q[][2] = {
		{ 0, 1 }, { 1, 2 }, { 9, 10 }, { 99, 100 }, { 999, 1000 }, { 9999, 10000 },
	};
	static uint64_t v[N];
	uint64_t s = 20261120;

	(void)state;
	for (int scale = 12; scale < 60; scale += 6) {
		histogram_reset(&h);
		for (int i = 0; i < N; i++) {
			v[i] = next(&s) >> (scale + next(&s) % 4);
			histogram_record(&h, v[i]);
		}
		qsort(v, N, sizeof(v[0]), cmp_u64);
		assert_int_equal(histogram_count(&h), N);
		assert_int_equal(h.min, v[0]);
		assert_int_equal(h.max, v[N - 1]);
		for (size_t i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
			uint64_t rank = (N * q[i][0] + q[i][1] - 1) / q[i][1];
			double want = (double)v[rank ? rank - 1 : 0], got;

			assert_int_equal(histogram_quantile(&h, q[i][0], q[i][1], &got), 0);
			assert_true(fabs(got - want) <= want / 1024);
			assert_true(got >= (double)h.min && got <= (double)h.max);
			if (want < 1024)
				assert_true(got == want);
		}
	}
}

/* The rank is the ceiling: of 1..20, p50 is the 10th, and of 21 samples the 11th. */
static void nearest_rank(void **state)
{
	double v;

	(void)state;
	histogram_reset(&h);
	for (uint64_t i = 1; i <= 20; i++)
		histogram_record(&h, i);
	assert_int_equal(histogram_quantile(&h, 50, 100, &v), 0);
	assert_true(v == 10);
	histogram_record(&h, 21);
	assert_int_equal(histogram_quantile(&h, 50, 100, &v), 0);
	assert_true(v == 11);
}

static void middle_stays_within(void **state)
{
	double v;

	(void)state;
	histogram_reset(&h);
	for (int i = 0; i < 20; i++)
		histogram_record(&h, 1000001); /* below the middle of its bucket */
	assert_int_equal(histogram_quantile(&h, 1, 2, &v), 0);
	assert_true(v == 1000001);
}

static void too_few_samples(void **state)
{
	double v = -1;

	(void)state;
	assert_int_equal(histogram_samples_needed(50, 100), 20);
	assert_int_equal(histogram_samples_needed(90, 100), 100);
	assert_int_equal(histogram_samples_needed(99, 100), 1000);
	assert_int_equal(histogram_samples_needed(999, 1000), 10000);
	assert_int_equal(histogram_samples_needed(9999, 10000), 100000);
	assert_int_equal(histogram_samples_needed(1, 3), 15);
	assert_int_equal(histogram_samples_needed(2, 5), 17); /* 16.7 */
	histogram_reset(&h);
	assert_int_equal(histogram_quantile(&h, 1, 2, &v), -ENODATA);
	for (int i = 0; i < 999; i++)
		histogram_record(&h, 7);
	assert_int_equal(histogram_quantile(&h, 99, 100, &v), -ENODATA);
	assert_true(v == -1);
	histogram_record(&h, 7);
	assert_int_equal(histogram_quantile(&h, 99, 100, &v), 0);
	assert_true(v == 7);
}

/* perftest truncates the deviation to whole microseconds; here it survives even beside 2^46. */
static void stdev_does_not_cancel(void **state)
{
	static const uint64_t base[] = { 0, 1000, UINT64_C(1) << 32, (UINT64_C(1) << 46) + 12345 };

	(void)state;
	for (size_t b = 0; b < sizeof(base) / sizeof(base[0]); b++) {
		histogram_reset(&h);
		/* 0 1 2 3 4 a thousand times: squares about the mean 2 sum to 10 each time */
		for (uint64_t i = 0; i < 5000; i++)
			histogram_record(&h, base[b] + i % 5);
		assert_true(fabs(histogram_mean(&h) - ((double)base[b] + 2)) <
			    1e-9 * histogram_mean(&h));
		assert_true(fabs(histogram_stdev(&h) - sqrt(10000.0 / 4999)) < 1e-12);
	}
	histogram_reset(&h);
	histogram_record(&h, 1500);
	assert_true(histogram_stdev(&h) == 0);
	histogram_record(&h, 1501); /* mean is no integer */
	assert_true(fabs(histogram_stdev(&h) - sqrt(0.5)) < 1e-12);
}

/* Parts of a histogram add up to it; their moments are those of their values, within a bucket. */
static void parts_add_up(void **state)
{
	static struct histogram live, before, now, part, sum;
	uint64_t s = 77;

	(void)state;
	histogram_reset(&live);
	histogram_reset(&before);
	histogram_reset(&sum);
	for (int k = 0; k < 5; k++) {
		double mean = 0, low = INFINITY, high = 0, p50;
		const int n = k == 3 ? 0 : 1000 + k;

		for (int i = 0; i < n; i++) {
			const uint64_t v = 5000u * (uint64_t)(k + 1) + next(&s) % 3000;

			histogram_record(&live, v);
			mean += (double)v / n;
			low = fmin(low, (double)v);
			high = fmax(high, (double)v);
		}
		histogram_look(&now, &live);
		histogram_since(&part, &now, &before);
		before = now;
		assert_int_equal(histogram_count(&part), n);
		for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
			sum.bucket[i] += part.bucket[i];
		if (!n)
			continue;
		assert_true(fabs(histogram_mean(&part) / mean - 1) < 0.001);
		assert_true(fabs((double)part.min / low - 1) < 0.002);
		assert_true(fabs((double)part.max / high - 1) < 0.002);
		assert_true(histogram_stdev(&part) > 800 && histogram_stdev(&part) < 930);
		assert_int_equal(histogram_quantile(&part, 1, 2, &p50), 0);
		assert_true(p50 > low && p50 < high);
	}
	assert_memory_equal(sum.bucket, live.bucket, sizeof(live.bucket));
}

/* In units of another size: the same figures, within the width of two buckets. */
static void scaled_values(void **state)
{
	static struct histogram scaled;
	static const double scales[] = { 0.37, 1, 333.3, 1000 };
	uint64_t s = 5;

	(void)state;
	histogram_reset(&h);
	for (uint32_t i = 0; i < 5000; i++)
		histogram_record(&h, 3000 + next(&s) % 100000);
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		double a, b;

		histogram_scaled(&scaled, &h, scales[i]);
		assert_int_equal(histogram_count(&scaled), 5000);
		assert_int_equal(scaled.min, (uint64_t)((double)h.min * scales[i] + 0.5));
		assert_int_equal(scaled.max, (uint64_t)((double)h.max * scales[i] + 0.5));
		assert_int_equal(histogram_quantile(&h, 99, 100, &a), 0);
		assert_int_equal(histogram_quantile(&scaled, 99, 100, &b), 0);
		assert_true(fabs(b / (a * scales[i]) - 1) < 0.002);
		a = histogram_mean(&h) * scales[i];
		assert_true(fabs(histogram_mean(&scaled) / a - 1) < 0.001);
	}
	histogram_reset(&h);
	histogram_scaled(&scaled, &h, 2);
	assert_true(!histogram_count(&scaled) && scaled.min == UINT64_MAX && !scaled.max);
	histogram_record(&h, HISTOGRAM_LARGEST);
	histogram_scaled(&scaled, &h, 1000);
	assert_int_equal(scaled.max, HISTOGRAM_LARGEST);
	assert_int_equal(histogram_count(&scaled), 1);
}

/* By hand: of 1000 samples 4 to 17 are beyond p99 with 95 % (binomial, 1000, 0.01). */
static void bounds_of_a_quantile(void **state)
{
	double bounds[2] = { -1, -1 };
	uint32_t held = 0;
	uint64_t s = 7;

	(void)state;
	histogram_reset(&h);
	for (uint64_t i = 1; i < 1000; i++)
		histogram_record(&h, i);
	assert_int_equal(histogram_quantile_bounds(&h, 99, 100, bounds), -ENODATA);
	assert_true(bounds[0] == -1);
	histogram_record(&h, 1000);
	assert_int_equal(histogram_quantile_bounds(&h, 99, 100, bounds), 0);
	assert_true(bounds[0] == 983 && bounds[1] == 997);
	/* the 990000 smallest of a million numbers are below the true quantile */
	for (uint32_t run = 0; run < 400; run++) {
		histogram_reset(&h);
		for (uint32_t i = 0; i < 2000; i++)
			histogram_record(&h, 1000 + next(&s) % 1000000);
		assert_int_equal(histogram_quantile_bounds(&h, 99, 100, bounds), 0);
		held += bounds[0] <= 991000 * 1.001 && bounds[1] >= 991000 * 0.999;
	}
	assert_in_range(held, 374, 396);
}

/* Very many samples: no overflow, and the bounds are close. */
static void bounds_of_many(void **state)
{
	double bounds[2];

	(void)state;
	histogram_reset(&h);
	for (uint64_t i = 0; i < 1000; i++)
		h.bucket[histogram_index(i)] = UINT64_C(1000000000);
	h.min = 0;
	h.max = 999;
	assert_int_equal(histogram_quantile_bounds(&h, 99, 100, bounds), 0);
	assert_true(bounds[0] >= 989 && bounds[1] <= 990);
}

/* Only buckets were counted, in two parts: the figures are of all, to the width of a bucket. */
static void settles(void **state)
{
	static struct histogram counted, part;
	uint64_t s = 7, above = 0;

	(void)state;
	histogram_reset(&h);
	histogram_reset(&counted);
	histogram_reset(&part);
	for (int i = 0; i < N; i++) {
		const uint64_t v = next(&s) % 1000000;

		histogram_record(&h, v);
		histogram_count_value(i % 3 ? &counted : &part, v);
		above += v > 250000;
	}
	histogram_add(&counted, &part);
	assert_memory_equal(counted.bucket, h.bucket, sizeof(h.bucket));
	histogram_settle(&counted);
	assert_true(fabs(histogram_mean(&counted) / histogram_mean(&h) - 1) < 0.0001);
	assert_true(fabs(histogram_stdev(&counted) / histogram_stdev(&h) - 1) < 0.001);
	assert_true(fabs((double)counted.max / (double)h.max - 1) < 0.001);
	assert_true(counted.min <= h.min + 1);
	assert_true(fabs((double)histogram_count_above(&counted, 250000) / (double)above - 1) <
		    0.002);
	assert_int_equal(histogram_count_above(&counted, UINT64_MAX), 0);
	assert_int_equal(histogram_count_above(&counted, 1000000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_tile),
		cmocka_unit_test(zero_and_max),
		cmocka_unit_test(quantiles_of_random),
		cmocka_unit_test(nearest_rank),
		cmocka_unit_test(middle_stays_within),
		cmocka_unit_test(too_few_samples),
		cmocka_unit_test(scaled_values),
		cmocka_unit_test(bounds_of_a_quantile),
		cmocka_unit_test(bounds_of_many),
		cmocka_unit_test(stdev_does_not_cancel),
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(settles),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
