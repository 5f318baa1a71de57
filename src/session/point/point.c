/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The steps of one point on one side: start the threads, monitor them, take the results. Does not
 * know which point comes next.
 */
#include "config.h"

#include "point/point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpu.h"
#include "endpoint/verify.h"
#include "place/affinity_report.h"
#include "util/err.h"
#include "wire/proto.h"
#include "worker/ring.h"

#define BYTES_PER_MS 100000u /* 100 MB/s: memory is filled and registered faster on any machine */
#define REGION_MS 10u        /* of a small region; the emulated HCA looks at all others */

uint32_t point_silence_ms(const struct plan *plan, const struct point *point)
{
	struct layout lay;

	layout_resolve(&lay, plan, point, SIDE_CLIENT);
	return plan->stall_timeout_ms +
	       (uint32_t)(lay.total_bytes * plan->work.threads / BYTES_PER_MS) +
	       plan->work.threads * plan->work.qps * plan->work.regions * REGION_MS;
}

uint32_t point_setup_ms(const struct plan *plan, const struct point *point)
{
	return point_silence_ms(plan, point) + PLAN_QP_MS * plan_total_qps(plan);
}

/*
 * Of the loops of this side at a point. What the user of a side has stopped in the warm-up is
 * stopped in the point, too.
 */
static struct monitor monitor_of(struct point_state *s, const struct point *point)
{
	const struct point_in *in = s->in;
	struct monitor m = {
		.to = in->peers,
		.dev = in->dev,
		.cm = &s->cm,
		.plan = in->plan,
		.point = point,
		.side = in->side,
		.workers = &s->workers,
		.disturb = &s->disturb,
		.initiates = role_initiates(point_role(in, in->side)),
		.peer_initiates = role_initiates(point_role(in, kind_other_side(in->side))),
		.silence_ms = point_silence_ms(in->plan, point),
		.host = in->host,
		.interrupted = s->monitor.interrupted,
	};

	memcpy(m.interruption, s->monitor.interruption, sizeof(m.interruption));
	return m;
}

/* Runs the loops on the queue pairs of the point, and ends them. */
static int warm_up(struct point_state *s)
{
	struct monitor m;
	int rc;

	s->monitor = monitor_of(s, &s->warm);
	s->monitor.warm_up = true;
	rc = monitor_point(&s->monitor);
	if (rc)
		return rc;
	m = monitor_of(s, s->in->point);
	monitor_close(&s->monitor);
	s->monitor = m;
	return 0;
}

static int monitor(struct point_state *s)
{
	const struct point_in *in = s->in;
	struct monitor m = monitor_of(s, in->point);
	int rc;

	m.migrate = in->side == SIDE_CLIENT ? point_apm_migrate : NULL;
	m.arg = s;
	m.intervals = (struct monitor_intervals){
		.every_ns = in->interval_ns, .tell = in->interval, .arg = in->interval_arg,
	};
	s->monitor = m;
	event_tell(&in->host->events, &(struct event){ EVENT_LOOPS, .begin = true });
	rc = monitor_point(&s->monitor);
	event_tell(&in->host->events, &(struct event){ EVENT_LOOPS, .begin = false });
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

/* ---- results */

static void copy_interruption(const struct point_state *s, struct point_out *out)
{
	out->interrupted = s->monitor.interrupted;
	memcpy(out->interruption, s->monitor.interruption, sizeof(out->interruption));
}

/* With --hugepages auto only some of the threads may have hugepages. */
static uint64_t smallest_page(const struct point_state *s)
{
	uint64_t bytes = s->threads[0].ep.mem.page_bytes;

	for (uint32_t i = 1; i < s->in->plan->work.threads; i++)
		if (s->threads[i].ep.mem.page_bytes < bytes)
			bytes = s->threads[i].ep.mem.page_bytes;
	return bytes;
}

/* A device may refuse it. */
static bool is_relaxed(const struct point_state *s)
{
	bool all = true;

	for (uint32_t i = 0; i < s->in->plan->work.threads; i++)
		all &= s->threads[i].ep.mem.relaxed;
	return all;
}

/* All threads have the same. */
static void report_gpu(const struct gpu *gpu, struct result *own)
{
	snprintf(own->buffers_by, sizeof(own->buffers_by), "%s", gpu ? gpu_by(gpu) : "");
	snprintf(own->gpu, sizeof(own->gpu), "%s", gpu ? gpu_name(gpu) : "");
}

/* The place of each thread, and of all of them. */
static void report_affinity(const struct point_state *s, struct point_out *out)
{
	for (uint32_t i = 0; i < s->in->plan->work.threads; i++) {
		const struct mem *mem = &s->threads[i].ep.mem;
		struct result *one = out->detail.threads ? &out->detail.threads[i] : NULL;
		struct affinity_report affinity;

		affinity_assess(&affinity, &(struct affinity_evidence){
			.plan = s->in->affinity,
			.thread = i,
			.observed = s->workers.n ? &s->workers.runs[i].observed : NULL,
			.base = mem->base,
			.len = mem->layout.total_bytes,
			.involuntary_switches = one ? one->involuntary_switches : 0,
		});
		if (one)
			one->affinity = affinity;
		if (i)
			affinity_assess_merge(&out->own.affinity, &affinity);
		else
			out->own.affinity = affinity;
	}
}

static void put_slices(const struct point_state *s, struct point_out *out)
{
	const struct plan *plan = s->in->plan;
	const bool stream = plan->work.pattern == PATTERN_STREAM;

	slices_result(&s->monitor.slices,
		      stream ? (uint64_t)plan->work.signal_interval * plan_total_qps(plan) : 1,
		      &out->own);
}

/* Fills out->own and out->detail. */
static int own_result(struct point_state *s, struct point_out *out)
{
	int rc = workers_result(&s->workers, &out->own, &out->detail);

	if (!s->workers.n)
		out->own.locks = 0;
	out->own.page_bytes = smallest_page(s);
	out->own.relaxed_ordering = is_relaxed(s);
	report_gpu(s->threads[0].ep.mem.gpu, &out->own);
	if (s->disturb.n)
		out->own.disturbances = s->disturb.count;
	out->own.path_migrations = point_apm_count(s);
	report_affinity(s, out);
	point_evidence_end(s, &out->own);
	monitor_intervals_end(&s->monitor, &out->own);
	put_slices(s, out);
	out->have_own = true;
	copy_interruption(s, out);
	return rc;
}

static int verify_thread(const struct point_state *s, uint32_t i,
			 const struct result_detail *detail, uint64_t *checked)
{
	const enum role role = point_role(s->in, s->in->side);
	const uint32_t first = i * s->in->plan->work.qps;
	const uint64_t *sent = detail->sent ? detail->sent + first : NULL;
	const uint64_t *received =
		detail->received && role != ROLE_STREAM_TX ? detail->received + first : NULL;
	const struct verify v = {
		.ep = &s->threads[i].ep,
		.plan = s->in->plan,
		.first_slot = ring_first(s->in->plan, s->in->point),
		.side = s->in->side,
		.first_qp = first,
		.sent = sent,
		.received = received,
		/* the answers that a ping client received are the messages the peer sent */
		.peer_sent = role == ROLE_PING ? received :
			     s->monitor.peer_finished ? s->monitor.peer_sent + first : NULL,
	};

	return verify_check(&v, checked);
}

/* Compares the received data. Wrong data is a failed result, not an error. */
static int verify(struct point_state *s, struct point_out *out)
{
	struct result *own = &out->own;
	int rc = 0;

	for (uint32_t i = 0; i < s->in->plan->work.threads && !rc; i++) {
		uint64_t checked;

		rc = verify_thread(s, i, &out->detail, &checked);
		if (checked != UINT64_MAX)
			own->verified = checked + (own->verified == UINT64_MAX ? 0 : own->verified);
	}
	if (rc == -EILSEQ) {
		own->status = RESULT_FAILED;
		snprintf(own->reason, sizeof(own->reason), "wrong data on the %s: %.400s",
			 kind_side_names[s->in->side], err_text());
		rc = 0;
	}
	return rc;
}

static int send_done(struct point_state *s, const struct point_out *out)
{
	int rc = monitor_intervals_send(&s->monitor);

	return rc ? rc : peers_send(s->in->peers, proto_done(&out->own),
				    s->in->plan->stall_timeout_ms);
}

/* The client sends first. */
static int exchange(struct point_state *s, struct point_out *out)
{
	int rc = 0;

	if (s->in->side == SIDE_CLIENT)
		rc = send_done(s, out);
	for (uint32_t i = 0; i < s->in->peers->n && !rc; i++) {
		rc = monitor_receive_done(&s->monitor, i);
		if (!rc)
			rc = proto_read_done(&out->peers[i].result, s->monitor.peers[i].done);
		out->peers[i].have = !rc;
	}
	copy_interruption(s, out);
	if (!rc && s->in->side == SIDE_SERVER)
		rc = send_done(s, out);
	return rc;
}

/* ---- the steps */

static int run(struct point_state *s, const json_t *first, struct point_out *out)
{
	int rc = point_threads_open(s), result_rc;
	bool ended = false; /* the loops have run to a failure, and have a result */

	if (!rc)
		rc = point_threads_start(s, first);
	if (!rc && s->in->point->warm_up) {
		rc = warm_up(s);
		ended = rc != 0;
	}
	if (!rc && s->in->point->warm_up)
		rc = point_threads_again(s);
	if (!rc)
		rc = open_disturb(s);
	if (rc && !ended)
		return rc;
	if (!rc)
		rc = monitor(s);
	result_rc = own_result(s, out);
	if (!rc)
		rc = result_rc;
	/* when the peer is gone, requests fail as a consequence */
	if ((rc == -ECONNRESET || rc == -ECONNABORTED || rc == -EINTR) &&
	    out->own.status == RESULT_FAILED)
		out->own.status = RESULT_INCOMPLETE;
	if (rc == -EIO && out->own.reason[0])
		return err_on_side(err_set(rc, "%s", out->own.reason),
				   kind_side_names[s->in->side]);
	if (!rc && s->in->plan->work.verify)
		rc = verify(s, out);
	if (!rc)
		rc = exchange(s, out);
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
	 * sent before the QPs are destroyed: requests of the peer fail then, and their errors would
	 * hide the reason
	 */
	if (rc)
		peers_abort(in->peers, rc);
	monitor_intervals_tell(&s.monitor);
	s.failed = rc != 0;
	disturb_close(&s.disturb);
	counters_close(&s.counters);
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
