/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Where results go: the formats that the options ask for, checked before anything runs. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "config/cfg.h"
#include "format/formats.h"

struct output {
	void *states[FORMATS_MAX]; /* by format; NULL: not open */
	struct format_screen screen;
};

/*
 * Before anything runs: can every file be written, and is none of them named twice? -errno with an
 * error message that says what to do; -EEXIST: named twice. Touches nothing.
 */
int output_check(const struct cfg *cfg) __attribute__((warn_unused_result));

/* The second half of it, of any rows. */
int output_check_same(const struct cfg *cfg) __attribute__((warn_unused_result));

/*
 * For a server, when it listens: what the options ask for once, and not in each session (--csv-new,
 * --force). -errno with an error message.
 */
int output_prepare(const struct cfg *cfg) __attribute__((warn_unused_result));

/* -errno with an error message; output_close() is due all the same. */
int output_open(struct output *out, const struct cfg *cfg) __attribute__((warn_unused_result));
void output_start(struct output *out, const struct format_run *run);
/* Of each thread, before the point runs. */
void output_endpoint(struct output *out, const struct format_endpoint *endpoint);
/* Before its rows. */
void output_point(struct output *out, const struct point *point,
		  const struct result_detail *detail);
void output_row(struct output *out, const struct row *row);
/* Before and after what belongs to a cell of a sweep; cfg->sweep of output_open(). */
void output_cell(struct output *out, const struct format_cell *cell);
/* -errno with an error message: a row of the cell is not written. */
int output_cell_end(struct output *out) __attribute__((warn_unused_result));

/* -errno with an error message: results were not written. Accepts a zeroed or closed one. */
int output_close(struct output *out, const struct format_end *end)
	__attribute__((warn_unused_result));

#endif
