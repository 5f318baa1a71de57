/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the results of a point once its loops have ended. Called by point.c. */
#include "config.h"

#include "point/point_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/affinity_assess.h"
#include "worker/ring.h"
#include "ep/verify.h"
#include "control/proto.h"
#include "util/err.h"

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
		/* the answers that a ping client received are what the peer sent */
		.peer_sent = role == ROLE_PING ? received :
			     s->monitor.peer_finished ? s->monitor.peer_sent + first : NULL,
	};

	return verify_check(&v, checked);
}

int point_result_verify(struct point_state *s, struct point_out *out)
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

static void copy_interruption(const struct point_state *s, struct point_out *out)
{
	out->interrupted = s->monitor.interrupted;
	memcpy(out->interruption, s->monitor.interruption, sizeof(out->interruption));
}

static int send_done(struct point_state *s, const struct point_out *out)
{
	int rc = monitor_intervals_send(&s->monitor);

	return rc ? rc : peers_send(s->in->peers, proto_done(&out->own),
				    s->in->plan->stall_timeout_ms);
}

/* The client sends first. */
int point_result_exchange(struct point_state *s, struct point_out *out)
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

/* With --hugepages auto only some of the threads may have hugepages. */
static uint64_t smallest_page(const struct point_state *s)
{
	uint64_t bytes = s->threads[0].ep.mem.page_bytes;

	for (uint32_t i = 1; i < s->in->plan->work.threads; i++)
		if (s->threads[i].ep.mem.page_bytes < bytes)
			bytes = s->threads[i].ep.mem.page_bytes;
	return bytes;
}

/* A device may have refused it. */
static bool is_relaxed(const struct point_state *s)
{
	bool all = true;

	for (uint32_t i = 0; i < s->in->plan->work.threads; i++)
		all &= s->threads[i].ep.mem.relaxed;
	return all;
}

/* Where each thread was, and where all of them were. */
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

int point_result_own(struct point_state *s, struct point_out *out)
{
	int rc = workers_result(&s->workers, &out->own, &out->detail);

	if (!s->workers.n)
		out->own.locks = 0;
	out->own.page_bytes = smallest_page(s);
	out->own.relaxed_ordering = is_relaxed(s);
	if (s->disturb.n)
		out->own.disturbances = s->disturb.count;
	out->own.path_migrations = point_apm_count(s);
	report_affinity(s, out);
	monitor_intervals_end(&s->monitor, &out->own);
	out->have_own = true;
	copy_interruption(s, out);
	return rc;
}
