/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The main thread while a point runs: heartbeats, messages of the peer, deadlines, duration,
 * stalls, the user's stop. It acts on a loop only by worker_stop() and worker_peer_finished().
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
	struct workers *workers;    /* none: this side is passive, nothing runs here */
	bool initiates;             /* this side posts requests, and sends "sent" at the end */
	bool peer_initiates;        /* the same for the peer */
	uint32_t silence_ms;        /* the peer may be silent after the loop: it may be verifying */

	/* outcome */
	bool interrupted;           /* by the user of one side: the point is incomplete */
	char interruption[128];
	uint32_t peer_finished;     /* threads of the peer that sent "sent" */
	uint64_t *peer_sent;        /* per QP of all threads: requests done; owned */
	json_t *peer_done;          /* the peer's done message; owned */
	struct monitor_thread *threads; /* per thread of either side; owned */
	struct pollfd *fds;         /* connection, the user's stop, one for each worker; owned */
};

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
 * After monitor_point(): waits for the peer's result in peer_done. A stop can come before it, when
 * the peer's user asked while the last messages were on the way. Errors as those of ctl_recv().
 */
int monitor_receive_done(struct monitor *m) __attribute__((warn_unused_result));

#endif
