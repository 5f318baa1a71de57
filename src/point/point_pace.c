/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what happens between two QPs while many are made, connected or destroyed, at a millisecond
 * or more each: the peer gets heartbeats, so that it knows that this side lives; the user sees how
 * far it is, and can end it. Called by ep, for each QP.
 */
#include "config.h"

#include "point/point_state.h"

#include <errno.h>
#include <poll.h>

#include "control/proto.h"
#include "util/clock.h"
#include "util/err.h"

#define MS_NS 1000000ull
#define MOST_MS 500u /* between two heartbeats */

/* A quarter of what the peer waits for one. */
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
 * Receivers of a group expect probes, not heartbeats. A peer that has closed has sent its last
 * message, which a send that fails would take.
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
	const struct session_sink *sink = s->in->sink;
	const uint64_t now_ns = clock_ns();
	int rc;

	s->making.done++;
	if (now_ns < s->next_tick_ns)
		return 0;
	s->next_tick_ns = now_ns + interval_ns(s);
	ctl_alive(s->in->peers->ctl[0]);
	s->making_told = true;
	if (sink->making)
		sink->making(sink->arg, &s->making);
	if (!s->making.ends && is_ready(s->in->peers->ctl[0]->signals_fd, POLLIN))
		return err_set(-EINTR, "%s: %u of %u queue pairs were %s",
			       ctl_stop_reason(s->in->peers->ctl[0], "interrupted"),
			       s->making.done, s->making.of, s->making.what);
	rc = send_heartbeat(s);
	return s->making.ends ? 0 : rc;
}

/* After an error only some of the plan's have been made. */
static uint32_t count_made(const struct point_state *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; s->threads && i < s->in->plan->work.threads; i++)
		n += ep_n_made(&s->threads[i].ep);
	return n;
}

/* As often as ep calls tick(): halves are connected together. */
static uint32_t count(const struct point_state *s, enum point_pace what)
{
	const struct plan *plan = s->in->plan;
	const uint32_t n = plan->work.threads * plan_side_qps(plan, s->in->side);

	if (what == POINT_PACE_DESTROYED)
		return count_made(s);
	return what == POINT_PACE_MADE && kind_has_halves(plan->work.kind.tp) ? n * 2 : n;
}

void point_pace_begin(struct point_state *s, enum point_pace what)
{
	static const char *const words[] = {
		[POINT_PACE_MADE] = "made",
		[POINT_PACE_CONNECTED] = "connected",
		[POINT_PACE_DESTROYED] = "destroyed",
	};

	s->pace = (struct ep_pace){ .tick = tick, .arg = s };
	s->making = (struct session_making){
		.what = words[what],
		.of = count(s, what),
		.ends = what == POINT_PACE_DESTROYED,
	};
	s->next_tick_ns = clock_ns() + interval_ns(s);
}

void point_pace_peer(const struct point_state *s)
{
	const struct session_sink *sink = s->in->sink;
	const struct plan *plan = s->in->plan;
	const struct session_making making = {
		.of = plan->work.threads * plan_side_qps(plan, kind_other_side(s->in->side)),
	};

	if (s->making_told && sink->making)
		sink->making(sink->arg, &making);
}
