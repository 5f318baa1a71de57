/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * knee: the search finds the knee of a simulated M/D/1 queue within 5 % of what the theory says,
 * also where some trials are disturbed, and ends after a known number of trials whatever the
 * answers are.
 */
#include "config.h"
#include "run/knee.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define SEEDS 20u
#define MESSAGES 50000u      /* of a full trial */
#define SHORT_PART 4u
#define SERVICE_NS 200e3
#define CAPACITY (1e9 / SERVICE_NS)
#define LEAST 50.0
#define MOST_TRIALS 60u
#define BINS 4096u           /* of times, in hundredths of a service time */

static uint64_t seed;

/* The same in each run: a linear congruential generator (Knuth, MMIX), its upper bits. */
static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(seed >> 11) + 0.5) / 0x1p53;
}

/* Response p99 of n messages that come to an idle server at random (Lindley's recursion). */
static double md1_trial(double load, uint32_t n)
{
	uint32_t counts[BINS] = { 0 }, above = 0, i = BINS;
	double wait = 0;

	for (uint32_t k = 0; k < n; k++) {
		const double at = 100 * (wait + 1);

		counts[at < BINS - 1 ? (uint32_t)at : BINS - 1]++;
		wait = fmax(wait + 1 + log(uniform()) / load, 0);
	}
	while (above + counts[i - 1] <= n / 100)
		above += counts[--i];
	return (i - 0.5) / 100 * SERVICE_NS;
}

/*
 * Crommelin (1932): the part of the messages of an M/D/1 queue that wait at most t service times.
 */
static long double md1_wait(long double load, long double t)
{
	long double sum = 0;

	for (int i = 0; i <= (int)t; i++) {
		const long double x = load * (t - i);

		sum += (i % 2 ? -1 : 1) * expl(x + (i ? i * logl(x) - lgammal(i + 1.0L) : 0));
	}
	return (1 - load) * sum;
}

/* The load of which 99 % are answered in that many service times. */
static double md1_knee(double services)
{
	double low = 0.01, high = 0.99;

	while (high - low > 1e-6) {
		const double mid = (low + high) / 2;

		if (md1_wait(mid, services - 1) >= 0.99L)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* disturbed: the part of the trials whose p99 is three times as long. */
static void search(struct knee *k, double services, double disturbed)
{
	knee_begin(k, services * SERVICE_NS, CAPACITY, LEAST);
	while (knee_found(k) == KNEE_SEARCHING) {
		bool full;
		const double load = knee_next(k, &full) / CAPACITY;
		const double p99 = md1_trial(load, full ? MESSAGES : MESSAGES / SHORT_PART);

		assert_true(k->trials < MOST_TRIALS);
		knee_take(k, p99 * (uniform() < disturbed ? 3 : 1), false);
	}
}

/* 4.33 service times at half load: the figure that queueing theory is known for. */
static void theory(void **state)
{
	(void)state;
	assert_true(fabs(md1_knee(4.33) - 0.5) < 0.003);
}

static void finds_the_knee_of_theory(void **state)
{
	static const double bounds[] = { 3, 4.33, 8, 16 };

	(void)state;
	for (uint32_t i = 0; i < 2 * SEEDS; i++)
		for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
			const double truth = md1_knee(bounds[b]) * CAPACITY;
			struct knee k;
			double middle;

			seed = i + 1;
			/* the second half: one trial of 50 is disturbed */
			search(&k, bounds[b], i < SEEDS ? 0 : 0.02);
			middle = (k.lower.rate_per_s + k.upper.rate_per_s) / 2;
			assert_int_equal(knee_found(&k), KNEE_FOUND);
			if (fabs(middle / truth - 1) > 0.05)
				fail_msg("seed %u, bound %g: %g, and theory says %g", i, bounds[b],
					 middle, truth);
			assert_true(k.upper.rate_per_s - k.lower.rate_per_s <=
				    KNEE_WIDTH * k.upper.rate_per_s);
			assert_true(k.lower.p99_ns <= bounds[b] * SERVICE_NS);
			assert_true(k.upper.p99_ns > bounds[b] * SERVICE_NS);
		}
}

/* Answers by a threshold alone. */
static void answer(struct knee *k, double knee, bool saturates)
{
	knee_begin(k, 1000, CAPACITY, LEAST);
	while (knee_found(k) == KNEE_SEARCHING) {
		bool full;
		const bool above = knee_next(k, &full) > knee;

		assert_true(k->trials < MOST_TRIALS);
		knee_take(k, above && !saturates ? 1001 : 1000, above && saturates);
	}
}

static void brackets_a_threshold(void **state)
{
	(void)state;
	for (double knee = 51; knee < CAPACITY; knee *= 1.03)
		for (int saturates = 0; saturates < 2; saturates++) {
			struct knee k;

			answer(&k, knee, saturates);
			assert_int_equal(knee_found(&k), KNEE_FOUND);
			assert_true(k.lower.rate_per_s <= knee && knee < k.upper.rate_per_s);
			assert_int_equal(k.upper.saturated, saturates);
			assert_false(k.lower.saturated);
			assert_true(k.trials <= 40);
		}
}

static void says_that_there_is_none(void **state)
{
	struct knee k;

	(void)state;
	answer(&k, 0, false);
	assert_int_equal(knee_found(&k), KNEE_NONE);
	assert_true(k.upper.rate_per_s == LEAST);
	answer(&k, CAPACITY, false);
	assert_int_equal(knee_found(&k), KNEE_CAPACITY);
	assert_true(k.lower.rate_per_s == CAPACITY);
}

/* Of both answers, each is confirmed by full trials: one short trial decides nothing. */
static void short_trials_do_not_decide(void **state)
{
	bool full = false;
	struct knee k;

	(void)state;
	for (int misled = 0; misled < 2; misled++) {
		knee_begin(&k, 1000, CAPACITY, LEAST);
		while (knee_found(&k) == KNEE_SEARCHING) {
			const double rate = knee_next(&k, &full);

			assert_true(k.trials < MOST_TRIALS);
			knee_take(&k, !full ? (misled ? 9000 : 1) : rate > 2500 ? 1001 : 999,
				  false);
		}
		assert_int_equal(knee_found(&k), KNEE_FOUND);
		assert_true(k.lower.rate_per_s <= 2500 && 2500 < k.upper.rate_per_s);
	}
}

/* The first full trial of each load says the opposite of the truth. */
static void one_of_three_does_not_decide(void **state)
{
	struct knee k;

	(void)state;
	knee_begin(&k, 1000, CAPACITY, LEAST);
	while (knee_found(&k) == KNEE_SEARCHING) {
		bool full;
		const bool above = knee_next(&k, &full) > 2500;
		const bool lies = full && k.n_met + k.n_missed == 0;

		assert_true(k.trials < MOST_TRIALS);
		knee_take(&k, above != lies ? 1001 : 999, false);
	}
	assert_int_equal(knee_found(&k), KNEE_FOUND);
	assert_true(k.lower.rate_per_s <= 2500 && 2500 < k.upper.rate_per_s);
	assert_true(k.lower.p99_ns == 999 && k.upper.p99_ns == 1001);
}

/* Answers at random: it ends, and never with an interval that is upside down. */
static void ends_with_any_answers(void **state)
{
	(void)state;
	for (seed = 1; seed < 1000; ) {
		const uint64_t mine = seed;
		struct knee k;

		knee_begin(&k, 1000, CAPACITY * (0.01 + uniform()), LEAST);
		while (knee_found(&k) == KNEE_SEARCHING) {
			assert_true(k.trials < MOST_TRIALS);
			knee_take(&k, uniform() < 0.5 ? 1001 : 999, uniform() < 0.1);
		}
		if (knee_found(&k) == KNEE_FOUND)
			assert_true(k.lower.rate_per_s < k.upper.rate_per_s);
		seed = mine + 1;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(theory),
		cmocka_unit_test(finds_the_knee_of_theory),
		cmocka_unit_test(brackets_a_threshold),
		cmocka_unit_test(says_that_there_is_none),
		cmocka_unit_test(short_trials_do_not_decide),
		cmocka_unit_test(one_of_three_does_not_decide),
		cmocka_unit_test(ends_with_any_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
