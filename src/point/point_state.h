/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of point share. */
#ifndef POINT_STATE_H
#define POINT_STATE_H

#include "loop/engine.h"
#include "worker/workers.h"
#include "cm/cm_links.h"
#include "cm/cm_mcast.h"
#include "ep/ep.h"
#include "ep/proof.h"
#include "point/monitor.h"
#include "util/clock.h"
#include "control/peers.h"
#include "control/sink.h"
#include "rdma/dev.h"
#include "plan/plan.h"
#include "worker/result.h"
#include "host/affinity.h"

struct point_in {
	const struct peers *peers;
	struct dev *dev;
	const struct plan *plan;
	const struct point *point;
	enum side side;
	const struct clock_anchor *origin;
	const struct affinity_plan *affinity; /* NULL: nothing is bound */
	const struct session_sink *sink;
	uint64_t interval_ns;            /* 0: the point has no intervals */
	void (*interval)(void *arg, const struct monitor_interval *interval); /* NULL: not told */
	void *interval_arg;
};

/* Of one of the other sides. */
struct point_peer {
	bool have;
	struct result result;
};

struct point_out {
	const struct point *point;   /* that was run; borrowed */
	bool have_own;
	struct result own;
	struct point_peer *peers;    /* in->peers->n; NULL: no memory; owned */
	struct result_detail detail; /* of this side; owned */
	bool interrupted;
	char interruption[128];
};

/* What one thread works with. */
struct point_thread {
	struct ep ep;
	struct ep_addr peer;             /* of the thread of the peer with the same number */
	struct worker_setup setup;
};

/* What a point owns while it runs. */
struct point_state {
	const struct point_in *in;
	struct point_thread *threads;    /* plan->work.threads */
	struct cm_links cm;              /* zeroed unless the plan connects by rdma_cm */
	struct workers workers;          /* as many, or none on a side without a loop */
	struct monitor monitor;
	struct disturb disturb;
	bool failed;                     /* its QPs may have failed */
	struct cm_mcast group;           /* zeroed: no multicast group, or not joined by rdma_cm */
	struct ep_pace pace;             /* of all endpoints: point_pace.c */
	struct session_making making;
	bool making_told;                /* it took so long that it was */
	uint64_t next_tick_ns;
	uint32_t probes;                 /* of a multicast group: sent, or received */
	struct proof proof;              /* UC, UD */
};

static inline enum role point_role(const struct point_in *in, enum side side)
{
	return in->plan->work.role[side];
}

/* ---- threads: point_threads.c */

/* Allocates the threads and workers. -errno with an error message. */
int point_threads_open(struct point_state *s) __attribute__((warn_unused_result));

/* Accepts a zeroed or half-opened state; stops what runs. */
void point_threads_close(struct point_state *s);

/*
 * From nothing to running loops on both sides, with the messages endpoint, ready, go. first: the
 * client's first endpoint message, on the server; borrowed.
 */
int point_threads_start(struct point_state *s, const json_t *first)
	__attribute__((warn_unused_result));

/* ---- many queue pairs: point_pace.c */

enum point_pace { POINT_PACE_MADE, POINT_PACE_CONNECTED, POINT_PACE_DESTROYED };

/*
 * Before QPs are made, connected or destroyed. Heartbeats and progress follow while it lasts. Only
 * the destruction goes on whatever happens.
 */
void point_pace_begin(struct point_state *s, enum point_pace what);
/* This side waits for the QPs of the peer, which take about as long as its own did. */
void point_pace_peer(const struct point_state *s);

/* ---- rdma_cm: point_cm.c; both return 0 at once unless the plan connects by it */

/* After the endpoints are open. A server listens then, and its addresses say where. */
int point_cm_open(struct point_state *s) __attribute__((warn_unused_result));

/*
 * Connects all QPs. *ready: the client's message ready has come meanwhile. Errors as ctl_recv(),
 * cm_links_connect().
 */
int point_cm_connect(struct point_state *s, bool *ready) __attribute__((warn_unused_result));

/* ---- path migration: point_apm.c; all do nothing in a plan without it */

/* After the endpoints are open, before their addresses are sent. */
int point_apm_address(struct point_state *s, uint32_t thread) __attribute__((warn_unused_result));

/* The QPs of a thread are connected: loads their alternate path. */
int point_apm_load(struct point_state *s, uint32_t thread) __attribute__((warn_unused_result));

/*
 * For the monitor, when the time has come: 1: every QP was asked to migrate; 0: some are not armed
 * yet. -errno. arg: the state.
 */
int point_apm_migrate(void *arg);

/* After the loops: the number of migrations; UINT64_MAX: there is no alternate path. */
uint64_t point_apm_count(const struct point_state *s);

/* ---- multicast: point_group.c and point_settle.c */

/*
 * After the QPs of this side are open: the sender's peer is the group, and a receiver is attached
 * to it. Both join it by rdma_cm where the plan says so. Errors with an error message.
 */
int point_group_sender(struct point_state *s) __attribute__((warn_unused_result));
int point_group_receiver(struct point_state *s) __attribute__((warn_unused_result));

/*
 * Sends probes until each receiver has got one; s->probes is their number. -ETIMEDOUT with an error
 * message that names a receiver, or an error of the connection.
 */
int point_settle_sender(struct point_state *s) __attribute__((warn_unused_result));

/* Waits for the first probe, and tells the sender. */
int point_settle_receiver(struct point_state *s) __attribute__((warn_unused_result));

/* Takes the rest of the probes that the sender has sent, but for those that are lost. */
int point_settle_drain(struct point_state *s, uint32_t sent) __attribute__((warn_unused_result));

/* Sends the message endpoint of each thread. */
int point_send_endpoints(struct point_state *s) __attribute__((warn_unused_result));

/* ---- first messages, --ah first: point_hello.c */

/* The client, its QPs connected: hellos until the server has heard them all. */
int point_hello_send(struct point_state *s) __attribute__((warn_unused_result));

/* The server, after the client's endpoints: sends its own, has the address of each client QP. */
int point_hello_receive(struct point_state *s) __attribute__((warn_unused_result));

/*
 * What the steps before the loops wait with; doing, during: for the error message. 1 when a message
 * of that type has come (NULL: none is expected), 0 not yet; the caller frees *msg. Takes one
 * message, or one heartbeat: a peer that never stops sending does not delay the caller's deadline.
 */
int point_came(struct ctl *ctl, const char *type, const char *doing, json_t **msg)
	__attribute__((warn_unused_result));
/* Until the peer sends something, or ms have passed; -EINTR: the user stops. */
int point_wait(struct ctl *ctl, int ms, const char *during) __attribute__((warn_unused_result));

/* ---- proof of addresses: point_prove.c */

/*
 * UC, UD: returns when the peer has proved that it receives at the address that it has named, and
 * this side has; at once over other transports. Before it nothing is sent on the QPs of the point,
 * but for hellos of the client. -ETIMEDOUT, -EPROTO, -EACCES with an error message.
 */
int point_prove(struct point_state *s) __attribute__((warn_unused_result));

/* ---- results: point_result.c */

/* After the loops: fills out->own and out->detail. */
int point_result_own(struct point_state *s, struct point_out *out)
	__attribute__((warn_unused_result));

/* After it: compares the received data. Wrong data is a failed result, not an error. */
int point_result_verify(struct point_state *s, struct point_out *out)
	__attribute__((warn_unused_result));

/* After it: sends out->own, receives out->peer. */
int point_result_exchange(struct point_state *s, struct point_out *out)
	__attribute__((warn_unused_result));

#endif
