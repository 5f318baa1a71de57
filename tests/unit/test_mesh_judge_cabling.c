/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Rails that are cabled to the leaf of another rail, and how rails are named. */
#include "config.h"
#include "judge/judge_cabling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define ENDS 32u

struct fabric {
	uint32_t leaf[ENDS], as[ENDS];
	struct judge_cabling ask;
};

/* Each group of nodes has a leaf for each rail. */
static void make(struct fabric *f, uint32_t nodes, uint32_t rails, uint32_t per_leaf)
{
	f->ask = (struct judge_cabling){
		.leaf = f->leaf, .ends = nodes * rails, .rails = rails,
		.leaves = (nodes + per_leaf - 1) / per_leaf * rails,
	};
	for (uint32_t end = 0; end < f->ask.ends; end++)
		f->leaf[end] = end / rails / per_leaf * rails + end % rails;
}

static void swap(struct fabric *f, uint32_t a, uint32_t b)
{
	const uint32_t leaf = f->leaf[a];

	f->leaf[a] = f->leaf[b];
	f->leaf[b] = leaf;
}

/* Which ends are on a leaf of another rail, as bits. */
static uint32_t found(struct fabric *f)
{
	uint32_t bits = 0;

	judge_cabling(f->as, &f->ask);
	for (uint32_t end = 0; end < f->ask.ends; end++)
		bits |= (f->as[end] != end % f->ask.rails ? UINT32_C(1) : 0) << end;
	return bits;
}

static void test_swapped(void **state)
{
	struct fabric f;

	(void)state;
	make(&f, 8, 2, 4);
	assert_int_equal(found(&f), 0);
	swap(&f, 6, 7);
	assert_int_equal(found(&f), 0xc0);
	assert_int_equal(f.as[6], 1);
	assert_int_equal(f.as[7], 0);
	/* the same in another group; and two of three rails */
	swap(&f, 12, 13);
	assert_int_equal(found(&f), 0x30c0);
	make(&f, 5, 3, 5);
	swap(&f, 4, 5);
	assert_int_equal(found(&f), 0x30);
	/* one whose leaf is not known is on none */
	f.leaf[4] = JUDGE_NO_LEAF;
	assert_int_equal(found(&f), 0x20);
}

/* Where leaves have no rail nothing is said: all rails of a node on one leaf, too few nodes. */
static void test_nothing(void **state)
{
	struct fabric f;

	(void)state;
	make(&f, 8, 2, 8);
	for (uint32_t end = 0; end < f.ask.ends; end++)
		f.leaf[end] = 0;
	assert_int_equal(found(&f), 0);
	make(&f, 3, 2, 3);
	swap(&f, 4, 5);
	assert_int_equal(found(&f), 0);
	/* another group of the same rail */
	make(&f, 8, 2, 4);
	swap(&f, 0, 8);
	assert_int_equal(found(&f), 0);
}

static void test_words(void **state)
{
	static const char devices[2][ROW_NAME] = { "mlx5_0", "mlx5_1" };
	static const char *const names[] = { "n0 mlx5_0", "n0 mlx5_1" };
	static const char *const leaves[] = { "leaf0" };
	struct judge_words words = { .names = names, .devices = devices, .rails = 2,
				     .unit = "Gbit/s", .decimals = 1 };
	struct judge_finding f = {
		.what = JUDGE_MISCABLED, .was = JUDGE_NODE_LOW, .node = 1, .peer = JUDGE_NO_PEER,
		.value = 1, .median = 3, .limit = 2, .class = 3, .n_values = 5, .alone = 1,
		.n_alone = 5, .other = NAN,
	};
	char text[200];

	(void)state;
	assert_string_equal(judge_text(&f, &words, text, sizeof(text)),
			    "n0 mlx5_1: mis-cabled rail: 1.0 Gbit/s alone, 1.0 in rounds, the median of all pairs of mlx5_1 is 3.0, the limit is 2.0");
	f.what = f.was = JUDGE_ALL_LOW;
	f.class = 1;
	assert_non_null(strstr(judge_text(&f, &words, text, sizeof(text)),
			       "all pairs of mlx5_0>mlx5_1: the median is low"));
	words.leaves = leaves;
	f.class = 3 * 4 + 2;
	assert_non_null(strstr(judge_text(&f, &words, text, sizeof(text)),
			       "pairs over 3 switches of mlx5_1>mlx5_0: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_swapped), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
