/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * field_format.c: every type goes to text and comes back the same, wrong text is
 * refused by name. text_clean() too.
 */
#include "config.h"
#include "util/field.h"

#include "field_sample.h"
#include "util/text.h"

static void check_text(const char *name, const struct sample *s, const char *want)
{
	const struct field *f = field_find(&table, name);
	char text[FIELD_TEXT_MAX], again[FIELD_TEXT_MAX];
	struct sample back = full();

	assert_string_equal(field_format(f, s, text, sizeof(text)), want);
	assert_int_equal(field_scan(f, &back, text), 0);
	assert_string_equal(field_format(f, &back, again, sizeof(again)), want);
}

static void check_number(double value, const char *want)
{
	struct sample s = { .ratio = value };

	check_text("ratio", &s, want);
}

static void text_comes_back(void **state)
{
	struct sample s = full();

	(void)state;
	check_text("flag", &s, "1");
	check_text("port", &s, "255");
	check_text("color", &s, "green");
	check_text("count", &s, "9223372036854775807");
	check_text("note", &s, "n");
	check_number(0, "0");
	check_number(100, "100");
	check_number(0.000000123456789123, "0.000000123456789");
	check_number(123456.7891234, "123456.789");
	check_number(99999999.96, "100000000");
	check_number(123456789012.4, "123456789012");
	check_number(0.99999999999, "1");
	check_number(INFINITY, "");
	field_clear(&table, &s);
	check_text("optional", &s, "");
	check_text("pages", &s, "");
	check_text("host", &s, "");
	memset(s.host, 'h', sizeof(s.host)); /* not terminated */
	check_text("host", &s, "hhhhhhh");
}

static void check_refused(const char *name, const char *text)
{
	struct sample s = full();

	assert_int_equal(field_scan(field_find(&table, name), &s, text), -EBADMSG);
	assert_says(name);
}

static void wrong_text_is_refused(void **state)
{
	(void)state;
	check_refused("flag", "2");
	check_refused("port", "0");
	check_refused("port", "256");
	check_refused("port", "");
	check_refused("port", " 1");
	check_refused("port", "+1");
	check_refused("port", "1x");
	check_refused("optional", "4294967296");
	check_refused("count", "18446744073709551616");
	check_refused("color", "blue");
	check_refused("ratio", "-1");
	check_refused("ratio", "1e3");
	check_refused("ratio", "nan");
	check_refused("ratio", "1.2.3");
	check_refused("host", "12345678");
	check_refused("string", "s");
	check_refused("inner", "");
	assert_says("inner");
}

static void text_is_cleaned(void **state)
{
	char text[8] = "a\tb\x7f\xff";

	(void)state;
	assert_string_equal(text_clean(text, text, sizeof(text)), "a b ?");
	assert_string_equal(text_clean("0123456789", text, sizeof(text)), "0123456");
	assert_string_equal(text_clean("0", text, 1), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_comes_back),
		cmocka_unit_test(wrong_text_is_refused),
		cmocka_unit_test(text_is_cleaned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
