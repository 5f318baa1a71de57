/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what a page says of the scenarios that its rows are of; see page.h. */
#include "config.h"
#include "analysis/page.h"

#include <stdlib.h>
#include <string.h>

#include "plot/xml.h"
#include "sweep/bench_file.h"

#define SCENARIOS_MAX 50 /* that are looked up */

/*
 * Rows have only the name. It comes from anybody, so only a name is looked up, and no path. A
 * scenario that is not here, or that cannot be read, is not told: the rows are good without it.
 */
static bool read_one(const struct page *page, uint32_t word, struct bench *bench)
{
	const char *name = rows_word_value(page->rows, ROWS_scenario, word)->text;
	const char *dot = strrchr(name, '.');
	char *path;
	bool found;

	if (!*name || strchr(name, '/') || (dot && !strcmp(dot, ".bench")) ||
	    bench_find(name, &path))
		return false;
	found = !bench_read(bench, path);
	free(path);
	return found;
}

/* All rows are of one scenario: word 0 is that of no scenario. */
static bool is_of_one(const struct page *page)
{
	return rows_n_words(page->rows, ROWS_scenario) == 2 &&
	       rows_is_constant(page->rows, ROWS_scenario);
}

static void print_one(FILE *out, const struct bench *bench)
{
	fputs("<p class='question'>", out);
	xml_text(out, bench->question);
	fputs("</p>\n", out);
	if (!bench->expect)
		return;
	fputs("<p><strong>To expect:</strong> ", out);
	xml_text(out, bench->expect);
	fputs("</p>\n", out);
}

bool page_scenario_title(FILE *out, const struct page *page)
{
	struct bench bench;

	if (!is_of_one(page) || !read_one(page, 1, &bench))
		return false;
	xml_text(out, bench.title);
	bench_free(&bench);
	return true;
}

void page_scenarios(FILE *out, const struct page *page)
{
	const uint32_t n = rows_n_words(page->rows, ROWS_scenario);
	const bool is_title = is_of_one(page);

	for (uint32_t word = 1; word < n && word <= SCENARIOS_MAX; word++) {
		struct bench bench;

		if (!read_one(page, word, &bench))
			continue;
		if (!is_title) {
			fputs("<h3>", out);
			xml_text(out, bench.title);
			fputs("</h3>\n", out);
		}
		print_one(out, &bench);
		bench_free(&bench);
	}
}
