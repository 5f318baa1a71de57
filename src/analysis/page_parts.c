/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what a page says of its rows outside of pictures and tables of results; see page.h. */
#include "config.h"
#include "analysis/page.h"

#include <math.h>
#include <string.h>

#include "plot/combos.h"
#include "plot/plot_rows.h"
#include "plot/xml.h"
#include "rows/axes.h"
#include "rows/measured.h"

#define PAGE_TEXT 1024  /* of a line */
#define VALUES_MAX 40 /* of a setting that varies; the rest is a number */

/* ---- the best figures */

static const struct figure {
	enum rows_column column;
	bool most;         /* more is better */
	bool latency;      /* of latency tests */
	const char *what;
} figures[] = {
	{ ROWS_bandwidth_gbit_s, true, false, "highest bandwidth" },
	{ ROWS_message_rate_per_s, true, false, "highest message rate" },
	{ ROWS_lat_p50_ns, false, true, "lowest median latency" },
	{ ROWS_lat_p99_ns, false, true, "lowest 99th percentile of latency" },
	{ ROWS_cpu_ns_per_msg, false, false, "least CPU time per message, bandwidth tests" },
	{ ROWS_cpu_ns_per_msg, false, true, "least CPU time per message, latency tests" },
};

/* False: no row has the figure. */
static bool find_best(const struct page *page, const struct figure *figure, size_t *best)
{
	double value = NAN;

	for (size_t row = 0; row < page->rows->n; row++) {
		const double x = rows_number(page->rows, figure->column, row);

		if (page->skip[row] || isnan(x) ||
		    measured_is_lat(page->rows, row) != figure->latency ||
		    (!isnan(value) && (figure->most ? x <= value : x >= value)))
			continue;
		value = x;
		*best = row;
	}
	return !isnan(value);
}

static void print_where(FILE *out, const struct page *page, size_t row)
{
	static const enum rows_column always[] = {
		ROWS_test, ROWS_transport, ROWS_completion, ROWS_size_bytes,
	};
	const size_t n = sizeof(always) / sizeof(always[0]);
	char text[2 * PLOT_TEXT] = "", word[PLOT_TEXT];

	if (rows_word(page->rows, ROWS_pair, row) != WORDS_ABSENT)
		plot_join(text, sizeof(text), plot_word(page->rows, ROWS_pair,
			  rows_word(page->rows, ROWS_pair, row), word, sizeof(word)));
	for (size_t i = 0; i < n; i++)
		plot_join(text, sizeof(text), plot_word(page->rows, always[i],
			  rows_word(page->rows, always[i], row), word, sizeof(word)));
	/* a sum of both directions is no rate of one */
	if (rows_number(page->rows, ROWS_bidir, row) > 0)
		plot_join(text, sizeof(text), plot_word(page->rows, ROWS_direction,
			  rows_word(page->rows, ROWS_direction, row), word, sizeof(word)));
	for (size_t i = 0; i < axes_n; i++) {
		bool told = !(axes[i].flags & AXES_HEAD) || axes[i].flags & AXES_PLACE ||
			    rows_is_constant(page->rows, axes[i].column);

		for (size_t k = 0; k < n; k++)
			told |= always[k] == axes[i].column;
		if (!told)
			plot_join(text, sizeof(text), plot_word(page->rows, axes[i].column,
				  rows_word(page->rows, axes[i].column, row), word, sizeof(word)));
	}
	xml_text(out, text);
}

void page_best(FILE *out, const struct page *page)
{
	fputs("<dl class='best'>\n", out);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		struct plot_axis axis = { .per = 1 };
		char text[PLOT_TEXT];
		double value;
		size_t row = 0;

		if (!find_best(page, &figures[i], &row))
			continue;
		value = rows_number(page->rows, figures[i].column, row);
		plot_axis_label(&axis, rows_field(figures[i].column), NULL, value);
		fprintf(out, "<div><dt>%s</dt><dd class='value'>%s</dd><dd class='where'>",
			figures[i].what, plot_value(&axis, value / axis.per, text, sizeof(text)));
		print_where(out, page, row);
		fputs("</dd></div>\n", out);
	}
	fputs("</dl>\n", out);
}

/* ---- what was expected */

/* Those that begin with PASS, or the others; n: lines until now. */
static void print_expected(FILE *out, const char *lines, bool passed, size_t *n)
{
	size_t len;

	for (const char *at = lines; *at; at += len + (at[len] == '\n')) {
		char text[PAGE_TEXT];

		len = strcspn(at, "\n");
		snprintf(text, sizeof(text), "%.*s", (int)len, at);
		if (strncmp(text, "PASS ", 5) == 0 ? !passed : passed)
			continue;
		if (++*n > PAGE_LINES)
			continue;
		fprintf(out, "<li class='%s'>", passed ? "pass" :
			strncmp(text, "FAIL ", 5) ? "quiet" : "fail");
		xml_text(out, text);
		fputs("</li>\n", out);
	}
}

/* How many passed. */
static const char *last_line(const char *lines)
{
	const char *at = lines + strlen(lines);

	at -= at > lines;
	while (at > lines && at[-1] != '\n')
		at--;
	return at;
}

void page_expected(FILE *out, const char *lines)
{
	size_t n = 0;

	fputs("<h3>Expectations: ", out);
	xml_text(out, last_line(lines));
	fputs("</h3>\n<ul class='expected' tabindex='0'>\n", out);
	print_expected(out, lines, false, &n);
	print_expected(out, lines, true, &n);
	fputs("</ul>\n", out);
	if (n > PAGE_LINES)
		fprintf(out, "<p class='quiet'>%zu more lines are not shown.</p>\n", n - PAGE_LINES);
}

/* ---- hosts */

static const struct end {
	const char *name;
	enum rows_column own, peer;
} ends[] = {
	{ "host", ROWS_host, ROWS_peer_host },
	{ "device", ROWS_device, ROWS_peer_device },
	{ "port", ROWS_port, ROWS_peer_port },
	{ "GID", ROWS_gid, ROWS_peer_gid },
	{ "driver", ROWS_driver, ROWS_peer_driver },
	{ "firmware", ROWS_firmware, ROWS_peer_firmware },
	{ "CPUs", ROWS_cpus, ROWS_peer_cpus },
	{ "NUMA nodes", ROWS_nodes, ROWS_peer_nodes },
	{ "placement", ROWS_placement, ROWS_peer_placement },
};

#define N_ENDS (sizeof(ends) / sizeof(ends[0]))

/* The values of a column in the rows of one combination: up to four of them. */
static void print_values_of(FILE *out, const struct page *page, enum rows_column column,
			    struct combos *combos, size_t which)
{
	uint32_t seen[4];
	size_t n = 0;

	for (size_t row = 0; row < page->rows->n; row++) {
		const uint32_t word = rows_word(page->rows, column, row);
		size_t i = 0;

		if (word == WORDS_ABSENT || combos_find(combos, row) != which)
			continue;
		while (i < n && seen[i] != word)
			i++;
		if (i < n)
			continue;
		fputs(n ? ", " : "", out);
		if (n == sizeof(seen) / sizeof(seen[0])) {
			fputs("...", out);
			return;
		}
		seen[n++] = word;
		xml_text(out, rows_word_value(page->rows, column, word)->text);
	}
	fputs(n ? "" : "-", out);
}

/* Both ends of the rows between the same hosts and devices: a table. */
static void print_pair(FILE *out, const struct page *page, struct combos *combos, size_t which)
{
	static const enum rows_column link[] = { ROWS_link_layer, ROWS_link_gbit_s, ROWS_netdev };

	fputs("<div class='scroll' tabindex='0'><table class='words'>\n<tr><th></th><th scope='col'>wrote the rows</th><th scope='col'>peer</th></tr>\n",
	      out);
	for (size_t i = 0; i < N_ENDS; i++) {
		fprintf(out, "<tr><td>%s</td><td>", ends[i].name);
		print_values_of(out, page, ends[i].own, combos, which);
		fputs("</td><td>", out);
		print_values_of(out, page, ends[i].peer, combos, which);
		fputs("</td></tr>\n", out);
	}
	for (size_t i = 0; i < sizeof(link) / sizeof(link[0]); i++) {
		const struct field *field = rows_field(link[i]);
		char words[PLOT_TEXT];

		fprintf(out, field->unit ? "<tr><td>%s (%s)</td><td>" : "<tr><td>%s</td><td>",
			plot_words(field, words, sizeof(words)), field->unit);
		print_values_of(out, page, link[i], combos, which);
		fputs("</td><td></td></tr>\n", out);
	}
	fputs("</table></div>\n", out);
}

int page_hosts(FILE *out, const struct page *page)
{
	struct combos combos = {
		.rows = page->rows, .n_columns = 4,
		.columns = { ROWS_host, ROWS_device, ROWS_peer_host, ROWS_peer_device },
	};
	int rc = combos_make(&combos, NULL);

	for (size_t i = 0; i < combos.n && i < VALUES_MAX && !rc; i++)
		print_pair(out, page, &combos, i);
	if (combos.n > VALUES_MAX)
		fprintf(out, "<p class='quiet'>%zu more pairs of hosts are not shown.</p>\n",
			combos.n - VALUES_MAX);
	combos_free(&combos);
	return rc;
}

/* ---- settings */

static bool is_setting(const struct axes_row *axis)
{
	return !(axis->flags & AXES_PLACE) || axis->column == ROWS_tool_version;
}

static void print_name(FILE *out, enum rows_column column)
{
	const struct field *field = rows_field(column);

	fprintf(out, "<tr><td>%s</td><td>", field->name);
}

static void print_help(FILE *out, enum rows_column column)
{
	fputs("</td><td class='quiet'>", out);
	xml_text(out, rows_field(column)->help);
	fputs("</td></tr>\n", out);
}

static void print_number_or_text(FILE *out, enum rows_column column, const struct words_one *one)
{
	const struct field *field = rows_field(column);
	const struct plot_axis axis = { .is_size = field->unit && !strcmp(field->unit, "bytes") };
	char text[PLOT_TEXT];

	xml_text(out, isnan(one->number) ? one->text :
		      plot_number(&axis, one->number, text, sizeof(text)));
}

static void print_all_values(FILE *out, const struct rows *rows, enum rows_column column)
{
	const uint32_t n = rows_n_words(rows, column);

	for (uint32_t word = 1; word < n && word <= VALUES_MAX; word++) {
		fputs(word > 1 ? ", " : "", out);
		print_number_or_text(out, column, rows_word_value(rows, column, word));
	}
	if (n > VALUES_MAX + 1)
		fprintf(out, " and %u more", n - VALUES_MAX - 1);
}

static void print_settings(FILE *out, const struct page *page, bool varying)
{
	fputs("<div class='scroll' tabindex='0'><table class='words'>\n", out);
	for (size_t i = 0; i < axes_n; i++) {
		const enum rows_column column = axes[i].column;

		if (!is_setting(&axes[i]) || rows_is_constant(page->rows, column) == varying ||
		    (!varying && rows_word(page->rows, column, 0) == WORDS_ABSENT))
			continue;
		print_name(out, column);
		print_all_values(out, page->rows, column);
		print_help(out, column);
	}
	fputs("</table></div>\n", out);
}

void page_settings(FILE *out, const struct page *page)
{
	if (!page->rows->n)
		return;
	fputs("<h3>That vary</h3>\n", out);
	print_settings(out, page, true);
	fputs("<h3>Of all rows</h3>\n", out);
	print_settings(out, page, false);
}

/* ---- remarks */

struct remarks {
	FILE *out;
	bool any;
};

static void print_remark(void *arg, const char *note)
{
	struct remarks *r = arg;

	fputs(r->any ? "<li>" : "<ul>\n<li>", r->out);
	xml_text(r->out, note);
	fputs("</li>\n", r->out);
	r->any = true;
}

void page_remarks(FILE *out, const struct page *page)
{
	struct remarks r = { .out = out };

	measured_notes(page->rows, print_remark, &r);
	fputs(r.any ? "</ul>\n" : "<p>Every row is ok and has no warning.</p>\n", out);
}

/* ---- method */

/* Of the figures that people ask about first. */
static const enum rows_column explained[] = {
	ROWS_bandwidth_gbit_s, ROWS_message_rate_per_s, ROWS_counted_by, ROWS_lat_kind,
	ROWS_lat_p50_ns, ROWS_lat_p99_ns, ROWS_lat_p99_9_ns, ROWS_lat_max_ns, ROWS_cpu_ns_per_msg,
	ROWS_peer_cpu_ns_per_msg, ROWS_status,
};

void page_method(FILE *out)
{
	fputs("<p>A row is one result: one test, one size, one window of time. Bandwidth is the payload of the messages of that window, by the side that sees them complete; sizes with k, M and G are binary, rates are decimal. Latency percentiles are of all samples; one that needs more samples than there are is absent. A point of a picture is the median of all rows with the same settings.</p>\n",
	      out);
	fputs("<p>More: docs/method.md (what each timed region contains), docs/placement.md (cores and memory), docs/schema.md (all columns) of verbench, and the manual pages verbench(1) and verbench-row(5).</p>\n<div class='scroll' tabindex='0'><table class='words'>\n",
	      out);
	for (size_t i = 0; i < sizeof(explained) / sizeof(explained[0]); i++) {
		print_name(out, explained[i]);
		fputs(rows_field(explained[i])->unit ? rows_field(explained[i])->unit : "", out);
		print_help(out, explained[i]);
	}
	fputs("</table></div>\n", out);
}
