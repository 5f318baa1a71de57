/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The points of the plan, a row of the result each: size, messages or time, footprint and pages of
 * the buffers.
 */
#include "config.h"
#include "decide/plan_steps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "causes/remedy.h"
#include "decide/layout.h"
#include "util/err.h"
#include "util/minmax.h"

#define SIZE_BW 65536u
#define SIZE_LAT 2u
#define SIZE_ATOMIC 8u
#define SIZE_ALL_MIN 2u
#define SIZE_ALL_MAX (8u << 20)
#define FOREVER_NS INT64_C(9000000000000000000) /* 285 years: an integer of JSON */

static uint64_t auto_size(struct plan *plan)
{
	bool lat = kind_test_is_lat(plan->work.test);

	if (kind_is_atomic(plan->work.kind.op))
		return SIZE_ATOMIC;
	if (lat)
		return max_u32(SIZE_LAT, plan->work.sges);
	if (!kind_is_datagram(plan->work.kind.tp) || plan->path.mtu_bytes >= SIZE_BW)
		return SIZE_BW;
	plan_note(plan, "size %u: one MTU, the most that fits a datagram", plan->path.mtu_bytes);
	return plan->path.mtu_bytes;
}

/* What the owners of both sides allow is not more than the default. */
static uint32_t default_ms(const struct plan_input *in)
{
	const uint32_t most = min_u32(in->client->max_point_ms, in->server->max_point_ms);

	return min_u32(most, PLAN_DURATION_MS);
}

static void add_point(struct plan *plan, const struct plan_input *in, uint64_t size_bytes)
{
	struct point *point = &plan->points[plan->n_points];
	const struct cfg *cfg = in->cfg;
	uint32_t ms = cfg->duration_ms;

	point->index = plan->n_points++;
	point->size_bytes = size_bytes;
	point->server_size_bytes = cfg->peer_size == CFG_AUTO64 ? size_bytes : cfg->peer_size;
	point->forever = ms == CFG_FOREVER;
	if (ms == CFG_AUTO && cfg->messages == CFG_AUTO64)
		ms = default_ms(in);
	if (ms == CFG_AUTO)
		point->messages = cfg->messages;
	else
		point->duration_ns = (uint64_t)ms * 1000000u;
}

static int add_all_sizes(struct plan *plan, const struct plan_input *in, uint64_t longest)
{
	const bool datagram = kind_is_datagram(plan->work.kind.tp);
	const uint64_t most = datagram ? plan->path.mtu_bytes : longest;

	uint64_t first = SIZE_ALL_MIN;

	/* at least a byte per piece */
	while (first < plan->work.sges)
		first *= 2;
	for (uint64_t size = first; size <= SIZE_ALL_MAX && size <= most; size *= 2)
		add_point(plan, in, size);
	if (most < SIZE_ALL_MAX)
		plan_note(plan, "sizes end at %" PRIu64 ": %s", most,
			  datagram ? "one MTU, the most that fits a datagram" :
				     "the longest message of both ports");
	return plan->n_points ? 0 : err_set(-EINVAL, "the ports allow no message at all");
}

static void note_longest(struct plan *plan, const struct limits *lim)
{
	if (lim->max_msg_bytes == UINT32_MAX)
		plan_note(plan, "%s of %s does not say its longest message (max_msg_sz 0): %u bytes, as InfiniBand allows",
			  lim->device, lim->host, LIMITS_MSG_MAX);
}

/* option: that the size is of. */
static int check_size(const struct plan *plan, const struct plan_input *in, const char *option,
		      uint64_t size)
{
	const uint32_t client = limits_msg_max(in->client), server = limits_msg_max(in->server);

	if (kind_is_datagram(plan->work.kind.tp) && size > plan->path.mtu_bytes)
		return err_option(-EINVAL, option,
				  "%" PRIu64 " over UD: a datagram is one packet, at most the MTU of %u bytes",
				  size, plan->path.mtu_bytes);
	if (size > min_u32(client, server))
		return err_option(-EINVAL, option,
				  "%" PRIu64 ": the longest message is %u bytes for %s of %s and %u for %s of %s",
				  size, client, in->client->device, in->client->host, server,
				  in->server->device, in->server->host);
	return 0;
}

static int add_points(struct plan *plan, const struct plan_input *in)
{
	const struct cfg *cfg = in->cfg;
	const uint64_t size = cfg->size_bytes == CFG_AUTO64 ? auto_size(plan) : cfg->size_bytes;

	note_longest(plan, in->client);
	note_longest(plan, in->server);
	if (cfg->peer_size != CFG_AUTO64 && check_size(plan, in, "--peer-size", cfg->peer_size))
		return -EINVAL;
	if (cfg->all_sizes)
		return add_all_sizes(plan, in, min_u32(limits_msg_max(in->client),
						       limits_msg_max(in->server)));
	if (check_size(plan, in, "-s (--size)", size))
		return -EINVAL;
	add_point(plan, in, size);
	return 0;
}

/* As long as both sides allow. */
static void limit_forever(struct plan *plan, const struct plan_input *in)
{
	const uint32_t most = min_u32(in->client->max_point_ms, in->server->max_point_ms);
	struct point *point = &plan->points[0];

	if (!point->forever)
		return;
	point->duration_ns = most == UINT32_MAX ? FOREVER_NS : most * UINT64_C(1000000);
	if (most != UINT32_MAX)
		plan_note(plan, "forever: %g seconds at the most: --max-point-time of the server's owner",
			  most / 1000.0);
}

int plan_resolve_points(struct plan *plan, const struct plan_input *in)
{
	if (in->cfg->interval_ms != CFG_AUTO)
		plan->work.interval_ns = (uint64_t)in->cfg->interval_ms * 1000000u;
	if (add_points(plan, in))
		return -EINVAL;
	limit_forever(plan, in);
	return 0;
}

/* ---- buffers */

#define FOOTPRINT_REASON \
	"a buffer for each request in flight, 8 KiB at least, to 8 MiB per QP; of many QPs, fewer"

static uint64_t bytes_of(const struct plan *plan, const struct point *point)
{
	struct layout lay;

	layout_resolve(&lay, plan, point, SIDE_CLIENT);
	return lay.total_bytes;
}

static bool is_scarce(const struct plan *plan, enum side side)
{
	return choices_buffers_can(plan_buffers(plan, side), BUFFERS_SCARCE);
}

/* Number of device memory regions of a run: one per thread of each side on that device. */
static uint64_t device_pieces(const struct plan *plan, const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;
	/* each process has its own emulated device */
	const bool shared = !client->emulated && limits_one_host(client, server) &&
			    !strcmp(client->device, server->device) &&
			    is_scarce(plan, SIDE_CLIENT) && is_scarce(plan, SIDE_SERVER);

	return plan->work.threads * (shared ? UINT64_C(2) : 1);
}

/* Halves the choice of auto until the device memory of each side that uses it holds it. */
static void fit_device(const struct plan *plan, const struct plan_input *in, struct point *point,
		       uint64_t least)
{
	uint64_t room = UINT64_MAX;

	if (is_scarce(plan, SIDE_CLIENT))
		room = in->client->max_dm_bytes;
	if (is_scarce(plan, SIDE_SERVER))
		room = min_u64(room, in->server->max_dm_bytes);
	room /= device_pieces(plan, in);
	while (point->footprint_bytes > least && bytes_of(plan, point) > room) {
		const uint64_t half = point->footprint_bytes / 2;

		point->footprint_bytes = half > least ? half : least;
	}
}

static int check_device(const struct plan *plan, const struct plan_input *in, enum side side)
{
	const struct limits *lim = side == SIDE_CLIENT ? in->client : in->server;
	const char *option = plan_buffers_option(plan, side);
	const uint64_t pieces = device_pieces(plan, in);

	if (!is_scarce(plan, side))
		return 0;
	if (!lim->max_dm_bytes)
		return err_refuse(option, "allowed: host, odp",
				  "device: %s of %s has no device memory (max_dm_size 0)",
				  lim->device, lim->host);
	for (uint32_t i = 0; i < plan->n_points; i++) {
		const struct point *point = &plan->points[i];
		const uint64_t bytes = bytes_of(plan, point);

		if (bytes > lim->max_dm_bytes / pieces)
			return err_set(-EINVAL,
				       "%s device: messages of %" PRIu64 " bytes take %" PRIu64 " times %" PRIu64 " bytes of device memory; %s of %s has %" PRIu64 " (max_dm_size); lower --size, --qps, --threads or --footprint",
				       option, plan_longest_bytes(plan, point), pieces, bytes,
				       lim->device, lim->host, lim->max_dm_bytes);
	}
	return 0;
}

/* Each region has at least one buffer of each walk. */
static int check_regions(const struct plan *plan, const struct point *point)
{
	struct layout lay;
	uint32_t bufs;

	layout_resolve(&lay, plan, point, SIDE_CLIENT);
	bufs = lay.tx.bufs < lay.rx.bufs ? lay.tx.bufs : lay.rx.bufs;
	if (plan->work.regions <= bufs)
		return 0;
	return err_refuse("--regions", bufs > 1 ? "raise --footprint" : "use another --walk",
			  "%u: messages of %" PRIu64 " bytes use %u buffers of each QP in turn",
			  plan->work.regions, plan_longest_bytes(plan, point), bufs);
}

static int choose_footprint(struct plan *plan, const struct plan_input *in, struct point *point)
{
	const struct cfg *cfg = in->cfg;
	const uint64_t least = layout_least_bytes(plan, point);

	point->footprint_bytes = cfg->footprint_bytes;
	if (cfg->footprint_bytes == CFG_AUTO64) {
		point->footprint_bytes = layout_auto_bytes(plan, point);
		if (plan_buffers_can(plan, BUFFERS_SCARCE))
			fit_device(plan, in, point, least);
	}
	if (point->footprint_bytes < least)
		return err_set(-EINVAL,
			       "--footprint %" PRIu64 " does not hold a message of %" PRIu64 " bytes for each of %u QPs: %" PRIu64 " at least",
			       point->footprint_bytes, plan_longest_bytes(plan, point),
			       plan->work.qps, least);
	return check_regions(plan, point);
}

/*
 * Auto: each buffer once, and as many messages as are under way: then pages, the connection's state
 * in the adapter and the caches are as they stay, and nothing looks slow because it is cold. A
 * payload is compared from the first message on.
 */
static void choose_warm_up(const struct plan *plan, const struct cfg *cfg, struct point *point)
{
	struct layout lay;

	point->warm_up = cfg->warm_up;
	if (cfg->warm_up != CFG_AUTO)
		return;
	layout_resolve(&lay, plan, point, SIDE_CLIENT);
	point->warm_up = plan->work.verify ? 0 : max_u32(lay.tx.slots, plan->work.depth);
	/* on a slow link it takes no longer than the point */
	if (point->messages)
		point->warm_up = min_u64(point->warm_up, point->messages);
}

static uint64_t most_bytes(const struct plan *plan)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < plan->n_points; i++) {
		const uint64_t bytes = bytes_of(plan, &plan->points[i]);

		if (bytes > most)
			most = bytes;
	}
	return most;
}

/* Hugepages that are free now may be used later: then mem_open() fails. */
static int check_hugepages(const struct plan *plan, const struct limits *lim, bool shared_host)
{
	const struct hugepages h = { .page_bytes = lim->hugepage_bytes,
				     .free = lim->hugepages_free };
	/* a mapping per thread; on one host both sides use the same hugepages */
	uint64_t bytes = most_bytes(plan), maps = plan->work.threads * (shared_host ? 2u : 1u);

	if (h.page_bytes && maps > 1)
		bytes = hugepages_pages(bytes, h.page_bytes) * h.page_bytes;
	bytes *= maps;
	if (h.page_bytes && hugepages_pages(bytes, h.page_bytes) <= h.free)
		return 0;
	return hugepages_refuse(-EINVAL, lim->host, bytes, &h);
}

static bool uses_pages(const struct plan *plan, enum side side)
{
	return !choices_buffers_can(plan_buffers(plan, side), BUFFERS_OFF_HOST);
}

static int choose_hugepages(struct plan *plan, const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;
	const bool one_host = limits_one_host(client, server);

	plan->work.hugepages = (enum hugepages_use)in->cfg->hugepages;
	/* the emulated HCA shares ordinary memory between processes */
	if (plan->work.hugepages == HUGEPAGES_AUTO &&
	    (client->emulated || server->emulated ||
	     (!uses_pages(plan, SIDE_CLIENT) && !uses_pages(plan, SIDE_SERVER))))
		plan->work.hugepages = HUGEPAGES_OFF;
	if (plan->work.hugepages != HUGEPAGES_ON)
		return 0;
	return check_hugepages(plan, client, one_host) || check_hugepages(plan, server, one_host) ?
		       -EINVAL : 0;
}

/* What others of this user have registered counts, too: then it fails when memory is registered. */
static int check_memlock(const struct plan *plan, const struct limits *lim, enum side side)
{
	const uint64_t bytes = most_bytes(plan) * plan->work.threads;

	if (bytes <= lim->memlock_bytes ||
	    choices_buffers_can(plan_buffers(plan, side), BUFFERS_OFF_HOST | BUFFERS_ON_DEMAND))
		return 0;
	return remedy_error(-EINVAL, REMEDY_MEMLOCK, NULL,
			    "%" PRIu64 " bytes of test memory on %s are more than the %" PRIu64 " that it may lock",
			    bytes, lim->host, lim->memlock_bytes);
}

static void note_buffers(struct plan *plan, const struct cfg *cfg)
{
	const uint64_t first = plan->points[0].footprint_bytes;
	const uint64_t last = plan->points[plan->n_points - 1].footprint_bytes;

	if (cfg->walk == WALK_AUTO && plan->work.walk == WALK_SAME)
		plan_note(plan, "walk same: the last byte of one buffer counts the rounds");
	else if (cfg->footprint_bytes == CFG_AUTO64 && plan->work.walk != WALK_SAME &&
		 first == last)
		plan_note(plan, "footprint %" PRIu64 " bytes: " FOOTPRINT_REASON, first);
	else if (cfg->footprint_bytes == CFG_AUTO64 && plan->work.walk != WALK_SAME)
		plan_note(plan, "footprint %" PRIu64 " to %" PRIu64 " bytes: " FOOTPRINT_REASON,
			  first, last);
	if (plan_buffers_can(plan, BUFFERS_SCARCE) && cfg->footprint_bytes == CFG_AUTO64)
		plan_note(plan, "footprint at most what device memory holds");
	if (cfg->hugepages == HUGEPAGES_AUTO && plan->work.hugepages == HUGEPAGES_OFF &&
	    (uses_pages(plan, SIDE_CLIENT) || uses_pages(plan, SIDE_SERVER)))
		plan_note(plan, "hugepages off: the emulated HCA shares ordinary pages only");
}

int plan_resolve_buffers(struct plan *plan, const struct plan_input *in)
{
	for (uint32_t i = 0; i < plan->n_points; i++)
		if (choose_footprint(plan, in, &plan->points[i]))
			return -EINVAL;
	for (uint32_t i = 0; i < plan->n_points; i++)
		choose_warm_up(plan, in->cfg, &plan->points[i]);
	if (check_device(plan, in, SIDE_CLIENT) || check_device(plan, in, SIDE_SERVER) ||
	    check_memlock(plan, in->client, SIDE_CLIENT) ||
	    check_memlock(plan, in->server, SIDE_SERVER) || choose_hugepages(plan, in))
		return -EINVAL;
	note_buffers(plan, in->cfg);
	return 0;
}
