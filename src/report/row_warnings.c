/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the warnings of a row: their sentences, and their codes (warning_codes.h). Called by
 * row_build.c.
 */
#include "config.h"
#include "report/row_build.h"

#include <inttypes.h>
#include <stdio.h>

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

/* What the report itself warns of, then "client: ...; server: ...", of the sides that have any. */
static void put_texts(struct row *row, const struct row_build_in *in)
{
	const uint64_t lost_events = own_lost_events(in);
	size_t len = 0;

	if (lost_events)
		len += (size_t)snprintf(row->warnings, sizeof(row->warnings),
					"missing completion events: %" PRIu64 " (a poll every 20 ms found them)",
					lost_events);
	if (is_short(row, in) && len < sizeof(row->warnings))
		len += (size_t)snprintf(row->warnings + len, sizeof(row->warnings) - len,
					"%smeasured for %.3g ms, %s: the start counts; -D 1 measures for a second",
					len ? "; " : "", (double)row->window_ns / 1e6,
					ROW_SHORT_TEXT);
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		const struct result *r = in->result[side];

		if (!r || !r->affinity.warnings[0] || len >= sizeof(row->warnings))
			continue;
		len += (size_t)snprintf(row->warnings + len, sizeof(row->warnings) - len,
					"%s%s: %s", len ? "; " : "", kind_side_names[side],
					r->affinity.warnings);
	}
}

static void put_codes(struct row *row, const struct row_build_in *in)
{
	unsigned int codes = (own_lost_events(in) ? WARNING_CODES_MISSED_EVENTS : 0) |
			     (is_short(row, in) ? WARNING_CODES_SHORT_WINDOW : 0);

	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++)
		codes |= in->result[side] ? in->result[side]->affinity.warned : 0;
	warning_codes_text(codes & WARNING_CODES_ALL, row->warning_codes,
			   sizeof(row->warning_codes));
}

void row_warnings(struct row *row, const struct row_build_in *in)
{
	put_texts(row, in);
	put_codes(row, in);
}
