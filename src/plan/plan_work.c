/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What depends on the devices in the work of the plan: depths within their queues, reads and
 * atomics in flight, inline, locks. Called by plan_resolve(). The numbers themselves: plan_loops.c.
 */
#include "config.h"
#include "plan/plan_steps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "util/err.h"
#include "util/minmax.h"

#define RD_ATOMIC_MAX 255u /* a byte in struct ibv_qp_attr */

/* The room for a depth of each QP of a side, and what it is made of. */
struct room {
	uint32_t each;      /* the depth that fits; UINT32_MAX: this side has no such queue */
	uint32_t slots;     /* of the queue */
	uint32_t credits;   /* slots per QP that are not for messages */
	const char *queue;  /* "a QP", "an SRQ" */
};

static enum role role_of(const struct cfg *cfg, enum side side)
{
	enum role role[SIDE_COUNT];

	role_resolve(role, kind_pattern((enum test)cfg->test), cfg_kind(cfg).op, cfg->bidir);
	if (cfg->check_by == CHECK_BY_SERVER)
		role_swap(role);
	return role[side];
}

/* QPs of the test for which one QP of this side does the work. */
static uint32_t qps_in_one(const struct cfg *cfg, enum side side)
{
	const bool one = cfg_kind(cfg).sharing == SHARING_ONE_QP && side == SIDE_SERVER;

	return one && cfg->qps ? cfg->qps : 1;
}

static void set_room(struct room *room, const struct limits *lim, const struct cfg *cfg,
		     uint32_t parts)
{
	const uint32_t slots = min_u32(room->slots / parts, lim->max_cqe / max_u32(1, cfg->qps));

	room->each = slots > room->credits ? slots - room->credits : 0;
}

/* What only receives, or is only the target, has no queue of that depth. */
static struct room send_room(const struct limits *lim, const struct cfg *cfg, enum side side)
{
	const enum role role = role_of(cfg, side);
	struct room room = { .each = UINT32_MAX, .slots = lim->max_send_wr, .queue = "a QP" };

	if (role == ROLE_STREAM_BOTH && kind_takes_recv(cfg_kind(cfg).op))
		room.credits = PLAN_CREDIT_SLOTS;
	if (role_streams(role))
		set_room(&room, lim, cfg, qps_in_one(cfg, side));
	return room;
}

/* Receives per QP: those that share a queue have an equal part of it. */
static struct room recv_room(const struct limits *lim, const struct cfg *cfg, enum side side)
{
	const bool srq = cfg_kind(cfg).sharing == SHARING_SRQ;
	const enum role role = role_of(cfg, side);
	struct room room = {
		.each = UINT32_MAX,
		.slots = srq ? lim->max_srq_wr : lim->max_recv_wr,
		.credits = role == ROLE_STREAM_BOTH ? PLAN_CREDIT_SLOTS : 0,
		.queue = srq ? "an SRQ" : "a QP",
	};

	if (kind_takes_recv(cfg_kind(cfg).op) && role_receives(role))
		set_room(&room, lim, cfg, srq ? max_u32(1, cfg->qps) : qps_in_one(cfg, side));
	return room;
}

/* ", less 16 per QP for credits" */
static const char *less_text(const struct room *room, char *text, size_t size)
{
	text[0] = '\0';
	if (room->credits)
		snprintf(text, size, ", less %u per QP for credits", room->credits);
	return text;
}

/* " with 64 bytes inline and 4 elements each", if that is why a queue holds less. */
static const char *with_text(const struct limits *lim, const struct cfg *cfg, char *text,
			     size_t size)
{
	const bool inlined = cfg->inline_bytes != CFG_AUTO && cfg->inline_bytes;

	text[0] = '\0';
	if (lim->max_send_wr == lim->max_wr)
		return text;
	if (inlined && cfg->sges > 1)
		snprintf(text, size, " with %u bytes inline and %u elements each",
			 min_u32(cfg->inline_bytes, lim->max_inline_bytes), cfg->sges);
	else if (inlined)
		snprintf(text, size, " with %u bytes inline each",
			 min_u32(cfg->inline_bytes, lim->max_inline_bytes));
	else if (cfg->sges > 1)
		snprintf(text, size, " with %u elements each", cfg->sges);
	return text;
}

static int check_recv_depth(const struct limits *lim, const struct plan *plan,
			    const struct cfg *cfg, enum side side)
{
	const struct room room = recv_room(lim, cfg, side);
	char less[48];

	if (plan->work.recv_depth <= room.each)
		return 0;
	less_text(&room, less, sizeof(less));
	if (plan->work.kind.sharing != SHARING_NONE)
		return err_set(
			-EINVAL,
			"-r (--recv-depth) %u for each of %u QPs that share a receive queue: %s of %s holds %u receives in %s and %u completions%s: room for %u; lower --recv-depth or --qps",
			plan->work.recv_depth, plan->work.qps, lim->device, lim->host, room.slots,
			room.queue, lim->max_cqe, less, room.each);
	return err_set(
		-EINVAL,
		"-r (--recv-depth) %u on %u QPs: %s of %s holds %u receives per queue and %u completions%s: room for %u; lower --recv-depth or --qps",
		plan->work.recv_depth, plan->work.qps, lim->device, lim->host, room.slots,
		lim->max_cqe, less, room.each);
}

static int check_queue(const struct limits *lim, const struct plan *plan, const struct cfg *cfg,
		       enum side side)
{
	const struct room room = send_room(lim, cfg, side);
	char less[48], with[64];

	if (plan->work.threads > 1 && plan_total_qps(plan) > lim->max_qps)
		return err_set(-EINVAL, "--threads %u with -q (--qps) %u each: %s of %s has %u QPs",
			       plan->work.threads, plan->work.qps, lim->device, lim->host,
			       lim->max_qps);
	if (plan->work.qps > lim->max_qps)
		return err_set(-EINVAL, "-q (--qps) %u: %s of %s has %u QPs",
			       plan->work.qps, lim->device, lim->host, lim->max_qps);
	if (plan->work.depth > room.each)
		return err_set(
			-EINVAL,
			"-t (--depth) %u on %u QPs: %s of %s holds %u requests per queue%s and %u completions%s: room for %u; lower --depth or --qps",
			plan->work.depth, plan->work.qps, lim->device, lim->host, room.slots,
			with_text(lim, cfg, with, sizeof(with)), lim->max_cqe,
			less_text(&room, less, sizeof(less)), room.each);
	return check_recv_depth(lim, plan, cfg, side);
}

/* Some devices refuse requests that are not signalled. */
static bool signals_all(const struct plan_input *in)
{
	return (in->client->signals_all && role_sends(role_of(in->cfg, SIDE_CLIENT))) ||
	       (in->server->signals_all && role_sends(role_of(in->cfg, SIDE_SERVER)));
}

static int check_signals(const struct limits *lim, const struct plan *plan, enum side side)
{
	if (!lim->signals_all || !role_sends(plan->work.role[side]) ||
	    plan->work.signal_interval == 1)
		return 0;
	return err_set(-EINVAL,
		       "-Q (--signal-interval) %u: %s of %s (driver %s) refuses requests that are not signalled; allowed: 1",
		       plan->work.signal_interval, lim->device, lim->host, lim->driver);
}

/* First without limits: the difference is what the devices do not allow auto to choose. */
int plan_resolve_loops(struct plan *plan, const struct plan_input *in)
{
	const struct plan_room limit = {
		.depth = min_u32(send_room(in->client, in->cfg, SIDE_CLIENT).each,
				 send_room(in->server, in->cfg, SIDE_SERVER).each),
		.recv_depth = min_u32(recv_room(in->client, in->cfg, SIDE_CLIENT).each,
				      recv_room(in->server, in->cfg, SIDE_SERVER).each),
		.signals_all = signals_all(in),
	};
	const struct plan_room no_limit = PLAN_NO_ROOM_LIMIT;
	struct plan wish;
	int rc = plan_check_sharing(in->client, in->cfg);

	if (!rc)
		rc = plan_check_sharing(in->server, in->cfg);
	if (!rc)
		rc = plan_loops(&wish, in->cfg, &no_limit);
	if (!rc)
		rc = plan_loops(plan, in->cfg, &limit);
	if (!rc)
		rc = check_queue(in->client, plan, in->cfg, SIDE_CLIENT);
	if (!rc)
		rc = check_queue(in->server, plan, in->cfg, SIDE_SERVER);
	if (!rc)
		rc = check_signals(in->client, plan, SIDE_CLIENT);
	if (!rc)
		rc = check_signals(in->server, plan, SIDE_SERVER);
	if (rc)
		return rc;
	if (plan->work.depth < wish.work.depth)
		plan_note_figures(
			plan,
			"depth %u instead of %u: the devices have no room for more on %u QPs",
			plan->work.depth, wish.work.depth, plan->work.qps);
	if (plan->work.recv_depth < wish.work.recv_depth)
		plan_note_figures(
			plan,
			"recv-depth %u instead of %u: the devices have no room on %u QPs",
			plan->work.recv_depth, wish.work.recv_depth, plan->work.qps);
	if (limit.signals_all)
		plan_note(plan, "signal interval 1: a device refuses requests that are not signalled");
	else if (plan->work.pattern == PATTERN_STREAM && in->cfg->signal_interval == CFG_AUTO)
		plan_note(
			plan,
			"signal interval %u: about a quarter of depth %u, fitted to post lists of %u",
			plan->work.signal_interval, plan->work.depth, plan->work.post_list);
	return 0;
}

static int check_target(const struct limits *target, const struct limits *initiator,
			const struct plan *plan)
{
	if (kind_is_atomic(plan->work.kind.op) && !target->atomics)
		return err_set(-EINVAL, "%s: %s of %s, the target, has no atomics",
			       kind_test_names[plan->work.test], target->device, target->host);
	if (plan->work.outstanding > initiator->max_init_rd_atomic)
		return err_set(
			-EINVAL,
			"-o (--outstanding) %u: %s of %s starts at most %u (max_qp_init_rd_atom)",
			plan->work.outstanding, initiator->device, initiator->host,
			initiator->max_init_rd_atomic);
	if (plan->work.outstanding > target->max_rd_atomic)
		return err_set(
			-EINVAL,
			"-o (--outstanding) %u: %s of %s, the target, accepts at most %u (max_qp_rd_atom)",
			plan->work.outstanding, target->device, target->host,
			target->max_rd_atomic);
	return 0;
}

static uint32_t rd_atomic_of_both(const struct limits *target, const struct limits *initiator)
{
	return min_u32(RD_ATOMIC_MAX,
		       min_u32(initiator->max_init_rd_atomic, target->max_rd_atomic));
}

int plan_resolve_outstanding(struct plan *plan, const struct plan_input *in)
{
	uint32_t most;
	int rc;

	if (!kind_fetches(plan->work.kind.op))
		return 0;
	most = rd_atomic_of_both(in->server, in->client);
	if (role_sends(plan->work.role[SIDE_SERVER]))
		most = min_u32(most, rd_atomic_of_both(in->client, in->server));
	plan->work.outstanding = in->cfg->outstanding;
	if (plan->work.pattern == PATTERN_PROBE) {
		plan->work.outstanding = 1;
	} else if (in->cfg->outstanding == CFG_AUTO) {
		/* a device that takes none is refused below */
		plan->work.outstanding = most ? most : 1;
		plan_note(plan, "outstanding %u: the most that both devices support",
			  plan->work.outstanding);
	}
	rc = check_target(in->server, in->client, plan);
	if (!rc && role_sends(plan->work.role[SIDE_SERVER]))
		rc = check_target(in->client, in->server, plan);
	return rc;
}

/* Not for reads and atomics: they send no payload (ibv_post_send(3)). */
int plan_resolve_inline(struct plan *plan, const struct plan_input *in)
{
	uint64_t longest = plan->points[plan->n_points - 1].size_bytes;
	const struct limits *least = in->client;
	uint32_t most;

	/* the CPU copies inline data, and device memory has no address for it */
	if (kind_fetches(plan->work.kind.op) || plan->work.buffers == BUFFERS_DEVICE)
		return 0;
	if (role_sends(plan->work.role[SIDE_SERVER]) &&
	    in->server->max_inline_bytes < least->max_inline_bytes)
		least = in->server;
	most = least->max_inline_bytes;
	if (in->cfg->inline_bytes != CFG_AUTO) {
		plan->work.inline_bytes = in->cfg->inline_bytes;
		if (plan->work.inline_bytes && least->inline_ignored)
			return err_set(-EINVAL,
				       "-I (--inline) %u: %s of %s (driver %s) takes inline messages, but fetches them from memory all the same; allowed: 0, auto",
				       plan->work.inline_bytes, least->device, least->host,
				       least->driver);
		if (plan->work.inline_bytes > most)
			return err_set(-EINVAL, "-I (--inline) %u: %s of %s grants at most %u",
				       plan->work.inline_bytes, least->device, least->host, most);
		if (plan->work.like == LIKE_NONE && plan->work.inline_bytes &&
		    plan->work.inline_bytes < plan->points[0].size_bytes)
			return err_set(-EINVAL,
				       "-I (--inline) %u has no effect on messages of %" PRIu64 " bytes: all messages are larger",
				       plan->work.inline_bytes, plan->points[0].size_bytes);
		return 0;
	}
	if (plan->work.pattern == PATTERN_STREAM)
		return 0;
	most = min_u32(most, like_inline_bytes(plan->work.like, kind_family(plan->work.test),
					       plan->work.kind.tp));
	plan->work.inline_bytes = longest < most ? (uint32_t)longest : most;
	/* perftest asks for all of it, which makes the requests of the queue larger */
	if (plan->work.like != LIKE_NONE)
		plan->work.inline_bytes = most;
	else if (plan->work.inline_bytes < plan->points[0].size_bytes)
		plan->work.inline_bytes = 0;
	plan_note(plan, "inline to %u bytes: %s grants %u", plan->work.inline_bytes, least->device,
	     most);
	return 0;
}

/* --locks off on a device that cannot is refused by plan_caps(). */
void plan_note_locks(struct plan *plan, const struct plan_input *in)
{
	const char *client = choices_locks[in->client->unlocked & LOCKS_OFF_ALL];
	const char *server = choices_locks[in->server->unlocked & LOCKS_OFF_ALL];

	if (plan->work.locks != LOCKS_AUTO)
		return;
	if (role_has_loop(plan->work.role[SIDE_SERVER]))
		plan_note(
			plan,
			"locks of the client's queues %s, of the server's %s: what %s and %s offer",
			client, server, in->client->device, in->server->device);
	else
		plan_note(plan, "locks of the client's queues %s: what %s offers", client,
		     in->client->device);
}
