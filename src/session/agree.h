/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the two sides agree on before they measure: the version (hello), and for each plan the
 * limits of both devices and the plan that follows from them.
 */
#ifndef AGREE_H
#define AGREE_H

#include <stdbool.h>
#include <jansson.h>

#include "config/cfg.h"
#include "copy/copy.h"
#include "host/affinity.h"
#include "plan/plan.h"
#include "rdma/dev.h"
#include "control/ctl.h"
#include "session/owner.h"
#include "limits/budget.h"

/* What a plan is for: the type of the message that asks for it. */
enum agree_for { AGREE_TEST, AGREE_SETUP, AGREE_COPY, AGREE_FACTS };
extern const char *const agree_types[]; /* plan setup copy check */

/* Does a message of this type ask for a plan, or for the facts of the server? */
bool agree_asks(const char *type);

/* This side of a session, whoever the peers are. */
struct agree_own {
	struct dev dev;            /* stays open from plan to plan */
	struct affinity_plan affinity;
};

/*
 * With one peer. The sender of a multicast group has one of these for each receiver, with the same
 * own. Zeroed but for the first five fields, then agree_hello().
 */
struct agree {
	enum side side;
	struct ctl *ctl;           /* borrowed */
	struct agree_own *own;     /* zeroed before the first plan; borrowed */
	const struct cfg *local;   /* device, port and timeouts of this side; borrowed */
	struct memory_budget *budget;     /* of the session's memory; borrowed; NULL: not counted */
	enum agree_for what;       /* the client asks for; set before each plan */
	const struct copy_file *file; /* the plan is for a copy of it; borrowed; NULL: it is not */
	const char *name;          /* of a receiver of a group, as it was given; else NULL */
	struct cfg test;           /* what the client asks for */
	struct limits peer;
	struct limits group;       /* what all receivers have, where has_group */
	bool has_group;
	bool refused;              /* the peer sent refuse: it knows that the plan is not run */
	struct plan plan;          /* the same with all receivers, but for their GIDs */
};

/* Both sides say hello. Errors of ctl_recv(); -EPROTO: the peer has another version. */
int agree_hello(struct agree *a) __attribute__((warn_unused_result));

/*
 * One plan: fills own, test, peer and plan. Client: with all n peers, a->local asks for it. Server:
 * plan_msg is the client's message that asks, which must live until agree_end(). -EINVAL: the plan
 * cannot be run; -EPERM: a peer refuses it; else the session has failed. With an error message.
 */
int agree_client(struct agree *a, uint32_t n) __attribute__((warn_unused_result));
int agree_server(struct agree *a, const json_t *plan_msg) __attribute__((warn_unused_result));

/*
 * Opens the device that a->test names, and probes it; one that is open stays open if it is the
 * same. With an error message.
 */
int agree_device(struct agree *a) __attribute__((warn_unused_result));

/* The message by which the client asks for what it wants, with the options of a->test. */
int agree_ask(struct agree *a) __attribute__((warn_unused_result));

/* The options of such a message: fills a->test on the server. */
int agree_read(struct agree *a, const json_t *msg) __attribute__((warn_unused_result));

/* The plan is over. Accepts one that was not agreed. */
void agree_end(struct agree_own *own);

/* Closes the device, and forgets the machine. After agree_end(). */
void agree_close(struct agree_own *own);

const struct limits *agree_limits(const struct agree *a, enum side side);

/* ---- agree_place.c */

/* Where threads and memory of a side are to be, and by which options. After the limits. */
struct owner_place agree_place(const struct agree *a, enum side side);

/*
 * Chooses the places of this side's threads, and notes them in the plan. After plan_resolve(). With
 * an error message.
 */
int agree_affinity(struct agree *a) __attribute__((warn_unused_result));

#endif
