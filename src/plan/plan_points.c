/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The points of the plan: size, and messages or time, of each row of the result. Called by
 * plan_resolve().
 */
#include "config.h"
#include "plan/plan_steps.h"

#include <errno.h>
#include <inttypes.h>

#include "util/err.h"
#include "util/minmax.h"

#define SIZE_BW 65536u
#define SIZE_LAT 2u
#define SIZE_ATOMIC 8u
#define SIZE_ALL_MIN 2u
#define SIZE_ALL_MAX (8u << 20)
#define MESSAGES_BW 5000u
#define MESSAGES_LAT 1000u
#define WARM_UP 1000u
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

static void add_point(struct plan *plan, const struct cfg *cfg, uint64_t size_bytes)
{
	struct point *point = &plan->points[plan->n_points];
	bool by_time = cfg->duration_ms != CFG_AUTO;
	uint64_t count = kind_test_is_lat(plan->work.test) ? MESSAGES_LAT : MESSAGES_BW;

	point->index = plan->n_points++;
	point->size_bytes = size_bytes;
	point->forever = cfg->duration_ms == CFG_FOREVER;
	if (by_time)
		point->duration_ns = (uint64_t)cfg->duration_ms * 1000000u;
	else
		point->messages = cfg->messages == CFG_AUTO64 ? count : cfg->messages;
}

static int add_all_sizes(struct plan *plan, const struct plan_input *in, uint64_t longest)
{
	const bool datagram = kind_is_datagram(plan->work.kind.tp);
	const uint64_t most = datagram ? plan->path.mtu_bytes : longest;

	uint64_t first = SIZE_ALL_MIN;

	/* a byte for each piece */
	while (first < plan->work.sges)
		first *= 2;
	for (uint64_t size = first; size <= SIZE_ALL_MAX && size <= most; size *= 2)
		add_point(plan, in->cfg, size);
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

/* A row of several is compared with the next one: a cold first one would look like a slow size. */
static void choose_warm_up(struct plan *plan, const struct cfg *cfg)
{
	const struct point *first = &plan->points[0];

	plan->work.warm_up = cfg->warm_up;
	if (cfg->warm_up != CFG_AUTO)
		return;
	plan->work.warm_up = plan->n_points < 2 ? 0 : WARM_UP;
	if (first->messages && first->messages < plan->work.warm_up)
		plan->work.warm_up = (uint32_t)first->messages;
	if (plan->work.warm_up)
		plan_note(plan, "warm-up: %u messages of %" PRIu64 " bytes before the first row are not measured",
			  plan->work.warm_up, first->size_bytes);
}

static int add_points(struct plan *plan, const struct plan_input *in)
{
	const uint32_t client = limits_msg_max(in->client), server = limits_msg_max(in->server);
	const uint64_t longest = min_u32(client, server);
	uint64_t size = in->cfg->size_bytes;

	note_longest(plan, in->client);
	note_longest(plan, in->server);
	if (in->cfg->all_sizes)
		return add_all_sizes(plan, in, longest);
	if (size == CFG_AUTO64)
		size = auto_size(plan);
	if (kind_is_datagram(plan->work.kind.tp) && size > plan->path.mtu_bytes)
		return err_set(-EINVAL,
			       "-s (--size) %" PRIu64 " over UD: a datagram is one packet, at most the MTU of %u bytes",
			       size, plan->path.mtu_bytes);
	if (size > longest)
		return err_set(-EINVAL,
			       "-s (--size) %" PRIu64 ": the longest message is %u bytes for %s of %s and %u for %s of %s",
			       size, client, in->client->device, in->client->host, server,
			       in->server->device, in->server->host);
	add_point(plan, in->cfg, size);
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
	const int rc = add_points(plan, in);

	plan->work.interval_ns = in->cfg->interval_ms == CFG_AUTO ?
					 0 : (uint64_t)in->cfg->interval_ms * 1000000u;

	if (!rc) {
		limit_forever(plan, in);
		choose_warm_up(plan, in->cfg);
	}
	return rc;
}
