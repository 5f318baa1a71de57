/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A matrix as a command line has it: each option of a test with the list of its values. The words
 * are all that is known of them: whether the values of a cell go together is found out by
 * options_parse() and by the plan.
 */
#ifndef AXES_H
#define AXES_H

#include <stdbool.h>
#include <stdint.h>

#include "config/options.h"
#include "sweep/list.h"

/* An option with its values. */
struct axis {
	enum cfg_row row;     /* never an alias; CFG_ROW_tests: the test itself */
	struct list values;   /* at least one; of a bool "on" and "off" */
};

/* A zeroed one is empty. */
struct axes {
	struct axis *of;      /* in the order of the command line */
	uint32_t n;
};

/* A command line without lists: the first value of each stands for it. */
struct axes_line {
	int argc;
	char **argv;          /* owned, with a NULL at the end */
};

/*
 * Reads argv[1..]. *axes: the options of a test, with their values. *line: the whole command line
 * for options_parse_all(), which finds what is wrong with single words; operands are at its end.
 * -EINVAL with an error message: a wrong list; both are
 * then empty.
 */
int axes_read(struct axes *axes, struct axes_line *line, int argc, char *const *argv)
	__attribute__((warn_unused_result));

/* Has the command line of a test a list, or an option of sweeps? By the form of its words alone. */
bool axes_make_sweep(int argc, char *const *argv);

/*
 * The axes of over replace those of axes; those that are not there become the last ones. What
 * excludes an option of over (--size and --all, --messages and --duration) goes. -ENOMEM with an
 * error message.
 */
int axes_override(struct axes *axes, const struct axes *over) __attribute__((warn_unused_result));

/* Adds an axis of one value. -ENOMEM with an error message. */
int axes_add(struct axes *axes, enum cfg_row row, const char *value)
	__attribute__((warn_unused_result));

/* NULL: no such axis. */
const struct axis *axes_find(const struct axes *axes, enum cfg_row row);

/* How many cells: at most LIST_MAX. -EINVAL with an error message: more than that. */
int axes_count(const struct axes *axes, uint32_t *n) __attribute__((warn_unused_result));

/* Is the option about where, how or with whom to measure, but not part of what a cell is? */
bool axes_is_outside(enum cfg_row row);

/* Accept zeroed ones. */
void axes_free(struct axes *axes);
void axes_line_free(struct axes_line *line);

#endif
