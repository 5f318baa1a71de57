/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The cells of the table; see table.h. Results are scaled, not computed. */
#include "config.h"
#include "table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "util/histogram.h"
#include "util/minmax.h"
#include "util/text.h"

#define CELL_TEXT 64
#define MARK_WIDTH 6     /* " [1,2]" behind a row */
#define SENTENCE_TEXT 256

/* Which tables have a column: all bits of it. */
enum {
	LAT = 1u << 0,
	BW = 1u << 1,
	LOSSY = 1u << 2,  /* messages may be lost and are counted */
	BIDIR = 1u << 3,
	GROUP = 1u << 4,  /* a row for each receiver */
	OPEN = 1u << 5,   /* an open loop; neither LAT nor BW */
};

enum cell {
	BYTES, COUNT, REAL, TEXT,
	WAY,      /* the direction in four characters */
	RECEIVER
};

struct column {
	const char *group; /* above this head and those up to the column of last */
	size_t last;
	const char *head;
	enum cell cell;
	size_t off;
	double scale;      /* REAL: what one unit is in the unit of the row */
	int decimals;
	/* width with the blank before it; 0: not in this layout */
	int narrow, wide, brief;
	unsigned int when;
	uint64_t num, den; /* the quantile; 0/1: none, needs no minimum of samples */
};

#define DROP_MOST 2

#define AT(f) offsetof(struct row, f)
#define CPU "CPU ns/msg"
#define SAMPLE ""    /* the group is struct columns.sample */

static const struct column all[] = {
	{ NULL, 0, "bytes", BYTES, AT(size_bytes), 0, 0, 7, 11, 7, 0, 0, 1 },
	{ NULL, 0, "way", WAY, AT(direction), 0, 0, 5, 0, 5, BIDIR, 0, 1 },
	{ NULL, 0, "direction", TEXT, AT(direction), 0, 0, 0, 11, 0, BIDIR, 0, 1 },
	{ NULL, 0, "counted_by", TEXT, AT(counted_by), 0, 0, 0, 12, 0, BIDIR, 0, 1 },
	{ NULL, 0, "receiver", RECEIVER, AT(receiver), 0, 0, 0, 11, 11, GROUP, 0, 1 },
	{ NULL, 0, "messages", COUNT, AT(messages), 0, 0, 11, 12, 0, BW, 0, 1 },
	{ NULL, 0, "samples", COUNT, AT(lat_samples), 0, 0, 8, 12, 0, LAT, 0, 1 },
	{ NULL, 0, "messages", COUNT, AT(messages), 0, 0, 8, 12, 0, OPEN, 0, 1 },
	{ NULL, 0, "sent", COUNT, AT(sent_messages), 0, 0, 0, 12, 0, BW | LOSSY, 0, 1 },
	{ NULL, 0, "received", COUNT, AT(received_messages), 0, 0, 0, 12, 0, BW | LOSSY, 0, 1 },
	{ NULL, 0, "lost", COUNT, AT(lost), 0, 0, 0, 12, 0, LOSSY, 0, 1 },
	{ NULL, 0, "Gbit/s", REAL, AT(bandwidth_gbit_s), 1, 4, 10, 12, 10, BW, 0, 1 },
	{ NULL, 0, "MiB/s", REAL, AT(bandwidth_mib_s), 1, 2, 10, 12, 0, BW, 0, 1 },
	{ NULL, 0, "Mmsg/s", REAL, AT(message_rate_per_s), 1e6, 5, 9, 12, 9, BW, 0, 1 },
	{ "link", AT(bandwidth_pct_of_link), "%", REAL, AT(bandwidth_pct_of_link), 1, 1, 6, 7, 6, BW,
	  0, 1 },
	{ SAMPLE, AT(lat_mean_ns), "min", REAL, AT(lat_min_ns), 1e3, 3, 7, 11, 0, LAT, 0, 1 },
	{ NULL, 0, "p50", REAL, AT(lat_p50_ns), 1e3, 3, 8, 11, 8, LAT, 50, 100 },
	{ NULL, 0, "p90", REAL, AT(lat_p90_ns), 1e3, 3, 0, 11, 0, LAT, 90, 100 },
	{ NULL, 0, "p99", REAL, AT(lat_p99_ns), 1e3, 3, 8, 11, 8, LAT, 99, 100 },
	{ NULL, 0, "p99.9", REAL, AT(lat_p99_9_ns), 1e3, 3, 8, 11, 8, LAT, 999, 1000 },
	{ NULL, 0, "p99.99", REAL, AT(lat_p99_99_ns), 1e3, 3, 0, 11, 0, LAT, 9999, 10000 },
	{ NULL, 0, "max", REAL, AT(lat_max_ns), 1e3, 3, 8, 11, 8, LAT, 0, 1 },
	{ NULL, 0, "mean", REAL, AT(lat_mean_ns), 1e3, 3, 7, 11, 0, LAT, 0, 1 },
	{ NULL, 0, "stdev", REAL, AT(lat_stdev_ns), 1e3, 3, 0, 11, 0, LAT, 0, 1 },
	{ NULL, 0, "msg/s", REAL, AT(message_rate_per_s), 1, 1, 9, 12, 9, OPEN, 0, 1 },
	{ NULL, 0, "backlog", COUNT, AT(backlog_max_messages), 0, 0, 0, 10, 0, OPEN, 0, 1 },
	{ NULL, 0, "unsent", COUNT, AT(unsent_messages), 0, 0, 0, 10, 0, OPEN, 0, 1 },
	{ "service, us", AT(service_max_ns), "p50", REAL, AT(service_p50_ns), 1e3, 3, 8, 11, 0, OPEN, 0, 1 },
	{ NULL, 0, "p99", REAL, AT(service_p99_ns), 1e3, 3, 8, 11, 0, OPEN, 0, 1 },
	{ NULL, 0, "max", REAL, AT(service_max_ns), 1e3, 3, 0, 11, 0, OPEN, 0, 1 },
	{ "response, us", AT(response_max_ns), "p50", REAL, AT(response_p50_ns), 1e3, 3, 9, 11, 9, OPEN,
	  50, 100 },
	{ NULL, 0, "p99", REAL, AT(response_p99_ns), 1e3, 3, 8, 11, 8, OPEN, 99, 100 },
	{ NULL, 0, "p99.9", REAL, AT(response_p99_9_ns), 1e3, 3, 8, 11, 8, OPEN, 999, 1000 },
	{ NULL, 0, "max", REAL, AT(response_max_ns), 1e3, 3, 0, 11, 0, OPEN, 0, 1 },
	{ "late, us", AT(late_max_ns), "p99", REAL, AT(late_p99_ns), 1e3, 3, 9, 11, 0, OPEN, 0, 1 },
	{ NULL, 0, "max", REAL, AT(late_max_ns), 1e3, 3, 0, 11, 0, OPEN, 0, 1 },
	{ CPU, AT(peer_cpu_ns_per_msg), "own", REAL, AT(cpu_ns_per_msg), 1, 1, 0, 10, 0, OPEN, 0, 1 },
	{ NULL, 0, "peer", REAL, AT(peer_cpu_ns_per_msg), 1, 1, 0, 10, 0, OPEN, 0, 1 },
	{ CPU, AT(peer_cpu_ns_per_msg), "own", REAL, AT(cpu_ns_per_msg), 1, 1, 8, 10, 8, BW, 0, 1 },
	{ NULL, 0, "peer", REAL, AT(peer_cpu_ns_per_msg), 1, 1, 8, 10, 8, BW, 0, 1 },
	{ CPU, AT(peer_cpu_ns_per_msg), "own", REAL, AT(cpu_ns_per_msg), 1, 0, 6, 10, 6, LAT, 0, 1 },
	{ NULL, 0, "peer", REAL, AT(peer_cpu_ns_per_msg), 1, 0, 6, 10, 6, LAT, 0, 1 },
};

#define N_COLUMNS (sizeof(all) / sizeof(all[0]))

/* In the table of a sweep it gives way to other columns, 1 first; 0: never. */
static int rank_of(const struct column *column)
{
	if (column->off == AT(bandwidth_mib_s) || column->off == AT(lat_mean_ns))
		return 1;
	return column->off == AT(lat_min_ns) ? DROP_MOST : 0;
}

/* With the blank before it; 0: the table does not have the column. */
static int width_of(const struct columns *c, const struct column *column)
{
	const int width = c->brief ? column->brief : c->wide ? column->wide : column->narrow;

	if (!width || (column->when & c->has) != column->when ||
	    (rank_of(column) && rank_of(column) <= c->dropped))
		return 0;
	if (column->cell == BYTES && width < c->bytes_width)
		return c->bytes_width;
	if (column->cell == COUNT && !c->wide && column->when & (BW | LAT | OPEN))
		return c->messages_width;
	if (column->cell == RECEIVER && width < c->receiver_width + 2)
		return c->receiver_width + 2;
	return width;
}

static int whole_width(const struct columns *c)
{
	int width = 0;

	for (size_t i = 0; i < N_COLUMNS; i++)
		width += width_of(c, &all[i]);
	return width;
}

/* As the row has them: a name of more characters is cut there. */
static int width_of_receivers(const struct event_plan *run)
{
	size_t width = strlen("receiver");

	for (uint32_t i = 0; i < run->n_receivers; i++) {
		const size_t len = strnlen(run->receivers[i].name, ROW_NAME - 1);

		width = len > width ? len : width;
	}
	return (int)width;
}

/* A long size takes columns from the counts: few of such messages are sent. */
static void fit_sizes(struct columns *c, const struct plan *plan)
{
	uint64_t most = 0;
	char text[CELL_TEXT];

	for (uint32_t i = 0; i < plan->n_points; i++)
		most = max_u64(most, plan_longest_bytes(plan, &plan->points[i]));
	c->bytes_width = snprintf(text, sizeof(text), "%" PRIu64, most);
	c->messages_width = c->has & BW ? 11 : 8;
	if (c->has & BW && c->bytes_width > 7)
		c->messages_width = 9;
}

void columns_choose(struct columns *c, const struct event_plan *run,
		    const struct format_screen *screen)
{
	const struct plan *plan = run->plan;
	const bool stream = plan->work.pattern == PATTERN_STREAM;
	const bool lossy = kind_is_lossy(plan->work.kind.tp) &&
			   (!stream || kind_takes_recv(plan->work.kind.op));

	*c = (struct columns){
		.has = (plan_is_open(plan) ? OPEN : stream ? BW : LAT) | (lossy ? LOSSY : 0u) |
		       (plan->work.bidir ? BIDIR : 0u) | (run->n_receivers ? GROUP : 0u),
		.sample = plan->work.pattern == PATTERN_PINGPONG ?
				  "half a round trip, in us" : "from post to completion, in us",
		.receiver_width = width_of_receivers(run),
		.wide = true,
	};
	fit_sizes(c, plan);
	c->wide = screen->wide || whole_width(c) + MARK_WIDTH <= screen->width;
	c->width = whole_width(c);
}

void columns_choose_sweep(struct columns *c, const struct event_plan *run,
			  const struct format_screen *screen, bool one_test, int others)
{
	columns_choose(c, run, screen);
	c->brief = !screen->wide && !one_test;
	c->wide = screen->wide ||
		  (one_test && c->wide && c->width + others + MARK_WIDTH <= screen->width);
	while (!c->wide && one_test && c->dropped < DROP_MOST &&
	       whole_width(c) + others + COLUMNS_SWEEP_MARK > screen->width)
		c->dropped++;
	c->width = whole_width(c);
}

/* ---- figures */

static uint64_t count_of(const struct row *row, size_t off)
{
	uint64_t v;

	memcpy(&v, (const char *)row + off, sizeof(v));
	return v;
}

static double real_of(const struct row *row, size_t off)
{
	double v;

	memcpy(&v, (const char *)row + off, sizeof(v));
	return v;
}

static bool is_figure(const struct column *column)
{
	return column->cell == COUNT || column->cell == REAL;
}

void columns_figures(const struct row *row, double figures[COLUMNS_FIGURES])
{
	_Static_assert(N_COLUMNS == COLUMNS_FIGURES, "a place for each column");
	for (size_t i = 0; i < N_COLUMNS; i++) {
		figures[i] = NAN;
		if (all[i].cell == REAL)
			figures[i] = real_of(row, all[i].off);
		else if (is_figure(&all[i]) && count_of(row, all[i].off) != ROW_NONE)
			figures[i] = (double)count_of(row, all[i].off);
	}
}

void columns_set_figures(struct row *row, const double figures[COLUMNS_FIGURES])
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		char *at = (char *)row + all[i].off;
		const uint64_t count = isnan(figures[i]) ? ROW_NONE : (uint64_t)llround(figures[i]);

		if (all[i].cell == REAL)
			memcpy(at, &figures[i], sizeof(figures[i]));
		else if (is_figure(&all[i]))
			memcpy(at, &count, sizeof(count));
	}
}

/* ---- heads */

/* The columns of the group that begins with column i. */
static int group_width(const struct columns *c, size_t i)
{
	const size_t last = all[i].last;
	int width = width_of(c, &all[i]);

	while (all[i].off != last)
		width += width_of(c, &all[++i]);
	return width;
}

void columns_print_groups(FILE *out, const struct columns *c)
{
	int col = 0, at = 0;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		const int width = width_of(c, &all[i]);
		const char *text = all[i].group;

		if (text && group_width(c, i)) {
			if (!*text)
				text = c->sample;
			/* to the right, below which the figures end */
			col += fprintf(out, "%*s", at + group_width(c, i) - col, text);
		}
		at += width;
	}
	putc('\n', out);
}

static void print_text(FILE *out, const struct columns *c, const struct column *column,
		       const char *text)
{
	const int width = width_of(c, column);

	if (column->cell == TEXT || column->cell == RECEIVER)
		fprintf(out, "  %-*s", width - 2, text);
	else if (column->cell == BYTES)
		fprintf(out, "%*s", width, text);
	else
		fprintf(out, " %*s", width - 1, text);
}

void columns_print_names(FILE *out, const struct columns *c, const char *beside)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (width_of(c, &all[i]))
			print_text(out, c, &all[i], all[i].head);
	fprintf(out, "%s\n", beside);
}

/* ---- rows */

static const char *count_text(uint64_t v, char text[CELL_TEXT])
{
	snprintf(text, CELL_TEXT, "-");
	if (v != ROW_NONE)
		snprintf(text, CELL_TEXT, "%" PRIu64, v);
	return text;
}

/*
 * As many decimals as the column has, fewer if the number is too long, then thousands or millions.
 * A figure has an exponent if the decimals leave less than two digits of it.
 */
static const char *real_text(const struct column *column, double v, int width, char text[CELL_TEXT])
{
	int decimals = column->decimals;

	snprintf(text, CELL_TEXT, "-");
	if (!isfinite(v))
		return text;
	if (decimals > 1 && v > 0 && v < pow(10, 1 - decimals)) {
		snprintf(text, CELL_TEXT, width > 8 ? "%.2e" : "%.1e", v);
		return text;
	}
	do
		snprintf(text, CELL_TEXT, "%.*f", decimals, v);
	while ((int)strlen(text) >= width && decimals--);
	if ((int)strlen(text) >= width)
		snprintf(text, CELL_TEXT, "%.0fk", v / 1e3);
	if ((int)strlen(text) >= width)
		snprintf(text, CELL_TEXT, "%.0fM", v / 1e6);
	return text;
}

static const char *way_text(const struct row *row)
{
	return row->direction == ROW_TO_SERVER ? "c->s" :
	       row->direction == ROW_TO_CLIENT ? "s->c" : "both";
}

/* A row without a message says why in the place of their number. */
static bool says_status(const struct column *column, const struct row *row)
{
	const bool counts = column->off == AT(messages) || column->off == AT(lat_samples);

	return counts && count_of(row, column->off) == ROW_NONE &&
	       row->status != RESULT_OK;
}

/* Of an interval: when it ended, in the place of the size, which is that of the row below. */
static const char *size_text(const struct row *row, char text[CELL_TEXT])
{
	const uint64_t window_ns = row->window_ns == ROW_NONE ? 0 : row->window_ns;
	const double end_s = (double)(row->interval_start_ns + window_ns) / 1e9;

	/* the sum of two sizes has none */
	if (!row_is_interval(row))
		return count_text(row->window_bytes == ROW_NONE ? row->size_bytes : ROW_NONE, text);
	snprintf(text, CELL_TEXT, "%.*fs", end_s < 100 ? 2 : end_s < 1000 ? 1 : 0, end_s);
	return text;
}

static void print_cell(FILE *out, const struct columns *c, const struct column *column,
		       const struct row *row)
{
	char cell[CELL_TEXT];

	switch (column->cell) {
	case BYTES:
		print_text(out, c, column, size_text(row, cell));
		break;
	case COUNT:
		print_text(out, c, column, says_status(column, row) ? ROW_TEXT_OF(row, status) :
			   count_text(count_of(row, column->off), cell));
		break;
	case REAL:
		print_text(out, c, column,
			   real_text(column, real_of(row, column->off) / column->scale,
				     width_of(c, column), cell));
		break;
	case WAY:
		print_text(out, c, column, way_text(row));
		break;
	case TEXT:
	case RECEIVER:
		print_text(out, c, column,
			   text_clean(row_text(row, column->off), cell, sizeof(cell)));
		break;
	}
}

void columns_print_row(FILE *out, const struct columns *c, const struct row *row)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (width_of(c, &all[i]))
			print_cell(out, c, &all[i], row);
}

void columns_print_below(FILE *out, const struct columns *c, const struct row *row, int width)
{
	const int indent = c->bytes_width > 7 ? c->bytes_width + 1 : 8;
	char text[SENTENCE_TEXT], sent[CELL_TEXT], received[CELL_TEXT], lost[CELL_TEXT];
	char name[ROW_NAME];
	int len = 0;

	if (c->wide || !(c->has & (LOSSY | GROUP)) || (row_is_interval(row) && !(c->has & GROUP)))
		return;
	if (c->has & GROUP)
		len = snprintf(text, sizeof(text), "%s: ",
			       text_clean(row->receiver, name, sizeof(name)));
	count_text(row->lost, lost);
	if (c->has & LAT || (c->has & OPEN && row->pattern != PATTERN_STREAM))
		snprintf(text + len, sizeof(text) - (size_t)len, "lost %s", lost);
	else
		snprintf(text + len, sizeof(text) - (size_t)len, "sent %s, received %s, lost %s",
			 count_text(row->sent_messages, sent),
			 count_text(row->received_messages, received), lost);
	fprintf(out, "%*s", indent, "");
	screen_wrap(out, text, (struct screen_place){ indent, indent, width });
}

const char *columns_missing(const struct columns *c, const struct row *row, char *text,
			    size_t size)
{
	const bool samples = c->has & OPEN ? isfinite(row->response_mean_ns) :
			     c->has & LAT && row->lat_samples && row->lat_samples != ROW_NONE;
	size_t len = 0;

	text[0] = '\0';
	if (!samples)
		return text;
	for (size_t i = 0; i < N_COLUMNS && len < size; i++)
		if (all[i].num && width_of(c, &all[i]) && !isfinite(real_of(row, all[i].off)))
			len += (size_t)snprintf(text + len, size - len, "%s%s needs %" PRIu64,
						len ? ", " : "", all[i].head,
						histogram_samples_needed(all[i].num, all[i].den));
	return text;
}
