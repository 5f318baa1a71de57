/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room worker: the measuring threads: it builds them, runs a loop in each, and makes the result of
 * a side. It knows no rows and prints nothing.
 *
 * This header: builds a worker (rings of prebuilt requests and receives) from an endpoint and the
 * plan, runs its loop in a thread, and makes a result from its counters. The measured part is in
 * loop/loops.h.
 */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/clock.h"
#include "loop/engine.h"
#include "worker/ring.h"
#include "endpoint/ep.h"
#include "loop/state.h"
#include "util/barrier.h"
#include "decide/plan.h"
#include "worker/result.h"
#include "place/affinity.h"
#include "place/affinity_report.h"

/* What a QP has counted before the point: see worker_again(). */
struct worker_warm {
	uint64_t sent, received, duplicated, out_of_order;
};

struct worker_run {
	struct worker worker;
	struct pace *pace;        /* open loop; NULL: closed; owned */
	struct worker_warm *warm; /* per QP; NULL: no warm-up; owned */
	const struct worker_setup *in; /* borrowed */
	engine_loop *loop;
	pthread_t thread;
	uint64_t limits_woken; /* limit events of its SRQ already seen by worker_wake_low() */
	bool started;
	_Atomic bool ended;   /* the loop has returned: worker_join() does not block */
	int rc;               /* return code of the loop */
	struct clock_anchor before, after;
	_Atomic uint64_t t0, t1; /* of the loop, in ticks; 0: not begun, not ended */
	uint64_t cpu0_ns;     /* CPU time of the thread when its loop began; valid once t0 is */
	_Atomic bool cpu_known; /* set soon after t1: cpu_ns is valid */
	uint64_t cpu_ns, voluntary_switches, involuntary_switches;
	struct affinity_observed observed;
};

/* Builds rings, posts receives; QPs may still be in INIT. -errno with an error message. */
int worker_open(struct worker_run *run, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/*
 * After worker_join(), without a failure: the same queue pairs and rings for another point, in has
 * the same endpoint and plan. Nothing counted so far is in the results that follow. -errno with an
 * error message.
 */
int worker_again(struct worker_run *run, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/* Starts the thread at its place; it goes to the barrier, and from there into its loop. */
int worker_start(struct worker_run *run) __attribute__((warn_unused_result));

/* Requests a stop of the loop; wakes it if it sleeps. */
void worker_stop(struct worker_run *run, enum state_stop how);

/* If its SRQ has raised a limit event since the last call, wakes the loop if it sleeps. */
void worker_wake_low(struct worker_run *run);

/* The peer has posted its last message; sent is their number. Over RC all of them arrive. */
void worker_peer_finished(struct worker_run *run, uint64_t sent);

/* After the loop has ended (worker.note_fd): joins the thread. Returns the loop's code. */
int worker_join(struct worker_run *run);

/* A window, in clock_ticks(); meaningful only if a message has been counted. */
struct worker_span {
	uint64_t from, to;
};
/*
 * The windows of sending and of receiving. worker_result() has the same in ns. While the loop runs:
 * from 0: not begun, to 0: not ended; the receive window ends at the last arrival if nothing has
 * come since.
 */
struct worker_span worker_tx_span(const struct worker_run *run);
struct worker_span worker_rx_span(const struct worker_run *run);

/*
 * Is its window of sending open? By time it opens with the first completion; before that no message
 * is in it. worker_tx_before(): requests done when it opened, 0 if the window is the whole time of
 * the loop; included in tx_outside of its result, in a window of several threads only those of the
 * first one.
 */
bool worker_tx_opened(const struct worker_run *run);
uint64_t worker_tx_before(const struct worker_run *run);

/*
 * Has a first arrival opened its window? It is included in rx_before of its result; in a window of
 * several threads only that of the first thread is.
 */
bool worker_rx_opened(const struct worker_run *run);

/* Nanoseconds per tick over the session, or without one over the loop; the second one up to now. */
double worker_ns_per_tick(const struct worker_run *run);
double worker_ns_per_tick_at(const struct worker_run *run, const struct clock_anchor *now);

/* While the loop runs: a number that grows as long as the loop makes progress. */
uint64_t worker_progress(const struct worker_run *run);

/*
 * While the loop runs, for display: messages that this side has done. With more than 64 QPs it is
 * an estimate from 64 of them, because each QP read costs the loop a cache miss.
 */
uint64_t worker_seen(const struct worker_run *run);

/* Since the loop began: messages or rounds; ticks in the samples of a latency test, else 0. */
struct worker_counts {
	uint64_t sent, received, sampled;
};

/* While the loop runs, from the words that worker_seen() reads and two more. */
struct worker_counts worker_counts(const struct worker_run *run);

/*
 * While the loop runs: its counters so far, without windows, latency and context switches. They are
 * those of the last poll that it has finished: words written without synchronisation, each read
 * once. It costs the loop a cache miss per QP.
 */
void worker_result_so_far(const struct worker_run *run, struct result *result);

/* Of samples in h, which is in ticks; scale: as worker_ns_per_tick(). */
void worker_samples(struct result_lat *lat, const struct histogram *h, double scale);

/* The same of a closed latency test: half of a sample, if it is a round trip. */
void worker_latency(const struct worker_run *run, struct result_lat *lat,
		    const struct histogram *h, double scale);

/* Nanoseconds per tick of a sample after the loop: half of it, if half of a sample is reported. */
double worker_ns_per_sample(const struct worker_run *run);

/* All samples after the loop, as worker_latency() has them, in ps; of a latency test. */
void worker_histogram_ps(const struct worker_run *run, struct histogram *ps);

/*
 * Total number of requests done, once the last one is; UINT64_MAX before. The counts of QPs are
 * then valid.
 */
uint64_t worker_sent_in_all(const struct worker_run *run);

/* Messages of one QP since the warm-up: posted, done, received. After the loop. */
uint64_t worker_posted(const struct worker_run *run, uint32_t qp);
uint64_t worker_sent(const struct worker_run *run, uint32_t qp);
uint64_t worker_received(const struct worker_run *run, uint32_t qp);

/* Copies the counters to result; a failure sets status and reason. */
void worker_result(const struct worker_run *run, struct result *result);

/*
 * ---- open loop: worker_pace.c, for this room
 *
 * After the rings are built, of a side that initiates in an open loop: allocates run->pace. -ENOMEM
 * with an error message.
 */
int worker_pace_open(struct worker_run *run) __attribute__((warn_unused_result));

/*
 * Chooses the loop of run->in, open or closed, and sets the times of an open one. -ENOMEM with an
 * error message.
 */
int worker_pace_set(struct worker_run *run) __attribute__((warn_unused_result));

/* After their loops: what the open loops of n threads have measured, together. None: no change. */
void worker_pace_result(const struct worker_run *runs, uint32_t n, struct result *result);

/* Accepts a run without one. */
void worker_pace_close(struct worker_run *run);

/*
 * ---- samples one by one: worker_kept.c, for this room
 *
 * Memory for run->in->kept of them, which has its pages. -ENOMEM with an error message.
 */
int worker_kept_open(struct worker_run *run) __attribute__((warn_unused_result));

/* The loop of run->in is about to be chosen: does it keep samples? Then it has none yet. */
bool worker_kept_set(struct worker_run *run);

/* After the loop: its samples are now those of out. */
void worker_kept_take(struct worker_run *run, struct result_samples *out);

/* Accepts a run without them. */
void worker_kept_close(struct worker_run *run);

/* ---- */

/* Accepts a zeroed or half-opened run; stops and joins a running thread. Before ep_close(). */
void worker_close(struct worker_run *run);

#endif
