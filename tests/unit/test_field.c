/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * field_*.c: every type goes to JSON and comes back the same, absent values stay absent, what is
 * wrong is refused by name, and merges follow the rows. Text: test_field_text.c.
 */
#include "config.h"
#include "util/field.h"

#include "field_sample.h"

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
