/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room run: the command run, and a test whose options have lists: the cells of a sweep over one
 * session, what is said of them before, and their rows.
 *
 * This header: what is run, and the steps of the command.
 */
#ifndef RUN_SWEEP_H
#define RUN_SWEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "frame/command.h"
#include "run/knee.h"
#include "run/pairs.h"
#include "stats/series.h"
#include "sweep/bench_file.h"
#include "sweep/cells.h"
#include "write/output.h"

/* ---- until.c: --until, the width of intervals that ends a sweep */

/* Zeroed: it is not given. */
struct until {
	double percent;          /* 0: not given */
	uint32_t rounds;         /* at least */
	struct series_set figures; /* by row of a round: row_main_figure() of those that are ok */
};

/*
 * Reads --until and --max-rounds; cfg->rounds are the most rounds then. -EINVAL with an error
 * message.
 */
int until_read(struct until *u, struct cfg *cfg) __attribute__((warn_unused_result));

/* A row of the sweep. */
void until_take(struct until *u, const struct row *row);

/* Is half of every interval narrow enough? Series without an interval are not. */
bool until_reached(const struct until *u);

/* Says which are not, on standard error. Returns how many. */
size_t until_tell(const struct until *u);

/* ---- capacity.c: closed loops, and --rate in percent of them */

struct run;

/*
 * Messages per second of a closed loop: of a latency test, whose messages follow each other, the
 * inverse of the mean round trip. NAN: the row has none.
 */
double capacity_of_row(const struct row *row);

/* Checks the cells of a run with percentages. -EINVAL with an error message. */
int capacity_read(struct run *run) __attribute__((warn_unused_result));

/* The cells are about to be measured: from now on a percentage needs its capacity. */
void capacity_begin(struct run *run);

/* A row of the cell that is measured now; or before capacity_begin(), which is ignored. */
void capacity_take(struct run *run, const struct row *row);

/*
 * Makes a rate of a percentage in cell->cfg; before capacity_begin() some rate. -EINVAL with an
 * error message: the capacity is not known.
 */
int capacity_convert(const struct run *run, struct cell *cell)
	__attribute__((warn_unused_result));

/* ---- search.c: --find-knee, trials after the cell that measures the capacity */

/* What came of the cell that was measured last: the worst of its rows. */
struct search_seen {
	uint32_t rows;
	bool wrong;              /* a row is not ok, or says no capacity */
	double capacity_per_s;   /* of a closed loop */
	double p99_ns;           /* of an open loop; infinite: too few samples */
	bool saturated;
};

/* Zeroed: it is not asked for. */
struct search {
	bool on;
	struct row like;         /* of the closed loop, with the arrivals of the trials */
	bool arrives;            /* --arrival is given: that of the trials */
	enum arrival arrival;
	uint32_t full_ms;        /* duration of a full trial */
	bool begun;              /* the capacity is known */
	bool broken;             /* the capacity or a trial was not measured */
	double capacity_per_s;
	struct knee knee;
	struct search_seen seen;
};

/*
 * Reads --find-knee of a run with its cells. Its one cell loses --arrival: it is a closed loop.
 * -EINVAL with an error message.
 */
int search_read(struct run *run) __attribute__((warn_unused_result));

/* A row of the sweep. */
void search_take(struct search *search, const struct row *row);

/*
 * After a cell: adds the cell of the next trial, the last one of run->cells. False: no more are
 * needed.
 */
bool search_next(struct run *run) __attribute__((warn_unused_result));

/*
 * After the last trial: the row of what was found. False: a cell was not measured, and there is
 * none.
 */
bool search_row(const struct search *search, struct row *row);

/* Prints the knee to out, or says on standard error that there is none: then false. */
bool search_tell(const struct search *search, FILE *out);

/* ---- run.c */

/* Zeroed before run_read(), but for the first four fields. */
struct run {
	const char *name;        /* of the command, borrowed */
	const char *scenario;    /* of a command that has its own; else NULL. Borrowed */
	void (*row)(void *arg, const struct row *row); /* takes every row; NULL: none */
	void *row_arg;
	struct cfg cfg;          /* options of the whole run; texts are of argv */
	const struct command_line *typed; /* borrowed */
	char **argv;             /* the words of typed, in the order of the parser; owned */
	struct axes axes;        /* of the command line, until they are of cells; owned */
	struct bench *scenarios; /* owned */
	uint32_t n_scenarios;
	struct cells cells;
	struct until until;      /* figures owned */
	struct search search;
	double *capacities;      /* by cell; 0: not known. NULL: nothing is measured yet. Owned */
	uint32_t n_capacities;
	uint32_t measured;       /* the cell that is measured now */
	char *const *hosts;      /* operands of each cell */
	uint32_t n_hosts;
	struct pairs_list pairs; /* the same of the command run, but for --mcast; none in a test */
	struct background background; /* beside the probe of each cell, if pairs has bulk */
};

/* The command run, and a test with lists. Returns the exit status. */
int run_command(const struct command *cmd, const struct command_line *line);

/* Has the command line of a test a list, or an option of sweeps (--rounds, ...)? */
bool run_is_sweep(const struct command_line *line);

/*
 * Reads the command line. False: *status is the exit status, and what was wrong or asked for is
 * printed. run_free() is due in both cases.
 */
bool run_read(struct run *run, const struct command *cmd, const struct command_line *line,
	      int *status) __attribute__((warn_unused_result));
void run_free(struct run *run);

/*
 * Cell i of run->cells, with hosts in its cfg; free its text. -EINVAL with an error message: it
 * cannot be run.
 */
int run_cell(const struct run *run, uint32_t i, struct cell *cell)
	__attribute__((warn_unused_result));

/* Measures what was read, or prints what would be. Returns the exit status. */
int run_it(struct run *run);

/* The command compare-completion. Returns the exit status. */
int run_completion_command(const struct command *cmd, const struct command_line *line);

/*
 * Its own defaults, as texts by enum cfg_row; owned by the caller. NULL stays where it has none, or
 * its scenario cannot be read.
 */
void run_completion_defaults(char *defaults[]);

/* Measures all cells. Returns the exit status. */
int run_cells(struct run *run);

/* The row of a cell that was not measured: what its options say; everything else is absent. */
void run_row(struct row *row, const struct cfg *cfg, enum result_status status);

/* ---- the scenarios of the command run: which they are, their cells, their texts */

/* Reads them. -EINVAL, -errno with an error message. */
int run_scenarios_load(struct run *run, const char *const *names, uint32_t n)
	__attribute__((warn_unused_result));

/* Adds their cells; over: options of the command line. -EINVAL with an error message. */
int run_scenarios_cells(struct run *run, const struct axes *over)
	__attribute__((warn_unused_result));

void run_scenarios_free(struct run *run);

/* Title, question and what to expect, to standard output. */
void run_scenarios_print(const struct run *run);

/* Below the results: the commands that make their reports of the file with the rows. */
void run_scenarios_print_reports(const struct run *run);

/* --list: a line for each scenario of the folder. Returns the exit status. */
int run_scenarios_list(void);

/* ---- what people see of the cells while they are measured, and how long a cell takes */

/* About how long a cell takes, in ns, and how many points it has at least. Knows no device. */
double run_time_ns(const struct cfg *cfg);
uint32_t run_time_points(const struct cfg *cfg);

/* A zeroed one is at the beginning. */
struct run_show {
	double *cells_ns;        /* by cell: run_time_ns(); 0: it cannot be run; owned */
	double expected_ns;      /* of all cells that are measured */
	double passed_ns;        /* of those that were begun, without the current one */
	double cell_ns;          /* of the current one */
	uint64_t begin_ns;       /* clock_ns() */
	uint64_t shown_ns;        /* when a line was printed last */
	char progress[64];
};

/*
 * A cell begins. Without a terminal a line is printed now and then. Returns
 * what goes before the progress of its points: "3 of 69, 20 s left, "; valid until the next call.
 */
const char *run_show_cell(struct run_show *show, const struct run *run, const struct cell *cell);

/* Hands the cell to the outputs, with its options that have several values. */
void run_show_axes(const struct run *run, const struct cell *cell, struct output *output);

/* After the last cell, with --verbose: how long they took, and what --dry-run says. */
void run_show_end(const struct run_show *show, const struct run *run);

/* "90 s", "12 min", "3.5 h", "without end". Returns text. */
const char *run_show_time(double ns, char *text, size_t size);

/*
 * ---- a sweep that goes on where an earlier run of it ended (--resume), and the file FILE.run.json
 * beside its CSV file that says which sweep the rows are of: version, command line, cells, and the
 * facts of both hosts. It is written before the first row, and again when the hosts are known.
 */

/* A cell by name, as its rows have it. */
struct resume_name {
	char *key;     /* "SCENARIO\nCELL"; owned */
	uint32_t cell; /* number of the cell, in the order in which they are measured */
};

/* Zeroed: no file. */
struct resume {
	const struct run *run; /* borrowed */
	char *path;            /* of the file beside the rows; NULL: there is none. Owned */
	json_t *doc;           /* what it says, or will say. Owned */
	struct resume_name *names; /* of the cells, sorted; NULL: not needed. Owned */
	uint32_t n_names;      /* trials add cells later, which have none */
	bool *done;            /* by cell; NULL: none is. Owned */
	uint32_t n_done, n_ok; /* cells with rows; of these with a row that is ok */
	bool dirty;            /* doc is not written yet */
	bool other_hosts;      /* resume_approve() said no */
	int fd;                /* of the file, with its lock; -1: none */
};

/*
 * Before anything runs. With --resume: is the file of this sweep? Takes out the rows of cells that
 * are not complete, but for --dry-run, which changes nothing. -errno with an error message: the
 * file is as before. resume_close() is due in both cases.
 */
int resume_open(struct resume *r, const struct run *run) __attribute__((warn_unused_result));
void resume_close(struct resume *r);

/* Has the cell all of its rows? */
bool resume_has(const struct resume *r, uint32_t cell);

/*
 * A plan is agreed: are these the hosts and devices of the rows? -ECANCELED with an error message:
 * no. arg: struct resume.
 */
int resume_approve(void *arg, const struct event_plan *run) __attribute__((warn_unused_result));

/* Before rows are written. -errno with an error message: they must not be. */
int resume_write(struct resume *r) __attribute__((warn_unused_result));

/* For resume_rows.c: the key of a name, cut as the columns of a row are. Returns key. */
#define RESUME_KEY (ROW_NAME + ROW_TEXT)
const char *resume_key(char key[RESUME_KEY], const char *scenario, const char *text);

/*
 * Reads the rows of the CSV file, sets r->done, and takes out the rows of other measurements of
 * these cells.
 */
int resume_rows(struct resume *r) __attribute__((warn_unused_result));

#endif
