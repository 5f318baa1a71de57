/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The process of one session, from the fork to its exit. It talks to the server's process over a
 * socket pair (SOCK_SEQPACKET):
 *   1. to the server    "P"         the peer sent hello and a plan: may the session run?
 *   2. to the child     "G", or "B" and a reason: run it, or send the reason to the peer and exit
 *   3. to the server    "R" and a reason: the peer is not a client
 *   4. end of file      the process has ended
 */
#ifndef SERVE_CHILD_H
#define SERVE_CHILD_H

#include <sys/types.h>

#include "config/cfg.h"
#include "control/ctl.h"

struct serve_child {
	const struct cfg *cfg;
	struct ctl *ctl;       /* the accepted connection */
	int fd;                /* the child's end of the pair */
	pid_t server;
};

/* In the forked child, with the parent's descriptors closed. Exits with the session's status. */
void serve_child_run(const struct serve_child *child) __attribute__((noreturn));

#endif
