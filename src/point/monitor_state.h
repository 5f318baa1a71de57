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

#endif
