/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* heat: which pixel of a picture of pairs has which colour. tests/page looks at its file. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "pictures/heat.h"

#define BLACK 0u
#define WHITE HEAT_STEPS

/* All pairs, as good as the median. */
static void begin(struct heat *heat, size_t nodes)
{
	heat_begin(heat, nodes, nodes * (nodes - 1));
	for (size_t client = 0; client < nodes; client++)
		for (size_t server = 0; server < nodes; server++)
			if (client != server)
				heat_add(heat, client, server, 1);
}

/* In the middle of the tile of a pair. */
static unsigned int look(const struct heat *heat, size_t client, size_t server)
{
	return heat_pixel(heat, heat_tile(heat, server) * heat->tile + heat->tile / 2,
			  heat_tile(heat, client) * heat->tile + heat->tile / 2);
}

static void a_share_has_a_colour(void **state)
{
	(void)state;
	assert_int_equal(heat_colour(0), BLACK);
	assert_int_equal(heat_colour(0.8), BLACK);
	assert_int_equal(heat_colour(0.81), 1);
	assert_int_equal(heat_colour(0.9), 5);
	assert_int_equal(heat_colour(0.98), 9);
	assert_int_equal(heat_colour(0.99), WHITE);
	assert_int_equal(heat_colour(2), WHITE);
	assert_int_equal(heat_colour(INFINITY), WHITE);
	assert_int_equal(heat_colour(NAN), HEAT_FAILED);
	/* as its colour is */
	assert_int_equal(heat_colours[BLACK][0], 0);
	assert_int_equal(heat_colours[WHITE][0], 255);
	assert_true(heat_colours[HEAT_FAILED][0] > 4 * heat_colours[HEAT_FAILED][1]);
}

static void each_pair_has_its_tile(void **state)
{
	struct heat heat;

	(void)state;
	begin(&heat, 8);
	heat_add(&heat, 3, 5, 0.5);
	heat_add(&heat, 6, 1, NAN);
	assert_int_equal(heat.block, 1);
	assert_int_equal(heat_pixels(&heat), 8 * HEAT_TILE);
	for (size_t client = 0; client < 8; client++)
		for (size_t server = 0; server < 8; server++)
			if (client != server)
				assert_int_equal(look(&heat, client, server),
						 client == 3 && server == 5 ? BLACK :
						 client == 6 && server == 1 ? HEAT_FAILED : WHITE);
	heat_free(&heat);
}

/* Groups of 3, 1 and 4 nodes. */
static void groups_end_where_another_one_begins(void **state)
{
	static const uint32_t group[] = { 7, 7, 7, 2, 7, 7, 7, 7 };
	struct heat heat;

	(void)state;
	begin(&heat, 8);
	assert_int_equal(heat_next(&heat, group, 0), 3);
	assert_int_equal(heat_next(&heat, group, 2), 3);
	assert_int_equal(heat_next(&heat, group, 3), 4);
	assert_int_equal(heat_next(&heat, group, 4), 8);
	assert_true(heat_place(&heat, 3) == 3 * HEAT_TILE);
	heat_free(&heat);
}

static void what_is_not_measured_is_hatched(void **state)
{
	size_t lines = 0;
	struct heat heat;

	(void)state;
	begin(&heat, 8);
	for (size_t x = 0; x < HEAT_TILE; x++) {
		const unsigned int colour = heat_pixel(&heat, 2 * HEAT_TILE + x, 2 * HEAT_TILE);

		assert_true(colour == HEAT_NONE || colour == HEAT_HATCH);
		lines += colour == HEAT_HATCH;
	}
	assert_in_range(lines, HEAT_TILE / 8, HEAT_TILE / 2);
	heat_free(&heat);
}

static void a_block_shows_its_worst_pair(void **state)
{
	struct heat heat;

	(void)state;
	begin(&heat, 3000);
	assert_int_equal(heat.block, 3);
	assert_int_equal(heat_pixels(&heat), 1000);
	heat_add(&heat, 1234, 2345, 0.9);
	assert_int_equal(look(&heat, 1234, 2345), 5);
	heat_add(&heat, 1233, 2344, 1);
	heat_add(&heat, 1233, 2345, 0.95);
	assert_int_equal(look(&heat, 1234, 2345), 5);
	heat_add(&heat, 1233, 2345, 0.7);
	assert_int_equal(look(&heat, 1234, 2345), BLACK);
	assert_int_equal(look(&heat, 1237, 2345), WHITE);
	assert_int_equal(look(&heat, 1234, 2348), WHITE);
	/* a failure is the worst */
	heat_add(&heat, 1235, 2344, NAN);
	heat_add(&heat, 1235, 2344, 0.1);
	assert_int_equal(look(&heat, 1234, 2345), HEAT_FAILED);
	heat_free(&heat);
}

/* The last tiles have as many nodes as the others, or one less. */
static void tiles_have_as_many_nodes(void **state)
{
	struct heat heat;

	(void)state;
	for (size_t nodes = 1; nodes < 5000; nodes += 97) {
		size_t n[HEAT_MOST] = { 0 };

		heat_begin(&heat, nodes, nodes * nodes);
		assert_true(heat.side <= HEAT_MOST && heat_pixels(&heat) <= HEAT_MOST);
		for (size_t node = 0; node < nodes; node++)
			n[heat_tile(&heat, node)]++;
		for (size_t tile = 0; tile < heat.side; tile++)
			assert_in_range(n[tile], heat.block > 1 ? heat.block - 1 : 1, heat.block);
		heat_free(&heat);
	}
}

/* Of few pairs single tiles cannot be seen beside what is missing. */
static void a_sample_has_larger_blocks(void **state)
{
	struct heat heat;

	(void)state;
	heat_begin(&heat, 4096, 16 * 4096);
	assert_in_range(heat.side, 100, 200);
	heat_free(&heat);
	heat_begin(&heat, 64, 64);
	assert_int_equal(heat.side, 64);
	heat_free(&heat);
	heat_begin(&heat, 1, 0);
	assert_int_equal(heat.side, 1);
	heat_free(&heat);
}

/* The worst case: no two pixels are alike. */
static void its_file_is_small(void **state)
{
	struct heat heat;
	size_t len;
	char *text;
	FILE *out;

	(void)state;
	begin(&heat, 4096);
	assert_int_equal(heat.side, HEAT_MOST);
	srand(1);
	for (size_t i = 0; i < (size_t)HEAT_MOST * HEAT_MOST; i++)
		heat.tiles[i] = (uint8_t)(rand() % HEAT_COLOURS);
	out = open_memstream(&text, &len);
	heat_png(out, &heat);
	fclose(out);
	assert_in_range(len, 100, 600000);
	free(text);
	heat_free(&heat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_has_a_colour),
		cmocka_unit_test(each_pair_has_its_tile),
		cmocka_unit_test(groups_end_where_another_one_begins),
		cmocka_unit_test(what_is_not_measured_is_hatched),
		cmocka_unit_test(a_block_shows_its_worst_pair),
		cmocka_unit_test(tiles_have_as_many_nodes),
		cmocka_unit_test(a_sample_has_larger_blocks),
		cmocka_unit_test(its_file_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
