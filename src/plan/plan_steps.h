/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The steps of plan_resolve(), in its order. For the files of plan/ alone. Each fills its part of
 * the plan, reads only what steps before it have filled, and returns 0, or -EINVAL with an error
 * message. A step never changes a value that the user gave.
 */
#ifndef PLAN_STEPS_H
#define PLAN_STEPS_H

#include "plan/plan.h"

/* What every step reads. */
struct plan_input {
	const struct cfg *cfg;
	const struct limits *client, *server;
};

/* plan_caps.c: whether both devices have the transport and its paths; before the other steps */
int plan_check_transport(const struct plan_input *in) __attribute__((warn_unused_result));

/* plan_work.c: test, kind, and the numbers of the loops within the room that both devices have. */
int plan_resolve_loops(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_path.c: what both ports must agree on, and what RC does on a loss. */
int plan_resolve_path(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_work.c: reads or atomics in flight. */
int plan_resolve_outstanding(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_points.c: sizes, counts, time. */
int plan_resolve_points(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_requests.c: the part of plan_rules() about what the options ask of each request. */
int plan_rules_requests(const struct cfg *cfg) __attribute__((warn_unused_result));

/* plan_requests.c: can the devices do it? */
int plan_check_requests(const struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_work.c: up to which size messages are sent inline. */
int plan_resolve_inline(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_buffers.c: footprint of each point, hugepages. */
int plan_resolve_buffers(struct plan *plan, const struct plan_input *in)
	__attribute__((warn_unused_result));

/* plan_work.c: notes what auto means for locks. */
void plan_note_locks(struct plan *plan, const struct plan_input *in);

/* plan_caps.c: has the device the queues that the options want to share? */
int plan_check_sharing(const struct limits *lim, const struct cfg *cfg)
	__attribute__((warn_unused_result));

/* plan_owner.c: does the owner of that side allow it? */
int plan_owner(const struct plan *plan, const struct limits *lim, enum side side)
	__attribute__((warn_unused_result));

/* plan_caps.c: can that side give what the plan needs, and does its owner allow it? */
int plan_caps(const struct plan *plan, const struct limits *lim, enum side side)
	__attribute__((warn_unused_result));

#endif
