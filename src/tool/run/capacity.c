/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the capacities of closed loops, and rates that are percentages of them; see run_sweep.h.
 */
#include "config.h"
#include "run/run_sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/err.h"
#include "util/must.h"

double capacity_of_row(const struct row *row)
{
	const double trips = row->lat_kind == ROW_LAT_HALF_RTT ? 2 : 1;

	return row->pattern == PATTERN_STREAM ? row->message_rate_per_s :
						1e9 / (trips * row->lat_mean_ns);
}

/* What percentages need of the other options. */
static int check(const struct run *run, const struct cell *cell)
{
	const struct axis *arrival = cells_axis(&cell->part->axes, CFG_ROW_arrival);
	const struct {
		bool given;
		const char *what, *why;
	} others[] = {
		{ run->cfg.shuffle != CFG_AUTO, "--shuffle", "the closed loop is measured first" },
		{ run->cfg.resume, "--resume", "they are of a closed loop of the same run" },
		{ cell->cfg.all_sizes, "-a (--all)", "each size has its own capacity" },
		{ arrival && arrival->values.n > 1, "a list of --arrival",
		  "a closed loop has no arrivals" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return err_set(-EINVAL, "%s and --rate in percent exclude each other: %s",
				       others[i].what, others[i].why);
	return 0;
}

int capacity_read(struct run *run)
{
	uint32_t closed;
	int rc = 0;

	for (uint32_t i = 0; i < run->cells.n && !rc; i++) {
		struct cell cell;

		cells_get(&run->cells, i, &cell);
		if (cells_like_shares(&run->cells, &cell, &closed))
			rc = check(run, &cell);
		free(cell.text);
	}
	return rc;
}

void capacity_begin(struct run *run)
{
	run->n_capacities = run->cells.n;
	run->capacities = must_calloc(run->cells.n, sizeof(*run->capacities));
}

void capacity_take(struct run *run, const struct row *row)
{
	const double rate = capacity_of_row(row);
	double *known;

	if (run->measured >= run->n_capacities || row_is_interval(row) ||
	    row->kind != ROW_KIND_RESULT || row->status != RESULT_OK || !(rate > 0) ||
	    !isnan(row->rate_intended_per_s) || row_is_beside(row))
		return;
	known = &run->capacities[run->measured];
	/* of several rows, both ways or of several pairs, the slowest */
	if (!(*known > 0) || rate < *known)
		*known = rate;
}

int capacity_convert(const struct run *run, struct cell *cell)
{
	uint64_t *const rate = &cell->cfg.rate_milli;
	const uint64_t share = *rate & ~FIELD_RATE_SHARE;
	uint32_t closed;

	if (*rate == CFG_AUTO64 || !(*rate & FIELD_RATE_SHARE) ||
	    !cells_like_shares(&run->cells, cell, &closed))
		return 0;
	cell->rate_pct = (double)share / 1000;
	/* not measured yet: whether the cell can be run does not depend on it */
	*rate = 1000;
	if (!run->capacities)
		return 0;
	if (!(run->capacities[closed] > 0))
		return err_set(-EINVAL, "--rate in percent: the closed loop that it is of has no rate");
	*rate = (uint64_t)llround(run->capacities[closed] * (double)share / 100);
	return *rate >= 100 ? 0 : err_set(-EINVAL, "--rate in percent: less than 0.1 messages/s");
}
