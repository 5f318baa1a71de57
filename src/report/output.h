/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Where results go: the formats that the options ask for, opened before anything runs. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "config/cfg.h"
#include "report/formats.h"

struct output {
	void *states[FORMATS_MAX]; /* by format; NULL: not open */
	struct format_screen screen;
};

/*
 * For a server of many sessions: empties the files before the first session; with cfg->adds each
 * session then adds to them. -errno with an error message.
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

/*
 * error: why the run failed, NULL when it did not. -errno with an error message: results were not
 * written. Accepts a zeroed or closed one.
 */
int output_close(struct output *out, const char *error) __attribute__((warn_unused_result));

#endif
