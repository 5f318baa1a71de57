/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Verdicts on leaves: classes by hops, partners of re-tests, what a leaf explains. */
#include "config.h"
#include "judge/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "judge_noise.h"

/* ---- on noise */

static struct cluster *leaves_of(uint32_t nodes, uint32_t leaves)
{
	struct cluster *c = cluster_of(nodes, nodes - 1);

	c->leaves = leaves;
	for (uint32_t i = 0; i < nodes; i++)
		c->leaf[i] = i % leaves;
	return c;
}

/* What all leaves have is no fault: uplinks may carry less than the nodes of a leaf send. */
static void test_good(void **state)
{
	static const struct {
		uint32_t nodes, leaves;
		double between;
	} good[] = { { 16, 2, 50 }, { 16, 4, 0 }, { 12, 3, 80 }, { 9, 8, 50 }, { 32, 8, 60 } };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct cluster *c = leaves_of(good[i].nodes, good[i].leaves);
		struct counts counts = { 0 };

		c->between = good[i].between;
		for (uint32_t r = 0; r < RUNS; r++) {
			c->latency = r % 2;
			run(&counts, c, NULL, 0);
		}
		check(counts, "good leaves");
		free(c);
	}
}

/* Alone, too, or only in rounds. Of four leaves one is in half of the pairs between leaves. */
static void check_leaf(struct cluster *c, enum judge_what what, bool full)
{
	struct counts counts = { 0 };

	for (uint32_t r = 0; r < RUNS; r++) {
		const struct expected expected = { full ? JUDGE_CONGESTION : what,
						   below(c, c->leaves), JUDGE_NO_PEER, false };

		c->faults = (struct faults){ .leaf_full = full };
		if (what != JUDGE_LEAF_RECEIVES_LOW)
			c->faults.leaf_sends[expected.node] = 70;
		if (what != JUDGE_LEAF_SENDS_LOW)
			c->faults.leaf_receives[expected.node] = 75;
		c->latency = r % 2;
		run(&counts, c, &expected, 1);
	}
	check(counts, full ? "a leaf whose uplink is full" : "a leaf");
	free(c);
}

static void test_leaf(void **state)
{
	static const enum judge_what whats[] = {
		JUDGE_LEAF_SENDS_LOW, JUDGE_LEAF_RECEIVES_LOW, JUDGE_LEAF_LOW
	};

	(void)state;
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		check_leaf(leaves_of(12, 3), whats[i], false);
		check_leaf(leaves_of(16, 4), whats[i], false);
		check_leaf(leaves_of(16, 4), whats[i], true);
	}
	check_leaf(leaves_of(32, 8), JUDGE_LEAF_LOW, true);
	check_leaf(leaves_of(64, 4), JUDGE_LEAF_LOW, false);
}

/* Two of five leaves, a node and a link of good ones; and a node of a low leaf. */
static void test_many(void **state)
{
	struct cluster *c = leaves_of(25, 5);
	struct counts counts = { 0 };

	(void)state;
	for (uint32_t r = 0; r < RUNS; r++) {
		const uint32_t leaf = below(c, 5), good = (leaf + 2) % 5;
		const struct expected expected[] = {
			{ JUDGE_LEAF_LOW, leaf, JUDGE_NO_PEER, false },
			{ JUDGE_LEAF_SENDS_LOW, (leaf + 1) % 5, JUDGE_NO_PEER, false },
			{ JUDGE_SENDS_LOW, good, JUDGE_NO_PEER, false },
			{ JUDGE_NODE_LOW, leaf + 5, JUDGE_NO_PEER, false },
			{ JUDGE_PAIR_LOW, good + 5, (good + 1) % 5 + 10, false },
		};

		c->faults = (struct faults){ .from = good + 5, .to = (good + 1) % 5 + 10,
					     .link = 60 };
		c->between = 90;
		c->faults.leaf_sends[leaf] = c->faults.leaf_receives[leaf] = 60;
		c->faults.leaf_sends[(leaf + 1) % 5] = 70;
		c->faults.sends[good] = 50;
		c->faults.sends[leaf + 5] = c->faults.receives[leaf + 5] = 40;
		run(&counts, c, expected, 5);
	}
	check(counts, "two leaves, two nodes and a link");
	free(c);
}

/* Half of the nodes of a leaf are bad: it is not the leaf. With three of four: 1 of 200 wrong. */
static void test_nodes_of_a_leaf(void **state)
{
	struct cluster *c = leaves_of(16, 4);
	struct counts counts = { 0 };

	(void)state;
	for (uint32_t r = 0; r < RUNS; r++) {
		const uint32_t leaf = below(c, 4);
		const struct expected expected[] = {
			{ JUDGE_SENDS_LOW, leaf, JUDGE_NO_PEER, false },
			{ JUDGE_SENDS_LOW, leaf + 4, JUDGE_NO_PEER, false },
		};

		c->faults = (struct faults){ .link = 0 };
		c->faults.sends[leaf] = 70;
		c->faults.sends[leaf + 4] = 60;
		run(&counts, c, expected, 2);
	}
	check(counts, "half of a leaf");
	free(c);
}

/* ---- re-tests, and words */

static const char *const names[] = {
	"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10", "n11", "n12", "n13",
	"n14", "n15"
};
static const char *const leaves[] = { "leaf0", "leaf1", "leaf2", "leaf3" };

/* Without noise; of faults alone all is good if they are of full uplinks. */
static void judge_plain(struct judge_report *report, struct judge_ask *ask, struct cluster *c)
{
	c->n = 0;
	for (uint32_t from = 0; from < c->nodes; from++)
		for (uint32_t to = 0; to < c->nodes; to++) {
			const bool near = c->leaf[from] == c->leaf[to];
			double value = near ? GOOD : cross(c, from, to, false);

			if (c->faults.sends[from] > 0)
				value = fmin(value, c->faults.sends[from]);
			if (from != to)
				c->pairs[c->n++] = (struct judge_pair){
					.from = from, .to = to, .value = value,
					.class = near ? 1 : 3,
				};
		}
	*ask = (struct judge_ask){ .pairs = c->pairs, .n = c->n, .nodes = c->nodes,
				   .leaf = c->leaf, .leaves = c->leaves };
	judge(report, ask);
}

static void expect_text(const struct judge_finding *f, const char *expected)
{
	const struct judge_words words = { .names = names, .leaves = leaves,
					   .unit = "Gbit/s", .decimals = 1 };
	char text[256];

	assert_string_equal(judge_text(f, &words, text, sizeof(text)), expected);
}

static void test_words(void **state)
{
	struct cluster *c = leaves_of(16, 4);
	struct judge_report report;
	struct judge_ask ask;
	struct judge_list list;
	uint32_t worst = 0;

	(void)state;
	c->between = 80;
	c->faults.leaf_sends[2] = 40;
	judge_plain(&report, &ask, c);
	assert_int_equal(report.n_findings, 1);
	expect_text(&report.findings[0], "leaf2: leaf: what it sends to other leaves is low: "
		    "40.0 Gbit/s, not tested again, the median of pairs over 3 switches is 80.0, "
		    "the limit is 76.8");
	for (uint32_t pass = 0; pass < JUDGE_PASSES; pass++) {
		assert_int_equal(report.findings[0].what, JUDGE_LEAF_SENDS_LOW);
		judge_retests(&list, &report, &ask, pass);
		assert_int_equal(list.n, JUDGE_PARTNERS + 1);
		for (size_t i = 0; i < list.n; i++) {
			assert_int_equal(c->leaf[list.rows[i].from] == 2, i < JUDGE_PARTNERS);
			list.rows[i].value = i ? 80 : 39;
		}
		judge_again(&report, &list);
		worst = list.rows[0].from;
		judge_list_free(&list);
	}
	/* only one of them, always: a path */
	assert_int_equal(report.findings[0].what, JUDGE_PAIR_LOW);
	assert_int_equal(report.findings[0].node, worst);
	judge_free(&report);

	judge_plain(&report, &ask, c);
	judge_retests(&list, &report, &ask, 1);
	for (size_t i = 0; i < list.n; i++)
		list.rows[i].value = 80;
	judge_again(&report, &list);
	expect_text(&report.findings[0], "leaf2: congestion, what it sends to other leaves: "
		    "80.0 Gbit/s alone, 40.0 in rounds, 80.0 in the other direction");
	judge_list_free(&list);
	judge_free(&report);
	free(c);
}

/* Good beside the others, and below what is expected of pairs between leaves. */
static void test_limit(void **state)
{
	struct cluster *c = leaves_of(16, 4);
	struct judge_report report;
	struct judge_ask ask;

	(void)state;
	c->between = 80;
	c->faults.leaf_sends[2] = 78;
	judge_plain(&report, &ask, c);
	assert_int_equal(report.n_findings, 0);
	judge_free(&report);
	for (size_t i = 0; i < c->n; i++)
		c->pairs[i].limit = c->pairs[i].class == 3 ? 79 : 0;
	judge(&report, &ask);
	assert_int_equal(report.n_findings, 1);
	expect_text(&report.findings[0], "leaf2: leaf: what it sends to other leaves is low: "
		    "78.0 Gbit/s, not tested again, the median of pairs over 3 switches is 80.0, "
		    "the limit is 79.0");
	judge_free(&report);
	free(c);
}

/* A node is measured again with three of its leaf and three of others, back with one of each. */
static void test_partners(void **state)
{
	struct cluster *c = leaves_of(16, 4);
	struct judge_report report;
	struct judge_ask ask;
	struct judge_list list;
	uint32_t near = 0, back = 0;

	(void)state;
	c->between = 80;
	c->faults.sends[5] = 50;
	judge_plain(&report, &ask, c);
	assert_int_equal(report.n_findings, 1);
	assert_int_equal(report.findings[0].what, JUDGE_SENDS_LOW);
	judge_retests(&list, &report, &ask, 1);
	assert_int_equal(list.n, 2 * JUDGE_PARTNERS + 2);
	for (size_t i = 0; i < list.n; i++) {
		near += c->leaf[list.rows[i].from] == c->leaf[list.rows[i].to];
		back += list.rows[i].to == 5;
	}
	assert_int_equal(near, JUDGE_PARTNERS + 1);
	assert_int_equal(back, 2);
	judge_list_free(&list);
	judge_free(&report);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_leaf),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_nodes_of_a_leaf),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_partners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
