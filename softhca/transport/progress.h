/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Runs timers. Threads that poll a CQ run the timers that are due. A thread of the library, the
 * progress thread, runs them when no thread polls; it starts with the first timer or the first
 * peer, and never spins. It also waits for peers that die (pidfd), and for bytes in its wake pipe.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hca.h"
#include "base/peer.h"
#include "base/timers.h"

/* Runs *timer (a copy) at its time; 0 or -ENOMEM. */
int progress_at(const struct timer *timer);
/* Runs the timers that are due at this time, and counts them. False: another thread runs timers. */
bool progress_timers(uint64_t now_ns, _Atomic uint64_t *ran);
/* The same, now, for a thread of the program. */
void progress_run(void);
/*
 * Runs the timers that are due now, for a thread of the program; waits for another thread that runs
 * timers. Not under a lock that a timer takes.
 */
void progress_run_all(void);
/* Removes the timers of this owner, and waits until none of them runs. */
void progress_cancel(const void *owner);

/* A thread polls: so it runs the timers, and the progress thread does not. For progress_poll(). */
void progress_count(void);

/* After a post: leaves the timers to another thread that runs some. A load if there is none. */
static inline void progress_post(void)
{
	if (atomic_load_explicit(&hca.timers.next_ns, memory_order_relaxed))
		progress_run();
}

/* Before each poll of a CQ: it finds what is due by now. Two loads if there is no timer. */
static inline void progress_poll(void)
{
	progress_count();
	if (atomic_load_explicit(&hca.timers.next_ns, memory_order_acquire) ||
	    atomic_load_explicit(&hca.timers.at_work, memory_order_acquire))
		progress_run_all();
}

/*
 * After each poll of a CQ that found nothing. What it waits for may be the work of a peer that
 * waits for this processor: then it gives the processor away. This is counted (SOFTHCA_STATS).
 */
void progress_empty(void);
/* A message was delivered to the process in that slot: wakes a thread that waits for one. */
void progress_delivered(uint32_t slot);
/*
 * Whether a thread polls all the time; also one that has lost its processor does. For the progress
 * thread only.
 */
bool progress_is_polled(uint64_t now_ns);

/* progress_thread.c */

/*
 * A context was opened. The thread calls check() each time it wakes. Starts the thread if there are
 * peers of earlier contexts to wait for.
 */
void progress_open(void (*check)(void));
/* For the calling thread: it preempts others when it wakes. */
void progress_ask_short_slice(void);
/* Starts the thread if it does not run; 0 or -errno. */
int progress_start(void);
/* The last context was closed: ends the thread. */
void progress_stop(void);
/* Waits for the end of this peer; 0 or -errno. */
int progress_watch(const struct peer *peer);
/* The calling thread may be about to sleep: the progress thread runs the timers from now on. */
void progress_sleep(void);
/* A CQ with a channel was destroyed: as if no thread had slept, until one does. */
void progress_disarmed(void);
/* There is a new first timer. For progress_at(). */
void progress_due(void);

#endif
