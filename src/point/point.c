/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the steps of one point on one side: start the threads, monitor them, take the results.
 * Called by points.c. Must not know which point comes next.
 */
#include "config.h"

#include "point/point.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "point/point_state.h"
#include "util/err.h"

#define BYTES_PER_MS 100000u /* 100 MB/s: memory is filled and registered faster on any machine */

uint32_t point_silence_ms(const struct plan *plan, const struct point *point)
{
	struct layout lay;

	layout_resolve(&lay, plan, point);
	return plan->stall_timeout_ms +
	       (uint32_t)(lay.total_bytes * plan->work.threads / BYTES_PER_MS);
}

uint32_t point_setup_ms(const struct plan *plan, const struct point *point)
{
	return point_silence_ms(plan, point) + PLAN_QP_MS * plan_total_qps(plan);
}

static int monitor(struct point_state *s)
{
	const struct point_in *in = s->in;
	int rc;

	s->monitor = (struct monitor){
		.to = in->peers,
		.dev = in->dev,
		.cm = &s->cm,
		.plan = in->plan,
		.point = in->point,
		.side = in->side,
		.workers = &s->workers,
		.disturb = &s->disturb,
		.initiates = role_initiates(point_role(in, in->side)),
		.peer_initiates = role_initiates(point_role(in, kind_other_side(in->side))),
		.silence_ms = point_silence_ms(in->plan, in->point),
		.migrate = in->side == SIDE_CLIENT ? point_apm_migrate : NULL,
		.arg = s,
		.sink = in->sink,
		.intervals = {
			.every_ns = in->interval_ns, .tell = in->interval, .arg = in->interval_arg,
		},
	};
	if (in->sink->runs)
		in->sink->runs(in->sink->arg, true);
	rc = monitor_point(&s->monitor);
	if (in->sink->runs)
		in->sink->runs(in->sink->arg, false);
	return rc;
}

/* The queues of the threads that have a loop. */
static int open_disturb(struct point_state *s)
{
	struct disturb *d = &s->disturb;

	*d = (struct disturb){ .plan = s->in->plan };
	if (s->in->plan->work.disturb == DISTURB_NONE)
		return 0;
	d->eps = calloc(s->workers.n ? s->workers.n : 1, sizeof(struct ep *));
	if (!d->eps)
		return err_set(-ENOMEM, "no memory for the queues of %u threads", s->workers.n);
	d->n = s->workers.n;
	for (uint32_t i = 0; i < d->n; i++)
		d->eps[i] = &s->threads[i].ep;
	return disturb_open(d);
}

static int run(struct point_state *s, const json_t *first, struct point_out *out)
{
	int rc = point_threads_open(s), result_rc;

	if (!rc)
		rc = point_threads_start(s, first);
	if (!rc)
		rc = open_disturb(s);
	if (rc)
		return rc;
	rc = monitor(s);
	result_rc = point_result_own(s, out);
	if (!rc)
		rc = result_rc;
	/* when the peer is gone, requests fail as a consequence */
	if ((rc == -ECONNRESET || rc == -ECONNABORTED || rc == -EINTR) &&
	    out->own.status == RESULT_FAILED)
		out->own.status = RESULT_INCOMPLETE;
	if (rc == -EIO && out->own.reason[0])
		return err_set(rc, "on the %s, %s", kind_side_names[s->in->side], out->own.reason);
	if (!rc && s->in->plan->work.verify)
		rc = point_result_verify(s, out);
	if (!rc)
		rc = point_result_exchange(s, out);
	return rc;
}

int point_run(const struct point_in *in, const json_t *first, struct point_out *out)
{
	const uint64_t mark = budget_mark(in->dev->budget);
	struct point_state s = { .in = in };
	int rc;

	*out = (struct point_out){ .point = in->point };
	out->peers = calloc(in->peers->n, sizeof(*out->peers));
	rc = out->peers ? run(&s, first, out) :
	     err_set(-ENOMEM, "no memory for the results of %u peers", in->peers->n);
	/*
	 * sent before the QPs are destroyed: then requests of the peer fail, and their errors hide
	 * the reason
	 */
	if (rc)
		peers_abort(in->peers, rc, err_text());
	monitor_intervals_tell(&s.monitor);
	s.failed = rc != 0;
	disturb_close(&s.disturb);
	point_threads_close(&s);
	monitor_close(&s.monitor);
	budget_back(in->dev->budget, mark);
	return rc;
}

void point_out_free(struct point_out *out)
{
	result_detail_free(&out->detail);
	free(out->peers);
	out->peers = NULL;
}
