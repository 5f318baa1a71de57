/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Text to values on a small table: each type, each flag, each refusal. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"
#include "util/field.h"

struct thing {
	bool loud;
	uint32_t count, colour, line_width, wait_ms, spin_us, any;
	uint64_t length, limit, spaces, bulk, rate;
	const char *name;
	char text[8];
};

static const char *const colours[] = { "red", "green", "blue", NULL };

enum { COUNT, LOUD, LENGTH, LIMIT, COLOUR, WIDTH, WAIT, NAME, ANY, SPACES, KEY, ALIAS, SPIN, BULK,
       RATE };

static const struct field rows[] = {
	[COUNT] = { FIELD_OF(struct thing, count), .letter = 'n', .def = "7", .min = 1,
		    .max = 100 },
	[LOUD] = { FIELD_OF(struct thing, loud), .letter = 'l' },
	[LENGTH] = { FIELD_OF(struct thing, length), .letter = 's', .def = "64k", .min = 1,
		     .max = 1ull << 31, .flags = FIELD_SIZE | FIELD_AUTO },
	[LIMIT] = { FIELD_OF(struct thing, limit), .flags = FIELD_NONE, .def = "none" },
	[COLOUR] = { FIELD_OF(struct thing, colour), .letter = 'c', .def = "green",
		     .names = colours },
	[WIDTH] = { FIELD_OF(struct thing, line_width), .flags = FIELD_POW2 | FIELD_AUTO,
		    .def = "auto", .min = 2, .max = 64 },
	[WAIT] = { FIELD_OF(struct thing, wait_ms), .option = "wait", .unit = "ms",
		   .flags = FIELD_TIME | FIELD_NONE | FIELD_FOREVER, .def = "1.5", .min = 10,
		   .max = 5400000 },
	[SPIN] = { FIELD_OF(struct thing, spin_us), .option = "spin", .unit = "us",
		   .flags = FIELD_TIME | FIELD_PLAIN, .def = "20us", .max = 1000000 },
	[BULK] = { FIELD_OF(struct thing, bulk), .flags = FIELD_COUNT, .min = 1,
		   .max = 1000000000000 },
	[RATE] = { FIELD_OF(struct thing, rate), .flags = FIELD_RATE | FIELD_NONE, .def = "none",
		   .min = 100, .max = 1000000000000 },
	[NAME] = { FIELD_OF(struct thing, name), .letter = 'd' },
	[ANY] = { FIELD_OF(struct thing, any) },
	[SPACES] = { FIELD_OF(struct thing, spaces) },
	[KEY] = { FIELD_OF(struct thing, any), .option = "key", .flags = FIELD_HEX | FIELD_AUTO,
		  .min = 1, .max = 0xffff },
	[ALIAS] = { FIELD_OF(struct thing, count), .option = "number", .flags = FIELD_ALIAS,
		    .def = "100", .min = 1, .max = 100 },
};

static const struct field_table table = { .what = "thing", .rows = rows, .n = FIELD_COUNT(rows) };

static const struct field text_row = { FIELD_OF(struct thing, text) };

static void takes(int row, const char *text, uint64_t value)
{
	struct thing t = { 0 };

	if (field_parse(&rows[row], &t, text))
		fail_msg("%s: %s", text, err_text());
	assert_true(field_integer(&rows[row], &t) == value);
}

static void refuses(const struct field *f, const char *text, const char *message)
{
	struct thing t = { 0 };
	const struct thing before = t;

	assert_int_equal(field_parse(f, &t, text), -EINVAL);
	assert_string_equal(err_text(), message);
	assert_memory_equal(&t, &before, sizeof(t));
}

static void test_defaults(void **state)
{
	static const struct field bad = { FIELD_OF(struct thing, count), .def = "9", .max = 8 };
	const struct field_table bad_table = { .what = "bad", .rows = &bad, .n = 1 };
	struct thing t;

	(void)state;
	memset(&t, 0x5a, sizeof(t));
	assert_int_equal(field_defaults(&table, &t), 0);
	assert_int_equal(t.count, 7); /* not the value of the alias */
	assert_false(t.loud);
	assert_int_equal(t.length, 65536);
	assert_true(t.limit == UINT64_MAX);
	assert_int_equal(t.colour, 1);
	assert_true(t.line_width == UINT32_MAX);
	assert_int_equal(t.wait_ms, 1500);
	assert_null(t.name);
	assert_int_equal(t.any, 0);
	assert_int_equal(field_defaults(&bad_table, &t), -EINVAL);
}

static void test_values(void **state)
{
	struct thing t = { 0 };

	(void)state;
	takes(COUNT, "100", 100);
	takes(LOUD, NULL, 1);
	takes(COLOUR, "BLUE", 2);
	takes(COLOUR, "red", 0);
	takes(WIDTH, "16", 16);
	takes(LIMIT, "18446744073709551614", UINT64_MAX - 1);
	takes(LIMIT, "0", 0);
	takes(ANY, "4294967295", UINT32_MAX);
	takes(SPACES, "18446744073709551615", UINT64_MAX);
	takes(LENGTH, "2G", 1ull << 31);
	takes(LENGTH, "3K", 3072);
	takes(LENGTH, "1m", 1 << 20);
	takes(LENGTH, "auto", UINT64_MAX);
	takes(WAIT, "2", 2000);
	takes(LENGTH, "64KiB", 65536);
	takes(LENGTH, "1mib", 1 << 20);
	takes(LENGTH, "1GIB", 1 << 30);
	takes(BULK, "10k", 10000);
	takes(BULK, "3M", 3000000);
	takes(BULK, "1000g", 1000000000000);
	assert_int_equal(field_parse(&rows[NAME], &t, "rxe0"), 0);
	assert_string_equal(t.name, "rxe0");
}

/* In thousandths, and back. */
static void test_rates(void **state)
{
	static const struct { const char *text; uint64_t value; } all[] = {
		{ "0.1", 100 }, { "0.125", 125 }, { "1", 1000 }, { "999", 999000 },
		{ "2k", 2000000 }, { "1234.5", 1234500 }, { "1001", 1001000 }, { "5M", 5000000000 },
		{ "50%", FIELD_RATE_SHARE | 50000 }, { "0.5%", FIELD_RATE_SHARE | 500 },
		{ "200%", FIELD_RATE_SHARE | FIELD_RATE_SHARE_MAX },
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < FIELD_COUNT(all); i++) {
		takes(RATE, all[i].text, all[i].value);
		assert_string_equal(field_number(&rows[RATE], all[i].value, text, sizeof(text)),
				    all[i].text);
	}
	takes(RATE, "1.5k", 1500000);
	takes(RATE, "0.0005M", 500000);
	takes(RATE, "none", UINT64_MAX);
	refuses(&rows[RATE], "0", "--rate \"0\": out of range; allowed: 0.1..1G or none or up to 200%");
	refuses(&rows[RATE], "1.1g", "--rate \"1.1g\": out of range; allowed: 0.1..1G or none or up to 200%");
	refuses(&rows[RATE], "0%", "--rate \"0%\": out of range; allowed: 0.1..1G or none or up to 200%");
	refuses(&rows[RATE], "200.001%",
		"--rate \"200.001%\": out of range; allowed: 0.1..1G or none or up to 200%");
	refuses(&rows[RATE], "18446744073709551615k",
		"--rate \"18446744073709551615k\": out of range; allowed: 0.1..1G or none or up to 200%");
	refuses(&rows[RATE], "1.0001", "--rate \"1.0001\": finer than 0.001; allowed: 0.1..1G or none or up to 200%");
	for (int i = 0; i < 8; i++) {
		static const char *const bad[] = { "-1", "1..5", "1.k", "1.5.5k", "5x", "5k%",
						   "5%%", "%" };
		char message[160];

		snprintf(message, sizeof(message),
			 "--rate \"%s\": not a rate such as 1000, 0.5, 20k, 1.5M or 50%%; allowed: 0.1..1G or none or up to 200%%",
			 bad[i]);
		refuses(&rows[RATE], bad[i], message);
	}
}

static void test_times(void **state)
{
	(void)state;
	takes(WAIT, "60", 60000);
	takes(WAIT, "60s", 60000);
	takes(WAIT, "1m", 60000);
	takes(WAIT, "1h", 3600000);
	takes(WAIT, "1.5h", 5400000);
	takes(WAIT, "1.5m", 90000);
	takes(WAIT, "0.25s", 250);
	takes(WAIT, "1.001", 1001);
	takes(WAIT, "1.0010000000", 1001);
	takes(WAIT, "500ms", 500);
	takes(WAIT, "12.0ms", 12);
	takes(WAIT, "20000us", 20);
	takes(WAIT, "none", UINT32_MAX);
	takes(WAIT, "forever", FIELD_FOREVER_VALUE);
	takes(SPIN, "0", 0);
	takes(SPIN, "20", 20);
	takes(SPIN, "20us", 20);
	takes(SPIN, "1.5ms", 1500);
	takes(SPIN, "0.5s", 500000);
}

static void test_refused_times(void **state)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{ "1.", NULL }, { ".5", NULL }, { "1.5.1", NULL }, { "5M", NULL }, { "5 s", NULL },
		{ "5sec", NULL }, { "-5", NULL }, { "+5", NULL }, { "1e3", NULL }, { "s", NULL },
		{ "1m30s", NULL }, { "0x10", NULL }, { "1,5", NULL }, { "5k", NULL },
		{ "1.2345", "finer than 1ms" }, { "10.5ms", "finer than 1ms" },
		{ "0.00000000000000001h", "finer than 1ms" }, { "100001us", "finer than 1ms" },
		{ "20us", "out of range" }, { "9ms", "out of range" }, { "0", "out of range" },
		{ "91m", "out of range" }, { "2h", "out of range" }, { "5401", "out of range" },
		{ "5124095576030431h", "out of range" }, { "99999999999999999999", "out of range" },
		{ "18446744073709551615us", "out of range" },
	};
	char want[160];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(want, sizeof(want), "--wait \"%s\": %s; allowed: 10ms..90m or none or forever",
			 bad[i].text, bad[i].reason ? bad[i].reason :
			 "not a time such as 60, 1.5s, 500ms, 20us, 1m or 1h");
		refuses(&rows[WAIT], bad[i].text, want);
	}
	refuses(&rows[SPIN], "1.5", "--spin \"1.5\": finer than 1us; allowed: 0..1s");
	refuses(&rows[SPIN], "1000001", "--spin \"1000001\": out of range; allowed: 0..1s");
}

static void test_refused_counts(void **state)
{
	(void)state;
	refuses(&rows[BULK], "1001G", "--bulk \"1001G\": out of range; allowed: 1..1000G");
	refuses(&rows[BULK], "18446744073709551615k",
		"--bulk \"18446744073709551615k\": out of range; allowed: 1..1000G");
	refuses(&rows[BULK], "1KiB", "--bulk \"1KiB\": not a number; allowed: 1..1000G");
	refuses(&rows[BULK], "1.5k", "--bulk \"1.5k\": not a number; allowed: 1..1000G");
}

static void test_refused_sizes(void **state)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{ "0", "out of range" }, { "2147483649", "out of range" }, { "3G", "out of range" },
		{ "17179869184G", "out of range" }, { "99999999999999999999", "out of range" },
		{ "-1", NULL }, { "+1", NULL }, { "0x10", NULL }, { "64kk", NULL }, { "64 k", NULL },
		{ "1.5k", NULL }, { "64kB", NULL }, { "k", NULL }, { "none", NULL }, { "1KiBs", NULL },
	};
	char want[160];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(want, sizeof(want), "-s (--length) \"%s\": %s; allowed: 1..2G or auto",
			 bad[i].text, bad[i].reason ? bad[i].reason :
			 "not a size such as 512, 64k, 1M or 64KiB");
		refuses(&rows[LENGTH], bad[i].text, want);
	}
}

static void test_refused(void **state)
{
	(void)state;
	refuses(&rows[COUNT], "7x", "-n (--count) \"7x\": not a number; allowed: 1..100");
	refuses(&rows[COUNT], "7k", "-n (--count) \"7k\": not a number; allowed: 1..100");
	refuses(&rows[COUNT], "auto", "-n (--count) \"auto\": not a number; allowed: 1..100");
	refuses(&rows[COUNT], "", "-n (--count) \"\": the value is empty");
	refuses(&rows[COLOUR], "pink",
		"-c (--colour) \"pink\": unknown; allowed: red, green, blue");
	refuses(&rows[WIDTH], "12",
		"--line-width \"12\": not a power of two; allowed: powers of two in 2..64 or auto");
	refuses(&rows[NAME], "", "-d (--name) \"\": the value is empty");
	/* all ones means none */
	refuses(&rows[LIMIT], "18446744073709551615",
		"--limit \"18446744073709551615\": out of range; allowed: 0..18446744073709551614 or none");
	refuses(&rows[ANY], "4294967296",
		"--any \"4294967296\": out of range; allowed: 0..4294967295");
	refuses(&text_row, "x", "--text: a field of this type is not read from text");
}

static void test_hexadecimal(void **state)
{
	char text[FIELD_TEXT_MAX];

	(void)state;
	takes(KEY, "0xffff", 0xffff);
	takes(KEY, "0X8a", 0x8a);
	takes(KEY, "255", 255);
	takes(KEY, "auto", UINT32_MAX);
	assert_string_equal(field_range(&rows[KEY], text, sizeof(text)), "0x1..0xffff or auto");
	refuses(&rows[KEY], "0x", "--key \"0x\": not a number; allowed: 0x1..0xffff or auto");
	refuses(&rows[KEY], "0x1g", "--key \"0x1g\": not a number; allowed: 0x1..0xffff or auto");
	refuses(&rows[KEY], "ff", "--key \"ff\": not a number; allowed: 0x1..0xffff or auto");
	refuses(&rows[KEY], "0x0", "--key \"0x0\": out of range; allowed: 0x1..0xffff or auto");
	refuses(&rows[KEY], "0x10000",
		"--key \"0x10000\": out of range; allowed: 0x1..0xffff or auto");
	refuses(&rows[KEY], "0x11112222333344445",
		"--key \"0x11112222333344445\": out of range; allowed: 0x1..0xffff or auto");
	refuses(&rows[COUNT], "0x10", "-n (--count) \"0x10\": not a number; allowed: 1..100");
}

static void test_labels(void **state)
{
	char text[FIELD_TEXT_MAX];

	(void)state;
	assert_string_equal(field_option(&rows[WIDTH], text, sizeof(text)), "line-width");
	assert_string_equal(field_option(&rows[WAIT], text, sizeof(text)), "wait");
	assert_string_equal(field_label(&rows[COUNT], text, sizeof(text)), "-n (--count)");
	assert_string_equal(field_label(&rows[ALIAS], text, sizeof(text)), "--number");
	assert_string_equal(field_range(&rows[LOUD], text, sizeof(text)), "");
	assert_string_equal(field_range(&rows[NAME], text, sizeof(text)), "");
	assert_string_equal(field_range(&rows[COLOUR], text, sizeof(text)), "red, green, blue");
	assert_string_equal(field_range(&rows[LENGTH], text, sizeof(text)), "1..2G or auto");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_refused_times),
		cmocka_unit_test(test_refused_counts),
		cmocka_unit_test(test_refused_sizes),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_hexadecimal),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
