/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the membership of a side in the multicast group of a point. Called by point_threads.c. */
#include "config.h"

#include "point/point_state.h"

#include "loop/group.h"
#include "ep/mcast.h"
#include "util/clock.h"

#define MS_NS 1000000ull

/* Joins by rdma_cm if the plan says so. */
static int join(struct point_state *s, struct mcast_port *port)
{
	const struct point_in *in = s->in;
	const struct cm_wait wait = {
		.deadline_ns = clock_ns() + in->plan->stall_timeout_ms * MS_NS,
		.fds = { in->peers->ctl[0]->signals_fd, -1 },
	};
	int rc;

	if (in->plan->path.mcast_join != MCAST_JOIN_CM)
		return mcast_port_of(port, in->plan, in->dev);
	rc = cm_mcast_join(&s->group, in->plan, in->dev, in->side, &wait);
	*port = (struct mcast_port){ .mgid = s->group.mgid, .mlid = s->group.mlid };
	return rc;
}

int point_group_sender(struct point_state *s)
{
	struct mcast_port port;
	int rc = join(s, &port);

	return rc ? rc : mcast_address(&s->threads->peer, &port);
}

int point_group_receiver(struct point_state *s)
{
	struct mcast_port port;
	int rc = join(s, &port);

	/* other programs may send to the group, too */
	group_filter(&s->workers.runs->worker, s->threads->peer.qps[0].qpn);
	return rc ? rc : mcast_attach(&s->threads->ep, &port);
}
