/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* sequence: a skipped number in the window is known as skipped, once, also where numbers wrap. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/sequence.h"

static struct sequence g;

static void fresh(void)
{
	memset(&g, 0, sizeof(g));
}

static void none_at_first(void **state)
{
	(void)state;
	fresh();
	for (uint32_t i = 0; i < 2 * SEQUENCE_WINDOW; i++)
		assert_false(sequence_fill(&g, i));
}

static void each_once(void **state)
{
	static const uint32_t starts[] = { 0, 1, 63, 64, 1000, UINT32_MAX - 100, UINT32_MAX };

	(void)state;
	for (size_t s = 0; s < sizeof(starts) / sizeof(starts[0]); s++) {
		const uint32_t at = starts[s];

		fresh();
		sequence_skip(&g, at, 200);
		assert_false(sequence_fill(&g, at - 1));
		assert_false(sequence_fill(&g, at + 200));
		/* backwards, every second; and then all */
		for (uint32_t i = 200; i; i -= 2)
			assert_true(sequence_fill(&g, at + i - 1));
		for (uint32_t i = 0; i < 200; i++)
			assert_int_equal(sequence_fill(&g, at + i), i % 2 == 0);
		for (uint32_t i = 0; i < 200; i++)
			assert_false(sequence_fill(&g, at + i));
	}
}

/* A hundredth is skipped for ever; what is still in the window is known, and nothing else. */
static void window(void **state)
{
	const uint32_t n = 5 * SEQUENCE_WINDOW + 1;
	uint32_t late = 0;

	(void)state;
	fresh();
	for (uint32_t i = 0; i < n; i += 100)
		sequence_skip(&g, i, 1);
	for (uint32_t i = n - SEQUENCE_WINDOW; i < n; i++) {
		assert_int_equal(sequence_fill(&g, i), i % 100 == 0);
		late++;
	}
	assert_true(late > 0);
	assert_false(sequence_fill(&g, 0));
	/* the number that shares a skipped one's place was not skipped */
	sequence_skip(&g, n, 1);
	assert_false(sequence_fill(&g, n + 64 * SEQUENCE_WORDS));
	assert_true(sequence_fill(&g, n));
}

static void more_than_the_window(void **state)
{
	(void)state;
	fresh();
	sequence_skip(&g, 5, 3 * SEQUENCE_WINDOW);
	assert_false(sequence_fill(&g, 5));
	assert_true(sequence_fill(&g, 5 + 2 * SEQUENCE_WINDOW));
	assert_true(sequence_fill(&g, 4 + 3 * SEQUENCE_WINDOW));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_at_first),
		cmocka_unit_test(each_once),
		cmocka_unit_test(window),
		cmocka_unit_test(more_than_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
