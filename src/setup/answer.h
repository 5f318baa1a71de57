/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the server does for a client that measures setup: it makes QPs on request. */
#ifndef ANSWER_H
#define ANSWER_H

#include "setup/conn.h"

/* QPs that one run may ask for, at a time and one after the other. */
#define ANSWER_AT_ONCE 16384u
#define ANSWER_MAX_QPS 100000000u

struct answer {
	struct conn conn;
	uint32_t n;        /* QPs that exist */
	uint64_t made;     /* so far */
};

/*
 * At most ANSWER_AT_ONCE at a time, or what the device has. -errno with an error message;
 * answer_close() is due anyway.
 */
int answer_open(struct answer *a, const struct dev *dev, const struct plan *plan)
	__attribute__((warn_unused_result));

/*
 * Makes a QP for each one of the peer and connects them: INIT, RTR, RTS. a->conn.addr is their
 * address. -errno with an error message: what exists then is destroyed by answer_close().
 */
int answer_connect(struct answer *a, const struct ep_addr *peer)
	__attribute__((warn_unused_result));

/* Destroys them. None: no error. */
int answer_disconnect(struct answer *a) __attribute__((warn_unused_result));

/* Sends an empty message with invalidate on the first QP, and waits for its completion. */
int answer_invalidate(struct answer *a, uint32_t rkey) __attribute__((warn_unused_result));

void answer_close(struct answer *a);

#endif
