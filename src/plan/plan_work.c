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

#include "util/err.h"
#include "util/minmax.h"

#define RD_ATOMIC_MAX 255u /* a byte in struct ibv_qp_attr */

static uint32_t queue_room(const struct limits *lim, uint32_t qps)
{
	uint32_t slots = min_u32(lim->max_wr, lim->max_cqe / (qps ? qps : 1));

	return slots > PLAN_CREDIT_SLOTS ? slots - PLAN_CREDIT_SLOTS : 0;
}

/* Receives per QP: those that share a queue have an equal part of it. */
static uint32_t recv_room(const struct limits *lim, enum sharing sharing, uint32_t qps)
{
	const uint32_t each = qps ? qps : 1;
	const uint32_t most = sharing == SHARING_SRQ ? lim->max_srq_wr / each :
			      sharing == SHARING_ONE_QP ? lim->max_wr / each : lim->max_wr;
	const uint32_t slots = min_u32(most, lim->max_cqe / each);

	return slots > PLAN_CREDIT_SLOTS ? slots - PLAN_CREDIT_SLOTS : 0;
}

static int check_shared_queue(const struct limits *lim, const struct plan *plan)
{
	const bool srq = plan->work.kind.sharing == SHARING_SRQ;
	const uint32_t room = recv_room(lim, plan->work.kind.sharing, plan->work.qps);

	if (plan->work.recv_depth <= room)
		return 0;
	return err_set(
		-EINVAL,
		"-r (--recv-depth) %u for each of %u QPs that share a receive queue: %s of %s holds %u receives in %s and %u completions, less %u per QP for credits: room for %u; lower --recv-depth or --qps",
		plan->work.recv_depth, plan->work.qps, lim->device, lim->host,
		srq ? lim->max_srq_wr : lim->max_wr, srq ? "an SRQ" : "a QP", lim->max_cqe,
		PLAN_CREDIT_SLOTS, room);
}

static int check_queue(const struct limits *lim, const struct plan *plan)
{
	uint32_t room = queue_room(lim, plan->work.qps);

	if (plan->work.threads > 1 && plan_total_qps(plan) > lim->max_qps)
		return err_set(-EINVAL, "--threads %u with -q (--qps) %u each: %s of %s has %u QPs",
			       plan->work.threads, plan->work.qps, lim->device, lim->host,
			       lim->max_qps);
	if (plan->work.qps > lim->max_qps)
		return err_set(-EINVAL, "-q (--qps) %u: %s of %s has %u QPs",
			       plan->work.qps, lim->device, lim->host, lim->max_qps);
	if (plan->work.depth > room)
		return err_set(
			-EINVAL,
			"-t (--depth) %u on %u QPs: %s of %s holds %u requests per queue and %u completions, less %u per QP for credits: room for %u; lower --depth or --qps",
			plan->work.depth, plan->work.qps, lim->device, lim->host, lim->max_wr,
			lim->max_cqe, PLAN_CREDIT_SLOTS, room);
	if (plan->work.kind.sharing != SHARING_NONE)
		return check_shared_queue(lim, plan);
	if (kind_takes_recv(plan->work.kind.op) && plan->work.recv_depth > room)
		return err_set(
			-EINVAL,
			"-r (--recv-depth) %u on %u QPs: %s of %s holds %u receives per queue and %u completions, less %u per QP for credits: room for %u; lower --recv-depth or --qps",
			plan->work.recv_depth, plan->work.qps, lim->device, lim->host, lim->max_wr,
			lim->max_cqe, PLAN_CREDIT_SLOTS, room);
	return 0;
}

/* First without limits: the difference is what the devices do not allow auto to choose. */
int plan_resolve_loops(struct plan *plan, const struct plan_input *in)
{
	uint32_t room = min_u32(queue_room(in->client, in->cfg->qps),
				queue_room(in->server, in->cfg->qps));
	const enum sharing sharing = cfg_kind(in->cfg).sharing;
	const struct plan_room limit = {
		.depth = room,
		.recv_depth = min_u32(recv_room(in->client, sharing, in->cfg->qps),
				      recv_room(in->server, sharing, in->cfg->qps)),
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
		rc = check_queue(in->client, plan);
	if (!rc)
		rc = check_queue(in->server, plan);
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
	if (plan->work.pattern == PATTERN_STREAM && in->cfg->signal_interval == CFG_AUTO)
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
