/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The responder's side of every operation, carried out by the requester's process on the peer's
 * memory. Called by req.c with the message as it is on the wire; knows nothing of send queues.
 */
#ifndef EXEC_H
#define EXEC_H

#include "hca.h"
#include "peer.h"

enum exec_result {
	EXEC_OK,
	EXEC_SILENT,  /* nobody answers: RC will time out */
	EXEC_RNR,
	EXEC_INVALID, /* NAK: invalid request */
	EXEC_ACCESS,  /* NAK: remote access error */
	EXEC_BROKEN,  /* NAK: remote operational error */
};

struct msg {
	uint32_t opcode, type; /* enum ibv_wr_opcode, enum ibv_qp_type */
	uint32_t imm, len, src_qpn, dest_qpn, qkey, rkey, rq_psn;
	uint8_t solicited, sl, has_grh, multicast;
	uint32_t from_dev;
	union ibv_gid sgid, dgid;
	uint64_t raddr, compare, swap;
	uint64_t old; /* what an atomic found */
	const struct iovec *src; /* send, write: where the bytes are */
	const struct iovec *into; /* read: where they go */
	uint32_t n_iov;
};

/* The QP of that number; 0 or -ESRCH. Kept up to date: cheap to ask again for each message. */
int exec_find(struct remote *r, uint32_t qpn);
void exec_forget(struct remote *r);
enum exec_result exec(struct remote *r, struct msg *m);
/* RNR NAK timer of the QP (IBA vol. 1, table 45), ns. */
uint64_t exec_rnr_ns(uint8_t code);

/* Writes, reads, atomics; under s->lock. */
enum exec_result exec_one_sided(struct remote *r, struct msg *m);

/* exec_recv.c: under s->lock. */
enum exec_result exec_recv(struct remote *r, struct msg *m);
/* Into the error state: receives are flushed, the owner told. From any process, under s->lock. */
void exec_error(struct peer *peer, struct shm_qp *s);
void exec_flush_recvs(struct peer *peer, struct shm_qp *s);
void exec_async(struct peer *peer, const struct shm_qp *s, enum ibv_event_type type);

#endif
