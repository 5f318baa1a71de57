/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the page and the order of its sections; see page.h. */
#include "config.h"
#include "analysis/page.h"

#include <page_style.h>
#include <string.h>

#include "rows/axes.h"
#include "rows/measured.h"
#include "plot/xml.h"
#include "plot/plot_svg.h"

#define NAMED_FILES 8

/* Nothing is loaded, no script runs, no form is sent: CSP level 3, "default-src". */
static const char head[] =
	PAGE_BEGINS
	"<html lang='en'>\n<head>\n<meta charset='utf-8'/>\n"
	"<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
	"<meta name='viewport' content='width=device-width, initial-scale=1'/>\n"
	"<meta name='color-scheme' content='light dark'/>\n"
	"<meta name='referrer' content='no-referrer'/>\n"
	"<meta name='generator' content='verbench " PACKAGE_VERSION "'/>\n";

static const struct {
	const char *id, *title;
} sections[] = {
	{ "summary", "Summary" }, { "plots", "Pictures" }, { "tables", "Tables" },
	{ "hosts", "Hosts" }, { "settings", "Settings" }, { "remarks", "Remarks" },
	{ "method", "Method" },
};

static void section(FILE *out, const char *id)
{
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (!strcmp(sections[i].id, id))
			fprintf(out, "<h2 id='%s'>%s</h2>\n", id, sections[i].title);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static bool any_emulated(const struct page *page)
{
	for (size_t row = 0; row < page->rows->n; row++)
		if (rows_number(page->rows, ROWS_emulated, row) > 0)
			return true;
	return false;
}

/* "send_bw, write_lat": the values of a column, in words. */
static void all_words(FILE *out, const struct page *page, enum rows_column column)
{
	bool any = false;

	for (uint32_t word = 1; word < rows_n_words(page->rows, column); word++) {
		fputs(any ? ", " : "", out);
		xml_text(out, rows_word_value(page->rows, column, word)->text);
		any = true;
	}
}

static void print_files(FILE *out, const struct page *page)
{
	fprintf(out, "<p class='quiet'>%zu row%s of ", page->rows->n, plural(page->rows->n));
	for (size_t i = 0; i < page->n_paths && i < NAMED_FILES; i++) {
		fputs(i ? ", " : "", out);
		xml_text(out, strcmp(page->paths[i], "-") ? page->paths[i] : "standard input");
	}
	if (page->n_paths > NAMED_FILES)
		fprintf(out, " and %zu more files", page->n_paths - NAMED_FILES);
	fputs("</p>\n", out);
}

static void print_head(FILE *out, const struct page *page)
{
	fputs(head, out);
	fputs("<title>verbench: ", out);
	if (!page_scenario_title(out, page))
		all_words(out, page, ROWS_test);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", page_style);
	if (!page_scenario_title(out, page))
		fputs("verbench report", out);
	fputs("</h1>\n", out);
	page_scenarios(out, page);
	print_files(out, page);
	if (any_emulated(page))
		fprintf(out, "<p class='note'><strong>%s.</strong> Rows with emulated 1 show that the programs work, and the link settings that were chosen.</p>\n",
			PLOT_EMULATED);
	fputs("<nav>", out);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		fprintf(out, "<a href='#%s'>%s</a>\n", sections[i].id, sections[i].title);
	fputs("</nav>\n</header>\n<main>\n", out);
}

/* ---- summary */

static void print_status(FILE *out, const struct page *page)
{
	size_t without = 0, warned = 0;

	for (size_t row = 0; row < page->rows->n; row++) {
		without += page->skip[row];
		warned += rows_word(page->rows, ROWS_warnings, row) != WORDS_ABSENT;
	}
	fprintf(out, "<p>%zu row%s with figures", page->rows->n - without,
		plural(page->rows->n - without));
	if (without)
		fprintf(out, ", <a href='#remarks'>%zu without</a>", without);
	if (warned)
		fprintf(out, ", <a href='#remarks'>%zu with warnings</a>", warned);
	fputs(".</p>\n", out);
}

static void print_summary(FILE *out, const struct page *page)
{
	section(out, "summary");
	fputs("<p>Tests: ", out);
	all_words(out, page, ROWS_test);
	fputs(". Transports: ", out);
	all_words(out, page, ROWS_transport);
	fputs(". Completions: ", out);
	all_words(out, page, ROWS_completion);
	fputs(".</p>\n", out);
	print_status(out, page);
	if (page->words[0]) {
		fputs("<p class='note'>", out);
		xml_text(out, page->words);
		fputs("</p>\n", out);
	}
	page_best(out, page);
	if (page->expected)
		page_expected(out, page->expected);
}

/* ---- pictures */

static int print_plot(FILE *out, const struct plot *plot)
{
	int rc;

	fprintf(out, "<figure id='plot-%s'>\n<figcaption>", plot->name);
	xml_text(out, plot->title);
	fputs("<span class='quiet'>", out);
	xml_text(out, plot->below);
	if (plot->emulated)
		fprintf(out, "%s%s", plot->below[0] ? "; " : "", PLOT_EMULATED);
	if (plot->runs)
		fputs("; median of repeats, with the line from the least to the most", out);
	fputs("</span></figcaption>\n", out);
	plot_svg(out, plot);
	fputs("<ul class='legend'>\n", out);
	for (size_t i = 0; i < plot->n_curves; i++) {
		fputs("<li>", out);
		plot_svg_sample(out, plot, &plot->curves[i]);
		fputs("<span>", out);
		xml_text(out, plot->curves[i].name);
		fputs("</span></li>\n", out);
	}
	fputs("</ul>\n<details><summary>values</summary>\n", out);
	rc = page_values(out, plot);
	fputs("</details>\n</figure>\n", out);
	return rc;
}

static int print_plots(FILE *out, const struct page *page)
{
	int rc = 0;

	section(out, "plots");
	if (!page->plots->n)
		fputs("<p>No setting varies in these rows, so there is nothing to draw.</p>\n", out);
	fputs("<div class='plots'>\n", out);
	for (size_t i = 0; i < page->plots->n && !rc; i++)
		rc = print_plot(out, &page->plots->all[i]);
	fputs("</div>\n", out);
	if (page->plots->left_out)
		fprintf(out, "<p>%s%zu more pictures are not shown. Choose rows with --where, or a picture with --y, --x and --series.</p>\n",
			page->plots->more ? "More than " : "", page->plots->left_out);
	return rc;
}

/* ---- all */

void page_want(struct rows_query *query)
{
	static const enum rows_column columns[] = {
		ROWS_cpus, ROWS_nodes, ROWS_placement, ROWS_peer_cpus, ROWS_peer_nodes,
		ROWS_peer_placement, ROWS_warnings, ROWS_reason, ROWS_status, ROWS_bandwidth_gbit_s,
		ROWS_message_rate_per_s, ROWS_lat_p50_ns, ROWS_lat_p99_ns, ROWS_lat_kind,
	};

	axes_want_all(query);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		axes_want(query, columns[i]);
}

int page_write(FILE *out, const struct page *page)
{
	int rc;

	print_head(out, page);
	print_summary(out, page);
	rc = print_plots(out, page);
	section(out, "tables");
	for (size_t i = 0; i < page->n_sheets; i++)
		page_sheet(out, &page->sheets[i]);
	section(out, "hosts");
	if (!rc)
		rc = page_hosts(out, page);
	section(out, "settings");
	page_settings(out, page);
	section(out, "remarks");
	page_remarks(out, page);
	section(out, "method");
	page_method(out);
	fprintf(out, "</main>\n<footer>Made by verbench %s.</footer>\n</body>\n</html>\n",
		PACKAGE_VERSION);
	return rc;
}
