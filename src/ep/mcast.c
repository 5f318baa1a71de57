/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns membership in multicast groups; see mcast.h. Called by point/point_group.c. */
#include "config.h"
#include "ep/mcast.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/mcast.h"
#include "limits/gid_text.h"
#include "util/err.h"
#include "util/log.h"

/*
 * The lowest multicast LID: IBA vol. 1, 4.1.3. Only on InfiniBand, where a subnet manager assigns
 * others; the loopback of a port takes it.
 */
#define MLID_FIRST 0xc000u

int mcast_port_of(struct mcast_port *port, const struct plan *plan, const struct dev *dev)
{
	*port = (struct mcast_port){ .mlid = dev->limits.ethernet ? 0 : MLID_FIRST };
	if (inet_pton(AF_INET6, plan->path.mgid, port->mgid.raw) == 1)
		return 0;
	return err_set(-EINVAL, "MGID \"%s\" is no IPv6 address", plan->path.mgid);
}

int mcast_address(struct ep_addr *addr, const struct mcast_port *port)
{
	struct ep_qp_id *all = calloc(1, sizeof(*all));

	if (!all)
		return err_set(-ENOMEM, "no memory for the address of a group");
	all->qpn = MCAST_QPN;
	*addr = (struct ep_addr){ .lid = port->mlid, .qkey = MCAST_QKEY, .n_qps = 1, .qps = all };
	memcpy(addr->gid, port->mgid.raw, sizeof(addr->gid));
	return 0;
}

int mcast_attach(struct ep *ep, const struct mcast_port *port)
{
	char text[GID_TEXT_MAX];
	int err;

	ep->mgid = port->mgid;
	ep->mlid = port->mlid;
	errno = 0;
	err = ibv_attach_mcast(ep->qps[0], &ep->mgid, ep->mlid);
	if (err < 0)
		err = errno ? errno : EIO;
	if (err)
		return err_set(-err, "cannot attach QP 0x%06x to the group of MGID %s on %s: %s",
			       ep->qps[0]->qp_num, gid_text(ep->mgid.raw, text, sizeof(text)),
			       ep->dev->limits.device, strerror(err));
	ep->attached = true;
	return 0;
}

void mcast_detach(struct ep *ep)
{
	const int err = ep->attached ? ibv_detach_mcast(ep->qps[0], &ep->mgid, ep->mlid) : 0;

	/* teardown goes on after an error, and must not hide the error that led to it */
	if (err)
		log_note("cannot detach QP 0x%06x from the multicast group: %s",
			 ep->qps[0]->qp_num, strerror(err < 0 ? EIO : err));
	ep->attached = false;
}
