/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What is said after re-tests, and in which words. */
#include "config.h"
#include "judge/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "judge_cluster.h"

#define NODES 10u

static void test_sender(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_sends(&c, 7, 5, 5.1);
	run(&c);
	expect_one(&c, JUDGE_SENDS_LOW, 7, JUDGE_NO_PEER);
	assert_int_equal(c.report.findings[0].n_values, 7);
	assert_int_equal(c.report.n_low, 7);
	assert_int_equal(again(&c, 1), 4);
	expect_one(&c, JUDGE_SENDS_LOW, 7, JUDGE_NO_PEER);
	assert_int_equal(c.report.findings[0].n_alone, 3);
	expect_text(&c, 0, "n7: NIC or cable: what it sends is low: 5.1 Gbit/s alone, "
		    "5.0 in rounds, 10.0 in the other direction, "
		    "the median of all pairs is 10.0, the limit is 9.6");
	judge_free(&c.report);
}

static void test_receiver(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_receives(&c, 2, 5, 5);
	run(&c);
	again(&c, 1);
	expect_one(&c, JUDGE_RECEIVES_LOW, 2, JUDGE_NO_PEER);
	judge_free(&c.report);
}

/* Alone only what it sends is low: so is the verdict. Then nothing is. */
static void test_both_directions(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_sends(&c, 3, 5, 5);
	set_receives(&c, 3, 4, 4);
	run(&c);
	expect_one(&c, JUDGE_NODE_LOW, 3, JUDGE_NO_PEER);
	assert_true(c.report.findings[0].value == 4);
	assert_int_equal(again(&c, 1), 6);
	expect_one(&c, JUDGE_NODE_LOW, 3, JUDGE_NO_PEER);
	set_receives(&c, 3, 4, GOOD);
	assert_int_equal(again(&c, 2), 6);
	expect_one(&c, JUDGE_SENDS_LOW, 3, JUDGE_NO_PEER);
	assert_true(c.report.findings[0].alone == 5);
	set_sends(&c, 3, 5, GOOD);
	assert_int_equal(again(&c, 3), 4);
	expect_one(&c, JUDGE_CONGESTION, 3, JUDGE_NO_PEER);
	expect_text(&c, 0, "n3: congestion, what it sends and receives: 10.0 Gbit/s alone, "
		    "4.0 in rounds, 10.0 in the other direction");
	assert_int_equal(again(&c, 4), 0);
	judge_free(&c.report);
}

static void test_pair(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set(&c, 2, 4, 6, 9.9);
	set(&c, 3, 5, 6.1, 2.1);
	set(&c, 5, 6, 7, -7);
	run(&c);
	assert_int_equal(c.report.n_findings, 3);
	assert_int_equal(again(&c, 1), 3);
	expect_text(&c, 0, "n2>n4: chance: 9.9 Gbit/s alone, 6.0 in rounds");
	expect_text(&c, 1, "n3>n5: path: 2.1 Gbit/s alone, 6.1 in rounds, "
		    "the median of all pairs is 10.0, the limit is 9.6");
	expect_text(&c, 2, "n5>n6: disturbed: 7.0 Gbit/s in rounds, not judged alone");
	/* what is good alone is settled; what was disturbed is not */
	c.alone[3][5] = GOOD;
	c.alone[5][6] = 7;
	assert_int_equal(again(&c, 2), 2);
	assert_int_equal(c.report.findings[1].what, JUDGE_CHANCE);
	assert_int_equal(c.report.findings[2].what, JUDGE_PAIR_LOW);
	/* low alone, then disturbed: it stays */
	c.alone[5][6] = -7;
	assert_int_equal(again(&c, 3), 1);
	assert_int_equal(c.report.findings[2].what, JUDGE_PAIR_LOW);
	judge_free(&c.report);
}

/* Low once more in its round, and good there once more. */
static void test_confirm(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set(&c, 2, 4, 6, GOOD);
	set(&c, 3, 5, 6.1, GOOD);
	set(&c, 5, 6, 6.2, GOOD);
	set(&c, 6, 7, 6.3, 6.3);
	run(&c);
	again(&c, 1);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(c.report.findings[i].what, JUDGE_CHANCE);
	judge_confirm(&c.report, &(struct judge_list){
		.rows = (struct judge_pair[]){
			{ .from = 2, .to = 4, .value = 7 }, { .from = 3, .to = 5, .value = 7 },
			{ .from = 2, .to = 4, .value = NAN, .failed = true },
			{ .from = 3, .to = 5, .value = GOOD },
			{ .from = 6, .to = 7, .value = GOOD },
		}, .n = 5 });
	expect_text(&c, 0, "n2>n4: congestion: 10.0 Gbit/s alone, 6.0 in rounds");
	assert_int_equal(c.report.findings[1].what, JUDGE_CHANCE);
	assert_int_equal(c.report.findings[2].what, JUDGE_CHANCE);
	assert_int_equal(c.report.findings[3].what, JUDGE_PAIR_LOW);
	judge_free(&c.report);
}

/* Its three worst pairs are measured once more in their rounds: most are low, or most are good. */
static void test_confirm_node(void **state)
{
	struct judge_list list;
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_sends(&c, 3, 6, GOOD);
	for (uint32_t to = 5; to < 8; to++)
		set(&c, 3, to, 5.0 + 0.1 * to, GOOD);
	run(&c);
	again(&c, 1);
	expect_one(&c, JUDGE_CONGESTION, 3, JUDGE_NO_PEER);
	judge_suspects(&list, &c.report, &c.ask);
	assert_int_equal(list.n, JUDGE_PARTNERS);
	for (uint32_t i = 0; i < list.n; i++) {
		assert_int_equal(list.rows[i].from, 3);
		assert_int_equal(list.rows[i].to, 5 + i);
		assert_true(list.rows[i].value == 5.0 + 0.1 * (5 + i));
	}
	/* nothing was measured, or what was measured is disturbed: it stays */
	judge_confirm(&c.report, &(struct judge_list){ .n = 0 });
	expect_one(&c, JUDGE_CONGESTION, 3, JUDGE_NO_PEER);
	for (uint32_t i = 0; i < list.n; i++)
		list.rows[i].disturbed = true;
	judge_confirm(&c.report, &list);
	expect_one(&c, JUDGE_CONGESTION, 3, JUDGE_NO_PEER);
	for (uint32_t i = 0; i < list.n; i++)
		list.rows[i].disturbed = false;
	list.rows[0].value = GOOD;
	judge_confirm(&c.report, &list);
	expect_one(&c, JUDGE_CONGESTION, 3, JUDGE_NO_PEER);
	list.rows[1].value = GOOD;
	judge_confirm(&c.report, &list);
	expect_one(&c, JUDGE_CHANCE, 3, JUDGE_NO_PEER);
	judge_list_free(&list);
	judge_free(&c.report);
}

/* A node that is low in rounds, and alone with its worst partner only, which is always asked. */
static void test_node_becomes_pair(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_receives(&c, 3, 5, GOOD);
	set(&c, 6, 3, 4, 4.1);
	for (uint64_t seed = 0; seed < 20; seed++) {
		run(&c);
		expect_one(&c, JUDGE_RECEIVES_LOW, 3, JUDGE_NO_PEER);
		for (uint32_t pass = 1; pass < JUDGE_PASSES; pass++) {
			again(&c, seed + pass);
			expect_one(&c, JUDGE_RECEIVES_LOW, 3, JUDGE_NO_PEER);
		}
		again(&c, seed);
		expect_text(&c, 0, "n6>n3: path: 4.1 Gbit/s alone, "
			    "the median of all pairs is 10.0, the limit is 9.6");
		judge_free(&c.report);
	}
	c.alone[6][3] = 0;
	run(&c);
	for (uint32_t pass = 0; pass < JUDGE_PASSES; pass++)
		again(&c, pass);
	expect_text(&c, 0, "n6>n3: failed: no figure alone");
	judge_free(&c.report);
}

/* What the caller does not measure says nothing. */
static void test_not_measured(void **state)
{
	struct judge_list list;
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_sends(&c, 7, 5, 5);
	set(&c, 1, 2, 5, 5);
	run(&c);
	judge_retests(&list, &c.report, &c.ask, 1);
	assert_int_equal(list.n, 5);
	judge_again(&c.report, &list);
	judge_list_free(&list);
	judge_again(&c.report, &list);
	assert_int_equal(c.report.findings[0].what, JUDGE_SENDS_LOW);
	assert_int_equal(c.report.findings[1].what, JUDGE_PAIR_LOW);
	assert_int_equal(c.report.findings[1].n_alone, 0);
	expect_text(&c, 0, "n7: NIC or cable: what it sends is low: 5.0 Gbit/s, not tested again, "
		    "the median of all pairs is 10.0, the limit is 9.6");
	judge_free(&c.report);
}

/* Fewer are measured again than are low: the others are not forgotten. */
static void test_too_many(void **state)
{
	const struct judge_finding *untested[2 * NODES];
	struct judge_many many = { untested, 0, "not tested again" };
	const struct judge_words words = { .names = node_names, .unit = "Gbit/s",
					   .decimals = 1 };
	struct judge_list list;
	struct cluster c;
	char text[256];

	(void)state;
	make(&c, NODES);
	for (uint32_t i = 0; i < NODES; i++) {
		set(&c, i, (i + 1) % NODES, 5 + 0.1 * i, 5);
		fail_pair(&c, i, (i + 2) % NODES, 5);
	}
	run(&c);
	assert_int_equal(c.report.n_findings, 2 * NODES);
	judge_retests(&list, &c.report, &c.ask, 1);
	assert_int_equal(list.n, 2 * NODES);
	for (uint32_t i = 0; i < NODES - 1; i++)
		list.rows[i].value = i ? 5 : GOOD;
	judge_again(&c.report, &list);
	judge_list_free(&list);
	assert_int_equal(c.report.findings[0].what, JUDGE_CHANCE);
	assert_int_equal(c.report.findings[1].what, JUDGE_PAIR_LOW);
	for (size_t i = 0; i < c.report.n_findings; i++)
		if (judge_is_untested(&c.report.findings[i]))
			untested[many.n++] = &c.report.findings[i];
	assert_int_equal(many.n, NODES + 1);
	assert_string_equal(judge_text_many(&many, &words, text, sizeof(text)),
			    "11 pairs: not tested again: n9>n1 failed, n0>n1 5.0 Gbit/s, "
			    "n1>n2 5.1 Gbit/s, n2>n3 5.2 Gbit/s, n3>n4 5.3 Gbit/s, "
			    "n4>n5 5.4 Gbit/s, n5>n6 5.5 Gbit/s, n6>n7 5.6 Gbit/s, "
			    "n7>n8 5.7 Gbit/s, n8>n9 5.8 Gbit/s and 1 more");
	many.n = 1;
	assert_string_equal(judge_text_many(&many, &words, text, sizeof(text)),
			    "1 pair: not tested again: n9>n1 failed");
	judge_free(&c.report);
}

static void test_gone(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	for (uint32_t peer = 0; peer < 8; peer++) {
		fail_pair(&c, 5, peer, 0);
		fail_pair(&c, peer, 5, 0);
	}
	fail_pair(&c, 1, 2, 0);
	fail_pair(&c, 2, 1, 9.8);
	fail_pair(&c, 2, 3, 3);
	c.gone[5] = true;
	run(&c);
	assert_int_equal(c.report.n_failed, 3);
	assert_int_equal(c.report.n_judged, 39);
	assert_int_equal(c.report.n_findings, 4);
	expect_text(&c, 0, "n5: unreachable");
	expect_text(&c, 1, "n1>n2: failed: no figure, not tested again");
	assert_int_equal(again(&c, 1), 3);
	expect_text(&c, 1, "n1>n2: failed: no figure alone, no figure in rounds");
	expect_text(&c, 2, "n2>n1: chance: 9.8 Gbit/s alone, no figure in rounds");
	expect_text(&c, 3, "n2>n3: path: 3.0 Gbit/s alone, no figure in rounds, "
		    "the median of all pairs is 10.0, the limit is 9.6");
	judge_free(&c.report);
}

/* It answers, but its pairs fail: it is named once. */
static void test_node_fails(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	for (uint32_t peer = 0; peer < 8; peer++) {
		fail_pair(&c, 5, peer, 0);
		fail_pair(&c, peer, 5, 0);
	}
	run(&c);
	expect_one(&c, JUDGE_UNREACHABLE, 5, JUDGE_NO_PEER);
	expect_text(&c, 0, "n5: unreachable: most pairs fail, not tested again");
	assert_int_equal(again(&c, 1), 6);
	expect_text(&c, 0, "n5: unreachable: most pairs fail alone, most pairs fail in rounds");
	set_sends(&c, 5, NAN, GOOD);
	set_receives(&c, 5, NAN, GOOD);
	again(&c, 2);
	expect_text(&c, 0, "n5: congestion: 10.0 Gbit/s alone, most pairs fail in rounds");
	judge_free(&c.report);
}

/* A node is not measured again with one that is bad itself, in no order of partners. */
static void test_bad_partners(void **state)
{
	struct judge_list list;
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_sends(&c, 1, 5, 5);
	set_receives(&c, 2, 5, 5);
	for (uint32_t peer = 0; peer < 8; peer++) {
		fail_pair(&c, 5, peer, 0);
		fail_pair(&c, peer, 5, 0);
	}
	run(&c);
	assert_int_equal(c.report.n_findings, 3);
	for (uint64_t seed = 0; seed < 20; seed++) {
		judge_retests(&list, &c.report, &c.ask, seed);
		assert_int_equal(list.n, 6 + 4 + 4);
		for (size_t i = 6; i < list.n; i++) {
			assert_int_not_equal(list.rows[i].from, 5);
			assert_int_not_equal(list.rows[i].to, 5);
			assert_false(list.rows[i].from == 1 && list.rows[i].to == 2);
		}
		judge_list_free(&list);
	}
	judge_free(&c.report);
}

static void test_disturbed_alone(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_sends(&c, 7, 5, -5);
	run(&c);
	again(&c, 1);
	expect_text(&c, 0, "n7: disturbed, what it sends: 5.0 Gbit/s in rounds, not judged alone");
	set_sends(&c, 7, 5, 5);
	assert_int_equal(again(&c, 2), 4);
	expect_one(&c, JUDGE_SENDS_LOW, 7, JUDGE_NO_PEER);
	judge_free(&c.report);
}

/* The caller may measure a pair more than once: the best counts. */
static void test_two_figures(void **state)
{
	struct judge_pair rows[] = { { .from = 2, .to = 3, .value = 14 },
				     { .from = 2, .to = 3, .value = 12 },
				     { .from = 2, .to = 3, .failed = true } };
	const struct judge_list list = { rows, 3 };
	struct cluster c;

	(void)state;
	make(&c, 8);
	c.ask.lower_is_better = true;
	set(&c, 2, 3, 13, 0);
	run(&c);
	judge_again(&c.report, &list);
	expect_one(&c, JUDGE_PAIR_LOW, 2, 3);
	assert_true(c.report.findings[0].alone == 12);
	rows[1].value = GOOD;
	judge_again(&c.report, &list);
	expect_one(&c, JUDGE_CHANCE, 2, 3);
	judge_free(&c.report);
}

/* A failure is worse than any latency. */
static void test_median_of_failures(void **state)
{
	struct judge_pair rows[] = { { .from = 2, .to = 3, .value = GOOD },
				     { .from = 2, .to = 4, .value = 12 },
				     { .from = 2, .to = 5, .failed = true } };
	const struct judge_list list = { rows, 3 };
	struct cluster c;

	(void)state;
	make(&c, 8);
	c.ask.lower_is_better = true;
	set_sends(&c, 2, 13, 0);
	run(&c);
	judge_again(&c.report, &list);
	expect_one(&c, JUDGE_SENDS_LOW, 2, JUDGE_NO_PEER);
	assert_true(c.report.findings[0].alone == 12);
	judge_free(&c.report);
}

/* The figure of the verdict is that of the direction that stays low, whatever the other one has. */
static void test_staying_direction(void **state)
{
	struct judge_pair rows[] = { { .from = 3, .to = 1, .value = 5 },
				     { .from = 3, .to = 2, .value = 6 },
				     { .from = 1, .to = 3, .value = GOOD },
				     { .from = 2, .to = 3, .value = GOOD },
				     { .from = 4, .to = 3, .value = 2 } };
	const struct judge_list list = { rows, 5 };
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_sends(&c, 3, 5, 0);
	set_receives(&c, 3, 5, 0);
	run(&c);
	expect_one(&c, JUDGE_NODE_LOW, 3, JUDGE_NO_PEER);
	judge_again(&c.report, &list);
	expect_one(&c, JUDGE_SENDS_LOW, 3, JUDGE_NO_PEER);
	assert_true(c.report.findings[0].alone == 5.5);
	judge_free(&c.report);
}

static void test_text_is_cut(void **state)
{
	static const char *const names[] = { "a-long-name-of-a-node" };
	const struct judge_words words = { .names = names, .unit = "Gbit/s",
					   .decimals = 1 };
	const struct judge_finding f = { .what = JUDGE_SENDS_LOW, .peer = JUDGE_NO_PEER,
					 .value = 5, .median = 10, .limit = NAN, .n_values = 3,
					 .alone = NAN, .other = NAN };
	char text[16];

	(void)state;
	assert_string_equal(judge_text(&f, &words, text, sizeof(text)), "a-long-name-...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sender),
		cmocka_unit_test(test_receiver),
		cmocka_unit_test(test_both_directions),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_confirm),
		cmocka_unit_test(test_confirm_node),
		cmocka_unit_test(test_node_becomes_pair),
		cmocka_unit_test(test_not_measured),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_node_fails),
		cmocka_unit_test(test_bad_partners),
		cmocka_unit_test(test_disturbed_alone),
		cmocka_unit_test(test_two_figures),
		cmocka_unit_test(test_median_of_failures),
		cmocka_unit_test(test_staying_direction),
		cmocka_unit_test(test_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
