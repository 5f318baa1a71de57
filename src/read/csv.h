/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The cells of a line of CSV: RFC 4180, but no line breaks in a cell. format_cells.c writes such
 * lines. Trusts nothing in them.
 */
#ifndef CSV_H
#define CSV_H

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

#endif
