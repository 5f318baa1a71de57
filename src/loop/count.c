/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the counts that a ping-pong over RC, and a stream with shared receives, do not keep while
 * they run. Called after the loop, and by what stops it.
 */
#include "config.h"
#include "loop/count.h"

uint64_t count_rounds(const struct worker *w, uint32_t qp)
{
	const uint64_t rounds = atomic_load_explicit(&w->live.progress, memory_order_relaxed);
	const uint32_t n = w->fixed.n_qps;

	return n == 1 ? rounds : (rounds + n - 1 - qp) / n;
}

void count_received(struct worker *w)
{
	const uint32_t n = w->fixed.n_qps;

	if (w->share.sharing != SHARING_NONE)
		for (uint32_t i = 0; i < n; i++)
			state_count(&w->fixed.peers[i]);
	if (!w->fixed.pingpong || !w->fixed.reliable)
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct peer *peer = &w->fixed.peers[i];

		peer->received = count_rounds(w, i);
		peer->number = (uint32_t)peer->received;
	}
}
