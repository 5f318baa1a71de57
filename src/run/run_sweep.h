/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder run: the command run, and a test whose options have lists: the cells of a sweep over one
 * session, what is said of them before, and their rows.
 *
 * This header: what is run, and the steps of the command.
 */
#ifndef RUN_SWEEP_H
#define RUN_SWEEP_H

#include <stdbool.h>

#include "command/command.h"
#include "run/pairs_list.h"
#include "sweep/bench_file.h"
#include "sweep/cells.h"

/* Zeroed before run_read(), but for the first four fields. */
struct run {
	const char *name;        /* of the command, borrowed */
	const char *scenario;    /* of a command that has its own; else NULL. Borrowed */
	void (*row)(void *arg, const struct row *row); /* told of every row; NULL: nobody is */
	void *row_arg;
	struct cfg cfg;          /* options of the whole run; texts are of line */
	const struct command_line *typed; /* borrowed */
	struct axes_line line;
	struct bench *scenarios; /* owned */
	uint32_t n_scenarios;
	struct cells cells;
	char *const *hosts;      /* operands of each cell */
	uint32_t n_hosts;
	struct pairs_list pairs; /* the same of the command run, but for --mcast; none in a test */
};

/* The command run, and a test with lists. Returns the exit status. */
int run_command(const struct command *cmd, const struct command_line *line);

/* Has the command line of a test a list, or an option of sweeps (--rounds, ...)? */
bool run_is_sweep(const struct command_line *line);

/*
 * Reads the command line. False: *status is the exit status, and what was wrong or asked for is
 * printed. run_free() is due in both cases. run_read.c
 */
bool run_read(struct run *run, const struct command *cmd, const struct command_line *line,
	      int *status) __attribute__((warn_unused_result));
void run_free(struct run *run);

/*
 * The command line of a cell as options of a test; texts are of cell and run. -EINVAL with an error
 * message, whose options are those of the cell: it cannot be run. run_read.c
 */
int run_cell_cfg(const struct run *run, struct cell *cell, struct cfg *cfg)
	__attribute__((warn_unused_result));

/* Measures what was read, or prints what would be. Returns the exit status. run.c */
int run_it(struct run *run);

/* Is standard output for people, and not for a format? run.c */
bool run_prints(const struct cfg *cfg);

/* The command compare-completion. Returns the exit status. run_completion.c */
int run_completion_command(const struct command *cmd, const struct command_line *line);

/* Measures all cells. Returns the exit status. run_cells.c */
int run_cells(const struct run *run);

/*
 * About how long a cell takes, in ns; *exact: by the time of its points, not by a number of
 * messages. *points: rows that it has at least. run_time.c
 */
double run_time_ns(const struct cfg *cfg, uint32_t *points, bool *exact);

/* --dry-run: prints the cells and how long they take. Returns the exit status. run_dry.c */
int run_dry(const struct run *run);

#endif
