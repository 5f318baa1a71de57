/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where results go: the table, CSV and JSON that the options ask for, opened before anything runs.
 */
#ifndef OUT_H
#define OUT_H

#include "cfg.h"
#include "fmt.h"

struct out {
	bool table_wanted;  /* not when CSV or JSON goes to standard output */
	bool spaced;        /* an empty line after it: other sessions' tables follow */
	struct fmt_table table;
	struct fmt_csv csv;
	struct fmt_json json;
};

/*
 * For a server of many: the files emptied and the CSV's header written before the first session;
 * cfg->adds then makes each session add to them. -errno with a sentence.
 */
int out_prepare(const struct cfg *cfg) __attribute__((warn_unused_result));

int out_open(struct out *out, const struct cfg *cfg) __attribute__((warn_unused_result));
void out_start(struct out *out, const struct fmt_run *run);
/* Before its rows. */
void out_point(struct out *out, const struct point *point, const struct result_detail *detail);
void out_row(struct out *out, const struct row *row);

/*
 * error: why the run failed, NULL when it did not. -errno with a sentence: results could not be
 * written.
 */
int out_close(struct out *out, const char *error) __attribute__((warn_unused_result));

#endif
