/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * While the queue pairs of a point are created, connected and destroyed: heartbeats and progress
 * between two of many QPs, at a millisecond or more each, so that the peer knows that this side is
 * alive and the user can interrupt it; connecting by rdma_cm, while the control
 * connection may deliver an abort; alternate paths, which both sides load and the client migrates
 * to while the loops run (endpoint/ep_extras.h).
 */
#include "config.h"

#include "point/point.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "endpoint/ep_extras.h"
#include "util/clock.h"
#include "util/err.h"
#include "wire/proto.h"

#define MS_NS MONITOR_MS_NS
#define MOST_MS 500u /* between two heartbeats */
#define STEP "connecting to the peer by rdma_cm"

/* ---- many queue pairs */

/* A quarter of the time that the peer waits for a heartbeat. */
static uint64_t interval_ns(const struct point_state *s)
{
	const uint32_t quarter = s->in->plan->stall_timeout_ms / 4;

	return (quarter < MOST_MS ? quarter : MOST_MS) * MS_NS;
}

static bool is_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return fd >= 0 && poll(&p, 1, 0) > 0;
}

/*
 * Receivers of a group expect probes, not heartbeats. A peer that has closed has already sent its
 * last message, which a failed send would consume.
 */
static int send_heartbeat(const struct point_state *s)
{
	const struct peers *peers = s->in->peers;

	if (plan_is_mcast(s->in->plan) || s->failed || is_ready(peers->ctl[0]->fd, POLLRDHUP))
		return 0;
	return peers_send(peers, proto_plain("heartbeat"), s->in->plan->stall_timeout_ms);
}

static int tick(void *arg)
{
	struct point_state *s = arg;
	const uint64_t now_ns = clock_ns();
	int rc;

	s->making.done++;
	if (now_ns < s->next_tick_ns)
		return 0;
	s->next_tick_ns = now_ns + interval_ns(s);
	ctl_alive(s->in->peers->ctl[0]);
	s->making_reported = true;
	event_tell(&s->in->host->events, &(struct event){ EVENT_MAKING, .making = &s->making });
	if (!s->making.ends && is_ready(s->in->peers->ctl[0]->signals_fd, POLLIN))
		return err_set(-EINTR, "%s: %u of %u queue pairs were %s",
			       ctl_stop_reason(s->in->peers->ctl[0], "interrupted"),
			       s->making.done, s->making.of, s->making.what);
	rc = send_heartbeat(s);
	return s->making.ends ? 0 : rc;
}

/* After an error only some of the plan's QPs exist. */
static uint32_t count_made(const struct point_state *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; s->threads && i < s->in->plan->work.threads; i++)
		n += ep_n_made(&s->threads[i].ep);
	return n;
}

/* Number of calls of tick() by ep: halves are connected together. */
static uint32_t count(const struct point_state *s, enum point_making what)
{
	const struct plan *plan = s->in->plan;
	const uint32_t n = plan->work.threads * plan_side_qps(plan, s->in->side);

	if (what == POINT_MAKING_DESTROYED)
		return count_made(s);
	return what == POINT_MAKING_MADE && kind_has_halves(plan->work.kind.tp) ? n * 2 : n;
}

void point_making_begin(struct point_state *s, enum point_making what)
{
	static const char *const words[] = {
		[POINT_MAKING_MADE] = "made",
		[POINT_MAKING_CONNECTED] = "connected",
		[POINT_MAKING_DESTROYED] = "destroyed",
	};

	s->pace = (struct ep_pace){ .tick = tick, .arg = s };
	s->making = (struct event_making){
		.what = words[what],
		.of = count(s, what),
		.ends = what == POINT_MAKING_DESTROYED,
	};
	s->next_tick_ns = clock_ns() + interval_ns(s);
}

void point_making_peer(const struct point_state *s)
{
	const struct plan *plan = s->in->plan;
	const struct event_making making = {
		.of = plan->work.threads * plan_side_qps(plan, kind_other_side(s->in->side)),
	};

	if (s->making_reported)
		event_tell(&s->in->host->events, &(struct event){ EVENT_MAKING,
								  .making = &making });
}

/* ---- rdma_cm */

static bool by_cm(const struct point_state *s)
{
	return s->in->plan->path.connect == CONNECT_RDMA_CM;
}

int point_cm_open(struct point_state *s)
{
	const struct point_in *in = s->in;
	int rc;

	if (!by_cm(s))
		return 0;
	rc = cm_links_open(&s->cm, in->plan, in->dev, in->side);
	for (uint32_t i = 0; !rc && i < in->plan->work.threads; i++) {
		s->cm.pairs[i] = (struct cm_pair){ &s->threads[i].ep, &s->threads[i].peer };
		if (in->side == SIDE_SERVER)
			cm_local_publish(&s->cm.local, &s->threads[i].ep.addr);
	}
	return rc;
}

/*
 * Something came besides the events of rdma_cm. The client's ready may overtake the last message
 * of rdma_cm, which takes another path.
 */
static int take_message(struct point_state *s, bool *ready)
{
	struct ctl *ctl = s->in->peers->ctl[0];
	const bool may = s->in->side == SIDE_SERVER && !*ready;
	json_t *msg;
	int rc = point_wait(ctl, 0, STEP);

	if (!rc)
		rc = point_came(ctl, may ? "ready" : NULL, STEP, &msg);
	if (rc <= 0)
		return rc;
	*ready = true;
	json_decref(msg);
	return 0;
}

int point_cm_connect(struct point_state *s, bool *ready)
{
	const struct point_in *in = s->in;
	const struct cm_wait wait = {
		.deadline_ns = clock_ns() + (point_silence_ms(in->plan, in->point) +
					     (uint64_t)cm_links_allowance_ms(in->plan)) * MS_NS,
		.fds = { in->peers->ctl[0]->fd, in->peers->ctl[0]->signals_fd },
	};
	int rc = 0;

	*ready = false;
	while (by_cm(s) && !rc) {
		rc = cm_links_connect(&s->cm, &wait);
		if (rc > 0)
			return 0;
		if (!rc)
			rc = take_message(s, ready);
	}
	return rc;
}

/* ---- alternate paths */

static bool migrates(const struct point_state *s)
{
	return s->in->plan->path.migrate_after != UINT32_MAX;
}

int point_apm_address(struct point_state *s, uint32_t thread)
{
	if (!migrates(s))
		return 0;
	return ep_apm_address(&s->threads[thread].ep, s->in->plan, s->in->side);
}

int point_apm_load(struct point_state *s, uint32_t thread)
{
	struct point_thread *t = &s->threads[thread];

	return migrates(s) ? ep_apm_load(&t->ep, s->in->plan, &t->peer) : 0;
}

int point_apm_migrate(void *arg)
{
	struct point_state *s = arg;
	const uint32_t threads = s->in->plan->work.threads;
	int rc = 1;

	for (uint32_t i = 0; i < threads && rc > 0; i++)
		rc = ep_apm_ready(&s->threads[i].ep);
	if (rc <= 0)
		return rc;
	rc = 0;
	for (uint32_t i = 0; i < threads && !rc; i++)
		rc = ep_apm_migrate(&s->threads[i].ep);
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
