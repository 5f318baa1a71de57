/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The open loop of a worker: its times, its loop, its result; see worker.h. */
#include "config.h"

#include "worker/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "util/err.h"

#define MILLI_NS 1e12 /* of a rate in thousandths */
#define LATE_NS 1000  /* a post is late */

static uint64_t slots_of(const struct worker_fixed *fixed)
{
	uint64_t slots = 0;

	/* a latency test has one message under way, whose times are in registers */
	for (uint32_t i = 0; i < fixed->n_qps && fixed->sends; i++)
		slots += fixed->sqs[i].slots;
	return slots;
}

int worker_pace_open(struct worker_run *run)
{
	const struct worker_fixed *fixed = &run->worker.fixed;
	const uint64_t slots = slots_of(fixed), bytes = slots * sizeof(struct pace_stamp);
	struct pace_stamp *stamps;

	if (budget_take(worker_budget(run->in), sizeof(*run->pace) + bytes, "times of requests"))
		return -ENOMEM;
	run->pace = calloc(1, sizeof(*run->pace));
	stamps = calloc(slots + 1, sizeof(*stamps));
	if (run->pace)
		run->pace->stamps = stamps;
	if (!run->pace || !stamps) {
		free(run->pace ? NULL : stamps);
		return err_set(-ENOMEM, "cannot allocate the times of %" PRIu64 " requests", slots);
	}
	for (uint32_t i = 0; i < fixed->n_qps && fixed->sends; i++) {
		fixed->sqs[i].stamps = stamps;
		stamps += fixed->sqs[i].slots;
	}
	return 0;
}

static double ns_per_tick(const struct worker_run *run)
{
	const struct clock_anchor now = clock_anchor();

	return clock_counter_on && run->in->origin ? worker_ns_per_tick_at(run, &now) : 1;
}

int worker_pace_set(struct worker_run *run)
{
	const struct worker_setup *in = run->in;
	const struct plan_work *work = &in->plan->work;
	const struct kind kind = plan_side_kind(in->plan, in->side);
	struct worker *w = &run->worker;
	struct pace_spec spec = {
		/* threads do not post at the same time */
		.first = (double)in->thread / work->threads,
		.poisson = work->arrival == ARRIVAL_POISSON,
		.seed = (uint64_t)in->thread * SIDE_COUNT + in->side + 1,
		.total = in->point->messages ? in->point->messages * work->qps : UINT64_MAX,
	};

	w->pace = in->closed ? NULL : run->pace;
	run->loop = worker_kept_set(run) ? engine_find_kept(kind, w->pace) :
					   engine_find(kind, work->role[in->side], w->pace);
	if (!w->pace)
		return 0;
	spec.gap_ns = MILLI_NS * work->threads / (double)work->rate_milli;
	spec.ns_per_tick = ns_per_tick(run);
	return pace_open(w->pace, &spec);
}

/* The histogram at that offset of struct pace, of all threads. */
static void put_samples(const struct worker_run *runs, uint32_t n, size_t off,
			struct histogram *sum, struct result_lat *lat)
{
	histogram_reset(sum);
	for (uint32_t i = 0; i < n; i++)
		histogram_add(sum, (const void *)((const char *)runs[i].worker.pace + off));
	histogram_settle(sum);
	worker_samples(lat, sum, worker_ns_per_tick(runs));
}

void worker_pace_result(const struct worker_run *runs, uint32_t n, struct result *r)
{
	struct histogram *sum = runs->worker.pace ? malloc(sizeof(*sum)) : NULL;

	/* without memory it is absent */
	if (!sum)
		return;
	r->intended = r->unsent = r->backlog_max = r->saturated = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct pace *p = runs[i].worker.pace;
		const struct worker_fixed *fixed = &runs[i].worker.fixed;

		r->intended += pace_intended(p);
		r->unsent += pace_unsent(p);
		r->backlog_max += p->backlog_max;
		r->saturated |= pace_is_saturated(p, (uint64_t)fixed->depth * fixed->n_qps);
	}
	put_samples(runs, n, offsetof(struct pace, response), sum, &r->response);
	put_samples(runs, n, offsetof(struct pace, service), sum, &r->service);
	put_samples(runs, n, offsetof(struct pace, late), sum, &r->late);
	r->late_posts = histogram_count_above(
		sum, clock_to_ns(LATE_NS, 1 / worker_ns_per_tick(runs)));
	free(sum);
}

void worker_pace_close(struct worker_run *run)
{
	if (run->pace)
		pace_close(run->pace);
	free(run->pace);
	run->pace = NULL;
}
