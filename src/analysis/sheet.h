/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A table that a report prints: names and settings at the left, figures at the right. It is filled
 * cell by cell, row by row. When memory is short it remembers that, and sheet_failed() says it.
 */
#ifndef SHEET_H
#define SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum sheet_role {
	SHEET_KEY,     /* what the row is about */
	SHEET_FIGURE,
	SHEET_SPREAD,  /* n, min and max: not for people if no row is a repeat */
	SHEET_WORD     /* a verdict, as a text */
};

struct sheet_column {
	char *key;            /* "bandwidth_gbit_s_min", owned */
	const char *head;     /* for people: the end of the key, "min" */
	enum sheet_role role;
	bool is_text;         /* a cell of it is a text, also "4k" */
};

struct sheet_cell {
	char *text;     /* owned; NULL: number */
	double number;  /* NAN: absent */
};

/* Zeroed: empty. */
struct sheet {
	char *title;                /* owned; NULL: none */
	struct sheet_column *columns;
	size_t n_columns;
	struct sheet_cell *cells;   /* n_rows times n_columns */
	size_t n_rows, room;
	bool repeats;               /* show SHEET_SPREAD to people, too */
	bool failed;                /* no memory */
};

/* The title of the table; printf format. */
void sheet_title(struct sheet *sheet, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * A column at the right, before the first row. Its key is the two texts, one after the other; a
 * suffix such as "_min" is what people see. SHEET_SPREAD stays beside the figure before it.
 */
void sheet_column(struct sheet *sheet, enum sheet_role role, const char *key, const char *suffix);

/* A row at the end, all cells absent. */
void sheet_row(struct sheet *sheet);

/* A cell of the last row. */
void sheet_text(struct sheet *sheet, size_t column, const char *text);
void sheet_number(struct sheet *sheet, size_t column, double number);

/* A cell; NULL: there is none. */
const struct sheet_cell *sheet_cell(const struct sheet *sheet, size_t row, size_t column);

/* -ENOMEM with an error message if something of the sheet is missing. */
int sheet_failed(const struct sheet *sheet) __attribute__((warn_unused_result));
void sheet_free(struct sheet *sheet);

/*
 * A number for people: 4 significant digits, integers as they are, no exponent below 10^15. Returns
 * text.
 */
#define SHEET_NUMBER 40
const char *sheet_number_text(double number, char text[SHEET_NUMBER]);

#endif
