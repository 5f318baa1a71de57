/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The notes below a table: footnotes, which a mark behind their rows names, and plain notes. They
 * are gathered until the end of the table; the same text is one note. With --quiet there are none.
 */
#ifndef FOOTNOTES_H
#define FOOTNOTES_H

#include <stdint.h>
#include <stdio.h>

#include "format/format.h"

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

#endif
