/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The main thread while a point runs: heartbeats, messages of the peer, deadlines, duration,
 * stalls, the user's stop. It acts on a loop only by worker_stop() and worker_peer_finished().
 */
#ifndef MONITOR_H
#define MONITOR_H

#include "point/monitor_state.h"

/* Frees what the struct owns. Accepts a zeroed one. */
void monitor_close(struct monitor *m);

/*
 * Returns when all loops have ended and are joined, and those of the peer have ended. 0, or the
 * first error with an error message: -ECONNRESET, -ECONNABORTED, -ETIMEDOUT (silence, or a stall
 * of one thread), -EBADMSG, -EIO (a loop failed: the text is in the result; or an event of the
 * device). An error of one thread ends all.
 */
int monitor_point(struct monitor *m) __attribute__((warn_unused_result));

/*
 * After monitor_point(): waits for the result of peer i in peers[i].done. A stop can come before
 * it, when the peer's user asked while the last messages were on the way. Errors as those of
 * ctl_recv().
 */
int monitor_receive_done(struct monitor *m, uint32_t i) __attribute__((warn_unused_result));

/*
 * The last interval, after monitor_point(): all is what this side has measured at the point; its
 * windows become what the intervals add up to. Then
 * its message, before done; and when the peers have told theirs, or are gone, what is left to tell.
 */
void monitor_intervals_end(struct monitor *m, struct result *all);
int monitor_intervals_send(struct monitor *m) __attribute__((warn_unused_result));
void monitor_intervals_tell(struct monitor *m);

#endif
