/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Runs timers; see progress.h. Called by all who set timers and by all who poll. */
#include "config.h"
#include "transport/progress.h"

#include "base/clock.h"

int progress_at(const struct timer *timer)
{
	int rc = timers_add(&hca.timers, timer);

	if (rc < 0)
		return rc;
	if (rc)
		progress_due();
	return 0;
}

void progress_timers(uint64_t now)
{
	struct timer t;

	if (timers_next(&hca.timers) > now)
		return;
	if (pthread_mutex_trylock(&hca.timers.running))
		return;
	/* this includes timers that another timer sets for now */
	while (timers_take(&hca.timers, now, &t))
		t.run(&t);
	pthread_mutex_unlock(&hca.timers.running);
}

void progress_run(void)
{
	uint64_t now = clock_now();

	progress_polled(now);
	progress_timers(now);
}

void progress_cancel(const void *owner)
{
	pthread_mutex_lock(&hca.timers.running);
	timers_remove(&hca.timers, owner);
	pthread_mutex_unlock(&hca.timers.running);
}
