/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * cfg + the limits of both devices -> a plan, fully resolved and const from there on, or a
 * refusal in one sentence. Pure: no device, no socket. Both sides resolve the same input and
 * compare.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "config/cfg.h"
#include "host/hugepages.h"
#include "config/kind.h"
#include "config/apis.h"
#include "config/locks.h"
#include "plan/limits.h"
#include "plan/role.h"
#include "plan/walk.h"

#define PLAN_MAX_POINTS 32
#define PLAN_MAX_NOTES 16

/* One size, one row of the result. */
struct point {
	uint32_t index;
	uint64_t size_bytes;
	uint64_t messages;    /* per QP and direction; 0 when by duration */
	uint64_t duration_ns; /* 0 when by count */
	uint64_t footprint_bytes; /* of buffers that a thread's messages walk over: walk.h */
};

/* How messages reach the other side: both ports, what lies between them, what RC does on a loss. */
struct plan_path {
	uint32_t mtu_bytes;
	uint32_t client_gid, server_gid; /* indices into the devices' GID tables */
	bool global_route;        /* GRH: always on Ethernet */
	uint32_t pkey;            /* of the client's port; the server's may differ in bit 15 */
	uint32_t sl, tclass;
	uint32_t qp_timeout, retry, rnr_retry, min_rnr_timer; /* RC */
};

/* What is measured and with what: the same at all points. */
struct plan_work {
	enum test test;
	enum pattern pattern;
	struct kind kind;
	bool bidir;
	enum role role[SIDE_COUNT]; /* of each side: from test, kind and bidir */
	bool verify;
	enum apis_post post_api;  /* never auto */
	enum apis_poll poll_api;
	enum locks_wish locks;    /* off: both sides that have a loop do without */
	uint32_t threads;         /* on each side; sets of QPs where there is no loop */
	uint32_t qps;             /* of each thread */
	uint32_t depth;           /* requests in flight per QP */
	uint32_t recv_depth;      /* receives kept posted per QP; 0 when the opcode takes none */
	uint32_t post_list;
	uint32_t signal_interval;
	enum walk_order walk;     /* over the buffers; never auto */
	enum hugepages_use hugepages;  /* behind the buffers; auto: each side's own finding */
	uint32_t inline_bytes;    /* messages up to this size are sent inline; 0: never */
	uint32_t spin_us;         /* hybrid: empty polls for so long before sleeping; else 0 */
	uint32_t outstanding;     /* reads or atomics on the wire per QP; 0: neither */
};

struct plan {
	struct plan_path path;
	struct plan_work work;
	uint32_t stall_timeout_ms; /* the client's, on both sides */
	uint32_t n_points;
	struct point points[PLAN_MAX_POINTS];
	uint32_t n_notes;         /* what auto chose and why: printed on both sides */
	char notes[PLAN_MAX_NOTES][160];
};

/* The most requests and receives per QP that there is room for. */
struct plan_room {
	uint32_t depth, recv_depth;
};

#define PLAN_NO_ROOM_LIMIT { .depth = UINT32_MAX, .recv_depth = UINT32_MAX }

/* Receives posted beyond recv_depth, and sends beyond depth, for credit messages. */
#define PLAN_CREDIT_SLOTS 16u

/* QPs of all threads together: so many a plan can have, as a thread alone. */
#define PLAN_MAX_QPS 16384u

static inline uint32_t plan_total_qps(const struct plan *plan)
{
	return plan->work.threads * plan->work.qps;
}

/* Of a message: atomics work on one word. */
static inline uint64_t plan_payload_bytes(const struct plan *plan, const struct point *point)
{
	return kind_is_atomic(plan->work.kind.op) ? 8 : point->size_bytes;
}

static inline uint32_t plan_gid_index(const struct plan *plan, enum side side)
{
	return side == SIDE_CLIENT ? plan->path.client_gid : plan->path.server_gid;
}

/*
 * The part that needs no device: test, kind, walk and the numbers of the loops (threads, QPs,
 * depths, list, signal interval), auto kept within room. 0, or -EINVAL with a sentence. After it:
 *   1 <= post_list <= depth, 1 <= signal_interval <= depth, one of post_list and signal_interval a
 *   multiple of the other; with receives also post_list <= recv_depth, without recv_depth == 0.
 * opts.c calls it when options are read, so that a plan which no device could run is refused early.
 */
int plan_loops(struct plan *plan, const struct cfg *cfg, const struct plan_room *room)
	__attribute__((warn_unused_result));

/*
 * Receives posted, and credit given, at a time: as many as leave a sender credit for two windows,
 * but half the receive depth at most, and at least an eighth, rounded down: at most 15 credit
 * messages are then under way per QP (of receive depth 15: PLAN_CREDIT_SLOTS hold them).
 */
uint32_t plan_refill(const struct plan *plan);

/* Requests of a ping-pong or probe: two stretches, one under way while the other is reaped. */
#define PLAN_ANSWER_SLOTS 64u

/*
 * Ping-pong and probe: rounds of a QP between two looks at its queues, a power of two and a divisor
 * of PLAN_ANSWER_SLOTS. In a ping-pong over RC the last request of such a stretch alone is
 * signalled. Fewer with few receives, and with many QPs, so that a stretch of all is not long.
 */
uint32_t plan_batch(const struct plan *plan);

/*
 * Do the loops write a number into the last byte of the payload? Then the buffer is always the
 * same: the loop knows one address of it.
 */
static inline bool plan_marks_payload(const struct plan *plan)
{
	return plan->work.pattern == PATTERN_PINGPONG && !kind_has_imm(plan->work.kind.op) &&
	       (kind_is_silent(plan->work.kind.op) || kind_is_lossy(plan->work.kind.tp));
}

/*
 * Fills *plan. -EINVAL with a sentence (err_set) when it cannot be run: the value, the range, the
 * device that sets it. Never changes a value the user gave.
 */
int plan_resolve(struct plan *plan, const struct cfg *cfg, const struct limits *client,
		 const struct limits *server) __attribute__((warn_unused_result));

#endif
