/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The slices of a window, from which worker/steady.h says whether what is measured was steady. The
 * loops do nothing for them: the monitor reads words that they write anyway.
 *
 * The counters are read every 4 ms at first. When there are 64 readings, every second one is
 * dropped and the period doubles, so that a window of any length above about 130 ms has 32 to 64
 * slices, and one of 40 ms at least 10. A slice in which a sender counts few steps (a signal
 * interval of each QP at a time) would scatter by that: neighbours are joined until there are 20
 * steps in each, or no less than 10 slices would be left.
 *
 * The value of a slice is messages per time; of a latency test, per time in its samples, so that it
 * is the inverse of their mean. The first slice begins with the window. What is after the last
 * reading in it belongs to no slice.
 */
#ifndef SLICES_H
#define SLICES_H

#include "worker/steady.h"
#include "worker/workers.h"

#define SLICES_MOST STEADY_MOST

struct slices {
	const struct workers *workers; /* borrowed */
	uint32_t n;
	uint64_t due_ns;     /* of the next reading; UINT64_MAX: none, this side has no loop */
	uint64_t period_ns;
	struct slices_reading {
		uint64_t at; /* ticks */
		struct worker_counts counts; /* of all threads */
	} readings[SLICES_MOST];
};

/* When the loops are about to start. */
void slices_open(struct slices *s, const struct workers *workers, uint64_t now_ns);

/* Reads the counters if it is due; both are now. After workers_start(), before workers_join(). */
void slices_step(struct slices *s, uint64_t now_ns, uint64_t ticks);

/*
 * After workers_join(): sets tx_slices and rx_slices of all, which is what workers_result() has
 * made. step: messages that the count of a sender grows by. Accepts a zeroed one.
 */
void slices_result(const struct slices *s, uint64_t step, struct result *all);

#endif
