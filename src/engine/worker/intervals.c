/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The cuts through running loops; see intervals.h. Writes nothing that a loop reads or writes. */
#include "config.h"

#include "worker/intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/minmax.h"

#define TRIES 3
#define BRACKET_TICKS 30000 /* about 10 us; with more the counters are read again */

/* A window of several threads, in ticks. */
struct reach {
	uint64_t from, to; /* UINT64_MAX, 0: no thread has counted a message */
	bool open;         /* of a thread it has not ended */
};

/* The counters of all threads, and when they were read: ticks. */
struct reading {
	struct result all;
	struct reach tx, rx;
	uint64_t at, bracket;
};

static struct histogram *histogram_of(const struct workers *workers)
{
	return workers->n ? workers->runs->worker.histogram : NULL;
}

int intervals_open(struct intervals *i, const struct workers *workers)
{
	*i = (struct intervals){ .workers = NULL };
	result_clear(&i->before);
	if (!histogram_of(workers)) {
		i->workers = workers;
		return 0;
	}
	i->last = malloc(sizeof(*i->last));
	i->fresh = malloc(sizeof(*i->fresh));
	i->since = malloc(sizeof(*i->since));
	if (!i->last || !i->fresh || !i->since)
		return err_set(-ENOMEM, "cannot allocate the histograms of the intervals");
	histogram_reset(i->last);
	i->workers = workers;
	return 0;
}

static void extend(struct reach *reach, struct worker_span one)
{
	reach->from = one.from < reach->from ? one.from : reach->from;
	reach->to = one.to > reach->to ? one.to : reach->to;
	reach->open |= !one.to;
}

static void read_counters(const struct workers *workers, struct reading *r)
{
	const uint64_t before = clock_ticks();
	uint32_t opened = 0;
	struct result one;

	r->tx = r->rx = (struct reach){ .from = UINT64_MAX };
	result_clear(&r->all);
	for (uint32_t i = 0; i < workers->n; i++) {
		worker_result_so_far(&workers->runs[i], &one);
		result_add(&r->all, &one);
		opened += one.received && worker_rx_opened(&workers->runs[i]);
		if (one.sent && worker_tx_opened(&workers->runs[i]))
			extend(&r->tx, worker_tx_span(&workers->runs[i]));
		if (one.received)
			extend(&r->rx, worker_rx_span(&workers->runs[i]));
	}
	r->all.rx_before -= opened > 1 ? opened - 1 : 0;
	r->all.tx_outside -= min_u64(r->all.tx_outside, workers_tx_inside(workers));
	r->bracket = clock_ticks() - before;
	r->at = before + r->bracket / 2;
}

/*
 * Makes the window longer, to the cut or to its end: what lies before and after the reported part
 * is converted by this scale, and what was reported stays.
 */
static void reach_to(struct intervals_window *w, const struct reach *reach, uint64_t cut,
		     double scale)
{
	const uint64_t to = reach->open || reach->to > cut ? cut : reach->to;

	if (to <= reach->from)
		return;
	if (!w->to)
		w->from = w->to = reach->from;
	/* a thread that has counted its first message now may have begun before the others */
	if (reach->from < w->from) {
		w->ns += (long double)(w->from - reach->from) * scale;
		w->from = reach->from;
	}
	/* less than nothing of the case that the header names */
	w->ns += ((long double)to - (long double)w->to) * scale;
	w->to = to;
}

/*
 * A loop may find only after a cut that its window has begun before it. What was reported stays: of
 * this window, messages and time before the cut are left out, also of the point.
 */
static void hold_window(struct intervals *i, struct result *all, struct reach *tx)
{
	all->tx_outside += i->left_out;
	if (all->tx_outside >= i->before.tx_outside)
		return;
	i->left_out += i->before.tx_outside - all->tx_outside;
	all->tx_outside = i->before.tx_outside;
	tx->from = max_u64(tx->from, i->at);
}

/*
 * A thread may find nothing for the first time after a cut. What it had counted until then is
 * outside of its window, but what was reported stays: the window goes on as it was reported.
 */
static void hold_arrivals(const struct result *before, struct result *now)
{
	if (before->received > before->rx_before)
		now->rx_before = min_u64(now->rx_before, before->rx_before);
}

/* It does not become shorter than it was: what was reported stays. */
static uint64_t window_ns(const struct intervals_window *w, uint64_t was_ns)
{
	const uint64_t ns = w->ns > 0 ? (uint64_t)(w->ns + 0.5L) : 0;

	return ns > was_ns ? ns : was_ns;
}

static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/*
 * Duplicates are read after the messages that they are part of, while the loop goes on: what is
 * ahead of them is of the next interval.
 */
static void hold_duplicates(const struct result *before, struct result *now)
{
	const uint64_t had = before->duplicated == UINT64_MAX ? 0 : before->duplicated;

	if (now->duplicated != UINT64_MAX)
		now->duplicated = min_u64(now->duplicated,
					  had + more(now->received, before->received));
}

/* What is in now and was not in before. */
static void subtract(struct intervals *i, const struct result *now, struct result *one)
{
	result_clear(one);
	one->locks = now->locks;
	field_since(&result_table, one, now, &i->before);
	one->tx_window_ns = more(now->tx_window_ns, i->before.tx_window_ns);
	one->rx_window_ns = more(now->rx_window_ns, i->before.rx_window_ns);
}

static void put_latency(struct intervals *i, struct result *one, double scale)
{
	struct histogram *const now = i->fresh;

	if (!now)
		return;
	histogram_look(now, histogram_of(i->workers));
	histogram_since(i->since, now, i->last);
	worker_latency(i->workers->runs, &one->lat, i->since, scale);
	i->fresh = i->last;
	i->last = now;
}

void intervals_cut(struct intervals *i, struct result *one)
{
	const struct workers *const workers = i->workers;
	struct clock_anchor anchor;
	struct reading r;
	double scale;

	result_clear(one);
	if (!workers->n)
		return;
	for (int tries = TRIES; tries; tries--) {
		read_counters(workers, &r);
		if (r.bracket < BRACKET_TICKS)
			break;
	}
	anchor = clock_anchor();
	scale = worker_ns_per_tick_at(workers->runs, &anchor);
	hold_window(i, &r.all, &r.tx);
	hold_arrivals(&i->before, &r.all);
	i->at = r.at;
	reach_to(&i->tx, &r.tx, r.at, scale);
	reach_to(&i->rx, &r.rx, r.at, scale);
	r.all.tx_window_ns = window_ns(&i->tx, i->before.tx_window_ns);
	r.all.rx_window_ns = window_ns(&i->rx, i->before.rx_window_ns);
	hold_duplicates(&i->before, &r.all);
	subtract(i, &r.all, one);
	put_latency(i, one, scale);
	i->before = r.all;
}

/* All threads have ended, and know their ends. */
static void end_windows(struct intervals *i, struct result *all)
{
	const struct worker_run *latest = i->workers->runs;
	struct reading r;
	double scale;

	for (uint32_t k = 0; k < i->workers->n; k++)
		if (i->workers->runs[k].after.ticks > latest->after.ticks)
			latest = &i->workers->runs[k];
	scale = worker_ns_per_tick(latest);
	read_counters(i->workers, &r);
	hold_window(i, all, &r.tx);
	hold_arrivals(&i->before, all);
	reach_to(&i->tx, &r.tx, r.at, scale);
	reach_to(&i->rx, &r.rx, r.at, scale);
	/* until its end a latency test counts rounds in both directions, the result messages */
	if (all->tx_window_ns && i->tx.to)
		all->tx_window_ns = window_ns(&i->tx, 0);
	if (all->rx_window_ns && i->rx.to)
		all->rx_window_ns = window_ns(&i->rx, 0);
}

void intervals_rest(struct intervals *i, struct result *all, struct result *one)
{
	if (i->workers->n)
		end_windows(i, all);
	subtract(i, all, one);
	/* these are of the whole point */
	one->disturbances = one->path_migrations = one->verified = UINT64_MAX;
	one->intended = one->unsent = one->backlog_max = one->late_posts = UINT64_MAX;
	one->voluntary_switches = one->involuntary_switches = 0;
	if (i->workers->n)
		put_latency(i, one, worker_ns_per_tick(i->workers->runs));
	i->before = *all;
}

void intervals_close(struct intervals *i)
{
	free(i->last);
	free(i->fresh);
	free(i->since);
	memset(i, 0, sizeof(*i));
}
