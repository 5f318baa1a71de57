/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* place/cpu_use.c: threads that use CPU time, beside what the system accounts to the process. */
#include "config.h"
#include "place/cpu_use.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/clock.h"

#define MS UINT64_C(1000000)

/* Uses so much CPU time in a loop, and says how much that was. */
static void *use(void *arg)
{
	uint64_t *ns = arg;
	const uint64_t from = clock_cpu_ns(CLOCK_THREAD_CPUTIME_ID), want = *ns;

	while (*ns = clock_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - from, *ns < want)
		continue;
	return NULL;
}

static uint64_t accounted_ns(void)
{
	struct rusage r;

	assert_int_equal(getrusage(RUSAGE_SELF, &r), 0);
	return ((uint64_t)r.ru_utime.tv_sec + (uint64_t)r.ru_stime.tv_sec) * 1000 * MS +
	       ((uint64_t)r.ru_utime.tv_usec + (uint64_t)r.ru_stime.tv_usec) * 1000;
}

/* One thread measures, one is of a library, and the main thread uses some, too. */
static void test_threads(void **state)
{
	uint64_t measuring = 300 * MS, library = 200 * MS, own = 100 * MS, accounted, sum;
	struct cpu_use before, after;
	pthread_t threads[2];

	(void)state;
	accounted = accounted_ns();
	cpu_use_read(&before, "");
	assert_int_equal(pthread_create(&threads[0], NULL, use, &measuring), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, use, &library), 0);
	use(&own);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	cpu_use_read(&after, "");
	accounted = accounted_ns() - accounted;
	sum = measuring + cpu_use_other_ns(&before, &after, measuring) +
	      after.thread_ns - before.thread_ns;
	assert_in_range(sum, accounted * 97 / 100, accounted * 103 / 100);
	assert_in_range(cpu_use_other_ns(&before, &after, measuring), library * 97 / 100,
			library * 103 / 100);
	assert_in_range(after.thread_ns - before.thread_ns, own, own * 103 / 100);
	assert_int_equal(cpu_use_other_ns(&before, &after, accounted * 2), 0);
}

static void set(const char *root, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/stat", root);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void test_machine(void **state)
{
	static const struct {
		const char *before, *after;
		double softirq, steal;
	} cases[] = {
		{ "cpu  10 0 20 100 0 1 5 2 0 0\ncpu0 1 1 1 1 1 1 1 1\n",
		  "cpu  20 0 30 150 0 1 25 12 0 0\n", 20, 10 },
		{ "cpu  10 0 20 100 0 1 5 2\n", "cpu  10 0 20 119 0 1 5 2\n", NAN, NAN },
		{ "cpu  10 0 20 100\n", "cpu  20 0 30 150\n", NAN, NAN },
		{ "", "cpu  20 0 30 150 0 1 25 12 0 0\n", NAN, NAN },
		{ "cpu  10 0 20 1000 0 1 5 2 0 0\n", "cpu  0 0 0 1 0 0 0 0 0 0\n", NAN, NAN },
		{ "cpu  10 0 20 100 0 1 5 2 0 0\n", "cpu  20 0 30 150 0 1 4 2 0 0\n", NAN, 0 },
	};
	char root[] = "/tmp/test_cpu_use.XXXXXX", path[64];
	struct cpu_use before, after;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/proc", root);
	assert_int_equal(mkdir(path, 0700), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double softirq, steal;

		set(root, cases[i].before);
		cpu_use_read(&before, root);
		set(root, cases[i].after);
		cpu_use_read(&after, root);
		softirq = cpu_use_softirq_pct(&before, &after);
		steal = cpu_use_steal_pct(&before, &after);
		assert_int_equal(isnan(softirq), isnan(cases[i].softirq));
		assert_int_equal(isnan(steal), isnan(cases[i].steal));
		if (!isnan(softirq))
			assert_float_equal(softirq, cases[i].softirq, 1e-9);
		if (!isnan(steal))
			assert_float_equal(steal, cases[i].steal, 1e-9);
	}
	snprintf(path, sizeof(path), "rm -rf %s", root);
	assert_int_equal(system(path), 0); /* NOLINT: a name of mkdtemp() */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads), cmocka_unit_test(test_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
