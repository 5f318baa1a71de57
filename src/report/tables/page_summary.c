/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what a page says first: whether its rows were disturbed, and what is typical of them; see
 * tables.h. A figure depends on the size, so each card is of one size: rates that the link limits
 * of the largest, all else of the smallest.
 */
#include "config.h"
#include "tables/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/plot.h"
#include "read/axes.h"
#include "util/must.h"

/* ---- the banner */

static bool is_disturbed(const struct report *r, size_t row)
{
	return !r->skip[row] && measured_disturbed(&r->rows, row);
}

void page_banner(FILE *out, const struct report *r)
{
	size_t n = 0, disturbed = 0;

	for (size_t row = 0; row < r->rows.n; row++) {
		n += !r->skip[row];
		disturbed += is_disturbed(r, row);
	}
	if (!disturbed)
		return;
	plot_html(out, "<p class='note' id='disturbed'><strong>%zu of %zu rows %s disturbed.</strong> ",
		  disturbed, n, disturbed == 1 ? "was" : "were");
	fputs("Something else than the test changed their figures; <a href='#remarks'>remarks</a> say what.", out);
	fputs(r->matrix ? "</p>\n" : " In pictures a ring marks them.</p>\n", out);
}

/* ---- cards */

static const struct figure {
	enum rows_column column;
	bool latency;      /* of latency tests */
	bool largest;      /* of the largest size, as opposed to the smallest */
	const char *what;
} figures[] = {
	{ ROWS_bandwidth_gbit_s, false, true, "bandwidth" },
	{ ROWS_message_rate_per_s, false, false, "message rate" },
	{ ROWS_lat_p50_ns, true, false, "median latency" },
	{ ROWS_lat_p99_ns, true, false, "99th percentile of latency" },
	{ ROWS_cpu_ns_per_msg, false, false, "CPU time per message, bandwidth tests" },
	{ ROWS_cpu_ns_per_msg, true, false, "CPU time per message, latency tests" },
};

struct card_row {
	size_t row;
	double value;
};

/* The rows of a card: those of one size, without the disturbed ones if there are others. */
struct card {
	const struct report *r;
	const struct figure *figure;
	struct columns_named swept; /* what tells the rows from each other, beside the size */
	double size;                /* NAN: no row has one */
	bool disturbed;             /* all of them are */
	size_t left_out;            /* rows that are disturbed */
	struct card_row *rows;      /* n of them, by value; owned */
	size_t n;
};

static double value_of(const struct card *card, size_t row)
{
	return rows_number(&card->r->rows, card->figure->column, row);
}

/* A sum of several pairs or of both directions is typical of none of them. */
static bool is_sum(const struct rows *rows, size_t row)
{
	char kind[ROWS_TEXT], direction[ROWS_TEXT];

	return !strcmp(rows_text(rows, ROWS_kind, row, kind), "total") ||
	       (rows_number(rows, ROWS_bidir, row) > 0 &&
		!strcmp(rows_text(rows, ROWS_direction, row, direction), "both"));
}

static bool has_figure(const struct card *card, size_t row)
{
	const struct report *r = card->r;

	return !r->skip[row] && !isnan(value_of(card, row)) && !is_sum(&r->rows, row) &&
	       measured_is_lat(&r->rows, row) == card->figure->latency;
}

static bool is_of_size(const struct card *card, size_t row)
{
	const double size = rows_number(&card->r->rows, ROWS_size_bytes, row);

	return isnan(card->size) ? isnan(size) : size >= card->size && size <= card->size;
}

static int by_value(const void *a, const void *b)
{
	const struct card_row *x = a, *y = b;

	if (x->value < y->value || x->value > y->value)
		return x->value < y->value ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void find_rows(struct card *card)
{
	const struct report *r = card->r;
	size_t calm = 0;

	card->size = NAN;
	for (size_t row = 0; row < r->rows.n; row++) {
		const double size = rows_number(&r->rows, ROWS_size_bytes, row);

		if (has_figure(card, row))
			card->size = card->figure->largest ? fmax(card->size, size) :
							     fmin(card->size, size);
	}
	for (size_t row = 0; row < r->rows.n; row++)
		calm += has_figure(card, row) && is_of_size(card, row) && !is_disturbed(r, row);
	card->disturbed = !calm;
	card->rows = must_calloc(r->rows.n, sizeof(*card->rows));
	card->n = card->left_out = 0;
	for (size_t row = 0; row < r->rows.n; row++) {
		if (!has_figure(card, row) || !is_of_size(card, row))
			continue;
		if (calm && is_disturbed(r, row))
			card->left_out++;
		else
			card->rows[card->n++] = (struct card_row){ row, value_of(card, row) };
	}
	qsort(card->rows, card->n, sizeof(*card->rows), by_value);
}

static bool varies(const struct card *card, enum rows_column column)
{
	const struct rows *rows = &card->r->rows;

	for (size_t i = 1; i < card->n; i++)
		if (rows_word(rows, column, card->rows[i].row) !=
		    rows_word(rows, column, card->rows[0].row))
			return true;
	return false;
}

/* "write_bw, event": what tells the row from the others of the card, or the test and how it ran. */
static void put_where(FILE *out, const struct card *card, size_t row)
{
	static const struct columns_named usual = {
		.all = { ROWS_test, ROWS_transport, ROWS_completion }, .n = 3,
	};
	const struct rows *rows = &card->r->rows;
	struct columns_named columns = { .n = 0 };
	char text[2 * PLOT_TEXT] = "", word[PLOT_TEXT];

	for (size_t i = 0; i < card->swept.n; i++)
		if (varies(card, card->swept.all[i]))
			columns.all[columns.n++] = card->swept.all[i];
	columns = columns.n ? columns : usual;
	for (size_t i = 0; i < columns.n; i++) {
		const uint32_t at = rows_word(rows, columns.all[i], row);

		if (at != WORDS_ABSENT)
			plot_join(text, sizeof(text), plot_word(rows, columns.all[i], at, word,
								sizeof(word)));
	}
	plot_text(out, text);
}

/* "median of 9 rows: 4.7 Gbit/s (event) to 9.9 Gbit/s (poll)". */
static void put_range(FILE *out, const struct card *card, const struct plot_axis *axis)
{
	const struct card_row ends[] = { card->rows[0], card->rows[card->n - 1] };

	plot_html(out, "median of %zu rows: ", card->n);
	for (int i = 0; i < 2; i++) {
		const double value = ends[i].value / axis->per;
		char text[PLOT_TEXT];

		plot_html(out, "%s%s (", i ? " to " : "",
			  plot_value(axis, value, text, sizeof(text)));
		put_where(out, card, ends[i].row);
		fputs(")", out);
	}
}

static void put_card(FILE *out, const struct card *card)
{
	const struct plot_axis bytes = { .is_size = true };
	const struct card_row *a = &card->rows[(card->n - 1) / 2], *b = &card->rows[card->n / 2];
	const double median = (a->value + b->value) / 2;
	struct plot_axis axis = { .per = 1 };
	char text[PLOT_TEXT];

	plot_axis_label(&axis, rows_field(card->figure->column), NULL, median);
	plot_html(out, "<div><dt>%s", card->figure->what);
	if (!isnan(card->size))
		plot_html(out, " at %s bytes", plot_number(&bytes, card->size, text, sizeof(text)));
	plot_html(out, "</dt><dd class='value'>%s</dd><dd class='where'>",
		  plot_value(&axis, median / axis.per, text, sizeof(text)));
	if (card->n > 1)
		put_range(out, card, &axis);
	else
		put_where(out, card, a->row);
	if (card->left_out)
		plot_html(out, "; without %zu disturbed", card->left_out);
	fputs(card->disturbed ? "; <strong>disturbed</strong></dd></div>\n" : "</dd></div>\n", out);
}

/* What tells rows from each other; of settings only those that people name first. */
static void find_swept(struct card *card)
{
	static const struct columns_named size = { .all = { ROWS_size_bytes }, .n = 1 };
	static const struct columns_named also = {
		.all = { ROWS_pair, ROWS_receiver, ROWS_direction }, .n = 3,
	};
	struct columns_named all;

	axes_swept_without(&card->r->rows, card->r->skip, &size, &all);
	for (size_t i = 0; i < axes_n; i++)
		if (columns_have(&all, axes[i].column) &&
		    (axes[i].flags & AXES_HEAD || columns_have(&also, axes[i].column)))
			card->swept.all[card->swept.n++] = axes[i].column;
}

void page_cards(FILE *out, const struct report *r)
{
	struct card card = { .r = r };

	find_swept(&card);
	fputs("<dl class='cards'>\n", out);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		card.figure = &figures[i];
		find_rows(&card);
		if (card.n)
			put_card(out, &card);
		free(card.rows);
	}
	fputs("</dl>\n", out);
}
