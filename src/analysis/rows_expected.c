/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how the rows of files meet rules; see rows_expected.h. Called by report.c. */
#include "config.h"
#include "analysis/rows_expected.h"

#include <math.h>
#include <stdio.h>

#include "rows/axes.h"

#define NAME_TEXT 512

struct one {
	const struct rows *rows;
	size_t row;
};

static struct condition_value get(const void *obj, size_t column)
{
	const struct one *one = obj;
	char buf[ROWS_TEXT];

	if (rows_is_number((enum rows_column)column))
		return (struct condition_value){
			.number = rows_number(one->rows, (enum rows_column)column, one->row),
			.text = "",
		};
	/* a text is kept as a word, so it is not in buf */
	return (struct condition_value){
		.number = NAN,
		.text = rows_text(one->rows, (enum rows_column)column, one->row, buf),
	};
}

/* "send_lat RC event 64": the settings that tell the rows from each other. */
static void name_row(const struct one *one, const struct columns_named *axes_named,
		     char text[NAME_TEXT])
{
	char buf[ROWS_TEXT];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < axes_named->n && len < NAME_TEXT; i++) {
		const char *value = rows_text(one->rows, axes_named->all[i], one->row, buf);

		if (value[0])
			len += (size_t)snprintf(text + len, NAME_TEXT - len, "%s%s",
						len ? " " : "", value);
	}
}

int rows_expected(struct expect *expect, const struct rows *rows, const bool *skip, bool *met)
{
	struct columns_named swept, named = { .n = 0 };
	int rc = axes_swept_without(rows, skip, &named, &swept);

	if (rc)
		return rc;
	for (size_t i = 0; i < axes_n; i++)
		if (axes[i].flags & AXES_SHOWN || columns_have(&swept, axes[i].column))
			named.all[named.n++] = axes[i].column;
	for (size_t row = 0; row < rows->n; row++) {
		struct one one = { .rows = rows, .row = row };
		char name[NAME_TEXT], status[ROWS_TEXT];
		const struct expect_row values = {
			.name = name, .status = rows_text(rows, ROWS_status, row, status),
			.values = { .get = get, .obj = &one },
		};

		name_row(&one, &named, name);
		expect_row(expect, &values);
	}
	return expect_end(expect, met);
}
