/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Which flow labels of a pair are low, and when that says something. */
#include "config.h"
#include "judge/judge_paths.h"

#include <string.h>

#include "judge_cluster.h"
#include "util/must.h"

#define LOW 5.0

/* What a label has in its tries; after the last one that stays. 0: it fails; below 0: disturbed. */
struct label {
	double values[JUDGE_TRIES];
	uint32_t n;
};

static struct label always(double value)
{
	return (struct label){ { value }, 1 };
}

/* Measures a pair with these labels, as the root does. */
static bool conclude(struct judge_finding *f, const struct label labels[JUDGE_LABELS],
		     uint32_t measured[JUDGE_LABELS])
{
	static const uint32_t from = 1, to = 3;
	struct judge_paths paths = { .of = { { .n_low = 0 } } };
	struct cluster *c = must_calloc(1, sizeof(*c));
	bool found;

	make(c, 6);
	judge(&c->report, &c->ask);
	memset(measured, 0, JUDGE_LABELS * sizeof(*measured));
	for (uint32_t try = 0; try < JUDGE_TRIES; try++)
		for (uint32_t i = 0; i < JUDGE_LABELS; i++) {
			struct judge_pair pair = { .from = from, .to = to, .value = NAN };
			double value;

			if (!judge_paths_wants(&paths, i, try))
				continue;
			value = labels[i].values[measured[i] < labels[i].n ? measured[i] :
								       labels[i].n - 1];
			measured[i]++;
			pair.failed = value == 0;
			pair.disturbed = value < 0;
			if (!pair.failed)
				pair.value = fabs(value);
			judge_paths_add(&paths, i, &pair, &c->report);
		}
	*f = (struct judge_finding){ .what = JUDGE_CHANCE, .was = JUDGE_PAIR_LOW, .node = from,
				     .peer = to, .n_alone = 1, .n_values = 1 };
	found = judge_paths_conclude(f, &paths);
	judge_free(&c->report);
	free(c);
	return found;
}

static void fill(struct label labels[JUDGE_LABELS], double value)
{
	for (uint32_t i = 0; i < JUDGE_LABELS; i++)
		labels[i] = always(value);
}

static void test_some_labels(void **state)
{
	struct label labels[JUDGE_LABELS];
	uint32_t measured[JUDGE_LABELS];
	struct judge_finding f;

	(void)state;
	fill(labels, GOOD);
	labels[1] = labels[6] = always(LOW);
	assert_true(conclude(&f, labels, measured));
	assert_int_equal(f.what, JUDGE_WAYS_LOW);
	assert_int_equal(f.low_labels, 0x42);
	assert_int_equal(f.good_labels, 0xbd);
	assert_true(f.alone == LOW && f.other == GOOD);
	assert_int_equal(measured[1], JUDGE_PASSES);
	assert_int_equal(measured[0], 2);
}

/* Failures are low; disturbed figures say nothing, and one more is taken. */
static void test_failed_and_disturbed(void **state)
{
	struct label labels[JUDGE_LABELS];
	uint32_t measured[JUDGE_LABELS];
	struct judge_finding f;

	(void)state;
	fill(labels, GOOD);
	labels[0] = always(0);
	labels[3] = (struct label){ { LOW, -LOW, LOW }, 3 };
	labels[4] = always(-LOW);
	assert_true(conclude(&f, labels, measured));
	assert_int_equal(f.low_labels, 0x09);
	assert_int_equal(f.good_labels, 0xe6);
	assert_int_equal(measured[3], JUDGE_PASSES + 1);
}

static void test_all_labels(void **state)
{
	struct label labels[JUDGE_LABELS];
	uint32_t measured[JUDGE_LABELS];
	struct judge_finding f;

	(void)state;
	for (int low = 0; low <= 1; low++) {
		fill(labels, low ? LOW : GOOD);
		assert_false(conclude(&f, labels, measured));
		assert_int_equal(f.what, JUDGE_CHANCE);
		assert_int_equal(f.low_labels, low ? 0xff : 0);
		/* no other try says more */
		assert_int_equal(measured[0], 1);
	}
}

/* Low once, or low with any label now and then: a loss, a disturbance. */
static void test_no_path(void **state)
{
	struct label labels[JUDGE_LABELS];
	uint32_t measured[JUDGE_LABELS];
	struct judge_finding f;

	(void)state;
	fill(labels, GOOD);
	labels[2] = (struct label){ { LOW, LOW, GOOD }, 3 };
	assert_false(conclude(&f, labels, measured));
	labels[5] = always(LOW);
	assert_true(conclude(&f, labels, measured));
	assert_int_equal(f.low_labels, 0x20);
	labels[0] = labels[1] = (struct label){ { LOW, GOOD }, 2 };
	assert_false(conclude(&f, labels, measured));
	assert_int_equal(f.what, JUDGE_CHANCE);
}

static void test_text(void **state)
{
	const struct judge_words words = { .names = node_names, .unit = "Gbit/s", .decimals = 1 };
	struct judge_finding f = {
		.what = JUDGE_WAYS_LOW, .was = JUDGE_PAIR_LOW, .node = 1, .peer = 3, .value = 5,
		.alone = 5, .other = 10, .n_alone = 1, .n_values = 1, .low_labels = 0x2,
		.good_labels = 0x9, .median = 10, .limit = 9.5,
	};
	char text[256];

	(void)state;
	assert_string_equal(judge_text(&f, &words, text, sizeof(text)),
			    "n1>n3: path: 5.0 Gbit/s with flow label 2, 10.0 with flow labels 1,4, 5.0 in rounds, the median of all pairs is 10.0, the limit is 9.5");
	f.what = JUDGE_PAIR_LOW;
	f.low_labels = 0xff;
	f.good_labels = 0;
	assert_string_equal(judge_text(&f, &words, text, sizeof(text)),
			    "n1>n3: path: 5.0 Gbit/s alone with any flow label, 5.0 in rounds, the median of all pairs is 10.0, the limit is 9.5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_some_labels),
		cmocka_unit_test(test_failed_and_disturbed),
		cmocka_unit_test(test_all_labels),
		cmocka_unit_test(test_no_path),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests_name("mesh_judge_paths", tests, NULL, NULL);
}
