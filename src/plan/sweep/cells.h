/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room sweep: what one program run measures: lists and ranges of option values, the cells of their
 * matrices and the order of the cells, .bench files. It opens nothing but .bench files, and decides
 * nothing about a test.
 *
 * This header: all cells of a program run. The options of a matrix are axes, each with the list of
 * its values; a cell has one value of each. plan_rules() finds out whether these are compatible.
 */
#ifndef CELLS_H
#define CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "options/options.h"
#include "options/options_scan.h"

/* ---- list.c: "64,4k", "2:8M:*2", "poll,event", "on,off" */

#define LIST_MAX 100000u /* values of an option, and cells of a sweep */

/* Words, and values of an option in the spelling of options_value(); owned. */
struct list {
	char **words;
	uint64_t *numbers;    /* of a value: the integer, enum test, on 1, off 0; else 0 */
	uint32_t n;
};

/*
 * Reads text as the values of an option; word: how the option was typed, with its row. A number:
 * values and ranges, FIRST:LAST (every number, or every power of two if the option takes only
 * these), FIRST:LAST:+STEP, FIRST:LAST:*FACTOR. A bool: on, off. --test: names of tests. Among the
 * other texts only the places of threads and memory can be lists: a comma before a letter separates
 * them. -EINVAL with an error message that has option, value and range; *list is then empty.
 */
int list_read(struct list *list, const struct options_word *word, const char *text)
	__attribute__((warn_unused_result));

/* Does the text have the form of a list? Values are not checked. */
bool list_is(const struct field *row, const char *text);

/* "on", "off", "on,off", ...: the values that may follow a bool. */
bool list_is_switch(const char *text);

/* Adds a copy of a word. */
void list_add(struct list *list, const char *word, uint64_t number);

/* Accepts a zeroed one. */
void list_free(struct list *list);

/* ---- the axes of a command line */

/* An option with its values. */
struct axis {
	enum cfg_row row;     /* never an alias; CFG_ROW_tests: the test itself */
	struct list values;   /* at least one */
};

/* A zeroed one is empty. */
struct axes {
	struct axis *of;      /* in the order of the command line */
	uint32_t n;
};

/*
 * For options_parse_all(): adds the options of a test with their values to axes. The cfg gets the
 * first value of each list, borrowed from axes; an option whose first value is off is not given.
 */
struct options_lists cells_lists(struct axes *axes);

/*
 * Does a test's command line have a list, or an option of sweeps? Looks only at the form of its
 * words.
 */
bool cells_are_asked(int argc, char *const *argv);

/*
 * The axes of over replace those of axes; new ones are appended. Options that exclude one of over
 * (--size and --all, --messages and --duration) are removed.
 */
void cells_override(struct axes *axes, const struct axes *over);

/* NULL: no such axis. */
struct axis *cells_axis(const struct axes *axes, enum cfg_row row);

/* Adds the axis of a single test, unless the axes have tests. */
void cells_add_test(struct axes *axes, enum test test);

/* Does the option say where, how or with which host to measure, without being part of a cell? */
bool cells_is_outside(enum cfg_row row);

/* Accepts zeroed ones. */
void cells_axes_free(struct axes *axes);

/* ---- cells */

/* A matrix of cells. */
struct cells_part {
	char *scenario;       /* of this scenario; NULL: the command line. Owned */
	struct axes axes;     /* owned */
	uint32_t first, n;    /* its cells, in the order without shuffling */
};

/* A zeroed one is empty. */
struct cells {
	struct cells_part *parts;
	uint32_t n_parts;
	uint32_t n;           /* cells of all rounds: at most LIST_MAX */
	uint32_t *order;      /* NULL: not shuffled */
	struct cfg base;      /* defaults, and the options of cells_begin() */
};

/* One cell. */
struct cell {
	const struct cells_part *part; /* borrowed */
	uint32_t index;       /* in the order of measuring */
	uint32_t round;       /* from 0 */
	uint32_t in_round;    /* in the order without shuffling, from 0 */
	/*
	 * Test and options as words in the order of the table of options, without hosts, devices
	 * and outputs: the name of the cell, which is the same for the same cell of another run and
	 * for the same cell of other rounds.
	 */
	char *text;
	struct cfg cfg;       /* the test and all options, without a host; borrows from cells */
	double rate_pct;      /* what its rate is of a capacity that was measured; 0: it is not */
};

/*
 * Takes what is the same for all cells from the options of the run: devices, ports, time-outs, and
 * how options were typed.
 */
void cells_begin(struct cells *cells, const struct cfg *cfg);

/*
 * Adds a matrix of one or several tests; takes over axes, unless it fails. Where --rate has
 * percentages, the first of its values is none: the cell that they are of. Such a closed loop has
 * no --arrival, if that has one value. -EINVAL with an error message: too many cells, or no test.
 */
int cells_add(struct cells *cells, const char *scenario, struct axes *axes)
	__attribute__((warn_unused_result));

/*
 * Repeats all parts, once they are added, for that many rounds. -EINVAL with an error message: too
 * many cells.
 */
int cells_repeat(struct cells *cells, uint32_t rounds) __attribute__((warn_unused_result));

uint32_t cells_in_round(const struct cells *cells);

/* Call it last. The same seed gives the same order. in_rounds: each round by itself. */
void cells_shuffle(struct cells *cells, uint32_t seed, bool in_rounds);

/* Cell i of cells->n; free its text. */
void cells_get(const struct cells *cells, uint32_t i, struct cell *cell);

/* An option of a cell in place of what the cell has. */
struct cells_change {
	enum cfg_row row;     /* not of a text */
	uint64_t number;      /* as in a struct list */
	bool absent;          /* the option is not given */
};

/*
 * cells_like.c: adds a part with one cell: cell i with n changes. Not after cells_shuffle(), nor
 * with several rounds. Pointers to parts are not valid after it. -EINVAL with an error message: too
 * many cells.
 */
int cells_like(struct cells *cells, uint32_t i, const struct cells_change *changes, uint32_t n)
	__attribute__((warn_unused_result));

/* Takes an option out of a part. Its axis has one value, so that the part keeps its cells. */
void cells_drop(struct axes *axes, enum cfg_row row);

/* Which value of an axis of its part a cell has. */
uint32_t cells_choice(const struct cells *cells, const struct cell *cell, uint32_t axis);

/* cells_like.c: does --rate of the cell have percentages? *closed: of the cell that they are of. */
bool cells_like_shares(const struct cells *cells, const struct cell *cell, uint32_t *closed);

/* cells_like.c, of cells_add(): puts that value in front. */
void cells_like_closed(struct axes *axes);

/* The value of an axis of its part. Valid as long as cells. */
const char *cells_value(const struct cells *cells, const struct cell *cell, uint32_t axis);

/* Accepts a zeroed one. */
void cells_free(struct cells *cells);

#endif
