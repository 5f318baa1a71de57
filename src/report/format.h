/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The formatters: table (for people, standard output), CSV, JSON. Each is told of the run's start,
 * of every row, and of its end; a failed run is written too. Only the ones asked for are open. All
 * calls but open accept a zeroed struct and do nothing with it; end and close may be repeated.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "plan/plan.h"
#include "loop/result.h"
#include "report/row.h"

/* What a run looks like before its first row. */
struct format_run {
	const struct plan *plan;
	const struct limits *self, *peer;
	enum side side;
	json_t *options;    /* the test options as the client gave and resolved them; borrowed */
};

/* Which figures a table has: by the plan's pattern. lossy: messages may be lost and are counted. */
struct format_table {
	FILE *out;
	bool lat, lossy, bidir;
	uint32_t lines;     /* rows printed */
	FILE *notes;        /* footnotes, gathered in text until the end */
	char *text;
	size_t text_len;
	uint32_t n_notes;
};

struct format_csv {
	FILE *out;
	const char *path;   /* as given, borrowed */
	int err;            /* of the first write that failed, -errno */
};

struct format_json {
	FILE *out;
	json_t *doc;
	const char *path;   /* as given, borrowed */
	char *temp;         /* what is written until the rename; NULL: path itself */
	bool line;          /* one document a line */
};

/* Nothing of run is kept. */
void format_table_start(struct format_table *t, FILE *out, const struct format_run *run);
void format_table_row(struct format_table *t, const struct row *row);
void format_table_end(struct format_table *t);

/*
 * "-": standard output. The header line is written at once, every row as it comes, so that a killed
 * run keeps what was measured. -errno with a sentence; a failed write is told by close.
 */
int format_csv_open(struct format_csv *c, const char *path) __attribute__((warn_unused_result));

/* Adds to what is there, header line and all: the sessions of one server. */
int format_csv_add(struct format_csv *c, const char *path) __attribute__((warn_unused_result));
void format_csv_row(struct format_csv *c, const struct row *row);
int format_csv_close(struct format_csv *c) __attribute__((warn_unused_result));

/*
 * One document per run, {"schema", "tool_version", "error", "run": {...}, "rows": [...],
 * "points": [...]}, written whole at close: into a file beside path, renamed to it when complete,
 * so that path never holds half a document. What is not a regular file ("-", a pipe, a device) is
 * written directly.
 */
int format_json_open(struct format_json *j, const char *path) __attribute__((warn_unused_result));

/* Adds one document on a line of its own (JSON Lines): the sessions of one server. */
int format_json_add(struct format_json *j, const char *path) __attribute__((warn_unused_result));
void format_json_start(struct format_json *j, const struct format_run *run);
void format_json_row(struct format_json *j, const struct row *row);
/* Of one point on this side: thread by thread and QP by QP. */
void format_json_point(struct format_json *j, const struct point *point,
		    const struct result_detail *detail);
void format_json_error(struct format_json *j, const char *sentence); /* why the run failed */
int format_json_close(struct format_json *j) __attribute__((warn_unused_result));

#endif
