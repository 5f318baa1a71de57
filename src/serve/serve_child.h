/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The process of one session, from the fork to its exit. It talks to the server's process over a
 * socket pair (SOCK_SEQPACKET):
 *   1. to the server    "P"         the peer sent hello and a plan: may the session run?
 *   2. to the child     "G", or "B" and a reason: run it, or send the reason to the peer and exit
 *      to the server    "M" and a number: may the session have so many bytes in all? Answered as P
 *      to the server    "T", "t": the loops of a point begin, have ended
 *      to the server    "L": it lives; at most each second, while it waits, or makes QPs
 *   3. to the server    "R" and a reason: the peer is not a client; "F": and it is perftest
 *      to the server    "A" and a struct ran (ran.h): what it has run so far; any time
 *   4. end of file      the process has ended
 */
#ifndef SERVE_CHILD_H
#define SERVE_CHILD_H

#include <sys/types.h>

#include "config/cfg.h"
#include "control/ctl.h"
#include "control/ctl_tls.h"
#include "serve/serve_clock.h"
#include "session/session.h"
#include "util/err.h"

/*
 * Who prints the session of a server for one client, in place of the outputs of the options: the
 * drop-in programs have outputs of their own. The others are called in the process of the session.
 */
struct serve_printer {
	/* The server has its device, and waits for its client. In the server's own process. */
	void (*waits)(void *arg);
	/* The sink of the session; base: that of the options. */
	struct session_sink (*sink)(void *arg, const struct session_sink *base);
	/* The session has ended; returns the exit status. */
	int (*end)(void *arg, enum session_end end);
	void *arg;
};

struct serve_child {
	const struct cfg *cfg;
	const struct serve_printer *printer; /* NULL: the outputs of the options */
	const struct ctl_tls *tls; /* the key that the peer must prove; NULL: none */
	struct ctl *ctl;       /* the accepted connection */
	int fd;                /* the child's end of the pair */
	pid_t server;
	bool sandbox;          /* enter it before the peer is heard */
	struct serve_clock *clock; /* made in the child */
	bool in_point;         /* the loops of a point run */
	uint64_t told_ns;      /* when it has told the server that it lives */
};

/* In the forked child, with the parent's descriptors closed. Exits with the session's status. */
void serve_child_run(const struct serve_child *child) __attribute__((noreturn));

/* What the process that looks for a device writes to its server. */
struct serve_device {
	int rc;           /* of dev_check() */
	struct err error; /* its error message */
};

/* In a forked child: can a session have a device? Of child it needs cfg, fd and sandbox. */
void serve_child_look(const struct serve_child *child) __attribute__((noreturn));

/* How long a connection may be without a plan, in ms. */
uint32_t serve_child_plan_ms(const struct cfg *cfg);

#endif
