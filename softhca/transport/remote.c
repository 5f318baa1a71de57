/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Finds a QP by its number; see remote.h. */
#include "config.h"
#include "transport/remote.h"

#include <errno.h>

#include "base/qpn.h"
#include "transport/progress.h"

void remote_release(struct remote *r)
{
	if (r->peer)
		peer_put(r->peer);
	*r = (struct remote) { 0 };
}

int remote_find(struct remote *r, uint32_t qpn)
{
	uint64_t dir = qpn_find(qpn);

	if (r->peer && r->dir == dir && dir &&
	    !atomic_load_explicit(&r->peer->dead, memory_order_relaxed))
		return 0;
	remote_release(r);
	if (!dir || qpn_qp(dir) >= SHM_QPS)
		return -ESRCH;
	r->peer = peer_get(qpn_slot(dir), qpn_gen(dir));
	if (!r->peer)
		return -ESRCH;
	if (!r->peer->self && !atomic_exchange(&r->peer->watched, true))
		(void)progress_watch(r->peer);
	peer_populate(r->peer);
	r->s = &r->peer->arena->qp[qpn_qp(dir)];
	r->dir = dir;
	r->qpn = qpn;
	return 0;
}
