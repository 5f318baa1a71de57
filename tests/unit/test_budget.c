/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* limits/budget.c: what is counted, asked for and given back. */
#include "config.h"
#include "limits/budget.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"

#define MIB (UINT64_C(1) << 20)

struct server {
	uint64_t has, most;
	uint32_t asked;
};

static int ask(void *arg, uint64_t bytes)
{
	struct server *s = arg;

	s->asked++;
	if (bytes > s->has && bytes > s->most)
		return err_set(-ENOMEM, "no more than %d", (int)s->most);
	s->has = bytes;
	return 0;
}

static void test_session(void **state)
{
	struct memory_budget b = { .most = 10 * MIB };

	(void)state;
	assert_int_equal(budget_take(&b, 4 * MIB, "buffers"), 0);
	assert_int_equal(budget_take(&b, 6 * MIB, "queues"), 0);
	assert_int_equal(budget_take(&b, 1, "a histogram"), -ENOMEM);
	assert_string_equal(err_text(), "--max-memory 10485760 of the server's owner: the test asks for 1 (a histogram) beyond 10485760");
	assert_int_equal(budget_take(&b, UINT64_MAX, "everything"), -ENOMEM);
	assert_int_equal(budget_take(&b, UINT64_MAX - 5 * MIB, "everything"), -ENOMEM);
	assert_true(b.used == 10 * MIB);
	budget_back(&b, 4 * MIB);
	assert_int_equal(budget_take(&b, 6 * MIB, "queues"), 0);
	assert_int_equal(budget_take(NULL, UINT64_MAX, "a client"), 0);
	budget_back(NULL, budget_mark(NULL));
}

static void test_server(void **state)
{
	struct server s = { .most = 40 * MIB };
	struct memory_budget b = { .most = UINT64_MAX, .ask = ask, .arg = &s };
	uint64_t mark;

	(void)state;
	/* in steps: not each of many small ones is asked for */
	for (int i = 0; i < 1000; i++)
		assert_int_equal(budget_take(&b, 100, "state"), 0);
	assert_int_equal(s.asked, 1);
	assert_true(s.has == MIB);
	mark = budget_mark(&b);
	assert_int_equal(budget_take(&b, 39 * MIB, "buffers"), 0);
	assert_true(s.has == 40 * MIB);
	assert_int_equal(budget_take(&b, MIB, "buffers"), -ENOMEM);
	assert_string_equal(err_text(), "no more than 41943040");
	assert_true(b.used == mark + 39 * MIB && b.granted == 40 * MIB);
	budget_back(&b, mark);
	assert_true(s.has == MIB && b.used == mark);
	/* little is kept for the next point */
	assert_int_equal(budget_take(&b, 8 * MIB, "buffers"), 0);
	budget_back(&b, mark);
	assert_true(s.has == 9 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
