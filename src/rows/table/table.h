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

#include "row/remark.h"
#include "write/output.h"

/*
 * ---- columns, in three layouts: the narrow one fits SCREEN_COLUMNS with a mark behind each row,
 * the wide one has all columns, the brief one is for a sweep of several tests. A line below a row
 * has what the narrow layout has no room for.
 */

/* Which columns a table has: by the plan. */
struct columns {
	unsigned int has;      /* bits of columns.c */
	bool wide, brief;
	int dropped;           /* columns that gave way to those of a sweep: up to this rank */
	int bytes_width;       /* of the sizes */
	int messages_width;
	int receiver_width;    /* of the names of the receivers of a group */
	int width;             /* of a row without its marks */
	const char *sample;    /* of a latency test: what one sample is */
};

/* The wide layout if the screen has room for it. */
void columns_choose(struct columns *c, const struct event_plan *run,
		    const struct format_screen *screen);

/*
 * The layout of a sweep, which has other columns of that width before it. Of one test it is that of
 * the test, but for columns that others tell, if these take their room; of several tests it is the
 * brief one, with --wide the wide one.
 */
void columns_choose_sweep(struct columns *c, const struct event_plan *run,
			  const struct format_screen *screen, bool one_test, int others);

#define COLUMNS_SWEEP_MARK 4 /* room for a mark behind its rows: " [1]" */

/* The counts and figures of a row that columns show, also those of other layouts; NAN: absent. */
#define COLUMNS_FIGURES 42
void columns_figures(const struct row *row, double figures[COLUMNS_FIGURES]);
void columns_set_figures(struct row *row, const double figures[COLUMNS_FIGURES]);

/* The two lines of heads: what several have in common, and their names; beside: one more, or "". */
void columns_print_groups(FILE *out, const struct columns *c);
void columns_print_names(FILE *out, const struct columns *c, const char *beside);

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
 * are gathered until the end of the table: the same text, and the same kind of warning, is one
 * note. The last of FOOTNOTES_MOST marks is that of all further notes; with --verbose each has its
 * own. With --quiet there are none.
 */

#define FOOTNOTES_MOST 3
#define FOOTNOTES_ROW 4 /* marks of one row */

struct footnote {
	char *text;                   /* owned; NULL: of a kind of warning */
	const char *unit;             /* static; its range follows the text; NULL: it has none */
	const struct remark *remark;
	struct remark_range range;    /* of the rows that it is of */
};

struct footnotes {
	struct format_screen screen;
	struct footnote *notes;  /* notes[0] is [1] */
	uint32_t n;
	char **plain;
	uint32_t n_plain;
	uint64_t rows;           /* in the table, of which remarks say in how many they are */
	uint32_t marks[FOOTNOTES_ROW]; /* of the row that is printed next */
	uint32_t n_marks;
};

/* Nothing of screen is kept. */
void footnotes_open(struct footnotes *f, const struct format_screen *screen);

/* Of the row that is printed next. */
void footnotes_add(struct footnotes *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The warnings of the row that is printed next, once for each row of the table: a note for each
 * kind, with --verbose their text.
 */
void footnotes_add_row(struct footnotes *f, const struct row *row);

/* Of the whole table. */
void footnotes_add_plain(struct footnotes *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The marks of the row, which ends at column col. What is added after it is of another row. */
void footnotes_print_marks(FILE *out, struct footnotes *f, int col);

/* All of them, after an empty line. */
void footnotes_print(FILE *out, const struct footnotes *f);

void footnotes_close(struct footnotes *f);

/* ---- medians of rounds */

struct median_cell;

/* Zeroed: empty. */
struct medians {
	struct median_cell *cells; /* owned */
	uint32_t n;
	uint32_t rounds, cell, row; /* of the cell that is measured: its next row */
	bool each;                 /* medians are due after each round, as any may be the last */
	double half_width;         /* of the row that medians_take() has set; NAN: none */
};

/* A cell begins; its number is the same in each round. */
void medians_cell(struct medians *m, uint32_t cell, uint32_t rounds);

/*
 * A row of it. True: it is of the last round, or of each one, and has the medians of all rounds
 * now, or stays as it is if none was measured; half_width is that of row_main_figure(), as
 * repeats_half_width().
 */
bool medians_take(struct medians *m, struct row *row);

void medians_free(struct medians *m);

/* ---- lines above a table: FORMAT_HEAD_LINES at most, more with --verbose */

#define FORMAT_HEAD_LINES 6 /* with the empty line and that of the groups of columns */

/* Nothing of run is kept. screen->width is set. With --quiet there are none. */
void format_head(FILE *out, const struct event_plan *run, const struct format_screen *screen);

/* What a sweep has, of which run is the first cell. */
struct format_swept {
	bool one_test;
	uint32_t cells, rounds;    /* cells of a round; with until: rounds at most */
	const char *until;         /* as in struct event_cell; borrowed */
	const char *const *names;  /* options with several values, beside the size; borrowed */
	uint32_t n_names;
};

/* The same for a sweep: what all its cells share. */
void format_head_sweep(FILE *out, const struct event_plan *run,
		       const struct format_screen *screen, const struct format_swept *swept);

#endif
