/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a row says of its link, and its warnings: their sentences and their codes. A rate that
 * is more than the link can carry is absent, with a warning.
 */
#include "config.h"
#include "row/row_build.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/counters.h"
#include "row/limiter.h"
#include "row/remark.h"
#include "util/text.h"

/* ---- codes */

const char *row_warning_codes(unsigned int codes, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < REMARKS && len < size; i++)
		if (codes >> i & 1)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "",
						remark_kinds[i].code);
	return text;
}

bool row_is_warning_code(const char *word)
{
	for (size_t i = 0; i < REMARKS; i++)
		if (!strcmp(remark_kinds[i].code, word))
			return true;
	return false;
}

/* ---- the link */

/*
 * Payload is less than what a link carries, so that no right figure is above its rate. What is
 * allowed is the error of a clock: the windows are in ticks of a counter.
 */
#define CLOCK_ERROR 1e-3

static uint64_t slower_mbit_s(const struct row_build_in *in)
{
	const uint64_t client = in->limits[SIDE_CLIENT]->rate_mbit_s;
	const uint64_t server = in->limits[SIDE_SERVER]->rate_mbit_s;

	return client < server ? client : server;
}

/*
 * The rate that nothing passes, of the slower of the ports that limit at all, or 0. HCAs pass what
 * is for the same HCA, or for another function of it, inside, and faster than their port. The
 * emulated one has none inside.
 */
static uint64_t limit_mbit_s(const struct row_build_in *in)
{
	uint64_t limit = 0;

	if (!in->limits[SIDE_CLIENT]->emulated &&
	    limits_one_host(in->limits[SIDE_CLIENT], in->limits[SIDE_SERVER]))
		return 0;
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		const struct limits *l = in->limits[side];

		if (l->rate_is_limit && l->rate_mbit_s && (!limit || l->rate_mbit_s < limit))
			limit = l->rate_mbit_s;
	}
	return limit;
}

static bool is_above(const struct row *row, uint64_t mbit_s, uint64_t step)
{
	const double messages = (double)row->window_messages - (double)step;
	const double bits = messages * (double)row->size_bytes * 8;

	/* Mbit/s * ns is bit / 1000 */
	return bits * 1000 > (double)mbit_s * (double)row->window_ns * (1 + CLOCK_ERROR);
}

double row_link_share(const struct row *row, const struct row_build_in *in)
{
	const uint64_t slower = slower_mbit_s(in);

	return slower ? row->bandwidth_gbit_s * 1e5 / (double)slower : NAN;
}

unsigned int row_link(struct row *row, const struct row_build_in *in, uint64_t step)
{
	const uint64_t slower = slower_mbit_s(in), limit = limit_mbit_s(in);
	const bool rate = !isnan(row->bandwidth_gbit_s);
	unsigned int codes = 0;

	if (rate && limit && is_above(row, limit, step)) {
		row->bandwidth_gbit_s = row->bandwidth_mib_s = row->message_rate_per_s = NAN;
		codes = WARNING_CODES_ABOVE_LINK;
	}
	row->bandwidth_pct_of_link = row_link_share(row, in);
	/* the rate of a link that limits nothing says nothing where it is passed */
	if (rate && slower && is_above(row, slower, step)) {
		row->bandwidth_pct_of_link = NAN;
		codes = WARNING_CODES_ABOVE_LINK;
	}
	return codes;
}

/* ---- warnings */

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

/* Over UC and UD nobody sends again; what a port counts there is of others. */
static bool is_sent_again(const struct row *row, const struct row_build_in *in)
{
	const uint64_t own = row->retransmissions, peer = row->peer_retransmissions;

	return !kind_is_lossy(in->plan->work.kind.tp) && !in->interval &&
	       ((own && own != ROW_NONE) || (peer && peer != ROW_NONE));
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

/* "client: sent again: local_ack_timeout_err 3, packet_seq_err 8" */
static void put_sent_again(struct row *row, enum side side, const char *list)
{
	struct counters_item item;
	char text[ROW_TEXT] = "";

	while ((list = counters_next(list, &item)))
		if (counters_class_of(item.name) == COUNTERS_RETRANSMISSIONS)
			text_add(text, sizeof(text), ", ", "%s %" PRIu64, item.name, item.delta);
	if (text[0])
		add(row, "%s: sent again: %s", kind_side_names[side], text);
}

/* What the report itself warns of, then "client: ...; server: ...", of the sides that have any. */
static void put_texts(struct row *row, const struct row_build_in *in, unsigned int codes)
{
	if (codes & WARNING_CODES_ABOVE_LINK)
		add(row, isnan(row->bandwidth_gbit_s) ?
				 "no rate: the counts make %.4g Gbit/s, more than the link carries" :
				 "no link %%: the counts make %.4g Gbit/s, more than the port reports",
		    counted_gbit_s(row));
	if (codes & WARNING_CODES_SATURATED)
		add(row, "more messages were due than could be carried: response times grow with the length of the run");
	if (codes & WARNING_CODES_NO_GAP)
		add(row, "no rate: the receiver saw no two messages arrive; more messages are needed");
	if (codes & WARNING_CODES_MISSED_EVENTS)
		add(row, "missing completion events: %" PRIu64 " (a poll every 20 ms found them)",
		    own_lost_events(in));
	if (codes & WARNING_CODES_SHORT_WINDOW)
		add(row, "measured for %.3g ms, %s: the start counts; -D 1 measures for a second",
		    (double)row->window_ns / 1e6, ROW_SHORT_TEXT);
	if (codes & WARNING_CODES_UNSTEADY)
		add(row, "not steady: the rate of its first third was %.1f %% of the mean, of its last %.1f %%; neighbouring slices correlate by %.2f",
		    row->slices_first_pct, row->slices_last_pct, row->slices_correlation);
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		const struct result *r = in->result[side];

		if (r && codes & WARNING_CODES_RETRANSMISSIONS)
			put_sent_again(row, side, r->device_counters);
		if (r && r->affinity.warnings[0])
			add(row, "%s: %s", kind_side_names[side], r->affinity.warnings);
	}
}

void row_warnings(struct row *row, const struct row_build_in *in, unsigned int codes)
{
	const uint64_t limit = limit_mbit_s(in);

	if (!in->interval)
		row->limiter = limiter_of(row, limit && limit == slower_mbit_s(in));
	codes |= has_no_gap(row) ? WARNING_CODES_NO_GAP : 0;
	codes |= own_lost_events(in) ? WARNING_CODES_MISSED_EVENTS : 0;
	codes |= is_sent_again(row, in) ? WARNING_CODES_RETRANSMISSIONS : 0;
	codes |= is_short(row, in) ? WARNING_CODES_SHORT_WINDOW : 0;
	put_texts(row, in, codes);
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++)
		codes |= in->result[side] ? in->result[side]->affinity.warned : 0;
	row_warning_codes(codes & WARNING_CODES_ALL, row->warning_codes,
			  sizeof(row->warning_codes));
}

static void add_code(struct row *row, unsigned int code)
{
	char text[WARNING_CODES_TEXT];
	const size_t len = strlen(row->warning_codes);

	row_warning_codes(code, text, sizeof(text));
	snprintf(row->warning_codes + len, sizeof(row->warning_codes) - len, "%s%s",
		 len ? " " : "", text);
}

void row_warn_shared(struct row *row)
{
	if (row->windows_shared_pct >= ROW_WINDOWS_PERCENT)
		return;
	add(row, "the windows shared %.1f %% of their time, of which this is the sum",
	    row->windows_shared_pct);
	add_code(row, WARNING_CODES_PARTLY_SHARED);
}

void row_warn_other(struct row *sum, const struct row *other)
{
	const unsigned int code = WARNING_CODES_UNSTEADY;

	if (remark_bits(sum->warning_codes) & code || !(remark_bits(other->warning_codes) & code))
		return;
	add(sum, "the other direction was not steady");
	add_code(sum, code);
}
