/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Readings of running loops, and the series that they make; see slices.h. */
#include "config.h"

#include "worker/slices.h"

#include "util/minmax.h"

#define PERIOD_NS UINT64_C(4000000)
#define STEPS 20u /* in a slice, so that the count is within 5 % */

void slices_open(struct slices *b, const struct workers *workers, uint64_t now_ns)
{
	b->workers = workers;
	b->n = 0;
	b->period_ns = PERIOD_NS;
	b->due_ns = workers->n ? now_ns + PERIOD_NS : UINT64_MAX;
}

static struct slices_reading read_all(const struct workers *workers, uint64_t ticks)
{
	struct slices_reading r = { .at = ticks };

	for (uint32_t i = 0; i < workers->n; i++) {
		const struct worker_counts one = worker_counts(&workers->runs[i]);

		r.counts.sent += one.sent;
		r.counts.received += one.received;
		r.counts.sampled += one.sampled;
	}
	return r;
}

void slices_step(struct slices *b, uint64_t now_ns, uint64_t ticks)
{
	if (now_ns < b->due_ns)
		return;
	if (b->n == SLICES_MOST) {
		for (uint32_t i = 0; i < SLICES_MOST / 2; i++)
			b->readings[i] = b->readings[2 * i + 1];
		b->n = SLICES_MOST / 2;
		b->period_ns *= 2;
	}
	b->readings[b->n++] = read_all(b->workers, ticks);
	b->due_ns = now_ns + b->period_ns;
}

/* ---- the series */

/* One direction: what had been counted by a time, and the time that a rate is of. */
struct series {
	uint32_t n;
	uint64_t count[SLICES_MOST + 1];
	uint64_t time[SLICES_MOST + 1];
};

static void put(struct series *s, uint64_t count, uint64_t time)
{
	s->count[s->n] = count;
	s->time[s->n++] = time;
}

/* The first reading closes a slice only if it is not much shorter than the next one. */
static bool is_too_early(const struct slices *b, uint32_t i, uint64_t from)
{
	return i + 1 < b->n && b->readings[i].at - from <
			       (b->readings[i + 1].at - b->readings[i].at) / 2;
}

static void collect(struct series *s, const struct slices *b, struct worker_span window,
		    bool received)
{
	for (uint32_t i = 0; i < b->n; i++) {
		const struct slices_reading *r = &b->readings[i];
		const bool samples = r->counts.sampled && !received;

		if (r->at <= window.from || r->at > window.to ||
		    (s->n == 1 && is_too_early(b, i, window.from)))
			continue;
		put(s, received ? r->counts.received : r->counts.sent,
		    samples ? r->counts.sampled : r->at - window.from);
	}
}

static void join(struct series *s, uint64_t step)
{
	while (s->n / 2 >= STEADY_LEAST &&
	       s->count[s->n - 1] - s->count[0] < STEPS * step * (s->n - 1)) {
		for (uint32_t i = 1; 2 * i < s->n; i++) {
			s->count[i] = s->count[2 * i];
			s->time[i] = s->time[2 * i];
		}
		s->n = (s->n + 1) / 2;
	}
}

static struct steady steady(const struct series *s)
{
	double rates[SLICES_MOST];
	uint32_t n = 0;

	for (uint32_t i = 1; i < s->n; i++) {
		const uint64_t time = s->time[i] - min_u64(s->time[i - 1], s->time[i]);
		const uint64_t count = s->count[i] - min_u64(s->count[i - 1], s->count[i]);

		if (time)
			rates[n++] = (double)count / (double)time;
	}
	return steady_of(rates, n);
}

/* From the first stamp of all threads to the last. */
static struct worker_span window_of(const struct workers *workers, bool received)
{
	struct worker_span all = { .from = UINT64_MAX };

	for (uint32_t i = 0; i < workers->n; i++) {
		const struct worker_run *run = &workers->runs[i];
		const struct worker_span one = received ? worker_rx_span(run) : worker_tx_span(run);

		all.from = min_u64(all.from, one.from);
		all.to = one.to > all.to ? one.to : all.to;
	}
	return all;
}

void slices_result(const struct slices *b, uint64_t step, struct result *all)
{
	struct series tx = { .n = 0 }, rx = { .n = 0 };
	uint64_t before = 0;

	if (!b->n)
		return;
	for (uint32_t i = 0; i < b->workers->n; i++)
		before += worker_tx_before(&b->workers->runs[i]);
	put(&tx, before, 0);
	put(&rx, all->rx_before, 0);
	collect(&tx, b, window_of(b->workers, false), false);
	collect(&rx, b, window_of(b->workers, true), true);
	join(&tx, step);
	join(&rx, 1);
	all->tx_slices = steady(&tx);
	all->rx_slices = steady(&rx);
}
