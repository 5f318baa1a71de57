/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Runs timers. Threads that poll a CQ run the timers that are due. A thread of the library, the
 * progress thread, runs them when no thread polls; it starts with the first timer or the first
 * peer. It also waits for peers that die (pidfd), and for bytes in its wake pipe.
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
/* Runs the timers that are due at this time, unless another thread does. */
void progress_timers(uint64_t now_ns);
/* The same, now, for a thread that polls. */
void progress_run(void);
/* Removes the timers of this owner, and waits until none of them runs. */
void progress_cancel(const void *owner);

/* For each poll of a CQ. One load if there is no timer. */
static inline void progress_poll(void)
{
	if (atomic_load_explicit(&hca.timers.next_ns, memory_order_relaxed))
		progress_run();
}

/* progress_thread.c */

/*
 * A context was opened. The thread calls check() each time it wakes. Starts the thread if there are
 * peers of earlier contexts to wait for.
 */
void progress_open(void (*check)(void));
/* Starts the thread if it does not run; 0 or -errno. */
int progress_start(void);
/* The last context was closed: ends the thread. */
void progress_stop(void);
/* Waits for the end of this peer; 0 or -errno. */
int progress_watch(const struct peer *peer);
/* The calling thread is about to sleep: the progress thread runs the timers from now on. */
void progress_sleep(void);
/* A CQ was armed: the calling thread may be about to sleep. */
void progress_armed(void);
/* A CQ with a channel was destroyed: as if none was armed, until one is. */
void progress_disarmed(void);
/* A thread polled at this time. For progress_run(). */
void progress_polled(uint64_t now_ns);
/* There is a new first timer. For progress_at(). */
void progress_due(void);

#endif
