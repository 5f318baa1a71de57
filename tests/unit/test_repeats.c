/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The statistics of repeats: probabilities of the rank sum test are those of printed tables and
 * those of all choices counted one by one; intervals are those of published examples, and cover the
 * truth as often as they say; the correction for many tests.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stats/repeats.h"

/* ---- the rank sum test */

/*
 * Mann, Whitney (1947), table I: P(U <= u), to 3 digits. Two samples without equal values, u of
 * whose pairs are in the other order.
 */
static void probabilities_of_the_table(void **state)
{
	static const struct { size_t n, m, u; double p; } table[] = {
		{ 3, 3, 0, 0.050 }, { 3, 3, 2, 0.200 },
		{ 4, 4, 0, 0.014 }, { 4, 4, 1, 0.029 }, { 4, 4, 2, 0.057 }, { 4, 4, 5, 0.243 },
		{ 5, 3, 1, 0.036 }, { 5, 4, 2, 0.032 }, { 5, 4, 5, 0.143 },
		{ 5, 5, 0, 0.004 }, { 5, 5, 2, 0.016 }, { 5, 5, 4, 0.048 }, { 5, 5, 9, 0.274 },
		{ 6, 6, 5, 0.021 }, { 6, 6, 7, 0.047 }, { 8, 8, 13, 0.025 }, { 8, 8, 15, 0.041 },
	};
	double a[8], b[8];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const size_t n = table[i].n, m = table[i].m;
		size_t left = table[i].u;
		struct repeats_test t;

		/* each b from the last one on is raised over as many of a as there are */
		for (size_t k = 0; k < n; k++)
			a[k] = 100 + 10 * (double)k;
		for (size_t k = m; k--; left -= left < n ? left : n)
			b[k] = 90 + 10 * (double)(left < n ? left : n) + 0.1 * (double)(k + 1);
		t = repeats_test(a, n, b, m);
		assert_true(fabs(t.less - table[i].p) <= 0.0005);
		assert_true(fabs(t.differs - 2 * t.less) < 1e-12);
		t = repeats_test(b, m, a, n);
		assert_true(fabs(t.greater - table[i].p) <= 0.0005);
	}
}

/* xorshift64*, so that a failure can be repeated. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * UINT64_C(2685821657736338717);
}

/* Twice the sum of ranks of the values in a set, by counting pairs. */
static int sum_of(const double *v, uint32_t n, uint32_t set)
{
	int sum = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			if (set >> i & 1)
				sum += 2 * (v[k] < v[i]) + (v[k] == v[i]) + (k == i);
	return sum;
}

/* All choices of the last m of n values. */
static struct repeats_test by_hand(const double *v, uint32_t n, uint32_t m)
{
	const uint32_t mine = ((1u << m) - 1) << (n - m);
	const int sum = sum_of(v, n, mine), mean = (int)(m * (n + 1));
	struct repeats_test t = { .less = 0 };
	double all = 0;

	for (uint32_t set = 0; set < 1u << n; set++) {
		int s;

		if (__builtin_popcount(set) != (int)m)
			continue;
		s = sum_of(v, n, set);
		all++;
		t.less += s <= sum;
		t.greater += s >= sum;
		t.differs += abs(s - mean) >= abs(sum - mean);
	}
	return (struct repeats_test){ t.less / all, t.greater / all, t.differs / all };
}

static void equal_values_are_counted_exactly(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		const uint32_t n = 2 + (uint32_t)(next(&seed) >> 33) % 9;
		const uint32_t m = 1 + (uint32_t)(next(&seed) >> 33) % (n - 1);
		struct repeats_test expect, t;
		double v[10];

		for (uint32_t k = 0; k < n; k++)
			v[k] = (double)((next(&seed) >> 33) % 4);
		expect = by_hand(v, n, m);
		t = repeats_test(v, n - m, v + n - m, m);
		assert_true(fabs(t.less - expect.less) < 1e-12);
		assert_true(fabs(t.greater - expect.greater) < 1e-12);
		assert_true(fabs(t.differs - expect.differs) < 1e-12);
	}
}

/* One value more, and the probability is that of the normal distribution. Where it matters. */
static void exact_and_normal_meet(void **state)
{
	const size_t few[] = { 4, 31 }, many[] = { 496, 33 };
	uint64_t seed = 2;
	size_t compared = 0;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		const size_t n = few[i % 2], m = many[i % 2];
		struct repeats_test exact, normal;
		double v[600];

		assert_true(n * (n + m) <= REPEATS_EXACT && n * (n + m + 1) > REPEATS_EXACT);
		for (size_t k = 0; k < n + m; k++)
			v[k] = (double)((next(&seed) >> 33) % 999 + (k < n) * 100 * (i % 5));
		/* the value in the middle says least */
		v[n + m] = 500;
		exact = repeats_test(v, n, v + n, m);
		normal = repeats_test(v, n, v + n, m + 1);
		if (exact.differs > 0.1)
			continue;
		compared++;
		assert_true(fabs(exact.differs - normal.differs) < 0.01);
		assert_true(fabs(exact.less - normal.less) < 0.01);
		assert_true(fabs(exact.greater - normal.greater) < 0.01);
	}
	assert_true(compared >= 20);
}

/* ---- intervals */

/* A normal variable: Box and Muller. */
static double noise(uint64_t *s)
{
	const double u = ((double)(next(s) >> 11) + 1) / 9007199254740993.0;

	return sqrt(-2 * log(u)) * cos(2 * acos(-1) * (double)(next(s) >> 11) / 9007199254740992.0);
}

/*
 * By hand. Of 10 values places 2 and 9 cover 0.978516, 3 and 8 cover 0.890625: part 0.324444,
 * weight 8 * 0.324444 / (2 + 6 * 0.324444) = 0.657658. Of 6 places 1 and 6 cover 0.96875, 2 and 5
 * cover 0.78125: part 0.1, weight 5 * 0.1 / (1 + 4 * 0.1) = 0.357143.
 */
static void interval_of_known_medians(void **state)
{
	const double ten[] = { 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 };
	struct repeats_interval i = repeats_median_interval(ten, 10);

	(void)state;
	assert_true(fabs(i.low - (20 + 6.57658)) < 1e-4 && fabs(i.high - (90 - 6.57658)) < 1e-4);
	i = repeats_median_interval(ten, 6);
	assert_true(fabs(i.low - 13.57143) < 1e-4 && fabs(i.high - 56.42857) < 1e-4);
	i = repeats_median_interval(ten, 5);
	assert_true(isnan(i.low) && isnan(i.high));
}

/* 2000 of 0.95 are 1900, with a standard deviation of 10. */
static void interval_covers_the_median(void **state)
{
	static const size_t repeats[] = { 6, 7, 10, 15, 30, 100 };
	double v[100];

	(void)state;
	for (size_t k = 0; k < sizeof(repeats) / sizeof(repeats[0]); k++) {
		uint64_t seed = 4;
		size_t covered = 0;

		for (size_t set = 0; set < 2000; set++) {
			struct repeats_interval i;

			for (size_t n = 0; n < repeats[k]; n++)
				v[n] = 100 + 2 * noise(&seed);
			repeats_sort(v, repeats[k]);
			i = repeats_median_interval(v, repeats[k]);
			covered += i.low <= 100 && i.high >= 100;
		}
		print_message("%zu repeats: %zu of 2000\n", repeats[k], covered);
		assert_in_range(covered, 1870, 1930);
	}
}

/* All pairs, sorted. */
static void shift_is_that_of_all_pairs(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (size_t set = 0; set < 200; set++) {
		const size_t n = 4 + set % 7, m = 4 + set % 5;
		double a[10], b[8], pairs[80];
		struct repeats_shift s;

		for (size_t i = 0; i < n; i++)
			a[i] = 1 + (double)((next(&seed) >> 33) % 20);
		for (size_t i = 0; i < m; i++)
			b[i] = 1 + (double)((next(&seed) >> 33) % 20);
		repeats_sort(a, n);
		repeats_sort(b, m);
		for (size_t i = 0; i < n * m; i++)
			pairs[i] = b[i % m] / a[i / m];
		repeats_sort(pairs, n * m);
		s = repeats_ratio(a, n, b, m);
		assert_true(s.estimate == repeats_median(pairs, n * m));
		for (size_t i = 0; i < n * m; i++)
			pairs[i] = b[i % m] - a[i / m];
		repeats_sort(pairs, n * m);
		s = repeats_difference(a, n, b, m);
		assert_true(s.estimate == repeats_median(pairs, n * m));
	}
}

/*
 * The pairs that are left out: Mann, Whitney (1947), table I, the largest u with P(U <= u) at most
 * 0.025 is 0 of 4 beside 4, 2 of 5 beside 5, 5 of 6 beside 6, 13 of 8 beside 8.
 */
static void interval_of_the_shift_inverts_the_test(void **state)
{
	static const struct { size_t n, u; } all[] = { { 4, 0 }, { 5, 2 }, { 6, 5 }, { 8, 13 } };
	double a[8], b[8];

	(void)state;
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		const size_t n = all[k].n;
		struct repeats_interval i;

		/* pairs differ by 0 to n * n - 1 */
		for (size_t r = 0; r < n; r++) {
			a[r] = -(double)(n - 1 - r);
			b[r] = (double)(n * r);
		}
		i = repeats_difference(a, n, b, n).interval;
		assert_true(i.low == (double)all[k].u);
		assert_true(i.high == (double)(n * n - 1 - all[k].u));
	}
	assert_true(isnan(repeats_difference(a, 3, b, 3).interval.low));
}

/* Exact and approximate: 5 and 100 repeats. */
static void interval_covers_the_ratio(void **state)
{
	static const size_t repeats[] = { 5, 10, 30, 100 };
	double a[100], b[100];

	(void)state;
	for (size_t k = 0; k < sizeof(repeats) / sizeof(repeats[0]); k++) {
		uint64_t seed = 6;
		size_t covered = 0;

		for (size_t set = 0; set < 1000; set++) {
			const size_t n = repeats[k];
			struct repeats_interval i;

			for (size_t v = 0; v < n; v++) {
				a[v] = exp(0.02 * noise(&seed));
				b[v] = 1.4 * exp(0.02 * noise(&seed));
			}
			repeats_sort(a, n);
			repeats_sort(b, n);
			i = repeats_ratio(a, n, b, n).interval;
			covered += i.low <= 1.4 && i.high >= 1.4;
		}
		print_message("%zu repeats: %zu of 1000\n", repeats[k], covered);
		/* with few repeats the ranks of 0.05 are those of 0.032 */
		assert_in_range(covered, 930, repeats[k] < 10 ? 985 : 970);
	}
}

/* ---- many tests */

/* Holm (1979): 0.01 * 4, 0.013 * 3, 0.03 * 2, 0.4 * 1, and none is less than one before it. */
static void correction_of_known_tests(void **state)
{
	double p[] = { 0.4, 0.01, 0.03, 0.013 };
	const double expect[] = { 0.4, 0.04, 0.06, 0.04 };

	(void)state;
	repeats_holm(p, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(fabs(p[i] - expect[i]) < 1e-12);
	repeats_holm(p, 0);
	p[0] = p[1] = 0.7;
	repeats_holm(p, 2);
	assert_true(p[0] == 1 && p[1] == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probabilities_of_the_table),
		cmocka_unit_test(equal_values_are_counted_exactly),
		cmocka_unit_test(exact_and_normal_meet),
		cmocka_unit_test(interval_of_known_medians),
		cmocka_unit_test(interval_covers_the_median),
		cmocka_unit_test(shift_is_that_of_all_pairs),
		cmocka_unit_test(interval_of_the_shift_inverts_the_test),
		cmocka_unit_test(interval_covers_the_ratio),
		cmocka_unit_test(correction_of_known_tests),
	};

	return cmocka_run_group_tests_name("repeats", tests, NULL, NULL);
}
