/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The other sides of a session: one, or the receivers of a multicast group. Each has a control
 * connection; a message to all of them is the same.
 */
#ifndef PEERS_H
#define PEERS_H

#include <stdint.h>
#include <jansson.h>

#include "control/ctl.h"

struct peers {
	struct ctl *const *ctl; /* n of them, at least one; borrowed */
	uint32_t n;
};

/* To each in turn, as ctl_send(): steals msg. The first error ends it. */
int peers_send(const struct peers *p, json_t *msg, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/* A message from each that is nothing but its type, as ctl_recv(). */
int peers_recv_plain(const struct peers *p, const char *type, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/*
 * The session failed with rc: tells those that do not know it, by ctl_abort(). A single peer that
 * sent abort itself, or is gone, knows it.
 */
void peers_abort(const struct peers *p, int rc, const char *reason);

/* The largest round trip of all, as ctl_rtt_ns(). */
uint64_t peers_rtt_ns(const struct peers *p);

/* No step waits for the user's stop any more. */
void peers_forget_signals(const struct peers *p);

#endif
