/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * field_*.c: every type goes to JSON and to text and comes back the same, absent values stay
 * absent, what is wrong is refused by name, and merges follow the rows. text_clean() too.
 */
#include "config.h"
#include "util/field.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"
#include "util/text.h"

enum color { RED, GREEN };

struct inner {
	uint32_t mark, least;
	double real;
};

struct sample {
	bool flag;
	uint32_t port, optional;
	enum color color;
	uint64_t count, pages;
	double ratio;
	char host[8], note[8];
	const char *string;
	uint32_t home;           /* stays on this side */
	struct inner inner, flat;
};

static const char *const color_names[] = { "red", "green", NULL };

static const struct field inner_rows[] = {
	{ FIELD_OF(struct inner, mark), .flags = FIELD_WIRE, .merge = FIELD_MAX,
	  .help = "a mark" },
	{ FIELD_OF(struct inner, least), .flags = FIELD_WIRE, .absent = FIELD_ZERO,
	  .merge = FIELD_MIN, .unit = "bytes", .help = "the least" },
	{ FIELD_OF(struct inner, real), .flags = FIELD_WIRE | FIELD_DETAIL, .merge = FIELD_FIRST,
	  .help = "a real" },
};

static const struct field_table inner_table = { "inner", inner_rows, FIELD_COUNT(inner_rows) };

/* the same, under names that do not meet those of the struct around it */
static const struct field flat_rows[] = {
	{ .name = "flat_mark", FIELD_AT(struct inner, mark), .flags = FIELD_WIRE,
	  .help = "another" },
};

static const struct field_table flat_table = { "flat", flat_rows, FIELD_COUNT(flat_rows) };

static const struct field rows[] = {
	{ FIELD_OF(struct sample, flag), .flags = FIELD_WIRE, .merge = FIELD_AND, .help = "on" },
	{ FIELD_OF(struct sample, port), .flags = FIELD_WIRE, .absent = FIELD_NEVER, .min = 1,
	  .max = 255, .help = "a port" },
	{ FIELD_OF(struct sample, optional), .flags = FIELD_WIRE, .merge = FIELD_KEEP,
	  .help = "perhaps" },
	{ FIELD_OF(struct sample, color), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .merge = FIELD_MAX, .names = color_names, .help = "a color" },
	{ FIELD_OF(struct sample, count), .flags = FIELD_WIRE | FIELD_DETAIL, .merge = FIELD_SUM,
	  .help = "a count" },
	{ FIELD_OF(struct sample, pages), .flags = FIELD_WIRE, .absent = FIELD_ZERO,
	  .merge = FIELD_SUM, .help = "pages" },
	{ FIELD_OF(struct sample, ratio), .flags = FIELD_WIRE, .merge = FIELD_SUM,
	  .unit = "1/s", .help = "a ratio" },
	{ FIELD_OF(struct sample, host), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .help = "a host" },
	{ FIELD_OF(struct sample, note), .flags = FIELD_WIRE, .merge = FIELD_FIRST,
	  .help = "a note" },
	{ FIELD_OF(struct sample, string), .flags = FIELD_WIRE, .help = "a string" },
	{ FIELD_OF(struct sample, home), .merge = FIELD_SUM, .help = "not sent" },
	{ FIELD_OF(struct sample, inner), .flags = FIELD_WIRE | FIELD_DETAIL,
	  .table = &inner_table, .help = "a struct" },
	{ FIELD_OF(struct sample, flat), .flags = FIELD_WIRE | FIELD_FLAT, .table = &flat_table },
};

static const struct field_table table = { "sample", rows, FIELD_COUNT(rows) };

static struct sample full(void)
{
	return (struct sample){
		.flag = true, .port = 255, .optional = 7, .color = GREEN,
		.count = INT64_MAX, .pages = 4096, .ratio = 1.0 / 3, .host = "node-a",
		.note = "n", .string = "s", .home = 5, .inner = { 1, 2, 0.5 }, .flat = { 9, 0, 0 },
	};
}

static void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

/* By way of text, as over the wire. */
static json_t *wire(const struct sample *s)
{
	json_t *json = field_encode(json_object(), &table, s, FIELD_WIRE), *back;
	char *text;

	assert_non_null(json);
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	back = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(back);
	return back;
}

static void types_come_from_the_struct(void **state)
{
	static const enum field_type types[] = {
		FIELD_BOOL, FIELD_U32, FIELD_U32, FIELD_U32, FIELD_U64, FIELD_U64, FIELD_F64,
		FIELD_TEXT, FIELD_TEXT, FIELD_STRING, FIELD_U32, FIELD_STRUCT, FIELD_STRUCT,
	};
	size_t base;

	(void)state;
	for (size_t i = 0; i < FIELD_COUNT(rows); i++)
		assert_int_equal(rows[i].type, types[i]);
	assert_ptr_equal(field_find(&table, "pages"), &rows[5]);
	assert_null(field_find(&table, "page"));
	assert_ptr_equal(field_at(&table, offsetof(struct sample, ratio), &base), &rows[6]);
	assert_int_equal(base, 0);
	assert_ptr_equal(field_at(&table, offsetof(struct sample, inner.real), &base),
			 &inner_rows[2]);
	assert_int_equal(base, offsetof(struct sample, inner));
	assert_null(field_at(&table, offsetof(struct sample, host) + 1, &base));
	assert_null(field_at(&table, sizeof(struct sample), &base));
}

static void json_comes_back(void **state)
{
	const struct sample in = full();
	struct sample out;
	json_t *json = wire(&in);

	(void)state;
	memset(&out, 0xa5, sizeof(out));
	out.home = 77;
	assert_null(json_object_get(json, "home"));
	assert_null(json_object_get(json, "flat"));
	assert_string_equal(json_string_value(json_object_get(json, "color")), "green");
	assert_int_equal(field_decode(&table, &out, json), 0);
	assert_true(out.flag && out.port == 255 && out.optional == 7 && out.color == GREEN);
	assert_true(out.count == INT64_MAX && out.pages == 4096 && out.ratio == 1.0 / 3);
	assert_string_equal(out.host, "node-a");
	assert_string_equal(out.note, "n");
	assert_string_equal(out.string, "s");
	assert_int_equal(out.home, 77);
	assert_true(out.inner.mark == 1 && out.inner.least == 2 && out.inner.real == 0.5);
	assert_int_equal(out.flat.mark, 9);
	json_decref(json);
}

static void absent_comes_back(void **state)
{
	static const char *const nulls[] = { "optional", "count", "pages", "ratio", "note",
					     "string", "flat_mark" };
	struct sample in, out = full();
	char text[FIELD_TEXT_MAX];
	json_t *json;

	(void)state;
	memset(&in, 0xa5, sizeof(in));
	field_clear(&table, &in);
	assert_true(!in.flag && !in.port && in.optional == UINT32_MAX && in.color == RED);
	assert_true(in.count == UINT64_MAX && !in.pages && isnan(in.ratio) && !in.string);
	assert_true(in.inner.mark == UINT32_MAX && !in.inner.least && isnan(in.inner.real));
	in.port = 1;
	json = wire(&in);
	for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++) {
		assert_true(json_is_null(json_object_get(json, nulls[i])));
		if (field_find(&table, nulls[i]))
			assert_string_equal(field_format(field_find(&table, nulls[i]), &in, text,
							 sizeof(text)), "");
	}
	assert_string_equal(json_string_value(json_object_get(json, "host")), "");
	assert_int_equal(field_decode(&table, &out, json), 0);
	assert_true(out.optional == UINT32_MAX && out.count == UINT64_MAX && !out.pages);
	assert_true(isnan(out.ratio) && !out.note[0] && !out.string && !out.inner.least);
	assert_true(out.inner.mark == UINT32_MAX && out.flat.mark == UINT32_MAX);
	json_decref(json);
}

/* Each field gone, and of every JSON type: only what its row allows is taken. */
static void hostile_json_is_refused(void **state)
{
	static const char *const odd[] = { "-1", "18446744073709551616.0", "1.5", "[]", "{}",
					   "4294967296", "true", "\"\\n\"", "null", "-0.5" };
	/* how many of the above each field takes: by its type, range and null */
	static const struct {
		const char *name;
		unsigned int taken;
	} cases[] = {
		{ "flag", 1 }, { "port", 0 }, { "optional", 1 }, { "color", 0 }, { "count", 2 },
		{ "pages", 2 }, { "ratio", 4 }, { "host", 1 }, { "note", 2 }, { "string", 2 },
		{ "inner", 0 }, { "flat_mark", 1 },
	};
	const struct sample in = full();
	struct sample out = full();
	json_t *json = wire(&in), *copy = json_deep_copy(json);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned int taken = 0;

		json_object_del(json, cases[i].name);
		assert_int_equal(field_decode(&table, &out, json), -EBADMSG);
		assert_says(cases[i].name);
		for (size_t j = 0; j < sizeof(odd) / sizeof(odd[0]); j++) {
			json_object_set_new(json, cases[i].name,
					    json_loads(odd[j], JSON_DECODE_ANY, NULL));
			taken += field_decode(&table, &out, json) == 0;
		}
		if (taken != cases[i].taken)
			fail_msg("%s takes %u odd values", cases[i].name, taken);
		json_object_set(json, cases[i].name, json_object_get(copy, cases[i].name));
		assert_int_equal(field_decode(&table, &out, json), 0);
	}
	assert_int_equal(field_decode(&table, &out, NULL), -EBADMSG);
	json_decref(copy);
	json_decref(json);
}

static void wrong_values_are_named(void **state)
{
	const struct sample in = full();
	struct sample out;
	json_t *json = wire(&in);

	(void)state;
	json_object_set_new(json, "host", json_string("12345678"));
	assert_int_equal(field_decode(&table, &out, json), -EBADMSG);
	assert_string_equal(err_text(),
			    "the peer's sample: field \"host\" is not a text of at most 7 bytes");
	json_object_set_new(json, "host", json_string("a\x1b[2J\xc3\xa9"));
	assert_int_equal(field_decode(&table, &out, json), 0);
	assert_string_equal(out.host, "a [2J??");
	for (int port = 0; port <= 256; port += 256) {
		json_object_set_new(json, "port", json_integer(port));
		assert_int_equal(field_decode(&table, &out, json), -EBADMSG);
		assert_says("\"port\" is not an integer of 1 to 255");
	}
	json_object_set_new(json, "port", json_integer(1));
	json_object_set_new(json, "color", json_string("RED"));
	assert_int_equal(field_decode(&table, &out, json), -EBADMSG);
	assert_says("\"color\" is not one of the known spellings");
	json_object_set_new(json, "color", json_string("red"));
	json_object_del(json_object_get(json, "inner"), "least");
	assert_int_equal(field_decode(&table, &out, json), -EBADMSG);
	assert_says("the peer's inner: field \"least\" is missing");
	json_decref(json);
	/* no spelling: nothing to send */
	out = full();
	out.color = (enum color)2;
	assert_null(field_encode(json_object(), &table, &out, FIELD_WIRE));
}

static void all_ones_of_an_option_has_a_name(void **state)
{
	static const struct field row[] = {
		{ FIELD_OF(struct sample, optional), .flags = FIELD_WIRE | FIELD_AUTO, .max = 9 },
		{ FIELD_OF(struct sample, count), .flags = FIELD_WIRE | FIELD_NONE },
	};
	const struct field_table options = { "options", row, 2 };
	struct sample s = full();
	json_t *json;

	(void)state;
	s.optional = UINT32_MAX;
	s.count = UINT64_MAX;
	json = field_encode(json_object(), &options, &s, FIELD_WIRE);
	assert_string_equal(json_string_value(json_object_get(json, "optional")), "auto");
	assert_string_equal(json_string_value(json_object_get(json, "count")), "none");
	s = full();
	assert_int_equal(field_decode(&options, &s, json), 0);
	assert_true(s.optional == UINT32_MAX && s.count == UINT64_MAX);
	json_decref(json);
}

static void flags_choose(void **state)
{
	const struct sample s = full();
	json_t *json = field_encode(json_object(), &table, &s, FIELD_DETAIL);

	(void)state;
	assert_int_equal(json_object_size(json), 2);
	assert_int_equal(json_integer_value(json_object_get(json, "count")), INT64_MAX);
	assert_int_equal(json_object_size(json_object_get(json, "inner")), 1);
	json_decref(json);
}

static void difference_is_named(void **state)
{
	struct sample s = full();
	json_t *own = wire(&s), *peers;

	(void)state;
	s.home = 6; /* does not travel */
	peers = wire(&s);
	assert_int_equal(field_compare(&table, own, peers), 0);
	json_decref(peers);
	s.inner.least = 3;
	peers = wire(&s);
	assert_int_equal(field_compare(&table, own, peers), -EPROTO);
	assert_string_equal(err_text(), "the two sides disagree on the inner: least is 2 here, "
					"3 at the peer");
	json_object_del(peers, "inner");
	assert_int_equal(field_compare(&table, own, peers), -EPROTO);
	assert_says("mark is 1 here, missing at the peer");
	json_decref(peers);
	s = full();
	s.flat.mark = 8;
	peers = wire(&s);
	assert_int_equal(field_compare(&table, own, peers), -EPROTO);
	assert_says("flat_mark is 9 here, 8 at the peer");
	json_decref(peers);
	json_decref(own);
}

static void merge_follows_the_rows(void **state)
{
	struct sample sum, a = full(), b = full();

	(void)state;
	field_clear(&table, &sum);
	sum.flag = true;
	a.count = 3, b.count = 4, b.flag = false, b.color = RED, b.pages = 0, b.ratio = NAN;
	snprintf(b.note, sizeof(b.note), "b");
	b.inner = (struct inner){ 8, 1, 0.7 };
	field_merge(&table, &sum, &b);
	assert_true(sum.count == 4 && !sum.pages && isnan(sum.ratio));
	field_merge(&table, &sum, &a);
	assert_true(!sum.flag && sum.color == GREEN && sum.count == 7 && sum.pages == 4096);
	assert_true(sum.ratio == 1.0 / 3 && sum.home == 10);
	assert_string_equal(sum.note, "b");
	assert_int_equal(sum.optional, UINT32_MAX);
	assert_true(sum.inner.mark == 8 && sum.inner.least == 1 && sum.inner.real == 0.7);
	b.count = UINT64_MAX;
	b.inner = (struct inner){ UINT32_MAX, 0, NAN };
	field_merge(&table, &sum, &b);
	assert_int_equal(sum.count, 7);
	assert_true(sum.inner.mark == 8 && sum.inner.least == 1 && sum.inner.real == 0.7);
}

/* ---- text of files */

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

/* ---- documents */

static char *document(unsigned flags)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	field_doc(out, &table, flags);
	fclose(out);
	return text;
}

static void document_has_the_rows(void **state)
{
	char *text = document(FIELD_WIRE);

	(void)state;
	assert_non_null(strstr(text, "| name | type | values | unit | meaning |\n"
				     "| --- | --- | --- | --- | --- |\n"));
	assert_non_null(strstr(text, "\n| `port` | integer | 1 to 255 |  | a port |\n"));
	assert_non_null(strstr(text, "\n| `color` | string | `red`, `green` |  | a color |\n"));
	assert_non_null(strstr(text, "\n| `note` | string | at most 7 bytes, or null |  | a note |\n"));
	assert_non_null(strstr(text, "\n| `ratio` | number | or null | 1/s | a ratio |\n"));
	assert_non_null(strstr(text, "\n| `inner` | object |  |  | a struct |\n"
				     "| `inner.mark` | integer | or null |  | a mark |\n"));
	assert_non_null(strstr(text, "\n| `flat_mark` | integer | or null |  | another |\n"));
	assert_null(strstr(text, "home"));
	free(text);
	text = document(FIELD_DETAIL);
	assert_string_equal(text, "| name | type | meaning |\n| --- | --- | --- |\n"
				  "| `count` | integer | a count |\n"
				  "| `inner` | object | a struct |\n"
				  "| `inner.real` | number | a real |\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_come_from_the_struct),
		cmocka_unit_test(json_comes_back),
		cmocka_unit_test(absent_comes_back),
		cmocka_unit_test(hostile_json_is_refused),
		cmocka_unit_test(wrong_values_are_named),
		cmocka_unit_test(all_ones_of_an_option_has_a_name),
		cmocka_unit_test(flags_choose),
		cmocka_unit_test(difference_is_named),
		cmocka_unit_test(merge_follows_the_rows),
		cmocka_unit_test(text_comes_back),
		cmocka_unit_test(wrong_text_is_refused),
		cmocka_unit_test(text_is_cleaned),
		cmocka_unit_test(document_has_the_rows),
	};

	return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
