/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The verdicts of a comparison: what a reader must not be told wrongly; on series of known truth,
 * how many are found, and how many false alarms there are. The verdicts of compare-completion.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tables/tables.h"
#include "read/groups.h"
#include "run/beside.h"

#define REPEATS 100
#define SERIES 1000
#define LINES 20

/* ---- series */

/* xorshift64*, so that a failure can be repeated. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * UINT64_C(2685821657736338717);
}

/* A normal variable: Box and Muller. */
static double noise(uint64_t *s)
{
	const double u = ((double)(next(s) >> 11) + 1) / 9007199254740993.0;

	return sqrt(-2 * log(u)) * cos(2 * acos(-1) * (double)(next(s) >> 11) / 9007199254740992.0);
}

/* ---- verdicts */

/* Of n repeats each. */
static struct compared compared(double *a, size_t n_a, double *b, size_t n_b)
{
	struct compared c = { .in_a = n_a, .in_b = n_b, .direction = 1 };

	repeats_sort(a, n_a);
	repeats_sort(b, n_b);
	verdict_measure(&c, &(struct spread_values){ a, n_a }, &(struct spread_values){ b, n_b });
	return c;
}

static enum verdict verdict(double *a, size_t n_a, double *b, size_t n_b, double within)
{
	struct compared c = compared(a, n_a, b, n_b);

	verdict_judge(&c, 1, within);
	return c.verdict;
}

static void verdicts_of_known_cases(void **state)
{
	static const struct {
		double a[6], b[6];
		size_t n_a, n_b;
		enum verdict expect;
	} all[] = {
		/* with one bad repeat a loss is never called the same, and one more shows it */
		{ { 9.5, 9.5, 9.5, 9.5, 4.75 }, { 5.225, 5.225, 5.225, 5.225, 5.225 }, 5, 5,
		  VERDICT_UNSURE },
		{ { 100.1, 99.8, 100, 100.2, 99.9 }, { 70.1, 69.9, 70, 70.2, 100 }, 5, 5,
		  VERDICT_UNSURE },
		{ { 100.1, 99.8, 100, 100.2, 99.9, 100.1 }, { 70.1, 69.9, 70, 70.2, 100, 70.1 },
		  6, 6, VERDICT_WORSE },
		{ { 70.1, 69.9, 70, 70.2, 100, 70.1 }, { 100.1, 99.8, 100, 100.2, 99.9, 100.1 },
		  6, 6, VERDICT_BETTER },
		/* too few repeats say nothing, not even equal ones */
		{ { 100 }, { 94 }, 1, 1, VERDICT_UNSURE },
		{ { 100, 100, 100 }, { 50, 50, 50, 50, 50, 50 }, 3, 6, VERDICT_UNSURE },
		{ { 100, 100, 100, 100 }, { 100, 100, 100 }, 4, 3, VERDICT_UNSURE },
		{ { 100, 101, 102, 103 }, { 50, 51, 52, 53 }, 4, 4, VERDICT_WORSE },
		{ { 100, 101, 102, 103 }, { 100, 101, 102, 103 }, 4, 4, VERDICT_SAME },
		/* a difference that is sure but less than the band */
		{ { 100, 100.1, 100.2, 100.3 }, { 98, 98.1, 98.2, 98.3 }, 4, 4, VERDICT_SAME },
		/* one value, of which no band is a part */
		{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, 4, 4, VERDICT_SAME },
		{ { 0, 0, 0, 0 }, { 0, 0, 0, 3 }, 4, 4, VERDICT_UNSURE },
		/* medians are equal, and repeats say nothing of a band of 5 % */
		{ { 50, 80, 100, 120, 150 }, { 50, 80, 100, 120, 150 }, 5, 5, VERDICT_UNSURE },
		{ { 1, 2, 3, 4 }, { 0 }, 4, 0, VERDICT_ONLY_A },
		{ { 0 }, { 1 }, 0, 1, VERDICT_ONLY_B },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		double a[6], b[6];

		for (size_t k = 0; k < 6; k++) {
			a[k] = all[i].a[k];
			b[k] = all[i].b[k];
		}
		assert_int_equal(verdict(a, all[i].n_a, b, all[i].n_b, 5), all[i].expect);
	}
}

/* How often pairs of series have a verdict: of n repeats, B is so much of A, within percent. */
static size_t count(enum verdict of, size_t n, double ratio, double percent, double within)
{
	uint64_t seed = 3;
	size_t found = 0;

	for (size_t i = 0; i < SERIES; i++) {
		double a[REPEATS], b[REPEATS];

		for (size_t k = 0; k < n; k++) {
			a[k] = 100 + percent * noise(&seed);
			b[k] = 100 * ratio + percent * noise(&seed);
		}
		found += verdict(a, n, b, n, within) == of;
	}
	return found;
}

/*
 * The power: -6 % at a noise of 2 %, within the 2 % of the default and within 5 %; -2 % at 0.5 %,
 * within 1 % and the default. It never falls with more repeats, and -6 % within 5 % is the same 2
 * times in 100 at most.
 */
static void more_repeats_find_more(void **state)
{
	static const size_t repeats[] = { 5, 7, 10, 20, 30, 50 };
	static const double within[] = { 2, 5 };

	(void)state;
	for (size_t w = 0; w < 2; w++) {
		size_t before = 0;

		for (size_t i = 0; i < sizeof(repeats) / sizeof(repeats[0]); i++) {
			const size_t n = repeats[i];
			const size_t worse = count(VERDICT_WORSE, n, 0.94, 2, within[w]);

			print_message("within %g %%, %zu repeats: %zu of %d worse\n", within[w], n,
				      worse, SERIES);
			assert_true(worse + SERIES / 250 >= before);
			assert_true(n < 20 || worse >= SERIES * 99 / 100);
			assert_true(count(VERDICT_SAME, n, 0.94, 2, within[w]) <= SERIES / 50);
			before = worse;
		}
	}
	assert_true(count(VERDICT_WORSE, 10, 0.98, 0.5, 1) >= SERIES * 95 / 100);
	assert_true(count(VERDICT_WORSE, 10, 0.98, 0.5, 2) >= SERIES * 95 / 100);
	/* no difference, and as many repeats as the first ten ask for */
	assert_true(count(VERDICT_SAME, 10, 1, 0.5, 2) >= SERIES * 99 / 100);
	assert_true(count(VERDICT_SAME, 10, 1, 2, 5) >= SERIES * 95 / 100);
}

/* ---- equal files with many lines */

static double uniform(uint64_t *s)
{
	return (double)(next(s) >> 11) / 9007199254740992.0;
}

/* One repeat in ten is up to a half lower. */
static double heavy_tail(uint64_t *s)
{
	const double low = uniform(s) < 0.1 ? 50 * uniform(s) : 0;

	return 100 + 0.5 * noise(s) - low;
}

static double bimodal(uint64_t *s)
{
	return (uniform(s) < 0.5 ? 100 : 92) + 0.5 * noise(s);
}

static double half_percent(uint64_t *s)
{
	return 100 + 0.5 * noise(s);
}

static double two_percent(uint64_t *s)
{
	return 100 + 2 * noise(s);
}

/* Has a comparison of LINES equal lines one that is better or worse? */
static bool alarms(double (*draw)(uint64_t *s), size_t n, double within, uint64_t *seed)
{
	struct compared lines[LINES];
	size_t wrong = 0;

	for (size_t i = 0; i < LINES; i++) {
		double a[REPEATS], b[REPEATS];

		for (size_t k = 0; k < n; k++) {
			a[k] = draw(seed);
			b[k] = draw(seed);
		}
		lines[i] = compared(a, n, b, n);
	}
	verdict_judge(lines, LINES, within);
	for (size_t i = 0; i < LINES; i++)
		wrong += lines[i].verdict != VERDICT_SAME && lines[i].verdict != VERDICT_UNSURE;
	return wrong;
}

/* Also without a band: then it is the level of the tests alone, 7.5 of 250, and 3 deviations. */
static void false_alarms_are_few(void **state)
{
	static const size_t repeats[] = { 5, 10, 30 };
	static double (*const draws[])(uint64_t *s) = {
		half_percent, two_percent, heavy_tail, bimodal,
	};
	uint64_t seed = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(draws) / sizeof(draws[0]); i++)
		for (size_t k = 0; k < sizeof(repeats) / sizeof(repeats[0]); k++) {
			size_t wrong = 0, bare = 0;

			for (size_t file = 0; file < 1000; file++)
				wrong += alarms(draws[i], repeats[k], 2, &seed);
			for (size_t file = 0; file < 250; file++)
				bare += alarms(draws[i], repeats[k], 0, &seed);
			print_message("series %zu, %zu repeats: %zu of 1000 with an alarm, %zu of 250 without a band\n",
				      i, repeats[k], wrong, bare);
			assert_true(wrong <= 50 && bare <= 16);
		}
}

/* n repeats as a normal distribution has them, and the truth is what they say. */
static size_t needs(size_t n, double ratio, double percent, double within)
{
	double a[REPEATS], b[REPEATS];
	struct compared c;

	for (size_t k = 0; k < n; k++) {
		const double part = ((double)k + 0.5) / (double)n;

		/* Tukey's lambda distribution of 0.14 is nearly normal, with a deviation of 0.68 */
		a[k] = 100 + percent * (pow(part, 0.14) - pow(1 - part, 0.14)) / 0.14 / 1.463;
		b[k] = a[k] * ratio;
	}
	c = compared(a, n, b, n);
	verdict_judge(&c, 1, within);
	assert_int_equal(c.verdict, VERDICT_UNSURE);
	return c.needs;
}

/* With as many repeats as it asks for, 4 in 5 are decided. */
static void needs_are_enough(void **state)
{
	static const struct { double ratio, percent, within; enum verdict is; } all[] = {
		{ 1, 3, 2, VERDICT_SAME }, { 0.98, 3, 4.5, VERDICT_SAME },
		{ 0.98, 3, 0, VERDICT_WORSE }, { 0.975, 4, 2, VERDICT_WORSE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const size_t more = needs(10, all[i].ratio, all[i].percent, all[i].within);
		size_t decided;

		assert_in_range(more, 1, REPEATS - 10);
		decided = count(all[i].is, 10 + more, all[i].ratio, all[i].percent, all[i].within);
		print_message("ratio %g, noise %g %%, within %g %%: %zu more decide %zu of %d\n",
			      all[i].ratio, all[i].percent, all[i].within, more, decided, SERIES);
		assert_in_range(decided, SERIES * 7 / 10, SERIES * 9 / 10);
	}
}

/* ---- compare-completion: the answer in three lines */

/* figures: a CPU time, and a rate or a latency. */
static void take(struct beside *b, enum test test, uint64_t bytes, enum completion cm,
		 const double figures[2])
{
	const double cpu_ns = figures[0], figure = figures[1];
	struct row row;

	row_init(&row);
	row.test = test;
	row.size_bytes = bytes;
	row.completion = cm;
	row.status = RESULT_OK;
	row.cpu_ns_per_msg = row.peer_cpu_ns_per_msg = cpu_ns;
	row.cpu_wait_pct = 20 + cpu_ns / 100;
	if (test == TEST_SEND_LAT)
		row.lat_p50_ns = figure;
	else
		row.message_rate_per_s = figure;
	if (cm == CM_POLL)
		snprintf(row.warning_codes, sizeof(row.warning_codes), "preempted");
	beside_take(b, &row);
}

static char *printed(const struct beside *b)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	beside_print(out, b, 80);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void answer_of_known_rounds(void **state)
{
	static const double noise[] = { 1, 1.02, 0.97 };
	struct beside b;
	char *text;

	(void)state;
	beside_begin(&b);
	for (size_t i = 0; i < 3; i++) {
		const double x = noise[i];

		take(&b, TEST_SEND_BW, 64, CM_POLL, (double[]){ 1000 * x, 1e6 * x });
		take(&b, TEST_SEND_BW, 64, CM_EVENT, (double[]){ 1300 * x, 1e6 * x });
		/* as large a difference as between the rounds */
		take(&b, TEST_SEND_BW, 64, CM_HYBRID,
		     (double[]){ i ? 1000 : 700, 0.5e6 + 0.5e6 * (double)i });
		take(&b, TEST_SEND_BW, 4096, CM_POLL, (double[]){ 1000 * x, 1e6 });
		take(&b, TEST_SEND_BW, 4096, CM_EVENT, (double[]){ 300 * x, 1e6 });
		take(&b, TEST_SEND_BW, 4096, CM_HYBRID, (double[]){ 300 * x, 1e6 });
		take(&b, TEST_SEND_LAT, 64, CM_POLL, (double[]){ 1000, 5e3 * x });
		take(&b, TEST_SEND_LAT, 64, CM_EVENT, (double[]){ 250, 1e4 * x });
	}
	text = printed(&b);
	assert_int_equal(strncmp(text, "warning: 9 of 24 rows: a thread waited 30 % for a CPU\n", 54), 0);
	assert_non_null(strstr(text, "\nCPU time: events less in 2 of 3 (0.25 to 0.3 times), more in 1 of 3"));
	assert_non_null(strstr(text, ";\n  hybrid less from 4096 bytes on (0.3 times), not decided in 1 of 2\n"));
	assert_non_null(strstr(text, "\nRate: events the same for all; hybrid the same from 4096 bytes on, not decided"));
	assert_non_null(strstr(text, "\nLatency: events more for all (2.0 times)\n"));
	free(text);
	beside_free(&b);
}

/* One round has no spread: no verdict. Without rows there is nothing to say. */
static void one_round_decides_nothing(void **state)
{
	struct beside b;
	char *text;

	(void)state;
	beside_begin(&b);
	text = printed(&b);
	assert_string_equal(text, "");
	free(text);
	take(&b, TEST_SEND_BW, 64, CM_POLL, (double[]){ 1000, 1e6 });
	take(&b, TEST_SEND_BW, 64, CM_EVENT, (double[]){ 10, 9e6 });
	text = printed(&b);
	assert_non_null(strstr(text, "\nCPU time: events not decided\nRate: events not decided\n"));
	free(text);
	beside_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_of_known_cases),
		cmocka_unit_test(more_repeats_find_more),
		cmocka_unit_test(false_alarms_are_few),
		cmocka_unit_test(needs_are_enough),
		cmocka_unit_test(answer_of_known_rounds),
		cmocka_unit_test(one_round_decides_nothing),
	};

	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
