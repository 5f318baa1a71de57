/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Each rule of the verdicts, on figures without noise. */
#include "config.h"
#include "mesh/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MAX 16u
#define GOOD 10.0

/* A cluster: what each directed pair has in rounds and alone. */
struct cluster {
	struct judge_pair pairs[MAX * MAX];
	double alone[MAX][MAX];        /* 0: it fails; below 0: disturbed */
	bool gone[MAX];
	struct judge_ask ask;
	struct judge_report report;
};

static struct judge_pair *pair_of(struct cluster *c, uint32_t from, uint32_t to)
{
	return &c->pairs[from * (c->ask.nodes - 1) + to - (to > from)];
}

/* All pairs in both directions, 9.99 to 10.01. */
static void make(struct cluster *c, uint32_t nodes)
{
	memset(c, 0, sizeof(*c));
	c->ask = (struct judge_ask){ .pairs = c->pairs, .nodes = nodes, .gone = c->gone,
				     .n = (size_t)nodes * (nodes - 1), .limit = NAN };
	for (uint32_t from = 0; from < nodes; from++)
		for (uint32_t to = 0; to < nodes; to++) {
			c->alone[from][to] = GOOD;
			if (from != to)
				*pair_of(c, from, to) = (struct judge_pair){
					.from = from, .to = to,
					.value = GOOD + 0.01 * ((int)(from + to) % 3 - 1),
				};
		}
}

/* In rounds; and alone, unless alone is NAN. */
static void set(struct cluster *c, uint32_t from, uint32_t to, double value, double alone)
{
	if (from == to)
		return;
	pair_of(c, from, to)->value = value;
	if (!isnan(alone))
		c->alone[from][to] = alone;
}

static void set_sends(struct cluster *c, uint32_t node, double value, double alone)
{
	for (uint32_t peer = 0; peer < c->ask.nodes; peer++)
		set(c, node, peer, value, alone);
}

static void set_receives(struct cluster *c, uint32_t node, double value, double alone)
{
	for (uint32_t peer = 0; peer < c->ask.nodes; peer++)
		set(c, peer, node, value, alone);
}

static void fail_pair(struct cluster *c, uint32_t from, uint32_t to, double alone)
{
	if (from == to)
		return;
	pair_of(c, from, to)->failed = true;
	set(c, from, to, NAN, alone);
}

static void run(struct cluster *c)
{
	judge(&c->report, &c->ask);
}

/* One pass of re-tests; how many pairs. */
static size_t again(struct cluster *c, uint64_t seed)
{
	struct judge_list list;
	size_t n;

	judge_retests(&list, &c->report, &c->ask, seed);
	for (size_t i = 0; i < list.n; i++) {
		struct judge_pair *p = &list.rows[i];
		const double alone = c->alone[p->from][p->to];

		assert_true(isnan(p->value));
		p->failed = alone == 0;
		p->disturbed = alone < 0;
		p->value = alone ? fabs(alone) : NAN;
	}
	judge_again(&c->report, &list);
	n = list.n;
	judge_list_free(&list);
	return n;
}

static void expect_one(struct cluster *c, enum judge_what what, uint32_t node, uint32_t peer)
{
	assert_int_equal(c->report.n_findings, 1);
	assert_int_equal(c->report.findings[0].what, what);
	assert_int_equal(c->report.findings[0].node, node);
	assert_int_equal(c->report.findings[0].peer, peer);
}

static void expect_text(const struct cluster *c, size_t i, const char *expected)
{
	static const char *const names[MAX] = {
		"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"
	};
	const struct judge_words words = { names, c->ask.lower_is_better ? "us" : "Gbit/s", 1,
					   c->ask.lower_is_better };
	char text[256];

	assert_true(i < c->report.n_findings);
	assert_string_equal(judge_text(&c->report.findings[i], &words, text, sizeof(text)),
			    expected);
}

/* ---- in rounds, and alone */

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
	expect_text(&c, 0, "n7: NIC or cable: what it sends is low: 5.0 Gbit/s, "
		    "the median of all pairs is 10.0, the limit is 9.6");
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
	expect_text(&c, 0, "n2>n4: congestion: 9.9 Gbit/s alone, 6.0 in rounds");
	expect_text(&c, 1, "n3>n5: path: 2.1 Gbit/s alone, 6.1 in rounds, "
		    "the median of all pairs is 10.0, the limit is 9.6");
	expect_text(&c, 2, "n5>n6: disturbed: 7.0 Gbit/s in rounds, not judged alone");
	/* what is good alone is settled; what was disturbed is not */
	c.alone[3][5] = GOOD;
	c.alone[5][6] = 7;
	assert_int_equal(again(&c, 2), 2);
	assert_int_equal(c.report.findings[1].what, JUDGE_CONGESTION);
	assert_int_equal(c.report.findings[2].what, JUDGE_PAIR_LOW);
	/* low alone, then disturbed: it stays */
	c.alone[5][6] = -7;
	assert_int_equal(again(&c, 3), 1);
	assert_int_equal(c.report.findings[2].what, JUDGE_PAIR_LOW);
	judge_free(&c.report);
}

/* A node that is low in rounds, and alone with its worst partner only. */
static void test_node_becomes_pair(void **state)
{
	struct cluster c;

	(void)state;
	make(&c, 8);
	set_receives(&c, 3, 5, GOOD);
	set(&c, 6, 3, 4, 4.1);
	run(&c);
	expect_one(&c, JUDGE_RECEIVES_LOW, 3, JUDGE_NO_PEER);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_LOW, 6, 3);
	expect_text(&c, 0, "n6>n3: path: 4.1 Gbit/s alone, the median of all pairs is 10.0, "
		    "the limit is 9.6");
	assert_int_equal(again(&c, 2), 1);
	expect_one(&c, JUDGE_PAIR_LOW, 6, 3);
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
	judge_free(&c.report);
}

/* ---- failures */

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
	expect_text(&c, 1, "n1>n2: failed: no figure");
	assert_int_equal(again(&c, 1), 3);
	expect_text(&c, 1, "n1>n2: failed: no figure alone, no figure in rounds");
	expect_text(&c, 2, "n2>n1: congestion: 9.8 Gbit/s alone, no figure in rounds");
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
	expect_text(&c, 0, "n5: unreachable: most pairs fail");
	assert_int_equal(again(&c, 1), 6);
	expect_text(&c, 0, "n5: unreachable: most pairs fail alone, most pairs fail in rounds");
	set_sends(&c, 5, NAN, GOOD);
	set_receives(&c, 5, NAN, GOOD);
	again(&c, 2);
	expect_text(&c, 0, "n5: congestion: 10.0 Gbit/s alone, most pairs fail in rounds");
	judge_free(&c.report);
}

/* ---- limits, few values */

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
	c.ask.limit = 9.8;
	set(&c, 1, 2, 9.7, 9.75);      /* good beside the others */
	run(&c);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_LOW, 1, 2);
	assert_true(c.report.findings[0].limit == 9.8);
	judge_free(&c.report);

	/* the statistical limit holds, too, if that of the caller is below it */
	c.ask.limit = 5;
	set(&c, 1, 2, 9, 9);
	run(&c);
	expect_one(&c, JUDGE_PAIR_LOW, 1, 2);
	assert_float_equal(c.report.findings[0].limit, 9.6, 1e-9);
	judge_free(&c.report);

	/* all are below it: that is said once */
	c.ask.limit = 10.5;
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
	c.ask.limit = 9;
	run(&c);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_LOW, 0, 1);
	judge_free(&c.report);
	fail_pair(&c, 1, 0, 0);
	c.ask.limit = NAN;
	run(&c);
	expect_one(&c, JUDGE_PAIR_FAILED, 1, 0);
	again(&c, 1);
	expect_one(&c, JUDGE_PAIR_FAILED, 1, 0);
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
	const struct judge_ask ask = { .nodes = 4, .limit = NAN };

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

static void test_text_is_cut(void **state)
{
	static const char *const names[] = { "a-long-name-of-a-node" };
	const struct judge_words words = { names, "Gbit/s", 1, false };
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
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_sender),
		cmocka_unit_test(test_receiver),
		cmocka_unit_test(test_both_directions),
		cmocka_unit_test(test_two_bad_of_five),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_node_becomes_pair),
		cmocka_unit_test(test_not_measured),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_node_fails),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_few_values),
		cmocka_unit_test(test_three_nodes),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_two_levels),
		cmocka_unit_test(test_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
