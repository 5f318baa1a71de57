/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * condition.c, condition_parse.c: what holds for a row, units, what a row does not have,
 * and no text, however mutated, does harm.
 */
#include "config.h"
#include "read/condition.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "row/row.h"
#include "util/err.h"

#define FUZZ_CASES 10000u

static struct row sample(void)
{
	struct row row;

	row_init(&row);
	row.test = TEST_SEND_LAT;
	row.status = RESULT_OK;
	row.mw = MW_NONE;
	row.placement = TOPO_NEAR;
	snprintf(row.warnings, sizeof(row.warnings), "client: thread 0 waited");
	snprintf(row.warning_codes, sizeof(row.warning_codes), "preempted memory_displaced");
	row.size_bytes = 65536;
	row.spin_us = 20;
	row.message_rate_per_s = 2e6;
	row.lat_p50_ns = 1500;
	row.bandwidth_pct_of_link = 92.5;
	return row;
}

static bool holds(const char *text)
{
	const struct row row = sample();
	const struct condition_row values = condition_row(&row);
	struct conditions conditions;
	bool result;

	assert_int_equal(condition_parse_all(&conditions, "--where", text), 0);
	result = condition_hold_all(&conditions, &values);
	condition_free_all(&conditions);
	return result;
}

static void conditions_hold_or_not(void **state)
{
	static const struct { const char *text; bool holds; } all[] = {
		{ "size_bytes == 64k", true }, { "size_bytes == 64KiB", true },
		{ "size_bytes=65536", true }, { "size_bytes < 64k", false },
		{ "size_bytes <= 64k", true }, { "size_bytes > 65535", true },
		{ "size_bytes >= 65537", false }, { "size_bytes != 64k", false },
		{ "size_bytes != 1", true },
		{ "lat_p50_ns == 1.5us", true }, { "lat_p50_ns < 1ms", true },
		{ "lat_p50_ns >= 1500ns", true }, { "lat_p50_ns < 1s", true },
		{ "spin_us < 1ms", true }, { "spin_us == 20us", true },
		{ "message_rate_per_s == 2M", true }, { "message_rate_per_s >= 2000k", true },
		{ "bandwidth_pct_of_link >= 92%", true },
		{ "test == send_lat", true }, { "test != send_lat", false },
		{ "test == \"send_lat\"", true }, { "test == send", false },
		{ "placement has near", true }, { "placement has nea", false },
		/* what the row does not have */
		{ "lat_p99_ns < 5us", false }, { "lat_p99_ns > 5us", false },
		{ "lat_p99_ns != 5us", false }, { "lat_p99_ns == none", true },
		{ "lat_p50_ns == none", false }, { "lat_p50_ns != none", true },
		{ "reason == none", true }, { "warnings == none", false },
		{ "peer_placement == near", false }, { "peer_placement != near", false },
		/* "none" that is a value */
		{ "mw == none", true }, { "mw != none", false }, { "mw == \"none\"", true },
		/* codes are whole words */
		{ "warnings has preempted", true }, { "warnings has displaced", false },
		{ "warnings lacks displaced", true }, { "warning_codes lacks preempted", false },
		/* several */
		{ "size_bytes > 1 and test == send_lat", true },
		{ "size_bytes > 1 and test == send_bw and spin_us == 20", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (holds(all[i].text) != all[i].holds)
			fail_msg("%s", all[i].text);
	}
}

/* A row of a version that had no codes: whether it lacks one is not known. */
static void old_rows_have_no_codes(void **state)
{
	struct row row = sample();
	const struct condition_row values = condition_row(&row);
	struct condition_rules rules;

	(void)state;
	row.warning_codes[0] = '\0';
	assert_int_equal(condition_rules_parse(&rules, "--expect", "warnings lacks moved"), 0);
	assert_int_equal(condition_rule_check(&rules.all[0], &values), CONDITION_ABSENT);
	row.warnings[0] = '\0';
	assert_int_equal(condition_rule_check(&rules.all[0], &values), CONDITION_HOLDS);
	condition_rules_free(&rules);
}

static void expect_lines(const char *rules, const char *lines, bool met)
{
	const struct row row = sample();
	const struct expect_row one = { "a row", "failed", condition_row(&row) };
	struct expect expect;
	enum expect_result result;

	assert_int_equal(expect_open(&expect, rules, false), 0);
	expect_row(&expect, &one);
	result = expect_end(&expect);
	assert_string_equal(expect.text, lines);
	assert_int_equal(result, met ? EXPECT_PASSED : EXPECT_FAILED);
	expect_close(&expect);
}

static void rules_pass_and_fail(void **state)
{
	(void)state;
	expect_lines("lat_p50_ns <= 2us", "PASS a row: lat_p50_ns 1500\n1 passed, 0 failed\n", true);
	expect_lines("lat_p50_ns <= 1us where size_bytes >= 64k;",
		     "FAIL a row: lat_p50_ns 1500, expected <= 1us\n0 passed, 1 failed\n", false);
	expect_lines("lat_p99_ns <= 5us",
		     "FAIL a row: lat_p99_ns none (not measured: the row is failed), expected <= 5us\n0 passed, 1 failed\n",
		     false);
	expect_lines("lat_p50_ns <= 2us where test == send_bw ; test == send_lat",
		     "PASS a row: test send_lat\nFAIL no row is selected by \"lat_p50_ns <= 2us where test == send_bw\"\n1 passed, 1 failed\n",
		     false);
	expect_lines("lat_p50_ns <= 2us where test == send_bw",
		     "FAIL no row is selected by \"lat_p50_ns <= 2us where test == send_bw\"\n1 row: no rule selects it\n0 passed, 1 failed\n",
		     false);
}

/*
 * 100, 110, ..., n repeats of each of two rows: of 10 the median is 145, and its interval 116.6 to
 * 173.4 (test_repeats.c has the places).
 */
static enum expect_result expect_repeats(const char *rules, size_t n, size_t without, char *line,
					 size_t size)
{
	enum expect_result result;
	struct expect expect;

	assert_int_equal(expect_open(&expect, rules, true), 0);
	for (size_t i = 0; i < 2 * n; i++) {
		struct row row = sample();

		row.lat_p50_ns = i / 2 < without ? NAN : 100 + 10 * (double)(i / 2);
		expect_row(&expect, &(struct expect_row){ i % 2 ? "odd" : "even", "ok",
							   condition_row(&row) });
	}
	result = expect_end(&expect);
	assert_true(expect.passed + expect.failed + expect.unsure >= 2);
	snprintf(line, size, "%.*s", (int)strcspn(expect.text, "\n"), expect.text);
	expect_close(&expect);
	return result;
}

static void repeats_show_or_do_not(void **state)
{
	static const struct {
		const char *rules;
		size_t n, without;
		enum expect_result expect;
		const char *line;
	} all[] = {
		{ "lat_p50_ns <= 174", 10, 0, EXPECT_PASSED,
		  "PASS even: lat_p50_ns 145 (116.577 to 173.423, 10 repeats)" },
		{ "lat_p50_ns <= 173", 10, 0, EXPECT_UNSURE,
		  "UNSURE even: lat_p50_ns 145 (116.577 to 173.423, 10 repeats), expected <= 173" },
		{ "lat_p50_ns < 116", 10, 0, EXPECT_FAILED, NULL },
		{ "lat_p50_ns > 116", 10, 0, EXPECT_PASSED, NULL },
		{ "lat_p50_ns >= 117", 10, 0, EXPECT_UNSURE, NULL },
		{ "lat_p50_ns > 174", 10, 0, EXPECT_FAILED, NULL },
		{ "lat_p50_ns == 174", 10, 0, EXPECT_FAILED, NULL },
		{ "lat_p50_ns == 145", 10, 0, EXPECT_UNSURE, NULL },
		{ "lat_p50_ns != 174", 10, 0, EXPECT_PASSED, NULL },
		{ "lat_p50_ns != 145", 10, 0, EXPECT_UNSURE, NULL },
		{ "size_bytes == 64k; size_bytes != 7", 6, 0, EXPECT_PASSED, NULL },
		{ "size_bytes != 64k", 6, 0, EXPECT_FAILED, NULL },
		/* of few repeats, and where one has no figure */
		{ "lat_p50_ns <= 1s", 5, 0, EXPECT_UNSURE,
		  "UNSURE even: lat_p50_ns 120 (5 repeats, at least 6 are needed), expected <= 1s" },
		{ "lat_p50_ns <= 1s", 10, 1, EXPECT_FAILED,
		  "FAIL even: lat_p50_ns none in 1 of 10 rows (not measured), expected <= 1s" },
		/* texts, each of which has to meet the rule */
		{ "test == send_lat; lat_p50_ns != none", 5, 0, EXPECT_PASSED,
		  "PASS even: test as expected in 5 of 5 rows" },
		{ "lat_p50_ns == none", 5, 4, EXPECT_FAILED,
		  "FAIL even: lat_p50_ns as expected in 4 of 5 rows, expected == none" },
		/* what fails is not unsure */
		{ "lat_p50_ns <= 173; lat_p50_ns > 174", 10, 0, EXPECT_FAILED, NULL },
	};
	char line[200];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(expect_repeats(all[i].rules, all[i].n, all[i].without, line,
						sizeof(line)), all[i].expect);
		if (all[i].line)
			assert_string_equal(line, all[i].line);
	}
}

/* xorshift64*: the same cases on every machine. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static void mutated_rules_do_no_harm(void **state)
{
	static const char *const bits[] = { "where", "and", ";", "\"", "<=", "==", "has", "none",
					    " ", "64k", "lost", "warnings", "9e9", "\xff" };
	static const char good[] =
		"bandwidth_gbit_s >= 90 where size_bytes >= 64k and test == \"send_bw\"; lost == 0";
	const struct row row = sample();
	const struct expect_row one = { "row", "ok", condition_row(&row) };
	unsigned int read = 0;
	uint64_t seed = 7;

	(void)state;
	for (unsigned int i = 0; i < FUZZ_CASES; i++) {
		char text[sizeof(good)];
		struct expect expect;

		memcpy(text, good, sizeof(good));
		for (uint64_t n = 1 + next(&seed) % 3; n > 0; n--) {
			const char *bit = bits[next(&seed) % (sizeof(bits) / sizeof(bits[0]))];

			memcpy(text + next(&seed) % (sizeof(good) - strlen(bit)), bit, strlen(bit));
		}
		text[next(&seed) % 4 ? sizeof(good) - 1 : next(&seed) % sizeof(good)] = '\0';
		if (expect_open(&expect, text, i % 2)) {
			assert_non_null(strstr(err_text(), "character "));
			continue;
		}
		read++;
		expect_row(&expect, &one);
		(void)expect_end(&expect);
		expect_close(&expect);
	}
	/* both happened */
	assert_in_range(read, FUZZ_CASES / 100, FUZZ_CASES - FUZZ_CASES / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_hold_or_not),
		cmocka_unit_test(old_rows_have_no_codes),
		cmocka_unit_test(rules_pass_and_fail),
		cmocka_unit_test(repeats_show_or_do_not),
		cmocka_unit_test(mutated_rules_do_no_harm),
	};

	return cmocka_run_group_tests_name("condition", tests, NULL, NULL);
}
