/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The steps of plan_resolve(), in order. Only for the files of plan/. Each fills its part of the
 * plan, reads only what earlier steps filled, and returns 0, or -EINVAL with an error message. A
 * step never changes a value that the user gave.
 */
#ifndef PLAN_STEPS_H
#define PLAN_STEPS_H

#include "decide/plan.h"

/* The input of every step. */
struct plan_input {
	const struct cfg *cfg;
	union {
		struct {
			const struct limits *client, *server;
		};
		const struct limits *side[SIDE_COUNT];
	};
};

/*
 * plan_work.c: with cfg->lower, values that the user gave become what the devices have at most;
 * the steps refuse the same values without it.
 */
void plan_lower(struct cfg *cfg, const struct limits *client, const struct limits *server);

/* plan_caps.c: do both devices support the transport and its paths? Before the other steps. */
int plan_check_transport(const struct plan_input *in) __attribute__((warn_unused_result));

/* plan_work.c: test, kind, and the numbers of the loops, within the limits of both devices. */
int plan_resolve_loops(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_path.c: properties that both ports must share, and what RC does on a loss. */
int plan_resolve_path(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_work.c: reads or atomics in flight. */
int plan_resolve_outstanding(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_points.c: sizes, counts, time. */
int plan_resolve_points(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_caps.c: does the device of that side support these requests? */
int plan_check_requests(const struct plan *plan, const struct limits *lim, enum side side)
	__attribute__((warn_unused_result));

/* plan_work.c: the largest size that is sent inline. */
int plan_resolve_inline(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_points.c: footprint of each point, hugepages. */
int plan_resolve_buffers(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_work.c: notes what auto chose for locks. */
void plan_note_locks(struct plan *plan, const struct plan_input *in);

/* plan_caps.c: does the device have the queues that the options share? */
int plan_check_sharing(const struct limits *lim, const struct cfg *cfg)
	__attribute__((warn_unused_result));

/* plan_needs.c: does the owner of that side allow it? */
int plan_owner(const struct plan *plan, const struct limits *lim, enum side side)
	__attribute__((warn_unused_result));

/* plan_caps.c: does that side support what the plan needs, and does its owner allow it? */
int plan_caps(const struct plan *plan, const struct limits *lim, enum side side)
	__attribute__((warn_unused_result));

#endif
