/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder setup: measures what it costs to make verbs objects: memory regions, QPs, CQs, ... It
 * knows no sockets: what it needs of the peer is behind struct setup_peer. It prints nothing.
 *
 * This header: one run of the measurements, on the client.
 */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "config/cfg.h"
#include "plan/plan.h"
#include "rdma/dev.h"
#include "ep/ep.h"
#include "setup/setup_row.h"
#include "util/clock.h"

/* What the server does on request. Each call waits for its answer; -errno with an error message. */
struct setup_peer {
	/*
	 * Makes as many QPs as own has, connected with them: INIT to RTS. peer: their address, the
	 * caller's to ep_addr_free().
	 */
	int (*connect)(void *arg, const struct ep_addr *own, struct ep_addr *peer);
	/* Destroys the QPs that connect made. */
	int (*disconnect)(void *arg);
	/*
	 * Listens by rdma_cm: cm_address, cm_port and cm_token of peer; cm_address "": it cannot.
	 * unlisten ends it, and all connections.
	 */
	int (*listen)(void *arg, struct ep_addr *peer);
	int (*unlisten)(void *arg);
	/* Sends an empty message with invalidate of rkey on the first QP. */
	int (*invalidate)(void *arg, uint32_t rkey);
	/*
	 * Called at least every 100 ms between operations: tells the server that this side lives.
	 * -EINTR: the user asks to stop; else the session has failed.
	 */
	int (*alive)(void *arg);
	void *arg;
};

/* Before the first row. The pointers are valid during the call. */
struct setup_start {
	const struct plan *plan;
	const struct limits *self, *peer;
	const char *affinity_note; /* "": none */
};

struct setup_sink {
	void (*start)(void *arg, const struct setup_start *start);
	void (*row)(void *arg, const struct setup_row *row);
	void *arg;
};

/* What the user asks for. */
struct setup_wish {
	uint64_t operations;            /* of a row; CFG_AUTO64 */
	uint32_t qps;                   /* at once */
	const char *only;               /* "mr,qp"; NULL: all measurements */
};

/* Set the first fields, zero the others. Everything is borrowed. */
struct setup_run {
	const struct setup_wish *wish;
	const struct dev *dev;
	const struct plan *plan;
	const struct limits *peer_limits;
	const struct setup_peer *peer;
	const struct setup_sink *sink;
	const struct clock_anchor *origin; /* from the start of the session */

	bool not_ok;                    /* a row is failed or incomplete */
	uint64_t checked_ns;            /* when peer->alive was called */
	double clock_ticks, cpu_clock_ns; /* what the stamps cost: series.h */
};

#endif
