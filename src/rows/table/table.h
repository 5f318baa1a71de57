/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room table: the table that people read: the lines above it, its columns, the notes below it. It
 * is a format (write/output.h). Scripts read CSV or JSON; nothing here is meant for them.
 *
 * This header: its three parts, for format_table.c and format_sweep.c.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "write/output.h"

/*
 * ---- columns, in three layouts: the narrow one fits SCREEN_COLUMNS with a mark behind each row,
 * the wide one has all columns, the brief one is for the table of a sweep. A line below a row has
 * what the narrow layout has no room for.
 */

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
void columns_choose(struct columns *c, const struct event_plan *run,
		    const struct format_screen *screen);

/* The layout of a sweep, with room for other columns before it; the wide one with --wide. */
void columns_choose_brief(struct columns *c, const struct event_plan *run,
			  const struct format_screen *screen);

/* The two lines of heads: what several have in common, and their names. */
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

/*
 * ---- notes below a table: footnotes, which a mark behind their rows names, and plain notes. They
 * are gathered until the end of the table; the same text is one note. With --quiet there are none.
 */

#define FOOTNOTES_ROW 4 /* of one row */

struct footnotes {
	struct format_screen screen;
	char **texts;            /* the footnotes: texts[0] is [1] */
	uint32_t n;
	char **plain;
	uint32_t n_plain;
	uint32_t marks[FOOTNOTES_ROW]; /* of the row that is printed next */
	uint32_t n_marks;
};

/* Nothing of screen is kept. */
void footnotes_open(struct footnotes *f, const struct format_screen *screen);

/* Of the row that is printed next. */
void footnotes_add(struct footnotes *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The same; text is a list that is joined by "; ". Without --verbose and --wide it has one line: as
 * much of the list as fits, and how many there are more.
 */
void footnotes_add_list(struct footnotes *f, const char *text);

/* Of the whole table. */
void footnotes_add_plain(struct footnotes *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The marks of the row, which ends at column col. What is added after it is of another row. */
void footnotes_print_marks(FILE *out, struct footnotes *f, int col);

/* All of them, after an empty line. */
void footnotes_print(FILE *out, const struct footnotes *f);

void footnotes_close(struct footnotes *f);

/* ---- lines above a table: FORMAT_HEAD_LINES at most, more with --verbose */

#define FORMAT_HEAD_LINES 6 /* with the empty line and that of the groups of columns */

/* Nothing of run is kept. screen->width is set. With --quiet there are none. */
void format_head(FILE *out, const struct event_plan *run, const struct format_screen *screen);

/* The same for a sweep of that many cells, of which run is the first: what all of them share. */
void format_head_sweep(FILE *out, const struct event_plan *run,
		       const struct format_screen *screen, uint32_t cells);

#endif
