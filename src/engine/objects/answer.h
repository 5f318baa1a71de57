/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the server does for a client that measures setup: it makes QPs on request, and accepts
 * connections by rdma_cm. The QPs of both count together.
 */
#ifndef ANSWER_H
#define ANSWER_H

#include "objects/qps.h"

/* QPs that one run may ask for, at a time and one after the other. */
#define ANSWER_AT_ONCE 16384u
#define ANSWER_MAX_QPS 100000000u

struct answer {
	struct qps qps;
	uint32_t max;      /* QPs at a time */
	uint32_t n;        /* QPs that exist */
	uint32_t taken;    /* with those by rdma_cm */
	uint64_t made;     /* so far */
	struct qps_cm cm;  /* while listening */
	bool listening;
	struct rdma_cm_id **ids; /* of the connections by rdma_cm: room for max */
	uint32_t n_ids;
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
 * Makes a QP for each one of the peer and connects them: INIT, RTR, RTS. a->qps.ep.addr is their
 * address. -errno with an error message: what exists then is destroyed by answer_close().
 */
int answer_connect(struct answer *a, const struct ep_addr *peer)
	__attribute__((warn_unused_result));

/* Destroys them. None: no error. */
int answer_disconnect(struct answer *a) __attribute__((warn_unused_result));

/* Sends an empty message with invalidate on the first QP, and waits for its completion. */
int answer_invalidate(struct answer *a, uint32_t rkey) __attribute__((warn_unused_result));

/*
 * Listens by rdma_cm on the address of the planned GID, at any port: cm_address, cm_port and
 * cm_token of addr. Each request must begin with the token: 8 bytes, big-endian. -errno with an
 * error message.
 */
int answer_listen(struct answer *a, struct ep_addr *addr) __attribute__((warn_unused_result));

/* Takes an event. What is wrong with one connection ends that connection, and is logged. */
void answer_event(struct answer *a, const struct cm_event *event);

/* Ends all connections by rdma_cm. Also when it does not listen. */
void answer_unlisten(struct answer *a);

void answer_close(struct answer *a);

#endif
