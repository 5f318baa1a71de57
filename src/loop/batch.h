/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Latency: a batch is so many rounds of each QP. Between two batches, and so between two samples,
 * the loops do what does not belong to a round: they post receives again, take own completions,
 * start the rings again.
 */
#ifndef BATCH_H
#define BATCH_H

#include "loop/state.h"

#define BATCH_COLD __attribute__((cold, noinline, warn_unused_result))

/* After so many rounds of all QPs: the count of rounds at which the next batch ends. */
static inline uint64_t batch_until(const struct worker *w, uint64_t done)
{
	const uint64_t end = done + (done ? w->fixed.rounds : w->fixed.first_rounds);
	const uint64_t rounds =
		atomic_load_explicit(&w->control.rounds, memory_order_relaxed);

	/* 0: to end after this batch, which is a whole one */
	return rounds < end && rounds ? rounds : end;
}

/*
 * Ping-pong, after a batch: posts receives again, starts the rings again, takes own completions.
 * 0, or negative to be returned by the loop at once.
 */
__attribute__((noinline, warn_unused_result)) int batch_end(struct worker *w);

/* Probe, after a batch: starts the rings again. */
__attribute__((noinline)) void batch_rewind(struct worker *w);

/*
 * Waiting for an answer, now and then: 0 to wait on, -EAGAIN when it counts as lost, -ESHUTDOWN
 * when a side that answers is to finish, -ECANCELED to leave, -EIO.
 */
BATCH_COLD int batch_wait(struct worker *w);

/* Takes own completions until at most so many requests of the queue are in flight. */
__attribute__((noinline, warn_unused_result)) int batch_reap(struct worker *w,
							     struct send_queue *sq,
							     uint32_t in_flight);

/* The rounds are over: -ECANCELED when that is because of STATE_LEAVE, else 0. */
BATCH_COLD int batch_over(struct worker *w);

#endif
