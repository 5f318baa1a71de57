/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* --expect on the rows of a run: what they are compared with, and the lines that come of it. */
#ifndef EXPECTED_H
#define EXPECTED_H

#include <stdbool.h>

#include "config/cfg.h"
#include "report/row.h"
#include "rows/expect.h"

/* -EINVAL with an error message: the rules of the option are not well written. Without it 0. */
int expected_check(const struct cfg *cfg) __attribute__((warn_unused_result));

/* Zeroed: no row came. */
struct expected {
	struct expect expect;
	bool open;
	bool failed;   /* no memory; the error was logged */
};

/* A row of results: not one of an interval. Nothing without --expect. */
void expected_row(struct expected *expected, const struct cfg *cfg, const struct row *row);

/*
 * After the last row: prints the lines to standard output, or to standard error if CSV or JSON go
 * there. Were the rules met? Without --expect: yes. Frees what it has.
 */
bool expected_end(struct expected *expected, const struct cfg *cfg)
	__attribute__((warn_unused_result));

#endif
