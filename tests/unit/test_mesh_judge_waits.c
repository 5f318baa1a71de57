/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Low figures beside waits for a CPU. */
#include "config.h"
#include "judge/judge_waits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define GOOD 20.0
#define LIMIT 19.2

/* n figures of this value, which waited for so long. */
static void add(struct judge_waits *w, uint32_t n, double value, double lost)
{
	while (n--)
		judge_waits_add(w, value, lost);
}

static void compare(struct judge_waits *w, uint32_t n, double value, double lost)
{
	while (n--)
		judge_waits_compare(w, value, lost);
}

static void test_disturb(void **state)
{
	const struct judge_waits rate = { .limit = LIMIT }, none = { .limit = NAN };
	const struct judge_waits latency = { .limit = 10, .latency = true };

	(void)state;
	assert_true(judge_waits_disturb(&rate, 10, 0.5));
	assert_false(judge_waits_disturb(&rate, 10, 0.4));
	assert_false(judge_waits_disturb(&rate, GOOD, 0.5));
	assert_false(judge_waits_disturb(&rate, NAN, 1));
	assert_false(judge_waits_disturb(&none, 10, 1));
	assert_true(judge_waits_disturb(&latency, 20, 0.5));
	assert_false(judge_waits_disturb(&latency, 20, 0.4));
	assert_false(judge_waits_disturb(&latency, 9, 0.5));
}

/* With nothing beside them half is enough. */
static void test_half(void **state)
{
	struct judge_waits w = { .value = 10, .limit = LIMIT };

	(void)state;
	add(&w, 5, 10, 0.8);
	add(&w, 5, 10, 0.2);
	assert_true(judge_waits_explain(&w));
	add(&w, 1, 10, 0.2);
	assert_false(judge_waits_explain(&w));
}

/*
 * A full uplink on a machine with a load of 30, 20 Mbit/s, 64 messages of 4 KiB in flight: of the
 * pairs that do not use it and waited as long 70 % are good.
 */
static void test_others_are_good(void **state)
{
	struct judge_waits w = { .value = 9, .limit = LIMIT };

	(void)state;
	add(&w, 50, 9, 0.8);
	add(&w, 46, 9, 0.3);
	compare(&w, 60, GOOD, 0.3);
	assert_true(judge_waits_explain(&w));
	compare(&w, 52, GOOD, 0.8);
	compare(&w, 22, 12, 0.8);
	assert_false(judge_waits_explain(&w));
	/* the machine is the cause: what waits is low */
	compare(&w, 40, 12, 0.8);
	assert_true(judge_waits_explain(&w));
}

/* Few others say nothing. */
static void test_few_others(void **state)
{
	struct judge_waits w = { .value = 30, .limit = 10, .latency = true };

	(void)state;
	add(&w, 8, 30, 0.7);
	compare(&w, 4, 9, 0.7);
	assert_true(judge_waits_explain(&w));
	compare(&w, 1, 9, 0.7);
	assert_false(judge_waits_explain(&w));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_disturb),
		cmocka_unit_test(test_half),
		cmocka_unit_test(test_others_are_good),
		cmocka_unit_test(test_few_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
