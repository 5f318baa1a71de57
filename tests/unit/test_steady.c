/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * steady: synthetic series of known kinds. Of steady ones, whatever their scatter and its shape, at
 * most 2 % are called unsteady; steps, drifts and slow waves are; outliers are counted.
 */
#include "config.h"
#include "worker/steady.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define SERIES 200u
#define MOST_FALSE 4u /* 2 % of them */

static uint64_t seed;

/* The same in each run: a linear congruential generator (Knuth, MMIX), its upper bits. */
static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(seed >> 11) + 0.5) / 0x1p53;
}

static double normal(double scatter)
{
	return 1 + scatter * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* One in five is slower by three times the scatter. */
static double bimodal(double scatter)
{
	return normal(scatter) - (uniform() < 0.2 ? 3 * scatter : 0);
}

/* Mostly fast, sometimes interrupted for long. */
static double heavy(double scatter)
{
	return fmax(1 - scatter * (pow(uniform(), -1 / 1.5) - 1), 0);
}

/* Counts of few messages: whole numbers. */
static double whole(double scatter)
{
	return floor(20 * normal(scatter) + uniform());
}

static const uint32_t lengths[] = { 10, 11, 13, 16, 20, 32, 45, 64 };
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* How many of SERIES are unsteady; shape(i) is what the value i of n is multiplied by. */
static uint32_t unsteady(double (*value)(double), double scatter, uint32_t n,
			 double (*shape)(double part))
{
	uint32_t found = 0;

	for (uint32_t k = 0; k < SERIES; k++) {
		double x[STEADY_MOST];

		for (uint32_t i = 0; i < n; i++)
			x[i] = value(scatter) * (shape ? shape((i + 0.5) / n) : 1);
		found += steady_of(x, n).unsteady == 1;
	}
	return found;
}

static void test_steady_series(void **state)
{
	static double (*const kinds[])(double) = { normal, bimodal, heavy, whole };
	static const double scatters[] = { 0, 0.0001, 0.001, 0.004, 0.01, 0.03, 0.1, 0.3 };

	(void)state;
	seed = 1;
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
		for (size_t s = 0; s < sizeof(scatters) / sizeof(scatters[0]); s++)
			for (size_t n = 0; n < LENGTHS; n++)
				assert_in_range(unsteady(kinds[kind], scatters[s], lengths[n],
							 NULL), 0, MOST_FALSE);
}

static double step(double part)
{
	return part < 0.5 ? 1 : 1.1;
}

static double drift(double part)
{
	return 1 - 0.15 * part;
}

/* Pages are touched for the first time. */
static double slow_start(double part)
{
	return part < 0.4 ? 0.7 : 1;
}

/* Three periods in the window: the thirds are alike, neighbours too. */
static double wave(double part)
{
	return 1 + 0.1 * sin(6 * M_PI * part);
}

static void test_unsteady_series(void **state)
{
	static double (*const shapes[])(double) = { step, drift, slow_start, wave };

	(void)state;
	seed = 2;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		assert_int_equal(unsteady(normal, 0.003, 32, shapes[i]), SERIES);
		assert_int_equal(unsteady(normal, 0.01, 64, shapes[i]), SERIES);
	}
	/* with few slices it takes less scatter, or more of a difference */
	assert_int_equal(unsteady(normal, 0.003, 10, step), SERIES);
	assert_int_equal(unsteady(normal, 0.01, 10, slow_start), SERIES);
	/* what the header promises */
	assert_in_range(unsteady(normal, 0.03, 32, step), SERIES * 97 / 100, SERIES);
}

static void test_what_is_small(void **state)
{
	double x[STEADY_MOST];

	(void)state;
	/* a wave of 0.4 %, and a drift of 4 %: neither matters */
	for (uint32_t i = 0; i < 64; i++)
		x[i] = 1 + 0.004 * sin(i / 5.0);
	assert_int_equal(steady_of(x, 64).unsteady, 0);
	assert_true(steady_of(x, 64).correlation > 0.9);
	for (uint32_t i = 0; i < 12; i++)
		x[i] = i < 6 ? 1 : 1.04;
	x[3] = 1.04;
	x[8] = 1;
	assert_int_equal(steady_of(x, 12).unsteady, 0);
}

static void test_figures(void **state)
{
	static const double x[] = { 8, 8, 8, 10, 10, 10, 10, 12, 12, 12 };
	const struct steady s = steady_of(x, 10);

	(void)state;
	assert_int_equal(s.slices, 10);
	assert_int_equal(s.unsteady, 1);
	assert_true(fabs(s.first_pct - 80) < 1e-9 && fabs(s.last_pct - 120) < 1e-9);
	/* (4 + 4 + 0 + 0 + 0 + 0 + 0 + 4 + 4) / 24 */
	assert_true(fabs(s.correlation - 16.0 / 24) < 1e-9);
}

/* Quartiles 100 and 102: mild beyond 97 and 105, severe beyond 94 and 108. */
static void test_outliers(void **state)
{
	static const double none[] = { 97, 100, 100, 100, 101, 101, 101, 101, 101, 102, 102,
				       102, 105 };
	static const double some[] = { 109, 93, 100, 100, 101, 101, 101, 101, 101, 102, 106,
				       102, 96 };
	static const double close[] = { 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1004,
					1010 };
	struct steady s = steady_of(none, 13);

	(void)state;
	assert_true(s.mild == 0 && s.severe == 0);
	s = steady_of(some, 13);
	assert_true(s.mild == 2 && s.severe == 2);
	s = steady_of(close, 10);
	assert_true(s.mild == 0 && s.severe == 1);
}

static void test_too_few(void **state)
{
	static const double x[10] = { 0 };
	struct steady s = steady_of(x, STEADY_LEAST - 1);

	(void)state;
	assert_true(s.slices == UINT64_MAX && s.unsteady == UINT64_MAX && isnan(s.first_pct));
	s = steady_of(x, 10);
	assert_true(s.slices == UINT64_MAX && s.mild == UINT64_MAX && isnan(s.correlation));
	assert_true(steady_of(NULL, 0).slices == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady_series),
		cmocka_unit_test(test_unsteady_series),
		cmocka_unit_test(test_what_is_small),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_outliers),
		cmocka_unit_test(test_too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
