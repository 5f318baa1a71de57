/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * cfg and the limits of both devices into the plan: what auto means is chosen and noted, what
 * the user gave is checked, the first thing that cannot be is the sentence. Called by session.c
 * on both sides with the same input. Must not change a given value, open a device or print.
 */
#include "config.h"
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"
#include "plan/gid.h"

#define SIZE_BW 65536u
#define SIZE_LAT 2u
#define SIZE_ATOMIC 8u
#define SIZE_ALL_MAX (8u << 20)
#define MESSAGES_BW 5000u
#define MESSAGES_LAT 1000u
#define FOOTPRINT_REASON \
	"a buffer for each request in flight, 8 KiB at least, to 8 MiB per QP; of many QPs, fewer"
#define RD_ATOMIC_MAX 255u /* a byte in struct ibv_qp_attr */

/* What every step reads. */
struct input {
	const struct cfg *cfg;
	const struct limits *client, *server;
};

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

__attribute__((format(printf, 2, 3))) static void note(struct plan *plan, const char *fmt, ...)
{
	va_list ap;

	if (plan->n_notes == PLAN_MAX_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(plan->notes[plan->n_notes++], sizeof(plan->notes[0]), fmt, ap);
	va_end(ap);
}

static bool is_one_sided(const struct plan *plan)
{
	return !kind_takes_recv(plan->work.kind.op);
}

static bool uses_rd_atomic(const struct plan *plan)
{
	return kind_fetches(plan->work.kind.op);
}

static uint32_t queue_room(const struct limits *lim, uint32_t qps)
{
	uint32_t slots = min_u32(lim->max_wr, lim->max_cqe / (qps ? qps : 1));

	return slots > PLAN_CREDIT_SLOTS ? slots - PLAN_CREDIT_SLOTS : 0;
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
		return err_set(-EINVAL,
			       "-t (--depth) %u on %u QPs: %s of %s holds %u requests per "
			       "queue and %u completions, less %u per QP for credits: room for %u; "
			       "lower -t or -q",
			       plan->work.depth, plan->work.qps, lim->device, lim->host,
			       lim->max_wr, lim->max_cqe, PLAN_CREDIT_SLOTS, room);
	if (!is_one_sided(plan) && plan->work.recv_depth > room)
		return err_set(-EINVAL, "-r (--recv-depth) %u on %u QPs: %s of %s holds %u "
			       "receives per queue and %u completions, less %u per QP for credits: "
			       "room for %u; lower -r or -q",
			       plan->work.recv_depth, plan->work.qps, lim->device, lim->host,
			       lim->max_wr, lim->max_cqe, PLAN_CREDIT_SLOTS, room);
	return 0;
}

/* Loops first without limits, to see what auto has to give up because of the devices. */
static int choose_loops(struct plan *plan, const struct input *in)
{
	uint32_t room = min_u32(queue_room(in->client, in->cfg->qps),
				queue_room(in->server, in->cfg->qps));
	const struct plan_room limit = { .depth = room, .recv_depth = room };
	const struct plan_room no_limit = PLAN_NO_ROOM_LIMIT;
	struct plan wish;
	int rc = plan_loops(&wish, in->cfg, &no_limit);

	if (!rc)
		rc = plan_loops(plan, in->cfg, &limit);
	if (!rc)
		rc = check_queue(in->client, plan);
	if (!rc)
		rc = check_queue(in->server, plan);
	if (rc)
		return rc;
	if (plan->work.depth < wish.work.depth)
		note(plan, "depth %u instead of %u: the devices have no room for more on %u QPs",
		     plan->work.depth, wish.work.depth, plan->work.qps);
	if (plan->work.recv_depth < wish.work.recv_depth)
		note(plan, "recv-depth %u instead of %u: the devices have no room for more on %u "
		     "QPs",
		     plan->work.recv_depth, wish.work.recv_depth, plan->work.qps);
	if (plan->work.pattern == PATTERN_STREAM && in->cfg->signal_interval == CFG_AUTO)
		note(plan, "signal interval %u: about a quarter of depth %u, fitted to post lists "
		     "of %u",
		     plan->work.signal_interval, plan->work.depth, plan->work.post_list);
	return 0;
}

static int check_mtu(const struct limits *lim, const struct input *in)
{
	uint32_t active = lim->active_mtu_bytes;

	if (active < 256 || active > 4096 || active & (active - 1))
		return err_set(-EINVAL, "%s of %s reports an MTU of %u bytes, which no path can "
			       "have",
			       lim->device, lim->host, active);
	if (in->cfg->mtu_bytes != CFG_AUTO && in->cfg->mtu_bytes > active)
		return err_set(-EINVAL, "-m (--mtu) %u: the active MTU of %s of %s is %u",
			       in->cfg->mtu_bytes, lim->device, lim->host, active);
	return 0;
}

static const char *link_name(const struct limits *lim)
{
	return lim->ethernet ? "Ethernet" : "InfiniBand";
}

/* Link layers, MTU and GIDs: what both ports must agree on. */
static int choose_path(struct plan *plan, const struct input *in)
{
	const struct limits *client = in->client, *server = in->server;
	struct gid_pair pair;
	int rc;

	if (client->ethernet != server->ethernet)
		return err_set(-EINVAL, "%s of %s is on %s, %s of %s on %s: they cannot reach each "
			       "other",
			       client->device, client->host, link_name(client),
			       server->device, server->host, link_name(server));
	/*
	 * RoCE maps the SL to a priority of three bits; IBA vol. 1, annex A16: 8 to 15 are
	 * reserved.
	 */
	if (client->ethernet && in->cfg->sl > 7)
		return err_set(-EINVAL, "-S (--sl) %u: on Ethernet it is a priority; allowed: 0..7",
			       in->cfg->sl);
	rc = check_mtu(client, in);
	if (!rc)
		rc = check_mtu(server, in);
	if (!rc)
		rc = gid_choose(&pair, client, server);
	if (rc)
		return rc;
	plan->path.mtu_bytes = in->cfg->mtu_bytes;
	if (in->cfg->mtu_bytes == CFG_AUTO) {
		plan->path.mtu_bytes = min_u32(client->active_mtu_bytes, server->active_mtu_bytes);
		note(plan, "MTU %u: the smaller of client %s (%u) and server %s (%u)",
		     plan->path.mtu_bytes, client->device, client->active_mtu_bytes, server->device,
		     server->active_mtu_bytes);
	}
	plan->path.client_gid = pair.client;
	plan->path.server_gid = pair.server;
	note(plan, "GID %u of client and %u of server: %s", pair.client, pair.server, pair.reason);
	plan->path.sl = in->cfg->sl;
	plan->path.tclass = in->cfg->tclass;
	/* Within an InfiniBand subnet LIDs do; a GID or a traffic class asked for needs the GRH. */
	plan->path.global_route = client->ethernet || client->gid_index != CFG_AUTO ||
			     server->gid_index != CFG_AUTO || plan->path.tclass;
	return 0;
}

static int check_target(const struct limits *target, const struct limits *initiator,
			const struct plan *plan)
{
	if (kind_is_atomic(plan->work.kind.op) && !target->atomics)
		return err_set(-EINVAL, "%s: %s of %s, the target, has no atomics",
			       kind_test_names[plan->work.test], target->device, target->host);
	if (plan->work.outstanding > initiator->max_init_rd_atomic)
		return err_set(-EINVAL, "-o (--outstanding) %u: %s of %s starts %u at most "
			       "(max_qp_init_rd_atom)", plan->work.outstanding, initiator->device,
			       initiator->host, initiator->max_init_rd_atomic);
	if (plan->work.outstanding > target->max_rd_atomic)
		return err_set(-EINVAL, "-o (--outstanding) %u: %s of %s, the target, takes %u at "
			       "most (max_qp_rd_atom)",
			       plan->work.outstanding, target->device, target->host,
			       target->max_rd_atomic);
	return 0;
}

static uint32_t rd_atomic_of_both(const struct limits *target, const struct limits *initiator)
{
	return min_u32(RD_ATOMIC_MAX,
		       min_u32(initiator->max_init_rd_atomic, target->max_rd_atomic));
}

static int choose_outstanding(struct plan *plan, const struct input *in)
{
	uint32_t most;
	int rc;

	if (!uses_rd_atomic(plan))
		return 0;
	most = rd_atomic_of_both(in->server, in->client);
	if (role_sends(plan->work.role[SIDE_SERVER]))
		most = min_u32(most, rd_atomic_of_both(in->client, in->server));
	plan->work.outstanding = in->cfg->outstanding;
	if (plan->work.pattern == PATTERN_PROBE) {
		plan->work.outstanding = 1;
	} else if (in->cfg->outstanding == CFG_AUTO) {
		/* 0 stays to be refused below: a device that takes none */
		plan->work.outstanding = most ? most : 1;
		note(plan, "outstanding %u: the most that both devices do", plan->work.outstanding);
	}
	rc = check_target(in->server, in->client, plan);
	if (!rc && role_sends(plan->work.role[SIDE_SERVER]))
		rc = check_target(in->client, in->server, plan);
	return rc;
}

static uint64_t auto_size(struct plan *plan)
{
	bool lat = kind_test_is_lat(plan->work.test);

	if (kind_is_atomic(plan->work.kind.op))
		return SIZE_ATOMIC;
	if (lat || !kind_is_datagram(plan->work.kind.tp) || plan->path.mtu_bytes >= SIZE_BW)
		return lat ? SIZE_LAT : SIZE_BW;
	note(plan, "size %u: one MTU, the most that fits a datagram", plan->path.mtu_bytes);
	return plan->path.mtu_bytes;
}

static void add_point(struct plan *plan, const struct cfg *cfg, uint64_t size_bytes)
{
	struct point *point = &plan->points[plan->n_points];
	bool by_time = cfg->duration_s != CFG_AUTO;
	uint64_t count = kind_test_is_lat(plan->work.test) ? MESSAGES_LAT : MESSAGES_BW;

	point->index = plan->n_points++;
	point->size_bytes = size_bytes;
	if (by_time)
		point->duration_ns = (uint64_t)cfg->duration_s * 1000000000u;
	else
		point->messages = cfg->messages == CFG_AUTO64 ? count : cfg->messages;
}

static int choose_points(struct plan *plan, const struct input *in)
{
	uint64_t longest = min_u32(in->client->max_msg_bytes, in->server->max_msg_bytes);
	uint64_t most = kind_is_datagram(plan->work.kind.tp) ? plan->path.mtu_bytes : longest;
	uint64_t size = in->cfg->size_bytes;

	if (in->cfg->all_sizes) {
		for (size = 1; size <= SIZE_ALL_MAX && size <= most; size *= 2)
			add_point(plan, in->cfg, size);
		if (most < SIZE_ALL_MAX)
			note(plan, "sizes end at %" PRIu64 ": %s", most,
			     kind_is_datagram(plan->work.kind.tp) ?
				     "one MTU, the most that fits a datagram" :
				     "the longest message of both ports");
		return plan->n_points ? 0 : err_set(-EINVAL, "the ports allow no message at all");
	}
	if (size == CFG_AUTO64)
		size = auto_size(plan);
	if (kind_is_datagram(plan->work.kind.tp) && size > plan->path.mtu_bytes)
		return err_set(-EINVAL, "-s (--size) %" PRIu64 " over UD: a datagram is one "
			       "packet, at most the MTU of %u bytes", size, plan->path.mtu_bytes);
	if (size > longest)
		return err_set(-EINVAL, "-s (--size) %" PRIu64 ": the longest message is %u bytes "
			       "for %s of %s and %u for %s of %s", size, in->client->max_msg_bytes,
			       in->client->device, in->client->host, in->server->max_msg_bytes,
			       in->server->device, in->server->host);
	add_point(plan, in->cfg, size);
	return 0;
}

/* Inline is not for reads and atomics: they send no payload (ibv_post_send(3)). */
static int choose_inline(struct plan *plan, const struct input *in)
{
	uint64_t longest = plan->points[plan->n_points - 1].size_bytes;
	const struct limits *least = in->client;
	uint32_t most;

	if (uses_rd_atomic(plan))
		return 0;
	if (role_sends(plan->work.role[SIDE_SERVER]) &&
	    in->server->max_inline_bytes < least->max_inline_bytes)
		least = in->server;
	most = least->max_inline_bytes;
	if (in->cfg->inline_bytes != CFG_AUTO) {
		plan->work.inline_bytes = in->cfg->inline_bytes;
		if (plan->work.inline_bytes > most)
			return err_set(-EINVAL, "-I (--inline) %u: %s of %s grants %u at most",
				       plan->work.inline_bytes, least->device, least->host, most);
		if (plan->work.inline_bytes && plan->work.inline_bytes < plan->points[0].size_bytes)
			return err_set(-EINVAL,
				       "-I (--inline) %u has no effect on messages of %" PRIu64
				       " bytes: none is that small", plan->work.inline_bytes,
				       plan->points[0].size_bytes);
		return 0;
	}
	if (plan->work.pattern == PATTERN_STREAM)
		return 0;
	plan->work.inline_bytes = longest < most ? (uint32_t)longest : most;
	if (plan->work.inline_bytes < plan->points[0].size_bytes)
		plan->work.inline_bytes = 0;
	note(plan, "inline to %u bytes: %s grants %u", plan->work.inline_bytes, least->device,
	     most);
	return 0;
}

static void note_buffers(struct plan *plan, const struct cfg *cfg)
{
	const uint64_t first = plan->points[0].footprint_bytes;
	const uint64_t last = plan->points[plan->n_points - 1].footprint_bytes;

	if (cfg->walk == WALK_AUTO && plan->work.walk == WALK_SAME)
		note(plan, "walk same: the last byte of one buffer counts the rounds");
	else if (cfg->footprint_bytes == CFG_AUTO64 && plan->work.walk != WALK_SAME &&
		 first == last)
		note(plan, "footprint %" PRIu64 " bytes: " FOOTPRINT_REASON, first);
	else if (cfg->footprint_bytes == CFG_AUTO64 && plan->work.walk != WALK_SAME)
		note(plan, "footprint %" PRIu64 " to %" PRIu64 " bytes: " FOOTPRINT_REASON, first,
		     last);
	if (cfg->hugepages == HUGEPAGES_AUTO && plan->work.hugepages == HUGEPAGES_OFF)
		note(plan, "hugepages off: the emulated HCA shares ordinary pages only");
}

/* What they cannot do without is refused by plan_caps(). */
static void note_locks(struct plan *plan, const struct input *in)
{
	const char *client = locks_names[in->client->unlocked & LOCKS_OFF_ALL];
	const char *server = locks_names[in->server->unlocked & LOCKS_OFF_ALL];

	if (plan->work.locks != LOCKS_AUTO)
		return;
	if (role_has_loop(plan->work.role[SIDE_SERVER]))
		note(plan, "locks of the client's queues %s, of the server's %s: what %s and %s "
		     "offer", client, server, in->client->device, in->server->device);
	else
		note(plan, "locks of the client's queues %s: what %s offers", client,
		     in->client->device);
}

int plan_resolve(struct plan *plan, const struct cfg *cfg, const struct limits *client,
		 const struct limits *server)
{
	const struct input in = { .cfg = cfg, .client = client, .server = server };
	const char *reason = kind_refusal((enum test)cfg->test, cfg_kind(cfg));
	int rc;

	if (reason)
		return err_set(-EINVAL, "%s", reason);
	rc = choose_loops(plan, &in);
	if (!rc)
		rc = choose_path(plan, &in);
	if (!rc)
		rc = choose_outstanding(plan, &in);
	if (!rc)
		rc = choose_points(plan, &in);
	if (!rc)
		rc = choose_inline(plan, &in);
	if (!rc)
		rc = plan_buffers(plan, cfg, client, server);
	if (rc)
		return rc;
	note_buffers(plan, cfg);
	plan->path.qp_timeout = cfg->qp_timeout;
	plan->path.retry = cfg->retry;
	plan->path.rnr_retry = cfg->rnr_retry;
	plan->path.min_rnr_timer = cfg->min_rnr_timer;
	plan->stall_timeout_ms = cfg->stall_timeout_ms;
	note_locks(plan, &in);
	rc = plan_caps(plan, client, SIDE_CLIENT);
	return rc ? rc : plan_caps(plan, server, SIDE_SERVER);
}
