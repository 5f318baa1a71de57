/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The legality of every transport x opcode x completion, written a second time from the
 * specification, against kinds.def; and that every refusal says what and why.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "config/kind.h"

/*
 * IBA vol. 1, table 35, and ibv_post_send(3): all of them over RC; over UC no responses, hence no
 * reads and atomics; over UD sends alone. Completions can be taken either way.
 */
static bool spec_allows(enum transport tp, enum opcode op)
{
	bool is_send = op == OP_SEND || op == OP_SEND_IMM;
	bool is_write = op == OP_WRITE || op == OP_WRITE_IMM;

	return tp == TP_RC || is_send || (tp == TP_UC && is_write);
}

static void test_matrix(void **state)
{
	int legal = 0;

	(void)state;
	for (int tp = 0; tp < TP_COUNT; tp++) {
		for (int op = 0; op < OP_COUNT; op++) {
			for (int cm = 0; cm < CM_COUNT; cm++) {
				struct kind k = { .tp = tp, .op = op, .cm = cm };

				assert_int_equal(kind_exists(k), spec_allows(k.tp, k.op));
				legal += kind_exists(k);
			}
		}
	}
	assert_int_equal(legal, 39);
}

static void test_outside(void **state)
{
	(void)state;
	assert_false(kind_exists((struct kind){ .tp = TP_COUNT }));
	assert_false(kind_exists((struct kind){ .op = OP_COUNT }));
	assert_false(kind_exists((struct kind){ .cm = CM_COUNT }));
	assert_non_null(kind_refusal(TEST_SEND_BW, (struct kind){ .tp = TP_COUNT }));
}

static bool of_family(enum test test, enum opcode op)
{
	const char *name = kind_opcode_names[op];

	if (test == TEST_ATOMIC_BW || test == TEST_ATOMIC_LAT)
		return op == OP_CMP_SWAP || op == OP_FETCH_ADD;
	return !strncmp(kind_test_names[test], name, strcspn(name, "_"));
}

static void check_refusal(enum test test, struct kind k)
{
	const char *why = kind_refusal(test, k);
	bool blind = test == TEST_WRITE_LAT && k.op == OP_WRITE && k.cm != CM_POLL;
	char start[64];

	if (!of_family(test, k.op)) {
		assert_non_null(why);
	} else if (!spec_allows(k.tp, k.op)) {
		assert_non_null(why);
		snprintf(start, sizeof(start), "%s over %s: ", kind_opcode_names[k.op],
			 kind_transport_names[k.tp]);
		assert_memory_equal(why, start, strlen(start));
		assert_true(strlen(why) > strlen(start));
	} else if (blind) {
		assert_non_null(strstr(why, "write_imm"));
	} else {
		assert_null(why);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	for (int test = 0; test < TEST_COUNT; test++) {
		for (int i = 0; i < TP_COUNT * OP_COUNT * CM_COUNT; i++) {
			struct kind k = { .tp = i / CM_COUNT / OP_COUNT, .cm = i % CM_COUNT,
					  .op = i / CM_COUNT % OP_COUNT };

			check_refusal(test, k);
		}
	}
}

static void test_patterns(void **state)
{
	(void)state;
	assert_int_equal(kind_pattern(TEST_SEND_BW), PATTERN_STREAM);
	assert_int_equal(kind_pattern(TEST_ATOMIC_BW), PATTERN_STREAM);
	assert_int_equal(kind_pattern(TEST_SEND_LAT), PATTERN_PINGPONG);
	assert_int_equal(kind_pattern(TEST_WRITE_LAT), PATTERN_PINGPONG);
	assert_int_equal(kind_pattern(TEST_READ_LAT), PATTERN_PROBE);
	assert_int_equal(kind_pattern(TEST_ATOMIC_LAT), PATTERN_PROBE);
	for (int test = 0; test < TEST_COUNT; test++)
		assert_int_equal(kind_test_is_lat(test),
				 strstr(kind_test_names[test], "_lat") != NULL);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(kind_transport_names[TP_UD], "UD");
	assert_string_equal(kind_opcode_names[OP_WRITE_IMM], "write_imm");
	assert_string_equal(kind_completion_names[CM_EVENT], "event");
	assert_string_equal(kind_pattern_names[PATTERN_PROBE], "probe");
	assert_string_equal(kind_side_names[SIDE_SERVER], "server");
	assert_null(kind_transport_names[TP_COUNT]);
	assert_null(kind_opcode_names[OP_COUNT]);
	assert_null(kind_completion_names[CM_COUNT]);
	assert_null(kind_test_names[TEST_COUNT]);
	assert_null(kind_pattern_names[PATTERN_PROBE + 1]);
	assert_null(kind_side_names[SIDE_SERVER + 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matrix),  cmocka_unit_test(test_outside),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
