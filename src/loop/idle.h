/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a loop does when its polls find nothing: it checks credit and lost messages; in event and
 * hybrid mode it sleeps. All but idle_ack_all() return 0, or negative to be returned by the loop at
 * once.
 */
#ifndef IDLE_H
#define IDLE_H

#include "loop/state.h"

#define IDLE_COLD __attribute__((cold, noinline, warn_unused_result))

/* Stream: after so many empty polls, or after each sleep. */
IDLE_COLD int idle_stream(struct worker *w);

/* Hybrid mode, after many empty polls: as idle_sleep() once nothing has come for spin_ns. */
IDLE_COLD int idle_spin(struct worker *w, unsigned cqs);

/*
 * Event mode, after an empty poll: the first call arms the CQs (bits of enum fail_cq) and returns,
 * so that they are polled again: a completion may have come before. The second call sleeps until
 * an event, a wake-up by the controlling thread, or a tick.
 */
IDLE_COLD int idle_sleep(struct worker *w, unsigned cqs);

/* Acknowledges every event taken; before the CQs are destroyed. */
void idle_ack_all(struct worker *w);

#endif
