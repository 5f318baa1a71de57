/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * row: the table of keys covers the struct and agrees with it, absence is told from zero, and the
 * printed rates are those of the integers in the row, to the last digit.
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

#include "report/row.h"

static const struct row_key *key(const char *name)
{
	for (size_t i = 0; i < row_n_keys; i++)
		if (!strcmp(row_keys[i].name, name))
			return &row_keys[i];
	fail_msg("no key %s", name);
	return NULL;
}

static const char *cell(const struct row *row, const char *name)
{
	static char text[ROW_TEXT];

	return row_cell(row, key(name), text, sizeof(text));
}

/* Every byte of the struct but padding belongs to exactly one key, in the struct's order or not. */
static void keys_cover_the_struct(void **state)
{
	static unsigned char seen[sizeof(struct row)];
	size_t bytes = 0;

	(void)state;
	for (size_t i = 0; i < row_n_keys; i++) {
		const struct row_key *k = &row_keys[i];

		assert_true(k->name[0] && k->help[0] && k->unit);
		assert_true(k->type == ROW_STR || k->size == 8);
		assert_null(strchr(k->help, '|')); /* would break the table of the schema */
		for (size_t b = 0; b < k->size; b++)
			assert_int_equal(seen[k->off + b]++, 0);
		bytes += k->size;
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(k->name, row_keys[j].name);
	}
	assert_true(sizeof(struct row) - bytes < 8);
}

static void empty_is_absent(void **state)
{
	struct row row;
	char text[ROW_TEXT];

	(void)state;
	row_init(&row);
	assert_string_equal(cell(&row, "schema"), "1");
	assert_string_equal(cell(&row, "tool_version"), PACKAGE_VERSION);
	for (size_t i = 0; i < row_n_keys; i++) {
		const char *name = row_keys[i].name;

		if (strcmp(name, "schema") && strcmp(name, "tool_version"))
			assert_string_equal(row_cell(&row, &row_keys[i], text, sizeof(text)), "");
	}
	row.lost = 0;
	row.lat_stdev_ns = 0;
	assert_string_equal(cell(&row, "lost"), "0");
	assert_string_equal(cell(&row, "lat_stdev_ns"), "0");
}

static void rates_need_a_window(void **state)
{
	struct row row;

	(void)state;
	row_init(&row);
	row.bytes = 64000;
	row.messages = 1000;
	row_rates(&row);
	assert_true(isnan(row.bandwidth_gbit_s) && isnan(row.message_rate_per_s));
	row.window_ns = 0;
	row_rates(&row);
	assert_true(isnan(row.bandwidth_gbit_s) && isnan(row.bandwidth_mib_s));
	row.window_ns = 1000000;
	row_rates(&row);
	assert_string_equal(cell(&row, "bandwidth_gbit_s"), "0.512");
	assert_string_equal(cell(&row, "bandwidth_mib_s"), "61.0351562"); /* tie: to even */
	assert_string_equal(cell(&row, "message_rate_per_s"), "1000000");
	row.bytes = ROW_NONE;
	row_rates(&row);
	assert_true(isnan(row.bandwidth_gbit_s) && !isnan(row.message_rate_per_s));
}

static void check_number(double v, const char *want)
{
	struct row row;

	row_init(&row);
	row.lat_mean_ns = v;
	assert_string_equal(cell(&row, "lat_mean_ns"), want);
}

static void numbers_are_positional(void **state)
{
	(void)state;
	check_number(0, "0");
	check_number(100, "100");
	check_number(1.5, "1.5");
	check_number(0.000000123456789123, "0.000000123456789");
	check_number(123456.7891234, "123456.789");
	check_number(99999999.96, "100000000");
	check_number(123456789012.4, "123456789012");
	check_number(0.99999999999, "1");
	check_number(NAN, "");
	check_number(INFINITY, "");
}

/* |text - num/den| is at most half a unit of the ninth digit. */
static void check_quotient(const char *text, long double want)
{
	long double ninth = powl(10, floorl(log10l(want)) - (ROW_DIGITS - 1));
	const char *point = strchr(text, '.');
	size_t digits = strlen(text) - (point ? 1 : 0);

	assert_null(strpbrk(text, "eE+-"));
	assert_true(fabsl(strtold(text, NULL) - want) <= ninth * 0.500001L);
	if (want > 0.1L) /* and no more digits are printed than are right */
		assert_true(digits <= ROW_DIGITS + 1 || !point);
}

static void rates_are_those_of_the_integers(void **state)
{
	uint64_t s = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		struct row row;

		row_init(&row);
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		row.bytes = 1 + (s >> (20 + s % 40));
		row.messages = 1 + (s >> (30 + s % 30));
		row.window_ns = 1 + (s * 2654435761u >> (24 + s % 32));
		row_rates(&row);
		check_quotient(cell(&row, "bandwidth_gbit_s"),
			       (long double)row.bytes * 8 / row.window_ns);
		check_quotient(cell(&row, "bandwidth_mib_s"),
			       (long double)row.bytes / 1048576 / row.window_ns * 1e9L);
		check_quotient(cell(&row, "message_rate_per_s"),
			       (long double)row.messages / row.window_ns * 1e9L);
	}
}

/* What a peer says can neither break the line nor reach beyond the field. */
static void strings_are_cleaned(void **state)
{
	struct row row;
	char text[8];

	(void)state;
	row_init(&row);
	snprintf(row.reason, sizeof(row.reason), "a\nb\tc\033[31m\x7f\xc3\xa9");
	assert_string_equal(cell(&row, "reason"), "a b c [31m ??");
	memset(row.host, 'h', sizeof(row.host)); /* not terminated */
	assert_int_equal(strlen(cell(&row, "host")), ROW_NAME - 1);
	assert_string_equal(row_clean("0123456789", text, sizeof(text)), "0123456");
}

static void schema_names_every_key(void **state)
{
	char *text = NULL, want[ROW_NAME + 8];
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	row_schema(f);
	fclose(f);
	for (size_t i = 0; i < row_n_keys; i++) {
		snprintf(want, sizeof(want), "\n| `%s` | ", row_keys[i].name);
		assert_non_null(strstr(text, want));
	}
	assert_non_null(strstr(text, "\n| `window_ns` | integer | ns | "));
	assert_non_null(strstr(text, "\n| `host` | string |  | "));
	assert_non_null(strstr(text, "\n| `lat_p50_ns` | number | ns | "));
	free(text);
}

/* docs/schema.md is what row_schema() prints; UPDATE=1 writes it. */
static void schema_document_is_current(void **state)
{
	const char *top = getenv("srcdir");
	char path[4096], *made = NULL, *kept;
	size_t size = 0, len;
	FILE *out = open_memstream(&made, &size), *doc;

	(void)state;
	assert_non_null(out);
	row_schema(out);
	fclose(out);
	snprintf(path, sizeof(path), "%s/docs/schema.md", top ? top : ".");
	if (getenv("UPDATE")) {
		doc = fopen(path, "w");
		assert_non_null(doc);
		assert_int_equal(fwrite(made, 1, size, doc), size);
		fclose(doc);
	}
	doc = fopen(path, "r");
	assert_non_null(doc);
	kept = calloc(1, size + 2);
	assert_non_null(kept);
	len = fread(kept, 1, size + 1, doc);
	fclose(doc);
	assert_int_equal(len, size);
	assert_string_equal(kept, made);
	free(kept);
	free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_cover_the_struct),
		cmocka_unit_test(empty_is_absent),
		cmocka_unit_test(rates_need_a_window),
		cmocka_unit_test(numbers_are_positional),
		cmocka_unit_test(rates_are_those_of_the_integers),
		cmocka_unit_test(strings_are_cleaned),
		cmocka_unit_test(schema_names_every_key),
		cmocka_unit_test(schema_document_is_current),
	};

	return cmocka_run_group_tests_name("row", tests, NULL, NULL);
}
