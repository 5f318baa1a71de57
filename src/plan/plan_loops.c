/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The part of the plan that needs no device: the numbers that the loops rely on. Called when
 * options are read, and again by plan_resolve() with the room that the devices have. Refuses, and
 * never changes a value that the user gave.
 */
#include "config.h"
#include "plan/plan.h"
#include "plan/plan_resolve.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"
#include "util/minmax.h"

#define DEPTH_BW 128u
#define RECV_DEPTH_BW 512u
#define RECV_DEPTH_LAT 64u
#define RECV_DEPTH_MCAST 4096u /* there are no credits: a message that finds no receive is lost */

/* Two lists at least: one is posted while the other is in flight. */
static uint32_t choose_depth(const struct cfg *cfg, const struct plan_room *room)
{
	if (cfg->depth != CFG_AUTO)
		return cfg->depth;
	return max_u32(1, min_u32(room->depth, max_u32(DEPTH_BW, 2 * cfg->post_list)));
}

static uint32_t choose_recv_depth(const struct plan *plan, const struct cfg *cfg,
				  const struct plan_room *room)
{
	uint32_t wanted = plan->work.pattern == PATTERN_STREAM ? RECV_DEPTH_BW : RECV_DEPTH_LAT;

	if (!kind_takes_recv(plan->work.kind.op))
		return 0;
	if (cfg->mcast)
		wanted = RECV_DEPTH_MCAST;
	if (cfg->recv_depth != CFG_AUTO)
		return cfg->recv_depth;
	return max_u32(1, min_u32(room->recv_depth, max_u32(wanted, 2 * plan->work.post_list)));
}

/*
 * A quarter of the depth: requests are in flight while a completion is handled. It is a multiple or
 * a divisor of the post list.
 */
static uint32_t choose_signal_interval(const struct plan *plan, const struct cfg *cfg,
				       const struct plan_room *room)
{
	uint32_t interval = max_u32(1, plan->work.depth / 4);

	if (cfg->signal_interval != CFG_AUTO)
		return cfg->signal_interval;
	if (room->signals_all)
		return 1;
	if (interval >= plan->work.post_list)
		return interval - interval % plan->work.post_list;
	while (plan->work.post_list % interval)
		interval--;
	return interval;
}

uint32_t plan_refill(const struct plan *plan)
{
	const uint32_t recvs = plan->work.recv_depth;
	uint32_t refill = max_u32(1, recvs / 8);

	if (plan->work.pattern == PATTERN_STREAM && recvs > 2 * plan->work.depth &&
	    !plan_is_mcast(plan))
		refill = max_u32(refill, min_u32(recvs / 2, recvs - 2 * plan->work.depth));
	return refill;
}

/*
 * A quarter of the receives of an SRQ: lists of receives are posted again before that, unless the
 * thread is late. A limit that no arrival can go below is refused: ibv_modify_srq(3) would raise
 * the event at once and forever.
 */
static int choose_srq_limit(struct plan *plan, const struct cfg *cfg)
{
	const uint32_t receives = plan->work.recv_depth * plan->work.qps;

	if (plan->work.kind.sharing != SHARING_SRQ)
		return 0;
	plan->work.srq_limit = cfg->srq_limit == CFG_AUTO ? receives / 4 : cfg->srq_limit;
	if (plan->work.srq_limit < receives)
		return 0;
	return err_set(-EINVAL,
		       "--srq-limit %u: %u QPs share %u receives; allowed: 0..%u, or raise -r (--recv-depth)",
		       plan->work.srq_limit, plan->work.qps, receives, receives - 1);
}

static int choose_walk(struct plan *plan, const struct cfg *cfg)
{
	const bool marks = plan_marks_payload(plan);
	const enum walk_order wish = (enum walk_order)cfg->walk;
	const char *test = kind_test_names[plan->work.test],
		   *tp = kind_transport_names[plan->work.kind.tp];

	plan->work.walk = wish == WALK_AUTO ? (marks ? WALK_SAME : WALK_SEQ) : wish;
	if (marks && plan->work.walk != WALK_SAME)
		return err_set(
			-EINVAL,
			"--walk %s on %s over %s without --imm: the last byte of one buffer counts the rounds; allowed: auto, same, or add --imm",
			choices_walk[wish], test, tp);
	if (cfg->footprint_bytes == CFG_AUTO64 || plan->work.walk != WALK_SAME)
		return 0;
	if (wish == WALK_SAME)
		return err_set(
			-EINVAL,
			"--footprint has no effect with --walk same: each QP has one buffer, of the size of a message");
	return err_set(
		-EINVAL,
		"--footprint has no effect on %s over %s without --imm: the last byte of one buffer counts the rounds; add --imm",
		test, tp);
}

uint32_t plan_group(const struct plan *plan)
{
	const uint32_t group = max_u32(plan->work.post_list, plan->work.signal_interval);
	uint32_t a = group, b = plan->work.solicited;

	if (!b)
		return group;
	while (b) {
		const uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return group / a * plan->work.solicited;
}

/*
 * A sender stops when it has no credit for a list; the receiver has credited all but less than a
 * refill of what it has seen. One of those that it has not seen must be solicited, or it sleeps on.
 */
static int check_solicited(const struct plan *plan)
{
	const uint32_t n = plan->work.solicited, list = plan->work.post_list;
	const uint32_t unseen = plan->work.recv_depth - plan_refill(plan) + 1 - (list - 1);

	if (n > unseen)
		return err_set(
			-EINVAL,
			"--solicited %u with %u receives, refilled %u at a time, and lists of %u: the sender would have no credit before it sends the next one; allowed: 1..%u, or raise -r (--recv-depth)",
			n, plan->work.recv_depth, plan_refill(plan), list, unseen);
	if ((uint64_t)plan_group(plan) * plan_total_qps(plan) > PLAN_SOLICITED_SLOTS)
		return err_set(
			-EINVAL,
			"--solicited %u with post lists of %u and a signal interval of %u on %u QPs: rings of %u requests repeat that, and %u are allowed in all; use a power of two",
			n, list, plan->work.signal_interval, plan_total_qps(plan),
			plan_group(plan), PLAN_SOLICITED_SLOTS);
	return 0;
}

/*
 * Otherwise a loop could wait for a completion that no request asked for. A window of depth
 * requests must hold a whole list and a signalled request, and both must end at common boundaries.
 */
static int check_stream(const struct plan *plan)
{
	uint32_t list = plan->work.post_list, interval = plan->work.signal_interval;

	if (plan_total_qps(plan) > PLAN_MAX_QPS)
		return err_set(
			-EINVAL,
			"--threads %u with -q (--qps) %u each are %u QPs; allowed in all: 1..%u",
			plan->work.threads, plan->work.qps, plan_total_qps(plan), PLAN_MAX_QPS);
	if (list > plan->work.depth)
		return err_set(
			-EINVAL,
			"-l (--post-list) %u does not fit a depth of %u; allowed: 1..%u, or raise -t (--depth)",
			list, plan->work.depth, plan->work.depth);
	if (interval > plan->work.depth)
		return err_set(
			-EINVAL,
			"-Q (--signal-interval) %u does not fit a depth of %u: the window would fill before any request is signalled; allowed: 1..%u, or raise -t (--depth)",
			interval, plan->work.depth, plan->work.depth);
	if (list % interval && interval % list)
		return err_set(
			-EINVAL,
			"-l (--post-list) %u and -Q (--signal-interval) %u: one must be a multiple of the other",
			list, interval);
	/* one credit message covers all receives of a refill */
	if (plan->work.recv_depth && list > plan->work.recv_depth - plan_refill(plan) + 1)
		return err_set(
			-EINVAL,
			"-l (--post-list) %u does not fit %u receives, refilled %u at a time: the sender would never have credit for a whole list; raise -r (--recv-depth)",
			list, plan->work.recv_depth, plan_refill(plan));
	return plan->work.solicited ? check_solicited(plan) : 0;
}

static int check(const struct plan *plan)
{
	if (plan->work.pattern == PATTERN_STREAM)
		return check_stream(plan);
	/* the receive of an answer is posted again only after the next message was sent */
	if (plan->work.pattern == PATTERN_PINGPONG && plan->work.recv_depth == 1)
		return err_set(
			-EINVAL,
			"-r (--recv-depth) 1 for a ping-pong: the next message could arrive before the receive is posted again; allowed: 2..16384");
	return 0;
}

uint32_t plan_batch(const struct plan *plan)
{
	uint32_t batch = PLAN_ANSWER_SLOTS / 2;

	while (batch > 1 && (batch * plan->work.qps > PLAN_ANSWER_SLOTS / 2 ||
			     (plan->work.recv_depth && 2 * batch > plan->work.recv_depth)))
		batch /= 2;
	return batch;
}

int plan_loops(struct plan *plan, const struct cfg *cfg, const struct plan_room *room)
{
	int rc;

	memset(plan, 0, sizeof(*plan));
	plan->work.test = (enum test)cfg->test;
	plan->work.pattern = kind_pattern(plan->work.test);
	plan->work.kind = cfg_kind(cfg);
	plan->work.bidir = cfg->bidir;
	plan->work.check_by = (enum check_by)cfg->check_by;
	role_resolve(plan->work.role, plan->work.pattern, plan->work.kind.op, cfg->bidir);
	if (cfg->check_by == CHECK_BY_SERVER)
		role_swap(plan->work.role);
	plan->work.like = (enum like)cfg->like;
	plan->work.verify = cfg->verify;
	plan->work.disturb = (enum disturb_what)cfg->disturb;
	/* another thread uses the queues, too */
	plan->work.locks = cfg->disturb == DISTURB_NONE ? (enum locks_wish)cfg->locks : LOCKS_ON;
	plan->work.post_api = cfg_post_api(cfg);
	plan->work.poll_api = (enum apis_poll)cfg->poll_api;
	plan->work.threads = cfg->threads;
	plan->work.qps = cfg->qps;
	plan->work.spin_us = plan->work.kind.cm == CM_HYBRID ? cfg->spin_us : 0;
	plan->work.post_list = cfg->post_list;
	plan->work.sges = cfg->sges;
	plan->work.fence = cfg->fence;
	plan->work.mw = (enum mw_type)cfg->mw;
	plan->work.buffers = (enum buffers_kind)cfg->buffers;
	plan->work.solicited = cfg->solicited == CFG_AUTO ? 0 : cfg->solicited;
	plan->work.recv_depth = choose_recv_depth(plan, cfg, room);
	if (plan->work.pattern == PATTERN_STREAM) {
		plan->work.depth = choose_depth(cfg, room);
		plan->work.signal_interval = choose_signal_interval(plan, cfg, room);
	} else {
		/* a latency is that of one message in flight */
		plan->work.depth = 1;
		plan->work.signal_interval = plan->work.pattern == PATTERN_PINGPONG &&
							     !kind_is_lossy(plan->work.kind.tp) &&
							     !room->signals_all ?
						     plan_batch(plan) :
						     1;
	}
	rc = check(plan);
	if (!rc)
		rc = choose_srq_limit(plan, cfg);
	return rc ? rc : choose_walk(plan, cfg);
}
