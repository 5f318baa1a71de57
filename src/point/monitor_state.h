/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of monitor share. */
#ifndef MONITOR_STATE_H
#define MONITOR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "point/disturb.h"
#include "control/peers.h"
#include "control/sink.h"
#include "cm/cm_links.h"
#include "rdma/dev.h"
#include "plan/plan.h"
#include "worker/intervals.h"
#include "worker/workers.h"

/* A thread of this side, and the thread of the peer with the same number. */
struct monitor_thread {
	uint64_t moved_ns;   /* when its loop last made progress */
	uint64_t progress;
	bool sent_reported;  /* this side sent "sent" for it */
	bool peer_finished;  /* the peer sent "sent" for its thread */
};

/* One of the other sides. */
struct monitor_peer {
	uint64_t received_ns; /* when its last message came */
	json_t *done;         /* its done message; owned */
	bool has_cut, has_rest;
	struct result cut;    /* its interval with the number of the last cut */
	struct result rest;   /* its last interval */
};

/* An interval of a point: what this side has measured in it, and one of the others. */
struct monitor_interval {
	uint64_t number;      /* from 0 */
	uint32_t peer;        /* which one */
	const struct result *own, *theirs; /* theirs NULL: it is gone */
};

/* Set the first three fields, zero the others. monitor_intervals.c */
struct monitor_intervals {
	uint64_t every_ns;    /* 0: the point has none */
	/* An interval has ended on both sides; once for each peer. NULL: not told. */
	void (*tell)(void *arg, const struct monitor_interval *interval);
	void *arg;
	uint64_t due_ns;      /* client: of the next cut; UINT64_MAX: none */
	uint64_t n;           /* cuts so far */
	bool open;            /* client: not all have answered the last cut */
	bool ended;           /* rest is known */
	struct result own;    /* of the last cut */
	struct result rest;   /* since then */
	struct intervals of;
};

/* When the point should have ended: monitor_end.c. Zeroed at first. */
struct monitor_end {
	uint64_t begin_ns;    /* of the loops */
	uint64_t stop_ns;     /* when the duration was over, or a user asked; 0: not yet */
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
	struct workers *workers;    /* none: this side is passive, nothing runs here */
	bool initiates;             /* this side posts requests, and sends "sent" at the end */
	bool peer_initiates;        /* the same for the peer */
	int (*migrate)(void *arg);  /* 1 when done, 0 to be asked again, -errno; NULL: never */
	void *arg;
	const struct session_sink *sink; /* told how far the point is */
	uint32_t silence_ms;        /* the peer may be silent after the loop: it may be verifying */
	struct monitor_intervals intervals;

	struct monitor_end end;

	/* outcome */
	bool interrupted;           /* by the user of one side: the point is incomplete */
	char interruption[128];
	/* a peer that initiates is the only one */
	uint32_t peer_finished;     /* threads of the peer that sent "sent" */
	uint64_t *peer_sent;        /* per QP of all threads: requests done; owned */
	struct monitor_peer *peers; /* to->n; owned */
	struct monitor_thread *threads; /* per thread of either side; owned */
	struct pollfd *fds;         /* connections, the user's stop, one for each worker; owned */
};

/* ---- messages: monitor_messages.c */

/* Sends "sent" for each thread that has posted its last message. */
int monitor_send_sent(struct monitor *m) __attribute__((warn_unused_result));

/* Takes the messages of peer i that have arrived, a few at most. */
int monitor_receive(struct monitor *m, uint32_t i) __attribute__((warn_unused_result));

/* The user of this side asks to stop: both sides stop posting, and their rows are incomplete. */
int monitor_user_stop(struct monitor *m) __attribute__((warn_unused_result));

/* The peer posts nothing more: each of its threads sent "sent", or it never posts. */
bool monitor_peer_over(const struct monitor *m);

/* ---- the end: monitor_end.c */

/*
 * duration_over: this side has ended its loops. -ETIMEDOUT with an error message: the peer does not
 * end its own, whatever it says.
 */
int monitor_end_check(struct monitor *m, uint64_t now, bool duration_over)
	__attribute__((warn_unused_result));

/* ---- intervals: monitor_intervals.c; all do nothing in a point without them */

/* -ENOMEM with an error message; monitor_intervals_close() is due all the same. */
int monitor_intervals_open(struct monitor *m, uint64_t now_ns) __attribute__((warn_unused_result));
void monitor_intervals_close(struct monitor *m);

/* Client: cuts if it is time, and not shortly before the end. finish_ns: UINT64_MAX none. */
int monitor_intervals_step(struct monitor *m, uint64_t now_ns, uint64_t finish_ns)
	__attribute__((warn_unused_result));

/* A message interval of peer i. -EBADMSG with an error message. */
int monitor_intervals_take(struct monitor *m, uint32_t i, const json_t *msg)
	__attribute__((warn_unused_result));

#endif
