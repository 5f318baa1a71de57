/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * clock: the name fits the source, stamps never go back, and ticks converted over one interval
 * agree with CLOCK_MONOTONIC_RAW within the uncertainty that the anchors claim. No test assumes
 * that the machine is idle.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/clock.h"

static int init(void **state)
{
	(void)state;
	clock_init();
	return 0;
}

static void name_fits_source(void **state)
{
	(void)state;
	assert_string_equal(clock_name(), clock_counter_on ? CLOCK_COUNTER_NAME : "monotonic_raw");
	assert_true(strlen(clock_name()) > 0);
}

static void never_back(void **state)
{
	uint64_t ticks = clock_ticks(), ns = clock_ns();

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t t = clock_ticks(), n = clock_ns();

		assert_true(t >= ticks && n >= ns);
		ticks = t;
		ns = n;
	}
}

static void spin_ns(uint64_t ns)
{
	uint64_t end = clock_ns() + ns;

	while (clock_ns() < end)
		;
}

/* Two intervals in a row give the same rate, within both their uncertainties (and rounding). */
static void rate_is_steady(void **state)
{
	struct clock_anchor a = clock_anchor(), b, c;
	double first, second, bound;

	(void)state;
	spin_ns(20000000);
	b = clock_anchor();
	spin_ns(20000000);
	c = clock_anchor();
	assert_true(b.ticks > a.ticks && c.ticks > b.ticks && b.ns > a.ns);
	first = clock_ns_per_tick(&a, &b);
	second = clock_ns_per_tick(&b, &c);
	if (!clock_counter_on) {
		assert_true(first == 1.0 && second == 1.0);
		return;
	}
	bound = (double)(a.bracket + b.bracket + 1) / (double)(b.ticks - a.ticks) +
		(double)(b.bracket + c.bracket + 1) / (double)(c.ticks - b.ticks) + 1e-5;
	assert_true(fabs(first / second - 1) <= bound);
}

/* An interval bracketed by the two anchors, by both clocks. */
static void ticks_become_ns(void **state)
{
	struct clock_anchor a = clock_anchor(), b;
	uint64_t t0, t1, n0, n1, outer0, outer1, ns;
	double rate, slack;

	(void)state;
	outer0 = clock_ns();
	t0 = clock_ticks();
	n0 = clock_ns();
	spin_ns(10000000);
	n1 = clock_ns();
	t1 = clock_ticks();
	outer1 = clock_ns();
	b = clock_anchor();
	rate = clock_ns_per_tick(&a, &b);
	ns = clock_to_ns(t1 - t0, rate);
	slack = (double)(outer1 - outer0) *
		((double)(a.bracket + b.bracket) / (double)(b.ticks - a.ticks) + 1e-5) + 200;
	assert_true((double)ns + slack >= (double)(n1 - n0));
	assert_true((double)ns <= (double)(outer1 - outer0) + slack);
}

static void converts_to_nearest(void **state)
{
	(void)state;
	assert_int_equal(clock_to_ns(0, 0.4), 0);
	assert_int_equal(clock_to_ns(1, 0.4), 0);
	assert_int_equal(clock_to_ns(1, 0.6), 1);
	assert_int_equal(clock_to_ns(3, 0.5), 2);
	assert_int_equal(clock_to_ns(UINT64_C(1) << 60, 1.0), UINT64_C(1) << 60);
	assert_int_equal(clock_to_ns((UINT64_C(1) << 60) + 1, 1.0), (UINT64_C(1) << 60) + 1);
}

/* Without a counter everything must still hold: the branch of an untrusted TSC. */
static void falls_back(void **state)
{
	struct clock_anchor a, b;
	uint64_t n0, t, n1;

	(void)state;
	clock_counter_on = false;
	n0 = clock_ns();
	t = clock_ticks();
	n1 = clock_ns();
	assert_true(n0 <= t && t <= n1);
	assert_string_equal(clock_name(), "monotonic_raw");
	a = clock_anchor();
	spin_ns(1000);
	b = clock_anchor();
	assert_true(clock_ns_per_tick(&a, &b) == 1.0);
	clock_init();
}

/* Each reading is a whole number of steps, as the counter of this machine. */
static void steps(void **state)
{
	const struct clock_anchor origin = clock_anchor();
	struct clock_anchor now;
	double step_ns;

	(void)state;
	spin_ns(1000000);
	step_ns = clock_step_ns(&origin);
	assert_true(step_ns > 0);
	assert_true(step_ns < 1e6);
	now = clock_anchor();
	if (clock_counter_on) {
		const double step = step_ns / clock_ns_per_tick(&origin, &now);
		uint64_t last = clock_ticks();

		for (int i = 0; i < 1000; i++) {
			const uint64_t next = clock_ticks();
			const double more = (double)(next - last);

			/* rounding, and what the estimate is off after many steps */
			if (next - last < 20 * (uint64_t)ceil(step))
				assert_true(fabs(more - step * round(more / step)) < 3);
			last = next;
		}
	}
	clock_counter_on = false;
	step_ns = clock_step_ns(&origin);
	assert_true(step_ns >= 1 && step_ns < 1e6);
	clock_init();
}

/* The differences of readings at distances by chance: each is multiples of step, rounded down. */
static double step_of(double step, uint64_t ticks_between, bool never_twice)
{
	uint64_t differences[1000], seed = 7, last = 0;
	double now = 12345.6;

	for (int i = 0; i < 1000; i++) {
		uint64_t reading;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		now += 20 + (double)ticks_between * (double)(seed >> 33) / 2147483648.0;
		reading = (uint64_t)(floor(now / step) * step);
		if (never_twice && reading <= last)
			reading = last + 1;
		differences[i] = i ? reading - last : 0;
		last = reading;
	}
	return clock_step_ticks(differences, 1000);
}

static void steps_of_counters(void **state)
{
	static const struct {
		double step;
		uint64_t ticks_between;
		bool never_twice;
	} counters[] = {
		{ 1, 500, false },         /* a TSC */
		{ 2, 500, false },
		{ 36, 500, false },        /* 100 MHz, as whole multiples */
		{ 25.96, 500, false },     /* scaled by a hypervisor */
		{ 25.96, 500, true },
		{ 25.96, 50, true },
		{ 25.96, 100000, false },
		{ 100.3, 500, true },
		{ 12.5, 500, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		const double right = counters[i].step;
		const double step = step_of(right, counters[i].ticks_between,
					    counters[i].never_twice);

		if (fabs(step / right - 1) > 0.03)
			fail_msg("%g ticks, not %g, of counter %zu", step, right, i);
	}
}

static void differences_without_a_step(void **state)
{
	uint64_t none[] = { 0, 0, 0 }, single[] = { 0, 1, 0, 1 };

	(void)state;
	assert_true(clock_step_ticks(none, 3) == 0);
	assert_true(clock_step_ticks(single, 4) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_fits_source),
		cmocka_unit_test(never_back),
		cmocka_unit_test(rate_is_steady),
		cmocka_unit_test(ticks_become_ns),
		cmocka_unit_test(converts_to_nearest),
		cmocka_unit_test(falls_back),
		cmocka_unit_test(steps),
		cmocka_unit_test(steps_of_counters),
		cmocka_unit_test(differences_without_a_step),
	};

	return cmocka_run_group_tests_name("clock", tests, init, NULL);
}
