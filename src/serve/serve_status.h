/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Who may look at a running server, and how: a Unix socket for its owner and root, and with
 * --metrics a TCP socket that answers GET /metrics. Each connection has one question, one answer,
 * a deadline, and room of its own; there are few of them. Nothing waits.
 */
#ifndef SERVE_STATUS_H
#define SERVE_STATUS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#include "config/cfg.h"

#define SERVE_STATUS_CLIENTS 8u
#define SERVE_STATUS_POLLS (2u + SERVE_STATUS_CLIENTS)
#define SERVE_STATUS_ASKS 1024u /* bytes of a question */

enum serve_status_what { SERVE_STATUS_JSON, SERVE_STATUS_METRICS };

/* The answer, freed by the caller; NULL: no memory. */
struct serve_status_source {
	char *(*text)(const void *arg, enum serve_status_what what);
	const void *arg;
};

struct serve_status_client {
	int fd;               /* -1: free */
	bool owner;           /* over the Unix socket: may ask for everything */
	uint64_t until_ns;
	size_t in_len, out_len, out_at;
	char *out;            /* NULL: it still asks */
	char in[SERVE_STATUS_ASKS];
};

struct serve_status {
	int own_fd, tcp_fd;   /* -1: none */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* of own_fd */
	struct serve_status_client clients[SERVE_STATUS_CLIENTS];
};

/* Nothing is open yet. */
void serve_status_init(struct serve_status *st);

/*
 * Opens both. port: TCP port of the server, which names the Unix socket. A server without that
 * socket still serves: a note says why there is none. -errno with an error message: --metrics.
 */
int serve_status_open(struct serve_status *st, const struct cfg *cfg, uint32_t port)
	__attribute__((warn_unused_result));

/* Fills p, SERVE_STATUS_POLLS of them. Returns when one is late, UINT64_MAX never. */
uint64_t serve_status_polls(const struct serve_status *st, struct pollfd *p);

/* p: after poll(2), as it was filled. */
void serve_status_handle(struct serve_status *st, const struct pollfd *p,
			 const struct serve_status_source *source);

/* leave: in the process of a session, the socket stays the server's; else its name is removed. */
void serve_status_close(struct serve_status *st, bool leave);

/* "verbench serve --status": asks the server of that port, and prints. Returns the exit status. */
int serve_status_ask(const struct cfg *cfg);

#endif
