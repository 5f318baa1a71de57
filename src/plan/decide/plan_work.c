/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The steps of a plan, and the device-dependent part of the work: depths that fit the queues, reads
 * and atomics in flight, inline, locks. The numbers themselves: plan_loops.c. Opens no device and
 * prints nothing.
 */
#include "config.h"
#include "decide/plan_steps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "util/err.h"
#include "util/minmax.h"

#define RD_ATOMIC_MAX 255u /* a byte in struct ibv_qp_attr */

/* The depth of each QP of a side that fits, and how it is computed. */
struct room {
	uint32_t each;      /* the depth that fits; UINT32_MAX: this side has no such queue */
	uint32_t slots;     /* length of the queue */
	uint32_t credits;   /* slots per QP reserved for credits */
	const char *queue;  /* "a QP", "an SRQ" */
};

/* parts: QPs of the test that share the queue. */
static void set_room(struct room *room, const struct plan *plan, const struct limits *lim,
		     uint32_t parts)
{
	const uint32_t slots = min_u32(room->slots / parts, lim->max_cqe / plan->work.qps) /
			       kind_requests(plan->work.kind.op);

	room->each = slots > room->credits ? slots - room->credits : 0;
}

/* A side that only receives, or is only the target, has no queue of that depth. */
static struct room send_room(const struct plan *plan, const struct limits *lim, enum side side)
{
	const enum role role = plan->work.role[side];
	struct room room = { .each = UINT32_MAX, .slots = lim->max_send_wr, .queue = "a QP" };

	if (role == ROLE_STREAM_BOTH && kind_takes_recv(plan->work.kind.op))
		room.credits = PLAN_CREDIT_SLOTS;
	if (role_streams(role))
		set_room(&room, plan, lim, plan->work.qps / plan_side_qps(plan, side));
	return room;
}

/* Receives per QP: those that share a queue have an equal share of it. */
static struct room recv_room(const struct plan *plan, const struct limits *lim, enum side side)
{
	const bool srq = plan->work.kind.sharing == SHARING_SRQ;
	const enum role role = plan->work.role[side];
	struct room room = {
		.each = UINT32_MAX,
		.slots = srq ? lim->max_srq_wr : lim->max_recv_wr,
		.credits = role == ROLE_STREAM_BOTH ? PLAN_CREDIT_SLOTS : 0,
		.queue = srq ? "an SRQ" : "a QP",
	};

	if (kind_takes_recv(plan->work.kind.op) && role_receives(role))
		set_room(&room, plan, lim,
			 srq ? plan->work.qps : plan->work.qps / plan_side_qps(plan, side));
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

/* " with 64 bytes inline and 4 elements each", if that reduces the depth. */
static const char *with_text(const struct limits *lim, const struct cfg *cfg, char *text,
			     size_t size)
{
	const bool inlined = cfg->inline_bytes != CFG_AUTO && cfg->inline_bytes;
	const uint32_t bytes = min_u32(cfg->inline_bytes, lim->max_inline_bytes);

	text[0] = '\0';
	if (lim->max_send_wr == lim->max_wr)
		return text;
	if (inlined && cfg->sges > 1)
		snprintf(text, size, " with %u bytes inline and %u elements each", bytes, cfg->sges);
	else if (inlined)
		snprintf(text, size, " with %u bytes inline each", bytes);
	else if (cfg->sges > 1)
		snprintf(text, size, " with %u elements each", cfg->sges);
	return text;
}

static int check_recv_depth(const struct plan *plan, const struct limits *lim, enum side side)
{
	const struct room room = recv_room(plan, lim, side);
	char less[48];

	if (plan->work.recv_depth <= room.each)
		return 0;
	less_text(&room, less, sizeof(less));
	if (plan->work.kind.sharing != SHARING_NONE)
		return err_option(-EINVAL, "-r (--recv-depth)",
				  "%u for each of %u QPs that share a receive queue: %s of %s holds %u receives in %s and %u completions%s: room for %u; lower --recv-depth or --qps",
				  plan->work.recv_depth, plan->work.qps, lim->device, lim->host,
				  room.slots, room.queue, lim->max_cqe, less, room.each);
	return err_option(-EINVAL, "-r (--recv-depth)",
			  "%u on %u QPs: %s of %s holds %u receives per queue and %u completions%s: room for %u; lower --recv-depth or --qps",
			  plan->work.recv_depth, plan->work.qps, lim->device, lim->host,
			  room.slots, lim->max_cqe, less, room.each);
}

static int check_queue(const struct plan *plan, const struct plan_input *in, enum side side)
{
	const struct limits *lim = in->side[side];
	const struct room room = send_room(plan, lim, side);
	char less[48], with[64];

	if (plan->work.threads > 1 && plan_total_qps(plan) > lim->max_qps)
		return err_option(-EINVAL, "--threads", "%u with -q (--qps) %u each: %s of %s has %u QPs",
				  plan->work.threads, plan->work.qps, lim->device, lim->host,
				  lim->max_qps);
	if (plan->work.qps > lim->max_qps)
		return err_option(-EINVAL, "-q (--qps)", "%u: %s of %s has %u QPs",
				  plan->work.qps, lim->device, lim->host, lim->max_qps);
	if (plan->work.depth > room.each)
		return err_option(-EINVAL, "-t (--depth)",
				  "%u on %u QPs: %s of %s holds %u requests per queue%s and %u completions%s: room for %u; lower --depth or --qps",
				  plan->work.depth, plan->work.qps, lim->device, lim->host,
				  room.slots, with_text(lim, in->cfg, with, sizeof(with)),
				  lim->max_cqe, less_text(&room, less, sizeof(less)), room.each);
	if (check_recv_depth(plan, lim, side))
		return -EINVAL;
	if (!lim->signals_all || !role_sends(plan->work.role[side]) ||
	    plan->work.signal_interval == 1)
		return 0;
	return err_refuse("-Q (--signal-interval)", "allowed: 1",
			  "%u: %s of %s (driver %s) refuses requests that are not signalled",
			  plan->work.signal_interval, lim->device, lim->host, lim->driver);
}

/* What the limits of the devices keep auto from choosing. */
static void note_loops(struct plan *plan, const struct plan_work *wanted, bool signals_all,
		       const struct cfg *cfg)
{
	if (plan->work.depth < wanted->depth)
		plan_note_figures(plan,
				  "depth %u instead of %u: the devices have no room for more on %u QPs",
				  plan->work.depth, wanted->depth, plan->work.qps);
	if (plan->work.recv_depth < wanted->recv_depth)
		plan_note_figures(plan,
				  "recv-depth %u instead of %u: the devices have no room on %u QPs",
				  plan->work.recv_depth, wanted->recv_depth, plan->work.qps);
	if (signals_all)
		plan_note(plan, "signal interval 1: a device refuses requests that are not signalled");
	else if (plan->work.pattern == PATTERN_STREAM && cfg->signal_interval == CFG_AUTO)
		plan_note(plan,
			  "signal interval %u: about a quarter of depth %u, fitted to post lists of %u",
			  plan->work.signal_interval, plan->work.depth, plan->work.post_list);
}

/* First without limits: roles and kind do not depend on them. Some devices signal all requests. */
int plan_resolve_loops(struct plan *plan, const struct plan_input *in)
{
	struct plan_room room = PLAN_NO_ROOM_LIMIT;
	struct plan wanted;

	if (plan_check_sharing(in->client, in->cfg) || plan_check_sharing(in->server, in->cfg) ||
	    plan_loops(&wanted, in->cfg, &room))
		return -EINVAL;
	for (enum side side = 0; side < SIDE_COUNT; side++) {
		const struct limits *lim = in->side[side];

		room.depth = min_u32(room.depth, send_room(&wanted, lim, side).each);
		room.recv_depth = min_u32(room.recv_depth, recv_room(&wanted, lim, side).each);
		room.signals_all |= lim->signals_all && role_sends(wanted.work.role[side]);
	}
	if (plan_loops(plan, in->cfg, &room) || check_queue(plan, in, SIDE_CLIENT) ||
	    check_queue(plan, in, SIDE_SERVER))
		return -EINVAL;
	note_loops(plan, &wanted.work, room.signals_all, in->cfg);
	return 0;
}

/* An operation of annex A19: the bit of device_cap_flags_ex, and where else it may be missing. */
struct newer {
	uint32_t bit;
	const char *option, *allowed, *value, *noun, *since;
};

static const struct newer store = {
	40, "-A (--atomic)", "allowed: cmp_swap, fetch_add", "write", "atomic writes",
	"rdma-core 44",
};
static const struct newer flush_global = {
	38, "--flush", "allowed: none", "global", "flush to global visibility", "rdma-core 45",
};
static const struct newer flush_persistent = {
	39, "--flush", "allowed: none", "persistent", "flush to persistence", "rdma-core 45",
};

/* NULL: every device that has the transport has it. */
static const struct newer *newer_of(const struct plan *plan)
{
	if (kind_is_store(plan->work.kind.op))
		return &store;
	if (!kind_flushes(plan->work.kind.op))
		return NULL;
	return choices_flush_persists(plan->work.flush) ? &flush_persistent : &flush_global;
}

/*
 * The initiator's device posts it, and the target's executes it. A kernel may have it without the
 * library: then there are no QPs to post it.
 */
static int check_newer(const struct plan *plan, const struct limits *lim, bool posts)
{
	const struct newer *newer = newer_of(plan);

	if (!newer || (lim->device_caps >> newer->bit & 1 && (!posts || lim->post_wr)))
		return 0;
	return err_refuse(newer->option, newer->allowed,
			  "%s: %s of %s (driver %s) has no %s (device_cap_flags_ex, bit %u; %s or later)",
			  newer->value, lim->device, lim->host,
			  lim->driver[0] ? lim->driver : "unknown", newer->noun, newer->bit,
			  newer->since);
}

static int check_target(const struct limits *target, const struct limits *initiator,
			const struct plan *plan)
{
	if (kind_counts(plan->work.kind.op) && !target->atomics)
		return err_set(-EINVAL, "%s: %s of %s, the target, has no atomics",
			       kind_test_names[plan->work.test], target->device, target->host);
	if (check_newer(plan, initiator, true) || check_newer(plan, target, false))
		return -EINVAL;
	if (plan->work.outstanding > initiator->max_init_rd_atomic)
		return err_option(-EINVAL, "-o (--outstanding)",
				  "%u: %s of %s starts at most %u (max_qp_init_rd_atom)",
				  plan->work.outstanding, initiator->device, initiator->host,
				  initiator->max_init_rd_atomic);
	if (plan->work.outstanding > target->max_rd_atomic)
		return err_option(-EINVAL, "-o (--outstanding)",
				  "%u: %s of %s, the target, accepts at most %u (max_qp_rd_atom)",
				  plan->work.outstanding, target->device, target->host,
				  target->max_rd_atomic);
	return 0;
}

static uint32_t rd_atomic_of_both(const struct limits *target, const struct limits *initiator)
{
	return min_u32(RD_ATOMIC_MAX,
		       min_u32(initiator->max_init_rd_atomic, target->max_rd_atomic));
}

void plan_lower(struct cfg *cfg, const struct limits *client, const struct limits *server)
{
	if (!cfg->lower)
		return;
	if (cfg->mtu_bytes != CFG_AUTO)
		cfg->mtu_bytes = min_u32(cfg->mtu_bytes, min_u32(client->active_mtu_bytes,
								 server->active_mtu_bytes));
	if (cfg->outstanding != CFG_AUTO)
		cfg->outstanding = min_u32(cfg->outstanding,
					   max_u32(1, min_u32(rd_atomic_of_both(server, client),
							      rd_atomic_of_both(client, server))));
}

int plan_resolve_outstanding(struct plan *plan, const struct plan_input *in)
{
	const bool both = role_sends(plan->work.role[SIDE_SERVER]);
	uint32_t most = rd_atomic_of_both(in->server, in->client);

	if (!kind_takes_response(plan->work.kind.op))
		return 0;
	if (both)
		most = min_u32(most, rd_atomic_of_both(in->client, in->server));
	plan->work.outstanding = in->cfg->outstanding;
	if (plan->work.pattern == PATTERN_PROBE) {
		plan->work.outstanding = 1;
	} else if (in->cfg->outstanding == CFG_AUTO) {
		/* a device that supports none is refused below */
		plan->work.outstanding = most ? most : 1;
		plan_note(plan, "outstanding %u: the most that both devices support",
			  plan->work.outstanding);
	}
	if (check_target(in->server, in->client, plan))
		return -EINVAL;
	return both ? check_target(in->client, in->server, plan) : 0;
}

/* A size that the user gave. */
static int check_inline(const struct plan *plan, const struct limits *least)
{
	const uint32_t bytes = plan->work.inline_bytes;
	const uint64_t first = min_u64(plan->points[0].size_bytes,
				       plan->points[0].server_size_bytes);

	if (bytes && least->inline_ignored)
		return err_refuse("-I (--inline)", "allowed: 0, auto",
				  "%u: %s of %s (driver %s) takes inline messages, but fetches them from memory all the same",
				  bytes, least->device, least->host, least->driver);
	if (bytes > least->max_inline_bytes)
		return err_option(-EINVAL, "-I (--inline)", "%u: %s of %s grants at most %u", bytes,
				  least->device, least->host, least->max_inline_bytes);
	if (plan->work.like == LIKE_NONE && bytes && bytes < first)
		return err_option(-EINVAL, "-I (--inline)",
				  "%u has no effect on messages of %" PRIu64 " bytes: all messages are larger",
				  bytes, first);
	return 0;
}

/* The CPU copies inline data. */
static bool senders_copy(const struct plan *plan)
{
	for (enum side side = 0; side < SIDE_COUNT; side++)
		if (role_sends(plan->work.role[side]) &&
		    !choices_buffers_can(plan_buffers(plan, side), BUFFERS_CPU))
			return false;
	return true;
}

/* Not for reads and atomics: they send no payload (ibv_post_send(3)). */
int plan_resolve_inline(struct plan *plan, const struct plan_input *in)
{
	const uint64_t longest = plan->points[plan->n_points - 1].size_bytes;
	const struct limits *least = in->client;
	uint32_t most;

	/* the CPU copies inline data */
	if (!kind_can_inline(plan->work.kind.op) || !senders_copy(plan))
		return 0;
	if (role_sends(plan->work.role[SIDE_SERVER]) &&
	    in->server->max_inline_bytes < least->max_inline_bytes)
		least = in->server;
	if (in->cfg->inline_bytes != CFG_AUTO) {
		plan->work.inline_bytes = in->cfg->inline_bytes;
		return check_inline(plan, least);
	}
	if (plan->work.pattern == PATTERN_STREAM)
		return 0;
	most = min_u32(least->max_inline_bytes,
		       plan_like_inline_bytes(plan->work.like, kind_family(plan->work.test),
					 plan->work.kind.tp));
	plan->work.inline_bytes = longest < most ? (uint32_t)longest : most;
	/* perftest requests all of it, which makes the queue's entries larger */
	if (plan->work.like != LIKE_NONE)
		plan->work.inline_bytes = most;
	else if (plan->work.inline_bytes < plan->points[0].size_bytes)
		plan->work.inline_bytes = 0;
	plan_note(plan, "inline to %u bytes: %s grants %u", plan->work.inline_bytes, least->device,
		  most);
	return 0;
}

/* plan_caps() refuses --locks off on a device that does not support it. */
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

/* ---- all steps */

int plan_resolve(struct plan *plan, const struct cfg *cfg, const struct limits *client,
		 const struct limits *server)
{
	struct cfg full = *cfg;
	const struct plan_input in = { .cfg = &full, .client = client, .server = server };
	const char *refusal = cfg_refusal(cfg);

	if (refusal)
		return err_set(-EINVAL, "%s", refusal);
	plan_like_defaults(&full);
	plan_lower(&full, client, server);
	if (plan_check_transport(&in) || plan_resolve_loops(plan, &in) ||
	    plan_resolve_path(plan, &in) || plan_resolve_outstanding(plan, &in) ||
	    plan_resolve_points(plan, &in) || plan_check_requests(plan, client, SIDE_CLIENT) ||
	    plan_check_requests(plan, server, SIDE_SERVER) || plan_resolve_inline(plan, &in) ||
	    plan_resolve_buffers(plan, &in))
		return -EINVAL;
	plan->stall_timeout_ms = cfg->stall_timeout_ms;
	plan_note_locks(plan, &in);
	return plan_caps(plan, client, SIDE_CLIENT) || plan_caps(plan, server, SIDE_SERVER) ?
		       -EINVAL : 0;
}
