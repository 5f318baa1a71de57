/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The IP addresses by which rdma_cm finds devices. It takes no GIDs: an address leads to a network
 * interface, and that to a device and its port.
 */
#ifndef CM_ADDRESS_H
#define CM_ADDRESS_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include "cm/cm.h"
#include "device/dev.h"
#include "endpoint/ep.h"

/*
 * The IP address of an entry of the device's GID table: on RoCE the GID itself; on iWARP and
 * InfiniBand an address of the network interface that the GID table names, else of the one whose
 * link address is in the GID. With port 0.
 * -EADDRNOTAVAIL with an error message: there is none.
 */
int cm_address_own(struct sockaddr_storage *address, const struct dev *dev, uint32_t gid_index)
	__attribute__((warn_unused_result));

/*
 * The address that a peer has sent, "10.0.0.1" or "fd00::1". A link-local one is on the interface
 * of own. -EBADMSG with an error message: it is none, or port is not one of 1 to 65535.
 */
int cm_address_peer(struct sockaddr_storage *address, const char *text, uint32_t port,
		    const struct sockaddr_storage *own) __attribute__((warn_unused_result));

/* "10.0.0.1": without port and interface, as cm_address_peer() reads it. Returns text. */
const char *cm_address_plain(const struct sockaddr_storage *address, char *text, size_t size);

/* ---- cm_local */

/* This side of rdma_cm: channel and address; of a server of connections also its token. */

struct cm_local {
	struct cm cm;
	const struct dev *dev;
	const char *option;           /* what error messages of the device begin with: "-R: ", "" */
	struct sockaddr_storage own;  /* address of the planned GID, port 0 */
	struct rdma_cm_id *bound;     /* to own; of a server it listens */
	uint64_t token;               /* server: each request of its client must have it */
};

/* Opens rdma_cm. dev and option are set. -errno with an error message; cm_local_close() is due. */
int cm_local_open(struct cm_local *local, uint32_t gid_index) __attribute__((warn_unused_result));

/* Makes the bound id. -errno with an error message. */
int cm_local_bind(struct cm_local *local, enum rdma_port_space space)
	__attribute__((warn_unused_result));

/* The same; makes the token and listens at any port. -errno with an error message. */
int cm_local_listen(struct cm_local *local, enum rdma_port_space space, int backlog)
	__attribute__((warn_unused_result));

/* Writes what the client must know into the server's own address. */
void cm_local_publish(const struct cm_local *local, struct ep_addr *own);

/* Is the id on the planned device and port? -ENODEV with an error message. */
int cm_local_check(const struct cm_local *local, const struct rdma_cm_id *id)
	__attribute__((warn_unused_result));

/* Rejects a connection request, which gets the reason, and destroys its id. */
void cm_local_reject(struct rdma_cm_id *id, const char *reason);

/* Accepts a zeroed or half-opened one. All ids but the bound one are destroyed before. */
void cm_local_close(struct cm_local *local);

/* ---- cm_mcast */

/*
 * Joins a multicast group by rdma_cm: on RoCE the kernel joins the IP group (IGMP), on InfiniBand
 * it joins at the subnet manager. The QPs stay their owner's: the id has none, so that librdmacm
 * attaches nothing.
 */

struct cm_mcast {
	struct cm_local local;
	struct sockaddr_storage group;
	bool joined;
	union ibv_gid mgid;            /* of the group, as rdma_cm has it */
	uint16_t mlid;                 /* InfiniBand */
};

/*
 * m is zeroed. 0 when the event MULTICAST_JOIN has come. Errors, each with an error message:
 * -ETIMEDOUT; -EADDRNOTAVAIL, -ENODEV as cm_links_open(); -EPROTO the group has another Q_Key, or
 * on Ethernet another MGID, than the plan; others of librdmacm. cm_mcast_leave() after an error,
 * too.
 */
int cm_mcast_join(struct cm_mcast *m, const struct plan *plan, const struct dev *dev,
		  enum side side, const struct cm_wait *wait) __attribute__((warn_unused_result));

/* After the QP is detached. Accepts a zeroed or half-joined one. */
void cm_mcast_leave(struct cm_mcast *m);

#endif
