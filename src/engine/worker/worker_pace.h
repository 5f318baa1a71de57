/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The open loop of a worker: its times, its loop, its result. Used only by this room. */
#ifndef WORKER_PACE_H
#define WORKER_PACE_H

#include <stdint.h>

#include "worker/result.h"
#include "worker/worker.h"

/*
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

#endif
