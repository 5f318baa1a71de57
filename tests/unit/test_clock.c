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

/*
 * Readings of the counter differ by whole steps. Not all: a counter that a hypervisor scales goes
 * on by 26 ticks and now and then by 25, and there may be none of these among those that were read
 * to find the step.
 */
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
		const double ticks = step_ns / clock_ns_per_tick(&origin, &now);
		const uint64_t step = (uint64_t)(ticks + 0.5);
		uint64_t last = clock_ticks();
		int whole = 0;

		assert_true(step >= 1);
		for (int i = 0; i < 1000; i++) {
			const uint64_t next = clock_ticks();

			whole += (next - last) % step == 0;
			last = next;
		}
		assert_true(whole > 500);
	}
	clock_counter_on = false;
	step_ns = clock_step_ns(&origin);
	assert_true(step_ns >= 1 && step_ns < 1e6);
	clock_init();
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
	};

	return cmocka_run_group_tests_name("clock", tests, init, NULL);
}
