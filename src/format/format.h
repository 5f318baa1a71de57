/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder format: where rows go: CSV, JSON and other formats, their files, and which of them a run
 * has.
 *
 * This header: what a format is: the table for people, CSV, JSON. A format is a file
 * format_NAME.c and a row of config/formats.def. It learns of the start of a run, of every point
 * and row, and of the end. A failed run is written too.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "plan/plan.h"
#include "ep/ep.h"
#include "worker/result.h"
#include "report/row.h"

/* One of the receivers of a multicast group. */
struct format_receiver {
	const char *name;   /* as the column receiver */
	const struct limits *limits;
	uint32_t gid_index;
};

/* How people want it on their screen. */
struct format_screen {
	int width;          /* columns of a line; 0: SCREEN_COLUMNS */
	bool wide;          /* all columns of the table, whatever the width is */
	bool verbose, quiet;
};

/* What a run looks like before its first row. */
struct format_run {
	const struct plan *plan;
	const struct limits *self, *peer;
	enum side side;
	const struct format_receiver *receivers; /* peer is the first */
	uint32_t n_receivers; /* 0: not the sender of a multicast group */
	uint32_t pair;      /* of several pairs that run at the same time, from 0 */
	uint32_t n_pairs;   /* that run at once, of which this is the first; 0, 1: it is alone */
	json_t *options;    /* the test options as the client gave and resolved them; borrowed */
	struct format_screen screen; /* set by output_start() */
	const char *client; /* of a server of many: the address of the client; NULL unknown */
};

/* The addresses of the QPs of one thread. */
struct format_endpoint {
	const struct ep_addr *own, *peer;
};

/* A cell of a sweep. Nothing of it is valid after the call. */
struct format_cell {
	uint32_t index, of;        /* from 0, in the order of measuring; how many there are */
	const char *text;          /* the columns cell and scenario; scenario NULL: none */
	const char *scenario;
	uint32_t n_axes;           /* options with several values */
	const char *const *names;  /* of them: "completion" */
	const char *const *values; /* of this cell; "" of a bool that is off */
	const int *widths;         /* of the longest value */
	uint32_t n_pairs;          /* that are measured at once */
	int pair_width;            /* of the longest name of a pair */
	struct format_screen screen; /* set by output_cell() */
};

/* How a run ended. */
struct format_end {
	const char *status; /* NULL: that of its rows; else "failed", "refused" or "interrupted" */
	const char *error;  /* why, NULL: no error */
};

/* How a file is opened: bits. */
enum {
	FORMAT_SHARED = 1u << 0,   /* sessions of a server, or plans of one session, add */
	FORMAT_ANEW = 1u << 1,     /* --csv-new: a CSV file loses its old rows */
	FORMAT_FORCE = 1u << 2,    /* --force: the file may be replaced, whatever it is */
	FORMAT_HELD = 1u << 3      /* a sweep: one write at cell_end has all results of a cell */
};

/* What standard output shows, if no option asks for another format there. */
enum format_shows {
	FORMAT_SHOWS_TABLE,
	FORMAT_SHOWS_PINGPONG,  /* the command pingpong */
	FORMAT_SHOWS_SESSIONS,  /* a server of many clients: one line for each plan */
	FORMAT_SHOWS_SWEEP,     /* a sweep: one table for all cells */
	FORMAT_SHOWS_NOTHING
};

/*
 * state is the format's, made by open and freed by close. NULL in place of a function: the format
 * has nothing to do then. path is borrowed until close; "-" is standard output.
 */
struct format {
	enum format_shows shows; /* of a format of standard output */
	/* Before anything runs: can it be written? -errno with an error message. */
	int (*check)(const char *path, unsigned int how);
	/*
	 * For a server, when it listens: what is to be done once, and not by each session. -errno
	 * with an error message.
	 */
	int (*prepare)(const char *path, unsigned int how);
	/* -errno with an error message; *state is then NULL. */
	int (*open)(void **state, const char *path, unsigned int how);
	/* A cell of a sweep begins; its start follows, unless it is skipped. */
	void (*cell)(void *state, const struct format_cell *cell);
	void (*start)(void *state, const struct format_run *run);
	/* Of each thread of a point, before its loop runs. */
	void (*endpoint)(void *state, const struct format_endpoint *endpoint);
	/* Of one point on this side, before its rows: thread by thread and QP by QP. */
	void (*point)(void *state, const struct point *point, const struct result_detail *detail);
	void (*row)(void *state, const struct row *row);
	/* -errno with an error message: the rows of the cell are not written. */
	int (*cell_end)(void *state);
	void (*end)(void *state, const struct format_end *end);
	int (*close)(void *state); /* -errno with an error message: something was not written */
};

#endif
