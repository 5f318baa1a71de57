/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what a row says of its link: the share of its rate, and that a rate is absent which is more
 * than it can carry. Called by row_build.c.
 */
#include "config.h"
#include "report/row_build.h"

#include <math.h>

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
 * Do messages take the link? HCAs pass what is for the same HCA, or for another function of it,
 * inside, and faster than their port. The emulated one has none inside.
 */
static bool takes_link(const struct row_build_in *in)
{
	const struct limits *a = in->limits[SIDE_CLIENT], *b = in->limits[SIDE_SERVER];

	return a->rate_is_limit && b->rate_is_limit && (a->emulated || !limits_one_host(a, b));
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
	const uint64_t slower = slower_mbit_s(in);
	unsigned int codes = 0;

	if (slower && takes_link(in) && !isnan(row->bandwidth_gbit_s) &&
	    is_above(row, slower, step)) {
		row->bandwidth_gbit_s = row->bandwidth_mib_s = row->message_rate_per_s = NAN;
		codes = WARNING_CODES_ABOVE_LINK;
	}
	row->bandwidth_pct_of_link = row_link_share(row, in);
	return codes;
}
