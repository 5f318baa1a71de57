/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Schedules: who sends to whom in which round, for many numbers of nodes. */
#include "config.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"

#define MOST 257u

/* How often each pair was met in the rounds so far, and what was seen of one round. */
struct seen {
	uint8_t pair[MOST][MOST];
	uint32_t target[MOST], n_from[MOST];
	uint32_t n, senders, byes;
};

static struct seen seen;

static struct schedule *opened(struct schedule_ask ask)
{
	struct schedule *s;

	if (schedule_open(&s, &ask))
		fail_msg("kind %d, %u nodes, k %u: %s", ask.kind, ask.n, ask.k, err_text());
	return s;
}

static struct schedule *begin(struct schedule_ask ask)
{
	memset(&seen, 0, sizeof(seen));
	seen.n = ask.n;
	return opened(ask);
}

static void look(const struct schedule *s, uint32_t round)
{
	const uint32_t n = seen.n;

	memset(seen.n_from, 0, sizeof(seen.n_from));
	seen.senders = seen.byes = 0;
	for (uint32_t node = 0; node < n; node++) {
		const uint32_t to = seen.target[node] = schedule_target(s, round, node);

		if (to == SCHEDULE_NONE)
			continue;
		if (to >= n || to == node)
			fail_msg("%u nodes, round %u: node %u sends to %u", n, round, node, to);
		seen.pair[node][to]++;
		seen.n_from[to]++;
		seen.senders++;
	}
	for (uint32_t node = 0; node < n; node++)
		seen.byes += seen.target[node] == SCHEDULE_NONE && !seen.n_from[node];
}

/* No node receives from two; each either sends or receives. */
static void look_at_matching(const struct schedule *s, uint32_t round)
{
	look(s, round);
	for (uint32_t node = 0; node < seen.n; node++) {
		if (seen.n_from[node] > 1)
			fail_msg("%u nodes, round %u: node %u receives from %u", seen.n, round,
				 node, seen.n_from[node]);
		if (seen.n_from[node] && seen.target[node] != SCHEDULE_NONE)
			fail_msg("%u nodes, round %u: node %u sends and receives", seen.n, round,
				 node);
	}
	if (seen.byes != seen.n % 2)
		fail_msg("%u nodes, round %u: %u byes", seen.n, round, seen.byes);
}

/* Two rounds of the same pairs: the lower rank sends, then the higher one. */
static void look_at_both(const struct schedule *s, uint32_t meeting)
{
	uint32_t first[MOST];

	look_at_matching(s, 2 * meeting);
	memcpy(first, seen.target, sizeof(first));
	look_at_matching(s, 2 * meeting + 1);
	for (uint32_t node = 0; node < seen.n; node++) {
		const uint32_t to = first[node];

		if (to != SCHEDULE_NONE && (to < node || seen.target[to] != node))
			fail_msg("%u nodes, meeting %u: %u sends to %u, which sends to %u",
				 seen.n, meeting, node, to, seen.target[to]);
	}
}

static void check_every_pair_once(const struct schedule *s)
{
	const uint32_t n = seen.n;

	assert_int_equal(schedule_pairs(s), (uint64_t)n * (n - 1));
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			if (seen.pair[a][b] != (a != b))
				fail_msg("%u nodes: node %u sends to %u %u times", n, a, b,
					 seen.pair[a][b]);
}

static uint32_t circle(uint32_t n)
{
	return n % 2 ? n : n - 1;
}

static void test_all(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= MOST; n = n == 66 ? 126 : n == 130 ? 254 : n + 1) {
		struct schedule *s = begin((struct schedule_ask){ .kind = SCHEDULE_ALL, .n = n,
								  .seed = n });
		uint32_t byes[MOST] = { 0 };

		assert_int_equal(schedule_rounds(s), 2 * circle(n));
		for (uint32_t meeting = 0; meeting < circle(n); meeting++) {
			look_at_both(s, meeting);
			for (uint32_t node = 0; node < n; node++)
				byes[node] += seen.target[node] == SCHEDULE_NONE &&
					      !seen.n_from[node];
		}
		check_every_pair_once(s);
		for (uint32_t node = 0; node < n; node++)
			assert_int_equal(byes[node], n % 2);
		schedule_close(s);
	}
}

/* Which meeting of all pairs has this one of a sample; fails if none. */
static uint32_t find_meeting(const struct schedule *all, uint32_t n)
{
	for (uint32_t meeting = 0; meeting < circle(n); meeting++) {
		uint32_t node = 0;

		while (node < n && schedule_target(all, 2 * meeting + 1, node) == seen.target[node])
			node++;
		if (node == n)
			return meeting;
	}
	fail_msg("%u nodes: a meeting of the sample is none of all", n);
	return 0;
}

static void test_sample(void **state)
{
	static const uint32_t sizes[] = { 2, 3, 4, 5, 16, 33, 64 };

	(void)state;
	for (uint32_t i = 0; i < 7; i++) {
		const uint32_t n = sizes[i];
		struct schedule *all = opened((struct schedule_ask){ .kind = SCHEDULE_ALL, .n = n,
								     .seed = 3 });

		for (uint32_t k = 1; k <= circle(n); k++) {
			struct schedule *s = begin((struct schedule_ask){
				.kind = SCHEDULE_SAMPLE, .n = n, .k = k, .seed = 3 });
			bool taken[MOST] = { false };

			assert_int_equal(schedule_rounds(s), 2 * k);
			assert_int_equal(schedule_pairs(s), 2 * (uint64_t)k * (n / 2));
			for (uint32_t meeting = 0; meeting < k; meeting++) {
				look_at_both(s, meeting);
				const uint32_t which = find_meeting(all, n);

				assert_false(taken[which]);
				taken[which] = true;
			}
			schedule_close(s);
		}
		schedule_close(all);
	}
}

static void test_shift(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= MOST; n++) {
		struct schedule *s = begin((struct schedule_ask){ .kind = SCHEDULE_SHIFT, .n = n });

		assert_int_equal(schedule_rounds(s), n - 1);
		for (uint32_t round = 0; round < n - 1; round++) {
			look(s, round);
			assert_int_equal(seen.senders, n);
			for (uint32_t node = 0; node < n; node++) {
				assert_int_equal(seen.n_from[node], 1);
				assert_int_equal((seen.target[node] + n - node) % n, round + 1);
			}
		}
		check_every_pair_once(s);
		schedule_close(s);
	}
}

static void test_serial(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= MOST; n = n == 33 ? MOST : n + 1) {
		struct schedule *s = begin((struct schedule_ask){ .kind = SCHEDULE_SERIAL,
								  .n = n });

		assert_int_equal(schedule_rounds(s), n * (n - 1));
		for (uint32_t round = 0; round < n * (n - 1); round++) {
			look(s, round);
			assert_int_equal(seen.senders, 1);
		}
		check_every_pair_once(s);
		schedule_close(s);
	}
}

static void test_one(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 20; n++) {
		for (uint32_t k = 0; k < n; k++) {
			struct schedule *s = begin((struct schedule_ask){ .kind = SCHEDULE_ONE,
									  .n = n, .k = k });

			assert_int_equal(schedule_rounds(s), 2 * (n - 1));
			assert_int_equal(schedule_pairs(s), 2 * (n - 1));
			for (uint32_t round = 0; round < 2 * (n - 1); round++) {
				look(s, round);
				assert_int_equal(seen.senders, 1);
				assert_int_equal(seen.target[k] != SCHEDULE_NONE, round < n - 1);
				assert_int_equal(seen.n_from[k], round >= n - 1);
			}
			for (uint32_t node = 0; node < n; node++) {
				assert_int_equal(seen.pair[k][node], node != k);
				assert_int_equal(seen.pair[node][k], node != k);
			}
			schedule_close(s);
		}
	}
}

static void check_incast(uint32_t n, uint32_t k)
{
	struct schedule *s = begin((struct schedule_ask){ .kind = SCHEDULE_INCAST, .n = n, .k = k,
							  .seed = 9 });
	const uint32_t groups = n / (k + 1), left = n % (k + 1);
	uint32_t received[MOST] = { 0 };

	assert_int_equal(schedule_pairs(s), (uint64_t)n * k);
	assert_int_equal(schedule_rounds(s), k + 1 + left / groups + !!(left % groups));
	for (uint32_t round = 0; round < schedule_rounds(s); round++) {
		look(s, round);
		assert_int_equal(seen.senders % k, 0);
		assert_true(seen.senders);
		if (round <= k) {
			assert_int_equal(seen.senders, groups * k);
			assert_int_equal(seen.byes, left);
		}
		for (uint32_t node = 0; node < n; node++) {
			if (!seen.n_from[node])
				continue;
			assert_int_equal(seen.n_from[node], k);
			assert_int_equal(seen.target[node], SCHEDULE_NONE);
			received[node]++;
		}
	}
	for (uint32_t node = 0; node < n; node++)
		if (received[node] != 1)
			fail_msg("%u nodes, incast %u: node %u receives in %u rounds", n, k, node,
				 received[node]);
	schedule_close(s);
}

static bool has_bye(uint32_t node)
{
	return seen.target[node] == SCHEDULE_NONE && !seen.n_from[node];
}

/* With two spare nodes all are received from as before, and there is a pair beside each round. */
static void check_victim(uint32_t n, uint32_t k)
{
	struct schedule *s = begin((struct schedule_ask){ .kind = SCHEDULE_INCAST, .n = n, .k = k,
							  .spare = 2, .seed = 5 });
	const uint32_t spare = n - k - 1 < 2 ? n - k - 1 : 2;
	uint32_t receivers = 0;

	assert_int_equal(schedule_nodes(s), n);
	for (uint32_t round = 0; round < schedule_rounds(s); round++) {
		const struct schedule_victim v = schedule_victim(s, round);

		look(s, round);
		assert_true(seen.byes >= spare);
		for (uint32_t node = 0; node < n; node++) {
			assert_true(!seen.n_from[node] || seen.n_from[node] == k);
			receivers += seen.n_from[node] != 0;
		}
		if (!spare) {
			assert_true(v.from == SCHEDULE_NONE && v.to == SCHEDULE_NONE);
			continue;
		}
		assert_true(v.from < n && v.to < n && v.from != v.to);
		assert_true(has_bye(v.from) && !seen.n_from[v.to]);
		assert_true(spare < 2 || has_bye(v.to));
	}
	assert_int_equal(receivers, n);
	schedule_close(s);
}

static void test_victim(void **state)
{
	(void)state;
	for (uint32_t n = 2; n < 40; n++)
		for (uint32_t k = 1; k < n; k++)
			check_victim(n, k);
}

static void test_incast(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 40; n++)
		for (uint32_t k = 1; k < n; k++)
			check_incast(n, k);
	for (uint32_t k = 1; k < MOST; k += 17)
		check_incast(MOST, k);
}

static void test_bisection(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= MOST; n++) {
		struct schedule *s = begin((struct schedule_ask){ .kind = SCHEDULE_BISECTION,
								  .n = n, .seed = n });

		assert_int_equal(schedule_rounds(s), 2);
		assert_int_equal(schedule_pairs(s), n / 2 * 2);
		look_at_both(s, 0);
		for (uint32_t node = 0; node < n; node++)
			if (node < n / 2)
				assert_int_equal(seen.target[node + n / 2], node);
			else if (node == n / 2 * 2)
				assert_int_equal(seen.n_from[node], 0);
		schedule_close(s);
	}
}

static void test_random(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= MOST; n++) {
		struct schedule *s = begin((struct schedule_ask){ .kind = SCHEDULE_RANDOM, .n = n,
								  .k = 3, .seed = n });
		uint32_t first[MOST];

		assert_int_equal(schedule_rounds(s), 6);
		assert_int_equal(schedule_pairs(s), 6 * (n / 2));
		look_at_both(s, 0);
		memcpy(first, seen.target, sizeof(first));
		look_at_both(s, 1);
		if (n >= 32)
			assert_memory_not_equal(first, seen.target, n * sizeof(*first));
		look_at_both(s, 2);
		schedule_close(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_serial),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_incast),
		cmocka_unit_test(test_victim),
		cmocka_unit_test(test_bisection),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
