/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The controlling thread while a point runs: heartbeats, the peer's messages, deadlines, duration,
 * stall, the user's stop. It never touches a loop but by worker_stop() and worker_peer_finished().
 */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "session/ctl.h"
#include "rdma/dev.h"
#include "plan/plan.h"
#include "loop/workers.h"

struct monitor {
	struct ctl *ctl;
	struct dev *dev;
	const struct plan *plan;
	const struct point *point;
	enum side side;
	struct workers *workers;          /* of no workers: passive, nothing runs here */
	bool initiates;             /* this side posts requests, and tells when it has finished */
	bool peer_initiates;        /* the peer does, and tells */
	uint32_t stall_timeout_ms;
	uint32_t silence_ms;        /* allowed the peer after the loop: it may be verifying */

	/* outcome */
	bool interrupted;           /* by the user, here or at the peer: the point is incomplete */
	char interruption[128];
	uint32_t peer_told;         /* threads of the peer that have finished, and said so */
	uint64_t *peer_sent;        /* per QP of all threads: requests done; owned */
	json_t *peer_done;          /* its done message, once it has come; owned */
	struct monitor_thread *threads;   /* per thread of either side; owned */
	struct pollfd *fds;         /* connection, the user's stop, a worker each; owned */
};

/* Frees what the struct owns. Accepts a zeroed one. */
void monitor_close(struct monitor *w);

/*
 * Returns when all loops have ended and been joined, and the peer has told that its have. 0, or the
 * first error with a sentence: -ECONNRESET, -ECONNABORTED, -ETIMEDOUT (silence, or the stall of one
 * thread), -EBADMSG, -EIO (a loop failed: text in the result; or an async event). An error of one
 * thread ends all.
 */
int monitor_point(struct monitor *w) __attribute__((warn_unused_result));

/*
 * After monitor_point(): the peer's result, in peer_done. A stop may come before it: the peer's user
 * asked while the last messages crossed. Errors as those of ctl_recv().
 */
int monitor_take_done(struct monitor *w) __attribute__((warn_unused_result));

#endif
