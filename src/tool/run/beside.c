/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The table and the answer of compare-completion; see beside.h. */
#include "config.h"
#include "run/beside.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "read/axes.h"
#include "util/must.h"
#include "util/text.h"

#define A_TENTH 0.9      /* a ratio from here to its inverse is no difference */
#define NUMBER 32
#define ANSWER "The answer: beside polling, by the medians of the rounds. Less and more: by a tenth, and by more than the rounds differ"

/* A test and a size: the groups of rows that differ only by how completions are taken. */
struct line {
	uint32_t row;           /* any of its rows */
	size_t group[CM_COUNT]; /* NONE: not measured */
};

#define NONE SIZE_MAX

/* What is printed, and where to. */
struct compare {
	FILE *out;
	int width;
	const struct rows *rows;
	struct groups groups;    /* by test, size and completion */
	struct line *lines;      /* by test and size; owned */
	size_t n;
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

/* Over the rounds; n is 0, and the values are NAN: none has it. */
static struct spread spread(const struct compare *c, const struct line *line, enum completion cm,
			    enum rows_column column)
{
	if (line->group[cm] == NONE)
		return (struct spread){ .median = NAN, .min = NAN, .max = NAN };
	return spread_of(&c->groups, line->group[cm], column, NULL);
}

/* Of a column that is kept as words. */
static const char *text_of(const struct compare *c, const struct line *line,
			   enum rows_column column)
{
	return rows_text(c->rows, column, line->row, NULL);
}

/* As many decimals as fit into the width. */
static void print_figure(FILE *out, double v, int decimals)
{
	char text[64] = "-";

	do
		if (isfinite(v))
			snprintf(text, sizeof(text), "%.*f", decimals, v);
	while (strlen(text) >= WIDTH && decimals--);
	fprintf(out, "%*s", WIDTH, text);
}

static void print_table(const struct compare *c)
{
	fprintf(c->out, "%-40s%24s%16s\n", "", "latency, us", "CPU ns/msg");
	fprintf(c->out, "%-9s%8s %-6s%8s%8s%8s%8s%8s%8s%8s\n", "test", "bytes", "by", "Mmsg/s",
		"Gbit/s", "p50", "p99", "p99.9", "own", "peer");
	for (const struct line *line = c->lines; line < c->lines + c->n; line++) {
		bool first = true;

		for (enum completion cm = 0; cm < CM_COUNT; cm++) {
			if (line->group[cm] == NONE)
				continue;
			fprintf(c->out, "%-9s%8s %-6s", first ? text_of(c, line, ROWS_test) : "",
				first ? text_of(c, line, ROWS_size_bytes) : "",
				kind_completion_names[cm]);
			for (size_t i = 0; i < N_FIGURES; i++)
				print_figure(c->out, spread(c, line, cm, figures[i].column).median /
							     figures[i].scale,
					     figures[i].decimals);
			putc('\n', c->out);
			first = false;
		}
	}
}

/* ---- the answer */

enum verdict { LESS, MORE, SAME, UNDECIDED, VERDICTS };

/* What a sentence is about. */
struct quantity {
	const char *name;
	enum rows_column own, peer; /* the sum of both; peer ROWS_COLUMNS: own alone */
};

static const struct quantity quantities[] = {
	{ "CPU time", ROWS_cpu_ns_per_msg, ROWS_peer_cpu_ns_per_msg },
	{ "Rate", ROWS_message_rate_per_s, ROWS_COLUMNS },
	{ "Latency", ROWS_lat_p50_ns, ROWS_COLUMNS },
};

static bool has(const struct compare *c, const struct line *line, const struct quantity *q)
{
	return measured_is_lat(c->rows, line->row) ? q->own != ROWS_message_rate_per_s :
						     q->own != ROWS_lat_p50_ns;
}

/* A side without a loop has no CPU time. */
static struct spread total(const struct compare *c, const struct line *line, enum completion cm,
			   const struct quantity *q)
{
	const struct spread own = spread(c, line, cm, q->own);
	struct spread sum;

	if (q->peer == ROWS_COLUMNS)
		return own;
	sum = spread(c, line, cm, q->peer);
	if (!own.n || !sum.n)
		return own.n ? own : sum;
	return (struct spread){
		.n = own.n < sum.n ? own.n : sum.n, .median = own.median + sum.median,
		.min = own.min + sum.min, .max = own.max + sum.max,
	};
}

static enum verdict judge(const struct spread *poll, const struct spread *other)
{
	const double difference = fabs(other->median - poll->median);
	const double ratio = other->median / poll->median;

	if (poll->n < 2 || other->n < 2)
		return UNDECIDED;
	if (other->max * A_TENTH <= poll->min && poll->max * A_TENTH <= other->min)
		return SAME;
	if (fmax(poll->max - poll->min, other->max - other->min) >= difference)
		return UNDECIDED;
	return ratio < A_TENTH ? LESS : ratio > 1 / A_TENTH ? MORE : SAME;
}

/* The verdicts of a kind of completion, over the lines of the table that have the quantity. */
struct verdicts {
	uint32_t n, of[VERDICTS];
	struct remark_range ratio[VERDICTS]; /* to polling */
	/* sizes: of those with the verdict the least, of those without it the largest */
	double from[VERDICTS], below[VERDICTS];
};

static void count_line(struct verdicts *v, enum verdict is, double ratio, double size)
{
	v->n++;
	v->of[is]++;
	remark_count(&v->ratio[is], ratio);
	for (enum verdict each = 0; each < VERDICTS; each++)
		if (each == is)
			v->from[each] = fmin(v->from[each], size);
		else
			v->below[each] = fmax(v->below[each], size);
}

static void count_lines(struct verdicts *v, const struct compare *c, const struct quantity *q,
			enum completion cm)
{
	*v = (struct verdicts){ .n = 0 };
	for (enum verdict each = 0; each < VERDICTS; each++) {
		v->from[each] = INFINITY;
		v->below[each] = -INFINITY;
	}
	for (const struct line *line = c->lines; line < c->lines + c->n; line++) {
		const struct spread poll = total(c, line, CM_POLL, q);
		const struct spread other = total(c, line, cm, q);

		if (has(c, line, q) && poll.n && other.n)
			count_line(v, judge(&poll, &other), other.median / poll.median,
				   rows_number(c->rows, ROWS_size_bytes, line->row));
	}
}

/* "0.36", "1.3", "12" */
static const char *number(double v, char text[NUMBER])
{
	if (v < 1)
		snprintf(text, NUMBER, "%.2g", v);
	else
		snprintf(text, NUMBER, "%.*f", v < 10, v);
	return text;
}

/* "less from 4096 bytes on (0.02 to 0.4 times)" */
static void add_verdict(char **text, const struct verdicts *v, enum verdict is)
{
	static const char *const names[VERDICTS] = { "less", "more", "the same", "not decided" };
	const struct remark_range *ratio = &v->ratio[is];
	char least[NUMBER], most[NUMBER];

	must_appendf(text, "%s", names[is]);
	if (v->of[is] == v->n)
		must_appendf(text, "%s", is == UNDECIDED ? "" : " for all");
	else if (v->from[is] > v->below[is])
		must_appendf(text, " from %.0f bytes on", v->from[is]);
	else
		must_appendf(text, " in %" PRIu32 " of %" PRIu32, v->of[is], v->n);
	if (is != LESS && is != MORE)
		return;
	number(ratio->least, least);
	number(ratio->most, most);
	must_appendf(text, " (%s%s%s times)", least, strcmp(least, most) ? " to " : "",
		     strcmp(least, most) ? most : "");
}

static void print_sentence(const struct compare *c, const struct quantity *q)
{
	static const enum completion others[] = { CM_EVENT, CM_HYBRID };
	static const char *const names[] = { "events", "hybrid" };
	char *text = NULL;

	for (int k = 0; k < 2; k++) {
		struct verdicts v;
		bool first = true;

		count_lines(&v, c, q, others[k]);
		for (enum verdict is = 0; is < VERDICTS; is++) {
			if (!v.of[is])
				continue;
			if (first)
				must_appendf(&text, "%s%s ", text ? "; " : "", names[k]);
			else
				must_appendf(&text, ", ");
			add_verdict(&text, &v, is);
			first = false;
		}
	}
	if (!text)
		return;
	fprintf(c->out, "%s: ", q->name);
	screen_wrap(c->out, text, (struct screen_place){ (int)strlen(q->name) + 2, 2, c->width });
	free(text);
}

/* ---- the rows */

void beside_begin(struct beside *c)
{
	struct rows_query query = { .intervals = false };

	*c = (struct beside){ .left_out = 0 };
	axes_want(&query, ROWS_test);
	axes_want(&query, ROWS_size_bytes);
	axes_want(&query, ROWS_completion);
	for (size_t i = 0; i < N_FIGURES; i++)
		axes_want(&query, figures[i].column);
	rows_begin(&c->rows, &query);
}

void beside_free(struct beside *c)
{
	rows_free(&c->rows);
}

void beside_take(void *arg, const struct row *row)
{
	const unsigned int bits = remark_bits(row->warning_codes);
	struct beside *c = arg;

	if (row_is_interval(row))
		return;
	if (row->status != RESULT_OK || rows_add(&c->rows, row)) {
		c->left_out++;
		return;
	}
	for (size_t i = 0; i < REMARKS; i++)
		if (bits >> i & 1)
			remark_count(&c->ranges[i], remark_value(&remark_kinds[i], row));
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

	groups_make(&c->groups, c->rows, by, sizeof(by) / sizeof(by[0]));
	c->lines = must_calloc(c->groups.n, sizeof(*c->lines));
	for (size_t group = 0; group < c->groups.n; group++) {
		const uint32_t row = c->groups.members[c->groups.begin[group]];
		const char *text = rows_text(c->rows, ROWS_completion, row, NULL);

		if (!line || differ(c->rows, by[0], row, line->row) ||
		    differ(c->rows, by[1], row, line->row)) {
			line = &c->lines[c->n++];
			*line = (struct line){ row, { NONE, NONE, NONE } };
		}
		for (enum completion cm = 0; cm < CM_COUNT; cm++)
			if (!strcmp(text, kind_completion_names[cm]))
				line->group[cm] = group;
	}
}

static void print_warnings(FILE *out, const struct beside *c, int width)
{
	char text[REMARK_TEXT];

	for (size_t i = 0; i < REMARKS; i++) {
		if (!c->ranges[i].rows)
			continue;
		fputs("warning: ", out);
		remark_text(&remark_kinds[i], &c->ranges[i], c->rows.n, text);
		screen_wrap(out, text, (struct screen_place){ 9, 2, width });
	}
	if (c->left_out)
		fprintf(out, "warning: %" PRIu32 " rows are not in the table: they are not ok, or skipped\n",
			c->left_out);
}

void beside_print(FILE *out, const struct beside *c, int width)
{
	struct compare compare = { .out = out, .width = width, .rows = &c->rows };

	print_warnings(out, c, width);
	if (!c->rows.n)
		return;
	make_lines(&compare);
	print_table(&compare);
	putc('\n', out);
	screen_wrap(out, ANSWER, (struct screen_place){ 0, 0, width });
	for (size_t i = 0; i < sizeof(quantities) / sizeof(quantities[0]); i++)
		print_sentence(&compare, &quantities[i]);
	free(compare.lines);
	groups_free(&compare.groups);
}
