/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder plan: makes the plan of a run from the options and the limits of both sides, or refuses
 * it. Pure: it opens no device and no socket, and prints nothing.
 *
 * This header: the plan. It is const after plan_resolve(). Both sides resolve the same input and
 * compare the results.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "config/cfg.h"
#include "host/hugepages.h"
#include "config/kind.h"
#include "config/choices.h"
#include "limits/limits.h"
#include "plan/role.h"
#include "util/field.h"

#define PLAN_MAX_POINTS 32
#define PLAN_MAX_NOTES 16

/* One size, one row of the result. */
#define FIELD FIELD_DECLARE
struct point {
#include "plan/plan_point.def"
};

/* How messages reach the other side: both ports, what lies between them, what RC does on a loss. */
#define FIELD FIELD_DECLARE
#define FIELD_TEXT_ROW FIELD_DECLARE_TEXT
struct plan_path {
#include "plan/plan_path.def"
};

/* What is measured and with what: the same at all points. */
#define FIELD FIELD_DECLARE
struct plan_work {
#include "plan/plan_work.def"
	enum role role[SIDE_COUNT]; /* of each side: follows from test, kind and bidir */
};

/* A note. changes_figures: who does not know it misreads the figures; always shown. */
struct plan_remark {
	bool changes_figures;
	char text[160];
};

struct plan {
	struct plan_path path;
	struct plan_work work;
	uint32_t stall_timeout_ms; /* the client's, on both sides */
	uint32_t n_points;
	struct point points[PLAN_MAX_POINTS];
	uint32_t n_notes;         /* what was chosen and why: printed on both sides */
	struct plan_remark notes[PLAN_MAX_NOTES];
};

extern const struct field_table plan_table;       /* path, work and the client's stall timeout */
extern const struct field_table plan_point_table;

/* As a JSON object: every number, with the points, no notes. New reference; NULL: no memory. */
json_t *plan_encode(const struct plan *plan);

/* -EPROTO with an error message that names the first number in which the peer's plan differs. */
int plan_compare(const struct plan *plan, const json_t *peers) __attribute__((warn_unused_result));

/* The most requests and receives per QP that there is room for. */
struct plan_room {
	uint32_t depth, recv_depth;
	bool signals_all; /* every request must be signalled */
};

#define PLAN_NO_ROOM_LIMIT { .depth = UINT32_MAX, .recv_depth = UINT32_MAX }

/* Receives posted beyond recv_depth, and sends beyond depth, for credit messages. */
#define PLAN_CREDIT_SLOTS 16u

/* QPs of all threads together. */
#define PLAN_MAX_QPS 16384u

/*
 * The most that it takes to make, connect and destroy a QP on any device: 1 ms for each of these is
 * known, more of virtual functions.
 */
#define PLAN_QP_MS 20u

/* plan_owner.c: an estimate of what a point takes on a side: buffers, rings and queues. Bytes. */
uint64_t plan_memory(const struct plan *plan, const struct point *point, enum side side);

static inline uint32_t plan_total_qps(const struct plan *plan)
{
	return plan->work.threads * plan->work.qps;
}

/* QPs that each thread of that side has: those of the other side are as many peers. */
static inline uint32_t plan_side_qps(const struct plan *plan, enum side side)
{
	return plan->work.kind.sharing == SHARING_ONE_QP && side == SIDE_SERVER ? 1 :
										  plan->work.qps;
}

/* The kind of the loops of that side: only the server has one QP for several peers. */
static inline struct kind plan_side_kind(const struct plan *plan, enum side side)
{
	struct kind k = plan->work.kind;

	if (k.sharing == SHARING_ONE_QP && side == SIDE_CLIENT)
		k.sharing = SHARING_NONE;
	return k;
}

/* Bytes of one message: an atomic works on one word. */
static inline uint64_t plan_payload_bytes(const struct plan *plan, const struct point *point)
{
	return kind_is_atomic(plan->work.kind.op) ? 8 : point->size_bytes;
}

/* Are the payloads of requests, or what receives and reads fill, in pieces with --sge? */
static inline bool plan_gathers(const struct plan *plan)
{
	return !kind_fetches(plan->work.kind.op);
}

static inline bool plan_scatters(const struct plan *plan)
{
	return kind_fills_recv(plan->work.kind.op) ||
	       kind_access(plan->work.kind.op) == ACCESS_READ;
}

/* One sender, and a group of receivers. */
static inline bool plan_is_mcast(const struct plan *plan)
{
	return plan->path.mcast[0];
}

static inline uint32_t plan_gid_index(const struct plan *plan, enum side side)
{
	return side == SIDE_CLIENT ? plan->path.client_gid : plan->path.server_gid;
}

/*
 * The part that needs no device: test, kind, roles, walk and the numbers of the loops (threads,
 * QPs, depths, list, signal interval); auto stays within room. 0, or -EINVAL with an error message.
 * After it:
 *   1 <= post_list <= depth, 1 <= signal_interval <= depth, one of post_list and signal_interval is
 *   a multiple of the other; post_list <= recv_depth with receives, recv_depth == 0 without.
 * Called when options are read too, so that a plan that no device can run is refused early.
 */
int plan_loops(struct plan *plan, const struct cfg *cfg, const struct plan_room *room)
	__attribute__((warn_unused_result));

/*
 * Receives that are posted, and for which credit is given, at a time. The sender keeps credit for
 * two windows. At least an eighth of the receive depth, rounded down, and at most half of it. So at
 * most 15 credit messages per QP are in flight (with a receive depth of 15): PLAN_CREDIT_SLOTS hold
 * them.
 */
uint32_t plan_refill(const struct plan *plan);

/*
 * Requests of a stream after which post lists, signalled and solicited requests begin again
 * together: the ring is a multiple of it.
 */
uint32_t plan_group(const struct plan *plan);

/* The most requests in the rings of all QPs with --solicited. */
#define PLAN_SOLICITED_SLOTS 65536u

/* Requests of a ping-pong or probe: two batches, one in flight while the other completes. */
#define PLAN_ANSWER_SLOTS 64u

/* The send queue of a passive side: binds of memory windows; some providers refuse an empty one. */
#define PLAN_PASSIVE_SLOTS 4u

/*
 * Ping-pong and probe: rounds of a QP before its receives are posted again and its completions are
 * taken: a power of two and a divisor of PLAN_ANSWER_SLOTS. In a ping-pong over RC only the last
 * request of a batch is signalled. A batch is smaller with few receives, and with many QPs.
 */
uint32_t plan_batch(const struct plan *plan);

/*
 * Do the loops write a number into the last byte of the payload? Then each QP has one buffer: the
 * loop knows one address.
 */
static inline bool plan_marks_payload(const struct plan *plan)
{
	return plan->work.pattern == PATTERN_PINGPONG && !kind_has_imm(plan->work.kind.op) &&
	       (kind_is_silent(plan->work.kind.op) || kind_is_lossy(plan->work.kind.tp));
}

/*
 * Adds a note: what auto chose and why; people see it with --verbose. One line; notes above
 * PLAN_MAX_NOTES are dropped.
 */
void plan_note(struct plan *plan, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a note that changes what the figures mean: 74 characters, so that it is one line. */
void plan_note_figures(struct plan *plan, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
