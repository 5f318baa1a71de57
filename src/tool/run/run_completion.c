/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command compare-completion: the scenario "completion", one table of its medians, and the
 * answer in words, which follows from the table by the rule that is printed with it.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/results.h"
#include "read/axes.h"
#include "read/groups.h"
#include "run/run_sweep.h"
#include "util/must.h"
#include "util/text.h"
#include "worker/result.h"

#define CHEAPER 0.9      /* of the CPU time with polling: less than this is cheaper */
#define RATIO 32

/* A test and a size: the groups of rows that differ only by how completions are taken. */
struct line {
	uint32_t row;           /* any of its rows */
	size_t group[CM_COUNT]; /* NONE: not measured */
};

#define NONE SIZE_MAX

/* The rows of the sweep. */
struct compare {
	struct rows rows;        /* those that are ok */
	struct groups groups;    /* by test, size and completion */
	struct line *lines;      /* by test and size; owned */
	size_t n;
	uint32_t left_out;       /* rows that are not ok */
	uint32_t disturbed;      /* rows with a warning */
};

/* ---- the table */

static const struct {
	enum rows_column column;
	double scale;
	int decimals;
} figures[] = {
	{ ROWS_message_rate_per_s, 1e6, 5 }, { ROWS_bandwidth_gbit_s, 1, 4 },
	{ ROWS_lat_p50_ns, 1e3, 3 },         { ROWS_lat_p99_ns, 1e3, 3 },
	{ ROWS_lat_p99_9_ns, 1e3, 3 },       { ROWS_cpu_ns_per_msg, 1, 1 },
	{ ROWS_peer_cpu_ns_per_msg, 1, 1 },
};

#define WIDTH 8 /* of a figure */
#define N_FIGURES (sizeof(figures) / sizeof(figures[0]))

/* Over the rounds; NAN: none has it. */
static double median(const struct compare *c, const struct line *line, enum completion cm,
		     enum rows_column column)
{
	if (line->group[cm] == NONE)
		return NAN;
	return spread_of(&c->groups, line->group[cm], column, NULL).median;
}

/* Of a column that is kept as words. */
static const char *text_of(const struct compare *c, const struct line *line,
			   enum rows_column column)
{
	return rows_text(&c->rows, column, line->row, NULL);
}

/* As many decimals as fit into the width. */
static void print_figure(double v, int decimals)
{
	char text[64] = "-";

	do
		if (isfinite(v))
			snprintf(text, sizeof(text), "%.*f", decimals, v);
	while (strlen(text) >= WIDTH && decimals--);
	printf("%*s", WIDTH, text);
}

static void print_table(const struct compare *c)
{
	printf("%-40s%24s%16s\n", "", "latency, us", "CPU ns/msg");
	printf("%-9s%8s %-6s%8s%8s%8s%8s%8s%8s%8s\n", "test", "bytes", "by", "Mmsg/s", "Gbit/s",
	       "p50", "p99", "p99.9", "own", "peer");
	for (const struct line *line = c->lines; line < c->lines + c->n; line++) {
		bool first = true;

		for (enum completion cm = 0; cm < CM_COUNT; cm++) {
			if (line->group[cm] == NONE)
				continue;
			printf("%-9s%8s %-6s", first ? text_of(c, line, ROWS_test) : "",
			       first ? text_of(c, line, ROWS_size_bytes) : "",
			       kind_completion_names[cm]);
			for (size_t i = 0; i < N_FIGURES; i++)
				print_figure(median(c, line, cm, figures[i].column) /
						     figures[i].scale,
					     figures[i].decimals);
			putchar('\n');
			first = false;
		}
	}
}

/* ---- the answer */

static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	screen_wrap(stdout, text, (struct screen_place){ 0, 2, screen_columns() });
}

static const char *name_of(enum completion cm)
{
	return cm == CM_EVENT ? "events" : "hybrid";
}

/* CPU time per message of both sides; a side without a loop has none. */
static double cpu_of(const struct compare *c, const struct line *line, enum completion cm)
{
	const double own = median(c, line, cm, ROWS_cpu_ns_per_msg);
	const double peer = median(c, line, cm, ROWS_peer_cpu_ns_per_msg);

	return isnan(own) ? peer : isnan(peer) ? own : own + peer;
}

/* Is the CPU time with cm to that with polling less than CHEAPER? */
static bool is_cheaper(double ratio)
{
	return ratio < CHEAPER;
}

/* "0.36", "1.3", "12" */
static const char *ratio_text(double ratio, char text[RATIO])
{
	if (ratio < 1)
		snprintf(text, RATIO, "%.2g", ratio);
	else
		snprintf(text, RATIO, "%.*f", ratio < 10, ratio);
	return text;
}

/* The sizes of a test, the smallest first, and the ratio of each. */
struct sizes {
	const char *bytes[RUN_COMPARED_SIZES];
	double ratio[RUN_COMPARED_SIZES];
	uint32_t n, cheaper;
};

static void add_size(struct sizes *s, const char *bytes, double ratio)
{
	if (isnan(ratio) || s->n == RUN_COMPARED_SIZES)
		return;
	s->bytes[s->n] = bytes;
	s->ratio[s->n++] = ratio;
	s->cheaper += is_cheaper(ratio);
}

/* Where cm is cheaper: "from 4096 bytes on". */
static void add_where(char **text, const struct sizes *s)
{
	uint32_t from = s->n;

	while (from && is_cheaper(s->ratio[from - 1]))
		from--;
	if (!s->cheaper || s->cheaper == s->n) {
		must_appendf(text, "for %s of these sizes", s->cheaper ? "each" : "none");
		return;
	}
	if (s->cheaper == s->n - from) {
		must_appendf(text, "from %s bytes on", s->bytes[from]);
		return;
	}
	must_appendf(text, "for");
	for (uint32_t i = 0, n = 0; i < s->n; i++)
		if (is_cheaper(s->ratio[i]))
			must_appendf(text, "%s %s", n++ ? "," : "", s->bytes[i]);
	must_appendf(text, " bytes, but not for others");
}

static void say_sizes(const char *test, enum completion cm, const struct sizes *s)
{
	char *text = NULL, ratio[RATIO];

	must_appendf(&text, "%s: %s cheaper than polling ", test,
		     cm == CM_EVENT ? "events are" : "hybrid is");
	add_where(&text, s);
	must_appendf(&text, ". CPU time to that with polling:");
	for (uint32_t i = 0; i < s->n; i++)
		must_appendf(&text, "%s %s bytes %s", i ? "," : "", s->bytes[i],
			     ratio_text(s->ratio[i], ratio));
	must_appendf(&text, ".");
	screen_wrap(stdout, text, (struct screen_place){ 0, 2, screen_columns() });
	free(text);
}

/* A sentence for each test. The lines of a test are behind each other, by size. */
static void say_cost(const struct compare *c, enum completion cm)
{
	const struct line *end = c->lines + c->n;

	for (const struct line *line = c->lines; line < end;) {
		const char *test = text_of(c, line, ROWS_test);
		struct sizes sizes = { .n = 0 };

		for (; line < end && !strcmp(text_of(c, line, ROWS_test), test); line++)
			add_size(&sizes, text_of(c, line, ROWS_size_bytes),
				 cpu_of(c, line, cm) / cpu_of(c, line, CM_POLL));
		if (sizes.n)
			say_sizes(test, cm, &sizes);
	}
}

static void say_latency(const struct compare *c, const struct line *line, enum completion cm)
{
	const double poll = median(c, line, CM_POLL, ROWS_lat_p50_ns);
	const double other = median(c, line, cm, ROWS_lat_p50_ns);
	const double more99 = median(c, line, cm, ROWS_lat_p99_ns) -
			      median(c, line, CM_POLL, ROWS_lat_p99_ns);
	char tail[64] = "";

	if (isnan(poll) || isnan(other))
		return;
	if (!isnan(more99))
		snprintf(tail, sizeof(tail), ", and %+.3f us at p99", more99 / 1e3);
	say("%s of %s bytes: with %s the median is %.3f us instead of %.3f us: %+.3f us%s.",
	    text_of(c, line, ROWS_test), text_of(c, line, ROWS_size_bytes), name_of(cm),
	    other / 1e3, poll / 1e3, (other - poll) / 1e3, tail);
}

static void say_rate(const struct compare *c, const struct line *line, enum completion cm)
{
	const double ratio = median(c, line, cm, ROWS_message_rate_per_s) /
			     median(c, line, CM_POLL, ROWS_message_rate_per_s);
	char times[RATIO];

	if (!isnan(ratio))
		say("%s of %s bytes: with %s the rate is %s times that with polling.",
		    text_of(c, line, ROWS_test), text_of(c, line, ROWS_size_bytes), name_of(cm),
		    ratio_text(ratio, times));
}

static void print_answer(const struct compare *c)
{
	static const enum completion others[] = { CM_EVENT, CM_HYBRID };

	printf("\nThe answer\n");
	for (int k = 0; k < 2; k++)
		say_cost(c, others[k]);
	for (const struct line *line = c->lines; line < c->lines + c->n; line++)
		for (int k = 0; k < 2; k++) {
			if (measured_is_lat(&c->rows, line->row))
				say_latency(c, line, others[k]);
			else
				say_rate(c, line, others[k]);
		}
	say("Figures are medians of the rounds.");
	say("Rule: cheaper is less than 0.9 times the CPU time per message with polling, both sides together.");
	if (c->disturbed)
		say("Attention: rows were disturbed, often by too few processors for threads that poll; the column warnings says by what.");
	if (c->left_out)
		printf("%" PRIu32 " rows are not in the table: they are not ok, or skipped.\n",
		       c->left_out);
}

/* ---- the rows */

static void begin(struct compare *c)
{
	struct rows_query query = { .intervals = false };

	axes_want(&query, ROWS_test);
	axes_want(&query, ROWS_size_bytes);
	axes_want(&query, ROWS_completion);
	for (size_t i = 0; i < N_FIGURES; i++)
		axes_want(&query, figures[i].column);
	rows_begin(&c->rows, &query);
}

static void take_row(void *arg, const struct row *row)
{
	struct compare *c = arg;

	if (row_is_interval(row))
		return;
	if (row->status != RESULT_OK || rows_add(&c->rows, row))
		c->left_out++;
	else
		c->disturbed += row->warnings[0] != '\0';
}

static bool differ(const struct rows *rows, enum rows_column column, uint32_t a, uint32_t b)
{
	return rows_word(rows, column, a) != rows_word(rows, column, b);
}

/* The groups of one test and size follow each other. */
static void make_lines(struct compare *c)
{
	static const enum rows_column by[] = { ROWS_test, ROWS_size_bytes, ROWS_completion };
	struct line *line = NULL;

	groups_make(&c->groups, &c->rows, by, sizeof(by) / sizeof(by[0]));
	c->lines = must_calloc(c->groups.n, sizeof(*c->lines));
	for (size_t group = 0; group < c->groups.n; group++) {
		const uint32_t row = c->groups.members[c->groups.begin[group]];
		const char *text = rows_text(&c->rows, ROWS_completion, row, NULL);

		if (!line || differ(&c->rows, by[0], row, line->row) ||
		    differ(&c->rows, by[1], row, line->row)) {
			line = &c->lines[c->n++];
			*line = (struct line){ row, { NONE, NONE, NONE } };
		}
		for (enum completion cm = 0; cm < CM_COUNT; cm++)
			if (!strcmp(text, kind_completion_names[cm]))
				line->group[cm] = group;
	}
}

int run_completion_command(const struct command *cmd, const struct command_line *line)
{
	struct compare compare = { .left_out = 0 };
	struct run run = {
		.name = cmd->name, .scenario = "completion", .row = take_row, .row_arg = &compare,
	};
	int status;

	begin(&compare);
	if (run_read(&run, cmd, line, &status)) {
		run.cfg.no_table = true;
		status = run_it(&run);
	}
	if (compare.rows.n && output_for_people(&run.cfg)) {
		make_lines(&compare);
		print_table(&compare);
		print_answer(&compare);
	}
	free(compare.lines);
	groups_free(&compare.groups);
	rows_free(&compare.rows);
	run_free(&run);
	return status;
}
