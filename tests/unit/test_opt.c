/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The option parser on a table of its own: every type, every refusal, help and JSON. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"
#include "config/opt.h"

struct thing {
	bool loud, shout;
	uint32_t count, colour, width, wait_ms;
	uint64_t length, limit;
	const char *name, *word;
};

static const char *const colours[] = { "red", "green", "blue", NULL };

static const struct opt rows[] = {
	{ .group = "First", .name = "count", .letter = 'n', OPT_FIELD(struct thing, count),
	  .def = "7", .min = 1, .max = 100, .arg = "N", .help = "how many" },
	{ .name = "loud", .letter = 'l', OPT_FIELD(struct thing, loud), .help = "with noise" },
	{ .name = "shout", OPT_FIELD(struct thing, shout), .flags = OPT_SHORTHAND, .help = "more" },
	{ .group = "Second", .name = "length", .letter = 's', OPT_FIELD(struct thing, length),
	  .flags = OPT_SIZE | OPT_AUTO, .def = "64k", .min = 1, .max = 1ull << 31, .arg = "BYTES",
	  .help = "how long a thing is, which takes many words to explain and so does not fit one "
		  "line of help" },
	{ .name = "limit", OPT_FIELD(struct thing, limit), .flags = OPT_NONE, .def = "none",
	  .min = 0, .max = UINT64_MAX - 1, .arg = "N", .help = "the end" },
	{ .name = "colour", .letter = 'c', OPT_FIELD(struct thing, colour), .def = "red",
	  .names = colours, .help = "of it" },
	{ .name = "line-width", OPT_FIELD(struct thing, width), .flags = OPT_POW2 | OPT_AUTO,
	  .def = "auto", .min = 2, .max = 64, .arg = "N", .help = "of lines" },
	{ .name = "wait", OPT_FIELD(struct thing, wait_ms),
	  .flags = OPT_TIME | OPT_LOCAL | OPT_SHARED, .def = "1.5",
	  .min = 10, .max = 60000, .arg = "TIME", .help = "before it" },
	{ .name = "name", .letter = 'd', OPT_FIELD(struct thing, name), .flags = OPT_LOCAL,
	  .arg = "NAME", .help = "of the thing" },
	{ .name = "word", OPT_FIELD(struct thing, word), .arg = "WORD", .help = "any" },
};

static const struct opt_table table = { .rows = rows, .n = sizeof(rows) / sizeof(rows[0]) };

/* Words of line become argv[1..]; what was found stays in *args. */
static int parse(struct thing *t, const char *line, struct opt_args *args)
{
	static char copy[256], program[] = "prog";
	static char *argv[32];
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	argv[argc++] = program;
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	*args = (struct opt_args){ .argc = argc, .argv = argv };
	assert_int_equal(opt_defaults(&table, t), 0);
	err_clear();
	return opt_parse(&table, t, args);
}

static void refused(const char *line, const char *sentence)
{
	struct opt_args args;
	struct thing t;

	assert_int_equal(parse(&t, line, &args), -EINVAL);
	assert_string_equal(err_text(), sentence);
}

static void test_defaults(void **state)
{
	struct thing t;

	(void)state;
	memset(&t, 0x5a, sizeof(t));
	assert_int_equal(opt_defaults(&table, &t), 0);
	assert_int_equal(t.count, 7);
	assert_false(t.loud);
	assert_int_equal(t.length, 65536);
	assert_true(t.limit == UINT64_MAX);
	assert_int_equal(t.colour, 0);
	assert_true(t.width == UINT32_MAX);
	assert_int_equal(t.wait_ms, 1500);
	assert_null(t.name);
}

static void test_values(void **state)
{
	struct opt_args args;
	struct thing t;

	(void)state;
	assert_int_equal(parse(&t, "host -n 100 -l --length=1M -c BLUE --line-width 16 --wait "
				   "500ms -d rxe0 more --limit 18446744073709551614", &args), 0);
	assert_int_equal(t.count, 100);
	assert_true(t.loud);
	assert_int_equal(t.length, 1 << 20);
	assert_int_equal(t.colour, 2);
	assert_int_equal(t.width, 16);
	assert_int_equal(t.wait_ms, 500);
	assert_string_equal(t.name, "rxe0");
	assert_true(t.limit == UINT64_MAX - 1);
	assert_int_equal(args.given, 1 | 2 | 8 | 16 | 32 | 64 | 128 | 256);
	assert_int_equal(args.argc - args.first_operand, 2);
	assert_string_equal(args.argv[args.first_operand], "host");
	assert_string_equal(args.argv[args.first_operand + 1], "more");
	assert_int_equal(parse(&t, "-ln3 -- -l", &args), 0);
	assert_int_equal(t.count, 3);
	assert_string_equal(args.argv[args.first_operand], "-l");
}

static void test_sizes_and_times(void **state)
{
	struct opt_args args;
	struct thing t;

	(void)state;
	assert_int_equal(parse(&t, "-s 2G", &args), 0);
	assert_true(t.length == 1ull << 31);
	assert_int_equal(parse(&t, "-s 3K", &args), 0);
	assert_int_equal(t.length, 3072);
	assert_int_equal(parse(&t, "-s auto", &args), 0);
	assert_true(t.length == UINT64_MAX);
	assert_int_equal(parse(&t, "--wait 2", &args), 0);
	assert_int_equal(t.wait_ms, 2000);
	assert_int_equal(parse(&t, "--wait 0.25s", &args), 0);
	assert_int_equal(t.wait_ms, 250);
	assert_int_equal(parse(&t, "--wait 1.001", &args), 0);
	assert_int_equal(t.wait_ms, 1001);
}

static void test_refused_values(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "0", "out of range" }, { "2147483649", "out of range" }, { "3G", "out of range" },
		{ "17179869184G", "out of range" }, { "99999999999999999999", "out of range" },
		{ "-1", "not a number" }, { "+1", "not a number" }, { "0x10", "not a number" },
		{ "64kk", "not a number" }, { "64 k", "not a number" }, { "1.5k", "not a number" },
		{ "64kB", "not a number" }, { "k", "not a number" }, { "none", "not a number" },
	};
	struct thing t;
	char want[128];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(opt_read(&rows[3], &t, bad[i].text), -EINVAL);
		snprintf(want, sizeof(want), "-s (--length) \"%s\": %s; allowed: 1..2G or auto",
			 bad[i].text, bad[i].why);
		assert_string_equal(err_text(), want);
	}
	refused("-n 7x", "-n (--count) \"7x\": not a number; allowed: 1..100");
	refused("-n 7k", "-n (--count) \"7k\": not a number; allowed: 1..100");
	refused("-n auto", "-n (--count) \"auto\": not a number; allowed: 1..100");
	refused("-c pink", "-c (--colour) \"pink\": not known; allowed: red, green, blue");
	refused("--line-width 12", "--line-width \"12\": not a power of two; allowed: powers of "
				   "two "
				   "in 2..64 or auto");
	refused("--wait 1.2345", "--wait \"1.2345\": not a time; allowed: 0.01..60 s");
	refused("--wait 1.", "--wait \"1.\": not a time; allowed: 0.01..60 s");
	refused("--wait 5m", "--wait \"5m\": not a time; allowed: 0.01..60 s");
	refused("--wait 61", "--wait \"61\": out of range; allowed: 0.01..60 s");
	refused("--name=", "-d (--name) \"\": the value is empty");
}

static void test_refused_syntax(void **state)
{
	(void)state;
	refused("-z", "\"-z\" is not an option");
	refused("-lz", "\"-z\" is not an option");
	refused("--nonsense=3", "\"--nonsense=3\" is not an option");
	refused("--cou 3", "\"--cou\" is not an option; did you mean --count?");
	refused("--cou=3", "\"--cou\" is not an option; did you mean --count?");
	refused("--lou", "\"--lou\" is not an option; did you mean --loud?");
	refused("--l", "\"--l\" is not an option");
	refused("-n", "-n (--count) needs a value: 1..100");
	refused("--name", "-d (--name) needs a value");
	refused("--loud=1", "-l (--loud) takes no value");
	refused("-n 3 -n 3", "-n (--count) is given twice");
	refused("-n 3 --count 4", "-n (--count) is given twice");
	refused("--shout --shout", "--shout is given twice");
}

static void test_help(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	opt_help(out, &table, 1 | 16 | 32);
	fclose(out);
	assert_string_equal(text, "\nFirst:\n"
		"  -n, --count N               how many [1..100, default 7]\n"
		"\nSecond:\n"
		"      --limit N               the end [0..18446744073709551614 or none, "
		"default none]\n"
		"  -c, --colour red|green|blue\n"
		"                              of it [default red]\n");
	free(text);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	opt_help(out, &table, 8);
	fclose(out);
	assert_string_equal(text, "\nSecond:\n"
		"  -s, --length BYTES          how long a thing is, which takes many words to "
		"explain and so does not\n"
		"                              fit one line of help [1..2G or auto, default "
		"64k]\n");
	free(text);
}

static void test_json_round_trip(void **state)
{
	struct opt_args args;
	struct thing a, b = { .name = "kept", .shout = true };
	opt_set differs;
	json_t *json;

	(void)state;
	assert_int_equal(parse(&a, "-n 9 -l --shout -s 3 -c blue --wait 20ms -d x --word w", &args),
			 0);
	json = opt_json(&table, &a);
	assert_non_null(json);
	assert_null(json_object_get(json, "name"));
	assert_null(json_object_get(json, "shout"));
	assert_string_equal(json_string_value(json_object_get(json, "line_width")), "auto");
	assert_string_equal(json_string_value(json_object_get(json, "limit")), "none");
	assert_string_equal(json_string_value(json_object_get(json, "colour")), "blue");
	json_object_set_new(json, "future", json_true());
	assert_int_equal(opt_json_read(&table, &b, json, &differs), 0);
	assert_int_equal(b.count, 9);
	assert_true(b.loud);
	assert_false(b.shout);
	assert_int_equal(b.length, 3);
	assert_int_equal(b.colour, 2);
	assert_true(b.width == UINT32_MAX && b.limit == UINT64_MAX);
	assert_int_equal(b.wait_ms, 20);
	assert_string_equal(b.name, "kept");
	assert_string_equal(b.word, "w");
	/* count, loud, length, colour, wait, word */
	assert_int_equal(differs, 1 | 2 | 8 | 32 | 128 | 512);
	json_decref(json);
}

static void test_json_missing(void **state)
{
	json_t *json = json_object();
	struct thing t;
	opt_set differs;

	(void)state;
	memset(&t, 0, sizeof(t));
	assert_int_equal(opt_json_read(&table, &t, json, &differs), 0);
	assert_int_equal(differs, 0);
	assert_int_equal(t.count, 7);
	json_decref(json);
}

static void bad_json(const char *text, int rc, const char *sentence)
{
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
	struct thing t = { 0 };
	opt_set differs;

	assert_non_null(json);
	assert_int_equal(opt_json_read(&table, &t, json, &differs), rc);
	assert_string_equal(err_text(), sentence);
	json_decref(json);
}

static void test_json_refused(void **state)
{
	(void)state;
	bad_json("[]", -EBADMSG, "the options in the message are not a JSON object");
	bad_json("{\"count\":\"7\"}", -EBADMSG, "--count in the message has a wrong JSON type");
	bad_json("{\"count\":7.5}", -EBADMSG, "--count in the message has a wrong JSON type");
	bad_json("{\"count\":null}", -EBADMSG, "--count in the message has a wrong JSON type");
	bad_json("{\"loud\":1}", -EBADMSG, "--loud in the message has a wrong JSON type");
	bad_json("{\"colour\":1}", -EBADMSG, "--colour in the message has a wrong JSON type");
	bad_json("{\"word\":1}", -EBADMSG, "--word in the message has a wrong JSON type");
	bad_json("{\"count\":101}", -EINVAL, "-n (--count) \"101\": out of range; allowed: 1..100");
	bad_json("{\"count\":-1}", -EINVAL, "-n (--count) \"-1\": not a number; allowed: 1..100");
	bad_json("{\"wait\":1}", -EINVAL, "--wait \"1ms\": out of range; allowed: 0.01..60 s");
	bad_json("{\"colour\":\"\"}", -EINVAL, "-c (--colour) \"\": the value is empty");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_sizes_and_times),
		cmocka_unit_test(test_refused_values),
		cmocka_unit_test(test_refused_syntax),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_json_round_trip),
		cmocka_unit_test(test_json_missing),
		cmocka_unit_test(test_json_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
