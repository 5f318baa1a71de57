/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Which port a message reaches; see path.h. Called by the responder. */
#include "config.h"
#include "transport/path.h"

#include <string.h>

#include "base/hca.h"

static bool same_gid(const struct shm_gid *own, const struct msg *m, const struct shm_gid *from)
{
	return !memcmp(own->raw, &m->dgid, sizeof(own->raw)) && own->type == from->type &&
	       own->vlan == from->vlan;
}

/* RoCE v1 and v2 are different packets, and a VLAN is a network of its own. */
static bool has_gid(const struct shm_address *to, const struct msg *m)
{
	const struct shm_gid *from = &m->from->addr.gid[m->sgid_index % PROFILE_GIDS];

	for (uint32_t i = 0; i < PROFILE_GIDS && i < to->n_gids; i++)
		if (same_gid(&to->gid[i], m, from))
			return true;
	return false;
}

/*
 * InfiniBand (IBA vol. 1, 4.1.3 and 19.2.4): in a subnet switches take the LID, and the GRH, if
 * there is one, must fit too; routers, to other subnets, take the GID.
 */
static bool reaches_ib(const struct shm_address *to, const struct msg *m)
{
	const bool same_subnet = m->from->addr.prefix == to->prefix;

	if (same_subnet && (!to->lid || m->dlid != to->lid))
		return false;
	return m->has_grh ? has_gid(to, m) : same_subnet;
}

static bool reaches(const struct shm_address *to, const struct msg *m)
{
	const struct shm_address *from = &m->from->addr;

	if (from->link_layer != to->link_layer || from->iwarp != to->iwarp)
		return false;
	if (to->link_layer == IBV_LINK_LAYER_INFINIBAND)
		return reaches_ib(to, m);
	return m->has_grh && has_gid(to, m);
}

/* Of a group. On InfiniBand a group is of one subnet; on Ethernet of one VLAN. */
static bool hears(const struct shm_address *to, const struct msg *m)
{
	const struct shm_address *from = &m->from->addr;

	return from->link_layer == to->link_layer && from->iwarp == to->iwarp &&
	       (to->link_layer != IBV_LINK_LAYER_INFINIBAND || from->prefix == to->prefix);
}

static const struct shm_address *address(const struct remote *r, uint32_t port)
{
	return &hca_port(r->peer->slot, r->s->dev, port)->addr;
}

uint32_t path_port(const struct remote *r, const struct msg *m)
{
	const uint32_t own = r->s->path.port;
	const struct shm_address *to = address(r, own);

	if (m->multicast)
		return hears(to, m) ? own : 0;
	/*
	 * An address without a GRH, which only a device without a profile takes, reaches the port
	 * that the QP uses.
	 */
	if (!m->has_grh && to->link_layer == IBV_LINK_LAYER_ETHERNET)
		return hears(to, m) ? own : 0;
	if (reaches(to, m))
		return own;
	for (uint32_t port = 1; port <= SHM_PORTS; port++)
		if (port != own && reaches(address(r, port), m))
			return port;
	return 0;
}
