/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room point: the steps of one point: endpoints, connections, start, the monitor of the running
 * loops, results. It prints nothing and does not know which point comes next.
 *
 * This header: one point on one side, from new endpoints to the results of both sides. Order of
 * messages (docs/dev/protocol.md): endpoint to the server, endpoint to the client, ready, go,
 * [sent, stop, heartbeat]..., done to the server, done to the client.
 */
#ifndef POINT_H
#define POINT_H

#include "loop/engine.h"
#include "worker/workers.h"
#include "cm/cm_links.h"
#include "cm/cm_address.h"
#include "endpoint/ep.h"
#include "endpoint/ep_extras.h"
#include "point/monitor.h"
#include "util/clock.h"
#include "wire/ctl.h"
#include "wire/session_host.h"
#include "device/counters.h"
#include "device/dev.h"
#include "decide/plan.h"
#include "worker/result.h"
#include "place/affinity.h"
#include "place/cpu_use.h"

struct point_in {
	const struct peers *peers;
	struct dev *dev;
	const struct plan *plan;
	const struct point *point;
	enum side side;
	const struct clock_anchor *origin;
	const struct affinity_plan *affinity; /* NULL: nothing is bound */
	uint32_t vector;                 /* completion vector of the CQs; CFG_AUTO: by thread */
	const struct session_host *host;
	uint64_t interval_ns;            /* 0: the point has no intervals */
	void (*interval)(void *arg, const struct monitor_interval *interval); /* NULL: not called */
	void *interval_arg;
};

/* One peer. */
struct point_peer {
	bool have;
	struct result result;
};

struct point_out {
	const struct point *point;   /* the point that was run; borrowed */
	bool have_own;
	struct result own;
	struct point_peer *peers;    /* in->peers->n; NULL: no memory; owned */
	struct result_detail detail; /* of this side; owned */
	bool interrupted;
	char interruption[128];
};

/*
 * The time that a side may be silent, without even a heartbeat, while it sets up or verifies this
 * point: the stall timeout, and 10 ms for each MB of test memory that is mapped, touched,
 * registered or compared.
 */
uint32_t point_silence_ms(const struct plan *plan, const struct point *point);

/*
 * The longest time to create or destroy all QPs of this point, even with heartbeats:
 * point_silence_ms() and PLAN_QP_MS for each QP.
 */
uint32_t point_setup_ms(const struct plan *plan, const struct point *point);

/*
 * first: the client's first endpoint message, which the server has already received; borrowed. NULL
 * on the client. 0 when both sides have a result, good or bad; else the first error with an error
 * message, and out holds what was measured so far.
 */
int point_run(const struct point_in *in, const json_t *first, struct point_out *out)
	__attribute__((warn_unused_result));

/* Frees the contents of out; also after an error. */
void point_out_free(struct point_out *out);

/* ---- what the files of a point share */

/* The objects of one thread. */
struct point_thread {
	struct ep ep;
	struct ep_addr peer;             /* address of the peer's thread with the same number */
	struct worker_setup setup;
};

/* The objects of a running point. */
struct point_state {
	const struct point_in *in;
	struct point warm;               /* the point as its warm-up is run */
	struct point_thread *threads;    /* plan->work.threads */
	struct cm_links cm;              /* zeroed unless the plan connects by rdma_cm */
	struct workers workers;          /* one per thread, or none on a side without a loop */
	struct monitor monitor;
	struct disturb disturb;
	struct counters counters;        /* of the device, before the loops */
	struct cpu_use cpu_use;          /* before the loops */
	bool failed;                     /* its QPs may have failed */
	struct cm_mcast group;           /* zeroed: no multicast group, or not joined by rdma_cm */
	struct ep_pace pace;             /* of all endpoints: point_connect.c */
	struct event_making making;
	bool making_reported;            /* it took so long that it was reported */
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
 * From an opened state to running loops on both sides, with the messages endpoint, ready, go.
 * first: the client's first endpoint message, on the server; borrowed.
 */
int point_threads_start(struct point_state *s, const json_t *first)
	__attribute__((warn_unused_result));

/*
 * From the end of the warm-up to running loops of the point, on the same objects, with the messages
 * warm, ready, go.
 */
int point_threads_again(struct point_state *s) __attribute__((warn_unused_result));

/* ---- beside the loops: point_evidence.c */

/* Before the peer may begin, and before the own loops run. */
void point_evidence_begin(struct point_state *s);

/* After the loops of both sides: fills what it reads into the result. */
void point_evidence_end(struct point_state *s, struct result *own);

/* ---- many queue pairs: point_connect.c */

enum point_making { POINT_MAKING_MADE, POINT_MAKING_CONNECTED, POINT_MAKING_DESTROYED };

/*
 * Call before QPs are created, connected or destroyed. Sends heartbeats and reports progress
 * meanwhile. Only the destruction continues whatever happens.
 */
void point_making_begin(struct point_state *s, enum point_making what);
/* This side waits for the QPs of the peer, which take about as long as its own. */
void point_making_peer(const struct point_state *s);

/* ---- rdma_cm: point_connect.c; both return 0 at once unless the plan uses it */

/* After the endpoints are open. A server then listens, and its addresses say where. */
int point_cm_open(struct point_state *s) __attribute__((warn_unused_result));

/*
 * Connects all QPs. *ready: the client's message ready has arrived meanwhile. Errors as ctl_recv(),
 * cm_links_connect().
 */
int point_cm_connect(struct point_state *s, bool *ready) __attribute__((warn_unused_result));

/* ---- path migration: point_connect.c; all do nothing in a plan without it */

/* After the endpoints are open, before their addresses are sent. */
int point_apm_address(struct point_state *s, uint32_t thread) __attribute__((warn_unused_result));

/* The QPs of a thread are connected: loads their alternate path. */
int point_apm_load(struct point_state *s, uint32_t thread) __attribute__((warn_unused_result));

/*
 * For the monitor, when the migration is due: 1: every QP was asked to migrate; 0: some are not
 * armed yet. -errno. arg: the state.
 */
int point_apm_migrate(void *arg);

/* After the loops: the number of migrations; UINT64_MAX: there is no alternate path. */
uint64_t point_apm_count(const struct point_state *s);

/* ---- multicast: point_group.c */

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

/* Waits for the first probe, and reports it to the sender. */
int point_settle_receiver(struct point_state *s) __attribute__((warn_unused_result));

/* Receives the remaining probes of the sender, except those that are lost. */
int point_settle_drain(struct point_state *s, uint32_t sent) __attribute__((warn_unused_result));

/* Sends the message endpoint of each thread. */
int point_send_endpoints(struct point_state *s) __attribute__((warn_unused_result));

/* ---- first messages, --ah first: point_hello.c */

/* The client, after its QPs are connected: sends hellos until the server has received them all. */
int point_hello_send(struct point_state *s) __attribute__((warn_unused_result));

/*
 * The server, after the client's endpoints: sends its own, and gets the address of each client QP.
 */
int point_hello_receive(struct point_state *s) __attribute__((warn_unused_result));

/*
 * A message of the steps before the loops; during: the step, as in "the group was settling". 1 when
 * a message of that type has come (NULL: none is expected), 0 not yet; the caller frees *msg.
 * Processes only one message or heartbeat: a peer that never stops sending does not delay the
 * caller's deadline.
 */
int point_came(struct ctl *ctl, const char *type, const char *during, json_t **msg)
	__attribute__((warn_unused_result));
/* Waits until the peer sends something, or ms have passed; -EINTR: the user asked to stop. */
int point_wait(struct ctl *ctl, int ms, const char *during) __attribute__((warn_unused_result));

/* ---- proof of addresses: point_prove.c */

/*
 * UC, UD: returns when both sides have proved that they receive at the address that they sent; at
 * once over other transports. Before that nothing is sent on the QPs of the point, except hellos of
 * the client. -ETIMEDOUT, -EPROTO, -EACCES with an error message.
 */
int point_prove(struct point_state *s) __attribute__((warn_unused_result));

#endif
