/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The responder of all operations. It runs in the process of the requester and works on the memory
 * of the peer. Called by the requester with a message; knows no send queue.
 */
#ifndef RESPONDER_H
#define RESPONDER_H

#include "transport/message.h"
#include "transport/object.h"

enum responder_result {
	RESPONDER_OK,
	RESPONDER_NO_ANSWER, /* RC times out */
	RESPONDER_RNR,       /* RNR NAK: there is no receive */
	RESPONDER_INVALID,   /* NAK: invalid request */
	RESPONDER_ACCESS,    /* NAK: remote access error */
	RESPONDER_OP_ERROR,  /* NAK: remote operational error */
};

/* Executes a message on a QP that was found; takes the lock of the QP. */
enum responder_result responder_execute(struct remote *r, struct msg *m);
/* Time of an RNR NAK timer code (IBA vol. 1, table 45), in ns. */
uint64_t responder_rnr_ns(uint8_t code);

/* All below: under the lock of the QP. */

/* RDMA write, RDMA read, atomics. */
enum responder_result responder_one_sided(struct remote *r, struct msg *m);

/* responder_recv.c */

/* Operations that take a receive. */
enum responder_result responder_receive(struct remote *r, struct msg *m);
/* Puts a QP of any process into the error state: flushes its receives, and wakes its process. */
void responder_error(struct peer *peer, struct shm_qp *s);
void responder_flush(struct peer *peer, struct shm_qp *s);

#endif
