/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The process of one session, from the fork to its exit. It talks to the server's process over a
 * socket pair (SOCK_SEQPACKET), by records of struct serve_message. The end of file tells the
 * server that the process has ended.
 */
#ifndef SERVE_CHILD_H
#define SERVE_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "account/account.h"
#include "options/cfg.h"
#include "wire/ctl.h"
#include "wire/key.h"
#include "agree/session.h"
#include "util/err.h"

/*
 * One client: the first that sends hello and a plan; the server exits with the status of its
 * session. A client that is perftest counts, too: nobody waits for another one. Many: until
 * SIGINT or SIGTERM, within the limits of the owner (serve_limits.c).
 */
enum serve_for { SERVE_ONE_CLIENT, SERVE_MANY };

/*
 * Who prints the session of a server for one client, in place of the outputs of the options: the
 * drop-in programs have outputs of their own. The others are called in the process of the session.
 */
struct serve_printer {
	/* The server has its device, and waits for its client. In the server's own process. */
	void (*waits)(void *arg);
	/* The host of the session; base: that of the options. */
	struct session_host (*host)(void *arg, const struct session_host *base);
	/* The session has ended; returns the exit status. */
	int (*end)(void *arg, enum session_end end);
	void *arg;
};

enum serve_message_kind {
	SERVE_ASK_SESSION,  /* the peer sent hello and a plan: may the session run? */
	SERVE_ASK_MEMORY,   /* may the session have so many bytes in all? */
	SERVE_POINT_BEGINS, /* the loops of a point */
	SERVE_POINT_ENDED,
	SERVE_ALIVE,        /* at most each second, while it waits or makes QPs */
	SERVE_RAN,          /* what it has run so far; at any time */
	SERVE_NO_CLIENT,    /* the peer is not a client; text: why */
	SERVE_PERFTEST,     /* the same: it is perftest */
	/* the answers of the server to both questions */
	SERVE_GRANTED,
	SERVE_REFUSED,      /* text: why, for the peer */
	/* to the child at any time, followed by SIGNALS_ASK */
	SERVE_STOP          /* text: the limit that is over, the key that was revoked */
};

/* One record. What its kind does not use is zero. */
struct serve_message {
	enum serve_message_kind kind;
	uint64_t bytes;          /* SERVE_ASK_MEMORY */
	uint8_t key[KEY_ID_BYTES]; /* SERVE_ASK_SESSION: of the key that the peer has proved */
	struct ran ran;          /* SERVE_RAN */
	char text[ERR_TEXT_MAX];
};

struct serve_child {
	const struct cfg *cfg;
	const struct serve_printer *printer; /* NULL: the outputs of the options */
	struct ctl_tls *tls;   /* the peer must prove one of these keys; NULL: none */
	struct ctl *ctl;       /* the accepted connection */
	int fd;                /* the child's end of the pair */
	pid_t server;
	bool sandbox;          /* enter it before the peer is heard */
	bool in_point;         /* the loops of a point run */
	uint64_t told_ns;      /* when it has told the server that it lives */
	char over[ERR_TEXT_MAX]; /* why it is to stop, of SERVE_STOP; "": it is not */
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
