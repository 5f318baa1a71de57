/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What ring.h is for queues of one QP: the receives that several peers share. */
#ifndef RING_SHARED_H
#define RING_SHARED_H

#include "loop/state.h"

struct worker_setup;

/*
 * Builds worker->share and the receives of worker->fixed.rqs[0], as many as the receive queues of
 * all QPs would have, and posts them. Their buffers are those that the QPs would have. w->fixed.rqs,
 * peers and n_qps are set before. -errno with an error message.
 */
int ring_shared(struct worker *w, const struct worker_setup *in)
	__attribute__((warn_unused_result));

/* Accepts a worker that shares nothing. */
void ring_shared_free(struct worker *w);

#endif
