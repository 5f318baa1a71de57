/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Client and server of one run: the order of messages, points, results. */
#ifndef SESSION_H
#define SESSION_H

#include "config/cfg.h"
#include "session/ctl.h"

/* The whole run of a client; returns the exit status. cfg->host is set. */
int session_client(const struct cfg *cfg);

/*
 * The server's side on an accepted connection; returns the exit status. proven is called once, as
 * soon as the peer has said a valid hello and a plan message was received (serve.c then counts it
 * as a client). SESSION_NO_CLIENT is returned when the peer never got that far: it was no client of
 * ours.
 */
#define SESSION_NO_CLIENT 70
struct session_proven {
	void (*call)(void *arg);
	void *arg;
};
int session_server(const struct cfg *cfg, struct ctl *ctl, const struct session_proven *proven);

#endif
