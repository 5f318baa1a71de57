/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The picture of many pairs: a line of tiles for each client, a column for each server. If there
 * are too many nodes, or too few of the pairs are measured, a tile is a block of pairs, and has the
 * worst of them.
 */
#ifndef HEAT_H
#define HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pictures/png_file.h"

#define HEAT_MOST 1024u   /* tiles of a side */
#define HEAT_WIDE 880u    /* pixels of a side whose tiles have several: a list fits beside it */
#define HEAT_TILE 40u     /* pixels of a side of a tile, at most */
#define HEAT_FINE 64u     /* so many tiles a side show each node, however few are measured */

/* The shares of the typical figure that are black and white, and the steps between them. */
#define HEAT_BLACK 0.8
#define HEAT_WHITE 1.0
#define HEAT_STEPS 10u

/* Colours by number: 0 black to HEAT_STEPS white, and these. */
enum { HEAT_FAILED = HEAT_STEPS + 1, HEAT_NONE, HEAT_HATCH, HEAT_COLOURS };

extern const uint8_t heat_colours[HEAT_COLOURS][3];

struct heat {
	size_t nodes;
	size_t block;   /* nodes of a tile, each way; of some tiles one less */
	size_t side;    /* tiles */
	size_t tile;    /* pixels of a side of a tile */
	uint8_t *tiles; /* numbers of colours, side by side of them, client by client; owned */
};

/* So many pairs will be added, of so many nodes, at least 1. heat_free() is due. */
void heat_begin(struct heat *heat, size_t nodes, size_t pairs);
void heat_free(struct heat *heat);

/* share: of the typical figure, the less the worse; NAN: it failed. */
void heat_add(struct heat *heat, size_t client, size_t server, double share);

/* The colour of a share. */
unsigned int heat_colour(double share);

/* Pixels of a side, and where a node begins, which may be within a tile. */
size_t heat_pixels(const struct heat *heat);
double heat_place(const struct heat *heat, size_t node);
/* The tile of a node. */
size_t heat_tile(const struct heat *heat, size_t node);

/* The first node behind this one that is of another group, or nodes. */
size_t heat_next(const struct heat *heat, const uint32_t *group, size_t node);

/* The colour of a pixel. */
unsigned int heat_pixel(const struct heat *heat, size_t x, size_t y);

void heat_png(FILE *out, const struct heat *heat);

#endif
