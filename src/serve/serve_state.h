/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The state of a server and of its child processes, in the server's process. */
#ifndef SERVE_STATE_H
#define SERVE_STATE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "config/cfg.h"
#include "account/account.h"
#include "serve/serve_child.h"
#include "serve/serve_listen.h"
#include "serve/serve_status.h"
#include "access/strangers.h"
#include "service/notify.h"
#include "util/err.h"

/* Connections that sent no plan yet; or as many as sessions, if these are more. */
#define SERVE_MAX_NEW 64u
#define SERVE_MAX_NEW_OF_ONE 10u /* of one other host; each costs 6 descriptors */
#define SERVE_MAX_OTHER 64u    /* descriptors that the server polls besides its children */

/*
 * One client: the first that sends hello and a plan; the server exits with the status of its
 * session. A client that is perftest counts, too: nobody waits for another one. Many: until
 * SIGINT or SIGTERM, within the limits of the owner (serve_limits.h).
 */
enum serve_for { SERVE_ONE_CLIENT, SERVE_MANY };

enum serve_child_state {
	SERVE_CHILD_NEW,      /* the peer sent no plan yet */
	SERVE_CHILD_REJECTED, /* it sent one, and the session may not run */
	SERVE_CHILD_CLIENT    /* the session runs */
};

/* The times of a session that the server's process enforces. */
enum serve_limit { SERVE_LIMIT_SESSION, SERVE_LIMIT_POINT, SERVE_LIMIT_SILENT };

/* A child process, one for each connection. */
struct serve_process {
	pid_t pid;
	int fd;               /* this end of the socket pair: serve_child.h; -1: gone */
	enum serve_child_state state;
	uint64_t since_ns;
	uint8_t address[16];  /* of the peer: serve_limits.h */
	uint64_t began_ns;    /* the session; 0: it has not */
	uint64_t point_ns;    /* the loops of a point began; 0: none runs */
	uint64_t heard_ns;    /* its last message, or when the session began */
	uint64_t asked_ns;    /* it was asked to end, because it is over its time; 0: not */
	enum serve_limit over; /* that time; of asked_ns */
	uint64_t bytes;       /* of memory that it has */
	char peer[128];
	char reason[ERR_TEXT_MAX]; /* why the peer is not a client */
	bool perftest;        /* it is perftest */
	bool gone;            /* it has closed the pair, or was killed: its exit is awaited */
	bool killed;          /* by the server, which has logged why */
	struct account_entry entry; /* for the audit and the status */
	uint64_t gone_ns, look_ns, look_again_ns; /* since when; when it is looked for; then */
};

struct serve_source;

/* How it is stopped and ended: serve_life.h. */
struct serve_life {
	struct notify notify; /* what the service manager hears */
	uint64_t stopped_ns;  /* clock_ns(): when the first wish to stop came; 0: none */
	uint64_t ask_ns;      /* when the sessions are asked to end; UINT64_MAX: not, or done */
	uint64_t idle_ns;     /* since when nobody is connected */
};

struct serve {
	const struct cfg *cfg;
	enum serve_for how_many;
	const struct serve_printer *printer; /* NULL: the outputs of the options */
	struct ctl_tls *tls;       /* the key of all clients; NULL: none */
	struct serve_listen listen;
	struct account account;
	struct cfg *current;       /* cfg: what a reload changes */
	const struct serve_source *source; /* where it comes from: serve_reload.h; NULL: once */
	struct strangers strangers;
	struct serve_life life;
	struct serve_status status_sockets;
	uint64_t begun_ns;         /* clock_ns() */
	bool sandbox;              /* sessions enter it */
	uint64_t pause_until_ns;
	uint64_t stop_by_ns;       /* 0: no stop was asked for */
	int status;                /* SERVE_ONE_CLIENT: of its session */
	bool over;                 /* nothing is left to do */
	uint64_t ignored_since_ns, ignored;
	uint64_t rate_ns;          /* of --max-session-rate: serve_limits.c */
	uint32_t n, room;
	struct serve_process *children; /* oldest first; owned */
	struct pollfd *polls;           /* room for those, and SERVE_MAX_OTHER more, twice; owned */
	rlim_t session_descriptors;     /* service/descriptors.h */
};

#endif
