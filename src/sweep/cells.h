/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder sweep: what one program run measures, as words: lists and ranges of option values, the
 * cells of their matrices and the order of the cells, .bench files. It opens nothing but .bench
 * files, and decides nothing about a test.
 *
 * This header: all cells of a program run. A cell is the command line of one test,
 * "send_bw --size 64 --completion poll", which options_parse() and the plan read as any other.
 */
#ifndef CELLS_H
#define CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "sweep/axes.h"

/* A matrix of cells. */
struct cells_part {
	char *scenario;       /* of which it is; NULL: the command line. Owned */
	struct axes axes;     /* owned */
	uint32_t first, n;    /* its cells, in the order without shuffling */
};

/* A zeroed one is empty. */
struct cells {
	struct cells_part *parts;
	uint32_t n_parts;
	uint32_t n;           /* cells of all rounds: at most LIST_MAX */
	uint32_t *order;      /* NULL: as they are */
};

/* One cell. */
struct cell {
	const struct cells_part *part; /* borrowed */
	uint32_t index;    /* in the order in which they are measured */
	/*
	 * Test and options as words in the order of the table of options, without hosts, devices
	 * and outputs: the name of the cell, which is the same for the same cell of another run.
	 * Cells of other rounds have the same one.
	 */
	char *text;
	/* For options_parse(): the test and every option, without a host; NULL at its end. */
	int argc;
	char **argv;
};

/*
 * Adds a matrix of one or several tests; takes axes, also if it fails. -EINVAL with an error
 * message: there are too many cells, or no test.
 */
int cells_add(struct cells *cells, const char *scenario, struct axes *axes)
	__attribute__((warn_unused_result));

/* When all parts are added: that many rounds. -EINVAL with an error message: too many cells. */
int cells_repeat(struct cells *cells, uint32_t rounds) __attribute__((warn_unused_result));

/* At last. The same seed gives the same order. -ENOMEM with an error message. */
int cells_shuffle(struct cells *cells, uint32_t seed) __attribute__((warn_unused_result));

/* Cell i of cells->n. -ENOMEM with an error message; cells_free_one() is due when it is 0. */
int cells_get(const struct cells *cells, uint32_t i, struct cell *cell)
	__attribute__((warn_unused_result));
void cells_free_one(struct cell *cell);

/* The value of an axis of its part, "" of a bool that is off. Valid as long as cells. */
const char *cells_value(const struct cells *cells, const struct cell *cell, uint32_t axis);

/* Accepts a zeroed one. */
void cells_free(struct cells *cells);

#endif
