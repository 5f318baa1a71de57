/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What is low in rounds, on figures without noise. */
#include "config.h"
#include "judge/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "judge_cluster.h"

static void test_good(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	run(&c);
	assert_int_equal(c.report.n_findings, 0);
	assert_int_equal(c.report.n_judged, 56);
	assert_int_equal(c.report.n_low, 0);
	assert_int_equal(c.report.n_classes, 1);
	assert_true(c.report.classes[0].median == GOOD);
	assert_float_equal(c.report.classes[0].spread, 0.1, 1e-9);
	assert_float_equal(c.report.classes[0].limit, 9.6, 1e-9);
	assert_int_equal(again(&c, 1), 0);
	judge_free(&c.report);
}

/* The rows of good receivers are half of what two bad senders send: they are not blamed. */
static void test_two_bad_of_five(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 6);
	set_sends(&c, 1, 5, 5);
	set_sends(&c, 4, 4, 4);
	set(&c, 0, 2, 6, 6);
	run(&c);
	assert_int_equal(c.report.n_findings, 3);
	again(&c, 1);
	expect_text(&c, 0, "n4: NIC or cable: what it sends is low: 4.0 Gbit/s alone, "
		    "4.0 in rounds, 10.0 in the other direction, "
		    "the median of all pairs is 10.0, the limit is 9.6");
	assert_int_equal(c.report.findings[1].what, JUDGE_SENDS_LOW);
	assert_int_equal(c.report.findings[1].node, 1);
	expect_text(&c, 2, "n0>n2: path: 6.0 Gbit/s alone, 6.0 in rounds, "
		    "the median of all pairs is 10.0, the limit is 9.6");
	judge_free(&c.report);
}

/* What a node had measured before it died is not judged. */
static void test_died(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_sends(&c, 7, 5, 0);
	pair_of(&c, 0, 7)->disturbed = true;
	pair_of(&c, 0, 1)->disturbed = true;
	fail_pair(&c, 0, 1, 0);
	c.gone[7] = true;
	run(&c);
	assert_int_equal(c.report.n_judged, 41);
	assert_int_equal(c.report.n_low, 0);
	assert_int_equal(c.report.n_disturbed, 0);
	assert_int_equal(c.report.n_failed, 1);
	assert_int_equal(c.report.n_findings, 2);
	assert_int_equal(c.report.findings[0].node, 7);
	assert_int_equal(c.report.findings[0].n_values, 0);
	assert_int_equal(c.report.findings[1].what, JUDGE_PAIR_FAILED);
	assert_int_equal(again(&c, 1), 1);
	assert_int_equal(c.report.findings[0].what, JUDGE_UNREACHABLE);
	judge_free(&c.report);
}

/* Gone nodes, nodes that fail, pairs that fail, and then the lowest first. */
static void test_order(void **state)
{
	static const struct {
		enum judge_what what;
		uint32_t node;
	} expected[] = {
		{ JUDGE_UNREACHABLE, 7 }, { JUDGE_UNREACHABLE, 3 }, { JUDGE_PAIR_FAILED, 2 },
		{ JUDGE_PAIR_LOW, 9 }, { JUDGE_SENDS_LOW, 0 }, { JUDGE_PAIR_LOW, 8 },
	};
	struct cluster c;

	(void)state;
	make(&c, 10);
	set(&c, 8, 9, 8, 8);
	set(&c, 9, 8, 5, 5);
	set_sends(&c, 0, 6, 6);
	fail_pair(&c, 2, 4, 0);
	for (uint32_t peer = 0; peer < 10; peer++)
		fail_pair(&c, 3, peer, 0);
	c.gone[7] = true;
	run(&c);
	assert_int_equal(c.report.n_findings, 6);
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(c.report.findings[i].what, expected[i].what);
		assert_int_equal(c.report.findings[i].node, expected[i].node);
	}
	judge_free(&c.report);
}

/* Wide figures have a wide limit. */
static void test_spread(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	for (size_t i = 0; i < c.ask.n; i++)
		c.pairs[i].value = GOOD + (i % 2 ? 0.5 : -0.5);
	set(&c, 1, 2, 7.1, 7.1);
	run(&c);
	assert_int_equal(c.report.n_findings, 0);
	assert_float_equal(c.report.classes[0].spread, 0.7413, 0.001);
	judge_free(&c.report);
}

/* Of an even row the mean of the middle two is compared. */
static void test_even_row(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 5);
	set(&c, 2, 0, 9, 9);
	set(&c, 2, 1, 9.3, 9.3);
	run(&c);
	assert_int_equal(c.report.n_findings, 2);
	judge_free(&c.report);
	set(&c, 2, 1, 9, 9);
	set(&c, 2, 3, 9.7, 9.7);
	set(&c, 2, 4, 9.7, 9.7);
	run(&c);
	expect_one(&c, JUDGE_SENDS_LOW, 2, JUDGE_NO_PEER);
	assert_float_equal(c.report.findings[0].value, 9.35, 1e-9);
	judge_free(&c.report);
}

static void test_latency(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	c.ask.lower_is_better = true;
	set_sends(&c, 1, 8, 8);        /* good */
	set_sends(&c, 4, 12, 12);
	set(&c, 2, 3, 14, 0);
	run(&c);
	assert_float_equal(c.report.classes[0].limit, 10.4, 1e-9);
	assert_int_equal(c.report.n_findings, 2);
	again(&c, 1);
	expect_text(&c, 0, "n2>n3: failed: no figure alone, 14.0 us in rounds");
	expect_text(&c, 1, "n4: NIC or cable: what it sends is high: 12.0 us alone, "
		    "12.0 in rounds, 10.0 in the other direction, "
		    "the median of all pairs is 10.0, the limit is 10.4");
	judge_free(&c.report);
}

static void test_limit(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_limit(&c, 9.8);
	set(&c, 1, 2, 9.7, 9.75);      /* good beside the others */
	run(&c);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_LOW, 1, 2);
	assert_true(c.report.findings[0].limit == 9.8);
	judge_free(&c.report);

	/* the statistical limit holds, too, if that of the caller is below it */
	set_limit(&c, 5);
	set(&c, 1, 2, 9, 9);
	run(&c);
	expect_one(&c, JUDGE_PAIR_LOW, 1, 2);
	assert_float_equal(c.report.findings[0].limit, 9.6, 1e-9);
	judge_free(&c.report);

	/* all are below it: that is said once */
	set_limit(&c, 10.5);
	run(&c);
	assert_int_equal(c.report.n_findings, 2);
	assert_int_equal(c.report.n_low, 56);
	expect_text(&c, 0, "all pairs: the median is low: 10.0 Gbit/s, the limit is 10.5");
	assert_int_equal(c.report.findings[1].what, JUDGE_PAIR_LOW);
	assert_int_equal(again(&c, 1), 1);
	judge_free(&c.report);
}

/* Two nodes, two values. */
static void test_few_values(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 2);
	set(&c, 0, 1, 5, 5);
	run(&c);
	assert_int_equal(c.report.n_findings, 0);
	assert_true(isnan(c.report.classes[0].limit));
	judge_free(&c.report);
	set_limit(&c, 9);
	run(&c);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_LOW, 0, 1);
	judge_free(&c.report);
	fail_pair(&c, 1, 0, 0);
	set_limit(&c, 0);
	run(&c);
	expect_one(&c, JUDGE_PAIR_FAILED, 1, 0);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_FAILED, 1, 0);
	judge_free(&c.report);
}

/* Links of two rates: a limit of its own for each pair. */
static void test_limits_of_pairs(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_limit(&c, 9.7);
	pair_of(&c, 1, 2)->limit = 4.5;
	pair_of(&c, 3, 4)->limit = 0;
	set(&c, 1, 2, 9.65, 9.65);
	set(&c, 3, 4, 9.65, 9.65);
	set(&c, 5, 6, 9.65, 9.6);
	run(&c);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_LOW, 5, 6);
	assert_true(c.report.findings[0].limit == 9.7);
	judge_free(&c.report);
}

/* The median says nothing of half of the pairs, the limit says it. */
static void test_limit_of_four_nodes(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 4);
	set_sends(&c, 3, 5, 5);
	set_receives(&c, 3, 5, 5);
	run(&c);
	assert_int_equal(c.report.n_findings, 0);
	judge_free(&c.report);
	set_limit(&c, 9);
	run(&c);
	again(&c, 1);
	expect_text(&c, 0, "n3: NIC or cable: what it sends and receives is low: 5.0 Gbit/s alone, "
		    "5.0 in rounds, the median of all pairs is 7.5, the limit is 9.0");
	judge_free(&c.report);
	set_sends(&c, 3, 5, GOOD);
	set_receives(&c, 3, 5, GOOD);
	run(&c);
	again(&c, 1);
	expect_one(&c, JUDGE_CONGESTION, 3, JUDGE_NO_PEER);
	judge_free(&c.report);
}

/* With three nodes two thirds of the pairs are those of one: they are named. */
static void test_limit_of_three_nodes(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 3);
	set_limit(&c, 9);
	set_sends(&c, 1, 5, 5);
	set_receives(&c, 1, 5, 5);
	run(&c);
	assert_int_equal(again(&c, 1), 4);
	assert_int_equal(c.report.n_findings, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(c.report.findings[i].what, JUDGE_PAIR_LOW);
	judge_free(&c.report);
}

/* Both pairs failed in rounds, so that they had no limit there; one is low alone. */
static void test_limit_alone(void **state)
{
	struct judge_pair rows[] = { { .from = 0, .to = 1, .value = 5, .limit = 9 },
				     { .from = 1, .to = 0, .value = GOOD, .limit = 9 } };
	struct cluster c;

	(void)state;
	make(&c, 2);
	fail_pair(&c, 0, 1, 0);
	fail_pair(&c, 1, 0, 0);
	run(&c);
	judge_again(&c.report, &(struct judge_list){ rows, 2 });
	assert_int_equal(c.report.findings[0].what, JUDGE_PAIR_LOW);
	assert_true(c.report.findings[0].limit == 9);
	assert_int_equal(c.report.findings[1].what, JUDGE_CHANCE);
	judge_free(&c.report);
}

/* A latency is beyond it above. */
static void test_limit_of_latency(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 2);
	c.ask.lower_is_better = true;
	set_limit(&c, 11);
	set(&c, 0, 1, 12, 12);
	run(&c);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_LOW, 0, 1);
	judge_free(&c.report);
	set_limit(&c, 0);
	run(&c);
	assert_int_equal(c.report.n_low, 0);
	judge_free(&c.report);
}

/* Rows of two: pairs are judged, nodes are not. */
static void test_three_nodes(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 3);
	set_sends(&c, 1, 5, 5);
	run(&c);
	assert_int_equal(c.report.n_findings, 2);
	assert_int_equal(c.report.findings[0].what, JUDGE_PAIR_LOW);
	assert_int_equal(c.report.findings[1].node, 1);
	judge_free(&c.report);
}

static void test_disturbed(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_sends(&c, 7, 5, 5);
	for (uint32_t peer = 0; peer < 7; peer++)
		pair_of(&c, 7, peer)->disturbed = true;
	run(&c);
	assert_int_equal(c.report.n_findings, 0);
	assert_int_equal(c.report.n_disturbed, 7);
	judge_free(&c.report);
	for (size_t i = 0; i < c.ask.n; i++)
		c.pairs[i].disturbed = true;
	run(&c);
	assert_int_equal(c.report.n_findings, 0);
	assert_int_equal(c.report.n_judged, 0);
	assert_int_equal(c.report.n_disturbed, 56);
	assert_true(isnan(c.report.classes[0].median));
	judge_free(&c.report);
}

static void test_nothing(void **state)
{
	struct judge_report report;
	struct judge_list list;
	const struct judge_ask ask = { .nodes = 4 };

	(void)state;
	judge(&report, &ask);
	judge_retests(&list, &report, &ask, 1);
	judge_again(&report, &list);
	assert_int_equal(report.n_findings, 0);
	assert_int_equal(list.n, 0);
	judge_list_free(&list);
	judge_free(&report);
}

/* A pair that stands twice is named once, with its worst value; one good figure settles it. */
static void test_twice(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set(&c, 2, 3, 6, 6);
	c.pairs[c.ask.n] = *pair_of(&c, 2, 3);
	c.pairs[c.ask.n++].value = 5;
	run(&c);
	expect_one(&c, JUDGE_PAIR_LOW, 2, 3);
	assert_true(c.report.findings[0].value == 5);
	assert_int_equal(again(&c, 1), 1);
	judge_free(&c.report);
}

/*
 * Two levels without a fault: pairs of two leaves have less than those of one. In one class the
 * nodes of the smaller leaf, whose partners are mostly in the other one, are named, also alone. In
 * two classes nothing is low but the pair that is.
 */
static void test_two_levels(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 10);
	for (uint32_t peer = 0; peer < 7; peer++)
		for (uint32_t far = 7; far < 10; far++) {
			set(&c, peer, far, 8, 8);
			set(&c, far, peer, 8, 8);
		}
	run(&c);
	again(&c, 1);
	assert_int_equal(c.report.n_findings, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(c.report.findings[i].what, JUDGE_NODE_LOW);
	judge_free(&c.report);
	for (size_t i = 0; i < c.ask.n; i++)
		c.pairs[i].class = (c.pairs[i].from < 7) != (c.pairs[i].to < 7) ? 2 : 0;
	set(&c, 1, 8, 7, 7);
	run(&c);
	assert_int_equal(c.report.n_classes, 3);
	assert_int_equal(c.report.classes[1].n_values, 0);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_LOW, 1, 8);
	assert_true(c.report.findings[0].median == 8);
	judge_free(&c.report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_two_bad_of_five),
		cmocka_unit_test(test_died),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_even_row),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_few_values),
		cmocka_unit_test(test_limits_of_pairs),
		cmocka_unit_test(test_limit_of_four_nodes),
		cmocka_unit_test(test_limit_of_three_nodes),
		cmocka_unit_test(test_limit_alone),
		cmocka_unit_test(test_limit_of_latency),
		cmocka_unit_test(test_three_nodes),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_two_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
