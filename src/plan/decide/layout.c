/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Lengths of rings, offsets of buffers, the memory of a thread. Knows no address and no verb. */
#include "config.h"
#include "decide/layout.h"

#include <stdbool.h>
#include <string.h>

#include "util/minmax.h"

#define LINE_BYTES UINT64_C(64)
#define PAGE_BYTES UINT64_C(4096)
#define SLOTS_MAX 65536u  /* of all QPs of a thread: 9 MiB of requests, which also use cache */
#define SLOTS_SHORT 4096u /* of all QPs of a thread, if the walk needs no more: 576 KiB */
#define AUTO_LEAST_BYTES (2 * PAGE_BYTES)
#define AUTO_QP_BYTES (UINT64_C(8) << 20)
#define AUTO_BYTES (UINT64_C(512) << 20)
#define SEED 0x76657262u  /* of the random order: fixed, so that runs are comparable */
#define ROUNDS 4u         /* Luby, Rackoff 1988: a random permutation unless somebody attacks it */

/* Requirements of a ring other than the buffers. */
struct need {
	uint32_t slots, group; /* slots is a multiple of group */
	uint32_t turns;        /* minimum number of walks over the buffers per turn of the ring */
};

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static bool is_two_sided(const struct plan *plan)
{
	return kind_fills_recv(plan->work.kind.op);
}

/*
 * ibv_post_send() copies a request, so its slot is free again. The ring of a stream need not hold
 * all requests in flight: it holds as many as one completion covers. Long rings of many QPs would
 * not stay in a cache.
 */
static uint32_t stream_slots(const struct plan *plan, uint32_t group)
{
	const uint32_t share = max_u32(SLOTS_SHORT / plan->work.qps, 1);

	return (uint32_t)round_up(plan->work.depth < share ? plan->work.depth : share, group);
}

static struct need requests(const struct plan *plan)
{
	/* a slot holds the values of its swap: with one walk per turn, no word would ever change */
	const uint32_t turns = kind_compares(plan->work.kind.op) ? 2 : 1;
	const uint32_t group = plan_group(plan);

	if (plan->work.pattern != PATTERN_STREAM)
		return (struct need){ .slots = PLAN_ANSWER_SLOTS, .group = plan_batch(plan),
				      .turns = turns };
	return (struct need){ .slots = stream_slots(plan, group), .group = group, .turns = turns };
}

static struct need receives(const struct plan *plan)
{
	return (struct need){ .slots = plan->work.recv_depth +
				       (plan->work.bidir ? PLAN_CREDIT_SLOTS : 0),
			      .group = 1,
			      .turns = 1 };
}

/* A buffer is page-aligned if the message fills a page, else aligned to a cache line. */
static uint64_t align_of(const struct plan *plan, const struct point *point)
{
	return plan_longest_bytes(plan, point) >= PAGE_BYTES ? PAGE_BYTES : LINE_BYTES;
}

static uint64_t least_stride(const struct plan *plan, const struct point *point)
{
	const struct pieces pieces = pieces_of(plan_longest_bytes(plan, point), plan->work.sges);
	const uint64_t bytes = pieces_span(&pieces) + kind_grh_bytes(plan->work.kind.tp);

	return round_up(bytes ? bytes : 1, align_of(plan, point));
}

/*
 * Spreads the buffers over the whole share. Buffers spaced by a power of two would use only a few
 * sets of each cache; a spacing of an odd number of lines uses all sets.
 */
static uint64_t spread(uint64_t share, uint32_t bufs, uint64_t stride, uint64_t align)
{
	uint64_t wide = share / bufs / align * align;

	if (align == LINE_BYTES && wide >= 2 * stride && wide / LINE_BYTES % 2 == 0)
		wide -= LINE_BYTES;
	return wide > stride ? wide : stride;
}

static void fit(struct walk *w, const struct plan *plan, const struct point *point,
		const struct need *need)
{
	const uint64_t stride = least_stride(plan, point);
	const uint64_t share = point->footprint_bytes / plan->work.qps, room = share / stride;
	const uint32_t most =
		max_u32(max_u32(need->slots, SLOTS_MAX / plan->work.qps) / need->turns, 1);
	uint32_t unit;

	w->order = plan->work.walk;
	w->regions = max_u32(plan->work.regions, 1);
	w->bufs = room < most ? max_u32((uint32_t)room, 1) : most;
	if (plan->work.walk == WALK_SAME)
		w->bufs = 1;
	if (w->bufs >= need->group) {
		w->bufs -= w->bufs % need->group;
		unit = w->bufs;
	} else {
		while (need->group % w->bufs)
			w->bufs--;
		unit = need->group;
	}
	w->slots = (uint32_t)round_up(max_u32(need->slots, w->bufs * need->turns), unit);
	w->stride = spread(share, w->bufs, stride, align_of(plan, point));
}

void layout_walk_tx(struct walk *w, const struct plan *plan, const struct point *point)
{
	const struct need need = requests(plan);

	fit(w, plan, point, &need);
}

void layout_walk_rx(struct walk *w, const struct plan *plan, const struct point *point)
{
	const struct need need = is_two_sided(plan) ? receives(plan) : requests(plan);

	fit(w, plan, point, &need);
}

uint64_t layout_least_bytes(const struct plan *plan, const struct point *point)
{
	return least_stride(plan, point) * plan->work.qps;
}

uint64_t layout_auto_bytes(const struct plan *plan, const struct point *point)
{
	const uint64_t least = layout_least_bytes(plan, point);
	const uint32_t slots = plan->work.pattern == PATTERN_STREAM ? requests(plan).slots : 1;
	const uint32_t under_way = max_u32(slots, plan->work.regions);
	uint64_t bytes = under_way * least, most = AUTO_QP_BYTES * plan->work.qps;

	if (plan->work.walk == WALK_SAME)
		return least;
	if (plan->work.like != LIKE_NONE) {
		bytes = plan_like_qp_bytes(plan->work.like) * plan->work.qps;
		return bytes > least ? bytes : least;
	}
	if (bytes < AUTO_LEAST_BYTES)
		bytes = AUTO_LEAST_BYTES;
	if (most > AUTO_BYTES)
		most = AUTO_BYTES;
	if (bytes > most)
		bytes = most / least * least;
	return bytes > least ? bytes : least;
}

/* The finaliser of MurmurHash3 (Appleby, public domain). */
static uint32_t scramble(uint32_t x)
{
	x = (x ^ (x >> 16)) * 0x85ebca6bu;
	x = (x ^ (x >> 13)) * 0xc2b2ae35u;
	return x ^ (x >> 16);
}

/* A Feistel network: a permutation of 2 * half bits for any function in its rounds. */
static uint32_t feistel(uint32_t x, uint32_t half)
{
	const uint32_t mask = (1u << half) - 1;
	uint32_t left = x >> half, right = x & mask;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t mixed = left ^ (scramble(right + SEED * (i + 1)) & mask);

		left = right;
		right = mixed;
	}
	return left << half | right;
}

/*
 * A permutation of 0..n-1, without a table: the network permutes the next power of four, and a
 * result of n or more is permuted again until it is below n (Black, Rogaway 2002: cycle walking).
 */
static uint32_t permute(uint32_t i, uint32_t n)
{
	uint32_t half = 1;

	while (half < 15 && 1u << 2 * half < n)
		half++;
	do
		i = feistel(i, half);
	while (i >= n);
	return i;
}

uint64_t layout_walk_off(const struct walk *w, uint64_t i)
{
	const uint32_t at = (uint32_t)(i % w->bufs);

	const uint32_t buf = w->order == WALK_RANDOM ? permute(at, w->bufs) : at;

	return buf % w->regions * w->region_bytes + buf / w->regions * w->stride;
}

/* Of a walk in one region. */
static uint64_t area_bytes(const struct walk *w)
{
	return (w->bufs + w->regions - 1) / w->regions * w->stride;
}

void layout_resolve(struct layout *layout, const struct plan *plan, const struct point *point,
		    enum side side)
{
	const uint64_t own = plan_payload_bytes(plan, point, side);
	const uint64_t peers = plan_payload_bytes(plan, point, kind_other_side(side));
	const bool fetches = kind_fetches(plan->work.kind.op);

	memset(layout, 0, sizeof(*layout));
	layout->grh_bytes = kind_grh_bytes(plan->work.kind.tp);
	layout->hugepages = plan->work.hugepages;
	layout->tx_pieces =
		pieces_of(fetches ? peers : own, plan_gathers(plan) ? plan->work.sges : 1);
	layout->rx_pieces =
		pieces_of(fetches ? own : peers, plan_scatters(plan) ? plan->work.sges : 1);
	layout_walk_tx(&layout->tx, plan, point);
	layout_walk_rx(&layout->rx, plan, point);
	layout->rx_off = area_bytes(&layout->tx);
	layout->tx.region_bytes = layout->rx.region_bytes =
		layout->rx_off + area_bytes(&layout->rx);
	layout->qp_bytes = layout->tx.region_bytes * layout->tx.regions;
	layout->total_bytes = layout->qp_bytes * plan->work.qps;
	layout->region_bytes = plan->work.regions ? layout->tx.region_bytes : layout->total_bytes;
}
