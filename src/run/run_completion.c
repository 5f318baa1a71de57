/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command compare-completion: the scenario "completion", one table of its medians, and the
 * answer in words, which follows from the table by the rule that is printed with it.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/results.h"
#include "run/ways.h"
#include "run/run_scenarios.h"
#include "run/run_sweep.h"
#include "util/screen.h"

#define CHEAPER 0.9      /* of the CPU time with polling: less than this is cheaper */
#define TEXT 512
#define RATIO 32

/* ---- the table */

static const struct {
	enum ways_figure figure;
	double scale;
	int width, decimals;
} figures[] = {
	{ WAYS_RATE, 1e6, 8, 5 },     { WAYS_GBIT, 1, 8, 4 },
	{ WAYS_P50, 1e3, 8, 3 },      { WAYS_P99, 1e3, 8, 3 },
	{ WAYS_P99_9, 1e3, 8, 3 },    { WAYS_OWN_CPU, 1, 8, 1 },
	{ WAYS_PEER_CPU, 1, 8, 1 },
};

#define N_FIGURES (sizeof(figures) / sizeof(figures[0]))

/* As many decimals as fit into the width. */
static void print_figure(double v, int width, int decimals)
{
	char text[64] = "-";

	do
		if (isfinite(v))
			snprintf(text, sizeof(text), "%.*f", decimals, v);
	while ((int)strlen(text) >= width && decimals--);
	printf("%*s", width, text);
}

static void print_line(const struct ways_group *g, enum completion cm, bool first)
{
	char size[24];

	snprintf(size, sizeof(size), "%" PRIu64, g->size_bytes);
	printf("%-9s%8s %-6s", first ? g->test : "", first ? size : "", kind_completion_names[cm]);
	for (size_t i = 0; i < N_FIGURES; i++)
		print_figure(ways_median(g, cm, figures[i].figure) / figures[i].scale,
			     figures[i].width, figures[i].decimals);
	putchar('\n');
}

static void print_table(const struct ways *c)
{
	printf("%-40s%24s%16s\n", "", "latency, us", "CPU ns/msg");
	printf("%-9s%8s %-6s%8s%8s%8s%8s%8s%8s%8s\n", "test", "bytes", "by", "Mmsg/s", "Gbit/s",
	       "p50", "p99", "p99.9", "own", "peer");
	for (uint32_t i = 0; i < c->n; i++) {
		bool first = true;

		for (int cm = 0; cm < CM_COUNT; cm++) {
			if (!c->groups[i].rounds[cm].n)
				continue;
			print_line(&c->groups[i], (enum completion)cm, first);
			first = false;
		}
	}
}

/* ---- the answer */

static void say(const char *text)
{
	screen_wrap(stdout, text, (struct screen_place){ 0, 2, screen_columns() });
}

/* CPU time per message of both sides; a side without a loop has none. */
static double cpu_of(const struct ways_group *g, enum completion cm)
{
	const double own = ways_median(g, cm, WAYS_OWN_CPU);
	const double peer = ways_median(g, cm, WAYS_PEER_CPU);

	return isnan(own) ? peer : isnan(peer) ? own : own + peer;
}

static bool is_latency(const struct ways_group *g)
{
	return strstr(g->test, "_lat");
}

/* "send_bw of 64 bytes" */
static const char *name_of(const struct ways_group *g, char text[TEXT])
{
	snprintf(text, TEXT, "%.32s of %" PRIu64 " bytes", g->test, g->size_bytes);
	return text;
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
	uint64_t bytes[WAYS_SIZES];
	double ratio[WAYS_SIZES];
	uint32_t n, cheaper;
};

static void add_size(struct sizes *s, uint64_t bytes, double ratio)
{
	uint32_t i;

	if (isnan(ratio) || s->n == WAYS_SIZES)
		return;
	for (i = s->n++; i && s->bytes[i - 1] > bytes; i--) {
		s->bytes[i] = s->bytes[i - 1];
		s->ratio[i] = s->ratio[i - 1];
	}
	s->bytes[i] = bytes;
	s->ratio[i] = ratio;
	s->cheaper += is_cheaper(ratio);
}

/* Where cm is cheaper: "from 4096 bytes on". */
static void put_where(FILE *out, const struct sizes *s)
{
	uint32_t from = s->n;

	while (from && is_cheaper(s->ratio[from - 1]))
		from--;
	if (!s->cheaper || s->cheaper == s->n) {
		fprintf(out, "for %s of these sizes", s->cheaper ? "each" : "none");
		return;
	}
	if (s->cheaper == s->n - from) {
		fprintf(out, "from %" PRIu64 " bytes on", s->bytes[from]);
		return;
	}
	fputs("for", out);
	for (uint32_t i = 0, n = 0; i < s->n; i++)
		if (is_cheaper(s->ratio[i]))
			fprintf(out, "%s %" PRIu64, n++ ? "," : "", s->bytes[i]);
	fputs(" bytes, but not for others", out);
}

static void say_sizes(const char *test, enum completion cm, const struct sizes *s)
{
	char *text = NULL, ratio[RATIO];
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	fprintf(out, "%s: %s cheaper than polling ", test,
		cm == CM_EVENT ? "events are" : "hybrid is");
	put_where(out, s);
	fputs(". CPU time to that with polling:", out);
	for (uint32_t i = 0; i < s->n; i++)
		fprintf(out, "%s %" PRIu64 " bytes %s", i ? "," : "", s->bytes[i],
			ratio_text(s->ratio[i], ratio));
	putc('.', out);
	if (!fclose(out))
		say(text);
	free(text);
}

/* A sentence for each test. */
static void say_cost(const struct ways *c, enum completion cm)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const char *test = c->groups[i].test;
		struct sizes sizes = { .n = 0 };
		bool before = false;

		for (uint32_t k = 0; k < c->n; k++) {
			const struct ways_group *g = &c->groups[k];

			if (strcmp(g->test, test))
				continue;
			before |= k < i;
			add_size(&sizes, g->size_bytes, cpu_of(g, cm) / cpu_of(g, CM_POLL));
		}
		if (!before && sizes.n)
			say_sizes(test, cm, &sizes);
	}
}

static void say_latency(const struct ways_group *g, enum completion cm)
{
	const double poll = ways_median(g, CM_POLL, WAYS_P50);
	const double other = ways_median(g, cm, WAYS_P50);
	const double poll99 = ways_median(g, CM_POLL, WAYS_P99);
	const double other99 = ways_median(g, cm, WAYS_P99);
	char name[TEXT], text[2 * TEXT], tail[64] = "";

	if (isnan(poll) || isnan(other))
		return;
	if (!isnan(poll99) && !isnan(other99))
		snprintf(tail, sizeof(tail), ", and %+.3f us at p99", (other99 - poll99) / 1e3);
	snprintf(text, sizeof(text), "%s: with %s the median is %.3f us instead of %.3f us: %+.3f us%s.",
		 name_of(g, name), cm == CM_EVENT ? "events" : "hybrid", other / 1e3, poll / 1e3,
		 (other - poll) / 1e3, tail);
	say(text);
}

static void say_rate(const struct ways_group *g, enum completion cm)
{
	const double ratio = ways_median(g, cm, WAYS_RATE) /
			     ways_median(g, CM_POLL, WAYS_RATE);
	char name[TEXT], text[2 * TEXT], times[RATIO];

	if (isnan(ratio))
		return;
	snprintf(text, sizeof(text), "%s: with %s the rate is %s times that with polling.",
		 name_of(g, name), cm == CM_EVENT ? "events" : "hybrid", ratio_text(ratio, times));
	say(text);
}

static void print_answer(const struct ways *c)
{
	static const enum completion others[] = { CM_EVENT, CM_HYBRID };

	printf("\nThe answer\n");
	for (int k = 0; k < 2; k++)
		say_cost(c, others[k]);
	for (uint32_t i = 0; i < c->n; i++)
		for (int k = 0; k < 2; k++) {
			if (is_latency(&c->groups[i]))
				say_latency(&c->groups[i], others[k]);
			else
				say_rate(&c->groups[i], others[k]);
		}
	say("Figures are medians of the rounds.");
	say("Rule: cheaper is less than 0.9 times the CPU time per message with polling, both sides together.");
	if (c->disturbed)
		say("Attention: rows were disturbed, often by too few processors for threads that poll; the column warnings says by what.");
	if (c->left_out)
		printf("%" PRIu32 " rows are not in the table: they are not ok, or skipped.\n",
		       c->left_out);
}

/* The table and the answer in words, to standard output. */
static void print_ways(const struct ways *c)
{
	print_table(c);
	print_answer(c);
}

static void take_row(void *arg, const struct row *row)
{
	ways_add(arg, row);
}

int run_completion_command(const struct command *cmd, const struct command_line *line)
{
	struct ways compare = { .n = 0 };
	struct run run = {
		.name = cmd->name, .scenario = "completion", .row = take_row, .row_arg = &compare,
	};
	int status;

	if (run_read(&run, cmd, line, &status)) {
		run.cfg.no_table = true;
		status = run_it(&run);
	}
	if (compare.n && run_prints(&run.cfg))
		print_ways(&compare);
	ways_free(&compare);
	run_free(&run);
	return status;
}
