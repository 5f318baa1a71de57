/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The GIDs and LIDs of the devices; see gid.h. */
#include "config.h"
#include "base/gid.h"

#include <endian.h>
#include <string.h>

#include "base/hca.h"

struct profile_of gid_of(uint32_t dev)
{
	return (struct profile_of) { .dev = dev, .node = hca_settings()->node_id };
}

__be64 gid_guid(uint32_t dev)
{
	return htobe64(profile_guid(gid_of(dev), 1));
}

uint32_t gid_count(uint32_t dev)
{
	return hca_profile(dev)->n_gids;
}

union ibv_gid gid_of_port(uint32_t dev, uint32_t port, uint32_t index)
{
	const struct profile *p = hca_profile(dev);
	union ibv_gid gid = { .raw = { 0 } };

	if (index < p->n_gids)
		memcpy(gid.raw, p->gid[index].raw[(port - 1) % SETTINGS_PORTS], sizeof(gid.raw));
	return gid;
}

struct shm_address gid_own(uint32_t dev, uint32_t port)
{
	const struct profile *p = hca_profile(dev);
	struct shm_address a = {
		.link_layer = (uint8_t)p->link_layer,
		.iwarp = p->transport_type == IBV_TRANSPORT_IWARP,
		.mtu = (uint8_t)p->active_mtu,
		.lid = gid_lid(dev, port),
		.prefix = p->subnet_prefix,
		.n_gids = p->n_gids,
	};

	for (uint32_t i = 0; i < p->n_gids; i++) {
		memcpy(a.gid[i].raw, p->gid[i].raw[port - 1], sizeof(a.gid[i].raw));
		a.gid[i].type = (uint8_t)p->gid[i].type;
		a.gid[i].vlan = p->gid[i].vlan;
	}
	return a;
}

struct shm_address gid_table(struct profile_of of)
{
	struct shm_address a = { .n_gids = 0 };
	const struct shm_node *node;

	of.dev %= SHM_DEVS;
	if (of.node == hca_settings()->node_id)
		return gid_own(of.dev, 1);
	if (!of.node || !hca.fabric)
		return a;
	node = &hca.fabric->node[(of.node - 1) % SHM_NODES];
	if (node->name[0])
		a = node->port[of.dev][0].addr;
	if (a.n_gids > PROFILE_GIDS)
		a.n_gids = PROFILE_GIDS;
	return a;
}

union ibv_gid gid_address(struct profile_of of)
{
	const uint32_t ip4 = htobe32(profile_ip4(of, 1));
	union ibv_gid gid = { .raw = { 0 } };

	memset(gid.raw + 10, 0xff, 2);
	memcpy(gid.raw + 12, &ip4, sizeof(ip4));
	return gid;
}

/* RoCE v2 before others, as the kernel's default for rdma_cm. */
uint32_t gid_address_index(struct profile_of of)
{
	const struct shm_address a = gid_table(of);
	const union ibv_gid ip = gid_address(of);
	uint32_t found = 0;

	for (uint32_t i = a.n_gids; i-- > 0;)
		if (!memcmp(a.gid[i].raw, ip.raw, sizeof(ip.raw)) &&
		    (a.gid[i].type == IBV_GID_TYPE_ROCE_V2 ||
		     a.gid[found].type != IBV_GID_TYPE_ROCE_V2))
			found = i;
	return found;
}

uint32_t gid_ports(uint32_t dev)
{
	return settings_ports(hca_settings(), dev);
}

uint16_t gid_lid(uint32_t dev, uint32_t port)
{
	return settings_lid(hca_settings(), gid_of(dev), port);
}

uint16_t gid_sm_lid(uint32_t dev)
{
	const struct profile *p = hca_profile(dev);

	return p->port_state == IBV_PORT_INIT ? 0 : (uint16_t)p->sm_lid;
}
