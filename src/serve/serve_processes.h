/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The child processes of a server, and the state of the server that they change. Not for the child
 * process of a session.
 */
#ifndef SERVE_PROCESSES_H
#define SERVE_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "serve/serve_child.h"
#include "config/cfg.h"
#include "control/ctl.h"
#include "util/err.h"

#define SERVE_MAX_NEW 64u      /* connections that sent no plan yet */
#define SERVE_MAX_CLIENTS 16u
#define SERVE_MAX_CHILDREN (SERVE_MAX_NEW + SERVE_MAX_CLIENTS)

/*
 * One client: the first that sends hello and a plan; the server exits with the status of its
 * session. A client that is perftest counts, too: nobody waits for another one. Many: until
 * SIGINT or SIGTERM, at most 16 sessions at a time.
 */
enum serve_for { SERVE_ONE_CLIENT, SERVE_MANY };

enum serve_child_state {
	SERVE_CHILD_NEW,      /* the peer sent no plan yet */
	SERVE_CHILD_REJECTED, /* it sent one, and the session may not run */
	SERVE_CHILD_CLIENT    /* the session runs */
};

/* A child process, one for each connection. */
struct serve_process {
	pid_t pid;
	int fd;               /* this end of the socket pair: serve_child.h */
	enum serve_child_state state;
	uint64_t since_ns;
	char peer[128];
	char reason[ERR_TEXT_MAX]; /* why the peer is not a client */
	bool perftest;        /* it is perftest */
};

struct serve {
	const struct cfg *cfg;
	enum serve_for how_many;
	const struct serve_printer *printer; /* NULL: the outputs of the options */
	int listener;              /* -1: no more connections are accepted */
	uint64_t pause_until_ns;
	uint64_t stop_by_ns;       /* 0: no stop was asked for */
	int status;                /* SERVE_ONE_CLIENT: of its session */
	bool over;                 /* nothing is left to do */
	uint64_t ignored_since_ns, ignored;
	uint32_t n;
	struct serve_process children[SERVE_MAX_CHILDREN]; /* oldest first */
};

void serve_close_listener(struct serve *s);

/* Logs a connection that is not a client; of many in a minute only the number. */
void serve_log_ignored(struct serve *s, const char *peer, const char *reason);

/* Logs how many of them were not logged. */
void serve_flush_ignored(struct serve *s);

/* Starts the child of a connection. -errno without an error message. */
int serve_processes_start(struct serve *s, struct ctl *ctl) __attribute__((warn_unused_result));

/* Child i has written, or it has ended: then those behind it move down by one. */
void serve_processes_receive(struct serve *s, uint32_t i);

/* Ends the children that are late. Returns when the next deadline is, CLOCK_MONOTONIC_RAW ns. */
uint64_t serve_processes_expire(struct serve *s);

/* Asks every session to stop. */
void serve_processes_stop(const struct serve *s);

void serve_processes_kill_all(struct serve *s);

#endif
