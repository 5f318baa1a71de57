/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the page and its sections; see tables.h. Its tables: page_tables.c. */
#include "config.h"
#include "tables/tables.h"

#include <math.h>
#include <page_style.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/plot.h"
#include "read/axes.h"
#include "sweep/bench_file.h"
#include "util/must.h"
#include "util/text.h"

#define NAMED_FILES 8
#define SCENARIOS_MAX 50 /* that are looked up */

/* Nothing is loaded, no script runs, no form is sent: CSP level 3, "default-src". */
static const char head[] =
	PAGE_BEGINS
	"<html lang='en'>\n<head>\n<meta charset='utf-8'/>\n"
	"<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
	"<meta name='viewport' content='width=device-width, initial-scale=1'/>\n"
	"<meta name='color-scheme' content='light dark'/>\n"
	"<meta name='referrer' content='no-referrer'/>\n"
	"<meta name='generator' content='verbench " PACKAGE_VERSION "'/>\n";

/* "send_bw, write_lat": the values of a column, in words. */
static void all_words(FILE *out, const struct report *r, enum rows_column column)
{
	for (uint32_t word = 1; word < rows_n_words(&r->rows, column); word++)
		plot_html(out, word > 1 ? ", %s" : "%s",
			  rows_word_value(&r->rows, column, word)->text);
}

/* ---- title, question and answer to expect of the scenarios of the rows */

/*
 * Rows have only the name. It comes from anybody, so only a name is looked up, and no path. A
 * scenario that is not here, or that cannot be read, is left out: the rows are good without it.
 */
static bool read_one(const struct report *r, uint32_t word, struct bench *bench)
{
	const char *name = rows_word_value(&r->rows, ROWS_scenario, word)->text;
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
static bool is_of_one(const struct report *r)
{
	return rows_n_words(&r->rows, ROWS_scenario) == 2 &&
	       rows_is_constant(&r->rows, ROWS_scenario);
}

/* The title, if all rows are of one scenario; NULL: they are not, or it cannot be read. */
static char *title_of(const struct report *r)
{
	struct bench bench;
	char *title;

	if (!is_of_one(r) || !read_one(r, 1, &bench))
		return NULL;
	title = must_strdup(bench.title);
	bench_free(&bench);
	return title;
}

static void print_scenarios(FILE *out, const struct report *r)
{
	const uint32_t n = rows_n_words(&r->rows, ROWS_scenario);

	for (uint32_t word = 1; word < n && word <= SCENARIOS_MAX; word++) {
		struct bench bench;

		if (!read_one(r, word, &bench))
			continue;
		if (!is_of_one(r))
			plot_html(out, "<h3>%s</h3>\n", bench.title);
		plot_html(out, "<p class='question'>%s</p>\n", bench.question);
		if (bench.expect)
			plot_html(out, "<p><strong>To expect:</strong> %s</p>\n", bench.expect);
		bench_free(&bench);
	}
}

/* ---- summary */

/* Those that passed, or the others; n: lines until now. */
static void print_lines(FILE *out, const struct expect *expect, bool passed, size_t *n)
{
	static const char *const classes[] = {
		[EXPECT_PASSED] = "pass", [EXPECT_FAILED] = "fail", [EXPECT_UNSURE] = "fail",
		[EXPECT_COUNT] = "quiet",
	};

	for (size_t i = 0; i < expect->n_all; i++) {
		const struct expect_line *line = &expect->all[i];
		char text[1024];

		if ((line->result == EXPECT_PASSED) != passed || ++*n > PAGE_LINES)
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)line->len, expect->text + line->at);
		plot_html(out, "<li class='%s'>%s</li>\n", classes[line->result], text);
	}
}

static void print_expected(FILE *out, const struct expect *expect)
{
	size_t n = 0;

	plot_html(out, "<h3>Expectations: %zu passed, %zu failed", expect->passed, expect->failed);
	if (expect->repeats)
		plot_html(out, ", %zu unsure", expect->unsure);
	fputs("</h3>\n<ul class='expected' tabindex='0'>\n", out);
	print_lines(out, expect, false, &n);
	print_lines(out, expect, true, &n);
	fputs("</ul>\n", out);
	page_rest(out, n);
}

static void print_status(FILE *out, const struct report *r)
{
	size_t without = 0, warned = 0;

	for (size_t row = 0; row < r->rows.n; row++) {
		without += r->skip[row];
		warned += rows_word(&r->rows, ROWS_warnings, row) != WORDS_ABSENT;
	}
	plot_html(out, "<p>%zu row%s with figures", r->rows.n - without,
		  text_plural(r->rows.n - without));
	if (without)
		plot_html(out, ", <a href='#remarks'>%zu without</a>", without);
	if (warned)
		plot_html(out, ", <a href='#remarks'>%zu with warnings</a>", warned);
	fputs(".</p>\n", out);
}

static void print_summary(FILE *out, const struct report *r)
{
	fputs("<p>Tests: ", out);
	all_words(out, r, ROWS_test);
	fputs(". Transports: ", out);
	all_words(out, r, ROWS_transport);
	fputs(". Completions: ", out);
	all_words(out, r, ROWS_completion);
	fputs(".</p>\n", out);
	print_status(out, r);
	for (const char *line = r->words; line; line = strchr(line, '\n')) {
		char text[1024];

		line += *line == '\n';
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
		plot_html(out, "<p class='note'>%s</p>\n", text);
	}
	page_cards(out, r);
	if (r->expect.rules.n)
		print_expected(out, &r->expect);
}

/* ---- pictures */

static void print_plot(FILE *out, const struct plot *plot)
{
	plot_html(out, "<figure id='plot-%s'>\n<figcaption>%s<span class='quiet'>%s", plot->name,
		  plot->title, plot->below);
	if (plot->emulated)
		plot_html(out, plot->below[0] ? "; %s" : "%s", PLOT_EMULATED);
	if (plot->runs)
		fputs("; " PLOT_REPEATS, out);
	if (plot->disturbed)
		fputs("; " PLOT_DISTURBED, out);
	if (plot->made_of)
		plot_html(out, "; %s", plot->made_of);
	fputs("</span></figcaption>\n", out);
	plot_svg(out, plot);
	fputs("<ul class='legend'>\n", out);
	for (size_t i = 0; i < plot->n_curves; i++) {
		fputs("<li>", out);
		plot_svg_sample(out, plot, &plot->curves[i]);
		plot_html(out, "<span>%s</span></li>\n", plot->curves[i].name);
	}
	fputs("</ul>\n<details><summary>values</summary>\n", out);
	page_values(out, plot);
	fputs("</details>\n</figure>\n", out);
}

static void print_plots(FILE *out, const struct report *r)
{
	if (r->matrix)
		page_matrix(out, r);
	else if (!r->plots.n && !r->plots.left_out)
		fputs("<p>No setting varies in these rows, so there is nothing to draw.</p>\n", out);
	fputs("<div class='plots'>\n", out);
	for (size_t i = 0; i < r->plots.n; i++)
		print_plot(out, &r->plots.all[i]);
	fputs("</div>\n", out);
	if (r->plots.left_out)
		plot_html(out, "<p>%zu%s pictures are not shown, because they have too many values or curves, or are too many. Choose rows with --where, or a picture with --y, --x and --series.</p>\n",
			  r->plots.left_out, r->plots.n ? " more" : "");
}

/* ---- remarks */

struct remarks {
	FILE *out;
	bool any;
};

static void print_remark(void *arg, const char *note)
{
	struct remarks *remarks = arg;

	plot_html(remarks->out, remarks->any ? "<li>%s</li>\n" : "<ul>\n<li>%s</li>\n", note);
	remarks->any = true;
}

static void print_remarks(FILE *out, const struct report *r)
{
	struct remarks remarks = { .out = out };

	measured_notes(&r->rows, print_remark, &remarks);
	fputs(remarks.any ? "</ul>\n" : "<p>Every row is ok and has no warning.</p>\n", out);
}

/* ---- all */

static const struct section {
	const char *id, *title;
	void (*print)(FILE *out, const struct report *r);
} sections[] = {
	{ "summary", "Summary", print_summary },
	{ "plots", "Pictures", print_plots },
	{ "tables", "Tables", page_sheets },
	{ "hosts", "Hosts", page_hosts },
	{ "settings", "Settings", page_settings },
	{ "remarks", "Remarks", print_remarks },
	{ "method", "Method", page_method },
};

static void print_files(FILE *out, const struct report *r)
{
	plot_html(out, "<p class='quiet'>%zu row%s of ", r->rows.n, text_plural(r->rows.n));
	for (size_t i = 0; i < r->cfg->n_files && i < NAMED_FILES; i++)
		plot_html(out, i ? ", %s" : "%s",
			  strcmp(r->cfg->files[i], "-") ? r->cfg->files[i] : "standard input");
	if (!r->cfg->n_files)
		fputs("this run", out);
	if (r->cfg->n_files > NAMED_FILES)
		plot_html(out, " and %zu more files", r->cfg->n_files - NAMED_FILES);
	fputs("</p>\n", out);
}

static void print_head(FILE *out, const struct report *r)
{
	char *title = title_of(r);
	bool emulated = false;

	fprintf(out, "%s<title>verbench: ", head);
	if (title)
		plot_text(out, title);
	else
		all_words(out, r, ROWS_test);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n", page_style);
	plot_html(out, "<h1>%s</h1>\n", title ? title : "verbench report");
	free(title);
	print_scenarios(out, r);
	print_files(out, r);
	for (size_t row = 0; row < r->rows.n; row++)
		emulated |= rows_number(&r->rows, ROWS_emulated, row) > 0;
	if (emulated)
		plot_html(out, "<p class='note'><strong>%s.</strong> Rows with emulated 1 show that the programs work, and the link settings that were chosen.</p>\n",
			  PLOT_EMULATED);
	page_banner(out, r);
	fputs("<nav>", out);
	for (size_t i = 0; i < FIELD_COUNT(sections); i++)
		plot_html(out, "<a href='#%s'>%s</a>\n", sections[i].id, sections[i].title);
	fputs("</nav>\n</header>\n<main>\n", out);
}

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

void page_write(FILE *out, const struct report *r)
{
	print_head(out, r);
	for (size_t i = 0; i < FIELD_COUNT(sections); i++) {
		plot_html(out, "<h2 id='%s'>%s</h2>\n", sections[i].id, sections[i].title);
		sections[i].print(out, r);
	}
	fputs("</main>\n<footer>Made by verbench " PACKAGE_VERSION ".</footer>\n</body>\n</html>\n",
	      out);
}
