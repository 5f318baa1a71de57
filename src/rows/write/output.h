/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room write: where rows go: CSV, JSON and other formats, their files, and which of them a run
 * has.
 *
 * This header: what a format is, and the formats that the options of a run ask for, checked before
 * anything runs. A format is a file format_NAME.c and a row of options/formats.def. It takes the
 * events of a run (row/event.h). A failed run is written too.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

#include "file/append.h"
#include "options/cfg.h"
#include "row/event.h"

/* How people want it on their screen. */
struct format_screen {
	int width;          /* columns of a line */
	bool wide;          /* all columns of the table, whatever the width is */
	bool verbose, quiet;
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
	FORMAT_SHOWS_SETUP,     /* the command setup */
	FORMAT_SHOWS_NOTHING
};

/* The rows of a run: of a test, of setup or of a check. */
struct format_rows {
	const struct field_table *table; /* has a column status */
	uint64_t schema;
	enum format_shows shows; /* but for tests, whose options decide it */
	const char *harmless; /* the status of a row that makes its run no worse, beside ok */
	bool of_tests;        /* they have intervals, and points with threads */
};
extern const struct format_rows output_rows_tests;

struct format_line;

/* What is opened. path is borrowed until close; "-" is standard output. */
struct format_file {
	const char *path;
	FILE *out;               /* for a format without an option, in place of path; borrowed */
	unsigned int how;
	const struct format *format;
	struct format_screen screen;
	const struct format_rows *rows;
};

struct format {
	enum format_shows shows; /* of a format of standard output */
	const struct format_line *line; /* of FORMAT_OF_LINES */
	size_t size;             /* of its state, which is zeroed before open */
	/* Before anything runs: can it be written? -errno with an error message. NULL: yes. */
	int (*check)(const struct format_file *file);
	/*
	 * For a server, when it listens: what is to be done once, and not by each session. -errno
	 * with an error message. NULL: nothing.
	 */
	int (*prepare)(const struct format_file *file);
	/* -errno with an error message; close is not called then. */
	int (*open)(void *state, const struct format_file *file);
	/* -errno with an error message: of EVENT_CELL_END only. */
	int (*take)(void *state, const struct event *event);
	/* -errno with an error message: something was not written. NULL: nothing to close. */
	int (*close)(void *state);
};

/* format_table, format_csv, ... */
#define FORMAT(name, takers, of, text) extern const struct format format_##name;
#define FORMAT_STDOUT(name) extern const struct format format_##name;
#include "options/formats.def"

#define FORMAT(name, takers, of, text) OUTPUT_##name,
#define FORMAT_STDOUT(name) OUTPUT_##name,
enum {
#include "options/formats.def"
	OUTPUT_N
};

extern const struct format *const output_formats[OUTPUT_N];

/* Makes the state of a format and opens it. -errno with an error message: *state is NULL. */
int output_begin(void **state, const struct format *format, const struct format_file *file)
	__attribute__((warn_unused_result));
/* Closes and frees it. -errno with an error message: something was not written. */
int output_end(void *state, const struct format *format) __attribute__((warn_unused_result));

/* The file of format i, "-" for standard output, NULL: not asked for. */
const char *output_path(size_t i, const struct cfg *cfg);

/* Is standard output for people? No option sends there what programs read. */
bool output_for_people(const struct cfg *cfg);

/* ---- files of lines: format_lines.c */

/* A format that adds a line per row (file/append.h). */
struct format_line {
	struct append_kind kind;
	/* The line of a row, which ends in a newline; obj NULL: the line of names. */
	void (*print)(FILE *out, const struct field_table *table, const void *obj);
	bool has_names;  /* the first line has the names of the columns */
};

int format_lines_check(const struct format_file *file);
int format_lines_prepare(const struct format_file *file);
int format_lines_open(void *state, const struct format_file *file);
int format_lines_take(void *state, const struct event *event);
int format_lines_close(void *state);

struct format_lines_state {
	const struct format_rows *rows;
	const struct format_line *line;
	char *head;          /* owned; NULL: no line of names */
	struct append append;
	bool held;           /* lines are kept until EVENT_CELL_END */
	char *kept;          /* owned; NULL: none */
	size_t kept_len;
	int rc;              /* of the first line that could not be added */
	char error[ERR_TEXT_MAX];
};

#define FORMAT_OF_LINES(l) .line = (l), .size = sizeof(struct format_lines_state), \
	.check = format_lines_check, .prepare = format_lines_prepare, .open = format_lines_open, \
	.take = format_lines_take, .close = format_lines_close

/* ---- JSON */

/*
 * A run is refused before its formats are open: an old document of path says so. Where none is,
 * none is made. -errno with an error message: it was not replaced, or it is no document of a run.
 */
int format_json_refused(const char *path, const char *error) __attribute__((warn_unused_result));

/* ---- all that a run has open */

struct output {
	void *states[OUTPUT_N]; /* by format; NULL: not open */
};

/*
 * Before anything runs: can every file be written, and is none of them named twice? -errno with an
 * error message that says what to do; -EEXIST: named twice. Touches nothing.
 */
int output_check(const struct cfg *cfg) __attribute__((warn_unused_result));

/*
 * For a server, when it listens: what the options ask for once, and not in each session (--csv-new,
 * --force). -errno with an error message.
 */
int output_prepare(const struct cfg *cfg) __attribute__((warn_unused_result));

/* -errno with an error message; output_close() is due all the same. */
int output_open(struct output *out, const struct cfg *cfg) __attribute__((warn_unused_result));
/* -errno with an error message, of EVENT_CELL_END only: a row of the cell is not written. */
int output_take(struct output *out, const struct event *event);
/* The same, but for one format, whose file has it already. */
int output_take_others(struct output *out, size_t but, const struct event *event);

/* -errno with an error message: results were not written. Accepts a zeroed or closed one. */
int output_close(struct output *out, const struct event_end *end)
	__attribute__((warn_unused_result));

#endif
