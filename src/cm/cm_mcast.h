/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Joins a multicast group by rdma_cm: on RoCE the kernel joins the IP group (IGMP), on InfiniBand
 * it joins at the subnet manager. The QPs stay their owner's: the id has none, so that librdmacm
 * attaches nothing.
 */
#ifndef CM_MCAST_H
#define CM_MCAST_H

#include "cm/cm.h"
#include "plan/plan.h"
#include "rdma/dev.h"

struct cm_mcast {
	struct cm cm;
	struct rdma_cm_id *id;         /* bound to the address of the planned GID */
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
