/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the quoting of CSV when it is read; see csv.h. Called by the readers of rows. */
#include "config.h"
#include "read/csv.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

bool csv_is_formula(const char *text)
{
	while (*text == CSV_MARK)
		text++;
	return *text && strchr("=+-@\t\r", *text);
}

const char *csv_unmark(const char *text)
{
	return *text == CSV_MARK && csv_is_formula(text) ? text + 1 : text;
}

/* What most cells are: a million rows have a hundred million of them. */
static char plain_cell(struct csv *csv)
{
	char *at = csv->at, stop;

	while (*at != ',' && *at != '\n' && at < csv->end)
		at++;
	stop = *at;
	csv->at = at;
	*at = '\0';
	return stop;
}

char csv_cell(struct csv *csv, char **cell)
{
	bool open = true;
	char *to = csv->at, stop;

	*cell = to;
	if (*csv->at != '"')
		return plain_cell(csv);
	csv->at++;
	while (csv->at < csv->end && *csv->at != '\n') {
		if (*csv->at == '"' && *++csv->at != '"') {
			open = false;
			break;
		}
		*to++ = *csv->at++;
	}
	stop = csv->at < csv->end ? *csv->at : '\0';
	if (open || (stop != ',' && stop != '\n'))
		return '\0';
	*to = '\0';
	return stop;
}
