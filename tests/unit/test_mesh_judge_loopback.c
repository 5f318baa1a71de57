/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A node with itself, beside a good one. */
#include "config.h"
#include "judge/judge_loopback.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Of a good node it may be less than a link has. */
static void test_bandwidth(void **state)
{
	const struct judge_finding f = { .median = 100, .limit = 96 };
	struct judge_loopback loop = { .own = NAN, .good = 50 };

	(void)state;
	assert_true(judge_loopback_wants(&f, &loop));
	judge_loopback_add(&loop, NAN);
	assert_true(judge_loopback_wants(&f, &loop));
	judge_loopback_add(&loop, 47);
	assert_true(judge_loopback_is_low(&f, &loop));
	assert_true(judge_loopback_wants(&f, &loop));
	judge_loopback_add(&loop, 49);
	assert_false(judge_loopback_wants(&f, &loop));
	judge_loopback_add(&loop, 10);
	assert_false(judge_loopback_is_low(&f, &loop));
	loop.good = NAN;
	assert_false(judge_loopback_wants(&f, &loop));
}

static void test_latency(void **state)
{
	const struct judge_finding f = { .median = 10, .limit = 11 };
	struct judge_loopback loop = { .own = NAN, .good = 4, .lower_is_better = true };

	(void)state;
	judge_loopback_add(&loop, 5);
	assert_true(judge_loopback_is_low(&f, &loop));
	judge_loopback_add(&loop, 4.2);
	assert_false(judge_loopback_is_low(&f, &loop));
}

/* A limit above what all have makes no node worse than another one. */
static void test_limit_beyond_the_median(void **state)
{
	const struct judge_finding f = { .median = 100, .limit = 120 };
	const struct judge_loopback loop = { .own = 50, .good = 50 };

	(void)state;
	assert_false(judge_loopback_is_low(&f, &loop));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bandwidth),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_limit_beyond_the_median),
	};

	return cmocka_run_group_tests_name("mesh_judge_loopback", tests, NULL, NULL);
}
