/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room objects: measures what it costs to make verbs objects: memory regions, QPs, CQs, ... It
 * knows no sockets: what it needs of the peer is behind struct setup_peer. It prints nothing.
 *
 * This header: one run of the measurements, on the client, and the table of the measurements.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "options/cfg.h"
#include "decide/plan.h"
#include "endpoint/ep_addr.h"
#include "objects/setup_row.h"
#include "util/clock.h"

struct dev;

#define SETUP_QPS 64u               /* --qps, if it is not given */
#define SETUP_MAX_OPERATIONS 1000000u /* -n */

/* What the server does on request. */
enum setup_ask {
	SETUP_CONNECT,     /* makes as many QPs as own has, connected with them: INIT to RTS */
	SETUP_DISCONNECT,  /* destroys these QPs */
	/* listens by rdma_cm: cm_address, cm_port, cm_token of peer; cm_address "": it cannot */
	SETUP_LISTEN,
	SETUP_UNLISTEN,    /* ends that, and all connections */
	SETUP_INVALIDATE,  /* sends an empty message with invalidate of rkey on the first QP */
};

struct setup_request {
	const struct ep_addr *own; /* SETUP_CONNECT */
	uint32_t rkey;             /* SETUP_INVALIDATE */
	struct ep_addr peer;       /* the answer of CONNECT and LISTEN: ep_addr_free() */
};

struct setup_peer {
	/* Waits for the answer; -errno with an error message. */
	int (*ask)(void *arg, enum setup_ask ask, struct setup_request *request);
	/*
	 * Called at least every 100 ms between operations: tells the server that this side lives.
	 * -EINTR: the user asks to stop; else the session has failed.
	 */
	int (*alive)(void *arg);
	void *arg;
};

/* What the user asks for. */
struct setup_options {
	uint64_t operations;            /* of a row; CFG_AUTO64 */
	uint32_t qps;                   /* at once */
	const char *only;               /* "mr,qp"; NULL: all measurements */
};

/* Set the first fields, zero the others. Everything is borrowed. */
struct setup_run {
	const struct setup_options *options;
	const struct dev *dev;
	const struct plan *plan;
	const struct limits *peer_limits;
	const struct setup_peer *peer;
	void (*row)(void *arg, const struct setup_row *row); /* gets each row */
	void *row_arg;
	const struct clock_anchor *origin; /* from the start of the session */

	bool not_ok;                    /* a row is failed or incomplete */
	uint64_t checked_ns;            /* when peer->alive was called */
	double clock_ticks, cpu_clock_ns; /* the cost of the stamps: rounds.h */
	struct ibv_pd *pd;              /* of measurements with MEASURE_PD */
};

/* It needs setup_run.pd; --qps objects exist at a time. */
enum { MEASURE_PD = 1, MEASURE_MANY = 2 };

/* One row of the table of measurements: one value of --only. */
struct measure {
	const char *name, *help;
	/* -errno with an error message: the session has failed, or the user stopped it. */
	int (*run)(struct setup_run *run, const struct measure *m);
	unsigned flags;
};

extern const struct measure measure_table[];
extern const uint32_t measure_n; /* at most 32 */

/* The row of that name, or NULL. */
const struct measure *measure_find(const char *name);

/*
 * Bits of measure_table[] that only names ("mr,qp"); NULL: all. -EINVAL with an error message.
 */
int measure_select(uint32_t *selected, const char *only) __attribute__((warn_unused_result));

/*
 * Runs the selected measurements, each row to run->row as it ends. 0; -errno with an error message:
 * the session has failed, or -EINTR. After it run->not_ok is valid.
 */
int measure_run(struct setup_run *run) __attribute__((warn_unused_result));

/* The functions of the rows. */
int setup_pd(struct setup_run *run, const struct measure *m);
int setup_mr(struct setup_run *run, const struct measure *m);
int setup_cq(struct setup_run *run, const struct measure *m);
int setup_srq(struct setup_run *run, const struct measure *m);
int setup_ah(struct setup_run *run, const struct measure *m);
int setup_mw(struct setup_run *run, const struct measure *m);
int setup_qp(struct setup_run *run, const struct measure *m);
int setup_cm(struct setup_run *run, const struct measure *m);

#endif
