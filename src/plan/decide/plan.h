/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room decide: makes the plan of a run from the options and the limits of both sides, or refuses
 * it. Pure: it opens no device and no socket, and prints nothing.
 *
 * This header: the plan. It is const after plan_resolve(). Both sides resolve the same input and
 * compare the results.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "options/cfg.h"
#include "place/hugepages.h"
#include "options/kind.h"
#include "options/choices.h"
#include "limits/limits.h"
#include "decide/flow_label.h"
#include "decide/role.h"
#include "util/field.h"

#define PLAN_MAX_POINTS 32
#define PLAN_MAX_NOTES 16

/* One size, one row of the result. */
#define FIELD FIELD_DECLARE
struct point {
#include "decide/plan_point.def"
};

/* The path between the ports of both sides, and what RC does on a loss. */
#define FIELD FIELD_DECLARE
#define FIELD_TEXT_ROW FIELD_DECLARE_TEXT
struct plan_path {
#include "decide/plan_path.def"
};

/* What is measured, and how: the same at all points. */
#define FIELD FIELD_DECLARE
struct plan_work {
#include "decide/plan_work.def"
	enum role role[SIDE_COUNT]; /* of each side: follows from test, kind and bidir */
	bool keeps_samples; /* --dump-samples: on the client, the server has no part in it */
};

/* A note. changes_figures: without it a reader misreads the figures; always shown. */
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

/*
 * As a JSON object: every number, with the points, without notes. New reference; NULL: no memory.
 */
json_t *plan_encode(const struct plan *plan);

/* -EPROTO with an error message that names the first number that differs in the peer's plan. */
int plan_compare(const struct plan *plan, const json_t *peers) __attribute__((warn_unused_result));

/* The most requests and receives per QP that fit. */
struct plan_room {
	uint32_t depth, recv_depth;
	bool signals_all; /* every request must be signalled */
};

#define PLAN_NO_ROOM_LIMIT { .depth = UINT32_MAX, .recv_depth = UINT32_MAX }

/* Receives posted beyond recv_depth, and sends beyond depth, for credit messages. */
#define PLAN_CREDIT_SLOTS 16u

/* QPs of all threads. */
#define PLAN_MAX_QPS 16384u

/*
 * Upper bound of the time to create, connect and destroy a QP on any device: known are 1 ms for
 * each of the three, and more on virtual functions.
 */
#define PLAN_QP_MS 20u

/* Of each size without --duration and --messages; less where an owner allows less. */
#define PLAN_DURATION_MS 1000u

/*
 * Refuses options that have no effect, that exclude each other, or that no device can run together:
 * after options_parse() on the client, after options_from_json() on the server. Needs cfg->given.
 * 0, or -EINVAL with an error message for the first broken rule, general rules first. Knows no
 * device; rules that depend on one are in plan_resolve().
 */
int plan_rules(const struct cfg *cfg) __attribute__((warn_unused_result));

/*
 * plan_formats.c: the part of plan_rules() that is about files of results. A file that the test
 * does not fill is refused, so that nobody finds it empty after the run.
 */
int plan_formats(const struct cfg *cfg) __attribute__((warn_unused_result));

/*
 * The same of a whole sweep, whose cells have no files of their own. lacks_samples: why none of
 * them has samples of latency, as plan_lacks_samples() says of one; NULL: one has.
 */
int plan_formats_fill(const struct cfg *cfg, const char *lacks_samples)
	__attribute__((warn_unused_result));
const char *plan_lacks_samples(enum test test);

/* plan_rules_buffers.c: the part that is about the memory of each side, and about its payload. */
int plan_rules_buffers(const struct cfg *cfg) __attribute__((warn_unused_result));

/*
 * The same for "verbench serve", whose options concern itself and the tests of its clients
 * (agree/agree.h): refuses them if no test can use them together. The error message is that of
 * the first test that has the options.
 */
int plan_rules_server(const struct cfg *cfg) __attribute__((warn_unused_result));

/*
 * Fills *plan, for one test after another of a connection. -EINVAL if it cannot be run, with an
 * error message: the value, the range, and the device that limits it. Never changes a value that
 * the user gave.
 */
int plan_resolve(struct plan *plan, const struct cfg *cfg, const struct limits *client,
		 const struct limits *server) __attribute__((warn_unused_result));

/* The entries that the queues need; 0: no receives. */
struct plan_needs {
	uint64_t send_wr, recv_wr, send_cqe, recv_cqe;
	uint64_t srq_wr; /* if set, recv_wr is 0 */
	uint32_t send_sges, recv_sges; /* of a request, of a receive */
	uint32_t inline_bytes; /* 0 on a side that sends no payload */
};

/*
 * Only as much as the loop of the side uses. Providers round up to a power of two, and a ring of
 * twice the length uses twice the cache.
 */
struct plan_needs plan_needs(const struct plan *plan, enum side side);

/*
 * An estimate of the memory of these queues with n_qps QPs: verbs do not report it. It assumes the
 * entry sizes of mlx5 (64 bytes with the first elements) and numbers that are powers of two.
 */
uint64_t plan_needs_bytes(const struct plan_needs *n, uint32_t n_qps);

/*
 * Do the queues fit the device of that side? -EINVAL with an error message: in each of these cases
 * verbs would return EINVAL or ENOMEM without a reason.
 */
int plan_needs_check(const struct plan *plan, const struct limits *lim, enum side side)
	__attribute__((warn_unused_result));

/* Samples of a point that a thread keeps at most with --dump-samples. */
#define PLAN_KEPT_MOST (UINT64_C(1) << 22)

/* plan_needs.c: for how many samples each thread of that side has memory; 0: it keeps none. */
uint64_t plan_kept(const struct plan *plan, const struct point *point, enum side side);

/*
 * plan_needs.c: an estimate of the memory of a point on a side, in bytes: buffers, rings, queues
 * and samples that are kept.
 */
uint64_t plan_memory(const struct plan *plan, const struct point *point, enum side side);

static inline uint32_t plan_total_qps(const struct plan *plan)
{
	return plan->work.threads * plan->work.qps;
}

/* QPs of each thread of that side; the other side's number is the number of peers. */
static inline uint32_t plan_side_qps(const struct plan *plan, enum side side)
{
	return plan->work.kind.sharing == SHARING_ONE_QP && side == SIDE_SERVER ? 1 :
										  plan->work.qps;
}

static inline enum completion plan_completion(const struct plan *plan, enum side side)
{
	return side == SIDE_CLIENT ? plan->work.kind.cm : plan->work.server_completion;
}

static inline enum buffers_kind plan_buffers(const struct plan *plan, enum side side)
{
	return side == SIDE_CLIENT ? plan->work.buffers : plan->work.server_buffers;
}

static inline uint32_t plan_gpu(const struct plan *plan, enum side side)
{
	return side == SIDE_CLIENT ? plan->work.gpu : plan->work.server_gpu;
}

/* Can the buffers of either side do it? */
static inline bool plan_buffers_can(const struct plan *plan, enum buffers_can what)
{
	return choices_buffers_can(plan->work.buffers, what) ||
	       choices_buffers_can(plan->work.server_buffers, what);
}

/* Where the buffers of a side are: the option that says it. */
static inline const char *plan_buffers_option(const struct plan *plan, enum side side)
{
	return plan_buffers(plan, side) == plan->work.buffers ? "--buffers" : "--peer-buffers";
}

/* Does a side poll for a while before it sleeps? */
static inline bool plan_spins(const struct plan *plan)
{
	return plan->work.kind.cm == CM_HYBRID || plan->work.server_completion == CM_HYBRID;
}

/* The kind of the loops of that side: only the server serves several peers with one QP. */
static inline struct kind plan_side_kind(const struct plan *plan, enum side side)
{
	struct kind k = plan->work.kind;

	k.cm = plan_completion(plan, side);
	if (k.sharing == SHARING_ONE_QP && side == SIDE_CLIENT)
		k.sharing = SHARING_NONE;
	return k;
}

/* Bytes of one message that the side posts: an atomic operates on one word. */
static inline uint64_t plan_payload_bytes(const struct plan *plan, const struct point *point,
					  enum side side)
{
	return kind_is_atomic(plan->work.kind.op) ? 8 :
	       side == SIDE_CLIENT		  ? point->size_bytes :
						    point->server_size_bytes;
}

/* Of the side that posts the longer ones. */
static inline uint64_t plan_longest_bytes(const struct plan *plan, const struct point *point)
{
	const uint64_t client = plan_payload_bytes(plan, point, SIDE_CLIENT);
	const uint64_t server = plan_payload_bytes(plan, point, SIDE_SERVER);

	return client > server ? client : server;
}

/* With --sge, is the payload of requests, or the memory that receives and reads fill, in pieces? */
static inline bool plan_gathers(const struct plan *plan)
{
	return !kind_fetches(plan->work.kind.op);
}

static inline bool plan_scatters(const struct plan *plan)
{
	return kind_fills_recv(plan->work.kind.op) ||
	       kind_access(plan->work.kind.op) == ACCESS_READ;
}

/*
 * Open loop: the sides that initiate have times at which messages are due. Then requests are posted
 * one at a time, and each is signalled.
 */
static inline bool plan_is_open(const struct plan *plan)
{
	return plan->work.rate_milli;
}

/*
 * The longest time, in ns, that a thread may have nothing to do because no message is due; 0: it is
 * always busy. plan_loops.c
 */
uint64_t plan_longest_gap_ns(const struct plan *plan);

/* Is it one sender with a group of receivers? */
static inline bool plan_is_mcast(const struct plan *plan)
{
	return plan->path.mcast[0];
}

static inline uint32_t plan_gid_index(const struct plan *plan, enum side side)
{
	return side == SIDE_CLIENT ? plan->path.client_gid : plan->path.server_gid;
}

/*
 * --like: replaces each auto for which the other tool has a fixed default. Does nothing with --like
 * none. Does not change given. The two values below have no field in struct cfg.
 */
void plan_like_defaults(struct cfg *cfg);

/* Bytes of buffers that messages of a QP walk over; one buffer if that is more. 0: --like none. */
uint64_t plan_like_qp_bytes(enum like like);

/* The largest message that a latency test sends inline; UINT32_MAX: --like none. */
uint32_t plan_like_inline_bytes(enum like like, enum family family, enum transport tp);

/* What a side will do. */
enum role plan_role(const struct cfg *cfg, enum side side);

/*
 * The part that needs no device: test, kind, roles, walk and the numbers of the loops (threads,
 * QPs, depths, list, signal interval); auto stays within room. 0, or -EINVAL with an error message.
 * After it:
 *   1 <= post_list <= depth, 1 <= signal_interval <= depth, one of post_list and signal_interval is
 *   a multiple of the other; post_list <= recv_depth with receives, recv_depth == 0 without.
 * Also called when options are read, so that a plan that no device can run is refused early.
 */
int plan_loops(struct plan *plan, const struct cfg *cfg, const struct plan_room *room)
	__attribute__((warn_unused_result));

/*
 * Number of receives posted, and credits granted, at a time. The sender keeps credit for two such
 * windows. At least an eighth of the receive depth, rounded down, and at most half of it. So at
 * most 15 credit messages per QP are in flight (with a receive depth of 15), which fit
 * PLAN_CREDIT_SLOTS.
 */
uint32_t plan_refill(const struct plan *plan);

/*
 * Requests of a stream after which post lists, signalled and solicited requests are aligned again:
 * the ring is a multiple of it.
 */
uint32_t plan_group(const struct plan *plan);

/* The most requests in the rings of all QPs with --solicited. */
#define PLAN_SOLICITED_SLOTS 65536u

/* Requests of a ping-pong or probe: two batches, one in flight while the other completes. */
#define PLAN_ANSWER_SLOTS 64u

/*
 * The send queue of a passive side: for binds of memory windows; some providers refuse an empty
 * one.
 */
#define PLAN_PASSIVE_SLOTS 4u

/*
 * Ping-pong and probe: rounds of a QP before its receives are posted again and its completions are
 * taken: a power of two and a divisor of PLAN_ANSWER_SLOTS. In a ping-pong over RC only the last
 * request of a batch is signalled. A batch is smaller with few receives, and with many QPs.
 */
uint32_t plan_batch(const struct plan *plan);

/*
 * Do the loops write a number into the last byte of the payload? Then each QP has one buffer,
 * because the loop uses a fixed address.
 */
static inline bool plan_marks_payload(const struct plan *plan)
{
	return plan->work.pattern == PATTERN_PINGPONG && !kind_has_imm(plan->work.kind.op) &&
	       (kind_is_silent(plan->work.kind.op) || kind_is_lossy(plan->work.kind.tp));
}

/*
 * Adds a note: what auto chose and why; shown with --verbose. One line; notes beyond PLAN_MAX_NOTES
 * are dropped.
 */
void plan_note(struct plan *plan, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The same for a note that changes the meaning of the figures: 74 characters, to fit on one line.
 */
void plan_note_figures(struct plan *plan, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
