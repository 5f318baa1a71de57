/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A report as one page of HTML: summary, pictures, tables, hosts, settings, remarks, method. It
 * loads nothing and has no script, and says so to the browser (Content-Security-Policy); its style
 * sheet is page.css. Texts of rows and paths are escaped (plot/xml.h).
 */
#ifndef PAGE_H
#define PAGE_H

#include <stdio.h>

#include "analysis/sheet.h"
#include "plot/plot.h"
#include "rows/rows.h"

#define PAGE_LINES 1000 /* of a table; what is more is in the files of rows */

/* All borrowed. */
struct page {
	const struct rows *rows;
	const bool *skip;            /* rows without figures: measured_skip() */
	const char *const *paths;    /* of the files */
	size_t n_paths;
	const struct plots *plots;
	const struct sheet *sheets;  /* the tables of the report */
	size_t n_sheets;
	const char *words;           /* a line about the tables; "" none */
	const char *expected;        /* lines of --expect: "PASS ...", "FAIL ..."; NULL: none */
};

/* Every page begins with it: only a file that does is replaced by another page. */
#define PAGE_BEGINS "<!DOCTYPE html>\n<!-- verbench report -->\n"

/* What the page needs of the rows. */
void page_want(struct rows_query *query);

/* -ENOMEM with an error message. */
int page_write(FILE *out, const struct page *page) __attribute__((warn_unused_result));

/* ---- page_parts.c: the sections that need only the rows */

void page_best(FILE *out, const struct page *page);
void page_expected(FILE *out, const char *lines);
int page_hosts(FILE *out, const struct page *page) __attribute__((warn_unused_result));
void page_settings(FILE *out, const struct page *page);
void page_remarks(FILE *out, const struct page *page);
void page_method(FILE *out);

/* ---- page_scenario.c: title, question and answer to expect of the scenarios of the rows */

/* The title, if all rows are of one scenario; false: nothing is written. */
bool page_scenario_title(FILE *out, const struct page *page);
void page_scenarios(FILE *out, const struct page *page);

/* ---- page_tables.c */

void page_sheet(FILE *out, const struct sheet *sheet);
/* The values of a picture, for who cannot point at them. -ENOMEM with an error message. */
int page_values(FILE *out, const struct plot *plot) __attribute__((warn_unused_result));

#endif
