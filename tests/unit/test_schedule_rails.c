/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Schedules of nodes with several rails: the rounds of one rail, on all of them. */
#include "config.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"

#define NODES 7u
#define RAILS 3u

static struct schedule *opened(enum schedule_kind kind, enum rails rails)
{
	const struct schedule_ask ask = { .kind = kind, .n = NODES, .k = 3, .seed = 5,
					  .rails = rails, .n_rails = RAILS };
	struct schedule *s;

	if (schedule_open(&s, &ask))
		fail_msg("kind %d: %s", kind, err_text());
	return s;
}

/* Has a round the pairs of a round of one rail? */
static void check_round(const struct schedule *s, uint32_t round, const struct schedule *one,
			uint32_t of)
{
	for (uint32_t node = 0; node < NODES; node++)
		assert_int_equal(schedule_target(s, round, node), schedule_target(one, of, node));
}

static void check_rails(const struct schedule *s, uint32_t round, uint32_t from, uint32_t to)
{
	assert_int_equal(schedule_rails(s, round, 0, 0).from, from);
	assert_int_equal(schedule_rails(s, round, 0, 0).to, to);
}

static void test_same(void **state)
{
	(void)state;
	for (enum schedule_kind kind = SCHEDULE_ALL; kind < SCHEDULE_FILE; kind++) {
		struct schedule *one = opened(kind, RAILS_NONE), *s = opened(kind, RAILS_SAME);

		assert_int_equal(schedule_rounds(s), RAILS * schedule_rounds(one));
		assert_int_equal(schedule_pairs(s), RAILS * schedule_pairs(one));
		for (uint32_t round = 0; round < schedule_rounds(s); round++) {
			check_round(s, round, one, round / RAILS);
			check_rails(s, round, round % RAILS, round % RAILS);
		}
		assert_int_equal(schedule_target(s, schedule_rounds(s), 0), SCHEDULE_NONE);
		schedule_close(one);
		schedule_close(s);
	}
}

static void test_cross(void **state)
{
	struct schedule *one = opened(SCHEDULE_ALL, RAILS_NONE);
	struct schedule *s = opened(SCHEDULE_ALL, RAILS_CROSS);

	(void)state;
	assert_int_equal(schedule_rounds(s), RAILS * RAILS * schedule_rounds(one));
	assert_int_equal(schedule_pairs(s), RAILS * RAILS * schedule_pairs(one));
	for (uint32_t round = 0; round < schedule_rounds(s); round++) {
		check_round(s, round, one, round / (RAILS * RAILS));
		check_rails(s, round, round / RAILS % RAILS, round % RAILS);
	}
	schedule_close(one);
	schedule_close(s);
}

static void test_each(void **state)
{
	struct schedule *one = opened(SCHEDULE_ALL, RAILS_NONE);
	struct schedule *s = opened(SCHEDULE_ALL, RAILS_EACH);
	const uint32_t rounds = schedule_rounds(one);

	(void)state;
	assert_int_equal(schedule_rounds(s), RAILS * rounds);
	for (uint32_t round = 0; round < RAILS * rounds; round++) {
		check_round(s, round, one, round % rounds);
		check_rails(s, round, round / rounds, round / rounds);
	}
	schedule_close(one);
	schedule_close(s);
}

/* The rounds of one rail; each pair of them has a lane for each rail. */
static void test_all(void **state)
{
	(void)state;
	for (enum schedule_kind kind = SCHEDULE_ALL; kind < SCHEDULE_FILE; kind++) {
		struct schedule *one = opened(kind, RAILS_NONE), *s = opened(kind, RAILS_ALL);

		assert_int_equal(schedule_lanes(one), 1);
		assert_int_equal(schedule_lanes(s), RAILS);
		assert_int_equal(schedule_rounds(s), schedule_rounds(one));
		assert_int_equal(schedule_pairs(s), RAILS * schedule_pairs(one));
		for (uint32_t round = 0; round < schedule_rounds(s); round++) {
			check_round(s, round, one, round);
			for (uint32_t lane = 0; lane < RAILS; lane++) {
				assert_int_equal(schedule_rails(s, round, 0, lane).from, lane);
				assert_int_equal(schedule_rails(s, round, 0, lane).to, lane);
			}
		}
		schedule_close(one);
		schedule_close(s);
	}
}

/* On both nodes each lane knows the devices of all: its threads have places of their own. */
static void test_beside(void **state)
{
	struct mesh mesh = { .rails = { RAILS, { "a", "b", "c" } } };
	char text[NEIGHBOURS_TEXT];
	struct cfg cfg = { .device = "b" };

	(void)state;
	mesh.schedule = opened(SCHEDULE_ALL, RAILS_SAME);
	mesh_rails_beside(&mesh, &cfg, 0, text);
	assert_null(cfg.neighbours[SIDE_CLIENT]);
	assert_null(cfg.neighbours[SIDE_SERVER]);
	schedule_close(mesh.schedule);
	mesh.schedule = opened(SCHEDULE_ALL, RAILS_ALL);
	mesh_rails_beside(&mesh, &cfg, 1, text);
	assert_string_equal(cfg.neighbours[SIDE_CLIENT], "1:a,b,c");
	assert_string_equal(cfg.neighbours[SIDE_SERVER], "1:a,b,c");
	schedule_close(mesh.schedule);
}

/* The number of a round has 32 bits. */
static void test_too_many(void **state)
{
	const struct schedule_ask ask = { .kind = SCHEDULE_SERIAL, .n = MESH_NODES_MAX,
					  .rails = RAILS_SAME, .n_rails = 2 };
	struct schedule *s;

	(void)state;
	assert_int_equal(schedule_open(&s, &ask), -EINVAL);
	assert_null(s);
	assert_non_null(strstr(err_text(), "on 2 rails are too many"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same), cmocka_unit_test(test_cross),
		cmocka_unit_test(test_each), cmocka_unit_test(test_all),
		cmocka_unit_test(test_beside), cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
