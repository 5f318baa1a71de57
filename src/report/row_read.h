/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads rows back from a file of CSV or JSON; the first character of the file decides which. */
#ifndef ROW_READ_H
#define ROW_READ_H

#include <stddef.h>

#include "report/row.h"

struct row_list {
	struct row *rows;   /* owned: row_list_free() */
	size_t n;
};

/*
 * Reads all rows of a file: CSV, JSON documents one after the other (the sessions of a server), or
 * JSON objects that are one row each. Columns go by name: an unknown one is ignored, a missing one
 * is absent. -errno when the file cannot be read; -EBADMSG when it is no file of results, is
 * truncated or holds a wrong value. The error message names file, line (a wrong value in JSON:
 * document and row) and reason. *list is empty on failure.
 */
int row_read(struct row_list *list, const char *path) __attribute__((warn_unused_result));

/* Accepts a zeroed or freed one. */
void row_list_free(struct row_list *list);

#endif
