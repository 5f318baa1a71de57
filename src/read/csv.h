/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The cells of a line of CSV: RFC 4180, but no line breaks in a cell. format_cells.c writes such
 * lines. Trusts nothing in them.
 */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>

/* Before a text that a spreadsheet would take for a formula. */
#define CSV_MARK '\''

/* Where a reader is in a text; *end is '\0'. */
struct csv {
	char *at, *end;
};

/*
 * The cell at csv->at, unquoted and ended in place. csv->at is then at the place of the ',' or
 * '\n' behind it, which is returned; '\0': there is none, because the text ends or a quote is not
 * closed.
 */
char csv_cell(struct csv *csv, char **cell);

/*
 * Would a spreadsheet execute this text? It begins with '=', '+', '-', '@', a tab or a carriage
 * return, after any number of marks. Such texts are written with one more mark.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
bool csv_is_formula(const char *text);

/* The text of a cell, without the mark that it was written with. Of a number: the same. */
const char *csv_unmark(const char *text);

#endif
