/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Connects the QPs of all threads of one side with those of the peer by rdma_cm, and disconnects
 * them. The QPs are those of ep.h, and stay their owner's: rdma_cm only gives the address vector,
 * the peer's QP number and the PSN, and each side moves its QPs itself, with the plan's timers
 * (ep_attr_rtr()). On iWARP the kernel moves the QPs; for datagrams rdma_cm looks up the address
 * handle, the QP number and the Q_Key.
 *
 * The server listens on the address of its GID at any port, and sends both to the client. Each QP
 * of the client asks for its own connection. The private data of the request names the QP; the
 * server rejects what is not of this run, with its reason as text.
 */
#ifndef CM_LINKS_H
#define CM_LINKS_H

#include <stdint.h>

#include "cm/cm_address.h"

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
	enum side side;
	struct cm_local local;        /* its token, of a client too: the server's */
	struct sockaddr_storage to;   /* client: the server's */
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

/* ---- cm_links_own */

/* What the files of cm_links share. */

#define CM_LINKS_MAGIC 0x7662636du /* "vbcm" */

/* The private data of a connection request, in network order. */
struct cm_links_request {
	uint32_t magic;
	uint32_t thread, qp;
	uint32_t token_high, token_low;
};

/* "connecting QP 3 of thread 1 to 10.0.0.2 port 4711". Returns text. */
#define CM_LINKS_DOING 128
const char *cm_links_doing(const struct cm_links *links, const struct cm_link *link, char *text);

/* The call of librdmacm has failed with errno: an error message that names it and the QP. */
int cm_links_failed(const struct cm_links *links, const struct cm_link *link, const char *call);

/* What both sides send: reads and atomics as in the plan. private_data is the caller's to fill. */
struct rdma_conn_param cm_links_param(const struct cm_links *links, const struct cm_link *link);

/* RC over IB and RoCE: INIT to RTS by the attributes that the id has. Errors with a message. */
int cm_links_move(struct cm_links *links, struct cm_link *link) __attribute__((warn_unused_result));

/* The link is connected. */
void cm_links_is_up(struct cm_links *links, struct cm_link *link);

struct ep *cm_links_ep(const struct cm_links *links, const struct cm_link *link);
uint32_t cm_links_qp(const struct cm_links *links, const struct cm_link *link);

/* cm_links_client.c: starts what may be started; takes an event. */
int cm_links_ask(struct cm_links *links, const struct cm_wait *wait)
	__attribute__((warn_unused_result));
int cm_links_client_event(struct cm_links *links, const struct cm_event *event,
			  const struct cm_wait *wait) __attribute__((warn_unused_result));

#endif
