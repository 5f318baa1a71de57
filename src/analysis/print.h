/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A whole report as text, Markdown, CSV or JSON: what all rows share, tables, remarks. */
#ifndef PRINT_H
#define PRINT_H

#include <stdio.h>

#include "rows/rows.h"
#include "analysis/sheet.h"
#include "config/choices.h"

/* All borrowed. */
struct print {
	const struct rows *rows;
	const char *const *paths;   /* of the files */
	size_t n_paths;
	const struct sheet *sheets; /* CSV and JSON have the first one only */
	size_t n_sheets;
	const char *words;          /* a line below the tables of people; "" none */
	int width;                  /* of text */
};

/* -ENOMEM with an error message. The remarks of CSV are lines on standard error. */
int print_report(FILE *out, enum report_format format, const struct print *print)
	__attribute__((warn_unused_result));

#endif
