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

bool progress_timers(uint64_t now, _Atomic uint64_t *ran)
{
	struct timer t;

	if (atomic_load_explicit(&hca.timers.at_work, memory_order_relaxed))
		return false;
	if (timers_next(&hca.timers) > now)
		return true;
	if (pthread_mutex_trylock(&hca.timers.running))
		return false;
	atomic_store_explicit(&hca.timers.at_work, true, memory_order_relaxed);
	/* this includes timers that another timer sets for now */
	while (timers_take(&hca.timers, now, &t)) {
		t.run(&t);
		atomic_fetch_add_explicit(ran, 1, memory_order_relaxed);
	}
	atomic_store_explicit(&hca.timers.at_work, false, memory_order_relaxed);
	pthread_mutex_unlock(&hca.timers.running);
	return true;
}

void progress_run(void)
{
	if (!progress_timers(clock_now(), &hca.polling.ran))
		polling_kept_out();
}

void progress_cancel(const void *owner)
{
	pthread_mutex_lock(&hca.timers.running);
	timers_remove(&hca.timers, owner);
	pthread_mutex_unlock(&hca.timers.running);
}
