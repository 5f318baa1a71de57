/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The samples that a worker keeps one by one: their memory, their way to a result; see worker.h. */
#include "config.h"

#include "worker/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

static uint64_t numbers_of(const struct worker_run *run)
{
	return plan_is_open(run->in->plan) ? KEPT_OPEN : KEPT_CLOSED;
}

int worker_kept_open(struct worker_run *run)
{
	struct kept *kept = &run->worker.kept;
	/* one more, for those that are not kept */
	const uint64_t bytes = (run->in->kept + 1) * numbers_of(run) * sizeof(*kept->samples);
	int rc = run->in->kept ? budget_take(worker_budget(run->in), bytes, "samples") : 0;

	if (rc || !run->in->kept)
		return rc;
	kept->samples = malloc(bytes);
	if (!kept->samples)
		return err_set(-ENOMEM, "cannot allocate %" PRIu64 " bytes for %" PRIu64 " samples",
			       bytes, run->in->kept);
	/* so that the loop gets no new page; zeros would let the compiler leave it to calloc() */
	memset(kept->samples, 0xff, bytes);
	return 0;
}

bool worker_kept_set(struct worker_run *run)
{
	struct kept *kept = &run->worker.kept;

	/* a warm-up has no samples */
	if (!kept->samples || run->in->closed)
		return false;
	kept->at = kept->samples;
	kept->end = kept->samples + run->in->kept * numbers_of(run);
	return true;
}

void worker_kept_take(struct worker_run *run, struct result_samples *out)
{
	struct worker *w = &run->worker;

	*out = (struct result_samples){ .ticks = w->kept.samples, .open = w->pace };
	if (!out->ticks)
		return;
	out->n = (uint64_t)(w->kept.at - w->kept.samples) / numbers_of(run);
	out->measured = histogram_count(w->pace ? &w->pace->response : w->histogram);
	out->ns_per_tick = worker_ns_per_sample(run);
	w->kept = (struct kept){ .samples = NULL };
}

void worker_kept_close(struct worker_run *run)
{
	free(run->worker.kept.samples);
}
