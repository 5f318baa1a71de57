/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the seed of a schedule does, and its limits. */
#include "config.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schedule/shuffle.h"
#include "util/err.h"

static struct schedule *opened(struct schedule_ask ask)
{
	struct schedule *s;

	if (schedule_open(&s, &ask))
		fail_msg("kind %d, %u nodes, k %u: %s", ask.kind, ask.n, ask.k, err_text());
	return s;
}

/* FNV-1a of what all kinds make. */
static uint64_t sum(uint32_t n, uint64_t seed, enum schedule_kind kind)
{
	struct schedule *s = opened((struct schedule_ask){ .kind = kind, .n = n, .k = 3,
							   .seed = seed });
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (uint32_t round = 0; round < schedule_rounds(s); round++)
		for (uint32_t node = 0; node < n; node++)
			hash = (hash ^ schedule_target(s, round, node)) *
			       UINT64_C(0x100000001b3);
	schedule_close(s);
	return hash;
}

static void test_seed(void **state)
{
	static const enum schedule_kind kinds[] = {
		SCHEDULE_ALL, SCHEDULE_SAMPLE, SCHEDULE_INCAST, SCHEDULE_RANDOM
	};

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t n = 16; n <= 17; n++) {
			const uint64_t one = sum(n, 1, kinds[i]);

			assert_true(one == sum(n, 1, kinds[i]));
			assert_true(one != sum(n, 2, kinds[i]));
			assert_true(one != sum(n, UINT64_C(1) << 63 | 1, kinds[i]));
		}
	}
}

/*
 * The peer may be another build on another machine: if this changes, so does the protocol, and
 * PROTO_VERSION is raised.
 */
static void test_same_everywhere(void **state)
{
	uint64_t all = 0;

	(void)state;
	for (enum schedule_kind kind = SCHEDULE_ALL; kind < SCHEDULE_FILE; kind++)
		all = all * 31 + sum(13, 42, kind);
	if (all != UINT64_C(0x1e4fd185f1ddfd1e))
		fail_msg("the schedules have the sum 0x%" PRIx64, all);
}

static void test_shuffle(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= MESH_NODES_MAX; n += n < 300 ? 1 : 65236) {
		const struct shuffle s = shuffle_make(n, n);
		static bool taken[MESH_NODES_MAX];

		memset(taken, 0, sizeof(taken));
		for (uint32_t place = 0; place < n; place++) {
			const uint32_t at = shuffle_at(&s, place);

			assert_true(at < n);
			assert_false(taken[at]);
			taken[at] = true;
			assert_int_equal(shuffle_place(&s, at), place);
		}
	}
}

/* Each of seven is the first about as often, for an n that is no square of a base. */
static void test_shuffle_is_fair(void **state)
{
	const struct shuffle base = shuffle_make(7, 0);
	uint32_t n[7] = { 0 };

	(void)state;
	for (uint64_t stream = 0; stream < 7000; stream++) {
		const struct shuffle order = shuffle_stream(&base, stream);

		n[shuffle_at(&order, 0)]++;
	}
	for (uint32_t i = 0; i < 7; i++)
		assert_in_range(n[i], 850, 1150);
}

/* Of four nodes there are three pairings: random ones are each about as often. */
static void test_random_is_fair(void **state)
{
	struct schedule *s = opened((struct schedule_ask){ .kind = SCHEDULE_RANDOM, .n = 4,
							   .k = 3000, .seed = 5 });
	uint32_t n[4] = { 0 };

	(void)state;
	for (uint32_t round = 0; round < 6000; round += 2)
		n[schedule_target(s, round, 0)]++;
	for (uint32_t i = 1; i < 4; i++)
		assert_in_range(n[i], 900, 1100);
	schedule_close(s);
}

/* ---- limits */

static void test_largest(void **state)
{
	const uint32_t n = MESH_NODES_MAX;
	struct schedule *s = opened((struct schedule_ask){ .kind = SCHEDULE_SERIAL, .n = n });
	const uint32_t last = schedule_rounds(s) - 1;

	(void)state;
	assert_int_equal(last, n * (n - 1) - 1);
	assert_int_equal(schedule_target(s, last, n - 1), n - 2);
	assert_int_equal(schedule_target(s, last, n - 2), SCHEDULE_NONE);
	assert_int_equal(schedule_target(s, last + 1, n - 1), SCHEDULE_NONE);
	schedule_close(s);
	s = opened((struct schedule_ask){ .kind = SCHEDULE_ALL, .n = n });
	assert_int_equal(schedule_rounds(s), 2 * (n - 1));
	for (uint32_t node = 0; node < n; node += 97) {
		const uint32_t to = schedule_target(s, 2 * (n - 2), node);

		if (to != SCHEDULE_NONE)
			assert_int_equal(schedule_target(s, 2 * (n - 2) + 1, to), node);
	}
	schedule_close(s);
}

static void test_beyond(void **state)
{
	struct schedule *s = opened((struct schedule_ask){ .kind = SCHEDULE_SHIFT, .n = 5 });

	(void)state;
	assert_int_equal(schedule_target(s, 3, 4), 3);
	assert_int_equal(schedule_target(s, 4, 4), SCHEDULE_NONE);
	assert_int_equal(schedule_target(s, 3, 5), SCHEDULE_NONE);
	schedule_close(s);
}

static void test_refused(void **state)
{
	static const struct {
		struct schedule_ask ask;
		const char *why;
	} cases[] = {
		{ { SCHEDULE_ALL, .n = 0 }, "0 nodes; allowed: 2..65536" },
		{ { SCHEDULE_SHIFT, .n = 1 }, "1 node; allowed: 2..65536" },
		{ { SCHEDULE_ALL, .n = 65537 }, "65537 nodes; allowed: 2..65536" },
		{ { SCHEDULE_SAMPLE, .n = 8, .k = 0 }, "is 0; allowed for 8 nodes: 1..7" },
		{ { SCHEDULE_SAMPLE, .n = 8, .k = 8 }, "is 8; allowed for 8 nodes: 1..7" },
		{ { SCHEDULE_SAMPLE, .n = 7, .k = 8 }, "is 8; allowed for 7 nodes: 1..7" },
		{ { SCHEDULE_ONE, .n = 8, .k = 8 }, "is 8; allowed for 8 nodes: 0..7" },
		{ { SCHEDULE_INCAST, .n = 8, .k = 0 }, "is 0; allowed for 8 nodes: 1..7" },
		{ { SCHEDULE_INCAST, .n = 8, .k = 8 }, "is 8; allowed for 8 nodes: 1..7" },
		{ { SCHEDULE_RANDOM, .n = 8, .k = 0 }, "is 0; allowed for 8 nodes: 1..65536" },
		{ { SCHEDULE_RANDOM, .n = 8, .k = 65537 }, "allowed for 8 nodes: 1..65536" },
	};
	struct schedule *s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(schedule_open(&s, &cases[i].ask), -EINVAL);
		assert_null(s);
		if (!strstr(err_text(), cases[i].why))
			fail_msg("\"%s\" does not say \"%s\"", err_text(), cases[i].why);
	}
	schedule_close(NULL);
	/* what is not used is not looked at */
	schedule_close(opened((struct schedule_ask){ SCHEDULE_ALL, .n = 2, .k = UINT32_MAX }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seed),
		cmocka_unit_test(test_same_everywhere),
		cmocka_unit_test(test_shuffle),
		cmocka_unit_test(test_shuffle_is_fair),
		cmocka_unit_test(test_random_is_fair),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_beyond),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
