/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The times of an open loop outside the path of a message; see pace.h. */
#include "config.h"

#include "loop/pace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/err.h"
#include "util/minmax.h"

#define SATURATED_SHARE 100u /* one in so many */

/* The integral of -ln from 0 to v. */
static double integral(double v)
{
	return v > 0 ? v - v * log(v) : 0;
}

double pace_bin_mean(uint32_t i, uint32_t n)
{
	return n * (integral((double)(n - i) / n) - integral((double)(n - i - 1) / n));
}

/* In 1/4096 ticks. */
static uint64_t scaled(double gap_ns, double ns_per_tick)
{
	return (uint64_t)(gap_ns / ns_per_tick * (1u << PACE_BITS) + 0.5);
}

int pace_open(struct pace *p, const struct pace_spec *spec)
{
	const double gap_ns = spec->gap_ns;

	if (spec->poisson && !p->gaps)
		p->gaps = malloc(PACE_BINS * sizeof(*p->gaps));
	if (spec->poisson && !p->gaps)
		return err_set(-ENOMEM, "cannot allocate a table of %u gaps", PACE_BINS);
	for (uint32_t i = 0; p->gaps && i < PACE_BINS; i++)
		p->gaps[i] = scaled(gap_ns * pace_bin_mean(i, PACE_BINS), spec->ns_per_tick);
	p->gap = scaled(gap_ns, spec->ns_per_tick);
	/* never 0, which the generator would keep */
	p->next = (struct pace_series){ .random = spec->seed * 2 + 1 };
	if (!spec->poisson)
		p->next.since = scaled(gap_ns * spec->first, spec->ns_per_tick);
	p->start = p->full_at = p->in_time = p->end = 0;
	p->backlog_max = p->backlog_end = 0;
	p->total = spec->total;
	p->ns_per_tick = spec->ns_per_tick;
	histogram_reset(&p->service);
	histogram_reset(&p->response);
	histogram_reset(&p->late);
	return 0;
}

void pace_close(struct pace *p)
{
	free(p->gaps);
	free(p->stamps);
	p->gaps = NULL;
	p->stamps = NULL;
}

void pace_start(struct pace *p)
{
	if (p->start)
		return;
	p->start = clock_ticks() + (uint64_t)(PACE_LEAD_NS / p->ns_per_tick);
	/* the first gap of a random series is random, too */
	if (p->gaps)
		pace_step(p, &p->next);
	p->next.due = p->start + (p->next.since >> PACE_BITS);
	p->next.count = 0;
	p->due = p->next;
}

/*
 * A message is due while its since is below the end of the tick now. Message by message, since the
 * gaps may be random. After the last one there is no greater backlog.
 */
void pace_behind(struct pace *p, uint64_t now)
{
	const uint64_t end = now < p->start ? 0 : (now - p->start + 1) << PACE_BITS;
	uint64_t since, count;

	if (p->end)
		return;
	if (p->due.count < p->next.count)
		p->due = p->next;
	since = p->due.since;
	count = p->due.count;
	if (p->gaps)
		for (; since < end && count < p->total; count++)
			since += pace_gap(p, &p->due.random);
	for (const uint64_t gap = p->gap; since < end && count < p->total; count++)
		since += gap;
	p->due.since = since;
	p->due.count = count;
	p->backlog_max = max_u64(p->backlog_max, count - p->next.count);
	if (count < p->total)
		return;
	p->end = now;
	p->backlog_end = count - p->next.count;
}

void pace_stop(struct pace *p)
{

	const uint64_t now = clock_ticks();

	if (p->end || !p->start)
		return;
	pace_behind(p, now);
	if (p->end)
		return;
	p->total = p->due.count;
	p->end = now;
	p->backlog_end = p->due.count - p->next.count;
}

uint64_t pace_intended(const struct pace *p)
{
	return max_u64(p->due.count, p->next.count);
}

uint64_t pace_unsent(const struct pace *p)
{
	return pace_intended(p) - p->next.count;
}

bool pace_is_saturated(const struct pace *p, uint64_t slots)
{
	const uint64_t most = max_u64(slots, pace_intended(p) / SATURATED_SHARE);

	return p->backlog_end > most && p->in_time < p->end - (p->end - p->start) / 4;
}
