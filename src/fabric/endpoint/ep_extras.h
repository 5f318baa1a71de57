/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What some tests add to an endpoint: memory windows, an alternate path, a multicast group.
 *
 * Memory windows (--mw): one per QP, over the buffers of that QP. The region
 * grants no remote right then; the windows do.
 *
 * A window is bound by a request on its QP, which must be connected before; but the peer must know
 * the R_Key before it connects. So the key that the window will have is announced: for type 2 the
 * program chooses it (ibv_post_send(3)), and for type 1 all providers take the next one, as
 * ibv_inc_rkey() gives it; if one does not, ep_mw_bind() says so.
 */
#ifndef EP_EXTRAS_H
#define EP_EXTRAS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "endpoint/ep.h"

/*
 * Allocates the windows if plan and side want some, and announces their keys in ep->addr. QPs and
 * memory are open. Errors of verbs, with an error message.
 */
int ep_mw_open(struct ep *ep, const struct plan *plan, enum side side)
	__attribute__((warn_unused_result));

/*
 * Binds them and waits for the completions. The QPs are in RTS, and nothing is posted to them. -EIO
 * or -ETIMEDOUT with an error message.
 */
int ep_mw_bind(struct ep *ep, const struct plan *plan) __attribute__((warn_unused_result));

/* Before the QPs and the memory: a QP of rxe with a bound window of type 2 is not destroyed. */
void ep_mw_close(struct ep *ep);

/*
 * Path migration (APM) of the QPs of an endpoint over RC: the alternate path leads from another
 * port of this device to another port of the peer's. Both sides load it and ask for REARM; a QP
 * becomes ARMED when messages of both directions have shown that the other side is ready; then one
 * side asks for MIGRATED, and the other one follows with the next message. Sources:
 * ibv_modify_qp(3), InfiniBand Architecture Specification vol. 1, 17.2.8.
 */

/*
 * Fills ep->addr.alt_gid and alt_lid: the GID of the alternate port that is of the same type,
 * family and scope as that of the path. -EINVAL with an error message: there is none.
 */
int ep_apm_address(struct ep *ep, const struct plan *plan, enum side side)
	__attribute__((warn_unused_result));

/* The QPs are in RTS: loads the alternate path to peer, and asks for REARM. Errors of verbs. */
int ep_apm_load(struct ep *ep, const struct plan *plan, const struct ep_addr *peer)
	__attribute__((warn_unused_result));

/* 1: every QP is armed, or has migrated already; 0: not yet; or errors of verbs. */
int ep_apm_ready(const struct ep *ep) __attribute__((warn_unused_result));

/* Asks every QP for MIGRATED; those that have migrated stay. Errors of verbs. */
int ep_apm_migrate(struct ep *ep) __attribute__((warn_unused_result));

/*
 * --qp-rate: the device paces each QP if this side sends; they are in RTS. The plan has checked
 * that it can. Errors of verbs, with an error message.
 */
int ep_pace(struct ep *ep, const struct plan *plan, enum side side)
	__attribute__((warn_unused_result));

/*
 * The multicast group of an endpoint: its address, which the sender uses as that of its peer, and
 * the membership of a receiver.
 */

/* The group on the ports of a plan: the MGID of the plan, or what rdma_cm says. */
struct ep_mcast_port {
	union ibv_gid mgid;
	uint16_t mlid;     /* InfiniBand */
};

/* By the plan alone. -EINVAL with an error message. */
int ep_mcast_port_of(struct ep_mcast_port *port, const struct plan *plan, const struct dev *dev)
	__attribute__((warn_unused_result));

/*
 * The group as an address: its MGID, all members' QP number, the common Q_Key. addr->qps is
 * allocated (ep_addr_free). -ENOMEM with an error message.
 */
int ep_mcast_address(struct ep_addr *addr, const struct ep_mcast_port *port)
	__attribute__((warn_unused_result));

/* Attaches the QP of a receiver, in RTR or later, to the group. -errno with an error message. */
int ep_mcast_attach(struct ep *ep, const struct ep_mcast_port *port)
	__attribute__((warn_unused_result));

/*
 * Before ep_close(), as a QP that is attached cannot be destroyed. Messages that arrive after it
 * take receives of the QP, and are gone with its queue. Accepts an ep that is not attached.
 */
void ep_mcast_detach(struct ep *ep);

/*
 * The proof that a peer receives at the address that it has named. Over UC and UD nobody answers a
 * message: a side that believed the control connection could be made to send to any host, without
 * end. So each side has a QP of UD for the proof, and a secret number. The client sends its number,
 * the server answers each datagram that comes from the named GID (or LID) and QP with its own. A
 * side that says the other's number on the control connection has received it at that address.
 * Until then a datagram is empty, and one is sent for one that came; only the client sends unasked,
 * a few in a second.
 *
 * RC, XRC and DC need none: a host that does not answer gets what the retries of a QP allow.
 */

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
