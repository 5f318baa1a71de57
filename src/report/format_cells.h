/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The cells of a row of any table of columns, as CSV and as JSON. CSV is quoted as in RFC 4180, but
 * with a bare newline at the end of the line.
 */
#ifndef FORMAT_CELLS_H
#define FORMAT_CELLS_H

#include <stdio.h>
#include <jansson.h>

#include "util/field.h"

/* One cell, quoted where it must be. */
void format_cells_csv_text(FILE *out, const char *text);

/* The same of a text that may be of the peer: marked if a spreadsheet would execute it (csv.h). */
void format_cells_csv_foreign(FILE *out, const char *text);

/* The line of the names, and the line of a row; obj is the struct of the table. */
void format_cells_csv_names(FILE *out, const struct field_table *table);
void format_cells_csv(FILE *out, const struct field_table *table, const void *obj);

/*
 * The row as a JSON object: numbers have the same digits as in CSV if they are written with
 * JSON_REAL_PRECISION(ROW_JSON_DIGITS). New reference; NULL: no memory.
 */
json_t *format_cells_json(const struct field_table *table, const void *obj);

#endif
