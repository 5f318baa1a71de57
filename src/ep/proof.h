/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The proof that a peer receives at the address that it has named. Over UC and UD nobody answers a
 * message: a side that believed the control connection could be made to send to any host, without
 * end. So each side has a QP of UD for the proof, and a secret number. The client sends its number,
 * the server answers each datagram that comes from the named GID (or LID) and QP with its own. A
 * side that says the other's number on the control connection has received it at that address.
 * Until then a datagram is empty, and one is sent for one that came; only the client sends
 * unasked, a few in a second. Called by point/point_prove.c, before the timed region.
 *
 * RC, XRC and DC need none: a host that does not answer gets what the retries of a QP allow.
 */
#ifndef PROOF_H
#define PROOF_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "ep/ep.h"

#define PROOF_RECEIVES 16

struct proof {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	struct ibv_mr *mr;     /* of grh */
	uint32_t number;       /* of this side */
	bool sending;          /* a datagram has not completed yet */
	bool routed;           /* all packets have a GRH */
	struct ibv_grh grh[PROOF_RECEIVES];
};

/* Over UC and UD, but to a group: its members send nothing, and nobody is its only receiver. */
bool proof_is_due(const struct plan *plan);

/*
 * The QP, ready to receive; its number and Q_Key come into ep->addr. ep is open, and closed later.
 * Errors of verbs, with an error message; proof_close() in any case.
 */
int proof_open(struct proof *p, struct ep *ep, const struct plan *plan)
	__attribute__((warn_unused_result));

/*
 * One datagram, which may be lost; none while the one before has not left. -errno with an error
 * message.
 */
int proof_send(struct proof *p, const struct ep *ep, const struct plan *plan,
	       const struct ep_addr *peer, enum side side) __attribute__((warn_unused_result));

/*
 * Takes a datagram, without blocking: 1 and the peer's number, or 0. -EPROTO with an error message:
 * it is not from the QP and the address that the peer has named; -errno. Where every packet has a
 * GRH and a completion has none, the device does not tell the address (EFA: rdma-core,
 * providers/efa/verbs.c): then the number alone is the proof.
 */
int proof_take(struct proof *p, const struct ep *ep, const struct ep_addr *peer, uint32_t *number)
	__attribute__((warn_unused_result));

/* Accepts a zeroed or half-open one. */
void proof_close(struct proof *p);

#endif
