/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The verdict of a comparison: probabilities of the rank sum test are those of printed tables and
 * those of all choices counted one by one; what a reader must not be told wrongly; on series of
 * known truth, how many are found, and how many false alarms there are. The verdicts of
 * compare-completion.
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

#define REPEATS 50
#define SERIES 400

/* ---- the rank sum test */

/*
 * Mann, Whitney (1947), table I: P(U <= u), to 3 digits. Two samples without equal values, u of
 * whose pairs are in the other order.
 */
static void probabilities_of_the_table(void **state)
{
	static const struct { size_t n, m, u; double p; } table[] = {
		{ 3, 3, 0, 0.050 }, { 3, 3, 2, 0.200 },
		{ 4, 4, 0, 0.014 }, { 4, 4, 1, 0.029 }, { 4, 4, 2, 0.057 }, { 4, 4, 5, 0.243 },
		{ 5, 3, 1, 0.036 }, { 5, 4, 2, 0.032 }, { 5, 4, 5, 0.143 },
		{ 5, 5, 0, 0.004 }, { 5, 5, 2, 0.016 }, { 5, 5, 4, 0.048 }, { 5, 5, 9, 0.274 },
		{ 6, 6, 5, 0.021 }, { 6, 6, 7, 0.047 }, { 8, 8, 13, 0.025 }, { 8, 8, 15, 0.041 },
	};
	double a[8], b[8];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const size_t n = table[i].n, m = table[i].m;
		size_t left = table[i].u;
		struct rank_test t;

		/* each b from the last one on is raised over as many of a as there are */
		for (size_t k = 0; k < n; k++)
			a[k] = 100 + 10 * (double)k;
		for (size_t k = m; k--; left -= left < n ? left : n)
			b[k] = 90 + 10 * (double)(left < n ? left : n) + 0.1 * (double)(k + 1);
		t = rank_test(a, n, b, m);
		assert_true(fabs(t.less - table[i].p) <= 0.0005);
		assert_true(fabs(t.differs - 2 * t.less) < 1e-12);
		t = rank_test(b, m, a, n);
		assert_true(fabs(t.greater - table[i].p) <= 0.0005);
	}
}

/* xorshift64*, so that a failure can be repeated. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * UINT64_C(2685821657736338717);
}

/* Twice the sum of ranks of the values in a set, by counting pairs. */
static int sum_of(const double *v, uint32_t n, uint32_t set)
{
	int sum = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			if (set >> i & 1)
				sum += 2 * (v[k] < v[i]) + (v[k] == v[i]) + (k == i);
	return sum;
}

/* All choices of the last m of n values. */
static struct rank_test by_hand(const double *v, uint32_t n, uint32_t m)
{
	const uint32_t mine = ((1u << m) - 1) << (n - m);
	const int sum = sum_of(v, n, mine), mean = (int)(m * (n + 1));
	struct rank_test t = { .less = 0 };
	double all = 0;

	for (uint32_t set = 0; set < 1u << n; set++) {
		int s;

		if (__builtin_popcount(set) != (int)m)
			continue;
		s = sum_of(v, n, set);
		all++;
		t.less += s <= sum;
		t.greater += s >= sum;
		t.differs += abs(s - mean) >= abs(sum - mean);
	}
	return (struct rank_test){ t.less / all, t.greater / all, t.differs / all };
}

static void equal_values_are_counted_exactly(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		const uint32_t n = 2 + (uint32_t)(next(&seed) >> 33) % 9;
		const uint32_t m = 1 + (uint32_t)(next(&seed) >> 33) % (n - 1);
		struct rank_test expect, t;
		double v[10];

		for (uint32_t k = 0; k < n; k++)
			v[k] = (double)((next(&seed) >> 33) % 4);
		expect = by_hand(v, n, m);
		t = rank_test(v, n - m, v + n - m, m);
		assert_true(fabs(t.less - expect.less) < 1e-12);
		assert_true(fabs(t.greater - expect.greater) < 1e-12);
		assert_true(fabs(t.differs - expect.differs) < 1e-12);
	}
}

/* One value more, and the probability is that of the normal distribution. Where it matters. */
static void exact_and_normal_meet(void **state)
{
	const size_t few[] = { 4, 31 }, many[] = { 496, 33 };
	uint64_t seed = 2;
	size_t compared = 0;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		const size_t n = few[i % 2], m = many[i % 2];
		struct rank_test exact, normal;
		double v[600];

		assert_true(n * (n + m) <= RANK_TEST_EXACT && n * (n + m + 1) > RANK_TEST_EXACT);
		for (size_t k = 0; k < n + m; k++)
			v[k] = (double)((next(&seed) >> 33) % 999 + (k < n) * 100 * (i % 5));
		/* the value in the middle says least */
		v[n + m] = 500;
		exact = rank_test(v, n, v + n, m);
		normal = rank_test(v, n, v + n, m + 1);
		if (exact.differs > 0.1)
			continue;
		compared++;
		assert_true(fabs(exact.differs - normal.differs) < 0.01);
		assert_true(fabs(exact.less - normal.less) < 0.01);
		assert_true(fabs(exact.greater - normal.greater) < 0.01);
	}
	assert_true(compared >= 20);
}

/* ---- verdicts */

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static enum verdict verdict(double *a, size_t n_a, double *b, size_t n_b, double within)
{
	qsort(a, n_a, sizeof(*a), by_size);
	qsort(b, n_b, sizeof(*b), by_size);
	return compare_verdict(&(struct spread_values){ a, n_a }, &(struct spread_values){ b, n_b },
			  within, 1);
}

static void verdicts_of_known_cases(void **state)
{
	static const struct {
		double a[6], b[6];
		size_t n_a, n_b;
		enum verdict expect;
	} all[] = {
		/* one bad repeat hides no loss */
		{ { 9.5, 9.5, 9.5, 9.5, 4.75 }, { 5.225, 5.225, 5.225, 5.225, 5.225 }, 5, 5,
		  VERDICT_WORSE },
		{ { 100.1, 99.8, 100, 100.2, 99.9 }, { 70.1, 69.9, 70, 70.2, 100 }, 5, 5,
		  VERDICT_WORSE },
		{ { 70.1, 69.9, 70, 70.2, 100 }, { 100.1, 99.8, 100, 100.2, 99.9 }, 5, 5,
		  VERDICT_BETTER },
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

/* A normal variable: Box and Muller. */
static double noise(uint64_t *s)
{
	const double u = ((double)(next(s) >> 11) + 1) / 9007199254740993.0;

	return sqrt(-2 * log(u)) * cos(2 * acos(-1) * (double)(next(s) >> 11) / 9007199254740992.0);
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

/* -6 % at a noise of 2 %; no difference at a noise of 3 %. */
static void more_repeats_find_more(void **state)
{
	static const size_t repeats[] = { 4, 5, 10, 20, 50 };
	size_t worse = 0, same = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(repeats) / sizeof(repeats[0]); i++) {
		const size_t w = count(VERDICT_WORSE, repeats[i], 0.94, 2, 5);
		const size_t s = count(VERDICT_SAME, repeats[i], 1, 3, 5);

		print_message("%zu repeats: %zu worse, %zu same of %d\n", repeats[i], w, s, SERIES);
		assert_true(w > worse && (s > same || s == SERIES));
		worse = w;
		same = s;
		assert_true(count(VERDICT_SAME, repeats[i], 0.94, 2, 5) <= SERIES / 20);
	}
	assert_true(worse >= SERIES * 9 / 10 && same >= SERIES * 9 / 10);
}

/* No band: the level of the test alone. 400 of 0.05 are 20, and more than 36 one time in 3000. */
static void false_alarms_are_few(void **state)
{
	static const size_t repeats[] = { 4, 5, 10, 20, 50 };

	(void)state;
	for (size_t i = 0; i < sizeof(repeats) / sizeof(repeats[0]); i++) {
		const size_t alarms = count(VERDICT_WORSE, repeats[i], 1, 2, 0) +
				      count(VERDICT_BETTER, repeats[i], 1, 2, 0);

		print_message("%zu repeats: %zu false alarms of %d\n", repeats[i], alarms, SERIES);
		assert_true(alarms <= 36);
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
		cmocka_unit_test(probabilities_of_the_table),
		cmocka_unit_test(equal_values_are_counted_exactly),
		cmocka_unit_test(exact_and_normal_meet),
		cmocka_unit_test(verdicts_of_known_cases),
		cmocka_unit_test(more_repeats_find_more),
		cmocka_unit_test(false_alarms_are_few),
		cmocka_unit_test(answer_of_known_rounds),
		cmocka_unit_test(one_round_decides_nothing),
	};

	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
