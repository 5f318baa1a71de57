/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Rows of files as struct row, for what works on rows that are measured now. */
#ifndef ROWS_ROW_H
#define ROWS_ROW_H

#include "report/row.h"

/*
 * Calls take with each row of a file of rows, in their order. -errno or -EBADMSG with an error
 * message as rows_load(); take was then not called, or not with all of them.
 */
int rows_row_each(const char *path, void (*take)(void *arg, const struct row *row), void *arg)
	__attribute__((warn_unused_result));

#endif
