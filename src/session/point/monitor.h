/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The main thread while a point runs: heartbeats, messages of the peer, deadlines, duration,
 * stalls, the user's stop, disturbances. It controls a loop only by worker_stop() and
 * worker_peer_finished().
 */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "endpoint/ep.h"
#include "wire/ctl.h"
#include "wire/session_host.h"
#include "cm/cm_links.h"
#include "device/dev.h"
#include "decide/plan.h"
#include "worker/intervals.h"
#include "worker/slices.h"
#include "worker/workers.h"

#define MONITOR_MS_NS UINT64_C(1000000)

/* ---- disturbances */

/*
 * Disturbs the queues of running loops from the main thread, repeatedly (--disturb): it changes the
 * size of the CQs up and down (ibv_resize_cq(3)), or drains one send queue after the other: RTS to
 * SQD, wait for IBV_EVENT_SQ_DRAINED, SQD to RTS (IBA vol. 1, 10.3.1.4). Neither may lose a
 * completion.
 *
 * The queues of one side. Set the first three fields, zero the others.
 */
struct disturb {
	const struct plan *plan;
	struct ep **eps;      /* one per thread; owned */
	uint32_t n;           /* number of eps; 0: nothing is disturbed */
	uint64_t count;       /* disturbances so far */

	uint64_t due_ns;      /* time of the next step; 0: at once */
	uint32_t thread, qp;  /* the current one */
	bool grown;           /* the CQs of this thread are enlarged */
	bool draining;
	uint64_t drained;     /* drain events of the QP before this drain */
	uint64_t give_up_ns;
	int *cqe;             /* original sizes of each thread's CQs: send, receive; owned */
};

/* -ENOMEM with an error message. */
int disturb_open(struct disturb *d) __attribute__((warn_unused_result));

/*
 * Runs the step that is due, if any. Errors of verbs, or -ETIMEDOUT if a send queue is not drained
 * within the stall timeout, with an error message.
 */
int disturb_step(struct disturb *d, uint64_t now_ns) __attribute__((warn_unused_result));

/* The time of the next step; UINT64_MAX: never. */
uint64_t disturb_due_ns(const struct disturb *d);

/* Accepts a zeroed one. */
void disturb_close(struct disturb *d);

/* ---- the monitor */

/* A thread of this side, and the thread of the peer with the same number. */
struct monitor_thread {
	uint64_t moved_ns;   /* when its loop last made progress */
	uint64_t progress;
	bool sent_reported;  /* this side sent "sent" for it */
	bool peer_finished;  /* the peer sent "sent" for its thread */
};

/* One peer. */
struct monitor_peer {
	uint64_t received_ns; /* when its last message came */
	json_t *done;         /* its done message; owned */
	bool warm;            /* its warm-up has ended */
	bool has_cut, has_rest;
	struct result cut;    /* its interval with the number of the last cut */
	struct result rest;   /* its last interval */
};

/* An interval of a point: the results of this side and of one peer. */
struct monitor_interval {
	uint64_t number;      /* from 0 */
	uint32_t peer;        /* index of the peer */
	const struct result *own, *theirs; /* theirs NULL: the peer is gone */
};

/* Set the first three fields, zero the others. */
struct monitor_intervals {
	uint64_t every_ns;    /* 0: the point has none */
	/* Called when an interval has ended on both sides, once for each peer. NULL: not called. */
	void (*tell)(void *arg, const struct monitor_interval *interval);
	void *arg;
	uint64_t due_ns;      /* client: time of the next cut; UINT64_MAX: none */
	uint64_t n;           /* cuts so far */
	bool open;            /* client: not all peers have answered the last cut */
	bool ended;           /* rest is known */
	struct result own;    /* of the last cut */
	struct result rest;   /* since then */
	struct intervals of;
};

/* The planned end of the point. Zero it first. */
struct monitor_end {
	uint64_t begin_ns;    /* of the loops */
	uint64_t stop_ns;     /* when the duration was over, or a user asked to stop; 0: not yet */
	uint64_t sent_ns;     /* when this side had posted its last message; 0: not yet */
};

struct monitor {
	const struct peers *to;
	struct dev *dev;
	struct cm_links *cm;    /* zeroed: the plan does not connect by rdma_cm */
	const struct plan *plan;
	const struct point *point;
	enum side side;
	struct disturb *disturb;    /* of the queues of this side */
	struct workers *workers;    /* none: this side is passive, no loop runs here */
	bool warm_up;               /* another run on the same queue pairs follows */
	bool initiates;             /* this side posts requests, and sends "sent" at the end */
	bool peer_initiates;        /* the same for the peer */
	int (*migrate)(void *arg);  /* 1: done, 0: call again, -errno; NULL: never */
	void *arg;
	const struct session_host *host; /* gets the progress of the point */
	uint32_t silence_ms;        /* the peer may be silent after the loop: it may be verifying */
	struct monitor_intervals intervals;
	struct slices slices;

	struct monitor_end end;
	uint32_t warm;              /* warm-up of the client: servers whose own has ended */

	/* outcome; of the warm-up it is also that of the point */
	bool opened;                /* EVENT_OPENED was told */
	bool interrupted;           /* by the user of one side: the point is incomplete */
	char interruption[128];
	/* only a single peer initiates */
	uint32_t peer_finished;     /* threads of the peer that sent "sent" */
	uint64_t *peer_sent;        /* requests done, per QP of all threads; owned */
	struct monitor_peer *peers; /* to->n; owned */
	struct monitor_thread *threads; /* per thread of either side; owned */
	struct pollfd *fds;         /* connections, the user's stop, one for each worker; owned */
};

/* Frees what the struct owns. Accepts a zeroed one. */
void monitor_close(struct monitor *m);

/*
 * Returns when all loops of both sides have ended, and the own ones are joined. 0, or the first
 * error with an error message: -ECONNRESET, -ECONNABORTED, -ETIMEDOUT (silence, or a stall of one
 * thread), -EBADMSG, -EIO (a loop failed: the text is in the result; or an event of the device). An
 * error of one thread ends all.
 */
int monitor_point(struct monitor *m) __attribute__((warn_unused_result));

/*
 * After monitor_point(): waits for the result of peer i in peers[i].done. A stop can come before
 * it, if the peer's user asked for it while the last messages were in flight. Errors as those of
 * ctl_recv().
 */
int monitor_receive_done(struct monitor *m, uint32_t i) __attribute__((warn_unused_result));

/*
 * The last interval, after monitor_point(). monitor_intervals_end(): all is the result of this side
 * at the point; its windows become those of the sum of the intervals. monitor_intervals_send():
 * sends the last interval, before done. monitor_intervals_tell(): when the peers have sent theirs,
 * or are gone, reports the remaining intervals.
 */
void monitor_intervals_end(struct monitor *m, struct result *all);
int monitor_intervals_send(struct monitor *m) __attribute__((warn_unused_result));
void monitor_intervals_tell(struct monitor *m);

/* ---- messages: monitor_messages.c */

/* Sends "sent" for each thread that has posted its last message. */
int monitor_send_sent(struct monitor *m) __attribute__((warn_unused_result));

/* Each thread of this side has posted its last message, and the peer knows it. */
bool monitor_all_sent(const struct monitor *m);

/* Processes messages of peer i that have arrived, a few at most. */
int monitor_receive(struct monitor *m, uint32_t i) __attribute__((warn_unused_result));

/* A message "stop" of the peer: its user, or that of another receiver, asked to stop. */
void monitor_note_stop(struct monitor *m, const json_t *msg);

/* The user of this side asked to stop: both sides stop posting, and their rows are incomplete. */
int monitor_user_stop(struct monitor *m) __attribute__((warn_unused_result));

/* The peer posts nothing more: each of its threads sent "sent", or it never posts. */
bool monitor_peer_over(const struct monitor *m);

/*
 * The planned end: duration_over: this side has ended its loops. -ETIMEDOUT with an error message:
 * the peer does not end its own, whatever it sends.
 */
int monitor_end_check(struct monitor *m, uint64_t now, bool duration_over)
	__attribute__((warn_unused_result));

/* ---- intervals; all do nothing in a point without intervals */

/* -ENOMEM with an error message. */
int monitor_intervals_open(struct monitor *m, uint64_t now_ns) __attribute__((warn_unused_result));

/* Client: cuts when it is due, but not shortly before the end. finish_ns: UINT64_MAX: none. */
int monitor_intervals_step(struct monitor *m, uint64_t now_ns, uint64_t finish_ns)
	__attribute__((warn_unused_result));

#endif
