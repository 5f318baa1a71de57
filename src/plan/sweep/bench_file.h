/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A scenario: a question, the expected kind of answer, and the matrices that answer it, in a file
 * NAME.bench of keywords:
 *
 *	# a comment
 *	title What it is, in a few words
 *	question What does ... cost?
 *	expect A sentence. Several lines are one text.
 *	run --test send_bw -s 64,4k --completion poll,event
 *	include OTHER
 *	rounds 3
 *	report --by completion
 *	norm draft-example-00
 *	clause 5.1 | for 60 s or more | window_ns >= 59s where test == write_bw
 *	clause 5.3 | bursts of several senders | - it needs more than a pair
 *
 * Each run line is a matrix: options of tests, with lists (cells.h). include adds the matrices of
 * another scenario. rounds: the number of times the matrices are measured, one round after the
 * other. report: options of "verbench report" that suit the rows; run prints them with the file.
 * norm: the document that the scenario follows; each clause: its number, what it asks for, and the
 * rules that rows must meet (tables.h, norm.c), or after "-" why it is not done.
 */
#ifndef BENCH_FILE_H
#define BENCH_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "sweep/cells.h"
#include "causes/nearest.h"

#define BENCH_ENV "VERBENCH_BENCH_PATH" /* a folder instead of the installed one */

/* Owned texts. */
struct bench_clause {
	char *number, *text;
	char *rules;          /* NULL: it is not done */
	char *why;            /* it is not done; else NULL */
};

struct bench {
	char *name;           /* of the file, without .bench */
	char *path;
	char *title;
	char *question;
	char *expect;         /* NULL: none */
	struct list report;   /* words; none: no report line */
	struct axes *runs;    /* one matrix each, with a test */
	uint32_t n_runs;
	uint32_t rounds;
	char *norm;           /* NULL: it follows none */
	struct bench_clause *clauses;
	uint32_t n_clauses;
};

/*
 * The file of a scenario: a text that contains "/" or ends in ".bench" is a path, else a name in
 * the folder. -ENOENT with an error message; the caller frees *path.
 */
int bench_find(const char *name, char **path) __attribute__((warn_unused_result));

/*
 * Reads a scenario. -EINVAL or -errno with an error message that begins with file and line; call
 * bench_free() only after 0.
 */
int bench_read(struct bench *bench, const char *path) __attribute__((warn_unused_result));

/* Which ones may be meant by a name that is none, as nearest_hint() tells it. */
const char *bench_meant(struct nearest *n, const char *name, const char *otherwise);

/* The names of the folder's scenarios, sorted. -errno with an error message. */
int bench_names(struct list *names) __attribute__((warn_unused_result));

/* Accepts a zeroed one. */
void bench_free(struct bench *bench);

#endif
