/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Starts, stops and adds up the workers of a side; see workers.h. */
#include "config.h"

#include "worker/workers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/minmax.h"

int workers_open(struct workers *workers, uint32_t n)
{
	memset(workers, 0, sizeof(*workers));
	if (!n)
		return 0;
	workers->runs = aligned_alloc(_Alignof(struct worker_run), n * sizeof(*workers->runs));
	if (!workers->runs)
		return err_set(-ENOMEM, "cannot allocate the state of %u threads", n);
	memset(workers->runs, 0, n * sizeof(*workers->runs));
	workers->n = n;
	return barrier_init(&workers->barrier, n);
}

int workers_create(struct workers *workers)
{
	int rc = 0;

	workers->monotonic = clock_anchor_of(CLOCK_MONOTONIC);
	for (uint32_t i = 0; i < workers->n && !rc; i++)
		rc = worker_start(&workers->runs[i]);
	return rc;
}

int workers_start(struct workers *workers)
{
	return workers->n ? barrier_open(&workers->barrier) : 0;
}

int workers_again(struct workers *workers)
{
	if (!workers->n)
		return 0;
	barrier_close(&workers->barrier);
	return barrier_init(&workers->barrier, workers->n);
}

void workers_stop(struct workers *workers, enum state_stop how)
{
	for (uint32_t i = 0; i < workers->n; i++)
		worker_stop(&workers->runs[i], how);
}

void workers_wake_low(struct workers *workers)
{
	for (uint32_t i = 0; i < workers->n; i++)
		worker_wake_low(&workers->runs[i]);
}

bool workers_over(const struct workers *workers)
{
	for (uint32_t i = 0; i < workers->n; i++)
		if (!atomic_load(&workers->runs[i].ended))
			return false;
	return true;
}

bool workers_failed(const struct workers *workers)
{
	for (uint32_t i = 0; i < workers->n; i++)
		if (atomic_load(&workers->runs[i].ended) && workers->runs[i].rc)
			return true;
	return false;
}

int workers_join(struct workers *workers)
{
	int worst = 0;

	for (uint32_t i = 0; i < workers->n; i++) {
		int rc = worker_join(&workers->runs[i]);

		if (rc && (!worst || worst == -ECANCELED))
			worst = rc;
	}
	return worst;
}

/* ---- results */

static int open_detail(struct result_detail *d, const struct workers *workers)
{
	const uint32_t n_qps = workers->n ? workers->runs->worker.fixed.n_qps : 0;
	const size_t total = (size_t)workers->n * n_qps;

	*d = (struct result_detail){ .n_threads = workers->n, .n_qps = n_qps };
	if (!total)
		return 0;
	d->threads = calloc(workers->n, sizeof(*d->threads));
	d->sent = calloc(total, sizeof(*d->sent));
	d->received = calloc(total, sizeof(*d->received));
	if (d->threads && d->sent && d->received)
		return 0;
	result_detail_free(d);
	return err_set(-ENOMEM, "cannot allocate the counts of %zu QPs", total);
}

static double rate(uint64_t messages, uint64_t window_ns)
{
	return window_ns ? (double)messages * 1e9 / (double)window_ns : 0;
}

static void put_shares(const struct result_detail *d, bool received, struct result *all)
{
	const uint64_t *per_qp = received ? d->received : d->sent;
	const uint32_t n = d->n_threads * d->n_qps;
	const bool any = received ? all->received : all->sent;
	double *values = any ? calloc(n, sizeof(*values)) : NULL;
	bool known = true;

	if (!values)
		return;
	for (uint32_t i = 0; i < n; i++)
		values[i] = (double)per_qp[i];
	*(received ? &all->qp_received : &all->qp_sent) = fairness_of(values, n);
	for (uint32_t i = 0; i < d->n_threads; i++) {
		const struct result *r = &d->threads[i];

		values[i] = received ? rate(r->received - r->rx_before, r->rx_window_ns) :
				       rate(r->sent - r->tx_outside, r->tx_window_ns);
		known &= !received || !r->received || r->received > r->rx_before;
	}
	if (known)
		*(received ? &all->thread_rx : &all->thread_tx) = fairness_of(values, d->n_threads);
	free(values);
}

/* From the first stamp of any thread to the last; each clock is read on the CPU of its thread. */
static void put_window(const struct workers *workers, const struct result_detail *d, bool received,
		       struct result *r)
{
	struct worker_span all = { .from = UINT64_MAX };
	const struct worker_run *latest = workers->runs;
	uint64_t window_ns;
	double scale;

	for (uint32_t i = 0; i < workers->n; i++) {
		const struct worker_run *run = &workers->runs[i];
		struct worker_span one = received ? worker_rx_span(run) : worker_tx_span(run);

		if (run->after.ticks > latest->after.ticks)
			latest = run;
		if (!(received ? d->threads[i].received : d->threads[i].sent))
			continue;
		all.from = one.from < all.from ? one.from : all.from;
		all.to = one.to > all.to ? one.to : all.to;
	}
	scale = worker_ns_per_tick(latest);
	window_ns = all.to > all.from ? clock_to_ns(all.to - all.from, scale) : 0;
	*(received ? &r->rx_window_ns : &r->tx_window_ns) = window_ns;
	if (window_ns && workers->about_to_start && all.from >= workers->about_to_start)
		*(received ? &r->rx_start_ns : &r->tx_start_ns) =
			clock_to_ns(all.from - workers->about_to_start, scale);
	if (workers->about_to_start)
		r->started_ns = workers->monotonic.ns -
				clock_to_ns(workers->monotonic.ticks - workers->about_to_start,
					    scale);
	if (workers->told_to_start)
		r->start_slack_ns = clock_to_ns(workers->told_to_start - workers->about_to_start,
						scale);
}

uint64_t workers_tx_inside(const struct workers *workers)
{
	uint64_t first = UINT64_MAX, of_first = 0, sum = 0;

	for (uint32_t i = 0; i < workers->n; i++) {
		const uint64_t before = worker_tx_before(&workers->runs[i]);
		const uint64_t from = worker_tx_span(&workers->runs[i]).from;

		sum += before;
		if (from < first)
			of_first = before;
		first = min_u64(first, from);
	}
	return sum - of_first;
}

static int put_latency(const struct workers *workers, struct result_detail *d)
{
	struct worker_run *run = workers->runs;

	if (!workers->n || !run->worker.histogram)
		return 0;
	worker_kept_take(run, &d->kept);
	d->latency = malloc(sizeof(*d->latency));
	if (!d->latency)
		return err_set(-ENOMEM, "cannot allocate the histogram of a result");
	worker_histogram_ps(run, d->latency);
	return 0;
}

int workers_result(const struct workers *workers, struct result *all, struct result_detail *d)
{
	int rc = open_detail(d, workers);
	uint32_t opened = 0;

	result_clear(all);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < d->n_threads; i++) {
		const struct worker_run *run = &workers->runs[i];

		worker_result(run, &d->threads[i]);
		result_add(all, &d->threads[i]);
		opened += worker_rx_opened(run);
		for (uint32_t qp = 0; qp < d->n_qps; qp++) {
			d->sent[i * d->n_qps + qp] = worker_sent(run, qp);
			d->received[i * d->n_qps + qp] = worker_received(run, qp);
		}
	}
	if (!d->n_threads)
		return 0;
	if (d->n_threads > 1)
		worker_pace_result(workers->runs, workers->n, all);
	all->rx_before -= opened > 1 ? opened - 1 : 0;
	all->tx_outside -= min_u64(all->tx_outside, workers_tx_inside(workers));
	put_window(workers, d, false, all);
	put_window(workers, d, true, all);
	put_shares(d, false, all);
	put_shares(d, true, all);
	return put_latency(workers, d);
}

void workers_close(struct workers *workers)
{
	workers_stop(workers, STATE_LEAVE);
	barrier_abandon(&workers->barrier);
	for (uint32_t i = 0; i < workers->n; i++)
		worker_close(&workers->runs[i]);
	barrier_close(&workers->barrier);
	free(workers->runs);
	memset(workers, 0, sizeof(*workers));
}
