/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The points of one agreed plan, one after another, and their rows. */
#ifndef POINTS_H
#define POINTS_H

#include "config/hosts.h"
#include "worker/overhead.h"
#include "session/agree.h"
#include "control/peers.h"
#include "session/session.h"
#include "util/clock.h"

/* Set the first four fields, zero the others. */
struct points {
	struct agree *agree;               /* with each peer: the plan is agreed; borrowed */
	struct peers peers;                /* their connections */
	const struct session_sink *sink;
	const struct clock_anchor *origin; /* from the start of the session */
	bool started;                      /* points_start() was called: the plan is agreed */
	bool not_ok;                       /* a point is not ok: no more points follow */
	bool interrupted;                  /* by the user of one side */
	bool overhead_known;
	const struct point *point;         /* that runs */
	uint64_t interval_at_ns[HOSTS_MAX][2]; /* where the next interval of each row begins */
	struct overhead_cost overhead;
	double clock_step_ns;              /* 0: not known yet */
};

/* May the plan be measured? -errno with an error message: the sink does not approve of it. */
int points_approve(struct points *p) __attribute__((warn_unused_result));

/* Hands the plan to the sink's start. Before the points. */
void points_start(struct points *p);

/*
 * Runs the points until one is not ok. 0: both sides have the results of every point that was run;
 * not_ok says whether all were ok. Else the first error, with an error message.
 */
int points_client(struct points *p) __attribute__((warn_unused_result));

/*
 * The same on the server, where the client begins each point. *next is the message that follows
 * the last point, bye or plan; the caller's to json_decref. -EBADMSG when it comes too early.
 */
int points_server(struct points *p, json_t **next) __attribute__((warn_unused_result));

#endif
