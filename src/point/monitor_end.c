/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the deadline for the end of a running point, which no message of the peer extends: a peer
 * that only sends heartbeats must not hold this side for ever. Called by monitor.c.
 */
#include "config.h"

#include "point/monitor_state.h"

#include <errno.h>
#include <stdio.h>

#include "util/err.h"
#include "util/minmax.h"

#define MS_NS UINT64_C(1000000)
#define BYTES_PER_MS 100000u /* 100 MB/s, as in point.c */
#define SLOWER 10u           /* the peer's direction may be so much slower than this side's */

/* What was posted before the end is still to come. */
static uint64_t drain_ns(const struct monitor *m)
{
	const struct plan_work *work = &m->plan->work;
	const uint64_t messages = (uint64_t)max_u32(work->depth, work->recv_depth) *
				  plan_total_qps(m->plan);
	const uint64_t quiet_ns = m->workers->n ? m->workers->runs->worker.fixed.quiet_ns : 0;

	return quiet_ns + m->plan->stall_timeout_ms * MS_NS +
	       messages * m->point->size_bytes / BYTES_PER_MS * MS_NS;
}

static bool all_sent(const struct monitor *m)
{
	for (uint32_t i = 0; i < m->workers->n; i++)
		if (!m->threads[i].sent_reported)
			return false;
	return true;
}

/* This side posts: the peer may need longer than this side for the rest, but not for ever. */
static uint64_t after_sending(struct monitor *m, uint64_t now)
{
	struct monitor_end *end = &m->end;
	const uint64_t since_ns = end->stop_ns ? end->stop_ns : end->begin_ns;

	if (!end->sent_ns && (all_sent(m) || workers_over(m->workers)))
		end->sent_ns = now;
	if (!end->sent_ns)
		return UINT64_MAX;
	return end->sent_ns + SLOWER * (end->sent_ns - min_u64(since_ns, end->sent_ns)) +
	       drain_ns(m);
}

/* The peer posts, for a time that the plan says. A number of messages may take any time. */
static uint64_t after_receiving(const struct monitor *m)
{
	if (m->end.stop_ns)
		return m->end.stop_ns + drain_ns(m);
	if (!m->point->duration_ns || m->point->forever)
		return UINT64_MAX;
	/* its loops may begin as much later as it may be silent */
	return m->end.begin_ns + m->point->duration_ns + m->silence_ms * MS_NS + drain_ns(m);
}

int monitor_end_check(struct monitor *m, uint64_t now, bool duration_over)
{
	uint64_t until_ns;

	if (!m->end.begin_ns)
		m->end.begin_ns = now;
	if (!m->end.stop_ns && (m->interrupted || duration_over))
		m->end.stop_ns = now;
	until_ns = m->initiates ? after_sending(m, now) : after_receiving(m);
	if (now < until_ns)
		return 0;
	return err_set(-ETIMEDOUT, "the peer %s sends heartbeats and does not end the point: %.3g s after %s",
		       m->to->ctl[0]->peer,
		       (double)(now - (m->initiates ? m->end.sent_ns :
				       m->end.stop_ns ? m->end.stop_ns : m->end.begin_ns)) / 1e9,
		       m->initiates    ? "the last message of this side" :
		       m->end.stop_ns ? "it was stopped" : "it began");
}
