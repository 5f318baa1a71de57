/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the few lines above a table: what is measured where, and which memory the figures are about.
 * Nothing that restates a default. Called by format_table.c. Must not compute: it prints the plan
 * and the limits of both sides. format_settings.c has the lines of --verbose.
 */
#include "config.h"
#include "table/format_head.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table/format_settings.h"
#include "util/screen.h"
#include "util/text.h"

#define CELL_TEXT 64
#define LINE_TEXT 160
#define MOST_LINES 6 /* above the heads: with the empty line and that of the groups of columns */

/* "64 KiB": exact where the unit divides it. */
static const char *bytes_text(uint64_t bytes, char text[CELL_TEXT])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	double v = (double)bytes;
	int unit = 0;

	for (; v >= 1024 && unit < 3; unit++)
		v /= 1024;
	snprintf(text, CELL_TEXT, "%.4g %s", v, units[unit]);
	return text;
}

/* The memory that the figures are about, of all threads of a side. */
static void put_memory(FILE *out, const struct plan *p)
{
	static const char *const kinds[] = {
		[BUFFERS_HOST] = "buffers",
		[BUFFERS_ODP] = "buffers that are mapped on demand",
		[BUFFERS_DEVICE] = "device memory",
	};
	const struct point *last = &p->points[p->n_points ? p->n_points - 1 : 0];
	char first[CELL_TEXT], most[CELL_TEXT];

	if (p->work.walk == WALK_SAME) {
		fprintf(out, "one buffer%s", plan_total_qps(p) > 1 ? " per QP" : "");
		if (p->work.buffers == BUFFERS_DEVICE)
			fprintf(out, " in device memory");
		return;
	}
	bytes_text(p->points[0].footprint_bytes * p->work.threads, first);
	bytes_text(last->footprint_bytes * p->work.threads, most);
	fprintf(out, "%s%s%s of %s%s", first, strcmp(first, most) ? " to " : "",
		strcmp(first, most) ? most : "", kinds[p->work.buffers],
		p->work.walk == WALK_RANDOM ? " in random order" : "");
}

/* What a row is about. It begins with the words "each row". */
static void print_each_row(FILE *out, const struct format_run *run)
{
	const struct plan *p = run->plan;
	const struct point *point = &p->points[0];
	char *text = NULL, qps[CELL_TEXT];
	size_t len;
	FILE *line = p->n_points ? open_memstream(&text, &len) : NULL;

	if (!line)
		return;
	if (point->messages)
		fprintf(line, "each row: %" PRIu64 " messages%s, ", point->messages,
			plan_total_qps(p) > 1 ? " per QP" : "");
	else if (point->forever)
		fputs("each row: until Ctrl-C on one side, ", line);
	else
		fprintf(line, "each row: %.15g s, ", (double)point->duration_ns / 1e9);
	put_memory(line, p);
	if (format_settings_qps(p, qps, sizeof(qps))[0])
		fprintf(line, ", %s", qps);
	fprintf(line, "%s%s", p->work.bidir ? ", both ways" : "",
		p->work.verify ? ", payload verified" : "");
	if (!fclose(line))
		screen_wrap(out, text, (struct screen_place){ 0, 3, run->screen.width });
	free(text);
}

/* Which results the lines are about: of RC each side reports its own. */
static void print_title(FILE *out, const struct format_run *run)
{
	const struct plan *p = run->plan;
	char text[2 * LINE_TEXT];

	snprintf(text, sizeof(text), "verbench %s %s, %s: %s over %s, completions by %s",
		 PACKAGE_VERSION, kind_test_names[p->work.test], kind_side_names[run->side],
		 kind_opcode_names[p->work.kind.op], kind_transport_names[p->work.kind.tp],
		 kind_completion_names[p->work.kind.cm]);
	screen_wrap(out, text, (struct screen_place){ 0, 3, run->screen.width });
}

/* "node1:mlx5_0", "node1:mlx5_0/2": port 2. A long name is cut. */
static const char *place_text(const struct limits *l, char text[LINE_TEXT])
{
	char host[PLAN_NAME], device[PLAN_NAME], port[CELL_TEXT] = "";

	if (l->port != 1)
		snprintf(port, sizeof(port), "/%" PRIu32, l->port);
	snprintf(text, LINE_TEXT, "%.40s:%.24s%s", text_clean(l->host, host, sizeof(host)),
		 text_clean(l->device, device, sizeof(device)), port);
	return text;
}

static void print_sides(FILE *out, const struct format_run *run)
{
	const struct plan *p = run->plan;
	char client[LINE_TEXT], server[LINE_TEXT], text[4 * LINE_TEXT];
	int len;

	place_text(format_settings_limits(run, SIDE_CLIENT), client);
	place_text(format_settings_limits(run, SIDE_SERVER), server);
	len = snprintf(text, sizeof(text), "%sclient %s -> ",
		       run->n_pairs > 1 ? "first pair: " : "", client);
	if (plan_is_mcast(p))
		len += snprintf(text + len, sizeof(text) - (size_t)len, "group %s, ", p->path.mcast);
	if (run->n_receivers > 1)
		snprintf(text + len, sizeof(text) - (size_t)len, "%" PRIu32 " receivers",
			 run->n_receivers);
	else
		snprintf(text + len, sizeof(text) - (size_t)len, "server %s", server);
	screen_wrap(out, text, (struct screen_place){ 0, 3, run->screen.width });
}

static const char *rate_text(const struct limits *l, char text[CELL_TEXT])
{
	snprintf(text, CELL_TEXT, "%s of unknown rate", limits_link_name(l));
	if (l->rate_mbit_s)
		snprintf(text, CELL_TEXT, "%s %.15g Gbit/s", limits_link_name(l),
			 (double)l->rate_mbit_s / 1000);
	return text;
}

static void print_link(FILE *out, const struct format_run *run)
{
	const struct limits *c = format_settings_limits(run, SIDE_CLIENT);
	const struct limits *s = format_settings_limits(run, SIDE_SERVER);
	char client[CELL_TEXT], server[CELL_TEXT], text[2 * LINE_TEXT];
	const bool same = !strcmp(rate_text(c, client), rate_text(s, server));

	snprintf(text, sizeof(text), "link: %s%s%s, MTU %" PRIu32 "%s", client,
		 same ? "" : " to ", same ? "" : server, run->plan->path.mtu_bytes,
		 c->emulated || s->emulated ? ", emulated: not results of a real HCA" : "");
	screen_wrap(out, text, (struct screen_place){ 0, 3, run->screen.width });
}

static void print_lines(FILE *out, const struct format_run *run)
{
	print_title(out, run);
	if (run->screen.verbose) {
		putc('\n', out);
		format_settings(out, run);
	} else {
		print_sides(out, run);
		print_link(out, run);
	}
	print_each_row(out, run);
}

/* An empty line follows, if it leaves the first row on the first screen. */
void format_head(FILE *out, const struct format_run *run)
{
	char *text = NULL;
	size_t len, lines = 0;
	FILE *head = run->screen.quiet ? NULL : open_memstream(&text, &len);

	if (!head)
		return;
	print_lines(head, run);
	if (!fclose(head)) {
		for (const char *c = text; *c; c++)
			lines += *c == '\n';
		fprintf(out, "%s%s", text, lines + 2 <= MOST_LINES || run->screen.verbose ? "\n" : "");
	}
	free(text);
}

void format_head_sweep(FILE *out, const struct format_run *run, uint32_t cells)
{
	if (run->screen.quiet)
		return;
	fprintf(out, "verbench %s run, client: %" PRIu32 " cell%s", PACKAGE_VERSION, cells,
		cells == 1 ? "" : "s");
	if (run->n_pairs > 1)
		fprintf(out, ", %" PRIu32 " pairs at once", run->n_pairs);
	putc('\n', out);
	print_sides(out, run);
	print_link(out, run);
	putc('\n', out);
}
