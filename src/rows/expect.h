/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* --expect: rules, the rows that they were compared with, and a line of text for each of both. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>

#include "rows/condition.h"

#define EXPECT_LABEL "--expect"

/* Zeroed: not open. */
struct expect {
	struct condition_rules rules;
	size_t *matched;         /* by rule: rows that it is about; owned */
	size_t passed, failed;   /* comparisons */
	size_t strangers;        /* rows that no rule selects */
	FILE *lines;             /* writes to text */
	char *text;              /* owned */
	size_t len;
};

/* -EINVAL with an error message: wrong rules. expect_close() is due after success. */
int expect_open(struct expect *e, const char *rules) __attribute__((warn_unused_result));
void expect_close(struct expect *e);

/* name: the row in words. status: of the row, "ok" or another one. */
struct expect_row {
	const char *name, *status;
	struct condition_row values;
};

/* Compares a row with all rules. */
void expect_row(struct expect *e, const struct expect_row *row);

/* After the last row: *met: every rule had a row, and no row failed. -ENOMEM. */
int expect_end(struct expect *e, bool *met) __attribute__((warn_unused_result));

#endif
