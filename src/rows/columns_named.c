/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns lists of names of columns; see columns_named.h. Pure. */
#include "config.h"
#include "rows/columns_named.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"

#define NAME 64

bool columns_have(const struct columns_named *columns, enum rows_column column)
{
	for (size_t i = 0; i < columns->n; i++)
		if (columns->all[i] == column)
			return true;
	return false;
}

int columns_named(struct columns_named *columns, const char *option, const char *text)
{
	columns->n = 0;
	for (const char *at = text; at; at = *at ? at + 1 : NULL) {
		const size_t len = strcspn(at, ",");
		enum rows_column column;
		char name[NAME];

		snprintf(name, sizeof(name), "%.*s", (int)(len < NAME ? len : NAME), at);
		column = rows_find(name);
		if (column == ROWS_COLUMNS)
			return err_set(-EINVAL, "%s \"%s\": not the name of a column (docs/schema.md)",
				       option, name);
		if (columns_have(columns, column))
			return err_set(-EINVAL, "%s: the column %s is given twice", option, name);
		columns->all[columns->n++] = column;
		at += len;
		if (!*at)
			break;
	}
	return 0;
}
