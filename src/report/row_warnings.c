/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the warnings of a row: their sentences, and their codes (warning_codes.h). Called by
 * row_build.c.
 */
#include "config.h"
#include "report/row_build.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/warning_codes.h"

/* The first messages, sent into empty queues, are a part of so short a window. */
static bool is_short(const struct row *row, const struct row_build_in *in)
{
	return in->plan->work.pattern == PATTERN_STREAM && !in->interval &&
	       row->window_ns < ROW_SHORT_NS;
}

/* Of the side that prints, if it has a loop: those of the peer are not known. */
static uint64_t own_lost_events(const struct row_build_in *in)
{
	const struct result *own = in->result[in->side];

	return own && role_has_loop(in->plan->work.role[in->side]) ? own->lost_events : 0;
}

/* A receiver that saw no two messages arrive. */
static bool has_no_gap(const struct row *row)
{
	return !row->window_messages && row->messages && row->messages != ROW_NONE &&
	       isnan(row->message_rate_per_s);
}

/* What the integers of the row would make, Gbit/s. */
static double counted_gbit_s(const struct row *row)
{
	return (double)row->window_messages * (double)row->size_bytes * 8 / (double)row->window_ns;
}

__attribute__((format(printf, 2, 3))) static void add(struct row *row, const char *fmt, ...)
{
	const size_t size = sizeof(row->warnings), len = strlen(row->warnings);
	va_list ap;

	va_start(ap, fmt);
	if (len + 2 < size) {
		snprintf(row->warnings + len, size - len, "%s", len ? "; " : "");
		vsnprintf(row->warnings + strlen(row->warnings),
			  size - strlen(row->warnings), fmt, ap);
	}
	va_end(ap);
}

/* What the report itself warns of, then "client: ...; server: ...", of the sides that have any. */
static void put_texts(struct row *row, const struct row_build_in *in, unsigned int codes)
{
	if (codes & WARNING_CODES_ABOVE_LINK)
		add(row, "no rate: the counts make %.4g Gbit/s, more than the link carries",
		    counted_gbit_s(row));
	if (codes & WARNING_CODES_NO_GAP)
		add(row, "no rate: the receiver saw no two messages arrive; more messages are needed");
	if (codes & WARNING_CODES_MISSED_EVENTS)
		add(row, "missing completion events: %" PRIu64 " (a poll every 20 ms found them)",
		    own_lost_events(in));
	if (codes & WARNING_CODES_SHORT_WINDOW)
		add(row, "measured for %.3g ms, %s: the start counts; -D 1 measures for a second",
		    (double)row->window_ns / 1e6, ROW_SHORT_TEXT);
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		const struct result *r = in->result[side];

		if (r && r->affinity.warnings[0])
			add(row, "%s: %s", kind_side_names[side], r->affinity.warnings);
	}
}

void row_warnings(struct row *row, const struct row_build_in *in, unsigned int codes)
{
	codes |= has_no_gap(row) ? WARNING_CODES_NO_GAP : 0;
	codes |= own_lost_events(in) ? WARNING_CODES_MISSED_EVENTS : 0;
	codes |= is_short(row, in) ? WARNING_CODES_SHORT_WINDOW : 0;
	put_texts(row, in, codes);
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++)
		codes |= in->result[side] ? in->result[side]->affinity.warned : 0;
	warning_codes_text(codes & WARNING_CODES_ALL, row->warning_codes,
			   sizeof(row->warning_codes));
}
