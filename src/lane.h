/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Builds a lane (rings of prebuilt requests and receives) from an endpoint and the plan, runs its
 * loop in a thread of its own, and makes a result of its counters. The measured part is in loops.h.
 */
#ifndef LANE_H
#define LANE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "engine.h"
#include "ep.h"
#include "flow.h"
#include "gate.h"
#include "plan.h"
#include "result.h"
#include "seat.h"

struct lane_setup {
	const struct ep *ep;
	const struct plan *plan;
	const struct point *point;
	enum side side;
	const struct ep_addr *peer;
	uint64_t rtt_ns;      /* of the control connection: how long something may be under way */
	const struct clock_anchor *origin; /* of the session, a longer base; NULL none */
	struct gate *gate;    /* where its thread waits for the others; NULL: alone */
	const struct seat_plan *seats; /* where its thread runs; NULL: anywhere */
	uint32_t thread;      /* which of the side's threads: 0.. */
};

struct lane_run {
	struct lane lane;
	const struct lane_setup *in; /* borrowed */
	engine_loop *loop;
	pthread_t thread;
	bool started;
	_Atomic bool ended;   /* the loop has returned: lane_join() will not wait */
	int rc;               /* what the loop returned */
	struct clock_anchor before, after;
	uint64_t t0, t1;
	uint64_t cpu_ns, voluntary_switches, involuntary_switches;
	struct seat_seen seen;
};

/* Rings built, receives posted; QPs may still be in INIT. -errno with a sentence. */
int lane_open(struct lane_run *run, const struct lane_setup *in)
	__attribute__((warn_unused_result));

/* Starts the thread in its place, which goes to the gate, and from there into its loop. */
int lane_start(struct lane_run *run) __attribute__((warn_unused_result));

/* Asks the loop; wakes it if it sleeps. */
void lane_stop(struct lane_run *run, enum flow_stop how);

/* The peer has posted its last; sent is how many messages, of which all arrive over RC. */
void lane_peer_finished(struct lane_run *run, uint64_t sent);

/* After the loop has ended (lane.note_fd): joins the thread. The loop's return code. */
int lane_join(struct lane_run *run);

/* A window, in clock_ticks(); of use only where a message has been counted. */
struct lane_span {
	uint64_t from, to;
};
/* Of what it sent, and of what it received; after the loop. lane_result() has the same in ns. */
struct lane_span lane_tx_span(const struct lane_run *run);
struct lane_span lane_rx_span(const struct lane_run *run);

/* Nanoseconds per tick over the session, or without one over the loop. */
double lane_ns_per_tick(const struct lane_run *run);

/* Messages of one QP: requests done, or received. */
uint64_t lane_sent(const struct lane_run *run, uint32_t qp);
uint64_t lane_received(const struct lane_run *run, uint32_t qp);

/* Counters to result; status and reason are filled from the failure if there was one. */
void lane_result(const struct lane_run *run, struct result *result);

/* Accepts a zeroed or half-opened run; stops and joins a running thread. Before ep_close(). */
void lane_close(struct lane_run *run);

#endif
