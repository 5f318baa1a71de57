/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Connects the QPs of all threads of one side with those of the peer by rdma_cm, and disconnects
 * them. The QPs are those of ep.h, and stay their owner's: rdma_cm only gives the address vector,
 * the peer's QP number and the PSN, and each side moves its QPs itself, with the plan's timers
 * (ep_attr_rtr_cm()). On iWARP the kernel moves the QPs; for datagrams rdma_cm looks up the address
 * handle, the QP number and the Q_Key.
 *
 * The server listens on the address of its GID at any port, and sends both to the client. Each QP
 * of the client asks for its own connection. The private data of the request names the QP; the
 * server rejects what is not of this run, with its reason as text.
 */
#ifndef CM_LINKS_H
#define CM_LINKS_H

#include <stdint.h>

#include "cm/cm.h"
#include "ep/ep.h"

enum cm_link_state {
	CM_LINK_NONE,
	CM_LINK_ADDRESS,  /* client: the address is being resolved */
	CM_LINK_ROUTE,    /* client: the route is */
	CM_LINK_ANSWER,   /* client: the request is sent. server: the answer is */
	CM_LINK_UP,
	CM_LINK_DOWN      /* disconnected */
};

struct cm_link {
	struct rdma_cm_id *id;
	enum cm_link_state state;
	uint32_t index;      /* thread * QPs of a thread + QP */
	uint32_t ports;      /* client: of this host that were in use */
};

/* The endpoint of a thread and the address of its peer, which rdma_cm completes over UD. */
struct cm_pair {
	struct ep *ep;
	struct ep_addr *peer;
};

struct cm_links {
	const struct plan *plan;
	const struct dev *dev;
	enum side side;
	struct cm cm;
	struct rdma_cm_id *listener;  /* server */
	struct sockaddr_storage own;  /* address of this side; of a server with its port */
	struct sockaddr_storage to;   /* client: the server's */
	uint64_t token;               /* the server's */
	struct cm_pair *pairs;        /* owned; one per thread, filled by the caller */
	struct cm_link *links;        /* owned; one per QP of all threads */
	uint32_t n, started, up;      /* QPs; asked for; connected */
};

/*
 * Opens rdma_cm on the planned device; a server listens then. The caller fills links->pairs.
 * Errors, each with an error message: -EINVAL the sides have not as many QPs; -EADDRNOTAVAIL the
 * GID has no IP address; -ENODEV the address belongs to another device or port; others of
 * librdmacm.
 */
int cm_links_open(struct cm_links *links, const struct plan *plan, const struct dev *dev,
		  enum side side) __attribute__((warn_unused_result));

/* Server: writes what the client must know into its own address. */
void cm_links_publish(const struct cm_links *links, struct ep_addr *own);

/* How long connecting may take, beyond the time that the caller gives the peer for a message. */
uint32_t cm_links_allowance_ms(const struct plan *plan);

/*
 * Goes on to connect until all QPs are connected, 1, or until a fd of wait is readable, 0; then it
 * may be called again with the same deadline. -ETIMEDOUT at the deadline, and other errors, each
 * with an error message that names the QP.
 */
int cm_links_connect(struct cm_links *links, const struct cm_wait *wait)
	__attribute__((warn_unused_result));

/* While the loops run: any event is an error, which it names. Does not wait. */
int cm_links_check(struct cm_links *links) __attribute__((warn_unused_result));

/*
 * Disconnects all connections and waits until the peer has done it too, for a short time. The
 * loops have ended; the QPs are still there.
 */
void cm_links_disconnect(struct cm_links *links);

/* Accepts a zeroed or half-opened one. The QPs are destroyed before. */
void cm_links_close(struct cm_links *links);

#endif
