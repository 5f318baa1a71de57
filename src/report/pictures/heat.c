/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The tiles of a picture of pairs, and their pixels; see heat.h. */
#include "config.h"
#include "pictures/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/must.h"

#define FILLED 0.95 /* of the tiles: with fewer, readers see what is missing */
#define HATCH 8u    /* pixels between two lines, */
#define HATCHED 2u  /* and of a line */

#define GREY(level) { level, level, level }

const uint8_t heat_colours[HEAT_COLOURS][3] = {
	GREY(0), GREY(26), GREY(51), GREY(77), GREY(102), GREY(128), GREY(153), GREY(179),
	GREY(204), GREY(230), GREY(255),
	[HEAT_FAILED] = { 0xd9, 0x1e, 0x18 },
	[HEAT_NONE] = { 0xd6, 0xe4, 0xf2 }, [HEAT_HATCH] = { 0x9d, 0xba, 0xd6 },
};

static size_t tiles_of(size_t nodes, size_t block)
{
	return (nodes + block - 1) / block;
}

/* The part of the tiles in which a pair is measured, if chance says which pairs are. */
static double filled(double measured, size_t block)
{
	return 1 - pow(1 - measured, (double)block * (double)block);
}

void heat_begin(struct heat *heat, size_t nodes, size_t pairs)
{
	const double all = (double)nodes * (double)(nodes > 1 ? nodes - 1 : 1);
	const double measured = fmin((double)pairs / all, 1);
	size_t block = 1;

	while (tiles_of(nodes, block) > HEAT_MOST ||
	       (tiles_of(nodes, block + 1) >= HEAT_FINE && filled(measured, block) < FILLED))
		block++;
	*heat = (struct heat){ .nodes = nodes, .block = block, .side = tiles_of(nodes, block) };
	heat->tile = heat->side > HEAT_WIDE ? 1 : HEAT_WIDE / heat->side;
	if (heat->tile > HEAT_TILE)
		heat->tile = HEAT_TILE;
	heat->tiles = must_calloc(heat->side, heat->side);
	memset(heat->tiles, HEAT_NONE, heat->side * heat->side);
}

void heat_free(struct heat *heat)
{
	free(heat->tiles);
	*heat = (struct heat){ .nodes = 0 };
}

/* The next lighter one: the noise of a good pair is white. */
unsigned int heat_colour(double share)
{
	const double part = (share - HEAT_BLACK) / (HEAT_WHITE - HEAT_BLACK);

	if (isnan(share))
		return HEAT_FAILED;
	return (unsigned int)fmin(fmax(ceil(part * HEAT_STEPS - 1e-9), 0), HEAT_STEPS);
}

/* Failed is the worst, not measured is no value. */
static int badness(unsigned int colour)
{
	return colour == HEAT_NONE ? -1 : colour == HEAT_FAILED ? (int)HEAT_STEPS + 1 :
							     (int)(HEAT_STEPS - colour);
}

size_t heat_tile(const struct heat *heat, size_t node)
{
	return node * heat->side / heat->nodes;
}

void heat_add(struct heat *heat, size_t client, size_t server, double share)
{
	uint8_t *tile = &heat->tiles[heat_tile(heat, client) * heat->side +
				     heat_tile(heat, server)];
	const unsigned int colour = heat_colour(share);

	if (badness(colour) > badness(*tile))
		*tile = (uint8_t)colour;
}

size_t heat_pixels(const struct heat *heat)
{
	return heat->side * heat->tile;
}

double heat_place(const struct heat *heat, size_t node)
{
	return (double)node * (double)heat_pixels(heat) / (double)heat->nodes;
}

size_t heat_next(const struct heat *heat, const uint32_t *group, size_t node)
{
	const uint32_t own = group[node];

	while (node < heat->nodes && group[node] == own)
		node++;
	return node;
}

unsigned int heat_pixel(const struct heat *heat, size_t x, size_t y)
{
	const unsigned int colour = heat->tiles[y / heat->tile * heat->side + x / heat->tile];

	return colour == HEAT_NONE && (x + y) % HATCH < HATCHED ? HEAT_HATCH : colour;
}

void heat_png(FILE *out, const struct heat *heat)
{
	const size_t n = heat_pixels(heat);
	uint8_t *pixels = must_calloc(n, n), *pixel = pixels;

	for (size_t y = 0; y < n; y++)
		for (size_t x = 0; x < n; x++)
			*pixel++ = (uint8_t)heat_pixel(heat, x, y);
	png_file_indexed(out, &(struct png_indexed){
		.width = n, .height = n, .pixels = pixels, .colours = heat_colours,
		.n_colours = HEAT_COLOURS,
	});
	free(pixels);
}
