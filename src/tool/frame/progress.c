/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the words about a running point; see results.h. */
#include "config.h"
#include "frame/results.h"

#include <inttypes.h>
#include <stdio.h>

#include "util/clock.h"
#include "util/log.h"

#define LOG_NS 10000000000u
#define PART_TEXT 64
#define LINE_TEXT 320

/* "64 KiB", "8 MiB", "100 B". */
static const char *size_text(uint64_t bytes, char text[PART_TEXT])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
	uint32_t unit = 0;

	while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, PART_TEXT, "%" PRIu64 " %s", bytes, units[unit]);
	return text;
}

/* Of the time since it was shown before. */
static const char *rate_text(struct progress *shown, const struct event_progress *p,
			     char text[PART_TEXT])
{
	const bool same = shown->point == p->point->index && shown->messages <= p->messages &&
			  shown->ns < p->ns;
	const uint64_t messages = p->messages - (same ? shown->messages : 0);
	const double s = (double)(p->ns - (same ? shown->ns : 0)) / 1e9;

	if (p->latency || p->point->size_bytes != p->point->server_size_bytes)
		snprintf(text, PART_TEXT, "%.0f messages/s", (double)messages / s);
	else
		snprintf(text, PART_TEXT, "%.2f Gbit/s%s",
			 (double)(messages * p->point->size_bytes) * 8 / 1e9 / s,
			 p->bidir ? " each way" : "");
	shown->point = p->point->index;
	shown->messages = p->messages;
	shown->ns = p->ns;
	return text;
}

static void put_time(char text[PART_TEXT], double ns, const char *of)
{
	const uint64_t s = (uint64_t)(ns / 1e9 + 0.5);

	if (s < 60)
		snprintf(text, PART_TEXT, ", %" PRIu64 " s left%s", s, of);
	else if (s < 3600)
		snprintf(text, PART_TEXT, ", %" PRIu64 " min %" PRIu64 " s left%s", s / 60, s % 60, of);
	else
		snprintf(text, PART_TEXT, ", %" PRIu64 " h %" PRIu64 " min left%s", s / 3600,
			 s / 60 % 60, of);
}

/*
 * By time, of all sizes: each takes as long. By count of this one: others have other rates. Nothing
 * where the line says it already.
 */
static const char *left_text(const struct event_progress *p, char text[PART_TEXT])
{
	const struct point *point = p->point;
	const double more = p->of_points - point->index - 1, ns = (double)p->ns;

	text[0] = '\0';
	if (point->forever)
		return text;
	if (point->duration_ns && p->of_points > 1)
		put_time(text, (double)point->duration_ns * (more + 1) - ns, "");
	else if (p->of_messages && p->messages && p->messages <= p->of_messages)
		put_time(text, ns * (double)(p->of_messages - p->messages) / (double)p->messages,
			 p->of_points > 1 ? " of it" : "");
	return text;
}

static void point_text(struct progress *shown, const struct event_progress *p,
		       char line[LINE_TEXT])
{
	char size[PART_TEXT], rate[PART_TEXT], left[PART_TEXT], number[PART_TEXT] = "";

	if (p->of_points > 1)
		snprintf(number, sizeof(number), "size %" PRIu32 " of %" PRIu32 ", ",
			 p->point->index + 1, p->of_points);
	size_text(p->point->size_bytes, size);
	rate_text(shown, p, rate);
	left_text(p, left);
	if (p->of_messages)
		snprintf(line, LINE_TEXT, "%s%s: %" PRIu64 " of %" PRIu64 " messages, %s%s", number,
			 size, p->messages, p->of_messages, rate, left);
	else if (p->point->forever)
		snprintf(line, LINE_TEXT, "%s%s: %.0f s, %s", number, size, (double)p->ns / 1e9,
			 rate);
	else
		snprintf(line, LINE_TEXT, "%s%s: %.0f of %g s, %s%s", number, size,
			 (double)p->ns / 1e9, (double)p->point->duration_ns / 1e9, rate, left);
}

static void show(struct progress *shown, const char *before, const char *line)
{
	const uint64_t now_ns = clock_ns();

	if (log_has_status()) {
		log_status("%s%s", before, line);
	} else if (now_ns - shown->told_ns >= LOG_NS) {
		shown->told_ns = now_ns;
		log_note("%s%s", before, line);
	}
}

void progress_making(struct progress *shown, const char *before, const struct event_making *m)
{
	char line[LINE_TEXT];

	if (!shown->told_ns)
		shown->told_ns = clock_ns();
	if (m->what)
		snprintf(line, sizeof(line), "%" PRIu32 " of %" PRIu32 " queue pairs %s", m->done,
			 m->of, m->what);
	else
		snprintf(line, sizeof(line), "the server makes its %" PRIu32 " queue pairs", m->of);
	show(shown, before, line);
}

void progress_show(struct progress *shown, const char *before, const struct event_progress *p)
{
	const uint64_t now_ns = clock_ns();
	char line[LINE_TEXT];

	if (!shown->told_ns)
		shown->told_ns = now_ns - (p->ns < LOG_NS ? p->ns : LOG_NS);
	point_text(shown, p, line);
	show(shown, before, line);
}
