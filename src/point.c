/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* One point on one side; see point.h. */
#include "config.h"

#include "point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "ep.h"
#include "err.h"
#include "lane.h"
#include "proto.h"
#include "verify.h"
#include "watch.h"

#define BYTES_PER_MS 100000u /* 100 MB/s: slower than any memory is filled or pinned */

/* What a point owns while it runs. */
struct stage {
	const struct point_in *in;
	struct ep ep;
	struct ep_addr peer;
	struct lane_setup setup;
	struct lane_run run;
	struct watch watch;
	bool has_lane;
};

static enum engine_role role_of(const struct point_in *in, enum side side)
{
	return engine_role(in->plan->test, in->plan->kind, side, in->plan->bidir);
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
	return plan->stall_timeout_ms + (uint32_t)(lay.total_bytes / BYTES_PER_MS);
}

static int send_endpoint(struct stage *s)
{
	return ctl_send(s->in->ctl, proto_endpoint(&s->ep.addr), s->in->stall_timeout_ms);
}

static int take_endpoint(struct stage *s, const json_t *first)
{
	json_t *msg = NULL;
	int rc = 0;

	if (!first)
		rc = ctl_recv(s->in->ctl, "endpoint", &msg,
			      point_silence_ms(s->in->plan, s->in->point));
	if (!rc)
		rc = proto_read_endpoint(&s->peer, first ? first : msg, s->in->plan->qps);
	json_decref(msg);
	return rc;
}

static int take_plain(struct stage *s, const char *type)
{
	json_t *msg = NULL;
	int rc = ctl_recv(s->in->ctl, type, &msg, point_silence_ms(s->in->plan, s->in->point));

	json_decref(msg);
	return rc;
}

static int open_ep(struct stage *s)
{
	const struct point_in *in = s->in;
	int rc = ep_open(&s->ep, in->dev, in->plan, in->point, in->side);

	if (!rc && in->plan->verify)
		verify_fill(&s->ep, in->plan, in->side);
	return rc;
}

/* Receives are posted before the QPs can receive, and the peer hears of it only afterwards. */
static int build_lane(struct stage *s)
{
	const struct point_in *in = s->in;
	int rc = ep_reach(&s->ep, in->plan, &s->peer, in->side);

	s->setup = (struct lane_setup){
		.ep = &s->ep,
		.plan = in->plan,
		.point = in->point,
		.side = in->side,
		.peer = &s->peer,
		.rtt_ns = ctl_rtt_ns(in->ctl),
		.origin = in->origin,
	};
	s->has_lane = role_of(in, in->side) != ENGINE_PASSIVE;
	if (!rc && s->has_lane)
		rc = lane_open(&s->run, &s->setup);
	return rc ? rc : ep_connect(&s->ep, in->plan, &s->peer, in->side);
}

static int bring_up_client(struct stage *s)
{
	int rc = open_ep(s);

	if (!rc)
		rc = send_endpoint(s);
	if (!rc)
		rc = take_endpoint(s, NULL);
	if (!rc)
		rc = build_lane(s);
	if (!rc)
		rc = ctl_send(s->in->ctl, proto_plain("ready"), s->in->stall_timeout_ms);
	if (!rc)
		rc = take_plain(s, "go");
	return rc || !s->has_lane ? rc : lane_start(&s->run);
}

/* The server's loop runs before the client may start: nothing arrives that it did not wait for. */
static int bring_up_server(struct stage *s, const json_t *first)
{
	int rc = take_endpoint(s, first);

	if (!rc)
		rc = open_ep(s);
	if (!rc)
		rc = build_lane(s);
	if (!rc)
		rc = send_endpoint(s);
	if (!rc)
		rc = take_plain(s, "ready");
	if (!rc && s->has_lane)
		rc = lane_start(&s->run);
	return rc ? rc : ctl_send(s->in->ctl, proto_plain("go"), s->in->stall_timeout_ms);
}

static int watch(struct stage *s)
{
	const struct point_in *in = s->in;

	s->watch = (struct watch){
		.ctl = in->ctl,
		.dev = in->dev,
		.plan = in->plan,
		.point = in->point,
		.side = in->side,
		.run = s->has_lane ? &s->run : NULL,
		.initiates = initiates(role_of(in, in->side)),
		.peer_initiates = initiates(role_of(in, kind_other_side(in->side))),
		.stall_timeout_ms = in->stall_timeout_ms,
		.silence_ms = point_silence_ms(in->plan, in->point),
	};
	return watch_point(&s->watch);
}

enum counted { COUNT_SENT, COUNT_RECEIVED };

static uint64_t *counts(const struct lane *l, enum counted what)
{
	uint64_t *n = calloc(l->n_flows, sizeof(*n));

	for (uint32_t i = 0; n && i < l->n_flows; i++)
		n[i] = what == COUNT_RECEIVED ? flow_recvd(&l->flows[i]) : l->flows[i].done;
	return n;
}

/* After the loop, before the result is told. */
static int verify(struct stage *s, struct result *own)
{
	const enum engine_role role = role_of(s->in, s->in->side);
	uint64_t *sent = NULL, *received = NULL, checked;
	int rc = 0;

	if (s->has_lane) {
		sent = counts(&s->run.lane, COUNT_SENT);
		if (role != ENGINE_STREAM_TX)
			received = counts(&s->run.lane, COUNT_RECEIVED);
		if (!sent || (!received && role != ENGINE_STREAM_TX))
			rc = err_set(-ENOMEM, "allocate counts of %u QPs", s->in->plan->qps);
	}
	if (!rc) {
		const struct verify v = {
			.ep = &s->ep,
			.plan = s->in->plan,
			.side = s->in->side,
			.sent = sent,
			.received = received,
			/* what a pinged client was answered is what it heard */
			.peer_sent = role == ENGINE_PING ? received : s->watch.peer_sent,
		};

		rc = verify_check(&v, &checked);
		own->verified = checked;
	}
	free(sent);
	free(received);
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
	out->interrupted = s->watch.interrupted;
	memcpy(out->interruption, s->watch.interruption, sizeof(out->interruption));
}

/* The client tells first; each side's result is complete before it is told. */
static int exchange_results(struct stage *s, struct point_out *out)
{
	const uint32_t timeout_ms = s->in->stall_timeout_ms;
	int rc = 0;

	if (s->in->side == SIDE_CLIENT)
		rc = ctl_send(s->in->ctl, proto_done(&out->own), timeout_ms);
	if (!rc)
		rc = watch_take_done(&s->watch);
	if (!rc)
		rc = proto_read_done(&out->peer, s->watch.peer_done);
	take_interruption(s, out);
	if (!rc) {
		out->have_peer = true;
		if (s->in->side == SIDE_SERVER)
			rc = ctl_send(s->in->ctl, proto_done(&out->own), timeout_ms);
	}
	return rc;
}

static void take_own_result(struct stage *s, struct point_out *out)
{
	if (s->has_lane) {
		lane_result(&s->run, &out->own);
		out->own.locks = s->ep.domain.without;
	} else {
		memset(&out->own, 0, sizeof(out->own));
		out->own.verified = UINT64_MAX;
		out->own.duplicated = UINT64_MAX;
		out->own.out_of_order = UINT64_MAX;
	}
	out->have_own = true;
	take_interruption(s, out);
}

static int run_stage(struct stage *s, const json_t *first, struct point_out *out)
{
	int rc = s->in->side == SIDE_CLIENT ? bring_up_client(s) : bring_up_server(s, first);

	if (rc)
		return rc;
	rc = watch(s);
	take_own_result(s, out);
	/* requests fail when the peer has gone: that is the consequence */
	if ((rc == -ECONNRESET || rc == -ECONNABORTED) && out->own.status == RESULT_FAILED)
		out->own.status = RESULT_INCOMPLETE;
	if (rc == -EIO && out->own.reason[0])
		return err_set(rc, "on the %s, %s", kind_side_names[s->in->side], out->own.reason);
	if (!rc && s->in->plan->verify)
		rc = verify(s, &out->own);
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
	lane_close(&s.run);
	free(s.watch.peer_sent);
	json_decref(s.watch.peer_done);
	ep_addr_free(&s.peer);
	ep_close(&s.ep);
	return rc;
}
