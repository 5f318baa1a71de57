/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder table: the table that people read: the lines above it, its columns, the notes below it. It
 * is a format (format/format.h). Scripts read CSV or JSON; nothing here is meant for them.
 *
 * This header: the columns, in three layouts: the narrow one fits SCREEN_COLUMNS with a mark behind
 * each row, the wide one has all columns, the brief one is for the table of a sweep. A line below a
 * row has what the narrow layout has no room for. For format_table.c and format_sweep.c.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#include "format/format.h"

/* Which columns a table has: by the plan. */
struct columns {
	unsigned int has;      /* bits of columns.c */
	bool wide, brief;
	int bytes_width;       /* of the sizes */
	int messages_width;
	int receiver_width;    /* of the names of the receivers of a group */
	int width;             /* of a row without its marks */
	const char *sample;    /* of a latency test: what one sample is */
};

/* The wide layout if the screen has room for it. */
void columns_choose(struct columns *c, const struct format_run *run);

/* The layout of a sweep, with room for other columns before it; the wide one with --wide. */
void columns_choose_brief(struct columns *c, const struct format_run *run);

/* Two lines: what heads have in common, and the heads. */
void columns_print_heads(FILE *out, const struct columns *c);
/* Each of them. */
void columns_print_groups(FILE *out, const struct columns *c);
void columns_print_names(FILE *out, const struct columns *c);

/* The cells of a row, without the newline. */
void columns_print_row(FILE *out, const struct columns *c, const struct row *row);

/* The line below the row, if it needs one; width: where it is broken. */
void columns_print_below(FILE *out, const struct columns *c, const struct row *row, int width);

/*
 * The percentiles that the layout shows: which of them the row lacks, and the samples that they
 * need, as "p99.9 needs 10000"; "": none is missing. Returns text.
 */
const char *columns_missing(const struct columns *c, const struct row *row, char *text,
			    size_t size);

#endif
