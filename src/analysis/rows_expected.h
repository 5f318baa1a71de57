/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* --expect on the rows of files. */
#ifndef ROWS_EXPECTED_H
#define ROWS_EXPECTED_H

#include "rows/expect.h"
#include "rows/rows.h"

/*
 * Compares all rows, which have the columns of the rules, all settings and the status; skip:
 * measured_skip(). *met: the rules are met. -ENOMEM with an error message. The lines are in
 * expect->text.
 */
int rows_expected(struct expect *expect, const struct rows *rows, const bool *skip, bool *met)
	__attribute__((warn_unused_result));

#endif
