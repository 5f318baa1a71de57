/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a side has measured since the last cut, while its loops run and go on.
 *
 * Exact: each message, completion event and sample is in one interval, and the windows of the
 * intervals lie end to end, so that the counts and windows of all intervals add up to those of the
 * point. The loops do nothing for it: the monitor reads the counters that they write anyway.
 *
 * On which side of a cut a message is: a counter has what the loop had polled when it was read.
 * The time of the cut is the middle between a time stamp before the counters are read and one
 * after, which are about 1 us apart, with thousands of QPs about 100 us. Where they are more than
 * about 10 us apart, mostly because the system has interrupted the monitor, it reads again, twice
 * at most. The send counts of a stream grow by a signal interval at a time, since only every so
 * many requests make a completion.
 *
 * Windows: the first interval begins with the window of the point, and the last ends with it. A cut
 * between them ends and begins a window, but that of a receiver to which nothing has come since its
 * last arrival ends there: whether more comes is not known yet, and the window of the point may end
 * there, too. The next interval then has that time. The length of a tick is measured again at each
 * cut, and better each time: what has been reported stays, and the window of the point is the sum
 * of the reported ones and the rest. One case is left in which the windows add up to more than that
 * of the point: a loop takes its last time stamp, the system interrupts it before it has written
 * it, and the cut falls between the two. The last window is then 0. In the same way the
 * CPU times may add up to some microseconds more than that of the point: a cut that falls between a
 * thread's last reading of its CPU time and its end counts what the thread does there.
 */
#ifndef INTERVALS_H
#define INTERVALS_H

#include "worker/workers.h"

/* A window until the last cut: its begin and end in ticks, and its reported length. */
struct intervals_window {
	uint64_t from, to; /* 0, 0: no thread had counted a message */
	long double ns;
};

struct intervals {
	const struct workers *workers; /* borrowed; NULL: not open; a passive side has none */
	struct result before;          /* since the start, at the last cut */
	struct intervals_window tx, rx;
	uint64_t at;                   /* ticks of the last cut; 0: none yet */
	uint64_t left_out;             /* messages: of a window that was found to begin before it */
	struct histogram *last, *fresh, *since; /* of latency, else NULL; owned */
};

/* Workers are open. -ENOMEM with an error message; intervals_close() is due all the same. */
int intervals_open(struct intervals *i, const struct workers *workers)
	__attribute__((warn_unused_result));

/* Since the last cut, or since the start. After workers_start(), before workers_join(). */
void intervals_cut(struct intervals *i, struct result *one);

/*
 * After workers_join(): the rest of all, which is what workers_result() has made. Sets the windows
 * of all by the scales of the intervals, so that they add up to it.
 */
void intervals_rest(struct intervals *i, struct result *all, struct result *one);

/* Accepts a zeroed one. */
void intervals_close(struct intervals *i);

#endif
