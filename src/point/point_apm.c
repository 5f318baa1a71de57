/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The alternate paths of a point: both sides load them, the client asks for the migration while the
 * loops run. Called by point_threads.c, by the monitor, and by point_result.c. See ep/apm.h.
 */
#include "config.h"

#include "point/point_state.h"

#include "ep/apm.h"

static bool migrates(const struct point_state *s)
{
	return s->in->plan->path.migrate_after != UINT32_MAX;
}

int point_apm_address(struct point_state *s, uint32_t thread)
{
	if (!migrates(s))
		return 0;
	return apm_address(&s->threads[thread].ep, s->in->plan, s->in->side);
}

int point_apm_load(struct point_state *s, uint32_t thread)
{
	struct point_thread *t = &s->threads[thread];

	return migrates(s) ? apm_load(&t->ep, s->in->plan, &t->peer) : 0;
}

int point_apm_migrate(void *arg)
{
	struct point_state *s = arg;
	const uint32_t threads = s->in->plan->work.threads;
	int rc = 1;

	for (uint32_t i = 0; i < threads && rc > 0; i++)
		rc = apm_ready(&s->threads[i].ep);
	if (rc <= 0)
		return rc;
	rc = 0;
	for (uint32_t i = 0; i < threads && !rc; i++)
		rc = apm_migrate(&s->threads[i].ep);
	return rc ? rc : 1;
}

uint64_t point_apm_count(const struct point_state *s)
{
	uint64_t n = 0;

	if (!migrates(s))
		return UINT64_MAX;
	for (uint32_t i = 0; i < s->in->plan->work.threads; i++)
		n += atomic_load(&s->threads[i].ep.qp_events.migrated);
	return n;
}
