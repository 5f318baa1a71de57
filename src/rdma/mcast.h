/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The multicast group of an endpoint: its address, which the sender uses as that of its peer, and
 * the membership of a receiver.
 */
#ifndef RDMA_MCAST_H
#define RDMA_MCAST_H

#include "rdma/ep.h"

/*
 * The group as an address: its MGID, all members' QP number, the common Q_Key. addr->qps is
 * allocated (ep_addr_free). -ENOMEM with an error message.
 */
int mcast_address(struct ep_addr *addr, const struct plan *plan)
	__attribute__((warn_unused_result));

/*
 * Attaches the QP of a receiver, in RTR or later, to the group of the plan: see --mcast-join.
 * -errno with an error message.
 */
int mcast_join(struct ep *ep, const struct plan *plan) __attribute__((warn_unused_result));

/*
 * Before ep_close(), as a QP that is attached cannot be destroyed. Messages that arrive after it
 * take receives of the QP, and are gone with its queue. Accepts an ep that has not joined.
 */
void mcast_leave(struct ep *ep);

#endif
