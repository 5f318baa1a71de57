/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* One point on one side; see point.h. */
#include "config.h"

#include "session/point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop/engine.h"
#include "loop/ring.h"
#include "rdma/ep.h"
#include "util/err.h"
#include "session/proto.h"
#include "host/affinity.h"
#include "loop/workers.h"
#include "rdma/verify.h"
#include "session/monitor.h"

#define BYTES_PER_MS 100000u /* 100 MB/s: slower than any memory is filled or pinned */

/* What one thread has to itself, and of the peer's thread that it works with. */
struct point_thread {
	struct ep ep;
	struct ep_addr peer;
	struct worker_setup setup;
};

/* What a point owns while it runs. */
struct stage {
	const struct point_in *in;
	struct point_thread *threads;    /* plan->threads */
	struct workers workers;          /* of as many workers, or none on a side without a loop */
	struct monitor monitor;
};

static enum engine_role role_of(const struct point_in *in, enum side side)
{
	return engine_role(in->plan->work.test, in->plan->work.kind, side, in->plan->work.bidir);
}

static bool initiates(enum engine_role role)
{
	return role == ENGINE_STREAM_TX || role == ENGINE_STREAM_BOTH || role == ENGINE_PING ||
	       role == ENGINE_PROBE;
}

uint32_t point_silence_ms(const struct plan *plan, const struct point *point)
{
	struct mem_layout lay;

	mem_layout(&lay, plan, point);
	return plan->stall_timeout_ms +
	       (uint32_t)(lay.total_bytes * plan->work.threads / BYTES_PER_MS);
}

/* One message for each thread, in their order. */
static int send_endpoints(struct stage *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->in->plan->work.threads && !rc; i++)
		rc = ctl_send(s->in->ctl, proto_endpoint(&s->threads[i].ep.addr),
			      s->in->stall_timeout_ms);
	return rc;
}

/* first: the first of them when it has been taken already, else NULL. */
static int take_endpoints(struct stage *s, const json_t *first)
{
	const struct plan *plan = s->in->plan;
	int rc = 0;

	for (uint32_t i = 0; i < plan->work.threads && !rc; i++) {
		json_t *msg = NULL;

		if (!first)
			rc = ctl_recv(s->in->ctl, "endpoint", &msg,
				      point_silence_ms(plan, s->in->point));
		if (!rc)
			rc = proto_read_endpoint(&s->threads[i].peer, first ? first : msg,
						 plan->work.qps);
		json_decref(msg);
		first = NULL;
	}
	return rc;
}

static int take_plain(struct stage *s, const char *type)
{
	json_t *msg = NULL;
	int rc = ctl_recv(s->in->ctl, type, &msg, point_silence_ms(s->in->plan, s->in->point));

	json_decref(msg);
	return rc;
}

/*
 * What thread i works with is allocated by these two, called in its place: memory is touched there
 * first.
 */
static int open_thread(struct stage *s, uint32_t i)
{
	const struct point_in *in = s->in;
	struct ep *ep = &s->threads[i].ep;
	int rc;

	ep->comp_vector = affinity_vector(in->affinity, i);
	rc = ep_open(ep, in->dev, in->plan, in->point, in->side);
	if (!rc)
		rc = affinity_check_memory(in->affinity, i, ep->mem.base,
					   ep->mem.layout.total_bytes);
	if (!rc && in->plan->work.verify)
		verify_fill(ep, in->plan, in->side, i * in->plan->work.qps);
	return rc;
}

/* Receives are posted before the QPs can receive, and the peer hears of it only afterwards. */
static int build_thread(struct stage *s, uint32_t i)
{
	const struct point_in *in = s->in;
	struct point_thread *w = &s->threads[i];
	int rc = ep_reach(&w->ep, in->plan, &w->peer, in->side);

	w->setup = (struct worker_setup){
		.ep = &w->ep,
		.plan = in->plan,
		.point = in->point,
		.side = in->side,
		.peer = &w->peer,
		.rtt_ns = ctl_rtt_ns(in->ctl),
		.origin = in->origin,
		.barrier = &s->workers.barrier,
		.affinity = in->affinity,
		.thread = i,
	};
	if (!rc && s->workers.n)
		rc = worker_open(&s->workers.runs[i], &w->setup);
	return rc ? rc : ep_connect(&w->ep, in->plan, &w->peer, in->side);
}

static int for_each_thread(struct stage *s, int (*call)(struct stage *s, uint32_t i))
{
	int rc = 0;

	for (uint32_t i = 0; i < s->in->plan->work.threads && !rc; i++) {
		struct affinity_before before;

		rc = affinity_take(&before, s->in->affinity, i);
		if (!rc)
			rc = call(s, i);
		affinity_leave(&before);
	}
	return rc;
}

static int bring_up_client(struct stage *s)
{
	int rc = for_each_thread(s, open_thread);

	if (!rc)
		rc = send_endpoints(s);
	if (!rc)
		rc = take_endpoints(s, NULL);
	if (!rc)
		rc = for_each_thread(s, build_thread);
	if (!rc)
		rc = ctl_send(s->in->ctl, proto_plain("ready"), s->in->stall_timeout_ms);
	if (!rc)
		rc = take_plain(s, "go");
	return rc ? rc : workers_start(&s->workers);
}

/* The server's loops run before the client may start: they wait for all that arrives. */
static int bring_up_server(struct stage *s, const json_t *first)
{
	int rc = take_endpoints(s, first);

	if (!rc)
		rc = for_each_thread(s, open_thread);
	if (!rc)
		rc = for_each_thread(s, build_thread);
	if (!rc)
		rc = send_endpoints(s);
	if (!rc)
		rc = take_plain(s, "ready");
	if (!rc)
		rc = workers_start(&s->workers);
	return rc ? rc : ctl_send(s->in->ctl, proto_plain("go"), s->in->stall_timeout_ms);
}

static int monitor(struct stage *s)
{
	const struct point_in *in = s->in;

	s->monitor = (struct monitor){
		.ctl = in->ctl,
		.dev = in->dev,
		.plan = in->plan,
		.point = in->point,
		.side = in->side,
		.workers = &s->workers,
		.initiates = initiates(role_of(in, in->side)),
		.peer_initiates = initiates(role_of(in, kind_other_side(in->side))),
		.stall_timeout_ms = in->stall_timeout_ms,
		.silence_ms = point_silence_ms(in->plan, in->point),
	};
	return monitor_point(&s->monitor);
}

static int verify_thread(const struct stage *s, uint32_t i, const struct result_detail *detail,
			 uint64_t *checked)
{
	const enum engine_role role = role_of(s->in, s->in->side);
	const uint32_t first = i * s->in->plan->work.qps;
	const uint64_t *sent = detail->sent ? detail->sent + first : NULL;
	const uint64_t *received =
		detail->received && role != ENGINE_STREAM_TX ? detail->received + first : NULL;
	const struct verify v = {
		.ep = &s->threads[i].ep,
		.plan = s->in->plan,
		.first_slot = ring_first(s->in->plan, s->in->point),
		.side = s->in->side,
		.first_qp = first,
		.sent = sent,
		.received = received,
		/* what a pinged client was answered is what it heard */
		.peer_sent = role == ENGINE_PING ? received :
			     s->monitor.peer_told ? s->monitor.peer_sent + first : NULL,
	};

	return verify_check(&v, checked);
}

/* After the loops, before the result is told. */
static int verify(struct stage *s, struct point_out *out)
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

static void take_interruption(const struct stage *s, struct point_out *out)
{
	out->interrupted = s->monitor.interrupted;
	memcpy(out->interruption, s->monitor.interruption, sizeof(out->interruption));
}

/* The client tells first; each side's result is complete before it is told. */
static int exchange_results(struct stage *s, struct point_out *out)
{
	const uint32_t timeout_ms = s->in->stall_timeout_ms;
	int rc = 0;

	if (s->in->side == SIDE_CLIENT)
		rc = ctl_send(s->in->ctl, proto_done(&out->own), timeout_ms);
	if (!rc)
		rc = monitor_take_done(&s->monitor);
	if (!rc)
		rc = proto_read_done(&out->peer, s->monitor.peer_done);
	take_interruption(s, out);
	if (!rc) {
		out->have_peer = true;
		if (s->in->side == SIDE_SERVER)
			rc = ctl_send(s->in->ctl, proto_done(&out->own), timeout_ms);
	}
	return rc;
}

/* Of auto's hugepages there may have been enough for some of the threads only. */
static uint64_t smallest_page(const struct stage *s)
{
	uint64_t bytes = s->threads[0].ep.mem.page_bytes;

	for (uint32_t i = 1; i < s->in->plan->work.threads; i++)
		if (s->threads[i].ep.mem.page_bytes < bytes)
			bytes = s->threads[i].ep.mem.page_bytes;
	return bytes;
}

/* Where each thread was, and where all of them were. */
static void report_affinity(const struct stage *s, struct point_out *out)
{
	for (uint32_t i = 0; i < s->in->plan->work.threads; i++) {
		const struct mem *mem = &s->threads[i].ep.mem;
		struct result *one = out->detail.threads ? &out->detail.threads[i] : NULL;
		struct result_affinity affinity;

		affinity_report(&affinity, &(struct affinity_report_in){
			.plan = s->in->affinity,
			.thread = i,
			.seen = s->workers.n ? &s->workers.runs[i].seen : NULL,
			.base = mem->base,
			.len = mem->layout.total_bytes,
			.involuntary_switches = one ? one->involuntary_switches : 0,
		});
		if (one)
			one->affinity = affinity;
		if (i)
			affinity_merge(&out->own.affinity, &affinity);
		else
			out->own.affinity = affinity;
	}
}

static int take_own_result(struct stage *s, struct point_out *out)
{
	int rc = workers_result(&s->workers, &out->own, &out->detail);

	if (!s->workers.n)
		out->own.locks = 0;
	out->own.page_bytes = smallest_page(s);
	report_affinity(s, out);
	out->have_own = true;
	take_interruption(s, out);
	return rc;
}

static int run_stage(struct stage *s, const json_t *first, struct point_out *out)
{
	const uint32_t threads = s->in->plan->work.threads;
	int rc, told_rc;

	s->threads = calloc(threads, sizeof(*s->threads));
	if (!s->threads)
		return err_set(-ENOMEM, "allocate the state of %u threads", threads);
	rc = workers_open(&s->workers, role_of(s->in, s->in->side) == ENGINE_PASSIVE ? 0 : threads);
	if (!rc)
		rc = s->in->side == SIDE_CLIENT ? bring_up_client(s) : bring_up_server(s, first);
	if (rc)
		return rc;
	rc = monitor(s);
	told_rc = take_own_result(s, out);
	if (!rc)
		rc = told_rc;
	/* requests fail when the peer has gone: that is the consequence */
	if ((rc == -ECONNRESET || rc == -ECONNABORTED) && out->own.status == RESULT_FAILED)
		out->own.status = RESULT_INCOMPLETE;
	if (rc == -EIO && out->own.reason[0])
		return err_set(rc, "on the %s, %s", kind_side_names[s->in->side], out->own.reason);
	if (!rc && s->in->plan->work.verify)
		rc = verify(s, out);
	return rc ? rc : exchange_results(s, out);
}

int point_run(const struct point_in *in, const json_t *first, struct point_out *out)
{
	struct stage s = { .in = in };
	int rc;

	memset(out, 0, sizeof(*out));
	rc = run_stage(&s, first, out);
	/*
	 * told while the QPs are there: without them the peer's requests fail, and hide the
	 * reason
	 */
	if (rc && rc != -ECONNABORTED && rc != -ECONNRESET)
		ctl_abort(in->ctl, err_text());
	workers_close(&s.workers);
	monitor_close(&s.monitor);
	for (uint32_t i = 0; s.threads && i < in->plan->work.threads; i++) {
		ep_addr_free(&s.threads[i].peer);
		ep_close(&s.threads[i].ep);
	}
	free(s.threads);
	return rc;
}
