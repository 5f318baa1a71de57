/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a format is: the table for people, CSV, JSON. A format is a file format_NAME.c and a row of
 * config/formats.def. It learns of the start of a run, of every point and row, and of the end. A
 * failed run is written too.
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
	json_t *options;    /* the test options as the client gave and resolved them; borrowed */
	struct format_screen screen; /* set by output_start() */
};

/* The addresses of the QPs of one thread. */
struct format_endpoint {
	const struct ep_addr *own, *peer;
};

/*
 * state is the format's, made by open and freed by close. NULL in place of a function: the format
 * has nothing to do then. path is borrowed until close; "-" is standard output.
 */
struct format {
	bool pingpong; /* for standard output: of the command pingpong, not of the tests */
	/* For a server of many sessions: empties the file before the first of them. */
	int (*prepare)(const char *path);
	/*
	 * adds: the file is shared by sessions, this one adds to it. -errno with an error message;
	 * *state is then NULL.
	 */
	int (*open)(void **state, const char *path, bool adds);
	void (*start)(void *state, const struct format_run *run);
	/* Of each thread of a point, before its loop runs. */
	void (*endpoint)(void *state, const struct format_endpoint *endpoint);
	/* Of one point on this side, before its rows: thread by thread and QP by QP. */
	void (*point)(void *state, const struct point *point, const struct result_detail *detail);
	void (*row)(void *state, const struct row *row);
	void (*error)(void *state, const char *text); /* why the run failed */
	int (*close)(void *state); /* -errno with an error message: something was not written */
};

/* A file that is written as rows come, for formats: remembers the first write that failed. */
struct format_file {
	FILE *out;
	const char *path;   /* as given, borrowed */
	const char *what;   /* "CSV": for error messages */
	int err;            /* -errno */
};

/* mode as of fopen(3). -errno with an error message. */
int format_file_open(struct format_file *f, const char *path, const char *mode)
	__attribute__((warn_unused_result));
/* A killed run keeps what was written before this. */
void format_file_flush(struct format_file *f);
/* -errno with an error message when a write failed. Standard output stays open. */
int format_file_close(struct format_file *f) __attribute__((warn_unused_result));

#endif
