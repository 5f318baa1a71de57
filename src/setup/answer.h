/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the server does for a client that measures setup: it makes QPs on request. Those that the
 * client connects by rdma_cm (answer_cm.h) count with them.
 */
#ifndef ANSWER_H
#define ANSWER_H

#include "setup/conn.h"

/* QPs that one run may ask for, at a time and one after the other. */
#define ANSWER_AT_ONCE 16384u
#define ANSWER_MAX_QPS 100000000u

struct answer {
	struct conn conn;
	uint32_t n;        /* QPs that exist */
	uint32_t taken;    /* with those by rdma_cm */
	uint64_t made;     /* so far */
};

/*
 * At most ANSWER_AT_ONCE at a time, or what the device has, or what the owner of the server allows.
 * -errno with an error message; answer_close() is due anyway.
 */
int answer_open(struct answer *a, const struct dev *dev, const struct plan *plan)
	__attribute__((warn_unused_result));

/* May there be n QPs more? -errno with an error message: no. */
int answer_room(const struct answer *a, uint64_t n) __attribute__((warn_unused_result));
/* The same, and counts them and their memory, until answer_give(). */
int answer_take(struct answer *a, uint32_t n) __attribute__((warn_unused_result));
void answer_give(struct answer *a, uint32_t n);

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
