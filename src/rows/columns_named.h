/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Columns as the user names them in an option: "size_bytes,completion". */
#ifndef COLUMNS_NAMED_H
#define COLUMNS_NAMED_H

#include "rows/rows.h"

struct columns_named {
	enum rows_column all[ROWS_COLUMNS];
	size_t n;
};

/*
 * -EINVAL with an error message that begins with the option: a name that is no column, given twice,
 * or empty. text NULL: none.
 */
int columns_named(struct columns_named *columns, const char *option, const char *text)
	__attribute__((warn_unused_result));

bool columns_have(const struct columns_named *columns, enum rows_column column);

#endif
