/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A table of a report as text for people, Markdown, CSV and JSON. */
#ifndef SHEET_PRINT_H
#define SHEET_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "analysis/sheet.h"

/*
 * Lines of at most width columns, if one figure and its key fit: what does not fit beside each
 * other comes below, with the keys again. Keys that take too much are lines between the rows.
 */
void sheet_print_text(FILE *out, const struct sheet *sheet, int width);

void sheet_print_markdown(FILE *out, const struct sheet *sheet);

/* A text that is only a text in Markdown and in a cell of its tables. */
void sheet_put_markdown(FILE *out, const char *text);

/* A line of keys, and a line per row; without the title. */
void sheet_print_csv(FILE *out, const struct sheet *sheet);

/* An integer where nothing is lost; null for NAN. New reference; NULL: no memory. */
json_t *sheet_number_json(double number);

/* An array with an object per row; absent is null. New reference; NULL: no memory. */
json_t *sheet_json(const struct sheet *sheet);

#endif
