/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The part of the plan that needs no device: the numbers that the loops rely on. Called when
 * options are read, and again by plan_resolve() with the limits of the devices. Refuses, and never
 * changes a value that the user gave.
 */
#include "config.h"
#include "decide/plan.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"
#include "util/minmax.h"

#define DEPTH_BW 128u
#define RECV_DEPTH_BW 512u
#define RECV_DEPTH_LAT 64u
#define PACE_LONGEST 10 /* exponential gaps are at most 1 + ln(4096) times the mean: loop/pace.c */
#define RECV_DEPTH_MCAST 4096u /* there are no credits: a message without a receive is lost */

/* At least two lists: one is posted while the other is in flight. */
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
 * A quarter of the depth, so that requests are in flight while a completion is handled. It is a
 * multiple or a divisor of the post list.
 */
static uint32_t choose_signal_interval(const struct plan *plan, const struct cfg *cfg,
				       const struct plan_room *room)
{
	uint32_t interval = max_u32(1, plan->work.depth / 4);

	/* each has a sample */
	if (plan_is_open(plan))
		return 1;
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
 * A quarter of the receives of an SRQ: normally lists of receives are posted before it is reached.
 * A limit of at least all receives is refused: ibv_modify_srq(3) would raise the event at once and
 * forever.
 */
static int choose_srq_limit(struct plan *plan, const struct cfg *cfg)
{
	const uint32_t receives = plan->work.recv_depth * plan->work.qps;

	if (plan->work.kind.sharing != SHARING_SRQ)
		return 0;
	plan->work.srq_limit = cfg->srq_limit == CFG_AUTO ? receives / 4 : cfg->srq_limit;
	if (plan->work.srq_limit < receives)
		return 0;
	return err_advise(
		err_set(-EINVAL, "--srq-limit %u: %u QPs share %u receives", plan->work.srq_limit,
			plan->work.qps, receives),
		"allowed: 0..%u, or raise -r (--recv-depth)", receives - 1);
}

static int choose_walk(struct plan *plan, const struct cfg *cfg)
{
	const bool marks = plan_marks_payload(plan);
	const enum walk_order order = (enum walk_order)cfg->walk;
	const char *test = kind_test_names[plan->work.test],
		   *tp = kind_transport_names[plan->work.kind.tp];

	plan->work.walk = order == WALK_AUTO ? (marks ? WALK_SAME : WALK_SEQ) : order;
	if (marks && plan->work.walk != WALK_SAME)
		return err_refuse("--walk", "allowed: auto, same, or add --imm",
				  "%s on %s over %s without --imm: the last byte of one buffer counts the rounds",
				  choices_walk[order], test, tp);
	if (cfg->footprint_bytes == CFG_AUTO64 || plan->work.walk != WALK_SAME)
		return 0;
	if (order == WALK_SAME)
		return err_set(
			-EINVAL,
			"--footprint has no effect with --walk same: each QP has one buffer, of the size of a message");
	return err_set(
		-EINVAL,
		"--footprint has no effect on %s over %s without --imm: the last byte of one buffer counts the rounds; add --imm",
		test, tp);
}

/*
 * With relaxed ordering a device may write the bytes of a message in any order, so the last byte
 * says nothing about the others. perftest also turns it off in ib_write_lat alone (src/write_lat.c,
 * disable_pcir). Completions are not overtaken: the CQ is never relaxed, and such a write waits for
 * all before it (PCI Express Base Specification, 2.4.1).
 */
static int choose_relaxed(struct plan *plan, const struct cfg *cfg)
{
	const enum side scarce = choices_buffers_can(plan->work.buffers, BUFFERS_SCARCE) ?
					 SIDE_CLIENT : SIDE_SERVER;
	const bool marks = plan_marks_payload(plan);
	const bool by_auto = !marks && plan_buffers_can(plan, BUFFERS_RELAXED);

	plan->work.relaxed_ordering = cfg->relaxed_ordering == RELAXED_AUTO ?
					      by_auto : cfg->relaxed_ordering == RELAXED_ON;
	plan->work.relaxed_or_fail = cfg->relaxed_ordering == RELAXED_ON;
	if (cfg->relaxed_ordering != RELAXED_ON)
		return 0;
	if (marks)
		return err_refuse("--relaxed-ordering", "allowed: auto, off, or add --imm",
				  "on for %s over %s without --imm: the last byte of a message counts the rounds, and could arrive before the others",
				  kind_test_names[plan->work.test],
				  kind_transport_names[plan->work.kind.tp]);
	if (plan_buffers_can(plan, BUFFERS_SCARCE))
		return err_refuse("--relaxed-ordering", "allowed: auto, off",
				  "on with %s device: it is for memory of the host",
				  plan_buffers_option(plan, scarce));
	return 0;
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
 * A sender stops when it has no credit for a list; the receiver has granted credit for all but less
 * than a refill of the messages it has seen. One of the unseen messages must be solicited, or the
 * receiver never wakes up.
 */
static int check_solicited(const struct plan *plan)
{
	const uint32_t n = plan->work.solicited, list = plan->work.post_list;
	const uint32_t unseen = plan->work.recv_depth - plan_refill(plan) + 1 - (list - 1);

	if (n > unseen)
		return err_advise(
			err_set(-EINVAL,
				"--solicited %u with %u receives, refilled %u at a time, and lists of %u: the sender would have no credit before it sends the next one",
				n, plan->work.recv_depth, plan_refill(plan), list),
			"allowed: 1..%u, or raise -r (--recv-depth)", unseen);
	if ((uint64_t)plan_group(plan) * plan_total_qps(plan) > PLAN_SOLICITED_SLOTS)
		return err_set(
			-EINVAL,
			"--solicited %u with post lists of %u and a signal interval of %u on %u QPs: rings of %u requests repeat that, and %u are allowed in all; use a power of two",
			n, list, plan->work.signal_interval, plan_total_qps(plan),
			plan_group(plan), PLAN_SOLICITED_SLOTS);
	return 0;
}

/*
 * Otherwise a loop could wait for a completion that no request raises. A window of depth requests
 * must hold a whole list and a signalled request, and both must end at common boundaries.
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
		return err_advise(
			err_option(-EINVAL, "-l (--post-list)", "%u does not fit a depth of %u",
				   list, plan->work.depth),
			"allowed: 1..%u, or raise -t (--depth)", plan->work.depth);
	if (interval > plan->work.depth)
		return err_advise(
			err_option(-EINVAL, "-Q (--signal-interval)",
				   "%u does not fit a depth of %u: the window would fill before any request is signalled",
				   interval, plan->work.depth),
			"allowed: 1..%u, or raise -t (--depth)", plan->work.depth);
	if (list % interval && interval % list)
		return err_option(-EINVAL, "-l (--post-list)",
				  "%u and -Q (--signal-interval) %u: one must be a multiple of the other",
				  list, interval);
	/* one credit message covers all receives of a refill */
	if (plan->work.recv_depth && list > plan->work.recv_depth - plan_refill(plan) + 1)
		return err_option(-EINVAL, "-l (--post-list)",
				  "%u does not fit %u receives, refilled %u at a time: the sender would never have credit for a whole list; raise -r (--recv-depth)",
				  list, plan->work.recv_depth, plan_refill(plan));
	return plan->work.solicited ? check_solicited(plan) : 0;
}

static int check(const struct plan *plan)
{
	if (plan->work.pattern == PATTERN_STREAM)
		return check_stream(plan);
	/* the receive of an answer is posted again only after the next message is sent */
	if (plan->work.pattern == PATTERN_PINGPONG && plan->work.recv_depth == 1)
		return err_refuse("-r (--recv-depth)", "allowed: 2..16384",
				  "1 for a ping-pong: the next message could arrive before the receive is posted again");
	return 0;
}

uint32_t plan_batch(const struct plan *plan)
{
	uint32_t batch = PLAN_ANSWER_SLOTS / 2;

	/* the pause, or the wait until a message is due, is between two batches */
	if (plan->work.gap_us || plan_is_open(plan))
		return 1;
	while (batch > 1 && (batch * plan->work.qps > PLAN_ANSWER_SLOTS / 2 ||
			     (plan->work.recv_depth && 2 * batch > plan->work.recv_depth)))
		batch /= 2;
	return batch;
}

uint64_t plan_longest_gap_ns(const struct plan *plan)
{
	const double mean_ns = plan_is_open(plan) ? 1e12 * plan->work.threads /
						    (double)plan->work.rate_milli : 0;

	return (uint64_t)(plan->work.arrival == ARRIVAL_POISSON ? mean_ns * PACE_LONGEST : mean_ns);
}

/* The side that posts no request of a one-sided test takes nothing from a CQ. */
static int check_peer_completion(const struct plan *plan, const struct cfg *cfg)
{
	if (cfg->peer_completion == CM_SAME || role_has_loop(plan->work.role[SIDE_SERVER]))
		return 0;
	return err_set(-EINVAL, "--peer-completion %s has no effect on %s%s: the server is the target, and has no completions to wait for",
		       kind_completion_names[cfg->peer_completion],
		       kind_test_names[plan->work.test],
		       kind_access(plan->work.kind.op) == ACCESS_WRITE ? " without --imm" : "");
}

static bool by_server(const struct cfg *cfg)
{
	return cfg->reverse || cfg->check_by == CHECK_BY_SERVER;
}

enum role plan_role(const struct cfg *cfg, enum side side)
{
	const enum opcode op = cfg_kind(cfg).op;

	return role_of(by_server(cfg) ? kind_other_side(side) : side, kind_pattern(cfg->test, op),
		       op, cfg->bidir);
}

int plan_loops(struct plan *plan, const struct cfg *cfg, const struct plan_room *room)
{
	memset(plan, 0, sizeof(*plan));
	plan->work.test = (enum test)cfg->test;
	plan->work.kind = cfg_kind(cfg);
	plan->work.pattern = kind_pattern(plan->work.test, plan->work.kind.op);
	plan->work.flush = (enum flush)cfg->flush;
	plan->work.bidir = cfg->bidir;
	plan->work.reverse = by_server(cfg);
	for (enum side side = 0; side < SIDE_COUNT; side++)
		plan->work.role[side] = plan_role(cfg, side);
	plan->work.keeps_samples = cfg->dump_samples;
	plan->work.like = (enum like)cfg->like;
	plan->work.verify = cfg->verify;
	plan->work.disturb = (enum disturb_what)cfg->disturb;
	/* another thread also uses the queues */
	plan->work.locks = cfg->disturb == DISTURB_NONE ? (enum locks_asked)cfg->locks : LOCKS_ON;
	plan->work.post_api = cfg_post_api(cfg);
	plan->work.poll_api = (enum apis_poll)cfg->poll_api;
	plan->work.threads = cfg->threads;
	plan->work.qps = cfg->qps;
	plan->work.server_completion = cfg_completion(cfg, SIDE_SERVER);
	plan->work.spin_us = plan_spins(plan) ? cfg->spin_us : 0;
	plan->work.post_list = cfg->post_list;
	plan->work.sges = cfg->sges;
	plan->work.fence = cfg->fence;
	plan->work.gap_us = cfg->gap_us;
	plan->work.rate_milli = cfg->rate_milli == CFG_AUTO64 ? 0 : cfg->rate_milli;
	plan->work.arrival = (enum arrival)cfg->arrival;
	plan->work.mw = (enum mw_type)cfg->mw;
	plan->work.buffers = cfg_buffers(cfg, SIDE_CLIENT);
	plan->work.server_buffers = cfg_buffers(cfg, SIDE_SERVER);
	plan->work.gpu = cfg_gpu(cfg, SIDE_CLIENT);
	plan->work.server_gpu = cfg_gpu(cfg, SIDE_SERVER);
	plan->work.regions = cfg->regions;
	plan->work.solicited = cfg->solicited == CFG_AUTO ? 0 : cfg->solicited;
	plan->work.recv_depth = choose_recv_depth(plan, cfg, room);
	if (plan->work.pattern == PATTERN_STREAM) {
		plan->work.depth = choose_depth(cfg, room);
		plan->work.signal_interval = choose_signal_interval(plan, cfg, room);
	} else {
		/* latency is measured with one message in flight */
		plan->work.depth = 1;
		plan->work.signal_interval = plan->work.pattern == PATTERN_PINGPONG &&
							     !kind_is_lossy(plan->work.kind.tp) &&
							     !room->signals_all ?
						     plan_batch(plan) :
						     1;
	}
	return check_peer_completion(plan, cfg) || check(plan) || choose_srq_limit(plan, cfg) ||
			       choose_relaxed(plan, cfg) || choose_walk(plan, cfg) ? -EINVAL : 0;
}
