/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns membership by rdma_cm; see cm_mcast.h. Called by point/point_group.c. */
#include "config.h"

#include "cm/cm_mcast.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cm/cm_address.h"
#include "config/mcast.h"
#include "limits/gid_text.h"
#include "util/err.h"
#include "util/log.h"

#define DOING 96

static struct sockaddr *address(struct sockaddr_storage *a)
{
	return (struct sockaddr *)a;
}

static int set_group(struct sockaddr_storage *to, const char *text)
{
	struct mcast_group group;
	int rc = mcast_parse(&group, text);

	if (rc)
		return rc;
	memset(to, 0, sizeof(*to));
	to->ss_family = group.v4 ? AF_INET : AF_INET6;
	if (group.v4)
		memcpy(&((struct sockaddr_in *)to)->sin_addr, group.addr, 4);
	else
		memcpy(&((struct sockaddr_in6 *)to)->sin6_addr, group.addr, 16);
	return 0;
}

/* An id on the planned device and port: rdma_cm finds them by an address. */
static int bind_id(struct cm_mcast *m, const struct plan *plan, const struct dev *dev,
		   enum side side)
{
	struct sockaddr_storage own;
	char text[CM_ADDRESS_TEXT];
	int rc = cm_address_own(&own, dev, plan_gid_index(plan, side));

	if (!rc)
		rc = cm_open(&m->cm);
	if (rc)
		return rc;
	errno = 0;
	if (rdma_create_id(m->cm.channel, &m->id, NULL, RDMA_PS_UDP))
		return cm_call_failed("rdma_create_id", "joining the multicast group");
	cm_address_text(address(&own), text, sizeof(text));
	if (rdma_bind_addr(m->id, address(&own)))
		return cm_call_failed("rdma_bind_addr", text);
	if (m->id->verbs && m->id->port_num == dev->limits.port &&
	    !strcmp(ibv_get_device_name(m->id->verbs->device), dev->limits.device))
		return 0;
	return err_set(-ENODEV, "--mcast-join cm: rdma_cm finds %s port %u for address %s, the plan has %s port %u: several RDMA devices share this address",
		       m->id->verbs ? ibv_get_device_name(m->id->verbs->device) : "no device",
		       m->id->port_num, text, dev->limits.device, dev->limits.port);
}

/* Members with another Q_Key or MGID would not hear the sender. */
static int take_join(struct cm_mcast *m, const struct plan *plan, const struct dev *dev,
		     const struct rdma_ud_param *ud)
{
	char mgid[GID_TEXT_MAX];

	m->mgid = ud->ah_attr.grh.dgid;
	m->mlid = ud->ah_attr.dlid;
	gid_text(m->mgid.raw, mgid, sizeof(mgid));
	if (ud->qkey != MCAST_QKEY)
		return err_set(-EPROTO, "--mcast-join cm: the group %s has Q_Key 0x%08x instead of 0x%08x",
			       plan->path.mcast, ud->qkey, MCAST_QKEY);
	/* a subnet manager may give another scope */
	if (dev->limits.ethernet && strcmp(mgid, plan->path.mgid))
		return err_set(-EPROTO, "--mcast-join cm: the group %s has MGID %s instead of %s",
			       plan->path.mcast, mgid, plan->path.mgid);
	return 0;
}

int cm_mcast_join(struct cm_mcast *m, const struct plan *plan, const struct dev *dev,
		  enum side side, const struct cm_wait *wait)
{
	struct cm_event event;
	char doing[DOING];
	int rc = set_group(&m->group, plan->path.mcast);

	if (!rc)
		rc = bind_id(m, plan, dev, side);
	if (rc)
		return rc;
	snprintf(doing, sizeof(doing), "joining the multicast group %s", plan->path.mcast);
	errno = 0;
	if (rdma_join_multicast(m->id, address(&m->group), NULL))
		return cm_call_failed("rdma_join_multicast", doing);
	m->joined = true;
	rc = cm_expect(&m->cm, &event, RDMA_CM_EVENT_MULTICAST_JOIN, wait, doing);
	return rc ? rc : take_join(m, plan, dev, &event.param.ud);
}

void cm_mcast_leave(struct cm_mcast *m)
{
	if (m->joined && rdma_leave_multicast(m->id, address(&m->group)))
		log_note("cannot leave the multicast group by rdma_cm: %s", strerror(errno));
	m->joined = false;
	if (m->id && rdma_destroy_id(m->id))
		log_note("cannot destroy the id of the multicast group: %s", strerror(errno));
	m->id = NULL;
	cm_close(&m->cm);
}
