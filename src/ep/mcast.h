/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The multicast group of an endpoint: its address, which the sender uses as that of its peer, and
 * the membership of a receiver.
 */
#ifndef RDMA_MCAST_H
#define RDMA_MCAST_H

#include "ep/ep.h"

/* The group on the ports of a plan: the MGID of the plan, or what rdma_cm says. */
struct mcast_port {
	union ibv_gid mgid;
	uint16_t mlid;     /* InfiniBand */
};

/* By the plan alone. -EINVAL with an error message. */
int mcast_port_of(struct mcast_port *port, const struct plan *plan, const struct dev *dev)
	__attribute__((warn_unused_result));

/*
 * The group as an address: its MGID, all members' QP number, the common Q_Key. addr->qps is
 * allocated (ep_addr_free). -ENOMEM with an error message.
 */
int mcast_address(struct ep_addr *addr, const struct mcast_port *port)
	__attribute__((warn_unused_result));

/* Attaches the QP of a receiver, in RTR or later, to the group. -errno with an error message. */
int mcast_attach(struct ep *ep, const struct mcast_port *port) __attribute__((warn_unused_result));

/*
 * Before ep_close(), as a QP that is attached cannot be destroyed. Messages that arrive after it
 * take receives of the QP, and are gone with its queue. Accepts an ep that is not attached.
 */
void mcast_detach(struct ep *ep);

#endif
