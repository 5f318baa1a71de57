/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The agreement of both sides before they measure: the version (hello), and for each plan the
 * limits of both devices and the plan that follows from them.
 */
#ifndef AGREE_H
#define AGREE_H

#include <jansson.h>
#include <stdbool.h>

#include "options/cfg.h"
#include "copy/copy.h"
#include "place/affinity.h"
#include "decide/plan.h"
#include "device/dev.h"
#include "wire/ctl.h"
#include "limits/budget.h"
#include "options/hosts.h"
#include "worker/overhead.h"
#include "agree/session.h"
#include "util/clock.h"

/* What a client asks for: a plan of one of three purposes, or the facts of the server. */
enum agree_for { AGREE_NOTHING, AGREE_TEST, AGREE_SETUP, AGREE_COPY, AGREE_FACTS };

/* What a message of this type asks for: plan, setup, copy, check. */
enum agree_for agree_asks(const char *type);

/*
 * The placement of threads and memory, as on a command line. A server's: the client's --peer-pin
 * and --peer-mem, else the owner's --pin and --mem.
 */
struct owner_place {
	const char *pin, *mem;
	const char *pin_label, *mem_label; /* the options that set them */
};

/* This side of a session, shared by all peers. */
struct agree_own {
	struct dev dev;            /* stays open from plan to plan */
	struct affinity_plan affinity;
};

/*
 * The state with one peer. The sender of a multicast group has one for each receiver, with the same
 * own. Set the first five fields, zero the others, then call agree_hello().
 */
struct agree {
	enum side side;
	struct ctl *ctl;           /* borrowed */
	struct agree_own *own;     /* zeroed before the first plan; borrowed */
	const struct cfg *local;   /* device, port and timeouts of this side; borrowed */
	struct memory_budget *budget;     /* memory of the session; borrowed; NULL: not counted */
	enum agree_for what;       /* what the client asks for; set before each plan */
	const struct copy_file *file; /* the plan is for a copy of it; borrowed; NULL: no copy */
	const char *name;          /* of a receiver of a group, as the user gave it; else NULL */
	struct cfg test;           /* the client's request */
	struct limits peer;
	struct limits group;       /* limits common to all receivers, if has_group */
	bool has_group;
	bool refused;              /* the peer sent refuse: it knows that the plan is not run */
	struct plan plan;          /* the same with all receivers, except for their GIDs */
};

/* The peer sent this message, when: "instead of a plan". -EBADMSG with an error message. */
int agree_unexpected(const struct agree *a, const json_t *msg, const char *when);

/*
 * Exchanges a message each: the client sends first. Steals own; *msg as ctl_recv(), also after an
 * error.
 */
int agree_exchange(struct agree *a, json_t *own, const char *type, json_t **msg,
		   uint32_t timeout_ms) __attribute__((warn_unused_result));

/* Exchanges hello. Errors of ctl_recv(); -EPROTO: the peer has another version. */
int agree_hello(struct agree *a) __attribute__((warn_unused_result));

/*
 * Agrees on one plan: fills own, test, peer and plan. Client: with all n peers; a->local has the
 * request. Server: plan_msg is the client's request, which must live until agree_end(). -EINVAL:
 * the plan cannot be run; -EPERM: a peer refuses it; otherwise the session has failed. With an
 * error message.
 */
int agree_client(struct agree *a, uint32_t n) __attribute__((warn_unused_result));
int agree_server(struct agree *a, const json_t *plan_msg) __attribute__((warn_unused_result));

/*
 * Opens the device that a->test names, and probes it; a device that is already open and the same
 * stays open. With an error message.
 */
int agree_device(struct agree *a) __attribute__((warn_unused_result));

/* Sends the client's request, with the options of a->test. */
int agree_ask(struct agree *a) __attribute__((warn_unused_result));

/* Reads the options of such a request into a->test, on the server. */
int agree_read(struct agree *a, const json_t *msg) __attribute__((warn_unused_result));

/* Ends the plan. Accepts one that was not agreed. */
void agree_end(struct agree_own *own);

/* Closes the device and drops the machine's description. After agree_end(). */
void agree_close(struct agree_own *own);

/*
 * early.c: before a client comes. Is there a test that the device and the options of this server
 * allow, and a placement as its owner asks? Opens the device, and closes it. Errors as of
 * dev_open() and plan_resolve(), of the first test.
 */
int early_check(const struct cfg *server) __attribute__((warn_unused_result));

const struct limits *agree_limits(const struct agree *a, enum side side);

/* The placement of threads and memory of a side, and the options that set it. After the limits. */
struct owner_place agree_place(const struct agree *a, enum side side);

/* ---- owner.c */

/*
 * Fills in what the owner allows clients to do, and the owner's placement of threads and memory.
 * -EINVAL with an error message: these texts are too long for the message.
 */
int owner_limits(struct limits *limits, const struct cfg *server)
	__attribute__((warn_unused_result));

/*
 * Sets the device, port and GID index of a plan in test, the client's options, from the server's
 * options. A client may choose those that the owner did not give. -EINVAL with an error message.
 */
int owner_device(struct cfg *test, const struct cfg *server) __attribute__((warn_unused_result));

/* The choices that the owner leaves to clients: the words of --clients-may. */
enum owner_may {
	OWNER_MAY_PIN, OWNER_MAY_MEM, OWNER_MAY_HUGEPAGES, OWNER_MAY_SL, OWNER_MAY_UC, OWNER_MAY_UD,
	OWNER_MAY_OVERWRITE,
	OWNER_MAY_COUNT
};

/* Parses the list into bits. -EINVAL with an error message. */
int owner_may(const char *list, uint32_t *bits) __attribute__((warn_unused_result));

/* May a client replace a file? -EINVAL with an error message. */
int owner_overwrite(const struct cfg *server) __attribute__((warn_unused_result));

/* May the client ask for this test, and may the server run this plan? -EINVAL with a message. */
int owner_test(const struct cfg *test, const struct cfg *server)
	__attribute__((warn_unused_result));
int owner_plan(const struct plan *plan, const struct cfg *server)
	__attribute__((warn_unused_result));

/* The same on both sides. Borrowed. */
struct owner_place owner_place(const struct cfg *test, const struct limits *server);

/*
 * Test options that were given to a server are the values that it expects in the tests of its
 * clients. Compares each one in server (its own command line) with the client's value, or, if that
 * is auto, with the plan's choice. An auto of the server matches every value. An option that the
 * test does not have counts as different. Options that concern a side itself (device, placement,
 * outputs) are not compared: they are options of a server. 0, or -EINVAL with an error message that
 * lists each option that differs and both values.
 */
int owner_expects(const struct plan *plan, const struct cfg *server, const struct cfg *test)
	__attribute__((warn_unused_result));

/* ---- a task, from the agreed plan to its outcome: task.c, copying.c, setup_session.c */

/* A test, a measurement of setup or a copy. Set the first fields, zero the others. */
struct task {
	struct agree *agree;               /* with each peer; borrowed */
	struct peers peers;                /* their connections */
	const struct session_host *host;
	const struct clock_anchor *origin; /* from the start of the session */
	const struct session_file *copy;   /* of the client; NULL: no copy */
	const struct session_setup *setup; /* of the client; NULL: no measurement of setup */
	bool started;                      /* the plan is agreed: later errors are no refusals */
	bool not_ok;                       /* a point is not ok: no more points follow */
	bool interrupted;                  /* by the user of one side */
	bool overhead_known;
	const struct point *point;         /* the point that runs */
	uint64_t interval_at_ns[HOSTS_MAX][2]; /* start of the next interval of each row */
	struct overhead_cost overhead;
	double clock_step_ns;              /* 0: not known yet */
};

/* Is rc a refusal? Before the plan is agreed, -EINVAL means that the plan is invalid. */
bool task_refuses(const struct task *t, int rc);

/*
 * rc: of agree_*() or of the functions below. Sends refuse or abort if the peer does not know the
 * error yet; err_text() stays the same. *alive: another message can follow on the connection.
 */
enum session_end task_conclude(const struct task *t, int rc, bool *alive);

/*
 * Runs the points of a plan until one is not ok. 0: both sides have the results of every point that
 * was run; not_ok tells whether one was not ok. Else the first error, with an error message.
 */
int task_client(struct task *t) __attribute__((warn_unused_result));

/*
 * The same on the server, where the client starts each point. *next is the message that follows the
 * last point, bye or plan; the caller must json_decref it. -EBADMSG when it comes too early.
 */
int task_server(struct task *t, json_t **next) __attribute__((warn_unused_result));

/*
 * A copy, of the client: 0: the peer has the whole file, and EVENT_COPIED was reported. Else the
 * first error, with an error message.
 */
int copying_client(struct task *t) __attribute__((warn_unused_result));

/*
 * The server, which also agrees on the plan: msg is the message copy, which must live until
 * agree_end(). Returns as above.
 */
int copying_server(struct task *t, const json_t *msg) __attribute__((warn_unused_result));

/*
 * A measurement of setup: docs/dev/protocol.md, "Setup". The client measures (objects/measure.h)
 * and sends requests; the server makes QPs (objects/answer.h). 0: every row is measured, and the
 * server waits for the next plan or bye. -errno with an error message.
 */
int setup_client(struct task *t) __attribute__((warn_unused_result));

/*
 * Answers until a plan or bye comes, which is *next; the caller must json_decref it. -errno with an
 * error message.
 */
int setup_server(struct task *t, json_t **next) __attribute__((warn_unused_result));

#endif
