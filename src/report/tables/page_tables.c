/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the tables of a page; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <math.h>
#include <string.h>

#include "pictures/plot.h"
#include "row/row.h"
#include "read/axes.h"

#define VALUES_MAX 40 /* of a setting that varies; the rest is a number */

/* A box that scrolls can be reached by the keyboard. */
#define TABLE_BEGINS "<div class='scroll' tabindex='0'><table>\n"
#define WORDS_BEGIN "<div class='scroll' tabindex='0'><table class='words'>\n"
/* The same without heads: on a phone the cells of a line stand below each other. */
#define LINES_BEGIN "<div class='scroll' tabindex='0'><table class='words lines'>\n"
#define TABLE_ENDS "</table></div>\n"

void page_rest(FILE *out, size_t n)
{
	if (n > PAGE_LINES)
		plot_html(out, "<p class='quiet'>%zu more lines are not shown.</p>\n", n - PAGE_LINES);
}

/* ---- the tables of the report */

/* "bandwidth_gbit_s_min" is a column of rows with a word behind it. */
static const struct field *field_of(const char *key)
{
	const char *end = strrchr(key, '_');
	const struct field *field = field_find(&row_table, key);
	char name[ROW_NAME];

	if (field || !end || (size_t)(end - key) >= sizeof(name))
		return field;
	snprintf(name, sizeof(name), "%.*s", (int)(end - key), key);
	return field_find(&row_table, name);
}

/* Latencies are in us, as in the table of a test. */
static bool is_in_us(const struct field *field)
{
	return field && measured_is_latency(field);
}

/* Least, most and interval of repeats stand in the cell of their figure: so more of these fit. */
static bool has_spread(const struct sheet *sheet, size_t c)
{
	return sheet->repeats && sheet->columns[c].role == SHEET_FIGURE &&
	       c + 2 < sheet->n_columns && sheet->columns[c + 1].role == SHEET_SPREAD &&
	       sheet->columns[c + 2].role == SHEET_SPREAD &&
	       !strcmp(sheet->columns[c + 1].head, "min");
}

static bool is_column(const struct sheet *sheet, size_t c)
{
	bool below = false;

	for (size_t back = 1; back <= 4 && back <= c; back++)
		below |= has_spread(sheet, c - back) &&
			 sheet->columns[c].role == (back <= 2 ? SHEET_SPREAD : SHEET_INTERVAL);
	return sheet_is_shown(sheet, c) && !below;
}

/* A long name may be broken behind a '_'. */
static void put_name(FILE *out, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char one[] = { name[i], '\0' };

		plot_text(out, one);
		if (name[i] == '_')
			fputs("<wbr/>", out);
	}
}

static void print_head(FILE *out, const struct sheet_column *column)
{
	const struct field *field = field_of(column->key);
	const bool us = is_in_us(field);
	const size_t len = strlen(column->key) - (us ? strlen("_ns") : 0);

	fputs(column->is_text ? "<th scope='col'" : "<th scope='col' class='n'", out);
	plot_html(out, " title='%s'>", field ? field->help : "");
	put_name(out, column->key, len);
	if (field && field->unit)
		plot_html(out, " <small>%s</small>", us ? "us" : field->unit);
	fputs("</th>", out);
}

/* "1 to 2", of two columns. */
static void print_range(FILE *out, const struct sheet_cell cells[2], double per, const char *before)
{
	char text[SHEET_NUMBER];

	if (isnan(cells[0].number))
		return;
	plot_html(out, "<small>%s%s", before, sheet_number_text(cells[0].number / per, text));
	plot_html(out, " to %s</small>", sheet_number_text(cells[1].number / per, text));
}

/* A figure with what the next columns say of it: least and most, and the interval, if any. */
static void print_figure(FILE *out, const struct sheet *sheet, size_t row, size_t c)
{
	const struct sheet_cell *cell = &sheet->cells[row * sheet->n_columns + c];
	const double per = is_in_us(field_of(sheet->columns[c].key)) ? 1e3 : 1;
	char text[SHEET_NUMBER];

	plot_html(out, "<td class='n'>%s",
		  cell->text ? cell->text : sheet_number_text(cell->number / per, text));
	if (has_spread(sheet, c)) {
		print_range(out, cell + 1, per, "");
		if (c + 4 < sheet->n_columns && sheet->columns[c + 3].role == SHEET_INTERVAL)
			print_range(out, cell + 3, per, "95 %: ");
	}
	fputs("</td>", out);
}

static void print_sheet(FILE *out, const struct sheet *sheet)
{
	char text[SHEET_NUMBER];

	if (sheet->title)
		plot_html(out, "<h3>%s</h3>\n", sheet->title);
	fputs(TABLE_BEGINS "<tr>", out);
	for (size_t c = 0; c < sheet->n_columns; c++)
		if (is_column(sheet, c))
			print_head(out, &sheet->columns[c]);
	for (size_t row = 0; row < sheet->n_rows && row < PAGE_LINES; row++) {
		fputs("</tr>\n<tr>", out);
		for (size_t c = 0; c < sheet->n_columns; c++)
			if (is_column(sheet, c) && sheet->columns[c].is_text)
				plot_html(out, "<td>%s</td>", sheet_cell_text(sheet, row, c, text));
			else if (is_column(sheet, c))
				print_figure(out, sheet, row, c);
	}
	fputs("</tr>\n" TABLE_ENDS, out);
	page_rest(out, sheet->n_rows);
}

void page_sheets(FILE *out, const struct report *r)
{
	for (size_t i = 0; i < r->n_sheets; i++)
		print_sheet(out, &r->sheets[i]);
}

/* ---- the values of a picture */

/* The first point from i on that is shown. */
static size_t shown(const struct plot_curve *curve, size_t i)
{
	while (i < curve->n && curve->points[i].bare)
		i++;
	return i;
}

/* The least x of the next points of all curves; INFINITY: there is none. */
static double next_x(const struct plot *plot, const size_t next[PLOT_CURVES])
{
	double x = INFINITY;

	for (size_t c = 0; c < plot->n_curves; c++)
		if (next[c] < plot->curves[c].n)
			x = fmin(x, plot->curves[c].points[next[c]].x);
	return x;
}

static void print_values(FILE *out, const struct plot *plot, size_t next[PLOT_CURVES], double x)
{
	char text[PLOT_TEXT];

	plot_html(out, "<tr><td>%s</td>", plot_x(plot, x, text, sizeof(text)));
	for (size_t c = 0; c < plot->n_curves; c++) {
		const struct plot_curve *curve = &plot->curves[c];
		const bool is_there = next[c] < curve->n && curve->points[next[c]].x == x;

		plot_html(out, "<td class='n'>%s</td>", !is_there ? "-" :
			  plot_number(&plot->y, curve->points[next[c]].y, text, sizeof(text)));
		if (is_there)
			next[c] = shown(curve, next[c] + 1);
	}
	fputs("</tr>\n", out);
}

void page_values(FILE *out, const struct plot *plot)
{
	size_t next[PLOT_CURVES] = { 0 }, n = 0;

	plot_html(out, "<p>%s</p>\n" TABLE_BEGINS "<tr><th scope='col'>%s</th>", plot->y.label,
		  plot->x.label);
	for (size_t c = 0; c < plot->n_curves; c++) {
		plot_html(out, "<th scope='col' class='n'>%s</th>", plot->curves[c].name);
		next[c] = shown(&plot->curves[c], 0);
	}
	fputs("</tr>\n", out);
	for (; n < PAGE_LINES && !isinf(next_x(plot, next)); n++)
		print_values(out, plot, next, next_x(plot, next));
	fputs(TABLE_ENDS, out);
	if (!isinf(next_x(plot, next)))
		fputs("<p class='quiet'>More lines are not shown.</p>\n", out);
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
	{ "kernel", ROWS_kernel, ROWS_peer_kernel },
	{ "CPU model", ROWS_cpu_model, ROWS_peer_cpu_model },
	{ "governor", ROWS_governor, ROWS_peer_governor },
	{ "CPUs", ROWS_cpus, ROWS_peer_cpus },
	{ "NUMA nodes", ROWS_nodes, ROWS_peer_nodes },
	{ "placement", ROWS_placement, ROWS_peer_placement },
};

/* A cell with the values of a column in the rows of a pair: up to four of them. */
static void print_values_of(FILE *out, const struct groups *hosts, size_t pair,
			    enum rows_column column)
{
	uint32_t seen[4];
	size_t n = 0, i;

	fputs("<td>", out);
	for (uint32_t at = hosts->begin[pair]; at < hosts->begin[pair + 1]; at++) {
		const uint32_t word = rows_word(hosts->rows, column, hosts->members[at]);

		for (i = 0; i < n && seen[i] != word; i++)
			;
		if (word == WORDS_ABSENT || i < n)
			continue;
		fputs(n ? ", " : "", out);
		if (n == sizeof(seen) / sizeof(seen[0])) {
			fputs("...", out);
			break;
		}
		seen[n++] = word;
		plot_text(out, rows_word_value(hosts->rows, column, word)->text);
	}
	fputs(n ? "</td>" : "-</td>", out);
}

/* Does a row of the report have a value? */
static bool is_known(const struct groups *hosts, enum rows_column column)
{
	return rows_n_words(hosts->rows, column) > 1;
}

/* Both ends of the rows between the same hosts and devices; no line for what no row tells. */
static void print_pair(FILE *out, const struct groups *hosts, size_t pair)
{
	static const enum rows_column link[] = { ROWS_link_layer, ROWS_link_gbit_s, ROWS_netdev };

	fputs(WORDS_BEGIN "<tr><th></th><th scope='col'>wrote the rows</th><th scope='col'>peer</th></tr>\n",
	      out);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (!is_known(hosts, ends[i].own) && !is_known(hosts, ends[i].peer))
			continue;
		plot_html(out, "<tr><td>%s</td>", ends[i].name);
		print_values_of(out, hosts, pair, ends[i].own);
		print_values_of(out, hosts, pair, ends[i].peer);
		fputs("</tr>\n", out);
	}
	for (size_t i = 0; i < sizeof(link) / sizeof(link[0]); i++) {
		const struct field *field = rows_field(link[i]);
		char words[PLOT_TEXT];

		if (!is_known(hosts, link[i]))
			continue;
		plot_html(out, field->unit ? "<tr><td>%s (%s)</td>" : "<tr><td>%s</td>",
			  plot_words(field, words, sizeof(words)), field->unit);
		print_values_of(out, hosts, pair, link[i]);
		fputs("<td></td></tr>\n", out);
	}
	fputs(TABLE_ENDS, out);
}

void page_hosts(FILE *out, const struct report *r)
{
	static const enum rows_column both[] = {
		ROWS_host, ROWS_device, ROWS_peer_host, ROWS_peer_device,
	};
	struct groups hosts;

	groups_make(&hosts, &r->rows, both, FIELD_COUNT(both));
	for (size_t i = 0; i < hosts.n && i < VALUES_MAX; i++)
		print_pair(out, &hosts, i);
	if (hosts.n > VALUES_MAX)
		plot_html(out, "<p class='quiet'>%zu more pairs of hosts are not shown.</p>\n",
			  hosts.n - VALUES_MAX);
	groups_free(&hosts);
}

/* ---- settings */

static void print_all_values(FILE *out, const struct rows *rows, enum rows_column column)
{
	const struct field *field = rows_field(column);
	const struct plot_axis axis = { .is_size = field->unit && !strcmp(field->unit, "bytes") };
	const uint32_t n = rows_n_words(rows, column);
	char text[PLOT_TEXT];

	for (uint32_t word = 1; word < n && word <= VALUES_MAX; word++) {
		const struct words_one *one = rows_word_value(rows, column, word);

		fputs(word > 1 ? ", " : "", out);
		plot_text(out, isnan(one->number) ? one->text :
			      plot_number(&axis, one->number, text, sizeof(text)));
	}
	if (n > VALUES_MAX + 1)
		plot_html(out, " and %u more", n - VALUES_MAX - 1);
}

static void print_settings(FILE *out, const struct rows *rows, bool varying)
{
	fputs(LINES_BEGIN, out);
	for (size_t i = 0; i < axes_n; i++) {
		const enum rows_column column = axes[i].column;
		const bool is_place = axes[i].flags & AXES_PLACE && column != ROWS_tool_version;

		if (is_place || rows_is_constant(rows, column) == varying ||
		    (!varying && rows_word(rows, column, 0) == WORDS_ABSENT))
			continue;
		plot_html(out, "<tr><td>%s</td><td>", rows_field(column)->name);
		print_all_values(out, rows, column);
		plot_html(out, "</td><td class='quiet'>%s</td></tr>\n", rows_field(column)->help);
	}
	fputs(TABLE_ENDS, out);
}

void page_settings(FILE *out, const struct report *r)
{
	if (!r->rows.n)
		return;
	fputs("<h3>That vary</h3>\n", out);
	print_settings(out, &r->rows, true);
	fputs("<h3>Of all rows</h3>\n", out);
	print_settings(out, &r->rows, false);
}

/* ---- method */

/* Of the figures that people ask about first. */
static const enum rows_column explained[] = {
	ROWS_bandwidth_gbit_s, ROWS_message_rate_per_s, ROWS_counted_by, ROWS_lat_kind,
	ROWS_lat_p50_ns, ROWS_lat_p99_ns, ROWS_lat_p99_9_ns, ROWS_lat_max_ns, ROWS_cpu_ns_per_msg,
	ROWS_peer_cpu_ns_per_msg, ROWS_status,
};

void page_method(FILE *out, const struct report *r)
{
	(void)r;
	fputs("<p>A row is one result: one test, one size, one window of time. Bandwidth is the payload of the messages of that window, by the side that sees them complete; sizes with k, M and G are binary, rates are decimal. Latency percentiles are of all samples; one that needs more samples than there are is absent. A point of a picture is the median of all rows with the same settings.</p>\n",
	      out);
	fputs("<p>More: docs/method.md (what each timed region contains), docs/placement.md (cores and memory) of verbench, and the manual pages verbench(1) and verbench-row(5), which has all columns.</p>\n" LINES_BEGIN,
	      out);
	for (size_t i = 0; i < sizeof(explained) / sizeof(explained[0]); i++) {
		const struct field *field = rows_field(explained[i]);

		plot_html(out, "<tr><td>%s</td><td>%s</td><td class='quiet'>%s</td></tr>\n", field->name,
			  field->unit ? field->unit : "", field->help);
	}
	fputs(TABLE_ENDS, out);
}
