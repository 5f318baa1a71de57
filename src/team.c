/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Starting, stopping and adding up the lanes of a side; see team.h. Called by point.c, watch.c. */
#include "config.h"

#include "team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

int team_open(struct team *team, uint32_t n)
{
	memset(team, 0, sizeof(*team));
	if (!n)
		return 0;
	team->runs = aligned_alloc(_Alignof(struct lane_run), n * sizeof(*team->runs));
	if (!team->runs)
		return err_set(-ENOMEM, "allocate the state of %u threads", n);
	memset(team->runs, 0, n * sizeof(*team->runs));
	team->n = n;
	return gate_init(&team->gate, n);
}

int team_start(struct team *team)
{
	int rc = 0;

	for (uint32_t i = 0; i < team->n && !rc; i++)
		rc = lane_start(&team->runs[i]);
	return rc || !team->n ? rc : gate_open(&team->gate);
}

void team_stop(struct team *team, enum flow_stop how)
{
	for (uint32_t i = 0; i < team->n; i++)
		lane_stop(&team->runs[i], how);
}

bool team_over(const struct team *team)
{
	for (uint32_t i = 0; i < team->n; i++)
		if (!atomic_load(&team->runs[i].ended))
			return false;
	return true;
}

bool team_failed(const struct team *team)
{
	for (uint32_t i = 0; i < team->n; i++)
		if (atomic_load(&team->runs[i].ended) && team->runs[i].rc)
			return true;
	return false;
}

int team_join(struct team *team)
{
	int worst = 0;

	for (uint32_t i = 0; i < team->n; i++) {
		int rc = lane_join(&team->runs[i]);

		if (rc && (!worst || worst == -ECANCELED))
			worst = rc;
	}
	return worst;
}

/* ---- results */

static int open_detail(struct result_detail *d, const struct team *team)
{
	const uint32_t n_qps = team->n ? team->runs->lane.n_flows : 0;
	const size_t total = (size_t)team->n * n_qps;

	*d = (struct result_detail){ .n_threads = team->n, .n_qps = n_qps };
	if (!total)
		return 0;
	d->threads = calloc(team->n, sizeof(*d->threads));
	d->sent = calloc(total, sizeof(*d->sent));
	d->received = calloc(total, sizeof(*d->received));
	if (!d->threads || !d->sent || !d->received)
		return err_set(-ENOMEM, "allocate the counts of %zu QPs", total);
	return 0;
}

static struct fair share_of_qps(const struct result_detail *d, const uint64_t *per_qp)
{
	const uint32_t n = d->n_threads * d->n_qps;
	double *values = n > 1 ? calloc(n, sizeof(*values)) : NULL;
	struct fair f = fair_none;

	for (uint32_t i = 0; values && i < n; i++)
		values[i] = (double)per_qp[i];
	if (values)
		f = fair_of(values, n);
	free(values);
	return f;
}

static double rate(uint64_t messages, uint64_t window_ns)
{
	return window_ns ? (double)messages * 1e9 / (double)window_ns : 0;
}

static struct fair share_of_threads(const struct result_detail *d, bool received)
{
	double *rates = d->n_threads > 1 ? calloc(d->n_threads, sizeof(*rates)) : NULL;
	struct fair f = fair_none;

	for (uint32_t i = 0; rates && i < d->n_threads; i++) {
		const struct result *r = &d->threads[i];

		rates[i] = received ? rate(r->received, r->rx_window_ns) :
				      rate(r->sent, r->tx_window_ns);
	}
	if (rates)
		f = fair_of(rates, d->n_threads);
	free(rates);
	return f;
}

/* From the first stamp of any thread to the last; each clock is read on the CPU of its thread. */
static uint64_t common_window_ns(const struct team *team, const struct result_detail *d,
				 bool received)
{
	struct lane_span all = { .from = UINT64_MAX };
	const struct lane_run *latest = team->runs;

	for (uint32_t i = 0; i < team->n; i++) {
		const struct lane_run *run = &team->runs[i];
		struct lane_span one = received ? lane_rx_span(run) : lane_tx_span(run);

		if (run->after.ticks > latest->after.ticks)
			latest = run;
		if (!(received ? d->threads[i].received : d->threads[i].sent))
			continue;
		all.from = one.from < all.from ? one.from : all.from;
		all.to = one.to > all.to ? one.to : all.to;
	}
	if (all.to <= all.from)
		return 0;
	return clock_to_ns(all.to - all.from, lane_ns_per_tick(latest));
}

int team_result(const struct team *team, struct result *all, struct result_detail *d)
{
	int rc = open_detail(d, team);

	result_clear(all);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < d->n_threads; i++) {
		const struct lane_run *run = &team->runs[i];

		lane_result(run, &d->threads[i]);
		result_add(all, &d->threads[i]);
		for (uint32_t qp = 0; qp < d->n_qps; qp++) {
			d->sent[i * d->n_qps + qp] = lane_sent(run, qp);
			d->received[i * d->n_qps + qp] = lane_received(run, qp);
		}
	}
	if (!d->n_threads)
		return 0;
	all->tx_window_ns = common_window_ns(team, d, false);
	all->rx_window_ns = common_window_ns(team, d, true);
	if (all->sent) {
		all->qp_sent = share_of_qps(d, d->sent);
		all->thread_tx = share_of_threads(d, false);
	}
	if (all->received) {
		all->qp_received = share_of_qps(d, d->received);
		all->thread_rx = share_of_threads(d, true);
	}
	return 0;
}

void team_close(struct team *team)
{
	team_stop(team, FLOW_LEAVE);
	gate_abandon(&team->gate);
	for (uint32_t i = 0; i < team->n; i++)
		lane_close(&team->runs[i]);
	gate_close(&team->gate);
	free(team->runs);
	memset(team, 0, sizeof(*team));
}
