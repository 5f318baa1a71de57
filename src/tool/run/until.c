/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the end of a sweep with --until: how wide the intervals are; see run_sweep.h. */
#include "config.h"
#include "run/run_sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "stats/repeats.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"

#define TOLD 10 /* more of them are a number */
#define PERCENT_LEAST 0.01
#define PERCENT_MOST 50.0

int until_read(struct until *u, struct cfg *cfg)
{
	*u = (struct until){ .percent = 0 };
	if (!cfg->until)
		return cfg->given.max_rounds ?
			       err_set(-EINVAL, "--max-rounds is about --until, which is not given") :
			       0;
	if (text_scan_percent(cfg->until, &u->percent) || u->percent < PERCENT_LEAST ||
	    u->percent > PERCENT_MOST)
		return err_set(-EINVAL, "--until \"%s\": not a percentage from %g%% to %g%%",
			       cfg->until, PERCENT_LEAST, PERCENT_MOST);
	u->rounds = cfg->rounds > REPEATS_MEDIAN ? cfg->rounds : REPEATS_MEDIAN;
	if (u->rounds > cfg->max_rounds)
		return err_set(-EINVAL, "--rounds %u is more than --max-rounds %u", u->rounds,
			       cfg->max_rounds);
	cfg->rounds = cfg->max_rounds;
	return 0;
}

void until_take(struct until *u, const struct row *row)
{
	char name[2 * ROW_TEXT];
	const double figure = row_main_figure(row);

	if (!(u->percent > 0) || row_is_interval(row) || row->kind == ROW_KIND_BACKGROUND ||
	    row->status != RESULT_OK || isnan(figure))
		return;
	snprintf(name, sizeof(name), "%s%s%s, %" PRIu64 " bytes%s%s%s%s%s%s%s%s",
		 row->scenario, row->scenario[0] ? ": " : "", row->cell, row->size_bytes,
		 row->bidir == 1 ? " " : "", row->bidir == 1 ? ROW_TEXT_OF(row, direction) : "",
		 row_beside(row)[0] ? " " : "", row_beside(row), row->pair[0] ? " " : "", row->pair,
		 row->receiver[0] ? " " : "", row->receiver);
	series_add(&u->figures, name, figure);
}

/* In percent of the median; infinite: there is no interval, or a median of 0. */
static double half_width(const struct series *s)
{
	const double half = repeats_half_width(s->values, s->n);

	return isnan(half) ? INFINITY : half;
}

bool until_reached(const struct until *u)
{
	for (size_t i = 0; i < u->figures.n; i++)
		if (half_width(u->figures.all[i]) > u->percent)
			return false;
	return true;
}

size_t until_tell(const struct until *u)
{
	size_t wide = 0;

	for (size_t i = 0; i < u->figures.n; i++) {
		const struct series *s = u->figures.all[i];
		const double half = half_width(s);

		if (half <= u->percent || wide++ >= TOLD)
			continue;
		if (isinf(half))
			log_error("not within %g %% (--until): %s: %zu repeats have no interval",
				  u->percent, s->name, s->n);
		else
			log_error("not within %g %% (--until): %s: +- %.3g %% after %zu repeats",
				  u->percent, s->name, half, s->n);
	}
	if (wide > TOLD)
		log_error("not within %g %% (--until): %zu more", u->percent, wide - TOLD);
	return wide;
}
